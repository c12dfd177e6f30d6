// SPDX-License-Identifier: Apache-2.0
#include "api/tracing.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>

#include "api/instance.h"
#include "api/report.h"
#include "api/trace_file.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "meter/trace.h"
#include "sys/file.h"
#include "sys/futex.h"
#include "sys/lock.h"
#include "sys/process.h"
#include "sys/raw.h"

namespace weir::api {
namespace {

constexpr std::int64_t look_every_ns = 100 * base::ns_per_ms;
// So much is written until only every second thing is; then as much again until every fourth is, and so on.
constexpr std::int64_t bytes_a_density = 24 << 20;

// Large, so only where there is a trace.
struct Trace {
  sys::Lock lock;         // of all that follows, and of every trail's tail
  TraceFile file;
  OpenOnes open_ones;
  std::int64_t thinned_at_bytes = 0;
  std::uint64_t looks = 0;
  bool told = false;      // what went wrong
};
constinit Trace* trace = nullptr;
constinit std::atomic<bool> thread_runs{false};
constinit std::atomic<std::int32_t> this_process{0};
constinit bool is_fork = false;

class Scope {
 public:
  Scope() { trace->lock.lock(); }
  ~Scope() { trace->lock.unlock(); }
};

void say_trouble(int error) {
  meter::tracing.store(false);
  if (trace->told) return;
  trace->told = true;
  base::say("can't write the trace %.900s: %s; the program goes on without", settings().trace, base::words_of(-error));
}

const char* role_of(std::int32_t thread, std::uint32_t place) {
  if (thread == this_process.load(std::memory_order_relaxed)) return "main thread";
  if (place & base::in_omp_team) return "OpenMP thread";
  if (place & (base::in_tbb_arena | base::in_io_arena)) return "oneTBB thread";
  if (place & base::in_own_worker) return "weir worker";
  return "thread";
}

void name_thread(std::int32_t thread, std::uint32_t place) {
  char name[32] = {};
  base::Line file;
  file.add("/proc/self/task/%d/comm", thread);
  Result fd = sys::open(file.text(), O_RDONLY | O_CLOEXEC);
  Result length = failed(fd) ? fd : sys::read(static_cast<int>(fd), name, sizeof name - 1);
  if (!failed(fd)) sys::close(static_cast<int>(fd));
  name[length > 0 ? length - 1 : 0] = 0;  // without its end of line
  trace->file.put_thread(thread, role_of(thread, place), name);
}

// Under the lock.
void take_all_of(meter::Trail& trail) {
  std::uint32_t tail = trail.tail.load(std::memory_order_relaxed), head = trail.head.load(std::memory_order_acquire);
  for (; tail != head; ++tail) {
    const meter::TraceEvent& event = trail.events[tail % meter::Trail::size];
    if (trail.named != event.thread) {
      name_thread(event.thread, trail.place.load(std::memory_order_relaxed));
      trail.named = event.thread;
    }
    trace->file.put(event);
    trace->open_ones.saw(event);
  }
  trail.tail.store(tail, std::memory_order_release);
}

std::int64_t thin_after() { return base::lists(settings().debug, "small-trace") ? 64 << 10 : bytes_a_density; }

void thin_if_long() {
  if (trace->file.bytes() - trace->thinned_at_bytes < thin_after()) return;
  trace->thinned_at_bytes = trace->file.bytes();
  std::uint64_t mask = meter::trace_mask.load(std::memory_order_relaxed) * 2 + 1;
  meter::trace_mask.store(mask, std::memory_order_relaxed);
  trace->file.put_thinned(this_process.load(std::memory_order_relaxed), base::now_ns(), mask + 1);
}

void put_counters() {
  std::int64_t now_ns = base::now_ns();
  const gate::Gate& gate = gate::the_gate;
  trace->file.put_counter("calls in flight", now_ns, "calls", meter::gauges.in_flight.value());
  trace->file.put_counter("permits", now_ns, "permits", gate.permits.limit());
  trace->file.put_counter("permits held", now_ns, "permits", gate.permits.held());
  trace->file.put_counter("cores held", now_ns, "threads", gate.cores.held());
}

void write_now() {
  thin_if_long();
  if (int error = trace->file.write()) say_trouble(error);
}

void empty(meter::Trail& trail) {
  Scope alone;
  take_all_of(trail);
  write_now();
}

void take_everything() {
  for (meter::Trail* trail = meter::trails(); trail; trail = trail->next) take_all_of(*trail);
}

void body(void*) {
  std::atomic<std::uint32_t> never{0};
  while (meter::tracing.load(std::memory_order_relaxed)) {
    sys::futex_wait(never, 0, look_every_ns);
    Scope alone;
    if (!trace->file.is_open()) break;
    take_everything();
    // Thinned as all else is, but one a second stays.
    std::uint64_t mask = meter::trace_mask.load(std::memory_order_relaxed);
    if (!(trace->looks++ & (mask < 7 ? mask : 7))) put_counters();
    write_now();
  }
}

bool open_file() {
  if (trace->file.is_open()) return true;
  FileName name;
  if (is_fork) name.of_child(settings().trace);
  else name.of_process(settings().trace);
  int error = name.fits() ? trace->file.open(name.text()) : -ENAMETOOLONG;
  if (error) say_trouble(error);
  return !error;
}

// On a thread of the program that records for the first time.
void first_event() {
  // A child of vfork has our memory and is not us.
  if (sys::process_id() != this_process.load(std::memory_order_relaxed) || thread_runs.exchange(true)) return;
  base::EngineScope ours;
  {
    Scope alone;
    if (!open_file()) return;
  }
  sys::start_thread(body, nullptr, "weir-trace");  // where there is none to be had, full trails and the end will do
}

}  // namespace

void start_tracing() {
  if (!settings().trace || !*settings().trace || trace) return;
  Result memory = sys::raw(SYS_mmap, 0, sizeof(Trace), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (failed(memory)) return;
  trace = new (reinterpret_cast<void*>(memory)) Trace;
  this_process.store(sys::process_id());
  // What the user asked for is told at once; a child of it that records nothing leaves no file.
  if (is_root() && !open_file()) return;
  meter::on_full_trail.store(empty, std::memory_order_release);
  meter::on_first_event.store(first_event, std::memory_order_release);
  meter::tracing.store(true);
}

void finish_tracing() {
  if (!trace || !meter::tracing.exchange(false)) return;
  // Had by this very thread, where a handler that ends the process interrupted it: the file then ends as a killed one's does.
  if (!trace->lock.lock_within(100 * base::ns_per_ms)) return;
  std::lock_guard<sys::Lock> alone(trace->lock, std::adopt_lock);
  meter::on_full_trail.store(nullptr, std::memory_order_release);
  if (!trace->file.is_open()) return;
  take_everything();
  std::int64_t now_ns = base::now_ns();
  for (meter::TraceEvent event; trace->open_ones.take(&event);) {
    event.begins = false;
    event.time_ns = now_ns;
    trace->file.put(event);
  }
  int error = trace->file.close(static_cast<std::int64_t>(meter::trace_mask.load()) + 1);
  if (error) say_trouble(error);
}

void tracing_after_fork() {
  if (!trace || !meter::tracing.load()) return;
  is_fork = true;
  trace->lock.after_fork();
  trace->file.forget();
  sys::raw(SYS_madvise, sys::word(trace), sizeof(Trace), MADV_DONTNEED);
  trace = new (trace) Trace;
  meter::forget_trails();
  meter::trace_mask.store(0);
  this_process.store(sys::process_id());
  thread_runs.store(false);
  meter::on_full_trail.store(empty, std::memory_order_release);
}

}  // namespace weir::api
