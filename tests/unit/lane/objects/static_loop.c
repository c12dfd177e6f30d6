/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing here asks for a thread's number, but gcc's code does: for each loop once. */

long weir_test_static_loop(const int *of, int count) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < count; ++i) sum += of[i];
#pragma omp parallel
#pragma omp for nowait
  for (int i = 0; i < count; ++i) {
#pragma omp task
    __atomic_fetch_add(&sum, of[i], __ATOMIC_RELAXED);
  }
  return sum;
}
