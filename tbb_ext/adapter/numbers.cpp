// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/adapter/numbers.h"

#include <oneapi/tbb/task_scheduler_observer.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <vector>

#include "tbb_ext/adapter/arenas.h"
#include "tbb_ext/adapter/runtime.h"
#include "tbb_ext/hooks.h"

namespace weir::tbb {
namespace {

struct Number {
  int slot = -1;
  bool spared = false;
};

// How many waits for tasks the calling thread is in, one within the other. (A task that goes on elsewhere takes its wait along: this may
// be one off then.)
constinit thread_local int waits = 0;

// What the calling thread was told last, and in how many waits it was when it asked; nothing once its number is spared.
struct Mine {
  void* arena = nullptr;
  int slot = -1;
  std::uint16_t number = 0;
  int waits = 0;
};
constinit thread_local Mine mine;

// The arenas of which ours was told that the calling thread is in them.
struct Seen {
  void* arenas[8] = {};
  int depth = 0;

  void came(void* arena) {
    if (depth < 8) arenas[depth] = arena;
    ++depth;
  }
  void left() { --depth; }
  bool in(void* arena) const { return std::count(arenas, arenas + std::min(depth, 8), arena) > 0; }
};
constinit thread_local Seen seen;

// An observer of the program may ask after ours was told that a thread leaves, and before it is told that one comes: so a
// number stays with its slot as long as it can.
class Watch : public ::tbb::task_scheduler_observer {
 public:
  explicit Watch(void* arena) : arena_(arena) {}
  void on_scheduler_entry(bool) override;
  void on_scheduler_exit(bool) override;

 private:
  void mark(bool spared);
  void* arena_;
};

struct Numbered {
  explicit Numbered(void* arena) : watch(arena) {}
  Watch watch;
  Mine* begins_to_watch = nullptr;  // the thread that does so
  std::vector<Number> numbers;

  Number* find(int slot) {
    auto found = std::find_if(numbers.begin(), numbers.end(), [&](const Number& n) { return n.slot == slot; });
    return found == numbers.end() ? nullptr : &*found;
  }
  // Prefers a number that is the slot's own; then the highest, which is least likely to become a slot's own.
  Number* take(int slot) {
    auto is_free = [](const Number& n) { return n.slot < 0; };
    if (slot < static_cast<int>(numbers.size()) && is_free(numbers[static_cast<std::size_t>(slot)]))
      return &numbers[static_cast<std::size_t>(slot)];
    auto found = std::find_if(numbers.rbegin(), numbers.rend(), is_free);
    if (found == numbers.rend()) found = std::find_if(numbers.rbegin(), numbers.rend(), [](const Number& n) { return n.spared; });
    return found == numbers.rend() ? nullptr : &*found;
  }
};

struct Table {
  std::mutex mutex;
  std::condition_variable spared;
  std::map<void*, Numbered> arenas;

  Numbered& of(void* name) { return arenas.try_emplace(name, name).first->second; }
};

// Never destroyed: threads of libtbb may outlive our statics.
Table& table() {
  static Table* const there = new Table;
  return *there;
}

void Watch::mark(bool spared) {
  std::lock_guard lock(table().mutex);
  Number* number = table().of(arena_).find(execution_slot(nullptr));
  if (!number) return;
  number->spared = spared;
  if (spared) table().spared.notify_all();
}

void Watch::on_scheduler_entry(bool) {
  seen.came(arena_);
  mark(false);
}

void Watch::on_scheduler_exit(bool) {
  seen.left();
  mine = {};
  mark(true);
}

// Observers of the program's ask from within libtbb's walk over all of them, in which no other may be made.
constinit std::atomic<bool> program_observes{false};

// An arena's end is also its watch's; another may come by its name.
void see_to_the_watch(void* name) {
  Numbered* arena;
  {
    std::lock_guard lock(table().mutex);
    arena = &table().of(name);
    if (arena->watch.is_observing() || arena->begins_to_watch) return;
    arena->begins_to_watch = &mine;
    arena->numbers.clear();
  }
  arena->watch.observe(true);  // the program's own observers may be called, and ask
  std::lock_guard lock(table().mutex);
  arena->begins_to_watch = nullptr;
}

// libtbb tells observers of a thread that leaves if it told them that it came: of those that were there before, it does when
// they look for a task, or make one more observer.
void be_seen(void* name) {
  if (seen.in(name)) return;
  ::tbb::task_scheduler_observer one_more;
  one_more.observe(true);
}

}  // namespace

void program_makes_observer() { program_observes.store(true); }

std::uint16_t number_of(std::uint16_t slot, int bound) {
  void* name = name_of_arena_here();
  if (mine.arena == name && mine.slot == slot && mine.number < bound) return mine.number;
  if (!program_observes.load()) {
    see_to_the_watch(name);
    be_seen(name);
  }
  std::lock_guard lock(table().mutex);
  Numbered& arena = table().of(name);
  bool is_watched = arena.watch.is_observing(), stays = !is_watched || seen.in(name) || arena.begins_to_watch == &mine;
  if (!stays && arena.begins_to_watch) return WEIR_TBB_NO_NUMBER;
  arena.numbers.resize(static_cast<std::size_t>(bound));
  Number* number = arena.find(slot);
  if (!number) number = arena.take(slot);
  if (!number) return WEIR_TBB_NO_NUMBER;
  *number = {slot, !stays};
  auto told = static_cast<std::uint16_t>(number - arena.numbers.data());
  if (stays) mine = {name, slot, told, waits};
  return told;
}

void await_number() {
  using namespace std::chrono_literals;
  std::unique_lock lock(table().mutex);
  table().spared.wait_for(lock, 1ms);
}

void begins_to_wait() { ++waits; }
void has_waited() { waits -= waits > 0; }

// In a wait within a task that asked, that task is still under way.
void spare_number() {
  if (!mine.arena || waits > mine.waits) return;
  std::lock_guard lock(table().mutex);
  Numbered& arena = table().of(mine.arena);
  if (Number* number = arena.find(mine.slot)) number->spared = true;
  mine = {};
  table().spared.notify_all();
}

}  // namespace weir::tbb
