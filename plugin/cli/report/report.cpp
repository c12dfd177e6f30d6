// SPDX-License-Identifier: Apache-2.0
// weir report: one page of what the processes of a run wrote.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>

#include "cli/commands.h"
#include "cli/report/page.h"
#include "cli/report/run_of_files.h"

namespace weir::cli {

int report_command(int argc, char** argv) {
  std::vector<std::string> files;
  std::string target;
  CLI::App app{"weir report FILE.json [MORE.json...] [-o FILE.html]\nMakes one page of the reports of a run's processes.",
               "weir report"};
  app.add_option("FILE", files, "reports, as weir run --report=FILE.json writes them; the program's own first")->required();
  app.add_option("-o,--output", target, "where the page goes, - for standard output; default: FILE.html beside the first")
      ->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "weir: %s\nweir: see weir report --help\n", error.what());
    return status_usage;
  }
  RunOfFiles run = read_run(files);
  for (const std::string& trouble : run.troubles) std::fprintf(stderr, "weir: %s\n", trouble.c_str());
  if (run.processes.empty()) return status_failed;
  if (target.empty()) target = std::filesystem::path(files[0]).replace_extension(".html").string();
  std::string trouble = write_page(target, page_of_run(run.processes));
  if (!trouble.empty()) {
    std::fprintf(stderr, "weir: %s\n", trouble.c_str());
    return status_failed;
  }
  if (target != "-") std::printf("%s\n", target.c_str());
  return run.troubles.empty() ? 0 : status_failed;
}

}  // namespace weir::cli
