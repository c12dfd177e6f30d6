// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::api {

// The calling thread ends, and libc's part of it is all that is left. Whatever ended it: pthread_exit, thrd_exit, a cancellation.
void thread_ended();

void last_thread_after_fork();

}  // namespace weir::api
