// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::sys {

// libc's pthread_atfork. That one calls a name of libc's which the preload stands before.
void at_fork(void (*before)(), void (*in_parent)(), void (*in_child)());

}  // namespace weir::sys
