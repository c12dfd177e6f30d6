// SPDX-License-Identifier: Apache-2.0
#include "meter/counters.h"

#include <cstddef>
#include <new>

#include <sys/mman.h>

#include "base/thread.h"
#include "meter/overlap.h"
#include "sys/raw.h"

namespace weir::meter {

constinit Gauges gauges;
constinit std::atomic<void (*)()> on_first_call{nullptr};

namespace {

constinit Counters shared_by_the_late;  // when memory is out
constinit std::atomic<Counters*> all{nullptr};

Counters* reuse() {
  for (Counters* c = all.load(std::memory_order_acquire); c; c = c->next) {
    bool free = false;
    if (!c->in_use.load(std::memory_order_relaxed) &&
        c->in_use.compare_exchange_strong(free, true, std::memory_order_acquire)) {
      return c;
    }
  }
  return nullptr;
}

// A page of records at a time, by mmap: malloc may be the program's and may be what is calling us.
Counters* make() {
  constexpr std::size_t count = 16;
  Result memory = sys::raw(SYS_mmap, 0, count * sizeof(Counters), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (failed(memory)) return nullptr;
  auto* records = new (reinterpret_cast<void*>(memory)) Counters[count];
  for (std::size_t i = 0; i + 1 < count; ++i) records[i].next = &records[i + 1];
  records[0].in_use.store(true, std::memory_order_relaxed);
  Counters* head = all.load(std::memory_order_relaxed);
  do {
    records[count - 1].next = head;
  } while (!all.compare_exchange_weak(head, records, std::memory_order_release, std::memory_order_relaxed));
  return records;
}

__attribute__((noinline)) Counters& first_time(base::Thread& thread) {
  Counters* counters = reuse();
  if (!counters) counters = make();
  if (!counters) counters = &shared_by_the_late;
  thread.counters = counters;
  if (auto* tell = on_first_call.load(std::memory_order_acquire)) tell();
  return *counters;
}

void add_up(Totals& sum, const Counters& c) {
  sum.calls += c.calls.value();
  sum.bytes_read += c.bytes_read.value();
  sum.bytes_written += c.bytes_written.value();
  sum.fast_hits += c.fast_hits.value();
  sum.parked += c.parked.value();
  sum.suspended += c.suspended.value();
  sum.plain += c.plain.value();
  sum.blocked_ns += c.blocked_ns.value();
  sum.hidden_ns += c.hidden_ns.value();
  sum.storage_ops += c.storage_ops.value();
  sum.storage_bytes += c.storage_bytes.value();
  sum.parked_ns += c.parked_ns.value();
  sum.suspended_ns += c.suspended_ns.value();
  sum.beside_ns += c.beside_ns.value();
  sum.beside_hidden_ns += c.beside_hidden_ns.value();
  sum.core_wait_ns += c.core_wait_ns.value();
  for (int i = 0; i < reason_count; ++i) {
    sum.reasons[i] += c.reasons[i].value();
    sum.lost_ns[i] += c.lost_ns[i].value();
  }
}

}  // namespace

Counters& mine() {
  base::Thread& thread = base::self();
  if (thread.counters) [[likely]] return *thread.counters;
  return first_time(thread);
}

void leave() {
  base::Thread& thread = base::self();
  Counters* counters = thread.counters;
  thread.counters = nullptr;
  if (counters && counters != &shared_by_the_late) counters->in_use.store(false, std::memory_order_release);
}

Totals totals() {
  Totals sum;
  for (Counters* c = all.load(std::memory_order_acquire); c; c = c->next) add_up(sum, *c);
  add_up(sum, shared_by_the_late);
  return sum;
}

std::uint64_t sum_of_regions() {
  std::uint64_t sum = shared_by_the_late.regions.load(std::memory_order_relaxed);
  for (Counters* c = all.load(std::memory_order_acquire); c; c = c->next) sum += c->regions.load(std::memory_order_relaxed);
  return sum;
}

Flown sum_of_flown() {
  Flown sum;
  auto add = [&sum](const Counters& c) {
    sum.ns += c.flown_ns.value();
    sum.stored_ns += c.stored_ns.value();
    sum.stored += c.stored.value();
    sum.team += c.team.value();
  };
  add(shared_by_the_late);
  for (Counters* c = all.load(std::memory_order_acquire); c; c = c->next) add(*c);
  return sum;
}

void after_fork() {
  Counters* mine_now = base::self().counters;
  for (Counters* c = all.load(std::memory_order_acquire); c; c = c->next) {
    Count* counts[] = {&c->calls, &c->bytes_read, &c->bytes_written, &c->fast_hits, &c->parked, &c->suspended,
                       &c->plain, &c->blocked_ns, &c->hidden_ns, &c->storage_ops, &c->storage_bytes,
                       &c->parked_ns, &c->suspended_ns, &c->beside_ns, &c->beside_hidden_ns, &c->core_wait_ns, &c->flown_ns,
                       &c->stored_ns, &c->stored};
    for (Count* count : counts) count->reset();
    for (Count& count : c->reasons) count.reset();
    for (Count& count : c->lost_ns) count.reset();
    if (c != mine_now) c->regions.store(0, std::memory_order_relaxed), c->team.reset();  // what this thread is in, it will leave
    c->in_use.store(c == mine_now, std::memory_order_relaxed);
  }
  gauges.in_flight.reset();
  gauges.suspended.reset();
  gauges.ready.reset();
  gauges.blocked.store(0, std::memory_order_relaxed);
  gauges.aside.store(0, std::memory_order_relaxed);
  gauges.ring_ops.reset();
  overlap_after_fork();
}

}  // namespace weir::meter
