// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weir::cli {

using Json = nlohmann::json;

// A field of a report, or `otherwise` where it is missing or of another kind: every field is optional, as reports of
// other versions have others.
double number(const Json& object, const char* key, double otherwise = 0);
std::string text(const Json& object, const char* key, const std::string& otherwise = "");
const Json& list(const Json& object, const char* key);  // an empty array where there is none

// What one process wrote about its run.
struct Record {
  static constexpr std::size_t most_call_sites = 100;

  std::string file;
  Json body = Json::object();     // everything but the call sites
  std::vector<Json> call_sites;   // those that waited longest, the longest first
  // All the others, added up.
  std::uint64_t other_sites = 0;
  double other_calls = 0, other_bytes = 0, other_waited_s = 0;
  std::vector<std::string> remarks;  // what of the file was too large to keep
};

// Reads a report of any size in bounded memory. "" or what is wrong with the file, in words that name it.
std::string read_record(const std::string& file, Record& record);

}  // namespace weir::cli
