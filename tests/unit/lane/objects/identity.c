/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>

long weir_test_identity(void) { return (long)pthread_self() + sched_getcpu(); }
