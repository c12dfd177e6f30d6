// SPDX-License-Identifier: Apache-2.0
// Leaves of a random program with threads, processes and control flow of their own: who waits for whom is
// never another task.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <spawn.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <threads.h>
#include <ucontext.h>

#include <barrier>
#include <cfenv>
#include <cstring>
#include <exception>
#include <future>
#include <latch>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include "files.h"

using Made = Value (*)(Key);
inline Value plain_wait(Key key) {
  usleep(20 + key.pick(100, 60));
  return mix(key.bits + 60);
}

inline Value meets_a_thread(Key key) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  Value theirs = 0;
  std::thread other([&] {
    theirs = plain_wait(key.child(1));
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    theirs += 1;
  });
  Value own = plain_wait(key.child(2));
  pthread_barrier_wait(&barrier);
  Value seen = theirs;
  pthread_barrier_wait(&barrier);
  other.join();
  pthread_barrier_destroy(&barrier);
  check(theirs == seen + 1, "what a barrier keeps apart", key);
  return own + seen;
}

inline Value limits_of_waits(Key key) {
  timespec when;
  clock_gettime(CLOCK_REALTIME, &when);
  when.tv_nsec += 400000;
  if (when.tv_nsec >= 1000000000) when.tv_nsec -= 1000000000, ++when.tv_sec;
  switch (key.pick(5, 1)) {
    case 0: {
      sem_t none;
      sem_init(&none, 0, 0);
      check(sem_timedwait(&none, &when) == -1, "sem_timedwait", key);
      sem_destroy(&none);
      break;
    }
    case 1: {
      pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
      pthread_cond_t never = PTHREAD_COND_INITIALIZER;
      pthread_mutex_lock(&mutex);
      int why = 0;
      while (!why) why = pthread_cond_timedwait(&never, &mutex, &when);
      check(why == ETIMEDOUT, "pthread_cond_timedwait", key);
      pthread_mutex_unlock(&mutex);
      break;
    }
    case 2: {
      std::promise<int> never;
      check(never.get_future().wait_for(std::chrono::microseconds(300)) == std::future_status::timeout,
            "a future's limit", key);
      break;
    }
#ifdef BOUND  // libstdc++'s asks which thread it is
    case 3: {
      std::mutex mutex;
      std::condition_variable_any some;
      std::stop_source stop;
      feeder->call_later([stop]() mutable { stop.request_stop(); }, key.pick(200, 2));
      std::unique_lock<std::mutex> lock(mutex);
      check(!some.wait(lock, stop.get_token(), [] { return false; }), "a wait that is stopped", key);
      break;
    }
#endif
    default: {
      std::timed_mutex mutex;
      std::thread other([&] {
        std::lock_guard<std::timed_mutex> lock(mutex);
        usleep(300);
      });
      usleep(50);
      if (mutex.try_lock_for(std::chrono::seconds(5)))
        mutex.unlock();
      else
        wrong("a lock with a limit", key);
      other.join();
    }
  }
  return 41;
}

// Words that a thread waits at: of C++20, and C11's.
inline Value words(Key key) {
  switch (key.pick(4, 1)) {
    case 0: {
      auto word = std::make_shared<std::atomic<int>>(0);
      feeder->call_later(
          [word] {
            *word = 1;
            word->notify_all();
          },
          key.pick(300, 2));
      word->wait(0);
      return word->load();
    }
    case 1: {
      auto latch = std::make_shared<std::latch>(3);
      for (int i = 0; i < 2; ++i) feeder->call_later([latch] { latch->count_down(); }, key.pick(150, 2 + i));
      latch->arrive_and_wait();
      return 43;
    }
    case 2: {
      mtx_t mutex;
      cnd_t some;
      bool set = false;
      mtx_init(&mutex, mtx_plain);
      cnd_init(&some);
      std::thread other([&] {
        usleep(key.pick(200, 2));
        mtx_lock(&mutex);
        set = true;
        cnd_signal(&some);
        mtx_unlock(&mutex);
      });
      mtx_lock(&mutex);
      while (!set) cnd_wait(&some, &mutex);
      mtx_unlock(&mutex);
      other.join();
      return 47;
    }
    default: {
#ifdef BOUND  // libstdc++'s asks which thread it is
      std::barrier barrier(2);
      std::jthread other([&] { barrier.arrive_and_wait(); });
      Value own = plain_wait(key);
      barrier.arrive_and_wait();
      return own;
#else
      return plain_wait(key);
#endif
    }
  }
}

extern char** environ;

// Other programs, with what they write and how they end.
inline Value other_program(Key key) {
  if (key.pick(16)) return plain_wait(key);
  switch (key.pick(4, 1)) {
    case 0: {
      FILE* out = popen("echo one line; exit 3", "re");
      char line[64];
      check(out && fgets(line, sizeof line, out) && !strcmp(line, "one line\n"), "popen", key);
      check(!fgets(line, sizeof line, out) && WEXITSTATUS(pclose(out)) == 3, "pclose", key);
      return 59;
    }
    case 1: {
      check(WEXITSTATUS(system("exit 7")) == 7, "system", key);
      return 61;
    }
    case 2: {
      int ends[2];
      check(!pipe2(ends, O_CLOEXEC), "pipe2", key);
      posix_spawn_file_actions_t actions;
      posix_spawn_file_actions_init(&actions);
      posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
      const char* words[] = {"echo", "spawned", nullptr};
      pid_t pid = 0;
      char line[16] = {};
      check(!posix_spawnp(&pid, "echo", &actions, nullptr, const_cast<char**>(words), environ), "posix_spawn",
            key);
      close(ends[1]);
      int status = -1;
      check(read(ends[0], line, 16) == 8 && !strcmp(line, "spawned\n") && read(ends[0], line, 1) == 0,
            "what it writes", key);
      check(waitpid(pid, &status, 0) == pid && status == 0, "how it ends", key);
      posix_spawn_file_actions_destroy(&actions);
      close(ends[0]);
      return 67;
    }
    default: {
      pid_t pid = fork();
      if (!pid) {
        usleep(300);
        _exit(5);
      }
      siginfo_t how{};
      check(!waitid(P_PID, pid, &how, WEXITED) && how.si_status == 5 && how.si_pid == pid, "waitid", key);
      return 71;
    }
  }
}

inline Value system_v(Key key) {
  int queue = msgget(IPC_PRIVATE, 0600), lock = semget(IPC_PRIVATE, 1, 0600);
  struct {
    long type;
    Value value;
  } out{1, key.bits}, in{};
  if (queue < 0 || lock < 0) return 73;
  std::thread other([&] {
    usleep(key.pick(200, 1));
    msgsnd(queue, &out, 8, 0);
    sembuf up{0, 1, 0};
    again([&] { return semop(lock, &up, 1); });
  });
  sembuf down{0, -1, 0};
  check(msgrcv(queue, &in, 8, 0, 0) == 8 && in.value == key.bits && !again([&] { return semop(lock, &down, 1); }), "System V",
        key);
  other.join();
  msgctl(queue, IPC_RMID, nullptr);
  semctl(lock, 0, IPC_RMID);
  return 73;
}

// Back over frames that waited.
[[gnu::noinline]] inline void jump_from(jmp_buf& back, Key key, int depth) {
  volatile char room[200] = {};
  room[depth] = 1;
  plain_wait(key.child(depth));
  if (depth == 0) longjmp(back, 1 + room[0]);
  jump_from(back, key, depth - 1);
  room[0] = 2;
}
inline Value jumps(Key key) {
  jmp_buf back;
  volatile Value before = key.bits;
  int how = setjmp(back);
  if (!how) jump_from(back, key, key.pick(4, 1));
  check(how == 2 && before == key.bits, "longjmp", key);
  return plain_wait(key.child(9));
}

// A stack of the program's own, from which it waits, and goes to and fro.
struct Coroutine {
  ucontext_t here, there;
  Key key;
  Value value;
  char stack[64 * 1024];
};
inline void coroutine_body(unsigned high, unsigned low) {
  auto* c = reinterpret_cast<Coroutine*>(static_cast<std::uintptr_t>(high) << 32 | low);
  c->value = plain_wait(c->key.child(1));
  swapcontext(&c->there, &c->here);
  c->value += plain_wait(c->key.child(2));
}
inline Value own_stack(Key key) {
  auto c = std::make_unique<Coroutine>();
  c->key = key;
  getcontext(&c->there);
  c->there.uc_stack.ss_sp = c->stack;
  c->there.uc_stack.ss_size = sizeof c->stack;
  c->there.uc_link = &c->here;
  auto place = reinterpret_cast<std::uintptr_t>(c.get());
  makecontext(&c->there, reinterpret_cast<void (*)()>(coroutine_body), 2, static_cast<unsigned>(place >> 32),
              static_cast<unsigned>(place));
  swapcontext(&c->here, &c->there);
  Value first = c->value + plain_wait(key.child(3));
  swapcontext(&c->here, &c->there);
  return first + mix(c->value);
}

// Much on the stack while a call waits, and many frames.
[[gnu::noinline]] inline Value deep(Key key, int depth) {
  volatile Value room[32];
  for (int i = 0; i < 32; ++i) room[i] = key.bits + i;
  Value all = depth ? deep(key, depth - 1) : plain_wait(key);
  for (int i = 0; i < 32; ++i) check(room[i] == key.bits + i, "a frame behind a call", key);
  return mix(all + depth);
}
inline Value deep_frames(Key key) { return deep(key, 10 + key.pick(300, 1)); }
[[gnu::noinline]] inline Value wide_frame(Key key) {
  volatile char room[200 * 1024];
  for (unsigned i = 0; i < sizeof room; i += 512) room[i] = static_cast<char>(key.bits + i);
  check(pread(world.data, const_cast<char*>(room) + 4096, 4096, 0) == 4096, "pread", key);
  Value all = plain_wait(key);
  for (unsigned i = 0; i < 4096; i += 512)
    check(room[i] == static_cast<char>(key.bits + i), "a wide frame", key);
  return all + static_cast<unsigned char>(room[5000]);
}

// Rounding and what was raised belong to who set them.
inline Value rounding(Key key) {
  check(fegetround() == FE_TONEAREST, "another's rounding", key);
  fesetround(key.pick(2, 1) ? FE_UPWARD : FE_TOWARDZERO);
  int mine = fegetround();
  Value all = plain_wait(key);
  check(fegetround() == mine, "rounding after a call", key);
  volatile double third = 1.0;
  third = third / 3;
  check((third > 0.333333333333333314) == (mine == FE_UPWARD), "a rounded number", key);
  fesetround(FE_TONEAREST);
  return all;
}

// Kept for later, and thrown again elsewhere.
inline Value carried_exception(Key key) {
  std::exception_ptr kept;
  try {
    plain_wait(key.child(1));
    throw std::string("first");
  } catch (...) {
    plain_wait(key.child(2));
    kept = std::current_exception();
  }
  plain_wait(key.child(3));
  std::thread other([&] {
    try {
      std::rethrow_exception(kept);
    } catch (const std::string& s) {
      check(s == "first", "an exception in another thread", key);
    }
  });
  try {
    try {
      std::rethrow_exception(kept);
    } catch (...) {
      plain_wait(key.child(4));
      std::throw_with_nested(std::runtime_error("second"));
    }
  } catch (const std::nested_exception& outer) {
    plain_wait(key.child(5));
    try {
      outer.rethrow_nested();
    } catch (const std::string& s) {
      plain_wait(key.child(6));
      check(s == "first", "a nested exception", key);
    }
  }
  other.join();
  return 79;
}

// An errno of a function that does not call the kernel, over one that waits and succeeds.
inline Value kept_errno(Key key) {
  set_errno(0);
  check(strtol("99999999999999999999", nullptr, 10) == LONG_MAX && get_errno() == ERANGE, "strtol", key);
  plain_wait(key);
  check(get_errno() == ERANGE, "errno over a sleep", key);
  int fd = own_file(key);
  check(write(fd, "x", 1) == 1 && !fsync(fd) && lseek(fd, 0, SEEK_SET) == 0, "a file", key);
  close(fd);
  check(get_errno() == ERANGE, "errno over a write", key);
  return 83;
}

inline Value shared_lock(Key key) {
  static std::shared_mutex mutex;
  if (key.pick(3, 1)) {
    std::shared_lock<std::shared_mutex> lock(mutex);
    return plain_wait(key);
  }
  std::unique_lock<std::shared_mutex> lock(mutex);
  static volatile Value inside = 0;
  inside = key.bits;
  Value all = plain_wait(key);
  check(inside == key.bits, "alone in a shared lock", key);
  return all;
}
