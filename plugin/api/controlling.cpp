// SPDX-License-Identifier: Apache-2.0
#include "api/controlling.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "api/instance.h"
#include "api/lookout.h"
#include "api/report.h"
#include "api/sharing.h"
#include "base/clock.h"
#include "base/log.h"
#include "control/log.h"
#include "control/loop.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "meter/regions.h"
#include "path/engine.h"
#include "sys/file.h"
#include "sys/futex.h"
#include "sys/process.h"
#include "sys/raw.h"

namespace weir::api {
namespace {

//   absent --a caller finds no permit--> awake <--a caller finds no permit-- asleep
//                                          `-----nothing to do for a while----^
enum Phase : std::uint32_t { absent, awake, asleep };
constinit std::atomic<std::uint32_t> phase{absent};
constinit std::atomic<bool> in_charge{false};  // false: the number of permits is fixed
constinit std::atomic<std::int64_t> most_permits{128};

constinit std::atomic<std::uint32_t> history_lock{0};
alignas(control::History) constinit unsigned char history_memory[sizeof(control::History)] = {};
constinit control::History* history = nullptr;  // under the lock

constinit std::atomic<control::State> latest_state{control::State::fast};

class HistoryScope {
 public:
  HistoryScope() {
    while (history_lock.exchange(1, std::memory_order_acquire)) __builtin_ia32_pause();
  }
  ~HistoryScope() { history_lock.store(0, std::memory_order_release); }
};

constinit Sharing sharing;

// The first limit: most programs end before a search that starts low has come up, and a loop of 40,000 cold reads takes
// 0.36 s from 128 permits on where it takes 0.41 from 64. A device that bears less is found out within the first second.
constexpr int first_limit = 128;

// But long reads fill a device when they are fewer, and each thread more that comes to read has a buffer, which the kernel must
// clear first.
constexpr int first_kib = 8 << 10;

// For so long the first limit stays: a search costs a tenth of what is done meanwhile, and a program that reads for a second or
// two gains nothing by its outcome.
constexpr std::int64_t first_look_ns = 1'000'000'000;

control::Algorithm algorithm() {
  return std::strcmp(settings().algorithm, "iopa") ? control::Algorithm::weir : control::Algorithm::iopa;
}

control::Bounds bounds() {
  std::int64_t cores = settings().threads > 0 ? settings().threads : sys::usable_cores();
  auto most = static_cast<int>(most_permits.load());
  control::Bounds within{static_cast<int>(cores), most, most < first_limit ? most : first_limit, first_kib};
  if (algorithm() == control::Algorithm::weir) return within;
  within.start = control::first_limit(algorithm(), within, {});  // as published
  within.start_kib = 0;
  return within;
}

control::Reading read_meters() {
  meter::Totals sum = meter::totals();
  const gate::Permits& permits = gate::the_gate.permits;
  return {.now_ns = base::now_ns(),
          .storage_ops = sum.storage_ops,
          .storage_bytes = sum.storage_bytes,
          .blocked_ns = sum.blocked_ns,
          .cpu_ns = sys::process_cpu_ns(),
          .held = permits.held(),
          .waiting = permits.waiting(),
          .region = meter::regions.now()};
}

void set_limit(std::int64_t limit) {
  gate::Permits& permits = gate::the_gate.permits;
  if (permits.limit() == limit) return;
  permits.set_limit(limit);
  path::let_queued_through();
}

// WEIR_DECISIONS, or -1.
int open_log() {
  const char* file = settings().decisions;
  if (!file || !*file) return -1;
  base::Line name;
  name_file(name, file);
  Result fd = sys::open(name.text(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (failed(fd)) base::say("can't write the decisions to %s: %s", name.text(), base::words_of(static_cast<int>(-fd)));
  else {
    base::Line head;
    put_head(head, algorithm(), bounds(), {});
    sys::write(static_cast<int>(fd), head.text(), head.length());
  }
  return failed(fd) ? -1 : static_cast<int>(fd);
}

void record(int log, double t_s, const control::Loop::Turn& turn) {
  {
    HistoryScope alone;
    latest_state.store(turn.decision.state, std::memory_order_relaxed);
    history->add(t_s, turn.sample, turn.limit, turn.decision.state);
  }
  if (log < 0) return;
  base::Line line;
  put_step(line, t_s, turn.sample, turn.decision);
  sys::write(log, line.text(), line.length());
}

// Asleep until a caller finds no permit. One that did so before we were asleep is seen in waiting().
void sleep_until_called() {
  sharing.rest();
  phase.store(asleep);
  if (gate::the_gate.permits.waiting() > 0) {
    phase.store(awake);
    return;
  }
  while (phase.load() == asleep) sys::futex_wait(phase, asleep);
}

// The controller's thread: alone or leading it decides, among others that lead it takes its part of what they decide.
class Control {
 public:
  explicit Control(void* memory) : memory_(memory), log_(open_log()) { begin(0); }
  ~Control() {
    sharing.leave();
    set_limit(settings().permits);
    if (log_ >= 0) sys::close(log_);
  }

  void turn() {
    control::Reading mine = read_meters();
    control::Share::View view = sharing.meet(mine);
    if (!view.leads) return follow(mine);
    if (view.members > 1) mine = sharing.all(mine);
    if (followed_) begin(sharing.total());
    else if (view.company != company_) loop_->start_anew();  // what others did before is no part of a difference
    followed_ = false;
    company_ = view.company;
    lead(mine, view.members > 1);
  }

 private:
  void begin(int start) {
    control::Bounds within = bounds();
    if (start > 0) {
      within.start = start;
      within.start_kib = 0;  // that many are known to do
    }
    loop_ = new (memory_) control::Loop(algorithm(), within);
  }

  void lead(const control::Reading& reading, bool shared) {
    if (!began_ns_) began_ns_ = reading.now_ns;
    if (!shared && algorithm() == control::Algorithm::weir && reading.now_ns - began_ns_ < first_look_ns) {
      control::Loop::Turn first = loop_->at_first(reading);
      set_limit(first.limit);
      return wait(first.sleep_ns);
    }
    control::Loop::Turn turn = loop_->turn(reading);
    sharing.announce(turn.limit);
    set_limit(shared ? sharing.part(reading.now_ns) : turn.limit);
    double t_s = static_cast<double>(reading.now_ns - running_since_ns()) / 1e9;
    if (turn.decided) record(log_, t_s, turn);
    if (log_ >= 0 && turn.decision.state == control::State::hold) lookout_.look(log_, t_s, reading.storage_bytes);
    if (turn.sleep_ns < 0) sleep_until_called();
    else wait(turn.sleep_ns);
  }

  static void wait(std::int64_t ns) {
    std::atomic<std::uint32_t> never{0};
    sys::futex_wait(never, 0, ns);
  }

  void follow(const control::Reading& mine) {
    bool busy = mine.storage_ops != last_ops_ || mine.held + mine.waiting > 0 || !followed_;
    followed_ = true;
    last_ops_ = mine.storage_ops;
    if (busy) last_busy_ns_ = mine.now_ns;
    if (sharing.total() > 0) set_limit(std::min<std::int64_t>(sharing.part(mine.now_ns), most_permits.load()));
    if (mine.now_ns - last_busy_ns_ > idle_ns) sleep_until_called();
    else sharing.listen(beat_ns);
  }

  static constexpr std::int64_t idle_ns = 2'000'000'000, beat_ns = 500'000'000;
  void* memory_;
  control::Loop* loop_;
  int log_;
  Lookout lookout_;
  bool followed_ = false;
  std::uint64_t company_ = 0;
  std::int64_t last_ops_ = 0, last_busy_ns_ = 0, began_ns_ = 0;
};

void control(void* memory) {
  {
    Control control(memory);
    while (in_charge.load(std::memory_order_relaxed)) control.turn();
  }
  sys::raw(SYS_munmap, sys::word(memory), sizeof(control::Loop));
  phase.store(absent);
}

void start_control() {
  Result memory = sys::raw(SYS_mmap, 0, sizeof(control::Loop), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (failed(memory)) return;  // awake, as far as callers know: they need not try again
  {
    HistoryScope alone;
    if (!history) history = new (history_memory) control::History;
  }
  int error = sys::start_thread(control, reinterpret_cast<void*>(memory), "weir-control");
  if (error) {
    base::say_if_verbose("no thread for the controller (%s): as many permits as may be", base::words_of(-error));
    set_limit(most_permits.load());
  }
}

// On a caller's thread, or the driver's.
void crowded() {
  std::uint32_t now = phase.load(std::memory_order_relaxed);
  if (now == awake || !in_charge.load(std::memory_order_relaxed)) return;
  if (!phase.compare_exchange_strong(now, awake)) return;
  if (now == asleep) return sys::futex_wake(phase);
  base::EngineScope ours;
  start_control();
}

}  // namespace

void set_permits(std::int64_t fixed, std::int64_t most) {
  gate::Permits& permits = gate::the_gate.permits;
  constexpr std::int64_t beyond_all = 1 << 20;  // the controller reckons in int, and doubles
  most_permits.store(std::clamp<std::int64_t>(most, 1, beyond_all));
  in_charge.store(fixed <= 0);
  if (fixed > 0) {
    permits.set_limit(fixed);
    if (phase.load() == asleep) crowded();
    return;
  }
  permits.set_limit(control::least_start(bounds()));
  permits.on_crowded(crowded);
}

void stop_sharing() { sharing.leave_for_good(); }
void share_again() { sharing.may_join(); }

control::History control_history() {
  HistoryScope alone;
  return history ? *history : control::History{};
}

const char* control_state() {
  if (!in_charge.load(std::memory_order_relaxed)) return "fixed";
  if (phase.load(std::memory_order_relaxed) != awake) return "idle";
  return control::name_of(latest_state.load(std::memory_order_relaxed));
}

void controlling_after_fork() {
  phase.store(absent);
  history_lock.store(0);
  history = nullptr;
  sharing.forget();
  if (in_charge.load()) gate::the_gate.permits.set_limit(control::least_start(bounds()));
}

}  // namespace weir::api
