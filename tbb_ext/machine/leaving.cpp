// SPDX-License-Identifier: Apache-2.0
// exit() in a task. libtbb's destructors take it that the thread which runs them is none of its workers, and crash on one
// (bare, too, where a worker ends the program). A task of main's that was set aside may well have come back on a worker. So
// that thread forgets that it is one: what libtbb keeps a thread stands behind a pthread key, the only one it makes.
#include "tbb_ext/machine/leaving.h"

#include <pthread.h>

#include <atomic>

#include "base/thread.h"
#include "tbb_ext/machine/coming.h"
#include "tbb_ext/machine/libtbb.h"
#include "tbb_ext/machine/next.h"

namespace weir::tbb {
namespace {

constinit Next<int(pthread_key_t*, void (*)(void*))> next_key_create{"pthread_key_create"};
constinit std::atomic<std::int64_t> key{-1};

}  // namespace

void leave_for_good() {
  ++base::self().engine_depth;  // the destructors that follow may wait: a task set aside there comes back on a worker again
  std::int64_t known = key.load();
  if (known >= 0 && is_worker()) pthread_setspecific(static_cast<pthread_key_t>(known), nullptr);
}

}  // namespace weir::tbb

using namespace weir::tbb;

// libtbb makes its key when it is loaded, perhaps before any of our constructors ran.
extern "C" __attribute__((visibility("default"))) int pthread_key_create(pthread_key_t* made,
                                                                         void (*destroy)(void*)) noexcept {
  int error = next_key_create(made, destroy);
  if (!error && look_for_libtbb() && from_libtbb(__builtin_return_address(0))) key.store(*made);
  return error;
}
