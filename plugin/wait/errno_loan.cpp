// SPDX-License-Identifier: Apache-2.0
#include "wait/errno_loan.h"

#include <cerrno>
#include <ctime>

#include "base/clock.h"
#include "base/thread.h"
#include "sys/file.h"
#include "sys/process.h"
#include "sys/raw.h"
#include "wait/errno_state.h"

namespace weir::wait {
namespace {

// In the low bits of the state; above them stands how often it was lent.
enum : std::uint32_t { in_use, open, changes, lent, states };
std::uint32_t kind_of(std::uint32_t state) { return state % states; }
std::uint32_t with_kind(std::uint32_t state, std::uint32_t kind) { return state - kind_of(state) + kind; }

// Only threads on which tasks are set aside have one.
constexpr int most = 512;
constinit ErrnoLoan loans[most];

std::int64_t computed_ns(clockid_t clock) {
  timespec time{};
  if (failed(sys::raw(SYS_clock_gettime, clock, reinterpret_cast<long>(&time)))) return -1;
  return time.tv_sec * base::ns_per_s + time.tv_nsec;
}

// As the kernel has it: of another thread of this process.
clockid_t clock_of(std::int32_t tid) {
  constexpr clockid_t one_thread = 4, scheduled = 2;
  return ~tid * 8 + (one_thread | scheduled);
}

// Code looks at errno within a few instructions after the call. A borrower that is gone looks no more; one that neither
// computes nor waits in weir's hands may wait for this very thread.
bool has_been_seen(const ErrnoLoan& loan, std::int64_t waited_ns) {
  constexpr std::int64_t time_to_look_ns = base::ns_per_ms / 2, longest_ns = 50 * base::ns_per_ms;
  std::int64_t now = computed_ns(clock_of(loan.borrower.load(std::memory_order_relaxed)));
  return now < 0 || now - loan.lent_ns.load(std::memory_order_relaxed) > time_to_look_ns || waited_ns > longest_ns;
}

ErrnoLoan* mine() { return static_cast<ErrnoLoan*>(base::self().errno_loan); }

__attribute__((noinline)) int* place_of_errno() {
  int* place = &errno;
  asm volatile("" : "+r"(place));
  return place;
}

}  // namespace

ErrnoLoan* errno_loan_here() {
  if (ErrnoLoan* loan = mine()) return loan;
  std::int32_t tid = sys::thread_id();
  for (ErrnoLoan& loan : loans) {
    std::int32_t nobody = 0;
    if (loan.tid.load(std::memory_order_relaxed) || !loan.tid.compare_exchange_strong(nobody, tid)) continue;
    loan.place = place_of_errno();
    base::self().errno_loan = &loan;
    return &loan;
  }
  return nullptr;
}

void errno_loan_ends() {
  give_errno_back();
  ErrnoLoan* loan = mine();
  if (!loan) return;
  close_errno();
  base::self().errno_loan = nullptr;
  loan->tid.store(0, std::memory_order_release);
}

void errno_loans_after_fork() {
  base::Thread& thread = base::self();
  thread.errno_loan = nullptr;
  thread.errno_borrowed = nullptr;
  for (ErrnoLoan& loan : loans) {
    if (!loan.tid.load(std::memory_order_relaxed)) continue;
    loan.wanted.store(0, std::memory_order_relaxed);
    loan.state.store(in_use, std::memory_order_relaxed);
    loan.tid.store(0, std::memory_order_relaxed);
  }
}

void open_errno() {
  give_errno_back();
  ErrnoLoan* loan = mine();
  if (!loan) return;
  std::uint32_t state = loan->state.load(std::memory_order_relaxed);
  if (kind_of(state) != in_use) return;
  loan->own = take_errno();
  loan->state.store(with_kind(state, open), std::memory_order_release);
}

bool close_errno() {
  ErrnoLoan* loan = mine();
  if (!loan) return false;
  std::uint32_t state = loan->state.load(std::memory_order_acquire);
  if (kind_of(state) == in_use) return false;
  constexpr std::int64_t nap_ns = 20'000;
  for (std::int64_t since = 0; kind_of(state) != in_use; state = loan->state.load(std::memory_order_acquire)) {
    bool over = kind_of(state) == open;
    if (kind_of(state) == lent) {
      std::int64_t now = base::now_ns();
      if (!since) since = now;
      over = has_been_seen(*loan, now - since);
    }
    if (!over) sys::sleep_ns(nap_ns);
    else if (loan->state.compare_exchange_strong(state, with_kind(state, in_use), std::memory_order_acquire)) break;
  }
  put_back_errno(loan->own);
  return true;
}

void offer_errno() {
  give_errno_back();
  ErrnoLoan* loan = mine();
  if (!loan || loan->wanted.load(std::memory_order_relaxed) == 0) return;
  constexpr std::int64_t longest_ns = base::ns_per_ms, nap_ns = 20'000;
  open_errno();
  std::int64_t end = base::now_ns() + longest_ns;
  while (kind_of(loan->state.load(std::memory_order_relaxed)) == open && loan->wanted.load(std::memory_order_relaxed) > 0 &&
         base::now_ns() < end)
    sys::sleep_ns(nap_ns);
  close_errno();
}

void give_errno_back() {
  base::Thread& thread = base::self();
  auto* loan = static_cast<ErrnoLoan*>(thread.errno_borrowed);
  if (!loan) return;
  thread.errno_borrowed = nullptr;
  std::uint32_t state = thread.errno_borrowed_state;
  loan->state.compare_exchange_strong(state, with_kind(state, open), std::memory_order_release, std::memory_order_relaxed);
}

bool borrow_errno(ErrnoLoan& loan, std::int32_t tid, int error) {
  give_errno_back();
  std::uint32_t state = loan.state.load(std::memory_order_relaxed);
  if (kind_of(state) != open) return false;
  std::uint32_t next = with_kind(state, changes) + states;
  if (!loan.state.compare_exchange_strong(state, next, std::memory_order_acquire)) return false;
  // That thread may have ended, and the loan be another's.
  if (loan.tid.load(std::memory_order_relaxed) != tid) {
    loan.state.store(with_kind(next, open), std::memory_order_release);
    return false;
  }
  base::Thread& thread = base::self();
  loan.borrower.store(sys::thread_id(), std::memory_order_relaxed);
  loan.lent_ns.store(computed_ns(CLOCK_THREAD_CPUTIME_ID), std::memory_order_relaxed);
  std::atomic_ref<int>(*loan.place).store(error, std::memory_order_relaxed);
  thread.errno_borrowed = &loan;
  thread.errno_borrowed_state = with_kind(next, lent);
  loan.state.store(thread.errno_borrowed_state, std::memory_order_release);
  return true;
}

}  // namespace weir::wait
