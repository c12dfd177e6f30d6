// SPDX-License-Identifier: Apache-2.0
#pragma once

// A tbb::task_arena whose tasks may block in weir's calls at no core's cost. Link libweir_tbb and libtbb; LD_PRELOAD is
// not needed, and does no harm.
//
//   weir::io_arena arena;
//   arena.execute([&] {
//     tbb::parallel_for(0, 5000, [&](int i) {
//       weir::pread(fd, buffer[i], 4096, i * 4096L);   // the task is set aside, its thread takes others
//       compute(buffer[i]);                            // perhaps on another thread
//     });
//   });
//
// Outside such an arena, and outside tasks, the calls block their thread; under `weir run` tasks of any arena are set aside.
//
// Hold no lock over them (weir.h): a std::mutex, a tbb::spin_mutex. A task that is set aside keeps it, and where all threads of the
// arena wait for it none is left to go on with that task. Under the preload, which counts the locks of libc, but not those that are
// inlined, who holds one blocks its thread.

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "weir/weir.h"

namespace weir {

struct io_statistics {
  std::int64_t calls = 0;          // made by tasks of the arena
  std::int64_t in_flight = 0;      // of these, not over yet
  std::int64_t peak_in_flight = 0;
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;
  std::int64_t failed = 0;
};

namespace tbb_detail {

struct Watch;  // what is known of one io_arena; in libweir_tbb.so

// Starts the engine if need be, and watches who enters `arena`. permits: see io_arena::set_permits.
Watch* watch(::tbb::task_arena& arena, std::int64_t permits);
void unwatch(Watch* watched);
// Who enters is seen no more; or again, unless that is so already.
void observe(Watch* watched, ::tbb::task_arena& arena);
void observe_no_more(Watch* watched);
io_statistics statistics_of(const Watch* watched);

// Around each call. begin() may set the task aside until there is a permit; watched: nullptr in no io_arena's task.
enum class Moves { nothing, in, out };
struct Begun {
  Watch* watched;
  bool has_permit;
};
Begun begin(int fd);
void end(Begun begun, Moves moves, ssize_t result);

template <typename Call>
auto counted(int fd, Moves moves, Call call) {
  Begun begun = begin(fd);
  auto result = call();
  if (begun.watched) end(begun, moves, static_cast<ssize_t>(result));
  return result;
}

}  // namespace tbb_detail

// Drop-in for tbb::task_arena: the same constructors and members. Not watched, and hence no more than a task_arena, are
// entries by way of a reference to the base before the first execute(), enqueue() or initialize() of its own, and tasks that
// outlive it, or its terminate(), once no call is under way that they had made by then.
class io_arena : public ::tbb::task_arena {
 public:
  using ::tbb::task_arena::task_arena;
  io_arena() = default;
  io_arena(const io_arena& other) : ::tbb::task_arena(other), permits_(other.permits_) {}
  ~io_arena() {
    if (tbb_detail::Watch* watched = watch_.load()) tbb_detail::unwatch(watched);
  }

  // At most so many of its tasks' calls on files and block devices are in flight; 0, the default: as many as the process
  // has permits for. Sockets and pipes take none: who waits for one may hold up who would write to it. Nor does a
  // task that finds none left and can't be set aside: there may be as many more as the arena has threads. Before first use.
  void set_permits(std::int64_t permits) { permits_ = permits; }
  std::int64_t permits() const { return permits_; }

  io_statistics statistics() const {
    tbb_detail::Watch* watched = watch_.load();
    return watched ? tbb_detail::statistics_of(watched) : io_statistics{};
  }

  void initialize() {
    ::tbb::task_arena::initialize();
    be_watched();
  }
  template <typename... Arguments>
  void initialize(Arguments&&... arguments) {
    ::tbb::task_arena::initialize(std::forward<Arguments>(arguments)...);
    be_watched();
  }
  void terminate() {
    if (tbb_detail::Watch* watched = watch_.load()) tbb_detail::observe_no_more(watched);
    is_observed_.store(false);
    ::tbb::task_arena::terminate();
  }
  template <typename F>
  auto execute(F&& body) -> decltype(body()) {
    be_watched();
    return ::tbb::task_arena::execute(std::forward<F>(body));
  }
  template <typename... Arguments>
  void enqueue(Arguments&&... arguments) {
    be_watched();
    ::tbb::task_arena::enqueue(std::forward<Arguments>(arguments)...);
  }

 private:
  void be_watched() {
    if (is_observed_.load(std::memory_order_acquire)) return;
    tbb_detail::Watch* watched = watch_.load();
    if (!watched) {
      tbb_detail::Watch* ours = tbb_detail::watch(*this, permits_);
      if (watch_.compare_exchange_strong(watched, ours)) watched = ours;
      else tbb_detail::unwatch(ours);
    }
    tbb_detail::observe(watched, *this);
    is_observed_.store(true, std::memory_order_release);
  }

  std::atomic<tbb_detail::Watch*> watch_{nullptr};
  std::atomic<bool> is_observed_{false};  // terminate() takes it back: libtbb makes another arena then
  std::int64_t permits_ = 0;
};

// Each returns a value >= 0, or -errno, as weir.h says. The task may go on on another thread.
inline ssize_t read(int fd, void* to, size_t bytes) {
  return tbb_detail::counted(fd, tbb_detail::Moves::in, [=] { return weir_read(fd, to, bytes); });
}
inline ssize_t pread(int fd, void* to, size_t bytes, off_t offset) {
  return tbb_detail::counted(fd, tbb_detail::Moves::in, [=] { return weir_pread(fd, to, bytes, offset); });
}
inline ssize_t recv(int fd, void* to, size_t bytes, int flags = 0) {
  return tbb_detail::counted(fd, tbb_detail::Moves::in, [=] { return weir_recv(fd, to, bytes, flags); });
}
inline ssize_t send(int fd, const void* from, size_t bytes, int flags = 0) {
  return tbb_detail::counted(fd, tbb_detail::Moves::out, [=] { return weir_send(fd, from, bytes, flags); });
}
inline int accept(int fd, sockaddr* peer = nullptr, socklen_t* peer_bytes = nullptr, int flags = 0) {
  return tbb_detail::counted(fd, tbb_detail::Moves::nothing, [=] { return weir_accept(fd, peer, peer_bytes, flags); });
}
inline int connect(int fd, const sockaddr* peer, socklen_t peer_bytes) {
  return tbb_detail::counted(fd, tbb_detail::Moves::nothing, [=] { return weir_connect(fd, peer, peer_bytes); });
}
inline int sleep(std::int64_t ns) {
  return tbb_detail::counted(-1, tbb_detail::Moves::nothing, [=] { return weir_sleep(ns); });
}

}  // namespace weir
