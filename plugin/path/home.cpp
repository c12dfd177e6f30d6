// SPDX-License-Identifier: Apache-2.0
#include "path/home.h"

#include "base/clock.h"
#include "base/thread.h"
#include "op/op.h"
#include "path/waiting.h"
#include "sys/file.h"
#include "sys/process.h"

namespace weir::path {
namespace {

// As runtime.go_home(). What begins here meanwhile waits within nothing.
int try_to_go(std::int32_t tid, const weir_runtime& runtime) {
  const void* tbb_wait = base::self().tbb_wait;
  base::self().tbb_wait = nullptr;
  int refusal = runtime.go_home(tid);
  base::self().tbb_wait = tbb_wait;
  return refusal;
}

}  // namespace

Home home_here() { return {sys::known_thread_id(), wait::errno_loan_here()}; }

void go_home(const Home& home, const weir_runtime& runtime) {
  if (sys::known_thread_id() != home.tid) try_to_go(home.tid, runtime);
}

// That thread comes by when it is through with its task, or is in weir's hands for a moment: unless it computes for so long
// at a stretch, or waits in a way that nobody sees for what this task will do.
void fail_at(const Home& home, Result result, const weir_runtime& runtime) {
  if (sys::known_thread_id() == home.tid) return;
  constexpr std::int64_t longest_ns = 10 * base::ns_per_s, without_ns = 2 * base::ns_per_s, nap_ns = 50 * base::ns_per_us;
  constexpr int beyond = 4096;  // where stdio's own results stand, with the error above
  int error = static_cast<int>(-result);
  if (error > beyond) error -= beyond;
  wait::ErrnoLoan* loan = error == 1 ? nullptr : home.loan;  // -1: some calls' only word for a failure
  std::int64_t end = base::now_ns() + (loan ? longest_ns : without_ns);
  bool wants = false;
  while (try_to_go(home.tid, runtime) == WEIR_REFUSED_NOW) {
    if (loan && loan->tid.load(std::memory_order_relaxed) != home.tid) break;  // that thread has ended
    if (loan && wait::borrow_errno(*loan, home.tid, error)) break;
    if (base::now_ns() > end) break;
    if (loan && !wants) loan->wanted.fetch_add(1, std::memory_order_relaxed), wants = true;
    Result ignored;
    int refusal;
    if (!perform(op::timeout(nap_ns), false, runtime, &ignored, &refusal)) sys::sleep_ns(nap_ns);
  }
  if (wants) loan->wanted.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace weir::path
