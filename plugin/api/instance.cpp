// SPDX-License-Identifier: Apache-2.0
#include "api/instance.h"

#include <limits.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "api/controlling.h"
#include "api/iopa_pool.h"
#include "api/last_thread.h"
#include "api/operation.h"
#include "api/publish.h"
#include "api/recorder.h"
#include "api/report.h"
#include "api/showing.h"
#include "api/tracing.h"
#include "api/voice.h"
#include "base/clock.h"
#include "base/log.h"
#include "errand/errand.h"
#include "gate/connecting.h"
#include "gate/gate.h"
#include "message/link.h"
#include "meter/counters.h"
#include "meter/overlap.h"
#include "meter/trace.h"
#include "lane/decision.h"
#include "lane/waits.h"
#include "path/call.h"
#include "path/ending.h"
#include "path/engine.h"
#include "path/napping.h"
#include "path/ringless.h"
#include "pool/pool.h"
#include "sys/addresses.h"
#include "sys/at_fork.h"
#include "sys/futex.h"
#include "sys/idle.h"
#include "sys/loader.h"
#include "sys/lock.h"
#include "sys/own.h"
#include "sys/process.h"
#include "sys/raw.h"
#include "sys/threads.h"
#include "wait/errno_loan.h"
#include "wait/errno_state.h"
#include "wait/lane.h"
#include "wait/look_order.h"
#include "wait/runtimes.h"

namespace weir::api {
namespace {

//   unprepared --prepare()--> idle --start()--> starting --> running | failed
//                               ^-------- fork, in the child ---------'
enum State : std::uint32_t { unprepared, preparing, idle, starting, running, failed_for_good };
constinit std::atomic<std::uint32_t> state{unprepared};
constinit std::atomic<bool> finished{false};
constinit base::Settings the_settings;
constinit sys::Capabilities the_capabilities;
constinit std::int64_t began_ns = 0;
constinit std::int32_t root_process = 0;

constinit sys::Lock report_lock;  // one writer at a time

const char* reportable() { return the_settings.report ? the_settings.report : ""; }

constinit lane::Loaded loaded;

constinit std::atomic<unsigned long long> judged{0};  // objects, of those ever loaded

// auto: what is loaded says whether its tasks may be set aside. Done anew when more was loaded; what was loaded before, or
// what the program did since, may have led to the park lane, and no new object leads back.
void judge_program() {
  if (!lane::refresh(loaded, *reportable() ? lane::Reasons::all : lane::Reasons::first)) return;
  bool may = loaded.decision.may_suspend();
  if (may && judged.load(std::memory_order_relaxed)) return;
  wait::policy.best = may ? wait::Lane::suspend : wait::Lane::park;
  wait::policy.reason = may ? meter::Reason::none : meter::Reason::thread_bound;
}

// The same from any thread, while tasks run. A plain dlopen is not interposed: its caller's address decides where is searched.
constinit sys::Lock judging;
void judge_if_more_was_loaded() {
  // Acquire: who finds all judged sees the policy that came of it.
  if (lane::count_loaded() == judged.load(std::memory_order_acquire)) return;
  judging.lock();
  judge_program();
  judged.store(loaded.seen, std::memory_order_release);
  judging.unlock();
}

// The program may write over its environment (as servers do that show what they are at in ps), and what it asked with may be
// gone when the report is written.
const char* own_copy(const char* text) {
  const char* copy = strdup(text);
  return copy ? copy : text;
}

// What is written in the end lies where the program began, in whatever folder it is by then.
const char* from_here(const char* file) {
  char here[PATH_MAX];
  Result length = *file == '/' ? 0 : sys::raw(SYS_getcwd, sys::word(here), sizeof here);  // with the end's zero
  if (length < 2 || here[0] != '/') return own_copy(file);
  auto* whole = static_cast<char*>(std::malloc(static_cast<std::size_t>(length) + std::strlen(file) + 1));
  if (!whole) return file;
  std::memcpy(whole, here, static_cast<std::size_t>(length));
  whole[length - 1] = '/';
  std::strcpy(whole + length, file);
  return whole;
}

void keep_strings(base::Settings& s) {
  for (const char** text : {&s.trace, &s.note, &s.disable, &s.debug})
    if (*text && **text) *text = own_copy(*text);
  for (const char** file : {&s.report, &s.decisions})
    if (*file && **file) *file = from_here(*file);
}

// WEIR_ROOT names the process that `weir run` became; without it, who prepares is that.
std::int32_t root_of(char** environment) {
  constexpr char variable[] = "WEIR_ROOT=";
  for (char** entry = environment; entry && *entry; ++entry)
    if (!std::strncmp(*entry, variable, sizeof variable - 1)) return std::atoi(*entry + sizeof variable - 1);
  return sys::process_id();
}

void set_policy() {
  using base::Lane;
  wait::Policy& policy = wait::policy;
  switch (the_settings.lane) {
    case Lane::off:
      policy.best = wait::Lane::plain;
      policy.reason = meter::Reason::lane_off;
      break;
    case Lane::suspend:
      policy.best = wait::Lane::suspend;
      policy.reason = meter::Reason::none;
      break;
    case Lane::park:
      policy.best = wait::Lane::park;
      policy.reason = meter::Reason::none;
      break;
    case Lane::automatic:
      judge_if_more_was_loaded();
      path::judge_anew = judge_if_more_was_loaded;
      break;
  }
  policy.automatic = the_settings.lane == Lane::automatic;
  policy.may_wait = lane::anything_may_wait;
  bool all = the_settings.force == base::Force::all;
  policy.forced = all;
  path::forced.store(all ? 1u << 31 : 0);
  path::always_aside.store(base::lists(the_settings.debug, "suspend-always"));
}

void set_limits() {
  gate::Gate& gate = gate::the_gate;
  std::int64_t cores = sys::usable_cores();
  if (the_settings.threads > 0) gate.cores.set_limit(the_settings.threads), gate.pieces.are_all_long();
  else gate.cores.set_limit(cores, 3 * cores);
  set_permits(the_settings.permits, the_settings.max_permits);
  gate.wait_ns = the_settings.gate_wait_ms * base::ns_per_ms;
}

// A thread that ends leaves its counters to the next; of the first one, we are told in any case. (A key below the first 32 needs
// no memory of libc's.)
constinit pthread_key_t thread_end;
constinit bool ends_watched = false;
void watch_this_end() {
  if (ends_watched) pthread_setspecific(thread_end, &thread_end);
}
void watch_thread_ends() {
  auto end = [](void*) {
    gate::connection_is_old();
    wait::errno_loan_ends();
    meter::leave_trail();
    meter::leave();
    thread_ended();
  };
  ends_watched = !pthread_key_create(&thread_end, end);
  if (ends_watched) meter::on_first_call.store(watch_this_end, std::memory_order_release);
  watch_this_end();
}

// On a thread of ours, that ends: when a ring is gone, the kernel interrupts whoever set it up, a little later. A call of
// the program's that waits there and does not go on by itself (a socket with a time limit, epoll_wait) would end by EINTR.
void probe_elsewhere() {
  static constinit std::atomic<std::uint32_t> over{0};
  over.store(0);
  int error = sys::start_thread(
      [](void*) {
        the_capabilities = sys::probe(the_settings.disable);
        over.store(1, std::memory_order_release);
        sys::futex_wake(over);
      },
      nullptr, "weir-probe");
  if (error) the_capabilities.ring_error = error;
  while (!error && !over.load(std::memory_order_acquire)) sys::futex_wait(over, 0, base::ns_per_s);
}

bool start_now() {
  show();
  publish_counters();
  probe_elsewhere();
  path::driver.on_tick(path::tick);
  sys::on_idle.store([] { path::driver.hurry(); }, std::memory_order_relaxed);
  path::watchdog_patience_ns = the_settings.watchdog_ms * base::ns_per_ms;
  int error = path::driver.start(the_capabilities);
  if (!error) return true;
  base::say_if_verbose("no io_uring here (%s): threads of weir's wait for some tasks, else calls wait as they would without",
                       base::words_of(-error));
  path::go_without_ring();
  return false;
}

Facts facts_now() {
  Facts facts;
  facts.wall_ns = base::now_ns() - began_ns;
  facts.ring_failed = state.load() == failed_for_good;
  return facts;
}

// What they held, nobody gives back; what they did, nobody goes on with.
void forget_parents_threads() {
  sys::loader_after_fork_in_child();  // _Fork calls no handlers
  sys::room_after_fork();
  sys::addresses_after_fork();
  sys::own_threads_after_fork();
  judging.after_fork();
  finished.store(false);
  began_ns = base::now_ns();
  last_thread_after_fork();
  watch_this_end();  // it is the child's first
  base::Thread& thread = base::self();
  thread.tid = 0;
  wait::errno_loans_after_fork();
  // Its team or arena is the parent's: set aside, the child would run the parent's tasks a second time.
  thread.place = base::outside;
  thread.seat = {};
  thread.holds_core = false;
  gate::the_gate.permits.after_fork();
  gate::the_gate.cores.after_fork();
  gate::the_gate.memory.after_fork();
  gate::the_gate.reserve.after_fork();
  gate::connecting.after_fork();
  controlling_after_fork();
  showing_after_fork();
  recording_after_fork();
  report_lock.after_fork();
  voice_after_fork();
  tracing_after_fork();
  iopa_pool.after_fork();
  path::driver.after_fork();
  errand::after_fork();
  path::ringless_after_fork();
  path::naps_after_fork();
  wait::look_order.after_fork();
  path::endings_after_fork();
  operations_after_fork();
  pool::after_fork();
  message::after_fork();
  meter::after_fork();
}

// Before there is a second thread, if it can be: a fork that has begun calls nothing that is registered only then.
__attribute__((constructor(101))) void begin_to_watch_forks() { watch_forks(); }

}  // namespace

void watch_forks() {
  static constinit std::atomic<bool> watched{false};
  if (watched.exchange(true)) return;
  sys::watch_forks();
  sys::at_fork(nullptr, nullptr, after_fork_in_child);
}

void prepare(char** environment) {
  std::uint32_t before = unprepared;
  if (!state.compare_exchange_strong(before, preparing)) {
    // Another thread is at it: what it sets up holds when we return.
    for (int i = 0; i < 1000 && state.load(std::memory_order_acquire) == preparing; ++i)
      sys::futex_wait(state, preparing, base::ns_per_ms);
    return;
  }
  began_ns = base::now_ns();
  sys::make_room();
  root_process = root_of(environment);
  const base::Setting* complaint;
  the_settings = base::read_settings(environment, &complaint);
  keep_strings(the_settings);
  base::set_verbose(the_settings.verbose);
  know_stderr();
  if (the_settings.summary) keep_stderr();
  base::say_by(tell);
  if (complaint && (the_settings.summary || the_settings.verbose) && is_root())
    base::say("%s must be %s; its default, %s, holds", complaint->variable, complaint->form ? complaint->form : "0|1",
              complaint->initial);
  set_policy();
  set_limits();
  path::start_engine = start;
  ready_to_show();
  if (*reportable()) start_recording();
  start_tracing();
  watch_forks();
  watch_thread_ends();
  state.store(idle);
  sys::futex_wake(state, 1 << 30);
}

bool start() {
  std::uint32_t now = state.load(std::memory_order_acquire);
  if (now == running) return true;
  if (now == idle && state.compare_exchange_strong(now, starting)) {
    base::EngineScope ours;
    wait::KeptErrno kept;
    state.store(start_now() ? running : failed_for_good, std::memory_order_release);
    sys::futex_wake(state, 1 << 30);
    return state.load() == running;
  }
  while ((now = state.load(std::memory_order_acquire)) == starting) sys::futex_wait(state, starting, base::ns_per_s);
  return now == running;
}

const base::Settings& settings() { return the_settings; }
bool is_root() { return sys::process_id() == root_process; }
const sys::Capabilities& capabilities() { return the_capabilities; }
std::int64_t running_since_ns() { return began_ns; }

void override_settings(const Overrides& overrides) {
  if (overrides.threads > 0) the_settings.threads = overrides.threads;
  if (overrides.permits > 0) the_settings.permits = overrides.permits;
  if (overrides.max_permits > 0) the_settings.max_permits = overrides.max_permits;
  if (overrides.report) the_settings.report = own_copy(overrides.report);
  set_limits();
  if (!*reportable()) return;
  judging.lock();
  lane::find_all_reasons(loaded);  // the report has them
  judging.unlock();
  start_recording();
}

void resume() {
  finished.store(false);
  share_again();
}

void finish() {
  if (state.load() == unprepared || finished.exchange(true)) return;
  base::EngineScope ours;
  stop_sharing();
  finish_tracing();
  Facts facts = facts_now();
  if (the_settings.summary) say_summary(facts);
  if (!*reportable()) return;
  record_now();
  report_lock.lock();
  write_report(reportable(), facts);
  report_lock.unlock();
}

void report_so_far() {
  if (!*reportable()) return;
  Facts facts = facts_now();
  facts.ended = false;
  report_lock.lock();
  if (!finished.load()) write_report(reportable(), facts);
  report_lock.unlock();
}

const lane::Decision& program() { return loaded.decision; }

void pool_started() {
  static constinit std::atomic<bool> known{false};
  if (known.exchange(true)) return;
  wait::add_runtime(&pool::pool_runtime, base::in_own_worker);
  meter::raise_to(gate::the_gate.cores.limit() - 1, meter::workers_beside);
}

void after_load() {
  if (the_settings.lane == base::Lane::automatic && state.load() >= idle) judge_if_more_was_loaded();
}

void after_fork_in_child() {
  std::uint32_t was = state.load();
  if (was == unprepared) return;
  state.store(was == preparing ? unprepared : idle);  // what the parent was preparing is begun anew
  forget_parents_threads();
}

}  // namespace weir::api
