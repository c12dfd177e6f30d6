// SPDX-License-Identifier: Apache-2.0
#include "base/settings.h"

#include <cstring>

namespace weir::base {
namespace {

bool read_number(std::int64_t& into, const char* text) {
  if (!*text) return false;
  std::int64_t value = 0;
  for (; *text; ++text) {
    if (*text < '0' || *text > '9' || value > 1'000'000'000) return false;
    value = value * 10 + (*text - '0');
  }
  into = value;
  return true;
}

bool read_flag(bool& into, const char* text) {
  bool on = !std::strcmp(text, "1") || !std::strcmp(text, "on") || !std::strcmp(text, "yes");
  bool off = !*text || !std::strcmp(text, "0") || !std::strcmp(text, "off") || !std::strcmp(text, "no");
  if (on || off) into = on;
  return on || off;
}

bool read_lane(Settings& s, const char* text) {
  struct Name { const char* name; Lane lane; };
  constexpr Name names[] = {
      {"auto", Lane::automatic}, {"park", Lane::park}, {"suspend", Lane::suspend}, {"off", Lane::off}};
  for (const Name& n : names) {
    if (std::strcmp(n.name, text)) continue;
    s.lane = n.lane;
    return true;
  }
  return false;
}

bool read_force(Settings& s, const char* text) {
  if (!std::strcmp(text, "all")) s.force = Force::all;
  else if (!std::strcmp(text, "none")) s.force = Force::none;
  else return false;
  return true;
}

bool read_teams(Settings& s, const char* text) {
  struct Name { const char* name; Teams teams; };
  constexpr Name names[] = {
      {"auto", Teams::automatic}, {"any", Teams::any}, {"same", Teams::same}, {"bare", Teams::bare}};
  for (const Name& n : names) {
    if (std::strcmp(n.name, text)) continue;
    s.omp_teams = n.teams;
    return true;
  }
  return false;
}

bool read_count(Settings& s, const char* text) {
  bool cores = !std::strcmp(text, "cores");
  if (!cores && std::strcmp(text, "threads")) return false;
  s.omp_count = cores ? Count::cores : Count::threads;
  return true;
}

bool read_algorithm(Settings& s, const char* text) {
  if (std::strcmp(text, "weir") && std::strcmp(text, "iopa")) return false;
  s.algorithm = *text == 'i' ? "iopa" : "weir";
  return true;
}

// Not of the form: what is beyond `most`, or below `least` and not 0, which stands for what weir takes by itself.
bool read_within(std::int64_t& into, const char* text, std::int64_t least, std::int64_t most) {
  std::int64_t value;
  if (!read_number(value, text) || value > most || (value && value < least)) return false;
  into = value;
  return true;
}

constexpr std::int64_t most_at_once = 4096;  // of threads, of calls of storage: far beyond what gains
constexpr std::int64_t least_stack_kib = 64, most_stack_kib = 1 << 20;

template <std::int64_t Settings::*member>
bool number(Settings& s, const char* text) { return read_number(s.*member, text); }

template <std::int64_t Settings::*member>
bool count(Settings& s, const char* text) { return read_within(s.*member, text, 0, most_at_once); }

bool read_stack(Settings& s, const char* text) { return read_within(s.stack_kib, text, least_stack_kib, most_stack_kib); }

// 0 as in the other settings: what weir takes by itself.
bool read_max_permits(Settings& s, const char* text) {
  if (!count<&Settings::max_permits>(s, text)) return false;
  if (s.max_permits == 0) s.max_permits = Settings().max_permits;
  return true;
}

template <bool Settings::*member>
bool flag(Settings& s, const char* text) { return read_flag(s.*member, text); }

template <const char* Settings::*member>
bool words(Settings& s, const char* text) { s.*member = text; return true; }

}  // namespace

constinit const Setting settings_table[] = {
    {"WEIR_LANE", "--lane", "auto|park|suspend|off", "auto", "how a caller that would block waits", read_lane},
    {"WEIR_THREADS", "--threads", "0..4096", "0", "cores that may compute at once (0: those this process may use)",
     count<&Settings::threads>},
    {"WEIR_REPORT", "--report", "FILE", "",
     "write a report as JSON, one file a process; as a page, if weir run is given FILE.html. %p in FILE: its process id, %h: the host's name",
     words<&Settings::report>},
    {"WEIR_TRACE", "--trace", "FILE", "", "write a trace for Perfetto or chrome://tracing, one file a process",
     words<&Settings::trace>},
    {"WEIR_PERMITS", "--permits", "0..4096", "0", "a fixed number of storage calls in flight (0: the controller finds it)",
     count<&Settings::permits>},
    {"WEIR_MAX_PERMITS", "--max-permits", "0..4096", "128", "the most the controller may allow",
     read_max_permits},
    {"WEIR_SHARE", nullptr, "0|1", "1", "0: find the number of permits without regard to other processes on the device",
     flag<&Settings::share>},
    {"WEIR_STAND_INS", "--stand-ins", "0..4096", "512", "the most threads a team or arena may have, stand-ins included",
     count<&Settings::stand_ins>},
    {"WEIR_OMP_TEAMS", "--omp-teams", "auto|any|same|bare", "auto",
     "sizes OpenMP teams may have: as the program's code lets, any, all the same, as without weir", read_teams},
    {"WEIR_OMP_COUNT", "--omp-count", "threads|cores", "threads",
     "what OMP_NUM_THREADS, omp_set_num_threads and num_threads count: threads, or cores, for which more threads may be there", read_count},
    {"WEIR_ALGO", "--algo", "weir|iopa", "weir", "the controller's algorithm", read_algorithm},
    {"WEIR_DECISIONS", "--decisions", "FILE", "", "write the controller's decisions as JSON lines",
     words<&Settings::decisions>},
    {"WEIR_LIBOMP", "--libomp", "auto|no|FILE", "auto", "LLVM's OpenMP run-time, put in front of gcc's where CMD uses that",
     words<&Settings::libomp>},
    {"WEIR_MAX_SUSPENDED", nullptr, "N", "0", "the most tasks suspended at once (0: what the runtime bears)",
     number<&Settings::max_suspended>},
    {"WEIR_STACK_KIB", nullptr, "0|64..1048576", "0", "stack of a suspendable task (0: as the program's threads have)",
     read_stack},
    {"WEIR_GATE_WAIT_MS", nullptr, "N", "100", "the longest a caller waits for a permit or a core while none comes back",
     number<&Settings::gate_wait_ms>},
    {"WEIR_WATCHDOG_MS", nullptr, "N", "500", "no progress for so long, with tasks suspended: park from then on",
     number<&Settings::watchdog_ms>},
    {"WEIR_FORCE", nullptr, "none|all", "none", "for tests: calls of every thread go by the ring", read_force},
    {"WEIR_DISABLE", nullptr, "WORDS", "", "for tests: capabilities to do without, by name, comma-separated",
     words<&Settings::disable>},
    {"WEIR_DEBUG", nullptr, "WORDS", "", "for tests: suspend-always, small-trace, small-crew, shuffle", words<&Settings::debug>},
    {"WEIR_INHERIT", nullptr, "0|1", "1", "0: programs that this one starts run without weir",
     flag<&Settings::inherit>},
    {"WEIR_SUMMARY", nullptr, "0|1", "0", "one line on stderr at the end (weir run sets it)",
     flag<&Settings::summary>},
    {"WEIR_NOTE", nullptr, "TEXT", "", "what the summary says besides (weir run sets it)", words<&Settings::note>},
    {"WEIR_VERBOSE", "--verbose", nullptr, "0", "say on stderr what weir decides", flag<&Settings::verbose>},
};
constinit const std::size_t settings_count = sizeof settings_table / sizeof *settings_table;

Settings read_settings(char** environment, const Setting** complaint) {
  Settings settings;
  *complaint = nullptr;
  for (char** entry = environment; entry && *entry; ++entry) {
    if (std::strncmp(*entry, "WEIR_", 5)) continue;
    for (const Setting& row : settings_table) {
      std::size_t length = std::strlen(row.variable);
      if (std::strncmp(*entry, row.variable, length) || (*entry)[length] != '=') continue;
      if (!row.read(settings, *entry + length + 1)) *complaint = &row;
    }
  }
  return settings;
}

bool lists(const char* list, const char* word) {
  std::size_t length = std::strlen(word);
  for (const char* at = list; (at = std::strstr(at, word)); at += length) {
    bool starts = at == list || at[-1] == ',';
    bool ends = !at[length] || at[length] == ',';
    if (starts && ends) return true;
  }
  return false;
}

}  // namespace weir::base
