// SPDX-License-Identifier: Apache-2.0
#include "api/showing.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>

#include <atomic>
#include <climits>
#include <cstring>

#include "api/controlling.h"
#include "api/instance.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "meter/page.h"
#include "meter/sites.h"
#include "path/engine.h"
#include "sys/file.h"
#include "sys/process.h"
#include "sys/raw.h"
#include "wait/lane.h"

namespace weir::api {
namespace {

constinit std::atomic<bool> shown_already{false};
constinit std::int32_t this_process = 0;
constinit std::atomic<meter::Page*> page{nullptr};

// Nobody who asks without end gets more than so many looks.
constexpr std::int64_t least_between_ns = 5 * base::ns_per_ms;

template <std::size_t size>
void put(char (&to)[size], const char* text) {
  std::size_t length = std::strlen(text);
  if (length > size - 1) length = size - 1;
  std::memcpy(to, text, length);
  to[length] = 0;
}

const char* lane_name() {
  switch (wait::policy.best.load()) {
    case wait::Lane::suspend: return "suspend";
    case wait::Lane::park: return "park";
    default: return "off";
  }
}

const char* name_of(meter::Served served) {
  switch (served) {
    case meter::Served::suspended: return "suspend";
    case meter::Served::parked: return "park";
    default: return "plain";
  }
}

// Those that waited longest, the first of them first.
void add_sites(meter::Shown& now) {
  const meter::Site* longest[meter::Shown::most_sites + 1];
  int count = 0;
  auto waited = [](const meter::Site* site) { return site->waited_ns.load(std::memory_order_relaxed); };
  for (int i = 0; i < meter::Sites::most; ++i) {
    const meter::Site* site = meter::sites.at(i);
    if (!site) continue;
    int at = count;
    for (; at > 0 && waited(longest[at - 1]) < waited(site); --at) longest[at] = longest[at - 1];
    longest[at] = site;
    if (count < meter::Shown::most_sites) ++count;
  }
  for (int i = 0; i < count; ++i) {
    const meter::Site& site = *longest[i];
    meter::Shown::Site& to = now.sites[i];
    put(to.call, site.caller.call);
    put(to.lane, name_of(site.served));
    to.address = reinterpret_cast<std::uintptr_t>(site.caller.address);
    to.count = site.count.load(std::memory_order_relaxed);
    to.bytes = site.bytes.load(std::memory_order_relaxed);
    to.waited_ns = waited(&site);
    to.hidden_ns = site.hidden_ns.load(std::memory_order_relaxed);
  }
  now.site_count = count;
}

// Call sites cost a little at each wait: they are kept from the first look on, or with a report, from the beginning.
void keep_sites() {
  void (*nobody)() = nullptr;
  meter::before_wait.compare_exchange_strong(nobody, [] {});
}

meter::Shown look() {
  meter::Shown now{};
  meter::Totals sum = meter::totals();
  gate::Gate& gate = gate::the_gate;
  now.now_ns = base::now_ns();
  now.wall_ns = now.now_ns - running_since_ns();
  now.cpu_ns = sys::process_cpu_ns();
  now.calls = sum.calls;
  now.fast_hits = sum.fast_hits;
  now.parked = sum.parked;
  now.suspended = sum.suspended;
  now.plain = sum.plain;
  now.bytes_read = sum.bytes_read;
  now.bytes_written = sum.bytes_written;
  now.blocked_ns = sum.all_waits_ns();
  now.hidden_ns = sum.all_hidden_ns();
  now.storage_ops = sum.storage_ops;
  now.storage_bytes = sum.storage_bytes;
  now.in_flight = meter::gauges.in_flight.value();
  now.peak_in_flight = meter::gauges.in_flight.peak();
  now.parked_now = meter::gauges.in_flight.parked();
  now.suspended_now = meter::gauges.suspended.value();
  now.ready = meter::gauges.ready.value();
  now.permits = gate.permits.limit();
  now.permits_held = gate.permits.held();
  now.permits_waiting = gate.permits.waiting();
  now.cores = gate.cores.limit();
  now.cores_held = gate.cores.held();
  add_sites(now);
  put(now.state, control_state());
  put(now.lane, lane_name());
  put(now.reason, meter::name_of(wait::policy.reason));
  return now;
}

// Shared with other processes: not the private futex of sys/futex.h.
void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  sys::raw(SYS_futex, sys::word(&word), FUTEX_WAIT, expected, 0);
}
void wake(std::atomic<std::uint32_t>& word) { sys::raw(SYS_futex, sys::word(&word), FUTEX_WAKE, INT_MAX); }

// The descriptor is this thread's alone, where `weir top` finds it.
Result make_page() {
  if (Result own = sys::have_own_descriptors(); failed(own)) return own;
  Result made = sys::raw(SYS_memfd_create, sys::word(meter::Page::name), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (failed(made)) return made;
  int fd = static_cast<int>(made);
  Result memory = -ENOMEM;
  if (!failed(sys::raw(SYS_fchmod, fd, 0600)) && !failed(sys::raw(SYS_ftruncate, fd, sizeof(meter::Page))) &&
      !failed(sys::raw(SYS_fcntl, fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)))
    memory = sys::raw(SYS_mmap, 0, sizeof(meter::Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (failed(memory)) return memory;
  auto* mine = reinterpret_cast<meter::Page*>(memory);
  mine->begin(this_process);
  page.store(mine, std::memory_order_release);
  return 0;
}

void body(void*) {
  if (Result made = make_page(); failed(made)) {
    base::say_if_verbose("weir top can't look at this process: %s", base::words_of(static_cast<int>(-made)));
    return;
  }
  meter::Page& mine = *page.load(std::memory_order_relaxed);
  while (true) {
    std::uint32_t asked = mine.asked.load(std::memory_order_acquire);
    if (asked == mine.answered.load(std::memory_order_relaxed)) {
      sleep_on(mine.asked, asked);
      continue;
    }
    keep_sites();
    mine.write(look());
    mine.answered.store(asked, std::memory_order_release);
    wake(mine.answered);
    sys::sleep_ns(least_between_ns);
  }
}

}  // namespace

void ready_to_show() {
  this_process = sys::process_id();
  path::before_first_wait.store(show, std::memory_order_release);
}

void show() {
  // A child of vfork has our memory and is not us. In a signal handler no thread can be started: the next call will do it.
  if (sys::process_id() != this_process || base::in_signal_handler()) return;
  if (shown_already.exchange(true)) return;
  path::before_first_wait.store(nullptr, std::memory_order_relaxed);
  base::EngineScope ours;
  sys::start_thread(body, nullptr, meter::Page::name);
}

void showing_after_fork() {
  if (meter::Page* parents = page.exchange(nullptr)) sys::raw(SYS_munmap, sys::word(parents), sizeof(meter::Page));
  shown_already.store(false);
  ready_to_show();
}

}  // namespace weir::api
