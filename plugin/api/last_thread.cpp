// SPDX-License-Identifier: Apache-2.0
// A process whose first thread has left ends with its last thread; libc counts them. It counts ours too, so here somebody
// looks, and ends the process as libc would have. A task of the pool, an operation and a message count as a thread would.
#include "api/last_thread.h"

#include <stdlib.h>

#include <atomic>

#include "api/operation.h"
#include "base/clock.h"
#include "message/link.h"
#include "pool/pool.h"
#include "sys/file.h"
#include "sys/process.h"
#include "sys/threads.h"

namespace weir::api {
namespace {

constinit std::atomic<bool> watched{false};

// The first thread, once gone, is kept as a zombie until the process ends.
bool is_ours_or_gone(void* only, std::int32_t tid) {
  bool is = sys::is_own_thread(tid);
  if (!is) {
    char state = sys::state_of(tid).state;
    is = !state || state == 'Z' || state == 'X';
  }
  return *static_cast<bool*>(only) = is;
}

bool only_ours_left() {
  bool only = true;
  return sys::each_thread(is_ours_or_gone, &only) && only;
}

bool nothing_left() { return !pool::busy() && !operations_under_way() && !message::busy() && only_ours_left(); }

// Twice: a task that ends between the looks may have begun a thread, and a thread a task.
void watch(void*) {
  for (int looks = 0; looks < 2; looks = nothing_left() ? looks + 1 : 0) sys::sleep_ns(20 * base::ns_per_ms);
  exit(0);
}

}  // namespace

void thread_ended() {
  if (sys::thread_id() != sys::process_id() || watched.exchange(true)) return;
  sys::start_thread(watch, nullptr, "weir-watch");
}

void last_thread_after_fork() { watched.store(false); }

}  // namespace weir::api
