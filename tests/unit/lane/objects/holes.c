/* SPDX-License-Identifier: Apache-2.0 */
/* Linked so that there is no memory between its parts, with bytes that look like a call of what lies there. */
#include <unistd.h>

int weir_test_holes(int x) {
  __asm__ volatile("jmp 1f\n.byte 0xe8\n.long -0x100000\n1:");
  return getpid() + x;
}
