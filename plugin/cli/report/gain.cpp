// SPDX-License-Identifier: Apache-2.0
#include "cli/report/gain.h"

#include <algorithm>
#include <cmath>

#include "cli/report/advice.h"
#include "cli/report/units.h"

namespace weir::cli {
namespace {

constexpr double shortest_said_s = 0.005;

struct Computing {
  double all_s = 0, in_regions_s = 0;
};

Computing computing_of(const Record& record) {
  Computing sum;
  for (const Json& region : list(record.body, "regions")) {
    double computing_s = number(region, "computing_s");
    sum.all_s += computing_s;
    if (text(region, "kind") != "process") sum.in_regions_s += computing_s;
  }
  return sum;
}

// Are the calls that teams and tasks made known, and did none of them wait?
bool no_call_waited(const Record& record) {
  const Json& body = record.body;
  double waited = number(body, "parked") + number(body, "suspended") + number(body, "blocked_s");
  if (waited > 0 || text(body, "lane") == "off") return false;
  std::vector<Advice> all = advice_of(record);
  return std::all_of(all.begin(), all.end(), [](const Advice& a) { return a.reason == "outside" || a.reason == "libomp"; });
}

}  // namespace

bool Gain::is_any() const { return without_s - wall_s >= std::max(shortest_said_s, wall_s / 100); }
bool Gain::is_worth_a_word() const { return hidden_s >= shortest_said_s; }

Gain gain_of(const Record& record) {
  Gain gain;
  gain.wall_s = number(record.body, "wall_s");
  gain.hidden_s = number(record.body, "hidden_s");
  double in_flight_s = number(record.body, "in_flight_s"), threads = number(record.body, "own_threads");
  if (number(record.body, "waiting_s") <= 0 || in_flight_s <= 0 || threads <= 0) return gain;
  gain.hidden_s = std::min(gain.hidden_s, in_flight_s);
  gain.without_s = gain.wall_s + number(record.body, "gained_s");
  gain.threads = std::lround(std::clamp(threads, 1.0, 1e6));
  return gain;
}

std::string in_words(const Gain& gain) {
  if (!gain.is_known()) return "";
  bool one = gain.threads == 1;
  std::string threads = one ? "its thread" : "its " + in_count(static_cast<double>(gain.threads)) + " threads";
  if (gain.is_any()) return "for which " + threads + " would take some " + in_seconds(gain.without_s);
  return "no more than " + threads + (one ? " waits and computes" : " wait and compute") + " without weir";
}

std::string gain_text(const Record& record) {
  Gain gain = gain_of(record);
  const std::string wall = in_seconds(gain.wall_s);
  if (gain.is_worth_a_word() && gain.is_known()) {
    std::string line = "weir: " + in_seconds(gain.hidden_s) + " of waiting was hidden in " + wall + ", " + in_words(gain);
    return line + (gain.is_any() ? "\n" : ": a run without it may take as long\n");
  }
  Computing computing = computing_of(record);
  if (computing.in_regions_s <= 0 || !no_call_waited(record)) return "";
  std::string line = "weir: in its regions no call had to wait, of those that weir knows: it computed for " +
                     in_seconds(computing.all_s) + " in " + wall;
  bool waited_elsewhere = computing.all_s < 0.8 * gain.wall_s;
  if (!waited_elsewhere) return line + ", " + in_seconds(computing.in_regions_s) + " of it there\n";
  return line + ", and waited outside of them, for a core, or for what weir does not see, as page faults of mapped files\n";
}

}  // namespace weir::cli
