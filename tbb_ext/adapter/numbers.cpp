// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/adapter/numbers.h"

#include <oneapi/tbb/task_scheduler_observer.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "tbb_ext/adapter/arenas.h"
#include "tbb_ext/adapter/runtime.h"

namespace weir::tbb {
namespace {

struct Number {
  int slot = -1;
  bool left = false;
};
using Numbers = std::vector<Number>;

// Never destroyed: threads of libtbb may outlive our statics.
struct Table {
  std::mutex mutex;
  std::map<void*, Numbers> of_arena;

  Number* find_locked(void* arena, int slot) {
    auto here = of_arena.find(arena);
    if (here == of_arena.end()) return nullptr;
    auto found = std::find_if(here->second.begin(), here->second.end(), [&](const Number& n) { return n.slot == slot; });
    return found == here->second.end() ? nullptr : &*found;
  }
};
Table* table = nullptr;  // set before the observer is there

// An observer of the program may ask after ours was told that a thread leaves, and before it is told that one comes: so a
// number stays with its slot as long as it can.
class Leaving : public ::tbb::task_scheduler_observer {
 public:
  Leaving() { observe(true); }
  void on_scheduler_entry(bool) override { mark(false); }
  void on_scheduler_exit(bool) override { mark(true); }

 private:
  static void mark(bool left) {
    std::lock_guard lock(table->mutex);
    if (Number* number = table->find_locked(name_of_arena_here(), execution_slot(nullptr))) number->left = left;
  }
};

// Prefers a number that is the slot's own; then the highest, which is least likely to become a slot's own.
Number* take_locked(Numbers& numbers, int slot) {
  auto is_free = [](const Number& n) { return n.slot < 0; };
  if (slot < static_cast<int>(numbers.size()) && is_free(numbers[static_cast<std::size_t>(slot)]))
    return &numbers[static_cast<std::size_t>(slot)];
  auto found = std::find_if(numbers.rbegin(), numbers.rend(), is_free);
  if (found == numbers.rend()) found = std::find_if(numbers.rbegin(), numbers.rend(), [](const Number& n) { return n.left; });
  return found == numbers.rend() ? nullptr : &*found;
}

void begin() {
  static const bool once = [] {
    table = new Table;
    new Leaving;
    return true;
  }();
  (void)once;
}

}  // namespace

std::uint16_t number_of(std::uint16_t slot, int bound) {
  begin();
  void* arena = name_of_arena_here();
  std::lock_guard lock(table->mutex);
  Number* number = table->find_locked(arena, slot);
  Numbers& numbers = table->of_arena[arena];
  if (!number) {
    numbers.resize(static_cast<std::size_t>(bound));
    number = take_locked(numbers, slot);
    if (!number) return slot;
    *number = {slot, false};
  }
  return static_cast<std::uint16_t>(number - numbers.data());
}

}  // namespace weir::tbb
