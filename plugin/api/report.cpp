// SPDX-License-Identifier: Apache-2.0
#include "api/report.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "api/controlling.h"
#include "api/instance.h"
#include "api/recorder.h"
#include "api/voice.h"
#include "api/writer.h"
#include "base/clock.h"
#include "base/log.h"
#include "lane/gomp.h"
#include "meter/counters.h"
#include "meter/overlap.h"
#include "meter/teams.h"
#include "sys/file.h"
#include "sys/process.h"
#include "sys/raw.h"
#include "wait/lane.h"

namespace weir::api {
namespace {

constexpr const char* version = "0.1.0";

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

const char* lane_name() {
  switch (wait::policy.best.load()) {
    case wait::Lane::suspend: return "suspend";
    case wait::Lane::park: return "park";
    default: return "off";
  }
}

// What weir run said of the OpenMP run-time. It knew nothing of a program that a script or a launcher started, nor of a libgomp
// that is loaded later; nor does a bare LD_PRELOAD ask it.
const char* note() {
  bool asked = wait::policy.best.load() != wait::Lane::plain && !*settings().note;
  if (!asked || !lane::has_only_libgomp()) return settings().note;
  return "libgomp stays: --libomp=FILE puts LLVM's libomp in front of it, or weir run right before a program that is linked to it";
}

// The reason that cost the most; where none cost any time, the one that kept most calls from being hidden.
meter::Reason main_reason(const meter::Totals& sum) {
  auto most = [](const std::int64_t* of) {
    int found = 0;
    for (int i = 1; i < meter::reason_count; ++i) {
      if (static_cast<meter::Reason>(i) != meter::Reason::buffered_write && of[i] > (found ? of[found] : 0)) found = i;
    }
    return static_cast<meter::Reason>(found);
  };
  meter::Reason costliest = most(sum.lost_ns);
  return costliest != meter::Reason::none ? costliest : most(sum.reasons);
}

// Without the character that the end of the buffer cut in two.
Result whole_characters(const char* text, std::size_t length) {
  for (std::size_t back = 1; back < 4; ++back) {
    auto c = static_cast<unsigned char>(text[length - back]);
    if (c >= 0xc0) return static_cast<Result>(bytes_of_character(text + length - back, back) ? length : length - back);
    if (c < 0x80) break;
  }
  return static_cast<Result>(length);
}

void put_command(Writer& out) {
  out.put("\"command\": [");
  char text[4096];
  Result fd = sys::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  Result length = failed(fd) ? 0 : sys::read(static_cast<int>(fd), text, sizeof text);
  if (!failed(fd)) sys::close(static_cast<int>(fd));
  if (length == sizeof text) length = whole_characters(text, sizeof text);
  for (Result at = 0; at < length;) {
    std::size_t word = strnlen(text + at, length - at);
    if (at) out.put(", ");
    out.put_string(text + at, word);
    at += static_cast<Result>(word) + 1;
  }
  out.put("],\n");
}

void put_figures(Writer& out, const meter::Totals& sum, const Facts& facts) {
  base::Line line;
  line.add("\"wall_s\": %.6f,\n\"lane\": \"%s\",\n\"lane_reason\": \"%s\",\n", seconds(facts.wall_ns), lane_name(),
           meter::name_of(wait::policy.reason.load()));
  line.add("\"calls\": %lld,\n\"bytes_read\": %lld,\n\"bytes_written\": %lld,\n", (long long)sum.calls,
           (long long)sum.bytes_read, (long long)sum.bytes_written);
  line.add("\"fast_hits\": %lld,\n\"parked\": %lld,\n\"suspended\": %lld,\n\"plain\": %lld,\n", (long long)sum.fast_hits,
           (long long)sum.parked, (long long)sum.suspended, (long long)sum.plain);
  line.add("\"ring_ops\": %lld,\n\"ring\": %s,\n\"peak_in_flight\": %lld,\n\"peak_suspended\": %lld,\n",
           (long long)meter::gauges.ring_ops.value(), facts.ring_failed ? "false" : "true",
           (long long)meter::gauges.in_flight.peak(), (long long)meter::gauges.suspended.peak());
  line.add("\"blocked_s\": %.6f,\n\"hidden_s\": %.6f,\n\"storage_ops\": %lld,\n\"storage_bytes\": %lld,\n",
           seconds(sum.all_waits_ns()), seconds(sum.all_hidden_ns()), (long long)sum.storage_ops, (long long)sum.storage_bytes);
  out.put(line);
}

void put_overlap(Writer& out, const meter::Overlap::Sum& overlap) {
  base::Line line;
  line.add("\"waiting_s\": %.6f,\n\"in_flight_s\": %.6f,\n\"computing_s\": %.6f,\n", seconds(overlap.clock_ns),
           seconds(overlap.flown_ns), seconds(overlap.computing_ns));
  line.add("\"own_threads\": %.3f,\n\"gained_s\": %.6f,\n", overlap.threads(), seconds(overlap.gained_ns));
  out.put(line);
}

void put_text_or_null(Writer& out, const char* text) {
  if (text) out.put_string(text, std::strlen(text));
  else out.put("null");
}

void put_teams(Writer& out) {
  base::Line line;
  line.add("\"omp_widened\": %lld,\n\"omp_widest\": %lld,\n\"omp_smallest_crew\": %lld,\n\"omp_kept_out\": ",
           (long long)meter::teams.widened.load(), (long long)meter::teams.widest.load(),
           (long long)meter::teams.smallest_crew.load());
  out.put(line);
  put_text_or_null(out, meter::teams.kept_out.load());
  out.put(",\n\"omp_narrow\": ");
  put_text_or_null(out, meter::teams.narrow.load());
  out.put(",\n\"note\": ");
  const char* said = note();
  out.put_string(said, std::strlen(said));
  out.put(",\n");
}

void put_fallbacks(Writer& out, const meter::Totals& sum) {
  base::Line line;
  line.add("\"fallbacks\": {");
  const char* comma = "";
  for (int i = 1; i < meter::reason_count; ++i) {
    if (!sum.reasons[i]) continue;
    line.add("%s\"%s\": %lld", comma, meter::name_of(static_cast<meter::Reason>(i)), (long long)sum.reasons[i]);
    comma = ", ";
  }
  line.add("},\n");
  out.put(line);
}

// What made `auto` choose the park lane, name by name.
void put_evidence(Writer& out) {
  const lane::Decision& program = api::program();
  out.put("\"lane_evidence\": [");
  for (int i = 0; i < program.count && i < lane::Decision::kept; ++i) {
    const lane::Finding& finding = program.findings[i];
    out.put(i ? ",\n {\"object\": " : "\n {\"object\": ");
    out.put_string(finding.object, std::strlen(finding.object));
    out.put(", \"name\": ");
    out.put_string(finding.name, std::strlen(finding.name));
    out.put(", \"meaning\": ");
    out.put_string(finding.meaning, std::strlen(finding.meaning));
    out.put("}");
  }
  out.put("],\n");
}

// What the limit was over time, and what it gave.
void put_controller(Writer& out) {
  static control::History history;  // large for a stack that is the program's
  history = control_history();
  out.put("\"controller\": [");
  for (int i = 0; i < history.count(); ++i) {
    const control::History::Point& p = history[i];
    base::Line line;
    line.add("%s{\"t_s\": %.3f, \"permits\": %d, \"state\": \"%s\"", i ? ",\n " : "", p.t_s, p.limit, name_of(p.state));
    line.add(", \"bytes_per_s\": %.0f, \"ops_per_s\": %.1f}", p.bytes_per_s, p.ops_per_s);
    out.put(line);
  }
  out.put("]\n}\n");
}

}  // namespace

void FileName::add(const char* text, std::size_t length) {
  fits_ = fits_ && length < sizeof text_ - length_;
  if (!fits_) return;
  std::memcpy(text_ + length_, text, length);
  length_ += length;
  text_[length_] = 0;
}

void FileName::add(const char* text) { add(text, std::strlen(text)); }

void FileName::of(const char* file) {
  *this = {};
  add(file);
}

void FileName::of_child(const char* file) {
  const char* slash = std::strrchr(file, '/');
  const char* dot = std::strrchr(slash ? slash : file, '.');
  *this = {};
  add(file, dot ? static_cast<std::size_t>(dot - file) : std::strlen(file));
  add(base::Line().add(".%d", sys::process_id()).text());
  add(dot ? dot : "");
}

void FileName::of_process(const char* file) {
  if (is_root()) of(file);
  else of_child(file);
}

void name_file(base::Line& name, const char* file) {
  FileName whole;
  whole.of_process(file);
  name.add("%s", whole.text());
  if (name.length() == std::strlen(whole.text())) return;
  name = {};  // a name that was cut is another file's
  base::say("a name of more than 1024 bytes: %.900s", file);
}

namespace {

// Had a stand-in hidden what the reason kept from another lane?
bool would_stand_ins_do(meter::Reason reason) {
  using enum meter::Reason;
  return reason == none || reason == not_a_task || reason == thread_bound || reason == no_stand_in;
}

void say_why_nothing(base::Line& line, const meter::Totals& sum) {
  meter::Reason reason = main_reason(sum);
  bool none_waited = !sum.parked && !sum.suspended && !sum.all_waits_ns();  // threads of a large team may have, for a core
  if (none_waited && reason == meter::Reason::gate_timeout) reason = meter::Reason::none;
  const char* left_alone = meter::teams.kept_out.load();
  bool seen = sum.fast_hits || sum.parked || sum.suspended || sum.reasons[static_cast<int>(meter::Reason::buffered_write)];
  const char* narrow = meter::teams.widened.load() ? nullptr : meter::teams.narrow.load();
  line.add("; nothing gained");
  if (!seen && lane::has_only_libgomp() && *note()) return;  // which is added, and says why
  if (reason == meter::Reason::in_order) line.add(": %s", meter::words_of(reason));
  else if (narrow && sum.blocked_ns) line.add(": no stand-ins: %s", narrow);
  else if (left_alone && would_stand_ins_do(reason) && (sum.blocked_ns || reason == meter::Reason::not_a_task))
    line.add(": OpenMP teams are left alone: %s", left_alone);
  else if (reason != meter::Reason::none) line.add(": %s", meter::words_of(reason));
  else if (sum.blocked_ns) line.add(", no stand-in was there");
  else if (wait::policy.best.load() == wait::Lane::plain) line.add(": %s", meter::words_of(meter::Reason::lane_off));
  else if (sum.calls && !seen && left_alone) line.add(": OpenMP teams are left alone: %s", left_alone);
  else if (sum.calls && !seen) line.add(", no call was made in a team, a task or an arena");
  else line.add(", no call that weir knows had to wait");
}

constexpr std::int64_t shortest_said_ns = 5 * base::ns_per_ms;  // a hundredth of a second, as it is printed

// What was gained can't be known without a run without us: said is what the program's own threads had time for.
void say_what_was_hidden(base::Line& line, std::int64_t hidden_ns, const meter::Overlap::Sum& overlap, std::int64_t wall_ns) {
  line.add("; %.2f s of waiting hidden in %.2f s", seconds(hidden_ns), seconds(wall_ns));
  if (!overlap.clock_ns) return;
  bool gained = overlap.gained_ns >= std::max(shortest_said_ns, wall_ns / 100);
  long threads = static_cast<long>(overlap.threads() + 0.5);
  base::Line its;
  if (threads > 1) its.add("its %ld threads", threads);
  else its.add("its thread");
  if (gained) line.add(", for which %s would take some %.2f s", its.text(), seconds(wall_ns + overlap.gained_ns));
  else line.add(", no more than %s %s without weir", its.text(), threads > 1 ? "wait and compute" : "waits and computes");
}

}  // namespace

void say_summary(const Facts& facts) {
  meter::Totals sum = meter::totals();
  base::Line line;
  line.add("weir: ");
  const char* said = note();
  // A shell that starts the program in question has nothing to say, nor have the program's own little helpers.
  if (!is_root()) {
    bool ran_unseen = said != settings().note && facts.wall_ns > base::ns_per_s;
    if (!sum.suspended && !sum.parked && !ran_unseen) return;
    line.add("%s (%d): ", program_invocation_short_name, sys::process_id());
  }
  line.add("%lld calls, %.1f MB; %lld suspended, %lld parked, peak %lld in flight", (long long)sum.calls,
           static_cast<double>(sum.bytes_read + sum.bytes_written) / 1e6, (long long)sum.suspended,
           (long long)sum.parked, (long long)meter::gauges.in_flight.peak());
  meter::Overlap::Sum overlap = meter::overlap_now();
  std::int64_t hidden_ns = sum.all_hidden_ns();
  if (overlap.flown_ns) hidden_ns = std::min(hidden_ns, overlap.flown_ns);  // without that for a permit
  bool says_hidden = hidden_ns >= shortest_said_ns;
  if (says_hidden) say_what_was_hidden(line, hidden_ns, overlap, facts.wall_ns);
  if (facts.ring_failed)
    line.add("; no io_uring here%s", sum.suspended ? ": threads of weir's waited for tasks" : ", nothing could be suspended");
  bool says_why = !hidden_ns || sum.all_waits_ns() - hidden_ns >= shortest_said_ns;
  if (!says_hidden && says_why) say_why_nothing(line, sum);
  if (*said) line.add("; %s", said);
  tell_on_new_line(line.add("\n"));
}

namespace {

int write_all(int fd, const Facts& facts) {
  Writer out(fd);
  meter::Totals sum = meter::totals();
  base::Line head;
  head.add("{\n\"version\": \"%s\",\n\"pid\": %d,\n\"ended\": %s,\n", version, sys::process_id(),
           facts.ended ? "true" : "false");
  out.put(head);
  put_command(out);
  put_figures(out, sum, facts);
  put_overlap(out, meter::overlap_now());
  put_evidence(out);
  put_teams(out);
  put_fallbacks(out, sum);
  put_record(out);
  put_call_sites(out);
  put_controller(out);
  return out.finish();
}

// May the file be put in the place of what has this name? Devices, pipes and links are written through.
bool may_replace(const char* name) {
  struct stat about;
  Result known = sys::raw(SYS_newfstatat, AT_FDCWD, sys::word(name), sys::word(&about), AT_SYMLINK_NOFOLLOW);
  return known == -ENOENT || (!failed(known) && S_ISREG(about.st_mode));
}

int write_in_place(const char* name, const Facts& facts) {
  Result fd = sys::open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (failed(fd)) return static_cast<int>(fd);
  int error = write_all(static_cast<int>(fd), facts);
  sys::close(static_cast<int>(fd));
  return error;
}

// Beside it, then renamed: who reads the file, or kills us, finds a whole report.
int replace(const char* name, const Facts& facts) {
  static FileName part;  // large for a stack that is the program's; one writes at a time
  part.of(name);
  part.add(base::Line().add(".%d.part", sys::process_id()).text());  // several that `weir run` became may have the same name
  if (!part.fits()) return facts.ended ? write_in_place(name, facts) : -ENAMETOOLONG;
  Result fd = sys::open(part.text(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (failed(fd)) return facts.ended ? write_in_place(name, facts) : static_cast<int>(fd);
  int error = write_all(static_cast<int>(fd), facts);
  sys::close(static_cast<int>(fd));
  if (!error) error = static_cast<int>(sys::raw(SYS_rename, sys::word(part.text()), sys::word(name)));
  if (error) sys::raw(SYS_unlink, sys::word(part.text()));
  return error;
}

}  // namespace

void write_report(const char* file, const Facts& facts) {
  static FileName name;
  name.of_process(file);
  bool whole = name.fits() && may_replace(name.text());
  if (!whole && !facts.ended) return;
  int error = !name.fits() ? -ENAMETOOLONG : whole ? replace(name.text(), facts) : write_in_place(name.text(), facts);
  if (error && facts.ended) base::say("can't write the report %.900s: %s", name.fits() ? name.text() : file, base::words_of(-error));
}

}  // namespace weir::api
