// SPDX-License-Identifier: Apache-2.0
// C++: the guard of a function's static, held while it is initialized: a lock like the others. Its functions belong to the
// C++ run time, which may not be here, or come later by dlopen where a search for the next definition does not look.
#include <dlfcn.h>

#include <atomic>
#include <cstdint>

#include "base/thread.h"
#include "intercept/real.h"
#include "sys/futex.h"

namespace weir::intercept {
namespace {

using Guard = std::uint64_t;

struct Guards {
  int (*acquire)(Guard*);
  void (*release)(Guard*);
  void (*abort)(Guard*);
};

// For C++ code without a C++ run time anywhere in sight: the Itanium ABI's guard over a futex.
// The word: 0 fresh, 1 done (what compiled code looks at), begun while one thread initializes, begun|awaited.
constexpr std::uint32_t done = 1, begun = 1 << 8, awaited = 1 << 16;

std::atomic<std::uint32_t>& word_of(Guard* guard) { return *reinterpret_cast<std::atomic<std::uint32_t>*>(guard); }

int own_acquire(Guard* guard) {
  std::atomic<std::uint32_t>& word = word_of(guard);
  while (true) {
    std::uint32_t seen = 0;
    if (word.compare_exchange_strong(seen, begun, std::memory_order_acq_rel, std::memory_order_acquire)) return 1;
    if (seen == done) return 0;
    if (!(seen & awaited) && !word.compare_exchange_strong(seen, seen | awaited)) continue;
    sys::futex_wait(word, begun | awaited);
  }
}

void own_end(Guard* guard, std::uint32_t state) {
  if (word_of(guard).exchange(state, std::memory_order_acq_rel) & awaited) sys::futex_wake(word_of(guard), 1 << 30);
}

constexpr Guards own = {own_acquire, [](Guard* g) { own_end(g, done); }, [](Guard* g) { own_end(g, 0); }};

Guards found_in(void* where) {
  return {reinterpret_cast<int (*)(Guard*)>(dlsym(where, "__cxa_guard_acquire")),
          reinterpret_cast<void (*)(Guard*)>(dlsym(where, "__cxa_guard_release")),
          reinterpret_cast<void (*)(Guard*)>(dlsym(where, "__cxa_guard_abort"))};
}

// The library keeps its place: what we found in it will be called for as long as the process lives.
Guards find() {
  Guards next = found_in(RTLD_NEXT);
  if (next.acquire && next.release && next.abort) return next;
  for (const char* library : {"libstdc++.so.6", "libc++abi.so.1"}) {
    void* loaded = dlopen(library, RTLD_NOLOAD | RTLD_LAZY);
    if (!loaded) continue;
    next = found_in(loaded);
    if (next.acquire && next.release && next.abort) return next;
  }
  return own;
}

//   open --one thread--> filling --> filled: `chosen` is readable (release, acquire)
// Whoever comes meanwhile looks for itself and finds the same.
enum : int { open, filling, filled };
constinit std::atomic<int> choice{open};
constinit Guards chosen{};

Guards guards() {
  if (choice.load(std::memory_order_acquire) == filled) return chosen;
  Guards now = find();
  int before = open;
  if (choice.compare_exchange_strong(before, filling)) {
    chosen = now;
    choice.store(filled, std::memory_order_release);
  }
  return now;
}

void ended() {
  std::int32_t& depth = base::self().lock_depth;
  if (depth > 0) --depth;
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" {

int __cxa_guard_acquire(std::uint64_t* guard) noexcept {
  int mine = guards().acquire(guard);
  if (mine) ++base::self().lock_depth;
  return mine;
}

void __cxa_guard_release(std::uint64_t* guard) noexcept {
  guards().release(guard);
  ended();
}

void __cxa_guard_abort(std::uint64_t* guard) noexcept {
  guards().abort(guard);
  ended();
}

}  // extern "C"
#pragma GCC visibility pop
