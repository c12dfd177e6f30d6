// SPDX-License-Identifier: Apache-2.0
// weir compare: two runs side by side, as text or as a page.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/commands.h"
#include "cli/report/page.h"
#include "cli/report/run_of_files.h"
#include "cli/report/units.h"
#include "cli/report/verdict.h"

namespace weir::cli {
namespace {

struct Figure {
  const char* key;
  const char* name;
  std::string (*say)(double);
};

std::string in_threads(double threads) { return in_digits(threads); }

constexpr Figure figures[] = {
    {"wall_s", "wall clock", in_seconds},        {"hidden_s", "waiting hidden", in_seconds},
    {"gained_s", "own threads longer by", in_seconds}, {"own_threads", "own threads", in_threads},
    {"blocked_s", "waiting in all", in_seconds}, {"calls", "calls", in_count},
    {"bytes_read", "read", in_bytes},            {"bytes_written", "written", in_bytes},
    {"fast_hits", "served at once", in_count},   {"suspended", "suspended", in_count},
    {"parked", "parked", in_count},              {"plain", "passed through", in_count},
    {"peak_in_flight", "most in flight", in_count}, {"storage_ops", "storage calls", in_count},
};

constexpr Figure region_figures[] = {
    {"computing_s", "computing", in_seconds},
    {"parked_s", "parked", in_seconds},
    {"suspended_s", "suspended", in_seconds},
    {"waiting_for_core_s", "waiting for a core", in_seconds},
};

std::string row(const std::string& name, const std::string& a, const std::string& b, const std::string& ratio) {
  char line[512];
  std::snprintf(line, sizeof line, "%-28.60s %14s %14s %8s\n", name.c_str(), a.c_str(), b.c_str(), ratio.c_str());
  return line;
}

std::string row(const Figure& figure, double a, double b) {
  return row(figure.name, figure.say(a), figure.say(b), a > 0 && b > 0 ? in_digits(b / a) : "");
}

double sum_of_regions(const Record& record, const char* key) {
  double sum = 0;
  for (const Json& region : list(record.body, "regions")) sum += number(region, key);
  return sum;
}

std::string table(const Record& a, const Record& b) {
  std::string lines = "A  " + command_of(a) + "\nB  " + command_of(b) + "\n\n";
  lines += row("", "A", "B", "B / A") + row("lane", text(a.body, "lane", "-"), text(b.body, "lane", "-"), "");
  for (const Figure& figure : figures) {
    double of_a = number(a.body, figure.key), of_b = number(b.body, figure.key);
    if (of_a || of_b) lines += row(figure, of_a, of_b);
  }
  std::string regions;
  for (const Figure& figure : region_figures) {
    double of_a = sum_of_regions(a, figure.key), of_b = sum_of_regions(b, figure.key);
    if (of_a || of_b) regions += row(figure, of_a, of_b);
  }
  if (!regions.empty()) lines += "\nwhere the time of its threads went\n" + regions;
  return lines + "\n" + verdict(a, b) + "\n";
}

int compare(const std::vector<std::string>& files, const std::string& target) {
  RunOfFiles a = read_run({files[0]}), b = read_run({files[1]});
  for (const RunOfFiles* run : {&a, &b}) {
    for (const std::string& trouble : run->troubles) std::fprintf(stderr, "weir: %s\n", trouble.c_str());
  }
  if (a.processes.empty() || b.processes.empty()) return status_failed;
  const Record &of_a = a.processes[0], &of_b = b.processes[0];
  std::string trouble =
      target.empty() ? write_page("-", table(of_a, of_b)) : write_page(target, page_of_two(of_a, of_b));
  if (!trouble.empty()) std::fprintf(stderr, "weir: %s\n", trouble.c_str());
  else if (!target.empty() && target != "-") std::printf("%s\n", target.c_str());
  return trouble.empty() ? 0 : status_failed;
}

}  // namespace

int compare_command(int argc, char** argv) {
  std::vector<std::string> files;
  std::string target;
  CLI::App app{"weir compare A.json B.json [-o FILE.html]\nTwo runs side by side: as text, or as a page.", "weir compare"};
  app.add_option("FILES", files, "two reports, as weir run --report=FILE.json writes them")->required()->expected(2);
  app.add_option("-o,--output", target, "write a page instead, - for standard output")->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "weir: %s\nweir: see weir compare --help\n", error.what());
    return status_usage;
  }
  return compare(files, target);
}

}  // namespace weir::cli
