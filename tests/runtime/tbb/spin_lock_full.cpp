// SPDX-License-Identifier: Apache-2.0
// As spin_lock_unseen, in an arena of the program's own that is full: no further thread can come for the holder, so those
// that spin are interrupted for it.
// auto WEIR_WATCHDOG_MS=20: suspended >= 1 and lane == 'suspend'
// park: suspended == 0 and parked >= 30
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>

#include "case.h"

namespace {

UnseenLock lock;
int inside = 0, violations = 0;
std::atomic<int> wrong{0};

// The program has tiny numbers flushed to zero; so must be who goes on in an interrupted task's place.
constexpr unsigned flush_to_zero = 0x8000;
bool flushes() { return __builtin_ia32_stmxcsr() & flush_to_zero; }

void hold() {
  if (!flushes()) ++wrong;
  lock.lock();
  if (inside++) ++violations;
  wait_ms(1);
  if (!flushes()) ++wrong;
  --inside;
  lock.unlock();
}

}  // namespace

int main() {
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | flush_to_zero);
  tbb::task_arena arena(2);
  arena.execute([] {
    tbb::task_group_context alone(tbb::task_group_context::isolated);  // takes the numbers' settings as they are
    tbb::parallel_for(0, 20, [](int) { hold(); }, alone);
  });
  arena.execute([] {
    tbb::task_group group;
    for (int i = 0; i < 20; ++i) group.run(hold);
    group.wait();
  });
  std::printf("%d violations, %d wrong\n", violations, wrong.load());
}
