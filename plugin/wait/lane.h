// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "meter/reason.h"
#include "weir/runtime.h"

namespace weir::wait {

enum class Lane : std::uint8_t { plain, park, suspend };

// What was chosen for one call, and why not more.
struct Choice {
  Lane lane = Lane::plain;
  meter::Reason reason = meter::Reason::outside;
  const weir_runtime* runtime = nullptr;  // set when lane is suspend
};

// What holds for the whole program until somebody changes it: `weir run --lane`, the ELF reader, the watchdog.
// best: the best lane any call may take. reason: why it is not suspend.
struct Policy {
  std::atomic<Lane> best{Lane::park};
  std::atomic<meter::Reason> reason{meter::Reason::thread_bound};
  std::atomic<bool> automatic{false};      // best is our judgement, not the user's word
  std::atomic<bool> interruptible{false};  // a handler without SA_RESTART is installed
  std::atomic<bool> handled{false};        // a handler is installed, with it or without
  std::atomic<bool> cancellable{false};    // pthread_cancel was called
  std::atomic<bool> held_back{false};      // the watchdog: no task is set aside for now
  std::atomic<bool> forced{false};         // for tests: plain threads suspend too, by sleeping for the ring
  std::atomic<bool (*)()> may_wait{nullptr};  // does the program ask for anything that could wait? Looks, and is not cheap
};
extern Policy policy;

// What runs has turned out to depend on its thread: under auto no task is set aside from now on.
void keep_tasks_on_threads();

// The reason for a WEIR_REFUSED_ value.
meter::Reason reason_of(int refusal);

// Which signals end a call natively, with EINTR.
enum class Ends : std::uint8_t {
  never,            // storage
  without_restart,  // those whose handler was installed without SA_RESTART: sockets, pipes, terminals
  handled,          // all that have a handler: sleeps, poll and kin, and sockets with a time limit
};

// Looks at the calling thread only: where it stands, what it holds, and asks the runtime of that place. No side effect.
Choice choose(Ends ends);

}  // namespace weir::wait
