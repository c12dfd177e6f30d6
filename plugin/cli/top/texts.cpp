// SPDX-License-Identifier: Apache-2.0
#include "cli/top/texts.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "cli/report/units.h"

namespace weir::cli {
namespace {

using meter::Shown;

__attribute__((format(printf, 1, 2))) std::string formatted(const char* format, ...) {
  char line[512];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return line;
}

template <std::size_t size>
std::string text_of(const char (&from)[size]) {
  return printable({from, strnlen(from, size)});
}

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }
std::int64_t waits(const Shown& s) { return s.parked + s.suspended; }
std::int64_t bytes(const Shown& s) { return s.bytes_read + s.bytes_written; }
std::int64_t hidden(const Shown& s) { return s.hidden_ns; }
std::int64_t cpu(const Shown& s) { return s.cpu_ns; }

// Per second between the two looks; a figure that fell (the process knows better than we) is no rate.
double rate(const Row& row, std::int64_t (*figure)(const Shown&)) {
  bool twice = row.before.now_ns && row.now.now_ns > row.before.now_ns;
  double span_s = seconds(twice ? row.now.now_ns - row.before.now_ns : row.now.wall_ns);
  double grown = static_cast<double>(figure(row.now)) - static_cast<double>(twice ? figure(row.before) : 0);
  return span_s > 0 && grown > 0 ? grown / span_s : 0;
}

std::string headings() {
  return formatted("%8s %-8s %9s %11s %9s %7s %11s %9s %10s  %s", "PID", "STATE", "IN FLIGHT", "PERMITS", "SUSPENDED",
                   "PARKED", "CORES", "WAITS/S", "BYTES/S", "COMMAND");
}

std::string line_of(const Row& row) {
  const Shown& now = row.now;
  std::string permits = formatted("%lld/%lld", (long long)now.permits_held, (long long)now.permits);
  std::string cores = formatted("%.2f/%lld", rate(row, cpu) / 1e9, (long long)now.cores);
  return formatted("%8ld %-8s %9lld %11s %9lld %7lld %11s %9s %10s  %s", row.process,
                   row.answers ? text_of(now.state).c_str() : "silent", (long long)now.in_flight, permits.c_str(),
                   (long long)now.suspended_now, (long long)now.parked_now, cores.c_str(),
                   in_count(rate(row, waits)).c_str(), in_bytes(rate(row, bytes)).c_str(), row.command.c_str());
}

void add_detail(std::vector<std::string>& lines, const Row& row) {
  const Shown& now = row.now;
  auto many = [](std::int64_t n) { return in_count(static_cast<double>(n)); };
  lines.push_back("");
  std::string lane = text_of(now.lane), reason = text_of(now.reason);
  lines.push_back("  lane        " + lane + (lane == "suspend" || reason == "none" ? "" : " (" + reason + ")"));
  lines.push_back("  running for " + in_seconds(seconds(now.wall_ns)));
  lines.push_back("  calls       " + many(now.calls) + ": " + many(now.fast_hits) + " served at once, " +
                  many(now.suspended) + " suspended, " + many(now.parked) + " parked, " + many(now.plain) +
                  " passed through");
  lines.push_back("  moved       " + in_bytes(static_cast<double>(now.bytes_read)) + " read, " +
                  in_bytes(static_cast<double>(now.bytes_written)) + " written");
  lines.push_back("  waiting     " + in_seconds(seconds(now.blocked_ns)) + " in all, " +
                  in_seconds(seconds(now.hidden_ns)) + " of it hidden; " + in_digits(rate(row, hidden) / 1e9) +
                  " s hidden a second");
  lines.push_back("  in flight   " + many(now.in_flight) + ", at most " + many(now.peak_in_flight) + " so far; " +
                  many(now.ready) + " tasks could go on; " + many(now.permits_waiting) + " wait for a permit; " + many(now.cores_held) + " threads compute");
  auto sites = static_cast<std::size_t>(std::clamp<std::int64_t>(now.site_count, 0, Shown::most_sites));
  if (!sites) return;
  lines.push_back("");
  lines.push_back(formatted("  %10s %10s %10s  %-8s %-12s %s", "WAITED", "COUNT", "BYTES", "LANE", "CALL", "FROM"));
  for (std::size_t i = 0; i < sites; ++i) {
    const Shown::Site& s = now.sites[i];
    lines.push_back(formatted("  %10s %10s %10s  %-8s %-12s %s", in_seconds(seconds(s.waited_ns)).c_str(),
                              many(s.count).c_str(), in_bytes(static_cast<double>(s.bytes)).c_str(),
                              text_of(s.lane).c_str(), text_of(s.call).c_str(),
                              i < row.places.size() ? row.places[i].c_str() : ""));
  }
}

}  // namespace

std::string printable(const std::string& text) {
  std::string clean = text;
  while (!clean.empty() && clean.back() == '\n') clean.pop_back();
  for (char& c : clean)
    if (c < 0x20 || c > 0x7e) c = '?';
  return clean;
}

std::vector<std::string> view(const std::vector<Row>& rows, bool in_detail) {
  std::vector<std::string> lines;
  if (rows.empty()) return {"No process of yours with weir in it has waited for anything yet."};
  lines.push_back(headings());
  for (const Row& row : rows) lines.push_back(line_of(row));
  if (in_detail)
    for (const Row& row : rows) add_detail(lines, row);
  return lines;
}

}  // namespace weir::cli
