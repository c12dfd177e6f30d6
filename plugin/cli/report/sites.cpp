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

}  // namespace

void name_code(Record& record) {
  struct stat status;
  std::int64_t written = stat(record.file.c_str(), &status) ? 0 : status.st_mtime;
  Where where;
  auto name = [&](Json& row, std::uint64_t address) {
    Place place = where.of(text(row, "object"), address, written);
    if (place.function.empty()) place.function = text(row, "symbol");
    if (!place.function.empty()) row["function"] = place.function;
    if (place.file.empty()) return;
    row["file"] = place.file;
    row["line"] = place.line;
  };
  for (Json& site : record.call_sites) name(site, offset_of(site));
  auto regions = record.body.find("regions");
  if (regions == record.body.end() || !regions->is_array()) return;
  for (Json& region : *regions) {
    if (text(region, "object").empty()) continue;
    name(region, offset_of(region) + 1);  // where its code begins; a call's is where it returns to
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
