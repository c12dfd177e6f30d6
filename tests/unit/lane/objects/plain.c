/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <unistd.h>

long weir_test_plain(int fd, char *to) { return read(fd, to, 1) + puts("plain"); }
