// SPDX-License-Identifier: Apache-2.0
#include "api/recorder.h"

#include <algorithm>
#include <atomic>

#include "api/controlling.h"
#include "api/instance.h"
#include "api/lookout.h"
#include "api/place_of_code.h"
#include "base/clock.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "meter/regions.h"
#include "meter/sites.h"
#include "meter/timeline.h"
#include "sys/file.h"
#include "sys/futex.h"
#include "sys/lock.h"
#include "sys/process.h"

namespace weir::api {
namespace {

using meter::Timeline;
using meter::Totals;

//   absent --a call waits--> awake <--a call waits-- asleep
//                              `---nothing happens---^
enum Phase : std::uint32_t { absent, awake, asleep };
constinit std::atomic<std::uint32_t> phase{absent};

constexpr std::int64_t least_between_ns = 10 * base::ns_per_ms, most_between_ns = 50 * base::ns_per_ms;
constexpr std::int64_t least_between_edges_ns = 2 * base::ns_per_ms;
constexpr std::int64_t write_every_ns = base::ns_per_s;
constexpr double idle_cores = 0.01;   // fewer are busy: the process waits for something we know nothing of

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

// What a region's code was seen to do: deltas of the whole process, each look's to the region that ran then.
struct RegionRow {
  std::uint64_t code = 0;  // its name in meter::regions; 0: outside of all
  std::int64_t calls = 0, bytes = 0, ops = 0, cpu_ns = 0, parked_ns = 0, suspended_ns = 0, core_wait_ns = 0;
};
constexpr int most_regions = 64;

struct DevicePoint {
  double t_s = 0, bytes_per_s = -1, own_bytes_per_s = 0;
  control::Surroundings seen;
};
constexpr int most_device_points = 256;

// All under the lock.
struct Record {
  Timeline timeline;
  RegionRow regions[most_regions];
  int region_count = 1;
  DevicePoint devices[most_device_points];
  int device_count = 0;
  std::int64_t device_distance_ns = base::ns_per_s / 4;
  Totals last;
  std::int64_t last_ns = 0, last_cpu_ns = 0;
  control::Surroundings last_seen;
  std::int64_t seen_ns = 0, seen_bytes = 0;
};
constinit sys::Lock record_lock;
constinit Record record;

// A signal handler that ends the process may have interrupted a look on its own thread: after a moment it goes on all the same.
class RecordScope {
 public:
  RecordScope() : taken_(record_lock.lock_within(100 * base::ns_per_ms)) {}
  ~RecordScope() {
    if (taken_) record_lock.unlock();
  }

 private:
  bool taken_;
};

RegionRow& row_of(std::uint64_t code) {
  for (int i = 0; i < record.region_count; ++i)
    if (record.regions[i].code == code) return record.regions[i];
  if (record.region_count == most_regions) return record.regions[0];
  RegionRow& row = record.regions[record.region_count++];
  row.code = code;
  return row;
}

// How long regions ran since the last look. Written at their edges, by whichever thread comes there.
constinit std::atomic<std::int64_t> running_since{0};  // 0: none runs
constinit std::atomic<std::int64_t> ran_ns{0};
constinit std::atomic<std::int64_t> looked_ns{0};

// The region that had most of the time since the last look; 0: the code outside.
std::uint64_t whose(std::int64_t now_ns, std::int64_t span_ns) {
  std::int64_t ran = ran_ns.exchange(0, std::memory_order_relaxed);
  std::int64_t since = running_since.load(std::memory_order_relaxed);
  if (since && running_since.compare_exchange_strong(since, now_ns, std::memory_order_relaxed)) ran += now_ns - since;
  return 2 * ran >= span_ns ? meter::regions.latest() : 0;
}

std::int64_t bytes_of(const Totals& sum) { return sum.bytes_read + sum.bytes_written; }

// One look, as a point of the timeline and an addition to a region. True when something happened since the last.
bool look(std::int64_t now_ns) {
  Totals sum = meter::totals();
  const Totals& last = record.last;
  std::int64_t cpu_ns = sys::process_cpu_ns();
  if (!record.last_ns) record.last_ns = running_since_ns();
  double dt_s = seconds(now_ns - record.last_ns);
  if (dt_s <= 0) return true;
  Timeline::Point p;
  p.t_s = seconds(now_ns - running_since_ns());
  p.dt_s = dt_s;
  p.in_flight = static_cast<double>(meter::gauges.in_flight.value());
  p.suspended = static_cast<double>(meter::gauges.suspended.value());
  p.parked = static_cast<double>(meter::gauges.in_flight.parked());
  p.permits = static_cast<double>(gate::the_gate.permits.limit());
  p.cores_busy = seconds(cpu_ns - record.last_cpu_ns) / dt_s;
  p.calls_per_s = static_cast<double>(sum.calls - last.calls) / dt_s;
  p.ops_per_s = static_cast<double>(sum.parked + sum.suspended - last.parked - last.suspended) / dt_s;
  p.bytes_per_s = static_cast<double>(bytes_of(sum) - bytes_of(last)) / dt_s;
  p.state = control_state();
  record.timeline.add(p);
  RegionRow& row = row_of(whose(now_ns, now_ns - record.last_ns));
  row.calls += sum.calls - last.calls;
  row.bytes += bytes_of(sum) - bytes_of(last);
  row.ops += sum.parked + sum.suspended - last.parked - last.suspended;
  row.cpu_ns += cpu_ns - record.last_cpu_ns;
  row.parked_ns += sum.parked_ns - last.parked_ns;
  row.suspended_ns += sum.suspended_ns + sum.beside_ns - last.suspended_ns - last.beside_ns;
  row.core_wait_ns += sum.core_wait_ns - last.core_wait_ns;
  record.last = sum;
  record.last_ns = now_ns;
  looked_ns.store(now_ns, std::memory_order_relaxed);
  record.last_cpu_ns = cpu_ns;
  return p.calls_per_s > 0 || p.in_flight > 0 || p.cores_busy > idle_cores;
}

void thin_devices() {
  for (int i = 0; i < most_device_points / 2; ++i) {
    const DevicePoint first = record.devices[2 * i];
    DevicePoint both = record.devices[2 * i + 1];
    if (first.bytes_per_s >= 0 && both.bytes_per_s >= 0) both.bytes_per_s = (both.bytes_per_s + first.bytes_per_s) / 2;
    both.own_bytes_per_s = (both.own_bytes_per_s + first.own_bytes_per_s) / 2;
    record.devices[i] = both;
  }
  record.device_count = most_device_points / 2;
  record.device_distance_ns *= 2;
}

void look_at_devices(std::int64_t now_ns, std::int64_t distance_ns) {
  if (record.seen_ns && now_ns - record.seen_ns < distance_ns) return;
  control::Surroundings seen = look_around();
  if (record.seen_ns) {
    double dt_s = seconds(now_ns - record.seen_ns);
    if (record.device_count == most_device_points) thin_devices();
    DevicePoint& p = record.devices[record.device_count++];
    p = DevicePoint();
    p.t_s = seconds(now_ns - running_since_ns());
    p.seen = seen;
    if (seen.disk_bytes >= 0 && record.last_seen.disk_bytes >= 0)
      p.bytes_per_s = static_cast<double>(seen.disk_bytes - record.last_seen.disk_bytes) / dt_s;
    p.own_bytes_per_s = static_cast<double>(record.last.storage_bytes - record.seen_bytes) / dt_s;
  }
  record.last_seen = seen;
  record.seen_ns = now_ns;
  record.seen_bytes = record.last.storage_bytes;
}

void body(void*) {
  sys::have_own_descriptors();  // reports and /proc are opened here while the program goes on; where not, in its numbers
  std::int64_t written_ns = base::now_ns();
  std::atomic<std::uint32_t> never{0};
  std::int64_t between_ns = least_between_ns;
  std::int64_t acted_ns = written_ns;
  while (true) {
    sys::futex_wait(never, 0, between_ns);
    std::int64_t now_ns = base::now_ns();
    {
      RecordScope alone;
      if (look(now_ns)) acted_ns = now_ns;
      look_at_devices(now_ns, record.device_distance_ns);
      between_ns = std::min(most_between_ns, static_cast<std::int64_t>(record.timeline.distance_s() * base::ns_per_s));
    }
    bool rest = now_ns - acted_ns > base::ns_per_s;
    if (rest || now_ns - written_ns >= write_every_ns) {
      report_so_far();
      written_ns = base::now_ns();
    }
    if (!rest) continue;
    phase.store(asleep);
    while (phase.load() == asleep) sys::futex_wait(phase, asleep);
    acted_ns = base::now_ns();
  }
}

// On a thread that enters a region, or leaves it: a look there tells its figures from those of the code around it.
void at_edge(bool entering) {
  std::int64_t now_ns = base::now_ns();
  std::int64_t since = running_since.load(std::memory_order_relaxed);
  if (!entering && since && running_since.compare_exchange_strong(since, 0, std::memory_order_relaxed))
    ran_ns.fetch_add(now_ns - since, std::memory_order_relaxed);
  bool long_ago = now_ns - looked_ns.load(std::memory_order_relaxed) >= least_between_edges_ns;
  if (long_ago && record_lock.try_lock()) {
    look(now_ns);
    record_lock.unlock();
  }
  if (entering) running_since.store(now_ns, std::memory_order_relaxed);
}

// On a thread that is about to wait.
void called() {
  std::uint32_t now = phase.load(std::memory_order_relaxed);
  if (now == awake || !phase.compare_exchange_strong(now, awake)) return;
  if (now == asleep) return sys::futex_wake(phase);
  base::EngineScope ours;
  sys::start_thread(body, nullptr, "weir-record");  // where there is none to be had, the report has one point
}

void put_timeline(Writer& out) {
  out.put("\"timeline\": [");
  for (int i = 0; i < record.timeline.count(); ++i) {
    const Timeline::Point& p = record.timeline[i];
    base::Line line;
    line.add("%s{\"t_s\": %.6f, \"in_flight\": %.1f, \"permits\": %.1f", i ? ",\n " : "", p.t_s, p.in_flight, p.permits);
    line.add(", \"suspended\": %.1f, \"parked\": %.1f, \"cores_busy\": %.3f", p.suspended, p.parked, p.cores_busy);
    line.add(", \"ops_per_s\": %.1f, \"bytes_per_s\": %.0f, \"calls_per_s\": %.1f", p.ops_per_s, p.bytes_per_s, p.calls_per_s);
    out.put(line.add(", \"state\": \"%s\"}", p.state));
  }
  out.put("],\n");
}

void put_regions(Writer& out) {
  out.put("\"regions\": [");
  for (int i = 0; i < record.region_count; ++i) {
    const RegionRow& r = record.regions[i];
    out.put(i ? ",\n {\"name\": " : "{\"name\": ");
    if (r.code) {
      base::Line name;
      name.add("%s %d", r.code & meter::tbb_mark ? "arena" : "parallel region", i);
      out.put_string(name.text());
      out.put(r.code & meter::tbb_mark ? ", \"kind\": \"tbb\", " : ", \"kind\": \"openmp\", ");
    } else {
      out.put("\"outside of parallel regions and arenas\", \"kind\": \"process\", ");
    }
    put_place(out, r.code & ~meter::tbb_mark);
    base::Line line;
    line.add(", \"calls\": %lld, \"bytes\": %lld, \"ops\": %lld", (long long)r.calls, (long long)r.bytes, (long long)r.ops);
    line.add(", \"computing_s\": %.6f, \"parked_s\": %.6f, \"suspended_s\": %.6f, \"waiting_for_core_s\": %.6f}",
             seconds(r.cpu_ns), seconds(r.parked_ns), seconds(r.suspended_ns), seconds(r.core_wait_ns));
    out.put(line);
  }
  out.put("],\n");
}

void put_devices(Writer& out) {
  out.put("\"devices\": [");
  for (int i = 0; i < record.device_count; ++i) {
    const DevicePoint& p = record.devices[i];
    base::Line line;
    line.add("%s{\"t_s\": %.3f, \"own_bytes_per_s\": %.0f", i ? ",\n " : "", p.t_s, p.own_bytes_per_s);
    if (p.bytes_per_s >= 0) line.add(", \"disk_bytes_per_s\": %.0f", p.bytes_per_s);
    if (p.seen.disk_in_flight >= 0) line.add(", \"disk_in_flight\": %lld", (long long)p.seen.disk_in_flight);
    if (p.seen.io_pressure >= 0) line.add(", \"io_pressure\": %.2f", p.seen.io_pressure);
    if (p.seen.dirty_bytes >= 0) line.add(", \"dirty_bytes\": %lld", (long long)p.seen.dirty_bytes);
    if (p.seen.writeback_bytes >= 0) line.add(", \"writeback_bytes\": %lld", (long long)p.seen.writeback_bytes);
    out.put(line.add("}"));
  }
  out.put("],\n");
}

}  // namespace

void start_recording() {
  record.last_cpu_ns = sys::process_cpu_ns();  // what the loader took is not the program's first moment's
  meter::regions.on_edge.store(at_edge, std::memory_order_relaxed);
  meter::before_wait.store(called, std::memory_order_release);
}

void record_now() {
  RecordScope alone;
  std::int64_t now_ns = base::now_ns();
  look(now_ns);
  if (record.seen_ns) look_at_devices(now_ns, least_between_ns);
}

void put_record(Writer& out) {
  RecordScope alone;
  put_timeline(out);
  put_regions(out);
  put_devices(out);
}

void recording_after_fork() {
  phase.store(absent);
  record_lock.after_fork();
  running_since.store(0);
  ran_ns.store(0);
  looked_ns.store(0);
  if (record.last_ns) record = Record();
  record.last_cpu_ns = sys::process_cpu_ns();
  meter::sites.reset();
}

}  // namespace weir::api
