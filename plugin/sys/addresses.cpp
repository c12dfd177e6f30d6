// SPDX-License-Identifier: Apache-2.0
#include "sys/addresses.h"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>

#include "sys/raw.h"

namespace weir::sys {
namespace {

constexpr std::int64_t unlimited = std::int64_t{1} << 60;
constexpr std::int64_t share = 16;  // each of the two has so small a part

// A thread's stack, and what malloc sets apart for it.
constexpr std::int64_t of_a_thread = (8 + 64) << 20;

constinit std::atomic<std::int64_t> taken{0};

std::int64_t limit() {
  std::int64_t least = unlimited;
  for (int resource : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit now{};
    if (failed(raw(SYS_prlimit64, 0, resource, 0, word(&now)))) continue;
    if (now.rlim_cur < static_cast<rlim_t>(least)) least = static_cast<std::int64_t>(now.rlim_cur);
  }
  return least;
}

}  // namespace

bool addresses_are_limited() { return limit() < unlimited; }

std::int64_t take_stacks(std::int64_t wanted, std::int64_t bytes) {
  std::int64_t most = limit();
  if (most == unlimited) return wanted;
  most /= share;
  std::int64_t before = taken.load(std::memory_order_relaxed), count;
  do {
    count = std::min(wanted, (most - before) / bytes);
    if (count <= 0) return 0;
  } while (!taken.compare_exchange_weak(before, before + count * bytes, std::memory_order_relaxed));
  return count;
}

void give_back_stacks(std::int64_t count, std::int64_t bytes) {
  if (addresses_are_limited()) taken.fetch_sub(count * bytes, std::memory_order_relaxed);
}

std::int64_t stack_within_addresses(std::int64_t usual) {
  constexpr std::int64_t many = 64, least = 256 << 10;
  return std::min(usual, std::max(least, limit() / share / many));
}

void addresses_after_fork() { taken.store(0, std::memory_order_relaxed); }

std::int64_t threads_within_addresses() { return limit() / share / of_a_thread; }

}  // namespace weir::sys
