// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/self_test.h"

#include "omp_ext/libomp.h"

namespace weir::omp {
namespace {

// What the trial task finds in its shareds.
struct Trial {
  int runs = 0;
  int ends = 0;           // its destructors ran: libomp took it for ended
  int ends_when_resumed = -1;
};
constinit Trial trial;
constexpr long mark = 0x77656972;

std::int32_t trial_routine(std::int32_t gtid, KmpTask* task) {
  if (*static_cast<long*>(task->shareds) != mark) return 0;
  if (++trial.runs == 1) {
    libomp().task_begin_if0(nullptr, gtid, task);
    return 0;
  }
  trial.ends_when_resumed = trial.ends;
  libomp().task_complete_if0(nullptr, gtid, task);
  return 0;
}

std::int32_t trial_end(std::int32_t, void*) { return ++trial.ends; }

}  // namespace

bool suspension_works() {
  const Libomp& l = libomp();
  trial = Trial{};
  std::int32_t gtid = l.global_thread_num(nullptr);
  KmpTask* task = l.task_alloc(nullptr, gtid, flag_destructors, sizeof(KmpTask), sizeof(long), trial_routine);
  *static_cast<long*>(task->shareds) = mark;
  task->data1.destructors = trial_end;
  // Outside a parallel region a task is serial: both calls run it before they return.
  l.task(nullptr, gtid, task);
  if (trial.runs != 1 || trial.ends) return false;
  l.task(nullptr, gtid, task);
  return trial.runs == 2 && trial.ends == 1 && trial.ends_when_resumed == 0;
}

}  // namespace weir::omp
