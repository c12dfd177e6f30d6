// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/adapter/attendant.h"

#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <new>
#include <thread>

#include "tbb_ext/adapter/detached.h"

namespace weir::tbb {
namespace {

// Well below 4096: the thread takes a while to come, and tasks go on being set aside.
constexpr std::int32_t many = 3000;
constexpr std::int32_t few = 2000;
constexpr std::int64_t patience_ns = 1'000'000'000;

using Help = Arena::Help;

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

// Past libc's names, which are the program's calls here.
void nap() {
  timespec time{0, 50'000};
  syscall(SYS_nanosleep, &time, nullptr);
}

struct Order {
  explicit Order(Arena& row) : arena(row), place(::tbb::task_arena::attach{}) {}
  Arena& arena;
  ::tbb::task_arena place;  // keeps the arena, and finds it for a thread that is not in it
};

void send_off(Arena& arena) {
  Help present = Help::present;
  if (arena.help.compare_exchange_strong(present, Help::going))
    ::tbb::task::resume(static_cast<::tbb::task::suspend_point>(arena.attendant));
}

// Set aside, the calling thread runs the arena's tasks like a worker, until it is sent off.
void stay(Arena& arena) {
  ::tbb::task::suspend([&](::tbb::task::suspend_point point) {
    arena.attendant = point;
    arena.help.store(Help::present);
    if (arena.suspended.load() <= few) send_off(arena);  // they came back meanwhile, and found nobody to send off
  });
}

// In an arena without a free slot libtbb has another thread call what we execute. Then all its threads are there.
void serve(Order& order) {
  const auto self = std::this_thread::get_id();
  while (order.arena.suspended.load() > few) {
    order.place.execute([&] {
      if (std::this_thread::get_id() == self) stay(order.arena);
    });
    if (order.arena.suspended.load() > few) nap();
  }
}

void* attendant(void* order_) {
  std::unique_ptr<Order> order(static_cast<Order*>(order_));
  if (on_attending) on_attending();
  serve(*order);
  if (on_leaving) on_leaving();
  order->arena.help.store(Help::none);  // the next task set aside beyond `many` asks again
  return nullptr;
}

bool call_for(Arena& arena) {
  auto* order = new (std::nothrow) Order(arena);
  if (!order) return false;
  if (begin_detached(attendant, order)) return true;
  delete order;
  return false;
}

}  // namespace

void (*on_attending)() = nullptr;
void (*on_leaving)() = nullptr;

// Until it is there no more are set aside: beyond the cap a call would block its thread, and what it waits for may be
// what a task set aside on that very thread is about to do.
void attend(Arena& arena, std::int32_t suspended) {
  if (suspended <= many || is_shared(arena)) return;
  Help help = arena.help.load();
  if (help == Help::present) return;
  if (help == Help::none && arena.help.compare_exchange_strong(help, Help::coming)) {
    arena.called_at_ns.store(now_ns());
    if (!call_for(arena)) return arena.help.store(Help::none);
  }
  while (arena.help.load() == Help::coming && now_ns() - arena.called_at_ns.load() < patience_ns) nap();
}

void one_came_back(Arena& arena, std::int32_t suspended) {
  if (suspended == few) send_off(arena);
}

}  // namespace weir::tbb
