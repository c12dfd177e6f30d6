// SPDX-License-Identifier: Apache-2.0
#include "path/slept.h"

#include "sys/process.h"

namespace weir::path {

Slept::Slept(bool may_work, std::int64_t began_ns) : may_work_(may_work), began_ns_(began_ns) {
  if (!may_work) return;
  sleeps_ = sys::thread_sleeps();
  cpu_ns_ = sys::thread_cpu_ns();
}

std::int64_t Slept::ns(std::int64_t ended_ns) const {
  constexpr std::int64_t nothing_ns = 2'000;  // so long the clocks may be apart
  std::int64_t took_ns = ended_ns - began_ns_;
  if (!may_work_) return took_ns;
  std::int64_t without_core_ns = took_ns - (sys::thread_cpu_ns() - cpu_ns_);
  if (without_core_ns < nothing_ns) return 0;
  // It may have been ready all the while. (Where the kernel counts no sleeps, nobody knows.)
  return sleeps_ && sys::thread_sleeps() == sleeps_ ? 0 : without_core_ns;
}

}  // namespace weir::path
