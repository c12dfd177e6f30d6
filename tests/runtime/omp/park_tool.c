/* SPDX-License-Identifier: Apache-2.0 */
/* A user's own OpenMP tool, as a library: says on stdout that it was started. */
#include <omp-tools.h>
#include <stdio.h>

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data) {
  (void)lookup, (void)device, (void)data;
  puts("the user's tool");
  fflush(stdout);
  return 1;
}
static void finalize(ompt_data_t *data) { (void)data; }

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime) {
  (void)version, (void)runtime;
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}
