// SPDX-License-Identifier: Apache-2.0
#include "path/errands.h"

#include <cstring>

#include "errand/errand.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "path/engine.h"
#include "path/habit.h"
#include "path/ringless.h"
#include "path/slept.h"
#include "path/waiting.h"
#include "sys/process.h"

namespace weir::path {

constinit Habit opening_files, opening_folders, reading_folders, asking_names;
// Few of those that make a file sleep, but such sleeps are long, and come in crowds: all that make one in that folder wait for the same.
constinit Habit making_files(64, 10'000'000);

namespace {

// A name by way of /proc/thread-self means something else to each thread. What can't be read, the call itself had better tell.
bool may_mean_its_thread(const char* name) {
  return !sys::is_readable(name) || std::strstr(name, "thread-self");
}

// With the task that waits for it; lives in perform_elsewhere()'s frame.
struct Sent : errand::Errand {
  Call* call = nullptr;
  bool storage = false;
  weir_waiter* waiter = nullptr;
  std::int64_t began_ns = 0;
};

Result make_of_storage(Call& call) {
  gate::Gate& gate = gate::the_gate;
  gate::wants_permit(call.fd);
  bool permit = gate.permits.acquire(gate.wait_ns.load(std::memory_order_relaxed));
  Result result = call.real(call);
  meter::Counters& counters = meter::mine();
  counters.storage_ops.add(1);
  if (result > 0) counters.storage_bytes.add(result);
  if (permit) release_permit();
  return result;
}

// On a thread of ours.
Result make(errand::Errand& errand) {
  auto& sent = static_cast<Sent&>(errand);
  Call& call = *sent.call;
  if (sent.storage) return make_of_storage(call);
  if (!call.habit) return call.real(call);
  Slept slept(call.works, base::now_ns());
  Result result = call.real(call);
  call.habit->took(slept.ns(base::now_ns()));
  return result;
}

// Likewise. After wake() the frame of `errand` may be gone.
void over(errand::Errand& errand) {
  auto& sent = static_cast<Sent&>(errand);
  weir_waiter* waiter = sent.waiter;
  meter::gauges.in_flight.fall(base::now_ns() - sent.began_ns);
  meter::gauges.ready.rise();
  waiter->wake(waiter);
}

void start(void* sent_, weir_waiter* waiter) {
  auto& sent = *static_cast<Sent*>(sent_);
  sent.waiter = waiter;
  sent.began_ns = base::now_ns();
  meter::gauges.in_flight.rise();
  if (!errand::send(sent)) over(sent);
}

}  // namespace

bool may_be_sent(const Call& call) {
  const bool takes_long = call.habit && (call.habit->is_long() || always_aside.load(std::memory_order_relaxed));
  if (!takes_long && !call.anybodys) return false;
  return errand::is_free() && !(call.name && may_mean_its_thread(call.name));
}

bool perform_elsewhere(Call& call, bool storage, const weir_runtime& runtime, Result* result, int* refusal) {
  *refusal = 0;
  if (!has_ring() && !is_without_ring()) return false;
  Sent sent;
  sent.make = make;
  sent.done = over;
  sent.call = &call;
  sent.storage = storage;
  if (!set_aside(runtime, start, &sent, refusal) || !sent.made) return false;
  *result = sent.result;
  return true;
}

}  // namespace weir::path
