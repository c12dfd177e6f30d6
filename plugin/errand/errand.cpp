// SPDX-License-Identifier: Apache-2.0
#include "errand/errand.h"

#include <atomic>

#include "sys/futex.h"
#include "sys/lock.h"
#include "sys/process.h"
#include "sys/thread_limits.h"

namespace weir::errand {
namespace {

// Where as many more would still be within every limit on threads; else they might be those that the program cannot start any more.
constexpr int most_threads = 128, most_in_doubt = 8;
// So many in a row that no thread of ours could make say that the process is not one where it may.
constexpr int enough_refused = 8;

// What all threads share, under the lock; but `bell`, which the idle ones sleep on.
constinit sys::Lock lock;
constinit base::Queue sent;
constinit int threads = 0;
constinit int idle = 0;     // of these, with nothing to do, and nothing sent to them yet
constinit int refused = 0;  // errands in a row
constinit int most = most_in_doubt;  // threads
constinit bool looked = false;       // whether more are within the limits
constinit std::atomic<std::uint32_t> bell{0};

// Those that are sent at once may all wait for another's end: none is refused while the limits are looked up, and that not before it matters.
bool may_take_one() {
  if (refused >= enough_refused) return false;
  if (idle > 0 || threads < most) return true;
  if (!looked && sys::threads_are_within_limits(2 * most_threads)) most = most_threads;
  looked = true;
  return threads < most;
}

void run(Errand& errand) {
  bool made = sys::is_like(errand.sender);
  errand.made = made;
  if (made) errand.result = errand.make(errand);
  {
    sys::LockScope scope(lock);
    refused = made ? 0 : refused + 1;
    ++idle;  // before anybody hears of its end: who sends the next one then finds this thread
  }
  errand.done(errand);
}

Errand* next() {
  while (true) {
    std::uint32_t heard = bell.load(std::memory_order_acquire);
    {
      sys::LockScope scope(lock);
      if (base::Link* link = sent.pop()) return static_cast<Errand*>(link);
    }
    sys::futex_wait(bell, heard);
  }
}

void body(void* first) {
  run(*static_cast<Errand*>(first));
  while (true) run(*next());
}

bool start_with(Errand& errand) {
  if (!sys::start_thread(body, &errand, "weir-errand")) return true;
  sys::LockScope scope(lock);
  --threads;
  return false;
}

}  // namespace

bool is_free() {
  sys::LockScope scope(lock);
  return may_take_one();
}

bool send(Errand& errand) {
  errand.sender = sys::likeness();
  bool new_thread;
  {
    sys::LockScope scope(lock);
    if (!may_take_one()) return false;
    new_thread = idle == 0;
    if (new_thread) ++threads;
    else --idle, sent.push(&errand);
  }
  if (new_thread) return start_with(errand);
  bell.fetch_add(1, std::memory_order_release);
  sys::futex_wake(bell);
  return true;
}

void after_fork() {
  lock.after_fork();
  sent = {};
  threads = idle = refused = 0;
}

}  // namespace weir::errand
