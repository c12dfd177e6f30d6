// SPDX-License-Identifier: Apache-2.0
#include "cli/aftermath.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/attended.h"
#include "cli/commands.h"
#include "cli/report/advice.h"
#include "cli/report/gain.h"
#include "cli/report/page.h"
#include "cli/report/run_of_files.h"
#include "cli/report/verdict.h"
#include "sys/unsignalled.h"

namespace weir::cli {
namespace {

namespace fs = std::filesystem;

// A folder for reports that nobody asked to keep: where temporary files go, or elsewhere, should that be for reading only.
class Folder {
 public:
  Folder() {
    std::error_code error;
    for (const fs::path& place : {fs::temp_directory_path(error), fs::path("/dev/shm"), fs::path("/var/tmp")}) {
      std::string pattern = (place / "weir-run-XXXXXX").string();
      if (!place.empty() && mkdtemp(pattern.data())) {
        path_ = pattern;
        return;
      }
    }
  }
  ~Folder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

int complain(const std::string& trouble) {
  std::fprintf(stderr, "weir: %s\n", trouble.c_str());
  return status_own_trouble;
}

// A script's helpers, as most programs that others start.
bool is_none_of_weirs_business(const std::vector<Advice>& advice) {
  return advice.size() == 1 && advice[0].reason == "outside" && advice[0].seconds == 0;
}

void explain(const Record& record) {
  std::fputs((gain_text(record) + advice_text(advice_of(record))).c_str(), stderr);
}

void explain(const Aftermath& wanted, const std::vector<Record>& processes) {
  if (processes.empty() && !wanted.without_weir.empty())
    std::fprintf(stderr, "weir: what kept it from helping: it was not in the program\n%s", wanted.without_weir.c_str());
  else if (processes.empty())
    std::fprintf(stderr, "weir: there is nothing to explain: the program left no report, so it did not start, or was ended by force\n");
  bool said = processes.empty();
  for (const Record& record : processes) {
    std::vector<Advice> advice = advice_of(record);
    if (advice.empty() || (processes.size() > 1 && is_none_of_weirs_business(advice))) continue;
    if (processes.size() > 1)
      std::fprintf(stderr, "weir: process %.0f, %s\n", number(record.body, "pid"), command_of(record).c_str());
    explain(record);
    said = true;
  }
  if (!said) explain(processes[0]);
}

void tell(const Aftermath& wanted, const std::vector<std::string>& files) {
  RunOfFiles run = read_run(files);
  for (const std::string& trouble : run.troubles) complain(trouble);
  if (wanted.explain) explain(wanted, run.processes);
  if (wanted.page.empty()) return;
  if (run.processes.empty()) {
    complain("the program left no report, so there is no page " + wanted.page);
    return;
  }
  std::string trouble = write_page(wanted.page, page_of_run(run.processes));
  if (!trouble.empty()) complain(trouble);
}

struct Start {
  int (*start)(const std::string& report, void* context);
  void* context;
  std::string report;
};

int start_program(void* start) {
  auto& what = *static_cast<Start*>(start);
  return what.start(what.report, what.context);
}

}  // namespace

bool names_page(const std::string& file) {
  std::string ending = fs::path(file).extension().string();
  return ending == ".html" || ending == ".htm";
}

int run_with_aftermath(const Aftermath& wanted, int (*start)(const std::string& report, void* context), void* context) {
  Ending ending;
  {
    Folder folder;
    if (wanted.report.empty() && folder.path().empty()) {
      complain(std::string("can't make a folder for the report: ") + std::strerror(errno) + ": nothing will be told of this run");
      return start("", context);
    }
    Start what{start, context, wanted.report.empty() ? folder.path() + "/report.json" : wanted.report};
    timespec since;
    clock_gettime(CLOCK_REALTIME_COARSE, &since);  // the clock that file systems use
    ending = run_attended(start_program, &what);
    if (ending.error) return complain(std::string("can't start a process: ") + std::strerror(ending.error));
    sys::Unsignalled unsignalled;  // the status is the program's, whoever reads what is told
    tell(wanted, files_of_run(what.report, since));
  }
  end_alike(ending);
}

}  // namespace weir::cli
