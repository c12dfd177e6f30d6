// SPDX-License-Identifier: Apache-2.0
// What random programs are made of, whatever runs them: keys, files, a thread that feeds descriptors, shared counters.
//
// A program is a tree of nodes. What a node is, and what its children are, follows from its key alone, and its value
// from theirs; so does everything that is shared, by sums. So a seed gives one value, whatever ran when, and on what
// thread. A value that differs says that something was lost, doubled or mixed up.
#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "values.h"

struct Key {
  Value bits;
  Key child(long i) const { return {mix(bits + 0x9E3779B97F4A7C15u * static_cast<Value>(i + 1))}; }
  // One of `count`, by a question of its own number.
  int pick(int count, int question = 0) const { return static_cast<int>(mix(bits ^ (0xABCDu + question)) % count); }
};

// A program that goes wrong says how, at once: what follows would only hide it.
[[noreturn]] inline void wrong(const char* what, Key key) {
  std::printf("wrong: %s at %016lx\n", what, static_cast<unsigned long>(key.bits));
  std::fflush(stdout);
  std::_Exit(3);
}
inline void check(bool holds, const char* what, Key key) {
  if (!holds) wrong(what, key);
}

// A call that ends early with EINTR though no handler runs: while some thread has a child's end blocked, as who starts
// one has for a moment, the kernel wakes another for it.
template <typename Call>
auto again(Call call) {
  auto got = call();
  while (got == -1 && get_errno() == EINTR) got = call();
  return got;
}

// Puts bytes into descriptors after a while, and makes calls, from outside any team or arena: so nobody waits for a task
// that has not begun. Never more than the descriptor holds: it waits for nobody.
class Feeder {
 public:
  Feeder() : thread_([this] { run(); }) {}
  ~Feeder() {
    put({-1, 0, 0, 0, false, {}});
    thread_.join();
  }
  void write_later(int fd, int bytes, Value first, int after_us, bool close_then = false) {
    put({fd, bytes, first, after_us, close_then, {}});
  }
  void call_later(std::function<void()> call, int after_us) { put({0, 0, 0, after_us, false, std::move(call)}); }

 private:
  struct Job {
    int fd, bytes;
    Value first;
    int after_us;
    bool close_then;
    std::function<void()> call;
  };
  void put(Job job) {
    std::lock_guard<std::mutex> lock(mutex_);
    jobs_.push_back(std::move(job));
    some_.notify_one();
  }
  Job take() {
    std::unique_lock<std::mutex> lock(mutex_);
    some_.wait(lock, [this] { return !jobs_.empty(); });
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }
  void run() {
    while (true) {
      Job job = take();
      if (job.fd < 0) return;
      if (job.after_us) std::this_thread::sleep_for(std::chrono::microseconds(job.after_us));
      if (job.call) job.call();
      char block[4096];
      for (int done = 0; done < job.bytes;) {
        int now = std::min<int>(job.bytes - done, sizeof block);
        for (int i = 0; i < now; ++i) block[i] = static_cast<char>(job.first + done + i);
        ssize_t put = ::write(job.fd, block, now);
        if (put <= 0) break;
        done += static_cast<int>(put);
      }
      if (job.close_then) ::close(job.fd);
    }
  }
  std::mutex mutex_;
  std::condition_variable some_;
  std::deque<Job> jobs_;
  std::thread thread_;
};

// Takes everything out of a descriptor, by a thread of its own.
inline void drain(int fd) {
  std::thread([fd] {
    char block[4096];
    while (::read(fd, block, sizeof block) > 0) {}
    ::close(fd);
  }).detach();
}

inline Value hash_of(const void* memory, std::size_t bytes) {
  Value h = 1469598103934665603u;
  for (std::size_t i = 0; i < bytes; ++i) h = (h ^ static_cast<const unsigned char*>(memory)[i]) * 1099511628211u;
  return h;
}

constexpr int file_bytes = 256 * 1024;
constexpr int block_bytes = 512;
constexpr int lock_count = 6;

// What one seed's program shares.
struct World {
  int data = -1;     // file_bytes that follow from their place; read by offset
  int shared = -1;   // the same file, at one offset for all
  int journal = -1;  // appended to, a record a time
  const char* name = nullptr;
  std::atomic<Value> sum{0};
  std::atomic<int> blocks_read{0};
  // Each by one lock only; not atomic: two that are inside together lose one of the two.
  struct alignas(64) Guarded {
    volatile Value total = 0;
    volatile int inside = 0;
  } guarded[lock_count];

  void open() {
    static char path[] = "/var/tmp/weir-random-XXXXXX";
    data = mkstemp(path);
    name = path;
    for (int at = 0; at < file_bytes; at += block_bytes) {
      Value block[block_bytes / 8];
      for (int i = 0; i < block_bytes / 8; ++i) block[i] = mix(static_cast<Value>(at + i));
      if (pwrite(data, block, block_bytes, at) != block_bytes) std::abort();
    }
    fsync(data);
    shared = ::open(path, O_RDONLY | O_CLOEXEC);
    char other[] = "/var/tmp/weir-random-XXXXXX";
    journal = mkstemp(other);
    unlink(other);
    fcntl(journal, F_SETFL, O_APPEND);
  }
  void close() { unlink(name); }

  void begin(Key seed) {
    sum = 0;
    blocks_read = 0;
    for (Guarded& g : guarded) {
      g.total = 0;
      g.inside = 0;
    }
    lseek(shared, 0, SEEK_SET);
    if (ftruncate(journal, 0)) std::abort();
    if (seed.pick(4, 99) == 0) posix_fadvise(data, 0, 0, POSIX_FADV_DONTNEED);
  }

  // What all nodes together left behind.
  Value end() {
    Value all = sum + mix(blocks_read);
    for (Guarded& g : guarded) all += mix(g.total + 1);
    Value record[2];
    lseek(journal, 0, SEEK_SET);
    while (::read(journal, record, sizeof record) == sizeof record) all += mix(record[0]) ^ record[1];
    return all + static_cast<Value>(lseek(shared, 0, SEEK_CUR)) + static_cast<Value>(lseek(journal, 0, SEEK_CUR));
  }
};

inline World world;
inline Feeder* feeder;
