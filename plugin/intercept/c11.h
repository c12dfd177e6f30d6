// SPDX-License-Identifier: Apache-2.0
// C11's mutexes and conditions: in glibc they are POSIX's by another name.
#ifndef WEIR_INTERCEPT_C11_H
#define WEIR_INTERCEPT_C11_H

#include <pthread.h>
#include <threads.h>

#include <cerrno>

namespace weir::intercept {

inline pthread_cond_t* posix(cnd_t* c) { return reinterpret_cast<pthread_cond_t*>(c); }
inline pthread_mutex_t* posix(mtx_t* m) { return reinterpret_cast<pthread_mutex_t*>(m); }
inline int c11(int error) { return !error ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error; }

}  // namespace weir::intercept

#endif
