/* SPDX-License-Identifier: Apache-2.0 */
/* matrix waits: did the lane take effect? Only calls whose data come 2 ms after they are made, one case at a time, so that
 * weir's counters tell how each of them was waited for. A line each: name | kind | suspended, parked, plain, or
 * "did not wait", where it failed or had nothing to wait for. */
#pragma once

#include <dlfcn.h>

#include "../../include/weir/weir.h"

/* The context runs the cases one after the other then; it defines this. */
extern int the_effect;

static inline struct weir_statistics waits_so_far(void) {
  struct weir_statistics now = {.size = sizeof now};
  int (*ask)(struct weir_statistics *) = (int (*)(struct weir_statistics *))dlsym(RTLD_DEFAULT, "weir_statistics_get");
  if (the_effect && ask) ask(&now);
  return now;
}

static inline const char *how_it_waited(const struct weir_statistics *before) {
  struct weir_statistics now = waits_so_far();
  return now.suspended > before->suspended ? "suspended" : now.parked > before->parked ? "parked" : "plain";
}
