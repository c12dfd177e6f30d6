// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

// A read that blocks for so long.
static void wait_us(int us) {
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  timerfd_settime(timer, 0, &(struct itimerspec){.it_value = {0, us * 1000L}}, NULL);
  uint64_t times = 0;
  if (read(timer, &times, sizeof times) != sizeof times) abort();
  close(timer);
}
