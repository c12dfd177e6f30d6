// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/team_room.h"

#include <cstring>

namespace weir::team {
namespace {

// A thread that works on files may have many open at a time, as one that merges them has, and a program that stays under the limit with a
// thread a core shall do so with more.
constexpr std::int64_t descriptors_a_thread = 32;

struct Variable {
  const char* name;
  const char* harmless;  // values, separated by spaces, that say nothing about sizes or spinning
  const char* reason;
};
constexpr Variable number_of_threads = {"OMP_NUM_THREADS", "", "OMP_NUM_THREADS is set"};
constexpr Variable variables[] = {
    {"OMP_DYNAMIC", "false FALSE 0", "OMP_DYNAMIC is set"},
    {"OMP_PROC_BIND", "false FALSE", "OMP_PROC_BIND is set"},
    {"OMP_PLACES", "", "OMP_PLACES is set"},
    {"KMP_AFFINITY", "none disabled", "KMP_AFFINITY is set"},
    {"GOMP_CPU_AFFINITY", "", "GOMP_CPU_AFFINITY is set"},
    {"OMP_WAIT_POLICY", "passive PASSIVE", "OMP_WAIT_POLICY is active"},
    {"KMP_BLOCKTIME", "0 0ms 0us", "KMP_BLOCKTIME lets waiting threads spin"},
    {"KMP_LIBRARY", "throughput", "KMP_LIBRARY is set"},
    {"OMP_THREAD_LIMIT", "", "OMP_THREAD_LIMIT is set"},
    {"KMP_DEVICE_THREAD_LIMIT", "", "KMP_DEVICE_THREAD_LIMIT is set"},
    {"KMP_ALL_THREADS", "", "KMP_ALL_THREADS is set"},
    {"KMP_DYNAMIC_MODE", "", "KMP_DYNAMIC_MODE is set"},
    {"OMP_DISPLAY_AFFINITY", "false FALSE 0", "OMP_DISPLAY_AFFINITY shows each thread"},
    // libomp 19: a loop with fewer iterations than threads, and teams within its pieces, runs none after one was cancelled.
    {"OMP_CANCELLATION", "false FALSE 0", "OMP_CANCELLATION is set"},
};

bool is_word_of(const char* words, const char* value) {
  std::size_t length = std::strlen(value);
  for (const char* at = words; (at = std::strstr(at, value)); at += length) {
    if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return true;
  }
  return false;
}

const char* reason_of(const Variable& variable, const char* (*get)(const char* name)) {
  const char* value = get(variable.name);
  return value && *value && !is_word_of(variable.harmless, value) ? variable.reason : nullptr;
}

}  // namespace

std::int64_t widest_team(const Limits& limits) {
  std::int64_t widest = limits.cores + limits.permits;
  if (limits.stand_ins < widest) widest = limits.stand_ins;
  if (limits.descriptors / descriptors_a_thread < widest) widest = limits.descriptors / descriptors_a_thread;
  if (widest - limits.cores > limits.more_by_memory) widest = limits.cores + limits.more_by_memory;
  return widest > limits.cores ? widest : limits.cores;
}

const char* number_in_environment(const char* (*get)(const char* name)) { return reason_of(number_of_threads, get); }

const char* environment_keeps_out(const char* (*get)(const char* name)) {
  for (const Variable& variable : variables) {
    if (const char* reason = reason_of(variable, get)) return reason;
  }
  return nullptr;
}

}  // namespace weir::team
