// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <atomic>

#include "tbb_ext/machine/libtbb.h"

namespace weir::tbb {

// One of libtbb's entry points, past our own of that name: the next definition in the program's order of look-up; for a
// libtbb that came by dlopen, out of everybody's sight but its loader's, that libtbb's own.
template <typename F>
class Entry;

template <typename R, typename... A>
class Entry<R(A...)> {
 public:
  using Function = R (*)(A...);
  explicit constexpr Entry(const char* name) : name_(name) {}

  Function function() {
    Function found = function_.load(std::memory_order_relaxed);
    if (!found) [[unlikely]] function_.store(found = find(), std::memory_order_relaxed);
    return found;
  }
  R operator()(A... arguments) { return function()(arguments...); }

 private:
  Function find() const {
    void* found = dlsym(RTLD_NEXT, name_);
    return reinterpret_cast<Function>(found ? found : libtbb_name(name_));
  }
  const char* name_;
  std::atomic<Function> function_{nullptr};
};

}  // namespace weir::tbb
