// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/adapter/arenas.h"

#include <oneapi/tbb/task.h>

#include <new>

namespace weir::tbb {
namespace {

constexpr int rows = 64;
constinit Arena table[rows];  // the last row is everybody's for whom there is no other
constinit std::atomic<std::int64_t> all{0};

struct Caps {
  std::int64_t arena = 3900;       // below 4096, less a few that race
  std::int64_t attended = 12'000;  // two mappings a stack, of vm.max_map_count's 65,530
  std::int64_t all = 14'000;
};
constinit Caps caps;

bool idle(const Arena& row) { return !row.suspended.load() && row.help.load() == Arena::Help::none; }

}  // namespace

// A suspend point begins with its arena's address; it is compared, never followed.
void* name_of_arena_here() {
  return *reinterpret_cast<void**>(::tbb::detail::r1::current_suspend_point());
}

void set_caps(bool guards_are_free, std::int64_t wanted) {
  if (guards_are_free) caps.attended = caps.all = 24'000;
  if (wanted > 0) caps = {wanted, wanted, wanted};
}

// A row changes hands only while it is idle; should two threads disagree for a moment, a count stands in the wrong row
// until it is taken back there.
Arena& arena_here() {
  void* key = name_of_arena_here();
  for (int i = 0; i < rows - 1; ++i)
    if (table[i].key.load(std::memory_order_relaxed) == key) return table[i];
  for (int i = 0; i < rows - 1; ++i) {
    void* before = table[i].key.load();
    if (idle(table[i]) && table[i].key.compare_exchange_strong(before, key)) return table[i];
  }
  return table[rows - 1];
}

std::span<Arena> all_arenas() { return {table, rows - 1}; }

bool is_shared(const Arena& arena) { return &arena == &table[rows - 1]; }

bool keeps_turns(const Arena& arena, void* name) {
  return !is_shared(arena) && arena.key.load(std::memory_order_relaxed) == name;
}

void turns_after_fork() {
  for (Arena& row : table) new (&row.turns) Turns;
}

bool is_full(const Arena& arena) {
  bool attended = arena.help.load() == Arena::Help::present;
  return arena.suspended.load() >= (attended ? caps.attended : caps.arena) || all.load() >= caps.all;
}

std::int32_t count_suspended(Arena& arena, int by) {
  all.fetch_add(by);
  return arena.suspended.fetch_add(by) + by;
}

}  // namespace weir::tbb
