// SPDX-License-Identifier: Apache-2.0
// include/weir/iopa.h: what the four calls promise, in front of the pool.
#include "weir/iopa.h"

#include <unistd.h>

#include <cerrno>

#include "api/instance.h"
#include "api/iopa_pool.h"

#define WEIR_EXPORT extern "C" __attribute__((visibility("default")))

using namespace weir;

namespace {

bool is_sound(const IOPA_Config& c) {
  constexpr int most = 1 << 16;
  for (int n : {c.cores, c.min_threads, c.max_threads, c.init_thread_num, c.fastmode_thread_num})
    if (n < 0 || n > most) return false;
  if (c.previous_average_num < 0 || c.previous_average_num > 16) return false;
  if (c.max_threads > 0 && c.min_threads > c.max_threads) return false;
  for (double x : {c.increase_threshold, c.decrease_threshold, c.fast_cycle_s, c.normal_cycle_s, c.hold_cycle_s})
    if (!(x >= 0 && x < 1e6)) return false;
  return c.algorithm == IOPA_ALGORITHM_WEIR || c.algorithm == IOPA_ALGORITHM_PUBLISHED;
}

}  // namespace

WEIR_EXPORT int IOPA_Init(const IOPA_Config* config) {
  if (config && (config->size != sizeof(IOPA_Config) || !is_sound(*config))) return -EINVAL;
  api::prepare(environ);
  IOPA_Config copy = config ? *config : IOPA_Config{};
  return api::iopa_pool.open(copy);
}

WEIR_EXPORT int IOPA_CreateThreads(IOPA_ThreadFn fn, void* arg, const char* const* files, size_t count) {
  if (!api::iopa_pool.is_open()) return -EPERM;
  if (!fn || !files || !count) return -EINVAL;
  for (size_t i = 0; i < count; ++i)
    if (!files[i]) return -EINVAL;
  return api::iopa_pool.run(fn, arg, files, count);
}

WEIR_EXPORT const char* IOPA_NextFile(void) { return api::iopa_pool.next_file(); }

WEIR_EXPORT int IOPA_WaitComplete(void) {
  if (!api::iopa_pool.is_open()) return -EPERM;
  if (api::IopaPool::inside()) return -EDEADLK;
  return api::iopa_pool.wait();
}

WEIR_EXPORT int IOPA_Close(void) {
  if (!api::iopa_pool.is_open()) return -EPERM;
  if (api::IopaPool::inside()) return -EDEADLK;
  return api::iopa_pool.close();
}
