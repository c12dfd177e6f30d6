// SPDX-License-Identifier: Apache-2.0
// A library that has what gcc's code calls for a scan, of which libomp has only a part.
int house_scans(const int *values, int *sums, int count) {
  int sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < count; i++) {
    sum += values[i];
#pragma omp scan inclusive(sum)
    sums[i] = sum;
  }
  return sum;
}
