// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/names.h"
#include "cli/aftermath.h"
#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/openmp.h"
#include "cli/options.h"
#include "cli/program.h"
#include "lane/marks.h"
#include "sys/unsignalled.h"

namespace weir::cli {
namespace {

bool stands_on_libc_alone(const std::string& library) {
  constexpr const char* those[] = {"libgomp.so", "libc.so", "libm.so", "libmvec.so", "libgcc_s.so", "libstdc++.so", "libpthread.so",
                                   "libdl.so", "librt.so", "ld-linux-"};
  return base::starts_with_one(library.c_str(), those);
}

// What the loader is told to load before.
bool brings_more() {
  const char* before = std::getenv("LD_PRELOAD");
  return (before && *before) || access("/etc/ld.so.preload", F_OK) == 0;
}

bool all_are(const std::vector<std::string>& libraries, bool (*is)(const std::string&)) {
  return std::all_of(libraries.begin(), libraries.end(), is);
}

// What run-times a program has is asked of the loader, which takes a few milliseconds: not where its own libraries can't bring in
// what is looked for, nor where libgomp is the only one that they can.
std::vector<std::string> objects_to_judge(const Program& program) {
  std::vector<std::string> objects{program.binary};
  const std::vector<std::string>& needed = program.needed;
  auto is_other = [](const std::string& name) { return !base::starts(name.c_str(), "libgomp"); };
  bool has_libgomp = !all_are(needed, is_other);
  bool only_runtimes = all_are(needed, [](const std::string& name) { return lane::is_runtime(name.c_str()); });
  if (!has_libgomp && only_runtimes) return objects;
  if (brings_more() || !all_are(needed, stands_on_libc_alone)) return objects_of(program);
  objects.insert(objects.end(), needed.begin(), needed.end());  // of run-times the name is all that is asked
  return objects;
}

// As execvp does it, and as env(1) says it: 127 for no such program, 126 for one that can't be run.
int execute(char** command) {
  execvp(command[0], command);
  int error = errno;
  std::fprintf(stderr, "weir: %s: %s\n", command[0], std::strerror(error));
  return error == ENOENT ? status_not_found : status_not_executable;
}

// Why weir can't be had for this program, or "".
std::string obstacle(const Program& program, const std::string& preload) {
  return program.out_of_reach.empty() ? why_no_preload(preload) : program.out_of_reach;
}

int run_plain(char** command, const Wish& wish, const std::string& why) {
  if (!wish.quiet) {
    sys::Unsignalled unsignalled;
    std::fprintf(stderr, "weir: runs without weir: %s\n", why.c_str());
  }
  clear_environment();
  return execute(command);
}

std::string setting(const Wish& wish, const char* variable, const char* initial) {
  auto given = wish.given.find(variable);
  if (given != wish.given.end() && !given->second.empty()) return given->second;
  const char* environment = std::getenv(variable);
  return environment && *environment ? environment : initial;
}

// Of names that have become old, as omp_set_nested, libgomp says nothing. And who unlocks one of its locks may have it again at once; libomp's
// hand theirs on in the order of asking, which takes longer, unless told otherwise.
void behave_as_libgomp() {
  setenv("KMP_WARNINGS", "0", 0);
  setenv("KMP_LOCK_KIND", "tas", 0);
}

int run_program(char** command, const Wish& wish) {
  Program program = examine(command[0]);
  if (!program.trouble.empty()) return execute(command);
  std::string ours = preload_library();
  std::string why = obstacle(program, ours);
  if (!why.empty()) return run_plain(command, wish, why);
  std::vector<std::string> objects = objects_to_judge(program);
  OpenMp openmp;
  auto set = [&wish](const char* variable) { return setting(wish, variable, ""); };
  if (setting(wish, "WEIR_LANE", "auto") != "off") openmp = choose_openmp(objects, setting(wish, "WEIR_LIBOMP", "auto"), wish_for_teams(set));
  const char* before = std::getenv("LD_PRELOAD");
  if (!openmp.in_front.empty()) behave_as_libgomp();
  set_environment(wish, preload_list(before ? before : "", ours, openmp.in_front, objects), openmp.note);
  return execute(command);
}

struct Job {
  char** command;
  Wish wish;
};

int run_reporting(const std::string& report, void* job) {
  auto& [command, wish] = *static_cast<Job*>(job);
  wish.given["WEIR_REPORT"] = report;
  if (report.empty()) unsetenv("WEIR_REPORT");
  return run_program(command, wish);
}

// As --explain says it, a line each; "" when the program will have weir in it.
std::string why_without(const char* command) {
  Program program = examine(command);
  std::string why = obstacle(program, preload_library());
  if (!program.trouble.empty() || why.empty()) return "";
  return "weir:       " + why + "\n" + (program.remedy.empty() ? "" : "weir:     > " + program.remedy + "\n");
}

int refuse(const std::string& why) {
  std::fprintf(stderr, "weir: %s\n", why.c_str());
  return status_own_trouble;
}

// Said before the program runs for hours, not after. Nothing is made yet: the program may end without a report.
std::string why_unwritable(const std::string& file) {
  namespace fs = std::filesystem;
  if (file.empty()) return "";
  if (file == "-") return "--report takes the name of a file; /dev/stdout is one";
  std::error_code ignored;
  std::string folder = fs::path(file).has_parent_path() ? fs::path(file).parent_path().string() : ".";
  int error = fs::is_directory(file, ignored) ? EISDIR : 0;
  bool replaces = !error && access(file.c_str(), F_OK) != 0 && errno == ENOENT;
  if (!error && access((replaces ? folder : file).c_str(), W_OK)) error = errno;
  return error ? "can't write " + file + ": " + std::strerror(error) : "";
}

// With nothing to do afterwards the program takes this process over; else it is a child of it.
int run_job(Job& job, bool explain) {
  std::string report = setting(job.wish, "WEIR_REPORT", "");
  if (std::string why = why_unwritable(report); !why.empty()) return refuse(why);
  Aftermath wanted{names_page(report) ? report : "", explain, why_without(job.command[0]), names_page(report) ? "" : report};
  return wanted.wanted() ? run_with_aftermath(wanted, run_reporting, &job) : run_program(job.command, job.wish);
}

}  // namespace

int run_command(int argc, char** argv) {
  int begin = where_command_begins(argc, argv);
  int options = begin > 1 && !std::strcmp(argv[begin - 1], "--") ? begin - 1 : begin;
  Job job{argv + begin, {}};
  bool explain = false;
  CLI::App app{"weir run [OPTIONS] [--] CMD ARGS...\nRuns CMD with weir in it. The exit status is CMD's.", "weir run"};
  add_settings(app, job.wish.given);
  app.footer(exit_statuses);
  app.add_flag(quiet_flag.name, job.wish.quiet, quiet_flag.help)->disable_flag_override();
  app.add_flag(explain_flag.name, explain, explain_flag.help)->disable_flag_override();
  try {
    app.parse(options, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return refuse(std::string(error.what()) + "\nweir: the options of weir run are listed by weir run --help");
  }
  if (begin >= argc) return refuse("weir run needs a program to run: weir run [OPTIONS] [--] CMD ARGS...");
  if (std::string why = why_no_libomp(setting(job.wish, "WEIR_LIBOMP", "auto")); !why.empty()) return refuse(why);
  if (!job.wish.quiet && !std::getenv("WEIR_ROOT"))  // within a run it was said already
    for (const std::string& trouble : unknown_in_environment()) std::fprintf(stderr, "weir: %s\n", trouble.c_str());
  name_files(job.wish.given);
  return run_job(job, explain);
}

}  // namespace weir::cli
