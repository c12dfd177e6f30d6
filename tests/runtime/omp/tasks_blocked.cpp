// SPDX-License-Identifier: Apache-2.0
// Tasks that block their threads in libc for what another task does, which itself waits for a call. Knows nothing of
// weir. Argument: how often; 0 for statics alone; `asleep` for waits that have no time limit; `whole` for calls that go on until all of what
// they are for is done, and such as change the mask of signals.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <thread>

namespace {

void block(long ms) {
  timespec t = {0, ms * 1000000};
  nanosleep(&t, nullptr);
}

// What a waiting task waits by.
struct Condition {
  void tell() {
    std::lock_guard<std::mutex> lock(mutex);
    told = true;
    all.notify_all();
  }
  bool wait() {
    std::unique_lock<std::mutex> lock(mutex);
    all.wait(lock, [this] { return told; });
    return told;
  }
  std::mutex mutex;
  std::condition_variable all;
  bool told = false;
};

struct LimitedCondition : Condition {
  bool wait() {
    std::unique_lock<std::mutex> lock(mutex);
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    return all.wait_until(lock, end, [this] { return told; });
  }
};

struct SystemTimeCondition : Condition {
  bool wait() {
    std::unique_lock<std::mutex> lock(mutex);
    auto end = std::chrono::system_clock::now() + std::chrono::seconds(60);
    return all.wait_until(lock, end, [this] { return told; });
  }
};

struct Semaphore {
  Semaphore() { sem_init(&semaphore, 0, 0); }
  ~Semaphore() { sem_destroy(&semaphore); }
  void tell() { sem_post(&semaphore); }
  bool wait() {
    bool got = !sem_wait(&semaphore);
    sem_post(&semaphore);  // for the next one
    return got;
  }
  sem_t semaphore;
};

struct Flag {
  void tell() {
    told = 1;
    told.notify_all();
  }
  bool wait() {
    told.wait(0);
    return told;
  }
  std::atomic<int> told{0};
};

// Joins a thread that itself waits for the task.
struct Join {
  void tell() { condition.tell(); }
  bool wait() {
    bool result = false;
    std::thread([&] { result = condition.wait(); }).join();
    return result;
  }
  Condition condition;
};

// A file's lock, held while the first waits for a call: from the start, so that all others come while it is held.
template <auto lock>
struct OfAFile {
  OfAFile() {
    std::snprintf(name, sizeof name, "lock.%d", getpid());
    held = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    lock(held, true);
  }
  ~OfAFile() { close(held); }
  void tell() {
    unlink(name);
    lock(held, false);
  }
  bool wait() {
    int own = open(name, O_RDWR | O_CLOEXEC);
    if (own < 0) return errno == ENOENT;  // it is over
    bool got = !lock(own, true);
    close(own);
    return got;
  }
  int held;
  char name[32];
};
int by_flock(int fd, bool take) { return flock(fd, take ? LOCK_EX : LOCK_UN); }
int by_fcntl(int fd, bool take) {
  struct flock l {};
  l.l_type = take ? F_WRLCK : F_UNLCK;
  return fcntl(fd, take ? F_OFD_SETLKW : F_OFD_SETLK, &l);
}
using FileLock = OfAFile<by_flock>;
using OpenFileLock = OfAFile<by_fcntl>;

// A child that ends once it is told to. Whoever comes first takes the news.
struct Child {
  Child() {
    if (pipe2(ends, O_CLOEXEC)) std::abort();
    pid = fork();
    if (pid) return;
    char byte;
    _exit(read(ends[0], &byte, 1) == 1 ? 7 : 1);
  }
  ~Child() { close(ends[0]), close(ends[1]); }
  void tell() {
    if (write(ends[1], "x", 1) != 1) std::abort();
  }
  bool wait() {
    int status = 0;
    pid_t got = waitpid(pid, &status, 0);
    return got == pid ? WEXITSTATUS(status) == 7 : got < 0 && errno == ECHILD;
  }
  int ends[2];
  pid_t pid;
};
struct ChildById : Child {
  bool wait() {
    siginfo_t news{};
    int got = waitid(P_PID, static_cast<id_t>(pid), &news, WEXITED | WNOWAIT);
    return !got && news.si_status == 7;
  }
};

struct SystemSemaphore {
  SystemSemaphore() : set(semget(IPC_PRIVATE, 1, 0600)) {}
  ~SystemSemaphore() { semctl(set, 0, IPC_RMID); }
  void tell() { change(1); }
  bool wait() { return !change(-1) && !change(1); }
  int change(short by) const {
    sembuf step = {0, by, 0};
    return semop(set, &step, 1);
  }
  int set;
};

struct LimitedSystemSemaphore : SystemSemaphore {
  bool wait() {
    sembuf step = {0, -1, 0};
    timespec limit = {60, 0};
    return !semtimedop(set, &step, 1, &limit) && !change(1);
  }
};

struct SystemQueue {
  struct Message {
    long type;
    char text[8];
  };
  SystemQueue() : queue(msgget(IPC_PRIVATE, 0600)) {}
  ~SystemQueue() { msgctl(queue, IPC_RMID, nullptr); }
  void tell() const {
    Message m = {1, "told"};
    if (msgsnd(queue, &m, sizeof m.text, 0)) std::abort();
  }
  bool wait() const {
    Message m = {};
    if (msgrcv(queue, &m, sizeof m.text, 0, 0) != sizeof m.text) return false;
    tell();  // the next one
    return !std::strcmp(m.text, "told");
  }
  int queue;
};

// C11's: a condition, a mutex that can be waited for with a limit, a join.
struct OfC11 {
  OfC11() {
    mtx_init(&mutex, mtx_timed);
    cnd_init(&all);
  }
  ~OfC11() {
    cnd_destroy(&all);
    mtx_destroy(&mutex);
  }
  void tell() {
    mtx_lock(&mutex);
    told = true;
    cnd_broadcast(&all);
    mtx_unlock(&mutex);
  }
  bool wait_here() {
    timespec end;
    timespec_get(&end, TIME_UTC);
    end.tv_sec += 60;
    if (mtx_timedlock(&mutex, &end) != thrd_success) return false;
    while (!told && cnd_wait(&all, &mutex) == thrd_success) {}
    mtx_unlock(&mutex);
    return told;
  }
  static int body(void* self) { return static_cast<OfC11*>(self)->wait_here(); }
  bool wait() {
    thrd_t thread;
    int got = 0;
    if (thrd_create(&thread, body, this) != thrd_success || thrd_join(thread, &got) != thrd_success) return false;
    return got && wait_here();
  }
  mtx_t mutex;
  cnd_t all;
  bool told = false;
};

// A mutex held meanwhile; the others come with a limit.
struct Limited {
  Limited() { held.lock(); }
  void tell() { held.unlock(); }
  bool wait() {
    bool got = held.try_lock_for(std::chrono::seconds(60));
    if (got) held.unlock();
    return got;
  }
  std::timed_mutex held;
};

// Readiness of a descriptor, asked for in ways that only a thread can wait by.
struct Readiness {
  Readiness() {
    if (pipe(ends)) std::abort();
  }
  ~Readiness() { close(ends[0]), close(ends[1]); }
  void tell() {
    if (write(ends[1], "x", 1) != 1) std::abort();
  }
  int ends[2];
};
struct Selected : Readiness {
  bool wait() {
    fd_set in;
    FD_ZERO(&in);
    FD_SET(ends[0], &in);
    timeval limit = {60, 0};
    return select(ends[0] + 1, &in, nullptr, nullptr, &limit) == 1 && FD_ISSET(ends[0], &in) && limit.tv_sec < 60;
  }
};
struct Polled : Readiness {
  bool wait() {
    pollfd both[2] = {{ends[0], POLLIN, 0}, {-1, 0, 0}};
    return poll(both, 2, -1) == 1 && both[0].revents == POLLIN;
  }
};

// With a mask of signals for as long as it waits.
struct Masked : Readiness {
  Masked() { sigemptyset(&mask); }
  sigset_t mask;
};
struct PolledMasked : Masked {
  bool wait() {
    pollfd one = {ends[0], POLLIN, 0};
    timespec limit = {60, 0};
    return ppoll(&one, 1, &limit, &mask) == 1 && one.revents == POLLIN;
  }
};
struct SelectedMasked : Masked {
  bool wait() {
    fd_set in;
    FD_ZERO(&in);
    FD_SET(ends[0], &in);
    return pselect(ends[0] + 1, &in, nullptr, nullptr, nullptr, &mask) == 1 && FD_ISSET(ends[0], &in);
  }
};
template <int Name>
struct EpollMasked : Masked {
  bool wait() {
    int all = epoll_create1(0);
    epoll_event about = {EPOLLIN, {}}, got = {};
    epoll_ctl(all, EPOLL_CTL_ADD, ends[0], &about);
    timespec limit = {60, 0};
    bool seen = (Name == 1 ? epoll_pwait(all, &got, 1, -1, &mask) : epoll_pwait2(all, &got, 1, &limit, &mask)) == 1;
    close(all);
    return seen && got.events == EPOLLIN;
  }
};

// Commands, that end once they are told to. Each tells the next one.
struct Command : Readiness {
  Command() { std::snprintf(line, sizeof line, "read word </dev/fd/%d; exit 7", ends[0]); }
  void tell() {
    if (write(ends[1], "x\n", 2) != 2) std::abort();
  }
  bool ended_well(int status) {
    tell();
    return WIFEXITED(status) && WEXITSTATUS(status) == 7;
  }
  char line[64];
};
struct SystemCommand : Command {
  bool wait() { return ended_well(system(line)); }
};
struct PipedCommand : Command {
  bool wait() { return ended_well(pclose(popen(line, "w"))); }
};

// What comes in two parts, the second when somebody was told, and is taken by one call.
struct InTwo : Readiness {
  template <typename Make, typename Take>
  bool take(Make make, Take all_of) {
    int own[2];
    if (make(own) || write(own[1], "to", 2) != 2) std::abort();
    std::thread rest([&] {
      char byte;
      if (read(ends[0], &byte, 1) != 1 || write(own[1], "ld\n", 3) != 3) std::abort();
      tell();  // the next one
    });
    bool got = all_of(own[0]);
    rest.join();
    close(own[0]), close(own[1]);
    return got;
  }
  template <typename Read>
  bool read_by(Read all_of) {
    return take([](int* own) { return pipe(own); }, [&](int fd) {
      FILE* in = fdopen(dup(fd), "r");
      bool got = all_of(in);
      fclose(in);
      return got;
    });
  }
};
struct Line : InTwo {
  bool wait() {
    return read_by([](FILE* in) {
      char* line = nullptr;
      size_t room = 0;
      bool got = getline(&line, &room, in) == 5 && !std::strcmp(line, "told\n");
      std::free(line);
      return got;
    });
  }
};
// Its first part lies in the stream's buffer.
struct RestOfLine : InTwo {
  bool wait() {
    return read_by([](FILE* in) {
      char line[8];
      return getc(in) == 't' && std::fgets(line, sizeof line, in) && !std::strcmp(line, "old\n");
    });
  }
};
struct Items : InTwo {
  bool wait() {
    return read_by([](FILE* in) {
      char text[5];
      return std::fread(text, 1, 5, in) == 5 && !std::memcmp(text, "told\n", 5);
    });
  }
};
struct Word : InTwo {
  bool wait() {
    return read_by([](FILE* in) {
      char text[8];
      return std::fscanf(in, "%7s", text) == 1 && !std::strcmp(text, "told");
    });
  }
};
struct WholeMessage : InTwo {
  bool wait() {
    return take([](int* own) { return socketpair(AF_UNIX, SOCK_STREAM, 0, own); }, [](int fd) {
      char text[5];
      iovec part = {text, 5};
      msghdr message = {};
      message.msg_iov = &part, message.msg_iovlen = 1;
      return recvmsg(fd, &message, MSG_WAITALL) == 5 && !std::memcmp(text, "told\n", 5);
    });
  }
};
struct WholeBatch : InTwo {
  bool wait() {
    return take([](int* own) { return socketpair(AF_UNIX, SOCK_DGRAM, 0, own); }, [](int fd) {
      char text[2][8];
      iovec parts[2] = {{text[0], 8}, {text[1], 8}};
      mmsghdr all[2] = {};
      for (int i = 0; i < 2; ++i) all[i].msg_hdr.msg_iov = &parts[i], all[i].msg_hdr.msg_iovlen = 1;
      return recvmmsg(fd, all, 2, 0, nullptr) == 2 && all[0].msg_len == 2 && all[1].msg_len == 3;
    });
  }
};

struct Batch {
  Batch() {
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)) std::abort();
  }
  ~Batch() { close(ends[0]), close(ends[1]); }
  void tell() {
    if (send(ends[1], "x", 1, 0) != 1) std::abort();
  }
  bool wait() {
    char byte = 0;
    iovec part = {&byte, 1};
    mmsghdr all[2] = {};
    for (mmsghdr& m : all) m.msg_hdr.msg_iov = &part, m.msg_hdr.msg_iovlen = 1;
    bool got = recvmmsg(ends[0], all, 2, MSG_WAITFORONE, nullptr) == 1 && byte == 'x';
    tell();  // the next one
    return got;
  }
  int ends[2];
};

// The second waits on the thread where the first was begun and blocked: without weir the first is over then.
template <typename Waits>
long behind_it() {
  Waits first_done;
  std::atomic<bool> second_began{false};
  long seen = 0;
#pragma omp parallel num_threads(2) shared(first_done, second_began, seen)
  {
#pragma omp single nowait
    {
#pragma omp task shared(first_done, second_began, seen)
      {
#pragma omp task shared(first_done, second_began, seen)
        {
          second_began = true;
          seen = first_done.wait();
        }
        block(5);
        first_done.tell();
#pragma omp taskwait
      }
#pragma omp taskwait
    }
    while (!second_began) {}
  }
  return seen;
}

// More of them wait than there are threads.
template <typename Waits>
long all_for_one(int count, long ms = 5) {
  Waits first_done;
  std::atomic<long> seen{0};
#pragma omp parallel shared(first_done, seen)
#pragma omp single
  {
#pragma omp task shared(first_done)
    {
      block(ms);
      first_done.tell();
    }
    for (int i = 0; i < count; i++)
#pragma omp task shared(first_done, seen)
    seen += first_done.wait();
  }
  return seen;
}

// Two that come to a barrier, each after a call of its own.
long meet() {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  std::atomic<long> through{0};
#pragma omp parallel num_threads(2) shared(barrier, through)
#pragma omp single
  for (int i = 0; i < 2; i++)
#pragma omp task shared(barrier, through)
  {
    block(i ? 3 : 1);
    pthread_barrier_wait(&barrier);
    through++;
  }
  pthread_barrier_destroy(&barrier);
  return through;
}

template <typename Waits>
void show(const char* name) {
  std::printf("%s %ld %ld %ld\n", name, behind_it<Waits>(), all_for_one<Waits>(2), all_for_one<Waits>(12));
}

// A static whose initializer waits for a slow descriptor: those that come meanwhile wait for it.
struct Slow {
  Slow() {
    int ends[2];
    if (pipe(ends)) std::abort();
    std::thread writer([&] {
      block(3);
      char byte = 7;
      if (write(ends[1], &byte, 1) != 1) std::abort();
    });
    char byte = 0;
    if (read(ends[0], &byte, 1) == 1) value = byte;
    writer.join();
    close(ends[0]);
    close(ends[1]);
  }
  int value = 0;
};

template <int Which>
int slow_static() {
  static Slow slow;
  return slow.value;
}

template <int Which>
long static_of() {
  std::atomic<long> sum{0};
#pragma omp parallel shared(sum)
#pragma omp single
  for (int i = 0; i < 8; i++)
#pragma omp task shared(sum)
  {
    block(1);
    sum += slow_static<Which>();
  }
  return sum;
}

}  // namespace

int main(int count, char** argument) {
  if (count > 1 && !std::strcmp(argument[1], "asleep")) {
    std::printf("flag %ld %ld barrier %ld\n", behind_it<Flag>(), all_for_one<Flag>(12), meet());
    return 0;
  }
  if (count > 1 && !std::strcmp(argument[1], "whole")) {
    std::printf("the first at once %ld\n", all_for_one<PipedCommand>(12, 200));
    show<LimitedSystemSemaphore>("semaphore of System V with a limit");
    show<PolledMasked>("ppoll with a mask");
    show<SelectedMasked>("pselect with a mask");
    show<EpollMasked<1>>("epoll with a mask");
    show<EpollMasked<2>>("epoll with a mask and a limit");
    show<SystemCommand>("command");
    show<PipedCommand>("command at a pipe");
    show<Line>("line in two parts");
    show<RestOfLine>("rest of a line");
    show<Items>("items in two parts");
    show<Word>("word in two parts");
    show<WholeMessage>("message in two parts");
    show<WholeBatch>("whole batch of datagrams");
    return 0;
  }
  std::printf("statics %ld %ld %ld %ld\n", static_of<0>(), static_of<1>(), static_of<2>(), static_of<3>());
  if (count > 1 && std::atoi(argument[1]) == 0) return 0;
  for (int i = count > 1 ? std::atoi(argument[1]) : 1; i > 0; i--) {
    show<Condition>("condition");
    show<LimitedCondition>("condition with a limit");
    show<SystemTimeCondition>("condition with a limit by the clock");
    show<Semaphore>("semaphore");
    show<Join>("join");
    show<FileLock>("lock of a file");
    show<OpenFileLock>("lock of an open file");
    show<Child>("child");
    show<ChildById>("child by id");
    show<SystemSemaphore>("semaphore of System V");
    show<SystemQueue>("queue of System V");
    show<Batch>("batch of datagrams");
    show<OfC11>("C11");
    show<Limited>("mutex with a limit");
    show<Selected>("select");
    show<Polled>("poll of two");
  }
}
