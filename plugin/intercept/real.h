// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace weir::intercept {

// The next definition of a name that we interpose: what the program would have called without us.
//
// Objects of this kind are constant-initialized and stand in one section, so that start.cpp can find them all before the
// program has threads. A call that comes earlier, from a constructor that runs before ours, looks its name up itself;
// dlsym allocates nothing for a name that exists.
struct Name {
  const char* name;
  mutable std::atomic<void*> function{nullptr};  // relaxed: whoever looks it up finds the same
};

// Looks one name up, or all of them. A name that this libc does not have stays null.
void* resolve(const Name& name);
void resolve_all();

template <typename F>
class Real;

template <typename R, typename... A>
class Real<R(A...)> : public Name {
 public:
  explicit constexpr Real(const char* symbol) : Name{symbol} {}
  R operator()(A... arguments) const { return pointer()(arguments...); }
  // Null until it was looked up.
  auto known() const -> R (*)(A...) { return reinterpret_cast<R (*)(A...)>(function.load(std::memory_order_relaxed)); }
  auto pointer() const -> R (*)(A...) {
    void* found = function.load(std::memory_order_relaxed);
    if (!found) [[unlikely]] found = resolve(*this);
    return reinterpret_cast<R (*)(A...)>(found);
  }
};

template <typename R, typename... A>
class Real<R(A..., ...)> : public Name {
 public:
  explicit constexpr Real(const char* symbol) : Name{symbol} {}
  template <typename... More>
  R operator()(A... arguments, More... more) const {
    void* found = function.load(std::memory_order_relaxed);
    if (!found) [[unlikely]] found = resolve(*this);
    return reinterpret_cast<R (*)(A..., ...)>(found)(arguments..., more...);
  }
};

}  // namespace weir::intercept

// Where a Real stands. (An attribute, hence a macro: a template cannot put its instances into a section.)
#define WEIR_REAL [[gnu::section("weir_reals"), gnu::used]] static constinit const
