// SPDX-License-Identifier: Apache-2.0
// An object with debug information, for a call site to be found in.
#include <unistd.h>

__attribute__((noinline)) long read_a_block(char* into, unsigned long length) {
  long got = read(0, into, length);
  return got < 0 ? 0 : got;
}

int main(void) {
  char block[16];
  return read_a_block(block, sizeof block) ? 1 : 0;
}
