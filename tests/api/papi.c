/* SPDX-License-Identifier: Apache-2.0 */
/* Another tool reads weir: its counters are events of PAPI's in a program that has libsde. */
#include <fcntl.h>
#include <papi.h>
#include <sde_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <weir/weir.h>

static void check(int ok, const char *what) {
  if (ok) return;
  fprintf(stderr, "%s\n", what);
  exit(1);
}

int main(void) {
  papi_handle_t own = papi_sde_init("own");  /* so that libsde is needed and loaded */
  check(own != NULL, "libsde");
  check(weir_init(NULL) == 0, "weir_init");
  check(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT, "PAPI_library_init");
  int set = PAPI_NULL;
  check(PAPI_create_eventset(&set) == PAPI_OK, "PAPI_create_eventset");
  if (PAPI_get_component_index("sde") < 0) {
    puts("skipped: this PAPI has no software-defined events");
    return 77;
  }
  check(PAPI_add_named_event(set, "sde:::weir::CALLS") == PAPI_OK, "no event sde:::weir::CALLS");
  check(PAPI_add_named_event(set, "sde:::weir::BYTES_READ") == PAPI_OK, "no event sde:::weir::BYTES_READ");
  check(PAPI_add_named_event(set, "sde:::weir::PERMITS") == PAPI_OK, "no event sde:::weir::PERMITS");
  check(PAPI_start(set) == PAPI_OK, "PAPI_start");
  int fd = open("/proc/self/exe", O_RDONLY);
  char bytes[100];
  for (int i = 0; i < 7; ++i) check(weir_pread(fd, bytes, sizeof bytes, 0) == sizeof bytes, "weir_pread");
  long long values[3];
  check(PAPI_stop(set, values) == PAPI_OK, "PAPI_stop");
  printf("calls %lld bytes %lld permits %lld\n", values[0], values[1], values[2]);
  check(values[0] == 7 && values[1] == 700 && values[2] >= 1, "values");
  return 0;
}
