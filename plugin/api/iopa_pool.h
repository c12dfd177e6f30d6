// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "control/controller.h"
#include "weir/iopa.h"

namespace weir::api {

// The threads behind iopa.h. They are the program's: default stack, the signal mask of who called run().
//
//   closed --open()--> open --run()--> running --no file left, last thread ended, controller gone--> open --close()--> closed
//
// A thread asks for the next file. There it retires when more run than are wanted: never with a file in hand.
class IopaPool {
 public:
  int open(const IOPA_Config& config);
  bool is_open() const { return phase_.load(std::memory_order_acquire) != closed; }
  int run(IOPA_ThreadFn fn, void* arg, const char* const* files, std::size_t count);
  const char* next_file();
  int wait();
  int close();
  void after_fork();  // in the child the threads are gone, and with them what they were at

  static bool inside();  // is this one of the pool's threads, in fn?

 private:
  enum Phase : std::uint32_t { closed, busy, idle, running };
  struct Worker;

  static void* worker(void* pool);
  static void left_by_fn(void* pool);
  static void control(void* pool);
  void work(Worker& me);
  int start_worker();
  void grow();
  void steer();
  bool over() const;
  void leave();
  void ended();
  void tell(double t_s, const control::Decision& decision, double bytes_per_s);
  control::Bounds bounds() const;
  control::IopaTuning tuning() const;
  int clamped(int limit) const;

  std::atomic<std::uint32_t> phase_{closed};
  IOPA_Config config_{};
  IOPA_ThreadFn fn_ = nullptr;
  void* arg_ = nullptr;
  const char* const* files_ = nullptr;
  std::size_t count_ = 0;
  std::uint64_t signals_ = 0;              // mask of the caller of run()
  std::atomic<std::size_t> next_{0};       // the first file that nobody has
  std::atomic<int> wanted_{1};             // threads
  std::atomic<int> active_{0};             // threads that have not been told to end
  std::atomic<std::uint32_t> live_{0};     // threads, and the controller's
  std::atomic<std::uint32_t> pulse_{0};    // changes when the controller should look up
  std::atomic<bool> refused_{false};       // fn came back without a file: no more threads are started
};
extern IopaPool iopa_pool;

}  // namespace weir::api
