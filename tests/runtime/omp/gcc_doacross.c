// SPDX-License-Identifier: Apache-2.0
// Loops by gcc whose iterations wait for earlier ones.
#include <stdio.h>

enum { n = 40 };

static void one_loop(void) {
  static int at[n];
#pragma omp for ordered(1) schedule(dynamic)
  for (int i = 0; i < n; i++) {
#pragma omp ordered depend(sink : i - 1)
    at[i] = i ? at[i - 1] + i : 0;
#pragma omp ordered depend(source)
  }
#pragma omp single
  printf("one: %d\n", at[n - 1]);
}

static void loops(void) {
  static long at[n][n][8];
#pragma omp for ordered(3) schedule(static, 1)
  for (unsigned long i = 1; i < n; i++)
    for (unsigned long j = 1; j < n; j++)
      for (unsigned long k = 0; k < 8; k++) {
#pragma omp ordered depend(sink : i - 1, j - 1, k) depend(sink : i - 1, j, k)
        at[i][j][k] = at[i - 1][j][k] + at[i - 1][j - 1][k] + 1;
        at[i][j][k] %= 1000003;
#pragma omp ordered depend(source)
      }
#pragma omp single
  printf("three: %ld\n", at[n - 1][n - 2][7]);
}

static void many_loops(void) {
  static int count;
#pragma omp for ordered(8)
  for (int a = 1; a < 9; a++)
    for (int b = 0; b < 2; b++)
      for (int c = 0; c < 2; c++)
        for (int d = 0; d < 2; d++)
          for (int e = 0; e < 2; e++)
            for (int f = 0; f < 2; f++)
              for (int g = 0; g < 2; g++)
                for (int h = 0; h < 2; h++) {
#pragma omp ordered depend(sink : a - 1, b, c, d, e, f, g, h)
#pragma omp atomic
                  count++;
#pragma omp ordered depend(source)
                }
#pragma omp single
  printf("eight: %d\n", count), count = 0;
}

int main(void) {
#pragma omp parallel
  {
    one_loop();
    loops();
    many_loops();
  }
  one_loop();
  loops();
  many_loops();
  return 0;
}
