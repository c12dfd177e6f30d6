// SPDX-License-Identifier: Apache-2.0
#include "cli/report/run_of_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "cli/report/sites.h"

namespace weir::cli {
namespace {

constexpr std::size_t most_processes = 500;
constexpr std::size_t most_in_full = 24;

// The first is what the user started: it goes to the front of those that waited more.
bool busier(const Record& a, const Record& b) {
  auto cost = [](const Record& record) {
    return std::pair(number(record.body, "blocked_s") + number(record.body, "hidden_s"), number(record.body, "calls"));
  };
  return cost(a) > cost(b);
}

void shorten(Record& record) {
  for (const char* section : {"timeline", "controller", "regions", "devices"}) record.body.erase(section);
  record.call_sites.clear();
  record.body["shortened"] = true;
}

bool is_newer(const std::string& file, const timespec& since) {
  struct stat status;
  if (stat(file.c_str(), &status)) return false;
  const timespec& written = status.st_mtim;
  return written.tv_sec != since.tv_sec ? written.tv_sec > since.tv_sec : written.tv_nsec >= since.tv_nsec;
}

}  // namespace

RunOfFiles read_run(const std::vector<std::string>& files) {
  RunOfFiles run;
  auto& kept = run.processes;
  std::size_t left_out = 0;
  for (const std::string& file : files) {
    Record record;
    std::string trouble = read_record(file, record);
    if (!trouble.empty()) {
      run.troubles.push_back(trouble);
      continue;
    }
    kept.push_back(std::move(record));
    if (kept.size() > 1) {
      auto place = std::upper_bound(kept.begin() + 1, kept.end() - 1, kept.back(), busier);
      std::rotate(place, kept.end() - 1, kept.end());
    }
    if (kept.size() > most_in_full) shorten(kept[most_in_full]);
    if (kept.size() > most_processes) kept.pop_back(), ++left_out;
  }
  if (left_out)
    kept[0].remarks.push_back("the " + std::to_string(left_out) + " processes that waited least are left out");
  for (Record& record : kept) name_code(record);
  return run;
}

std::vector<std::string> files_of_run(const std::string& file, const timespec& since) {
  namespace fs = std::filesystem;
  std::vector<std::string> others;
  fs::path whole(file), folder = whole.has_parent_path() ? whole.parent_path() : ".";
  std::string start = whole.stem().string() + ".", ending = whole.extension().string();
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    if (name.size() <= start.size() + ending.size() || name.rfind(start, 0) != 0) continue;
    std::string middle = name.substr(start.size(), name.size() - start.size() - ending.size());
    bool digits = middle.find_first_not_of("0123456789") == std::string::npos;
    if (digits && name.substr(start.size() + middle.size()) == ending && is_newer(at->path().string(), since))
      others.push_back(at->path().string());
  }
  std::sort(others.begin(), others.end());
  if (is_newer(file, since)) others.insert(others.begin(), file);
  return others;
}

}  // namespace weir::cli
