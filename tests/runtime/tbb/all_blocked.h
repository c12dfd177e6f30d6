// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <oneapi/tbb/task_group.h>

#include <mutex>
#include <string>

#include "case.h"

// So many tasks each wait for a byte by `read_one(fd)`, which the first one writes after a wait of its own. Bare that one has a
// thread meanwhile.
template <typename Read>
void all_read(const char* how, int readers, Read read_one) {
  alarm(30);  // ends who waits for ever
  usleep(100'000);  // weir's watchdog is to have seen that the last ones went on
  int ends[2];
  check(!pipe(ends), "a pipe");
  std::atomic<int> got{0};
  tbb::task_group group;
  group.run([&] {
    for (int i = 0; i < readers; ++i)
      group.run([&] {
        if (read_one(ends[0])) ++got;
      });
    check(wait_ms(40), "a wait");
    const std::string bytes(static_cast<std::size_t>(readers), 'b');
    check(write(ends[1], bytes.data(), bytes.size()) == readers, "bytes are written");
  });
  group.wait();
  std::printf("%s: %d\n", how, got.load());
  close(ends[0]), close(ends[1]);
}

inline bool read_one(int fd) {
  char byte;
  return read(fd, &byte, 1) == 1;
}

// One that knows its thread: with it held no task makes way.
inline bool read_with_a_lock(int fd) {
  std::recursive_mutex mutex;
  std::lock_guard lock(mutex);
  return read_one(fd);
}
