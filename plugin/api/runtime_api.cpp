// SPDX-License-Identifier: Apache-2.0
// include/weir/runtime.h, for the runtimes that live in libraries of their own.
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "api/instance.h"
#include "base/settings.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "path/yielding.h"
#include "wait/runtimes.h"
#include "weir/runtime.h"

#define WEIR_EXPORT extern "C" __attribute__((visibility("default")))

using namespace weir;

WEIR_EXPORT int weir_runtime_register(const weir_runtime* runtime, std::uint32_t place_bits) {
  api::after_load();  // it may have come with a library that was not there at the start
  return wait::add_runtime(runtime, place_bits);
}

WEIR_EXPORT void weir_place_enter(std::uint32_t place_bit) { base::self().place |= place_bit; }
WEIR_EXPORT void weir_place_leave(std::uint32_t place_bit) { base::self().place &= ~place_bit; }

WEIR_EXPORT void weir_core_take(void) { gate::take_core(); }
WEIR_EXPORT void weir_core_give(void) { gate::give_core(); }

WEIR_EXPORT int weir_stand_back(std::int64_t since_ns) { return path::others_are_aside() && path::stand_back_in_wait(since_ns); }

WEIR_EXPORT std::int64_t weir_setting_number(const char* variable) {
  const base::Settings& s = api::settings();
  struct Number {
    const char* variable;
    std::int64_t value;
  };
  const Number numbers[] = {
      {"WEIR_THREADS", s.threads},       {"WEIR_PERMITS", s.permits},
      {"WEIR_MAX_PERMITS", s.max_permits}, {"WEIR_STAND_INS", s.stand_ins},
      {"WEIR_OMP_TEAMS", static_cast<std::int64_t>(s.omp_teams)},
      {"WEIR_OMP_COUNT", static_cast<std::int64_t>(s.omp_count)},
      {"WEIR_MAX_SUSPENDED", s.max_suspended}, {"WEIR_STACK_KIB", s.stack_kib},
      {"WEIR_GATE_WAIT_MS", s.gate_wait_ms},   {"WEIR_WATCHDOG_MS", s.watchdog_ms}};
  for (const Number& n : numbers)
    if (!std::strcmp(n.variable, variable)) return n.value;
  return -EINVAL;
}
