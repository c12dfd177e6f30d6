// SPDX-License-Identifier: Apache-2.0
// Each case in a oneTBB task of its own.
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

extern "C" int the_effect;
int the_effect;

extern "C" void each(int count, void (*body)(int)) {
  oneapi::tbb::task_arena arena(4);
  arena.execute([=] {
    oneapi::tbb::task_group group;
    for (int i = 0; i < count; ++i) {
      group.run([=] { body(i); });
      if (the_effect) group.wait();
    }
    group.wait();
  });
}
