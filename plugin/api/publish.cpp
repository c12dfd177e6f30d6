// SPDX-License-Identifier: Apache-2.0
#include "api/publish.h"

#include <dlfcn.h>

#include <atomic>

#include "gate/gate.h"
#include "meter/counters.h"

namespace weir::api {
namespace {

// libsde's, from its public header.
using Handle = void*;
using Init = Handle(const char* library);
using Read = long long(void* parameter);
using Register = int(Handle, const char* event, int mode, int type, Read* read, void* parameter);
constexpr int read_only = 0x00, difference = 0x00, instant = 0x10, of_long_long = 0x00;

template <std::int64_t meter::Totals::*member>
long long total(void*) { return meter::totals().*member; }

struct Event {
  const char* name;
  int mode;
  Read* read;
};
using meter::Totals;
constexpr Event events[] = {
    {"CALLS", difference, total<&Totals::calls>},
    {"BYTES_READ", difference, total<&Totals::bytes_read>},
    {"BYTES_WRITTEN", difference, total<&Totals::bytes_written>},
    {"FAST_HITS", difference, total<&Totals::fast_hits>},
    {"SUSPENDED", difference, total<&Totals::suspended>},
    {"PARKED", difference, total<&Totals::parked>},
    {"BLOCKED_NS", difference, total<&Totals::blocked_ns>},
    {"STORAGE_OPS", difference, total<&Totals::storage_ops>},
    {"STORAGE_BYTES", difference, total<&Totals::storage_bytes>},
    {"IN_FLIGHT", instant, [](void*) -> long long { return meter::gauges.in_flight.value(); }},
    {"PERMITS", instant, [](void*) -> long long { return gate::the_gate.permits.limit(); }},
};

}  // namespace

void publish_counters() {
  static constinit std::atomic<bool> published{false};
  auto* init = reinterpret_cast<Init*>(dlsym(RTLD_DEFAULT, "papi_sde_init"));
  auto* add = reinterpret_cast<Register*>(dlsym(RTLD_DEFAULT, "papi_sde_register_counter_cb"));
  if (!init || !add || published.exchange(true)) return;
  Handle handle = init("weir");
  if (!handle) return;
  for (const Event& event : events) add(handle, event.name, read_only | event.mode, of_long_long, event.read, nullptr);
}

}  // namespace weir::api
