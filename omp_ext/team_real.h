// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace weir::team {

// The definition behind ours: of the next object in the loader's order, or, where the OpenMP runtime was opened for
// somebody's private use, of any object that has one. nullptr: there is none.
void* next_definition(const char* name);

// One function of the OpenMP runtime; looked up when first used.
template <typename F>
class Real {
 public:
  constexpr explicit Real(const char* name) : name_(name) {}
  F* get() {
    void* found = found_.load(std::memory_order_relaxed);
    if (!found) found_.store(found = next_definition(name_), std::memory_order_relaxed);
    return reinterpret_cast<F*>(found);
  }

 private:
  const char* name_;
  std::atomic<void*> found_{nullptr};
};

}  // namespace weir::team
