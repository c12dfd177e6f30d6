// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstring>

#include "cli/commands.h"
#include "cli/controller.h"
#include "cli/options.h"

namespace weir::cli {
namespace {

struct Command {
  const char* name;
  const char* form;
  const char* help;
  int (*run)(int argc, char** argv);
};

int version_command(int, char**) {
  std::puts("weir " WEIR_VERSION);
  return 0;
}

int help_command(int, char**);

constexpr Command commands[] = {
    {"run", "[OPTIONS] [--] CMD ARGS...", "run a program with its I/O under way while it computes", run_command},
    {"doctor", "[--json] [OPTIONS] [--] [CMD ARGS...]", "what this machine allows, and what CMD would get and why", doctor_command},
    {"report", "FILE.json [MORE.json...] [-o FILE.html]", "a page that shows what happened in a run", report_command},
    {"compare", "A.json B.json [-o FILE.html]", "two runs side by side", compare_command},
    {"top", "[PID] [--once] [--interval=S]", "what running processes are about, live", top_command},
    {"controller", "[OPTIONS]", "the controller alone: samples in, limits out", controller_command},
    {"version", "", "the version", version_command},
    {"help", "", "this", help_command},
};

int help_command(int, char**) {
  std::puts("weir keeps the cores of an OpenMP or oneTBB program busy while its I/O is under way.\n");
  for (const Command& command : commands) {
    std::printf("  weir %-10s %-40s %s\n", command.name, command.form, command.help);
  }
  std::printf("\nOptions of weir run, and the variables they set:\n%s", help_of_settings().c_str());
  return 0;
}

int main_of(int argc, char** argv) {
  if (argc < 2) {
    help_command(argc, argv);
    return status_usage;
  }
  const char* name = argv[1];
  if (!std::strcmp(name, "--help") || !std::strcmp(name, "-h")) name = "help";
  if (!std::strcmp(name, "--version")) name = "version";
  for (const Command& command : commands) {
    if (!std::strcmp(command.name, name)) return command.run(argc - 1, argv + 1);
  }
  std::fprintf(stderr, "weir: there is no command '%s'; weir help lists them\n", name);
  return status_usage;
}

}  // namespace
}  // namespace weir::cli

int main(int argc, char** argv) { return weir::cli::main_of(argc, argv); }
