// SPDX-License-Identifier: Apache-2.0
// However a program asks for the number of threads, it is told what it would be without weir: also of an arena that was
// made or attached to, after a call has waited, and while a global_control stands and after it.
// suspend: suspended >= 30
// park: parked >= 30
// auto: suspended + parked >= 30
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "case.h"

namespace {

using tbb::global_control;

void show(const char* when) {
  tbb::task_arena made, attached{tbb::task_arena::attach{}};
  made.initialize();
  std::printf("%s: default %d, arena %d, attached %d, here %d, allowed %zu\n", when,
              tbb::info::default_concurrency(), made.max_concurrency(), attached.max_concurrency(),
              tbb::this_task_arena::max_concurrency(), global_control::active_value(global_control::max_allowed_parallelism));
}

void read_in_tasks() {
  tbb::parallel_for(0, 20, [](int) { check(wait_ms(2), "a timer"); });
}

}  // namespace

int main() {
  show("at first");
  read_in_tasks();
  show("after calls");
  {
    global_control eight(global_control::max_allowed_parallelism, 8);
    show("with a control");
    read_in_tasks();
  }
  show("after the control");
  // libtbb warns of what a control does not allow, but for what is there by default: however it is asked for.
  {
    global_control one(global_control::max_allowed_parallelism, 1);
    show("with fewer");
    tbb::task_arena said(tbb::info::default_concurrency());
    said.execute(read_in_tasks);
  }
  {
    global_control one(global_control::max_allowed_parallelism, 1);
    tbb::task_arena more(tbb::info::default_concurrency() + 1);
    more.initialize();
  }
}
