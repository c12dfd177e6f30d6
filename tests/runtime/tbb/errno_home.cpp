// SPDX-License-Identifier: Apache-2.0
// A call that waited and then failed finds its errno, though the program keeps errno's address over the call, in a place that nobody sees.
// suspend: suspended >= 270
// auto: suspended >= 270
// park: parked >= 270 and suspended == 0
#include <oneapi/tbb/parallel_for.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <atomic>

#include "case.h"

int main() {
  int ends[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  timeval limit{0, 2000};
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  std::atomic<int> wrong{0};
  tbb::parallel_for(0, 300, [&](int) {
    Kept kept;
    char byte;
    ssize_t got = recv(ends[0], &byte, 1, 0);
    if (got != -1 || kept.error() != EAGAIN) ++wrong;
  });
  std::printf("%d of 300 wrong\n", wrong.load());
}
