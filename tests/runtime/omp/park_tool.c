/* SPDX-License-Identifier: Apache-2.0 */
/* A user's own OpenMP tool, as a library: says on stdout that it was started, and how many tasks it was told of. */
#include <omp-tools.h>
#include <stdio.h>

static int tasks;

static void task_create(ompt_data_t *by, const ompt_frame_t *frame, ompt_data_t *task, int flags, int dependences,
                        const void *place) {
  (void)by, (void)frame, (void)task, (void)dependences, (void)place;
  if (flags & ompt_task_explicit) __atomic_fetch_add(&tasks, 1, __ATOMIC_RELAXED);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)device, (void)data;
  ((ompt_set_callback_t)lookup("ompt_set_callback"))(ompt_callback_task_create, (ompt_callback_t)task_create);
  puts("the user's tool");
  fflush(stdout);
  return 1;
}
static void finalize(ompt_data_t *data) {
  (void)data;
  printf("%d tasks\n", tasks);
  fflush(stdout);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
