// SPDX-License-Identifier: Apache-2.0
// Tasks that hold a lock over calls of weir's, in a plain arena and in an io_arena, under the preload: which sees the lock, and
// keeps each on its thread. Exit status 0 or a line that says what is wrong.
#include <fcntl.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <weir/future.hpp>
#include <weir/tbb.hpp>

#include <mutex>
#include <string>

#include "case.h"

namespace {

constexpr std::int64_t ms = 1'000'000;

template <typename Wait>
void in_turn(const char* what, Wait wait) {
  std::mutex mutex;
  int count = 0;
  tbb::parallel_for(0, 20, [&](int) {
    std::lock_guard locked(mutex);
    int before = count;
    wait();
    count = before + 1;
  });
  check(count == 20, what);
}

void each_wait() {
  in_turn("a sleep", [] { check(weir_sleep(ms / 2) == 0, "weir_sleep"); });
  in_turn("a sleep of tbb.hpp's", [] { check(weir::sleep(ms / 2) == 0, "weir::sleep"); });
  in_turn("a future", [] { weir::async([] { weir_sleep(ms / 2); }).get(); });
  in_turn("an operation", [] { weir::async_sleep(std::chrono::microseconds(500)).get(); });
}

// Who waits for a permit would hold up who has one, and waits for the lock.
void beside_permits() {
  char name[] = "/tmp/weir-lock-over-call-XXXXXX";
  int file = mkstemp(name);
  unlink(name);
  std::string content(1 << 20, 'c');
  check(file >= 0 && write(file, content.data(), content.size()) == 1 << 20, "a file");
  weir::io_arena arena;
  arena.set_permits(1);
  std::mutex mutex;
  std::atomic<int> read{0};
  arena.execute([&] {
    tbb::parallel_for(0, 200, [&](int i) {
      char block[4096];
      if (i % 2 && posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)) return;
      ssize_t got = weir::pread(file, block, sizeof block, i * 4096L);
      std::lock_guard locked(mutex);
      if (got == sizeof block && weir::pread(file, block, sizeof block, i * 4096L) == sizeof block) ++read;
    });
  });
  check(read == 200, "reads");
  close(file);
}

}  // namespace

int main() {
  each_wait();
  weir::io_arena arena;
  arena.execute(each_wait);
  beside_permits();
  std::printf("well\n");
}
