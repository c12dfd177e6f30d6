// SPDX-License-Identifier: Apache-2.0
// A spin lock that neither yields nor calls anything, held over calls: nobody can see who spins for it, or that it is held.
// With its holder set aside and a spinning task on every thread, further threads come for the holder.
// auto WEIR_WATCHDOG_MS=20: suspended >= 1 and lane == 'suspend'
// suspend WEIR_WATCHDOG_MS=20: suspended >= 1
// park: suspended == 0 and parked >= 30
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include "case.h"

namespace {

UnseenLock lock;
int inside = 0, violations = 0;

void hold() {
  lock.lock();
  if (inside++) ++violations;
  wait_ms(1);
  --inside;
  lock.unlock();
}

}  // namespace

int main() {
  tbb::parallel_for(0, 20, [](int) { hold(); });
  tbb::task_group group;
  for (int i = 0; i < 20; ++i) group.run(hold);
  group.wait();
  std::printf("%d violations\n", violations);
}
