// SPDX-License-Identifier: Apache-2.0
// `weir controller`: a line in, a line out.
//   in:   dt ops bytes busy blocked cpu level region     what was seen since the line before (control/sample.h)
//   out:  permits                                        the concurrency wanted from now on
#include "cli/controller.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "control/controller.h"
#include "control/log.h"

namespace weir::cli {
namespace {

using namespace control;
using Json = nlohmann::json;

struct Options {
  std::string algorithm = "weir";
  Bounds bounds;
  IopaTuning iopa;
  std::string replay;
  std::string decisions;
};

Algorithm algorithm_of(const std::string& name) { return name == "iopa" ? Algorithm::iopa : Algorithm::weir; }

std::optional<Sample> sample_of(const char* line) {
  Sample s;
  char* end;
  for (double* field : {&s.dt_s, &s.ops, &s.bytes, &s.busy, &s.blocked, &s.cpu, &s.level}) {
    *field = std::strtod(line, &end);
    if (end == line) return {};
    line = end;
  }
  s.region = std::strtoull(line, nullptr, 10);  // absent: none
  return s;
}

int answer_lines(const Options& options) {
  Algorithm algorithm = algorithm_of(options.algorithm);
  auto controller = std::make_unique<Controller>(algorithm, options.bounds, Tuning{}, options.iopa);
  std::unique_ptr<FILE, int (*)(FILE*)> log(nullptr, std::fclose);
  if (!options.decisions.empty()) {
    log.reset(std::fopen(options.decisions.c_str(), "w"));
    if (!log) {
      std::fprintf(stderr, "weir controller: can't write %s\n", options.decisions.c_str());
      return 1;
    }
    base::Line head;
    put_head(head, algorithm, options.bounds, options.iopa);
    std::fputs(head.text(), log.get());
  }
  double t_s = 0;
  char text[1024];
  for (long number = 1; std::fgets(text, sizeof text, stdin); ++number) {
    std::optional<Sample> sample = sample_of(text);
    if (!sample) {
      std::fprintf(stderr, "weir controller: line %ld is not 'dt ops bytes busy blocked cpu level region'\n", number);
      return 2;
    }
    Sample seen = as_logged(*sample);
    t_s += seen.dt_s;
    Decision decision = controller->step(seen);
    if (log) {
      base::Line line;
      put_step(line, t_s, seen, decision);
      std::fputs(line.text(), log.get());
    }
    std::printf("%d\n", decision.limit);
    std::fflush(stdout);
  }
  return 0;
}

IopaTuning iopa_of(const Json& head) {
  IopaTuning iopa;
  iopa.init_share = head.value("init_share", iopa.init_share);
  iopa.fast_share = head.value("fast_share", iopa.fast_share);
  iopa.init_threads = head.value("init_threads", iopa.init_threads);
  iopa.fast_threads = head.value("fast_threads", iopa.fast_threads);
  iopa.increase_threshold = head.value("increase_threshold", iopa.increase_threshold);
  iopa.decrease_threshold = head.value("decrease_threshold", iopa.decrease_threshold);
  iopa.fast_cycle_s = head.value("fast_cycle_s", iopa.fast_cycle_s);
  iopa.normal_cycle_s = head.value("normal_cycle_s", iopa.normal_cycle_s);
  iopa.hold_cycle_s = head.value("hold_cycle_s", iopa.hold_cycle_s);
  iopa.previous_average_num = head.value("previous_average_num", iopa.previous_average_num);
  return iopa;
}

Sample sample_of(const Json& values) {
  return {values.at(0), values.at(1), values.at(2), values.at(3), values.at(4), values.at(5), values.at(6), values.at(7)};
}

// Makes each decision of a log once more, from its samples. 0: all the same.
int replay(const std::string& file) {
  std::ifstream log(file);
  std::string line;
  if (!std::getline(log, line)) {
    std::fprintf(stderr, "weir controller: can't read %s\n", file.c_str());
    return 1;
  }
  Json head = Json::parse(line);
  Bounds bounds{head.at("cores"), head.at("kmax"), head.at("start"), head.value("start_kib", 0)};
  auto controller =
      std::make_unique<Controller>(algorithm_of(head.at("controller")), bounds, Tuning{}, iopa_of(head));
  long steps = 0;
  while (std::getline(log, line)) {
    Json then = Json::parse(line);
    if (!then.contains("sample")) continue;  // what the monitor saw explains; it decides nothing
    ++steps;
    Decision now = controller->step(sample_of(then.at("sample")));
    if (then.at("limit") == now.limit && then.at("state") == name_of(now.state) && then.at("reason") == now.reason)
      continue;
    std::printf("step %ld differs: now {\"state\": \"%s\", \"limit\": %d, \"reason\": \"%s\"}, then %s\n", steps,
                name_of(now.state), now.limit, now.reason, line.c_str());
    return 1;
  }
  std::printf("%ld decisions, all as logged\n", steps);
  return 0;
}

void add_options(CLI::App& app, Options& o) {
  app.add_option("--cores", o.bounds.cores, "cores the program may use")->check(CLI::Range(1, 1 << 20));
  app.add_option("--kmax", o.bounds.most, "the most it may answer")->check(CLI::Range(1, 1 << 20));
  app.add_option("--start", o.bounds.start, "its first answer (0: of its own choice)")->check(CLI::Range(0, 1 << 20));
  app.add_option("--start-kib", o.bounds.start_kib, "and no more than move so much at a time (0: whatever they move)")
      ->check(CLI::Range(0, 1 << 30));
  app.add_option("--algo", o.algorithm, "weir, or iopa: the published algorithm")
      ->check(CLI::IsMember({"weir", "iopa"}));
  app.add_option("--decisions", o.decisions, "write each decision, with its sample, as JSON lines");
  app.add_option("--replay", o.replay, "make the decisions of such a file again; status 1 at the first that differs");
  app.add_option("--init-threads", o.iopa.init_threads, "iopa: init_thread_num (0: 0.3 of the cores)");
  app.add_option("--fast-threads", o.iopa.fast_threads, "iopa: fastmode_thread_num (0: 0.9 of the cores)");
  app.add_option("--increase-threshold", o.iopa.increase_threshold, "iopa: a ratio above it adds threads");
  app.add_option("--decrease-threshold", o.iopa.decrease_threshold, "iopa: a ratio below it takes one away");
  app.add_option("--fast-cycle", o.iopa.fast_cycle_s, "iopa: seconds");
  app.add_option("--normal-cycle", o.iopa.normal_cycle_s, "iopa: seconds");
  app.add_option("--hold-cycle", o.iopa.hold_cycle_s, "iopa: seconds");
  app.add_option("--previous-average", o.iopa.previous_average_num, "iopa: previous_average_num")
      ->check(CLI::Range(1, 16));
}

}  // namespace

int controller_command(int argc, char** argv) {
  Options options;
  CLI::App app("Reads samples, 'dt ops bytes busy blocked cpu level region' a line, and answers each with a limit.",
               "weir controller");
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  try {
    return options.replay.empty() ? answer_lines(options) : replay(options.replay);
  } catch (const Json::exception& error) {
    std::fprintf(stderr, "weir controller: %s is no decision log: %s\n", options.replay.c_str(), error.what());
    return 1;
  }
}

}  // namespace weir::cli
