// SPDX-License-Identifier: Apache-2.0
// A process whose first thread left by pthread_exit ends with its last thread; libc counts them. It counts ours too, so
// here somebody looks, and ends the process as libc would have.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "intercept/real.h"
#include "sys/file.h"
#include "sys/process.h"
#include "sys/threads.h"

namespace weir::intercept {
namespace {

WEIR_REAL Real<void(void*)> real_pthread_exit{"pthread_exit"};

// A thread of ours has a name of ours; the first thread, once gone, is kept as a zombie until the process ends.
bool is_ours_or_gone(void* only, std::int32_t tid) {
  sys::ThreadState thread = sys::state_of(tid);
  bool is = !thread.state || !strncmp(thread.name, "weir-", 5) || thread.state == 'Z' || thread.state == 'X';
  return *static_cast<bool*>(only) = is;
}

bool only_ours_left() {
  bool only = true;
  return sys::each_thread(is_ours_or_gone, &only) && only;
}

void watch(void*) {
  while (!only_ours_left()) sys::sleep_ns(20 * base::ns_per_ms);
  exit(0);
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" void pthread_exit(void* result) {
  if (sys::thread_id() == sys::process_id()) sys::start_thread(watch, nullptr, "weir-watch");
  real_pthread_exit(result);
  __builtin_unreachable();
}
#pragma GCC visibility pop
