// SPDX-License-Identifier: Apache-2.0
// A thread that computes while tasks are ready may be interrupted by weir's own signal, and begin a wait right then that no signal
// restarts: it ends as if none had come, and as late. Here that signal comes when they wait: the program sends it, as weir might.
// auto WEIR_WATCHDOG_MS=20: suspended >= 1 and parked >= 20
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>

#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "case.h"

namespace {

constexpr int limit_ms = 400;
constexpr timespec limit{0, limit_ms * 1'000'000L};
constexpr std::size_t many = 1 << 20;

double now_ms() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// As in spin_lock_full: weir has its signal from then on.
void have_a_thread_interrupted() {
  UnseenLock lock;
  tbb::task_arena arena(2);
  arena.execute([&] {
    tbb::parallel_for(0, 20, [&](int) {
      lock.lock();
      wait_ms(1);
      lock.unlock();
    });
  });
}

// The one that has a handler; the program has none. 0: no weir is there.
int signal_of_weir() {
  for (int signal = SIGRTMAX - 1; signal > SIGRTMIN; --signal) {
    void* action[4] = {};
    if (!syscall(SYS_rt_sigaction, signal, nullptr, action, 8) && action[0]) return signal;
  }
  return 0;
}

struct Pipe {
  int ends[2];
  Pipe() { check(!pipe(ends), "a pipe"); }
};

struct Sockets {
  int ends[2];
  Sockets() { check(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "sockets"); }
};

// What the threads wait for in vain, and for what comes when the last signal was sent.
struct Awaited {
  Pipe never, late, slow;
  Sockets limited, in_part;
  int epoll = epoll_create1(0);
  int semaphores = semget(IPC_PRIVATE, 2, 0600);
  int queue = msgget(IPC_PRIVATE, 0600);

  Awaited() {
    epoll_event event{};
    event.events = EPOLLIN;
    epoll_ctl(epoll, EPOLL_CTL_ADD, never.ends[0], &event);
    timeval time{0, limit_ms * 1000};
    setsockopt(limited.ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  }
  // From the first signal on to the last.
  void comes_in_part() {
    static char bytes[4096];
    check(read(slow.ends[0], bytes, sizeof bytes) == sizeof bytes, "a part is read");
    check(write(in_part.ends[1], bytes, 1000) == 1000, "a part is sent");
  }
  void comes_late() {
    static char bytes[7000];
    check(write(in_part.ends[1], bytes, sizeof bytes) == sizeof bytes, "the rest is sent");
    check(write(late.ends[1], "late", 4) == 4, "bytes are written");
    sembuf raise{1, 1, 0};
    check(!semop(semaphores, &raise, 1), "a semaphore is raised");
    long message = 1;
    check(!msgsnd(queue, &message, 0, 0), "a message is sent");
    while (read(slow.ends[0], bytes, sizeof bytes) > 0) continue;
  }
  void are_over() {
    semctl(semaphores, 0, IPC_RMID);
    msgctl(queue, IPC_RMID, nullptr);
  }
};

enum Ends { on_time, late, some_time };

struct Wait {
  const char* name;
  Ends ends;
  std::function<long(Awaited&)> wait;
};

long poll_of(std::vector<pollfd> about) { return poll(about.data(), about.size(), limit_ms); }

fd_set set_of(int fd) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(fd, &set);
  return set;
}

const std::vector<Wait> waits{
    {"poll", on_time, [](Awaited& a) { return poll_of({{a.never.ends[0], POLLIN, 0}}); }},
    {"poll of two", on_time, [](Awaited& a) { return poll_of({{a.never.ends[0], POLLIN, 0}, {a.limited.ends[1], POLLIN, 0}}); }},
    {"poll of none", on_time, [](Awaited&) { return poll_of({}); }},
    {"poll without a limit", late, [](Awaited& a) {
       pollfd one{a.late.ends[0], POLLIN, 0};
       return poll(&one, 1, -1);
     }},
    {"ppoll", on_time, [](Awaited& a) {
       pollfd one{a.never.ends[0], POLLIN, 0};
       return ppoll(&one, 1, &limit, nullptr);
     }},
    {"select", on_time, [](Awaited& a) {
       fd_set in = set_of(a.never.ends[0]);
       timeval time{0, limit_ms * 1000};
       int value = select(a.never.ends[0] + 1, &in, nullptr, nullptr, &time);
       return value * 100 + FD_ISSET(a.never.ends[0], &in) * 10 + (time.tv_usec || time.tv_sec);
     }},
    {"pselect", on_time, [](Awaited& a) {
       fd_set in = set_of(a.never.ends[0]);
       return pselect(a.never.ends[0] + 1, &in, nullptr, nullptr, &limit, nullptr);
     }},
    {"select without a limit", late, [](Awaited& a) {
       fd_set in = set_of(a.late.ends[0]);
       return select(a.late.ends[0] + 1, &in, nullptr, nullptr, nullptr) * 10 + FD_ISSET(a.late.ends[0], &in);
     }},
    {"epoll_wait", on_time, [](Awaited& a) {
       epoll_event event;
       return epoll_wait(a.epoll, &event, 1, limit_ms);
     }},
    {"epoll_pwait", on_time, [](Awaited& a) {
       epoll_event event;
       sigset_t mask;
       sigemptyset(&mask);
       return epoll_pwait(a.epoll, &event, 1, limit_ms, &mask);
     }},
    {"epoll_pwait2", on_time, [](Awaited& a) {
       epoll_event event;
       return epoll_pwait2(a.epoll, &event, 1, &limit, nullptr);
     }},
    {"nanosleep", on_time, [](Awaited&) {
       timespec left{7, 7};
       return nanosleep(&limit, &left) * 100 + left.tv_sec;
     }},
    {"clock_nanosleep", on_time, [](Awaited&) { return clock_nanosleep(CLOCK_MONOTONIC, 0, &limit, nullptr); }},
    {"clock_nanosleep until", on_time, [](Awaited&) {
       timespec until;
       clock_gettime(CLOCK_REALTIME, &until);
       until.tv_nsec += limit.tv_nsec;
       if (until.tv_nsec >= 1'000'000'000) ++until.tv_sec, until.tv_nsec -= 1'000'000'000;
       return clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, nullptr);
     }},
    {"usleep", on_time, [](Awaited&) { return usleep(limit_ms * 1000); }},
    {"sleep", some_time, [](Awaited&) {
       double began = now_ms();
       long left = sleep(1);
       return left * 10 + (now_ms() - began > 990);
     }},
    {"thrd_sleep", on_time, [](Awaited&) { return thrd_sleep(&limit, nullptr); }},
    {"sem_timedwait", on_time, [](Awaited&) {
       sem_t semaphore;
       sem_init(&semaphore, 0, 0);
       timespec until;
       clock_gettime(CLOCK_REALTIME, &until);
       until.tv_nsec += limit.tv_nsec;
       if (until.tv_nsec >= 1'000'000'000) ++until.tv_sec, until.tv_nsec -= 1'000'000'000;
       return sem_timedwait(&semaphore, &until);
     }},
    {"semtimedop", on_time, [](Awaited& a) {
       sembuf lower{0, -1, 0};
       return semtimedop(a.semaphores, &lower, 1, &limit);
     }},
    {"semop", late, [](Awaited& a) {
       sembuf lower{1, -1, 0};
       return semop(a.semaphores, &lower, 1);
     }},
    {"msgrcv", late, [](Awaited& a) {
       long message;
       return msgrcv(a.queue, &message, 0, 0, 0);
     }},
};

const std::vector<Wait> waits_in_tasks{
    {"recv with a limit", some_time, [](Awaited& a) {
       char byte;
       return recv(a.limited.ends[0], &byte, 1, 0);
     }},
    {"recv of all", late, [](Awaited& a) {
       char bytes[10'000];
       return recv(a.in_part.ends[0], bytes, sizeof bytes, MSG_WAITALL);
     }},
    {"write of much", late, [](Awaited& a) {
       std::vector<char> bytes(many);
       ssize_t put = write(a.slow.ends[1], bytes.data(), bytes.size());
       close(a.slow.ends[1]);
       return put;
     }},
};

struct Waiter {
  explicit Waiter(const Wait& what) : wait(what) {}
  const Wait& wait;
  std::atomic<int> tid{0};
  long value = 0;
  int error = 0;
  double took_ms = 0;
  std::thread thread;

  void run(Awaited& awaited) {
    double began = now_ms();
    tid = static_cast<int>(syscall(SYS_gettid));
    errno = 0;
    value = wait.wait(awaited);
    error = errno;
    took_ms = now_ms() - began;
  }
  // With a lock held: so the thread is to wait for it.
  void run_in_task(Awaited& awaited) {
    std::mutex mutex;
    tbb::task_group group;
    group.run_and_wait([&] {
      std::lock_guard lock(mutex);
      run(awaited);
    });
  }
  const char* when() const {
    if (took_ms < limit_ms - 10) return "early";
    if (wait.ends == on_time) return took_ms < limit_ms + 200 ? "on time" : "late";
    return "then";
  }
  void tell(const char* where) const { std::printf("%s: %s: %ld, errno %d, %s\n", where, wait.name, value, error, when()); }
};

void wait_all(const char* where, const std::vector<Wait>& which, bool in_tasks, bool writes, int signal) {
  Awaited awaited;
  std::vector<char> filling(65536);
  check(write(awaited.slow.ends[1], filling.data(), filling.size()) == 65536, "a full pipe");
  std::deque<Waiter> waiters;
  for (const Wait& wait : which) waiters.emplace_back(wait);
  for (Waiter& waiter : waiters)
    waiter.thread = std::thread([&, in_tasks] { in_tasks ? waiter.run_in_task(awaited) : waiter.run(awaited); });
  for (Waiter& waiter : waiters)
    while (!waiter.tid) usleep(100);
  const double began = now_ms();
  for (int i = 1; i <= 3; ++i) {
    while (now_ms() < began + i * limit_ms / 4 - 20) usleep(1000);
    awaited.comes_in_part();
    while (now_ms() < began + i * limit_ms / 4) usleep(1000);
    for (Waiter& waiter : waiters)
      if (signal) syscall(SYS_tgkill, getpid(), waiter.tid.load(), signal);
  }
  while (now_ms() < began + limit_ms + 20) usleep(1000);
  if (!writes) close(awaited.slow.ends[1]);
  awaited.comes_late();
  for (Waiter& waiter : waiters) waiter.thread.join();
  for (Waiter& waiter : waiters) waiter.tell(where);
  awaited.are_over();
}

}  // namespace

int main() {
  have_a_thread_interrupted();
  int signal = signal_of_weir();
  check(signal || !getenv("WEIR_LANE"), "weir has a signal");
  wait_all("a thread", waits, false, false, signal);
  wait_all("a task", waits, true, false, signal);
  wait_all("a task", waits_in_tasks, true, true, signal);
}
