// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/adapter/helping.h"

#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "tbb_ext/adapter/attendant.h"
#include "tbb_ext/adapter/detached.h"
#include "tbb_ext/adapter/limit.h"

namespace weir::tbb {

struct Door {
  explicit Door(void* arena) : name(arena), place(::tbb::task_arena::attach{}) {}
  void* const name;
  ::tbb::task_arena place;  // keeps the arena, and finds it for a thread that is not in it
  int holders = 1;
};

namespace {

constinit std::mutex doors;  // the rows' doors, and their holders

void give_back(Door* door) {
  if (!door) return;
  {
    std::lock_guard locked(doors);
    if (--door->holders) return;
  }
  delete door;
}

Door* borrow_door(Arena& arena) {
  std::lock_guard locked(doors);
  if (arena.door) ++arena.door->holders;
  return arena.door;
}

// Past libc's names, which are the program's calls here.
void nap() {
  timespec time{0, 2'000'000};
  syscall(SYS_nanosleep, &time, nullptr);
}

struct Helper {
  Arena& arena;
  Door* door;
  ~Helper() { give_back(door); }
};

// Set aside, and ready at once, the calling thread comes back before it begins anything new: libtbb looks for what is ready first.
void let_one_go_on() {
  ::tbb::task::suspend([](::tbb::task::suspend_point point) { ::tbb::task::resume(point); });
}

// Where there is no free slot libtbb has another thread call what we execute, once one comes by.
void* helper(void* helper_) {
  std::unique_ptr<Helper> here(static_cast<Helper*>(helper_));
  constexpr int rounds = 8;  // it may find itself first
  const auto self = std::this_thread::get_id();
  if (on_attending) on_attending();
  here->door->place.execute([&] {
    here->arena.helper_comes.store(false);
    if (std::this_thread::get_id() != self) return;
    for (int round = 0; round < rounds && !here->arena.turns.one_has_gone_on(); ++round) let_one_go_on();
  });
  if (on_leaving) on_leaving();
  return nullptr;
}

void send_helper(Arena& arena) {
  if (arena.helper_comes.exchange(true)) return;
  Door* door = borrow_door(arena);
  auto* order = door ? new (std::nothrow) Helper{arena, door} : nullptr;
  if (order && begin_detached(helper, order)) return;
  arena.helper_comes.store(false);
  if (order) delete order;
  else give_back(door);
}

}  // namespace

// Who closes says so first, and then looks whether one was set aside meanwhile; here it is the other way about.
void keep_door(Arena& arena, void* name) {
  if (!threads_are_limited() || is_shared(arena) || arena.door_to.load() == name) return;
  auto* door = new (std::nothrow) Door(name);
  if (!door) return;
  {
    std::lock_guard locked(doors);
    std::swap(arena.door, door);
    arena.door_to.store(name);
  }
  give_back(door);
}

void close_door(Arena& arena) {
  if (!arena.door_to.load()) return;
  Door* door = nullptr;
  {
    std::lock_guard locked(doors);
    arena.door_to.store(nullptr);
    if (!arena.suspended.load()) std::swap(arena.door, door);
    else if (arena.door) arena.door_to.store(arena.door->name);
  }
  give_back(door);
}

void help_out(int (*anybody_computes)()) {
  constexpr int looks = 500;
  for (int in_vain = 0; in_vain < looks && threads_are_limited(); ++in_vain) {
    bool any_aside = false;
    for (Arena& arena : all_arenas()) {
      if (!arena.suspended.load()) continue;
      any_aside = true;
      if (!arena.turns.are_stuck() || anybody_computes()) continue;
      in_vain = 0;
      send_helper(arena);
    }
    if (!any_aside) return;
    nap();
  }
}

}  // namespace weir::tbb
