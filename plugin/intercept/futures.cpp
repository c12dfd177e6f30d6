// SPDX-License-Identifier: Apache-2.0
// std::future's waits, as libstdc++ makes them: get(), wait() and their kin end up in two functions of its shared library
// that sleep on a word of the shared state. The ring can sleep on it as well. libstdc++ may not be here, or come later by
// dlopen where a search for the next definition does not look: then the wait is made here, which is a system call.
#include <linux/futex.h>
#include <time.h>

#include "api/instance.h"
#include "base/result.h"
#include "intercept/real.h"
#include "path/call.h"
#include "sys/raw.h"

namespace weir::intercept {
namespace {

using path::Call;
using path::Family;

// bool(this, word, expected, has a limit, its seconds, its nanoseconds): false when the time was over.
using Wait = bool(void*, unsigned*, unsigned, bool, std::int64_t, std::int64_t);
WEIR_REAL Real<Wait> real_wait{
    "_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_"
    "ILl1ELl1000000000EEEE"};
WEIR_REAL Real<Wait> real_wait_steady{
    "_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_"
    "IlS3_ILl1ELl1000000000EEEE"};

struct Wanted {
  void* self;
  unsigned* word;
  unsigned expected;
  bool limited;
  std::int64_t s, ns;
  bool steady;
};

bool own_wait(const Wanted& w) {
  timespec end{w.s, static_cast<long>(w.ns)};
  if (w.limited && w.s < 0) return false;
  int operation = FUTEX_WAIT_BITSET | (w.steady ? 0 : FUTEX_CLOCK_REALTIME);
  return sys::raw(SYS_futex, sys::word(w.word), operation, w.expected, w.limited ? sys::word(&end) : 0, 0,
                  FUTEX_BITSET_MATCH_ANY) != -ETIMEDOUT;
}

bool wait_as_bare(const Wanted& w) {
  const auto& real = w.steady ? real_wait_steady : real_wait;
  return real.pointer() ? real(w.self, w.word, w.expected, w.limited, w.s, w.ns) : own_wait(w);
}

// For path: 1 when the time was over, else 0, which is the ring's word for "woken". Where the ring's wait ended otherwise,
// the real one is made: it looks at the word and at the clock, and does not sleep.
Result waited(Call& call) { return wait_as_bare(*static_cast<const Wanted*>(call.arguments)) ? 0 : 1; }

bool wait(const Wanted& w, meter::Caller caller = {"std::future", __builtin_return_address(0)}) {
  constexpr std::int64_t ns_per_s = 1'000'000'000, far_s = 9'000'000'000;
  if (!path::concerns_us()) return wait_as_bare(w);
  op::Op operation = op::memory(w.word, w.expected);
  if (w.limited && w.s < far_s) {
    operation.timeout_ns = w.s < 0 ? 0 : w.s * ns_per_s + w.ns;
    operation.absolute = true;
    operation.clock_realtime = !w.steady;
  }
  const sys::Capabilities& can = api::capabilities();  // not known before the first wait: then the ring says no
  Call call{Family::direct};
  call.ends = wait::Ends::never;
  call.operation = can.io_uring && !can.op_futex ? nullptr : &operation;
  call.arguments = &w;
  call.real = waited;
  return path::run(call, caller) != 1;
}

}  // namespace
}  // namespace weir::intercept

using weir::intercept::wait;

// Named as libstdc++'s own, by their assembly names: the class is none of ours.
#pragma GCC visibility push(default)
extern "C" {

bool weir_future_wait(void*, unsigned*, unsigned, bool, std::int64_t, std::int64_t) __asm__(
    "_ZNSt28__atomic_futex_unsigned_base19_M_futex_wait_untilEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_IlS3_"
    "ILl1ELl1000000000EEEE");
bool weir_future_wait_steady(void*, unsigned*, unsigned, bool, std::int64_t, std::int64_t) __asm__(
    "_ZNSt28__atomic_futex_unsigned_base26_M_futex_wait_until_steadyEPjjbNSt6chrono8durationIlSt5ratioILl1ELl1EEEENS2_"
    "IlS3_ILl1ELl1000000000EEEE");

bool weir_future_wait(void* self, unsigned* word, unsigned expected, bool limited, std::int64_t s, std::int64_t ns) {
  return wait({self, word, expected, limited, s, ns, false});
}
bool weir_future_wait_steady(void* self, unsigned* word, unsigned expected, bool limited, std::int64_t s,
                             std::int64_t ns) {
  return wait({self, word, expected, limited, s, ns, true});
}

}  // extern "C"
#pragma GCC visibility pop
