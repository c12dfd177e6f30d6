// SPDX-License-Identifier: Apache-2.0
// weir::io_arena without any preload: calls of its tasks overlap, keep to its permits, and are counted; elsewhere they
// block and work. Exit status 0 or a line that says what is wrong.
#include <fcntl.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <weir/future.hpp>
#include <weir/tbb.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "case.h"

namespace {

constexpr std::int64_t ms = 1'000'000;

void outside() {
  check(weir::sleep(ms) == 0, "sleep outside any arena");
  int ends[2];
  check(!pipe(ends) && write(ends[1], "x", 1) == 1, "a pipe");
  char byte;
  check(weir::read(ends[0], &byte, 1) == 1 && byte == 'x', "read outside any arena");
  check(weir::read(-1, &byte, 1) == -EBADF, "-errno");
  close(ends[0]);
  close(ends[1]);
}

weir_statistics statistics() {
  weir_statistics all{};
  all.size = sizeof all;
  check(weir_statistics_get(&all) == 0, "statistics");
  return all;
}
bool ring_was_used() { return statistics().ring_operations > 0; }

void overlap() {
  weir::io_arena arena;
  std::atomic<int> answered{0};
  arena.execute([&] {
    tbb::task_group group;
    for (int i = 0; i < 100; ++i)
      group.run([&] {
        int ends[2];
        check(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "a socket pair");
        check(weir::sleep(20 * ms) == 0, "sleep in a task");
        char byte = 'a';
        check(weir::send(ends[0], &byte, 1) == 1, "send");
        check(weir::recv(ends[1], &byte, 1) == 1, "recv");
        if (byte == 'a') ++answered;
        close(ends[0]);
        close(ends[1]);
      });
    group.wait();
  });
  weir::io_statistics io = arena.statistics();
  check(answered == 100, "answers");
  check(io.calls == 300 && io.in_flight == 0 && io.failed == 0, "calls are counted");
  check(io.bytes_read == 100 && io.bytes_written == 100, "bytes are counted");
  if (ring_was_used()) check(io.peak_in_flight > 50, "calls overlap");
}

void enqueue_and_accept() {
  weir::io_arena arena(2, 0);
  check(arena.max_concurrency() == 2, "max_concurrency");
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  int length = std::snprintf(address.sun_path + 1, 60, "weir-io-arena-%d", getpid());
  socklen_t size = offsetof(sockaddr_un, sun_path) + 1 + length;
  auto* where = reinterpret_cast<sockaddr*>(&address);
  check(!bind(listener, where, size) && !listen(listener, 8), "listen");
  std::atomic<int> done{0};
  tbb::task_group group;
  for (int i = 0; i < 4; ++i) {
    arena.enqueue(group.defer([&] {
      int peer = weir::accept(listener);
      char byte;
      check(peer >= 0 && weir::recv(peer, &byte, 1) == 1, "accept, recv");
      close(peer);
      ++done;
    }));
    arena.enqueue(group.defer([&] {
      weir::sleep(2 * ms);
      int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      check(weir::connect(fd, where, size) == 0 && weir::send(fd, "b", 1) == 1, "connect, send");
      close(fd);
      ++done;
    }));
  }
  arena.execute([&] { group.wait(); });
  close(listener);
  check(done == 8, "enqueued tasks");
}

// libtbb has a worker for an arena of one only while tasks are enqueued that have not begun.
void enqueue_alone() {
  weir::io_arena arena(1);
  arena.set_permits(1);
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  std::atomic<int> left{30};
  for (int i = 0; i < 30; ++i)
    arena.enqueue([&] {
      char block[512];
      check(weir::sleep(ms) == 0 && weir::pread(file, block, sizeof block, 0) == sizeof block, "sleep, pread");
      --left;
    });
  while (left) usleep(300);
  close(file);
}

void permits() {
  char name[] = "/tmp/weir-io-arena-XXXXXX";
  int file = mkstemp(name);
  std::string content(1 << 20, 'c');
  check(file >= 0 && write(file, content.data(), content.size()) == 1 << 20, "a file");
  weir::io_arena arena;
  arena.set_permits(3);
  arena.execute([&] {
    tbb::parallel_for(0, 200, [&](int i) {
      char block[4096];
      check(weir::pread(file, block, sizeof block, i * 4096L) == sizeof block && block[0] == 'c', "pread");
    });
  });
  weir::io_statistics io = arena.statistics();
  check(io.calls == 200 && io.bytes_read == 200 * 4096L, "reads are counted");
  check(io.peak_in_flight <= 3, "permits hold");
  weir::io_arena copy(arena);
  check(copy.permits() == 3 && copy.statistics().calls == 0, "a copy");
  close(file);
  unlink(name);
}

// Who waits for a permit may have caught an exception, and others of its thread theirs.
void permits_in_handlers() {
  char name[] = "/tmp/weir-io-arena-XXXXXX";
  int file = mkstemp(name);
  unlink(name);
  std::string content(1 << 20, 'c');
  check(file >= 0 && write(file, content.data(), content.size()) == 1 << 20 && !fsync(file), "a file");
  weir::io_arena arena(3);
  arena.set_permits(1);
  std::atomic<int> caught{0};
  arena.execute([&] {
    auto leaf = [&](int i) {
      try {
        try {
          throw i;
        } catch (int) {
          char block[4096];
          posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
          check(weir::pread(file, block, sizeof block, i % 200 * 4096L) == sizeof block, "pread in a handler");
          throw;
        }
      } catch (int j) {
        if (j == i) ++caught;
      }
    };
    tbb::parallel_for(0, 400, leaf, tbb::simple_partitioner());
  });
  check(caught == 400, "each goes on with its own exception");
  close(file);
}

// Who comes back from another io_arena is in the first.
void one_within_another() {
  weir::io_arena outer(1), inner(1);
  int ends[2];
  check(!pipe(ends), "a pipe");
  outer.execute([&] {
    tbb::task_group group;
    group.run([&] { check(weir_write(ends[1], "x", 1) == 1, "write"); });
    group.run_and_wait([&] {
      inner.execute([] {});
      char byte;
      check(weir::read(ends[0], &byte, 1) == 1, "read after an inner arena");
    });
  });
  close(ends[0]);
  close(ends[1]);
}

// Tasks of a plain arena are set aside under the preload only, whatever its threads did before.
void plain_after() {
  bool preloaded = std::getenv("LD_PRELOAD");
  auto sleeps = [](int) {
    weir_sleep(ms / 2);
    compute(100'000);
  };
  {
    weir::io_arena arena(3);
    arena.execute([&] { tbb::parallel_for(0, 60, sleeps, tbb::simple_partitioner()); });
  }
  std::int64_t before = statistics().suspended;
  tbb::task_arena plain(3);
  plain.execute([&] { tbb::parallel_for(0, 100, sleeps, tbb::simple_partitioner()); });
  check(preloaded || statistics().suspended == before, "a plain arena's tasks keep their threads");
}

// Nor are those of a plain arena of one, under the preload too, unless it is told so: they have their order.
void plain_of_one_within() {
  if (std::getenv("WEIR_LANE")) return;
  weir::io_arena arena;
  arena.execute([] {
    std::int64_t before = statistics().suspended;
    tbb::task_arena one(1);
    one.execute([] { tbb::parallel_for(0, 10, [](int) { weir_sleep(ms / 2); }); });
    check(statistics().suspended == before, "a plain arena of one keeps its order within an io_arena");
  });
}

// A worker of the pool that was in an io_arena sets its own tasks aside.
void pool_after() {
  int ends[2];
  check(!pipe(ends), "a pipe");
  int workers = weir_pool_size();
  std::vector<weir::future<void>> all;
  for (int i = 0; i < 8 * workers; ++i)
    all.push_back(weir::async([&] { weir::io_arena(2).execute([] { weir::sleep(ms / 10); }); }));
  for (auto& each : all) each.get();
  all.clear();
  std::int64_t before = statistics().suspended;
  for (int i = 0; i < 8; ++i)
    all.push_back(weir::async([&] {
      char byte;
      check(weir_read(ends[0], &byte, 1) == 1, "read in the pool");
    }));
  usleep(20'000);
  check(write(ends[1], "12345678", 8) == 8, "write");
  for (auto& each : all) each.get();
  check(statistics().suspended >= before + 8, "the pool's tasks are set aside");
  close(ends[0]);
  close(ends[1]);
}

// Tasks outlive their io_arena: neither its permits nor its counts are another's then.
void gone_before_its_tasks() {
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  std::atomic<int> left{0};
  for (int round = 0; round < 5; ++round) {
    {
      weir::io_arena gone(2);
      gone.set_permits(1);
      left += 4;
      for (int i = 0; i < 4; ++i)
        gone.enqueue([&] {
          char block[512];
          check(weir::sleep(20 * ms) == 0 && weir::pread(file, block, sizeof block, 0) == sizeof block, "outlives its arena");
          --left;
        });
      while (gone.statistics().in_flight == 0) usleep(100);
    }
    weir::io_arena next(2);
    next.execute([] { tbb::parallel_for(0, 4, [](int) { weir::sleep(ms / 10); }); });
    while (left) usleep(300);
    check(next.statistics().calls == 4 && next.statistics().in_flight == 0, "counts are an arena's own");
  }
  close(file);
}

void many() {
  std::vector<std::unique_ptr<weir::io_arena>> arenas;
  for (int i = 0; i < 150; ++i) {
    arenas.push_back(std::make_unique<weir::io_arena>(2));
    arenas.back()->execute([] { tbb::parallel_for(0, 4, [](int) { weir::sleep(ms / 100); }); });
    check(arenas.back()->statistics().calls == 4, "calls of the many-th arena are counted");
  }
}

void terminated() {
  weir::io_arena arena(2);
  for (int round = 1; round <= 3; ++round) {
    if (round == 2) arena.initialize(2);
    std::int64_t before = statistics().suspended;
    arena.execute([&] { tbb::parallel_for(0, 20, [](int) { weir::sleep(ms / 2); }, tbb::simple_partitioner()); });
    check(arena.statistics().calls == 20 * round, "calls are counted after terminate");
    check(!ring_was_used() || statistics().suspended > before, "tasks are set aside after terminate");
    arena.terminate();
  }
}

}  // namespace

int main() {
  outside();
  overlap();
  // Without a ring an accept() keeps its thread from the connect() that it waits for.
  if (ring_was_used()) enqueue_and_accept();
  enqueue_alone();
  permits();
  permits_in_handlers();
  if (ring_was_used()) one_within_another();
  plain_after();
  plain_of_one_within();
  if (ring_was_used()) pool_after();
  gone_before_its_tasks();
  many();
  terminated();
  overlap();
  std::printf("well\n");
}
