// SPDX-License-Identifier: Apache-2.0
#include "sys/idle.h"

namespace weir::sys {

constinit std::atomic<void (*)()> on_idle{nullptr};
constinit std::atomic<std::int32_t> idle_threads{0};

}  // namespace weir::sys
