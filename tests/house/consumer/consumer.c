/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <weir/weir.h>

int main(void) {
  int ends[2];
  char got[6] = "";
  if (weir_init(NULL) || pipe(ends)) return 1;
  if (weir_write(ends[1], "hello", 5) != 5 || weir_read(ends[0], got, 5) != 5) return 2;
  if (strcmp(got, "hello") || strcmp(weir_version(), WEIR_VERSION_STRING)) return 3;
  puts("C is served");
  return weir_close() ? 4 : 0;
}
