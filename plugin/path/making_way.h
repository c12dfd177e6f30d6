// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::path {

// Interrupts the threads that compute in a task of oneTBB's: each of these tasks is set aside for a moment, as if it had
// yielded in vain, and a thread is free for what is ready. For where no further thread can come: a full arena. Only under
// auto, which sets tasks aside only in programs that keep nothing a thread; only in code of the program's own, and with no
// lock held that weir knows of. On the driver's thread.
void make_busy_tasks_stand_back(std::int64_t now_ns);

}  // namespace weir::path
