// SPDX-License-Identifier: Apache-2.0
// pthread_create, called by libtbb: its workers do nothing but run tasks in arenas, all their life. Called by others it may begin a
// program's second thread, before our constructors have run: then it is high time to make room.
#include <pthread.h>

#include <cstdlib>

#include "base/thread.h"
#include "sys/own.h"
#include "tbb_ext/hooks.h"
#include "tbb_ext/machine/coming.h"
#include "tbb_ext/machine/inside.h"
#include "tbb_ext/machine/libtbb.h"
#include "tbb_ext/machine/next.h"

namespace weir::tbb {
namespace {

using Body = void* (*)(void*);
constinit Next<int(pthread_t*, const pthread_attr_t*, Body, void*)> next_create{"pthread_create"};

struct Worker {
  Body body;
  void* argument;
};

void* work(void* worker_) {
  Worker worker = *static_cast<Worker*>(worker_);
  std::free(worker_);
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
  return error;
}
