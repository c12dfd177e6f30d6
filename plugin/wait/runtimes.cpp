// SPDX-License-Identifier: Apache-2.0
#include "wait/runtimes.h"

#include <atomic>
#include <cerrno>

namespace weir::wait {
namespace {

struct Row {
  std::atomic<std::uint32_t> bits{0};  // release-published after `runtime`; 0: free
  const weir_runtime* runtime = nullptr;
  std::atomic<bool> taken{false};
};
constexpr int rows = 8;
constinit Row table[rows];

}  // namespace

int add_runtime(const weir_runtime* runtime, std::uint32_t place_bits) {
  if (!runtime || runtime->version != WEIR_RUNTIME_VERSION || !place_bits) return -EINVAL;
  for (Row& row : table) {
    if (row.taken.exchange(true, std::memory_order_acq_rel)) continue;
    row.runtime = runtime;
    row.bits.store(place_bits, std::memory_order_release);
    return 0;
  }
  return -ENOSPC;
}

const weir_runtime* runtime_of(std::uint32_t place_bits) {
  for (Row& row : table) {
    std::uint32_t bits = row.bits.load(std::memory_order_acquire);
    if (!bits) return nullptr;
    if (bits & place_bits) return row.runtime;
  }
  return nullptr;
}

}  // namespace weir::wait
