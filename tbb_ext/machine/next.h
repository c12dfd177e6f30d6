// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cerrno>

#include "base/result.h"

namespace weir::tbb {

// The next definition of a name in the program's order of look-up. dlsym allocates nothing for a name that exists.
inline void* next_of(const char* name) { return dlsym(RTLD_NEXT, name); }

// The definition that would have been called without us: of a libc name; of others as `find` finds them.
template <typename F, void* (*find)(const char*) = next_of>
class Next;

template <typename R, typename... A, void* (*find)(const char*)>
class Next<R(A...), find> {
 public:
  using Function = R (*)(A...);
  explicit constexpr Next(const char* name) : name_(name) {}

  // Looks it up if that was not done yet.
  Function function() {
    Function found = known();
    if (!found) [[unlikely]] function_.store(found = reinterpret_cast<Function>(find(name_)), std::memory_order_relaxed);
    return found;
  }
  R operator()(A... arguments) { return function()(arguments...); }

  // Without looking it up: nullptr before our constructor ran. An allocator may call mmap from within dlsym.
  Function known() const { return function_.load(std::memory_order_relaxed); }

 private:
  const char* name_;
  std::atomic<Function> function_{nullptr};
};

// The edge of the calls that we make in libc's stead: value or -errno becomes value or -1 and errno. Out of line, so that
// no caller keeps errno's address.
[[gnu::noinline]] long libc_result(Result result);

}  // namespace weir::tbb
