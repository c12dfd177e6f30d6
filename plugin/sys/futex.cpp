// SPDX-License-Identifier: Apache-2.0
#include "sys/futex.h"

#include <linux/futex.h>
#include <time.h>

#include "sys/raw.h"
#include "sys/wakes.h"

namespace weir::sys {

Result futex_wait(std::atomic<std::uint32_t>& word_, std::uint32_t expected, std::int64_t timeout_ns) {
  send_wakes();
  timespec t{static_cast<time_t>(timeout_ns / 1'000'000'000), static_cast<long>(timeout_ns % 1'000'000'000)};
  return raw(SYS_futex, word(&word_), FUTEX_WAIT_PRIVATE, expected, timeout_ns < 0 ? 0 : word(&t));
}

void futex_wake(std::atomic<std::uint32_t>& word_, int count) {
  raw(SYS_futex, word(&word_), FUTEX_WAKE_PRIVATE, count);
}

}  // namespace weir::sys
