/* SPDX-License-Identifier: Apache-2.0 */
/* Much code that several regions share, and that only computes. */
#define ONE(n)                                                \
  static __attribute__((noinline)) double f##n(double x) {    \
    for (int i = 0; i < 8; ++i) {                             \
      PART(n, 1) PART(n, 2) PART(n, 3) PART(n, 4) PART(n, 5)  \
      PART(n, 6) PART(n, 7) PART(n, 8) PART(n, 9) PART(n, 10) \
    }                                                         \
    return x;                                                 \
  }
#define PART(n, k) x = x * (n + k * 0.5) + 1 / (x + i * k) - (x > n ? n : x * k);
#define CALL(n) x += f##n(x);
#define TEN(of, n) of(n##0) of(n##1) of(n##2) of(n##3) of(n##4) of(n##5) of(n##6) of(n##7) of(n##8) of(n##9)
#define ALL(of) TEN(of, 1) TEN(of, 2) TEN(of, 3) TEN(of, 4) TEN(of, 5) TEN(of, 6) TEN(of, 7) TEN(of, 8) TEN(of, 9) \
  TEN(of, 10) TEN(of, 11) TEN(of, 12) TEN(of, 13) TEN(of, 14) TEN(of, 15) TEN(of, 16) TEN(of, 17) TEN(of, 18) TEN(of, 19)

ALL(ONE)
static __attribute__((noinline)) double all(double x) {
  ALL(CALL)
  return x;
}

#define REGION(name, by)                           \
  void name(double *numbers, int count) {          \
    _Pragma("omp parallel for schedule(dynamic)")  \
    for (int i = 0; i < count; ++i) numbers[i] = by * all(numbers[i]); \
  }
REGION(one, 1)
REGION(two, 2)
REGION(three, 3)
REGION(four, 4)
