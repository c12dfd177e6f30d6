// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::base {

enum class Lane : std::uint8_t { automatic, park, suspend, off };
enum class Force : std::uint8_t { none, all };
enum class Teams : std::uint8_t { automatic, any, same, bare };
enum class Count : std::uint8_t { threads, cores };

// Everything a user can set, as values. Where they come from: WEIR_* variables, which `weir run` sets from its options.
struct Settings {
  Lane lane = Lane::automatic;
  Force force = Force::none;
  Teams omp_teams = Teams::automatic;
  Count omp_count = Count::threads;
  std::int64_t threads = 0;
  std::int64_t permits = 0;
  std::int64_t max_permits = 128;
  bool share = true;
  std::int64_t stand_ins = 512;
  std::int64_t max_suspended = 0;
  std::int64_t stack_kib = 0;
  std::int64_t gate_wait_ms = 100;
  std::int64_t watchdog_ms = 500;
  bool summary = false;
  bool verbose = false;
  bool inherit = true;
  const char* report = nullptr;
  const char* trace = nullptr;
  const char* decisions = nullptr;
  const char* algorithm = "weir";
  const char* libomp = "auto";
  const char* note = "";
  const char* disable = "";
  const char* debug = "";
};

// One row of the one table: from it come the variables, the command line options, the help text and the docs page.
struct Setting {
  const char* variable;  // WEIR_LANE
  const char* option;    // --lane, or nullptr: only a variable
  const char* form;      // auto|park|suspend|off, N, FILE, or nullptr: a flag
  const char* initial;   // the default, as text
  const char* help;
  // Reads `text` into `settings`; false when it is not of the form.
  bool (*read)(Settings& settings, const char* text);
};

extern const Setting settings_table[];
extern const std::size_t settings_count;

// Reads every WEIR_* variable of `environment`. A value that is not of its form leaves the default and is named in
// `complaint` (the last one wins; nullptr when all are well). File names and words stay the environment's.
Settings read_settings(char** environment, const Setting** complaint);

// Is `word` one of the comma-separated words of `list`?
bool lists(const char* list, const char* word);

}  // namespace weir::base
