// SPDX-License-Identifier: Apache-2.0
// pthread_create, called by libtbb: its workers do nothing but run tasks in arenas, all their life. Called by others it may begin a
// program's second thread, before our constructors have run: then it is high time to make room.
//
// And pthread_detach: libtbb detaches its workers as it tells them to end. glibc's looks at the thread once more after it has detached
// it; by then its stack may be gone, more likely with many that end at once (github.com/uxlfoundation/oneTBB/issues/1758). So each
// detaches itself.
#include <pthread.h>

#include <atomic>
#include <cstdlib>

#include "base/thread.h"
#include "sys/lock.h"
#include "sys/own.h"
#include "sys/process.h"
#include "tbb_ext/hooks.h"
#include "tbb_ext/machine/coming.h"
#include "tbb_ext/machine/inside.h"
#include "tbb_ext/machine/libtbb.h"
#include "tbb_ext/machine/next.h"

namespace weir::tbb {
namespace {

using Body = void* (*)(void*);
constinit Next<int(pthread_t*, const pthread_attr_t*, Body, void*)> next_create{"pthread_create"};
constinit Next<int(pthread_t)> next_detach{"pthread_detach"};

struct Worker {
  Body body;
  void* argument;
  pthread_t thread = 0;
  Worker* next = nullptr;
  bool is_over = false;   // its body
  bool is_to_go = false;  // it is in no list any more, and detaches itself
};

// Those that nobody has detached. One that was joined stays until there is another of that name.
class Workers {
 public:
  void add(Worker& worker, pthread_t thread) {
    sys::LockScope locked(lock());
    if (Worker* before = remove(thread)) std::free(before);
    worker.thread = thread;
    worker.next = first_;
    first_ = &worker;
  }
  // False: it is none of them. One whose body is over already stays as it is: it may be about to vanish.
  bool detach(pthread_t thread) {
    sys::LockScope locked(lock());
    Worker* worker = remove(thread);
    if (!worker) return false;
    worker->is_to_go = true;
    if (worker->is_over) std::free(worker);
    return true;
  }
  // True: it is the caller's now.
  bool is_to_go(Worker& worker) {
    sys::LockScope locked(lock());
    worker.is_over = true;
    return worker.is_to_go;
  }

 private:
  // A forked child has none of its parent's.
  sys::Lock& lock() {
    std::int32_t here = sys::process_id(), before = process_.load(std::memory_order_relaxed);
    if (before != here && process_.compare_exchange_strong(before, here) && before) {
      lock_.after_fork();
      first_ = nullptr;
    }
    return lock_;
  }
  Worker* remove(pthread_t thread) {
    for (Worker** at = &first_; *at; at = &(*at)->next) {
      Worker* worker = *at;
      if (worker->thread != thread) continue;
      *at = worker->next;
      return worker;
    }
    return nullptr;
  }

  sys::Lock lock_;
  std::atomic<std::int32_t> process_{0};
  Worker* first_ = nullptr;
};
constinit Workers workers;

void* work(void* worker_) {
  Worker& worker = *static_cast<Worker*>(worker_);
  base::self().place |= WEIR_TBB_PLACE;
  become_worker();
  comes_inside();
  coming();
  worker_is_up();
  void* result = worker.body(worker.argument);
  worker_sleeps();
  going();
  goes_outside();
  base::self().place &= ~WEIR_TBB_PLACE;
  if (workers.is_to_go(worker)) {
    next_detach(pthread_self());
    std::free(&worker);
  }
  return result;
}

}  // namespace
}  // namespace weir::tbb

using namespace weir::tbb;

extern "C" __attribute__((visibility("default"))) int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                                     Body body, void* argument) noexcept {
  weir::sys::make_room();
  if (!from_libtbb(__builtin_return_address(0))) return next_create(thread, attributes, body, argument);
  auto* worker = static_cast<Worker*>(std::malloc(sizeof(Worker)));
  if (!worker) return next_create(thread, attributes, body, argument);
  *worker = {body, argument};
  int error = next_create(thread, attributes, work, worker);
  if (error) std::free(worker);
  else workers.add(*worker, *thread);
  return error;
}

extern "C" __attribute__((visibility("default"))) int pthread_detach(pthread_t thread) noexcept {
  return from_libtbb(__builtin_return_address(0)) && workers.detach(thread) ? 0 : next_detach(thread);
}
