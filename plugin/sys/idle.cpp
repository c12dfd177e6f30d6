// SPDX-License-Identifier: Apache-2.0
#include "sys/idle.h"

namespace weir::sys {

constinit std::atomic<void (*)()> on_idle{nullptr};
constinit std::atomic<std::uint64_t> idle_state{0};

}  // namespace weir::sys
