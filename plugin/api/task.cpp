// SPDX-License-Identifier: Apache-2.0
// include/weir/task.h.
#include "weir/task.h"

#include "api/task.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>

#include "api/instance.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "path/waiting.h"
#include "pool/pool.h"
#include "sys/addresses.h"
#include "sys/process.h"
#include "sys/raw.h"
#include "wait/runtimes.h"
#include "wait/thread_waiter.h"

#define WEIR_EXPORT extern "C" __attribute__((visibility("default")))

using namespace weir;

namespace {

// As the program's threads have, unless the user said otherwise: reserved, not used. Less where addresses are limited.
std::size_t stack_bytes() {
  constexpr rlim_t usual = 8u << 20;
  if (api::settings().stack_kib > 0) return static_cast<std::size_t>(api::settings().stack_kib) << 10;
  rlimit limit{};
  if (failed(sys::raw(SYS_prlimit64, 0, RLIMIT_STACK, 0, sys::word(&limit)))) limit.rlim_cur = usual;
  return static_cast<std::size_t>(sys::stack_within_addresses(static_cast<std::int64_t>(std::min(limit.rlim_cur, usual))));
}

int start_pool() {
  if (pool::size()) return 0;
  api::prepare(environ);
  std::int64_t threads = api::settings().threads;
  int error = pool::start(static_cast<int>(threads > 0 ? threads : sys::usable_cores()), stack_bytes());
  if (!error) api::pool_started();
  return error;
}

}  // namespace

WEIR_EXPORT int weir_spawn(weir_task* task) {
  if (int error = start_pool()) return error;
  pool::spawn(task);
  return 0;
}

WEIR_EXPORT int weir_unspawn(weir_task* task) { return pool::unspawn(task); }

WEIR_EXPORT int weir_pool_size(void) {
  start_pool();
  return pool::size();
}

namespace {

// What is woken counts as ready until it goes on (path/waiting.h).
struct Aside : weir_waiter {
  Aside(weir_start_fn start_, void* argument_) : weir_waiter{wake_up}, start(start_), argument(argument_) {}
  static void begin(void* aside, weir_waiter* of_runtime) {
    auto& it = *static_cast<Aside*>(aside);
    it.inner = of_runtime;
    it.start(it.argument, &it);
  }
  static void wake_up(weir_waiter* self) {
    weir_waiter* inner = static_cast<Aside*>(self)->inner;
    meter::gauges.ready.rise();
    inner->wake(inner);
  }
  weir_start_fn start;
  void* argument;
  weir_waiter* inner = nullptr;
};

}  // namespace

bool weir::api::block_here(weir_start_fn start, void* arg) {
  const weir_runtime* runtime = wait::runtime_of(base::self().place);
  bool holds_lock = base::self().lock_depth > 0;  // the next task on this thread could want it
  if (runtime && holds_lock) pool::serve_without_me();
  if (runtime && !holds_lock && !runtime->refuses()) {
    Aside aside(start, arg);
    int refusal;
    if (path::set_aside(*runtime, Aside::begin, &aside, &refusal)) return true;
  }
  bool had_core = base::self().holds_core;
  gate::give_core();
  wait::thread_runtime.suspend(start, arg);
  if (had_core) gate::take_core();
  return had_core;
}

WEIR_EXPORT void weir_block(weir_start_fn start, void* arg) { api::block_here(start, arg); }
