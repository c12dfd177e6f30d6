// SPDX-License-Identifier: Apache-2.0
// Who called what had to wait, and what kept it from a better lane, as members of the report.
#include "api/place_of_code.h"
#include "api/recorder.h"
#include "meter/counters.h"
#include "meter/sites.h"

namespace weir::api {
namespace {

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }
long long read(const std::atomic<std::int64_t>& figure) { return figure.load(std::memory_order_relaxed); }

const char* lane_of(meter::Served served) {
  switch (served) {
    case meter::Served::suspended: return "suspend";
    case meter::Served::parked: return "park";
    default: return "plain";
  }
}

void put_site(Writer& out, const meter::Site& site, bool others) {
  out.put("{\"call\": ");
  out.put_string(others ? "others" : site.caller.call);
  out.put(", ");
  put_place(out, reinterpret_cast<std::uintptr_t>(site.caller.address));
  base::Line line;
  line.add(", \"symbol\": null, \"lane\": \"%s\", \"reason\": \"%s\"", others ? "others" : lane_of(site.served),
           meter::name_of(site.reason));
  line.add(", \"count\": %lld, \"bytes\": %lld", read(site.count), read(site.bytes));
  line.add(", \"waited_s\": %.6f, \"hidden_s\": %.6f, \"histogram\": [", seconds(read(site.waited_ns)),
           seconds(read(site.hidden_ns)));
  int used = meter::Site::buckets;
  while (used && !read(site.histogram[used - 1])) --used;
  for (int i = 0; i < used; ++i) line.add("%s%lld", i ? ", " : "", read(site.histogram[i]));
  out.put(line.add("]}"));
}

}  // namespace

void put_call_sites(Writer& out) {
  const char* separator = "";
  out.put("\"call_sites\": [");
  for (int i = 0; i <= meter::Sites::most; ++i) {
    bool others = i == meter::Sites::most;
    const meter::Site* site = others ? &meter::sites.others() : meter::sites.at(i);
    if (!site || !read(site->count)) continue;
    out.put(separator);
    separator = ",\n ";
    put_site(out, *site, others);
  }
  out.put("],\n");
  meter::Totals sum = meter::totals();
  base::Line line;
  line.add("\"lost_by_reason\": {");
  const char* comma = "";
  for (int i = 0; i < meter::reason_count; ++i) {
    if (!sum.lost_ns[i]) continue;
    line.add("%s\"%s\": %.6f", comma, meter::name_of(static_cast<meter::Reason>(i)), seconds(sum.lost_ns[i]));
    comma = ", ";
  }
  out.put(line.add("},\n"));
}

}  // namespace weir::api
