// SPDX-License-Identifier: Apache-2.0
#include "meter/sites.h"

#include <initializer_list>

#include "meter/counters.h"

namespace weir::meter {

constinit Sites sites;
constinit std::atomic<void (*)()> before_wait{nullptr};

namespace {

constexpr int most_probes = 32;  // with the table full, a caller that has no row must still be told so quickly

std::uint64_t key_of(const Wait& wait) {
  auto x = reinterpret_cast<std::uintptr_t>(wait.caller.address) * 0x9e3779b97f4a7c15ull;
  x ^= reinterpret_cast<std::uintptr_t>(wait.caller.call) + static_cast<std::uint64_t>(wait.served) * 64 +
       static_cast<std::uint64_t>(wait.reason);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return (x ^ (x >> 31)) | 1;
}

}  // namespace

int bucket_of(std::int64_t waited_ns) {
  std::int64_t us = waited_ns / 1000;
  int bucket = us > 0 ? 63 - __builtin_clzll(static_cast<unsigned long long>(us)) : 0;
  return bucket < Site::buckets ? bucket : Site::buckets - 1;
}

void Site::add(const Wait& wait) {
  count.fetch_add(1, std::memory_order_relaxed);
  if (wait.bytes > 0) bytes.fetch_add(wait.bytes, std::memory_order_relaxed);
  waited_ns.fetch_add(wait.waited_ns, std::memory_order_relaxed);
  if (wait.hidden_ns) hidden_ns.fetch_add(wait.hidden_ns, std::memory_order_relaxed);
  histogram[bucket_of(wait.waited_ns)].fetch_add(1, std::memory_order_relaxed);
}

void Site::reset() {
  for (auto* figure : {&count, &bytes, &waited_ns, &hidden_ns}) figure->store(0, std::memory_order_relaxed);
  for (auto& figure : histogram) figure.store(0, std::memory_order_relaxed);
}

void Sites::add(const Wait& wait) {
  std::uint64_t key = key_of(wait);
  for (int probe = 0; probe < most_probes; ++probe) {
    Slot& slot = slots_[(key + static_cast<unsigned>(probe)) % most];
    std::uint64_t found = slot.key.load(std::memory_order_relaxed);
    if (!found && slot.key.compare_exchange_strong(found, key, std::memory_order_relaxed)) {
      slot.site.caller = wait.caller;
      slot.site.served = wait.served;
      slot.site.reason = wait.reason;
      slot.ready.store(true, std::memory_order_release);
      found = key;
    }
    if (found == key) return slot.site.add(wait);
  }
  others_.add(wait);
}

void account(const Wait& wait) {
  if (!recording()) return;
  std::int64_t lost_ns = wait.waited_ns - wait.hidden_ns;
  if (lost_ns > 0) mine().lost_ns[static_cast<int>(wait.reason)].add(lost_ns);
  if (wait.caller.call) sites.add(wait);
}

void Sites::reset() {
  for (Slot& slot : slots_) {
    if (!slot.key.load(std::memory_order_relaxed)) continue;  // untouched memory stays so
    slot.site.reset();
    slot.ready.store(false, std::memory_order_relaxed);
    slot.key.store(0, std::memory_order_relaxed);
  }
  others_.reset();
}

}  // namespace weir::meter
