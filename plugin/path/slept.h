// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::path {

// How long a call waited. Most that block do nothing else. But where the kernel works for the caller, as it does to make a file, that
// its thread computes is no wait, nor that others have its core meanwhile: only that it sleeps is.
class Slept {
 public:
  // Begins before the call, on its thread. `may_work`: not all of it need be a wait; that costs three system calls.
  Slept(bool may_work, std::int64_t began_ns);
  std::int64_t ns(std::int64_t ended_ns) const;

 private:
  bool may_work_;
  std::int64_t began_ns_, cpu_ns_ = 0, sleeps_ = 0;
};

}  // namespace weir::path
