// SPDX-License-Identifier: Apache-2.0
#include "intercept/handlers.h"

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/thread.h"
#include "sys/raw.h"
#include "wait/errno_loan.h"
#include "wait/lane.h"

namespace weir::intercept {
namespace {

constexpr int room = 64;
using Action = void (*)(int, siginfo_t*, void*);

// A slot is filled once, before its stand-in is first installed, and never changes.
constinit std::atomic<void*> programs[room];

constinit std::atomic<std::uint64_t> handled{0};  // one bit a signal
constinit std::atomic<std::uint64_t> without_restart{0};

std::uint64_t bit_of(int signal) { return 1ull << (signal - 1); }

// The kernel hands three arguments to every handler on x86-64; one that takes one does not look at the others.
template <int slot>
void stand_in(int signal, siginfo_t* info, void* context) {
  base::Thread& thread = base::self();
  void* outer = thread.signal_frame;
  thread.signal_frame = __builtin_frame_address(0);
  ++thread.signal_depth;
  ++thread.handlers_run;
  bool lends_errno = wait::close_errno();  // if this thread waits
  if (without_restart.load(std::memory_order_relaxed) & bit_of(signal)) ++thread.waits_ended;
  reinterpret_cast<Action>(programs[slot].load(std::memory_order_relaxed))(signal, info, context);
  // A handler that leaves by siglongjmp does not come here: base::in_signal_handler() notices by the frame's address.
  base::Thread& now = base::self();
  if (now.signal_depth > 0) --now.signal_depth;
  now.signal_frame = outer;
  if (lends_errno) wait::open_errno();
}

template <int... slot>
constexpr auto make_stand_ins(std::integer_sequence<int, slot...>) {
  struct Table {
    Action at[room];
  };
  return Table{{stand_in<slot>...}};
}
constexpr auto stand_ins = make_stand_ins(std::make_integer_sequence<int, room>());

Handler as_handler(Action action) { return reinterpret_cast<Handler>(reinterpret_cast<void*>(action)); }

bool is_function(Handler handler) {
  return handler != SIG_DFL && handler != SIG_IGN && handler != SIG_ERR && handler != SIG_HOLD;
}

// What comes from a fault of the thread's own, or from abort: no program waits for it in a read.
bool is_fault(int signal) {
  switch (signal) {
    case SIGSEGV: case SIGBUS: case SIGFPE: case SIGILL: case SIGTRAP: case SIGSYS: case SIGABRT: return true;
    default: return false;
  }
}

struct KernelAction {
  Handler handler;
  unsigned long flags;
  void (*restorer)();
  std::uint64_t mask;
};

void set_bit(std::atomic<std::uint64_t>& bits, int signal, bool on) {
  if (on) bits.fetch_or(bit_of(signal), std::memory_order_relaxed);
  else bits.fetch_and(~bit_of(signal), std::memory_order_relaxed);
}

}  // namespace

Handler stand_in_for(Handler handler) {
  if (!is_function(handler)) return handler;
  auto* address = reinterpret_cast<void*>(handler);
  for (int i = 0; i < room; ++i) {
    void* there = programs[i].load(std::memory_order_relaxed);
    if (!there && programs[i].compare_exchange_strong(there, address, std::memory_order_relaxed)) there = address;
    if (there == address) return as_handler(stand_ins.at[i]);
  }
  return handler;
}

Handler handler_behind(Handler installed) {
  for (int i = 0; i < room; ++i)
    if (as_handler(stand_ins.at[i]) == installed)
      return reinterpret_cast<Handler>(programs[i].load(std::memory_order_relaxed));
  return installed;
}

void note_disposition(int signal) {
  // A child of vfork changes its own dispositions in its parent's memory: they are none of the parent's.
  if (base::self().engine_depth || is_fault(signal) || signal < 1 || signal > 64) return;
  KernelAction now{};
  if (failed(sys::raw(SYS_rt_sigaction, signal, 0, sys::word(&now), sizeof now.mask))) return;
  bool function = is_function(now.handler);
  set_bit(handled, signal, function);
  set_bit(without_restart, signal, function && !(now.flags & SA_RESTART));
  wait::policy.handled.store(handled.load() != 0, std::memory_order_relaxed);
  wait::policy.interruptible.store(without_restart.load() != 0, std::memory_order_relaxed);
}

}  // namespace weir::intercept
