// SPDX-License-Identifier: Apache-2.0
// The same in an arena of the program's own; then in others, of which one may stand where that stood.
// auto: parked + suspended >= 30
// park: suspended == 0 and parked >= 100 and peak_in_flight >= 4
#include "numbered.h"

int main() {
  for (int i = 0; i < 4; ++i) {
    tbb::task_arena arena;
    arena.execute(ask_at_last);
  }
}
