// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <atomic>
#include <cstdint>

// The last resort where tasks are ready and no thread comes for them, since every one runs code that waits, in a way
// nobody can see, for what such a task will do: a busy thread is interrupted by a signal.
namespace weir::interrupt {

// A signal that nobody else has, for one handler. It arrives while the thread's mask stays as it is, restarts what system
// call it interrupts, and may come again while the handler runs.
class Interrupt {
 public:
  using Handler = void (*)(int, siginfo_t*, void*);
  constexpr explicit Interrupt(Handler handler) : handler_(handler) {}
  bool send(std::int32_t tid);  // false: there is no such signal to be had

 private:
  int signal_to_use();

  Handler handler_;
  std::atomic<int> signal_{0};
};

// Where the thread was when the signal came, from the third argument of a handler.
struct Interrupted {
  explicit Interrupted(void* context);
  // The kernel runs handlers with floating-point control words of its own choice; whatever runs on top is to have the program's.
  void compute_as_there() const;
  // Did the signal end a system call, with EINTR or a part of it done? Not all are restarted. For a handler that runs nothing on
  // top: who made the call is told (base/disturbed.h).
  void tell_whose_call_it_ended() const;
  void* code;
  void** stack;
  std::uint64_t registers;  // of those with whole numbers, what tells one state of them from another

 private:
  std::int64_t result_;
  std::uint32_t mxcsr_ = 0;
  std::uint16_t x87_ = 0;
};

// Is it code of the program, or of a library that is no run-time, and not of whoever brings malloc: interrupted there, it may
// hold locks that whatever runs next needs.
bool of_the_program(void* code);

// What the kernel says the thread does. Who sleeps on a futex looks again when interrupted; some other sleepers would not.
bool computes(std::int32_t tid);
bool sleeps_on_futex(std::int32_t tid);

}  // namespace weir::interrupt
