// SPDX-License-Identifier: Apache-2.0
// A process whose first thread has left ends with its last thread; libc counts them. It counts ours too, so here somebody
// looks, and ends the process as libc would have.
#include "api/last_thread.h"

#include <stdlib.h>
#include <string.h>

#include <atomic>

#include "base/clock.h"
#include "sys/file.h"
#include "sys/process.h"
#include "sys/threads.h"

namespace weir::api {
namespace {

constinit std::atomic<bool> watched{false};

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

void thread_ended() {
  if (sys::thread_id() != sys::process_id() || watched.exchange(true)) return;
  sys::start_thread(watch, nullptr, "weir-watch");
}

void last_thread_after_fork() { watched.store(false); }

}  // namespace weir::api
