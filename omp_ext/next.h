// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace weir::omp {

// The definition of `name` behind ours: of the next object in the loader's order, or, where the OpenMP runtime was opened
// for somebody's private use, of any object that has one. Looked up anew each time: keep it. nullptr: there is none.
void* next_definition(const char* name);

// One function behind ours, looked up when first used: what a wrapper falls back on.
template <typename F>
class Next {
 public:
  constexpr explicit Next(const char* name) : name_(name) {}
  F* get() {
    void* found = found_.load(std::memory_order_relaxed);
    if (!found) found_.store(found = next_definition(name_), std::memory_order_relaxed);
    return reinterpret_cast<F*>(found);
  }
  template <typename... A>
  auto operator()(A... a) { return get()(a...); }

 private:
  const char* name_;
  std::atomic<void*> found_{nullptr};
};

}  // namespace weir::omp
