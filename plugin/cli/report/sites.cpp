// SPDX-License-Identifier: Apache-2.0
#include "cli/report/sites.h"

#include <sys/stat.h>

#include <cstdint>
#include <cstdio>

#include "cli/report/where.h"

namespace weir::cli {
namespace {

std::string name_of_file(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// An offset may be a number, or a text as people write addresses.
std::uint64_t offset_of(const Json& site) {
  double value = number(site, "offset", -1);
  if (value >= 0 && value < 9e15) return static_cast<std::uint64_t>(value);
  return std::strtoull(text(site, "offset").c_str(), nullptr, 0);
}

// Where oneTBB's templates were not inlined into the program's code, their names say whose they are: by the lambda that
// they call, if it is none of oneTBB's own.
std::string whose(const std::string& function) {
  if (function.find("tbb::detail::") == std::string::npos) return function;
  std::size_t lambda = function.find("{lambda"), end = function.find('}', lambda);
  std::size_t before = lambda == std::string::npos ? lambda : function.find_last_of("<, ", lambda);
  if (before == std::string::npos || end == std::string::npos) return "oneTBB";
  std::string name = function.substr(before + 1, end - before);
  return name.rfind("tbb::", 0) ? name : name.find("task_group") < name.size() ? "waits for task groups" : "oneTBB";
}

}  // namespace

void name_code(Record& record) {
  struct stat status;
  std::int64_t written = stat(record.file.c_str(), &status) ? 0 : status.st_mtime;
  Where where;
  auto name = [&](Json& row, std::uint64_t address) {
    Place place = where.of(text(row, "object"), address, written);
    if (place.function.empty()) place.function = text(row, "symbol");
    if (!place.function.empty()) row["function"] = whose(place.function);
    if (place.file.empty() || place.file.find("/oneapi/tbb/") != std::string::npos) return;
    row["file"] = place.file;
    row["line"] = place.line;
  };
  for (Json& site : record.call_sites) name(site, offset_of(site));
  auto regions = record.body.find("regions");
  if (regions == record.body.end() || !regions->is_array()) return;
  for (Json& region : *regions) {
    if (text(region, "object").empty()) continue;
    bool is_call = text(region, "kind") == "tbb";  // where it returns to; else where the region's code begins
    name(region, offset_of(region) + (is_call ? 0 : 1));
    region["name"] = place_of(region);
  }
}

std::string place_of(const Json& site) {
  std::string function = text(site, "function", text(site, "symbol")), file = name_of_file(text(site, "file"));
  std::string object = name_of_file(text(site, "object"));
  if (!file.empty()) {
    std::string line = file + ":" + std::to_string(static_cast<long>(number(site, "line")));
    return function.empty() ? line : function + " (" + line + ")";
  }
  if (!function.empty()) return object.empty() ? function : function + " in " + object;
  if (object.empty()) return "an unknown place";
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(offset_of(site)));
  return object + offset;
}

}  // namespace weir::cli
