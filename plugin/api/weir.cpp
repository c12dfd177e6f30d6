// SPDX-License-Identifier: Apache-2.0
// The life of the engine as weir.h tells it: init, close, statistics, version.
#include <unistd.h>

#include <cerrno>

#include "api/instance.h"
#include "gate/gate.h"
#include "meter/counters.h"
#include "weir/weir.h"

#define WEIR_EXPORT extern "C" __attribute__((visibility("default")))

using namespace weir;

namespace {

bool is_sound(const weir_options& o) {
  return o.size == sizeof(weir_options) && o.threads >= 0 && o.permits >= 0 && o.max_permits >= 0;
}

}  // namespace

WEIR_EXPORT int weir_init(const weir_options* options) {
  if (options && !is_sound(*options)) return -EINVAL;
  api::prepare(environ);
  if (options) {
    api::Overrides overrides;
    overrides.threads = options->threads;
    overrides.permits = options->permits;
    overrides.max_permits = options->max_permits;
    overrides.report = options->report;
    api::override_settings(overrides);
  }
  api::resume();
  api::start();  // without a ring, calls block: that is no failure
  return 0;
}

WEIR_EXPORT int weir_close(void) {
  api::finish();
  return 0;
}

WEIR_EXPORT const char* weir_version(void) { return WEIR_VERSION_STRING; }

WEIR_EXPORT int weir_statistics_get(weir_statistics* into) {
  if (!into || into->size != sizeof(weir_statistics)) return -EINVAL;
  meter::Totals sum = meter::totals();
  into->calls = sum.calls;
  into->bytes_read = sum.bytes_read;
  into->bytes_written = sum.bytes_written;
  into->fast_hits = sum.fast_hits;
  into->suspended = sum.suspended;
  into->parked = sum.parked;
  into->ring_operations = meter::gauges.ring_ops.value();
  into->in_flight = meter::gauges.in_flight.value();
  into->peak_in_flight = meter::gauges.in_flight.peak();
  into->permits = gate::the_gate.permits.limit();
  into->blocked_ns = sum.blocked_ns;
  return 0;
}
