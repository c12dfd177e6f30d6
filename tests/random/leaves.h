// SPDX-License-Identifier: Apache-2.0
// The leaves of a random program: one or few calls that may wait, and what they must give.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <fstream>
#include <future>
#include <semaphore>

#include "channels.h"
#include "files.h"
#include "helpers.h"
#include "world.h"

constexpr int most_blocks = 4;  // of one read by offset

inline off_t place_of(Key key) { return key.pick(file_bytes / block_bytes - most_blocks + 1) * block_bytes; }

inline Value read_at(Key key) {
  char blocks[most_blocks * block_bytes];
  int bytes = (1 + key.pick(most_blocks, 1)) * block_bytes;
  check(pread(world.data, blocks, bytes, place_of(key)) == bytes, "pread", key);
  return hash_of(blocks, bytes);
}

inline Value read_parts(Key key) {
  char a[block_bytes], b[100], c[block_bytes - 100];
  iovec parts[] = {{a, sizeof a}, {b, sizeof b}, {c, sizeof c}};
  check(preadv(world.data, parts, 3, place_of(key)) == 2 * block_bytes, "preadv", key);
  return hash_of(a, sizeof a) ^ hash_of(b, sizeof b) ^ hash_of(c, sizeof c);
}

// Whoever comes gets the next block: all of them together, each once.
inline Value read_next(Key key) {
  char block[block_bytes];
  ssize_t got = read(world.shared, block, block_bytes);
  check(got == block_bytes || got == 0, "read of the shared offset", key);
  if (got) world.sum += hash_of(block, block_bytes);
  world.blocks_read += got == block_bytes;
  return 1;
}

inline Value append(Key key) {
  Value record[2] = {key.bits, mix(key.bits)};
  check(write(world.journal, record, sizeof record) == sizeof record, "write to the journal", key);
  return 2;
}

inline Value timer(Key key) {
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  itimerspec when{{0, 0}, {0, 1000 + key.pick(300) * 1000}};
  timerfd_settime(fd, 0, &when, nullptr);
  Value times = 0;
  check(read(fd, &times, sizeof times) == sizeof times, "timerfd", key);
  close(fd);
  return times;
}

inline Value pipe_fed(Key key) {
  int ends[2];
  check(!pipe2(ends, O_CLOEXEC), "pipe2", key);
  int bytes = 1 + key.pick(9000, 1);
  feeder->write_later(ends[1], bytes, key.bits, key.pick(100, 2), true);
  Value h = 0;
  char block[1000];
  for (ssize_t got; (got = read(ends[0], block, sizeof block)) != 0;) {
    check(got > 0, "pipe", key);
    for (ssize_t i = 0; i < got; ++i) h = h * 31 + static_cast<unsigned char>(block[i]);
  }
  close(ends[0]);
  return h;
}

// More than a pipe holds: the write waits for who takes it out.
inline Value pipe_drained(Key key) {
  int ends[2];
  check(!pipe2(ends, O_CLOEXEC), "pipe2", key);
  fcntl(ends[1], F_SETPIPE_SZ, 4096);
  constexpr int bytes = 20000;
  static char much[bytes];
  drain(ends[0]);
  ssize_t put = write(ends[1], much, bytes);
  int why = get_errno();
  check(put == bytes, put >= 0 ? "a long write to a pipe is short" : strerror(why), key);
  close(ends[1]);
  return bytes;
}

inline Value socket_talk(Key key) {
  int ends[2];
  check(!socketpair(AF_UNIX, key.pick(2) ? SOCK_STREAM : SOCK_SEQPACKET, 0, ends), "socketpair", key);
  int bytes = 1 + key.pick(200, 1);
  feeder->write_later(ends[1], bytes, key.bits, key.pick(150, 2));
  char block[256];
  if (key.pick(2, 3)) check(recv(ends[0], block, sizeof block, MSG_PEEK) == bytes, "MSG_PEEK", key);
  check(recv(ends[0], block, bytes, key.pick(2, 4) ? MSG_WAITALL : 0) == bytes, "recv", key);
  check(send(ends[0], block, bytes, MSG_NOSIGNAL) == bytes, "send", key);
  close(ends[0]);
  close(ends[1]);
  return hash_of(block, bytes);
}

// Nothing comes: the socket's own limit ends the wait, and errno says so.
inline Value socket_limit(Key key) {
  int ends[2];
  check(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair", key);
  timeval limit{0, 200 + key.pick(300)};
  setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  char byte;
  ssize_t got = again([&] { return recv(ends[0], &byte, 1, 0); });
  int why = get_errno();
  check(got == -1 && why == EAGAIN, got == -1 ? strerror(why) : "SO_RCVTIMEO: bytes", key);
  close(ends[0]);
  close(ends[1]);
  return 3;
}

inline Value readiness(Key key) {
  int ends[2];
  check(!pipe2(ends, O_CLOEXEC), "pipe2", key);
  feeder->write_later(ends[1], 1, key.bits, key.pick(150));
  int ready = 0;
  switch (key.pick(3, 1)) {
    case 0: {
      pollfd p{ends[0], POLLIN, 0};
      ready = poll(&p, 1, 5000);
      break;
    }
    case 1: {
      fd_set set;
      FD_ZERO(&set);
      if (ends[0] >= FD_SETSIZE) ready = 1;
      else FD_SET(ends[0], &set), ready = select(ends[0] + 1, &set, nullptr, nullptr, nullptr);
      break;
    }
    default: {
      int many = epoll_create1(EPOLL_CLOEXEC);
      epoll_event event{EPOLLIN, {}};
      epoll_ctl(many, EPOLL_CTL_ADD, ends[0], &event);
      ready = again([&] { return epoll_wait(many, &event, 1, 5000); });
      close(many);
    }
  }
  check(ready == 1, "readiness", key);
  unsigned char byte;
  check(read(ends[0], &byte, 1) == 1, "a ready pipe", key);
  close(ends[0]);
  close(ends[1]);
  return byte;
}

// A call that fails has its errno, one that succeeds leaves errno alone.
inline Value errors(Key key) {
  set_errno(0);
  char byte;
  check(read(9999, &byte, 1) == -1 && get_errno() == EBADF, "errno of a closed descriptor", key);
  set_errno(77);
  read_at(key);
  timer(key);
  check(get_errno() == 77, "errno after calls that succeed", key);
  set_errno(0);
  check(pread(world.data, &byte, 1, -1) == -1 && get_errno() == EINVAL, "errno of a bad offset", key);
  return 5;
}

inline Value nap(Key key) {
  if (key.pick(2)) {
    timespec t{0, key.pick(200, 1) * 1000};
    check(!nanosleep(&t, nullptr), "nanosleep", key);
  } else {
    usleep(key.pick(200, 1));
  }
  return 7;
}

inline Value stdio(Key key) {
  int ends[2];
  check(!pipe2(ends, O_CLOEXEC), "pipe2", key);
  FILE* in = fdopen(ends[0], "r");
  feeder->write_later(ends[1], 9, '0', key.pick(100), true);
  char line[64] = {};
  check(fgets(line, sizeof line, in) && !strcmp(line, "012345678"), "fgets", key);
  check(fgetc(in) == EOF && feof(in), "the end of a FILE", key);
  fclose(in);
  return 11;
}

inline Value stream(Key key) {
  std::ifstream in(world.name, std::ios::binary);
  in.seekg(key.pick(100) * block_bytes);
  char block[block_bytes];
  in.read(block, sizeof block);
  check(in.gcount() == block_bytes, "ifstream", key);
  return hash_of(block, block_bytes);
}

inline Value copied(Key key) {
  int ends[2];
  check(!pipe2(ends, O_CLOEXEC), "pipe2", key);
  off_t at = key.pick(100) * block_bytes;
  check(sendfile(ends[1], world.data, &at, block_bytes) == block_bytes, "sendfile", key);
  char block[block_bytes];
  check(read(ends[0], block, block_bytes) == block_bytes, "what was sent", key);
  close(ends[0]);
  close(ends[1]);
  return hash_of(block, block_bytes);
}

inline Value event(Key key) {
  int fd = eventfd(0, EFD_CLOEXEC);
  Value count = 1 + key.pick(100);
  check(write(fd, &count, 8) == 8 && write(fd, &count, 8) == 8, "write to an eventfd", key);
  Value got = 0;
  check(read(fd, &got, 8) == 8 && got == 2 * count, "eventfd", key);
  close(fd);
  return got;
}

inline Value connection(Key key) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof a;
  check(!bind(listener, reinterpret_cast<sockaddr*>(&a), sizeof a) && !listen(listener, 4), "listen", key);
  getsockname(listener, reinterpret_cast<sockaddr*>(&a), &size);
  int one = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  check(!connect(one, reinterpret_cast<sockaddr*>(&a), sizeof a), "connect", key);
  int other = accept(listener, nullptr, nullptr);
  check(other >= 0, "accept", key);
  close(listener);
  check(write(one, &key.bits, 8) == 8, "write to a connection", key);
  Value got = 0;
  check(recv(other, &got, 8, MSG_WAITALL) == 8 && got == key.bits, "what a connection brings", key);
  close(one);
  close(other);
  return 13;
}

// A child of its own, and its status.
inline Value child(Key key) {
  if (key.pick(8)) return read_at(key);
  pid_t pid = fork();
  if (!pid) {
    char byte;
    int ends[2];
    if (pipe(ends) || write(ends[1], "x", 1) != 1 || read(ends[0], &byte, 1) != 1) _exit(1);
    _exit(byte == 'x' ? 42 : 2);
  }
  int status = 0;
  check(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 42, "a child", key);
  return 17;
}

using Leaf = Value (*)(Key);
constexpr Leaf leaves[] = {read_at, read_at, read_parts, read_next, read_next, append, append, timer, timer, pipe_fed,
                           pipe_fed, pipe_drained, socket_talk, socket_talk, socket_limit, readiness, errors, nap,
                           stdio, stream, copied, event, connection, child,
                           // files.h
                           written_and_read, at_the_end, renumbered, mapped_file, folder, moved_in_the_kernel, own_stream,
                           own_iostream, asynchronous, file_lock, devices,
                           // channels.h
                           ping_pong, in_pieces, datagrams, handed_a_number, refused, several, never_waits, named_pipe,
                           watched_folder, terminal, many_messages,
                           // helpers.h
                           meets_a_thread, limits_of_waits, words, other_program, system_v, jumps,
                           own_stack, deep_frames, wide_frame, rounding, carried_exception, kept_errno, shared_lock};
constexpr int leaf_count = sizeof leaves / sizeof *leaves;
inline int leaves_used = leaf_count;

inline Value leaf(Key key) { return mix(leaves[key.pick(leaves_used, 50)](key) + 1); }

// Where a program keeps something a thread, over calls. Only in programs that say so: auto must see it, and park.
#ifdef BOUND
inline thread_local Value of_this_thread;
inline Value bound_leaf(Key key) {
  pthread_t before = pthread_self();
  of_this_thread = key.bits;
  Value value = leaf(key);
  check(of_this_thread == key.bits, "a thread_local after a call", key);
  check(pthread_equal(before, pthread_self()), "the thread after a call", key);
  return value;
}
#else
inline Value bound_leaf(Key key) { return leaf(key); }
#endif

// Nothing else may run between the two looks.
inline Value guarded_by(int lock, Key key) {
  World::Guarded& g = world.guarded[lock];
  check(g.inside == 0, "two inside one lock", key);
  g.inside = 1;
  Value before = g.total;
  Value value = leaf(key.child(0));
  if (key.pick(2, 60)) value += leaf(key.child(1));
  check(g.total == before && g.inside == 1, "what a lock guards", key);
  g.total = before + value;
  g.inside = 0;
  return value;
}

struct Thrown {
  Value value;
};

// Calls made while an exception is on its way.
class OnTheWay {
 public:
  OnTheWay(Value* into, Key key) : into_(into), key_(key) {}
  ~OnTheWay() {
    int before = std::uncaught_exceptions();
    *into_ += leaf(key_);
    check(std::uncaught_exceptions() == before, "exceptions on their way after a call", key_);
  }

 private:
  Value* into_;
  Key key_;
};

inline Value exceptions(Key key) {
  Value value = 0;
  try {
    OnTheWay guard(&value, key.child(0));
    if (key.pick(4)) throw Thrown{key.bits};
  } catch (const Thrown& first) {
    value += leaf(key.child(1));
    check(std::current_exception() != nullptr && first.value == key.bits, "a caught exception after a call", key);
    try {
      try {
        value += leaf(key.child(2));
        throw;
      } catch (const Thrown& again) {
        check(again.value == key.bits, "an exception thrown again", key);
        value += leaf(key.child(3));
        throw Thrown{key.bits + 1};
      }
    } catch (const Thrown& second) {
      check(second.value == key.bits + 1, "another exception", key);
      value += leaf(key.child(4));
    }
    check(first.value == key.bits, "the first exception", key);
  }
  check(!std::current_exception() && std::uncaught_exceptions() == 0, "exceptions left over", key);
  return value;
}

inline Value recursive(Key key) {
  static std::recursive_mutex mutex;
  std::lock_guard<std::recursive_mutex> one(mutex);
  Value value = guarded_by(0, key);
  {
    std::lock_guard<std::recursive_mutex> two(mutex);
    value += guarded_by(0, key.child(5));
  }
  return value + guarded_by(0, key.child(6));
}

inline Value by_mutex(Key key) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  Value value = guarded_by(1, key);
  pthread_mutex_unlock(&mutex);
  return value;
}

inline Value by_rwlock(Key key) {
  static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  bool write = key.pick(2);
  if (write) pthread_rwlock_wrlock(&lock);
  else pthread_rwlock_rdlock(&lock);
  Value value = write ? guarded_by(2, key) : leaf(key);
  pthread_rwlock_unlock(&lock);
  return value;
}

inline Value by_spin_lock(Key key) {
  static pthread_spinlock_t* lock = [] {
    static pthread_spinlock_t made;
    pthread_spin_init(&made, PTHREAD_PROCESS_PRIVATE);
    return &made;
  }();
  pthread_spin_lock(lock);
  Value value = guarded_by(4, key);
  pthread_spin_unlock(lock);
  return value;
}

inline Value by_timed_mutex(Key key) {
  static std::timed_mutex mutex;
  std::unique_lock<std::timed_mutex> lock(mutex, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::seconds(1))) {}
  return guarded_by(5, key);
}

// What the program's own threads do, and how one waits for it.
inline Value by_another_thread(Key key) {
  Value value = 0;
  int after_us = key.pick(300, 2);
  switch (key.pick(5, 1)) {
    case 0: {
      auto other = std::async(std::launch::async, [key] { return leaf(key.child(1)); });
      value = leaf(key.child(2));
      return value + other.get();
    }
    case 1: {
      std::promise<Value> promise;
      feeder->call_later([&] { promise.set_value(key.bits); }, after_us);
      value = leaf(key);
      return value + promise.get_future().get();
    }
    case 2: {
      // Held in common: who releases one may still be at it when the other has acquired it and goes.
      auto done = std::make_shared<std::counting_semaphore<>>(0);
      feeder->call_later([done] { done->release(); }, after_us);
      value = leaf(key);
      done->acquire();
      return value;
    }
    case 3: {
      std::mutex mutex;
      std::condition_variable some;
      bool set = false;
      feeder->call_later(
          [&] {
            std::lock_guard<std::mutex> lock(mutex);
            set = true;
            some.notify_one();
          },
          after_us);
      value = leaf(key);
      std::unique_lock<std::mutex> lock(mutex);
      if (key.pick(2, 3)) some.wait(lock, [&] { return set; });
      else check(some.wait_for(lock, std::chrono::seconds(10), [&] { return set; }), "a condition with a limit", key);
      return value;
    }
    default: {
      std::thread other([&] { value = leaf(key.child(1)); });
      Value own = leaf(key.child(2));
      other.join();
      return value + own;
    }
  }
}

// A variable that is made when first come by; the others wait meanwhile.
inline Value made_once(Key key) {
  static Value* fresh[16] = {};
  static std::once_flag flags[16];
  int which = key.pick(16);
  std::call_once(flags[which], [&] { fresh[which] = new Value(read_at({static_cast<Value>(which)})); });
  static const Value made = read_at({123});
  return *fresh[which] + made;
}

// Leaves, and what surrounds them, the same in every runtime.
inline Value common(Key key) {
  switch (key.pick(16, 70)) {
    case 0: case 1: return exceptions(key);
    case 2: case 3: return recursive(key);
    case 4: return by_mutex(key);
    case 5: return by_timed_mutex(key);
    case 6: case 7: return by_rwlock(key);
    case 8: return made_once(key);
    case 9: return by_spin_lock(key);
    case 10: return by_another_thread(key);
    default: return bound_leaf(key);
  }
}

Value program(Key seed);  // the runtime's own

// random_X FIRST [LAST [LEAVES]]: a line a seed. LEAVES: only the first so many are used (3: reads by offset).
inline int run_seeds(int argc, char** argv) {
  long first = argc > 1 ? atol(argv[1]) : 1, last = argc > 2 ? atol(argv[2]) : first;
  if (argc > 3) leaves_used = std::min(atoi(argv[3]), leaf_count);
  world.open();
  Feeder the_feeder;
  feeder = &the_feeder;
  for (long i = first; i <= last; ++i) {
    Key seed{mix(static_cast<Value>(i))};
    world.begin(seed);
    Value value = program(seed);
    std::printf("%ld %016lx\n", i, static_cast<unsigned long>(value + world.end()));
    std::fflush(stdout);
  }
  world.close();
  return 0;
}
