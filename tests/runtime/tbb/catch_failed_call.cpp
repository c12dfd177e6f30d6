// SPDX-License-Identifier: Apache-2.0
// A call that fails inside a catch block: its task comes home to its thread, and brings what was caught along.
// park: suspended == 0 and parked >= 180
// suspend: suspended >= 180
#include <oneapi/tbb/parallel_for.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <atomic>
#include <exception>

#include "case.h"

int main() {
  std::atomic<int> right{0};
  tbb::parallel_for(0, 200, [&](int i) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) std::abort();
    timeval limit{0, 200 + i % 7 * 100};
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    try {
      try {
        throw i;
      } catch (int) {
        char byte;
        check(recv(ends[0], &byte, 1, 0) == -1, "nothing comes");
        check(std::current_exception() != nullptr, "what was caught");
        throw;
      }
    } catch (int again) {
      right += again == i;
    }
    check(!std::current_exception() && !std::uncaught_exceptions(), "nothing is left");
    close(ends[0]);
    close(ends[1]);
  });
  std::printf("%d right\n", right.load());
}
