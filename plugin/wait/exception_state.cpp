// SPDX-License-Identifier: Apache-2.0
#include "wait/exception_state.h"

#include <dlfcn.h>

#include <atomic>

namespace weir::wait {
namespace {

// __cxa_eh_globals of the Itanium C++ ABI, as libstdc++ and libc++abi lay it out.
struct Globals {
  void* caught;
  unsigned uncaught;
};
using GetGlobals = Globals* (*)();

// A C++ run time may come by dlopen, so "none" is asked again, but not at every switch: dlsym takes the loader's lock.
constexpr unsigned ask_again_every = 1024;

GetGlobals accessor() {
  static std::atomic<GetGlobals> found{nullptr};
  static std::atomic<unsigned> to_skip{0};
  GetGlobals get = found.load(std::memory_order_acquire);
  if (get) return get;
  // Until one was told "none", everybody asks: a thread that took another's asking for an answer would leave its
  // exceptions behind. Relaxed, and not exact: a few more or fewer are skipped.
  if (unsigned left = to_skip.load(std::memory_order_relaxed)) {
    to_skip.store(left - 1, std::memory_order_relaxed);
    return nullptr;
  }
  get = reinterpret_cast<GetGlobals>(dlsym(RTLD_DEFAULT, "__cxa_get_globals"));
  if (get) found.store(get, std::memory_order_release);
  else to_skip.store(ask_again_every, std::memory_order_relaxed);
  return get;
}

// Called through a pointer and out of line: the answer is this thread's, and must not be kept over a switch.
__attribute__((noinline)) Globals* of_this_thread() {
  GetGlobals get = accessor();
  return get ? get() : nullptr;
}

}  // namespace

void ExceptionState::take() {
  Globals* globals = of_this_thread();
  if (!globals) return;
  caught_ = globals->caught;
  uncaught_ = globals->uncaught;
  globals->caught = nullptr;
  globals->uncaught = 0;
}

void ExceptionState::put_back() const {
  if (empty()) return;
  Globals* globals = of_this_thread();
  globals->caught = caught_;
  globals->uncaught = uncaught_;
}

}  // namespace weir::wait
