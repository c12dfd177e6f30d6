// SPDX-License-Identifier: Apache-2.0
#include "cli/top/places.h"

#include <climits>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/top/texts.h"

namespace weir::cli {
namespace {

struct Spot {
  std::string object;
  std::uint64_t offset = 0;
};

// By /proc/PID/maps: the object's first mapping is where it was loaded.
Spot spot_of(pid_t process, std::uint64_t address) {
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  std::string path, before;
  std::uint64_t base = 0;
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin, end;
    int name = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx %*s %*s %*s %*s %n", &begin, &end, &name) < 2 || !name) continue;
    path = line.substr(static_cast<std::size_t>(name));
    if (path != before) base = begin;
    before = path;
    if (address > begin && address <= end && !path.empty() && path[0] == '/') return {path, address - base};
  }
  return {};
}

}  // namespace

const std::string& Places::of(pid_t process, std::uint64_t address) {
  auto [entry, is_new] = known_.try_emplace({process, address});
  if (is_new) entry->second = look_up(process, address);
  return entry->second;
}

void Places::forget(pid_t process) {
  known_.erase(known_.lower_bound({process, 0}), known_.upper_bound({process, UINT64_MAX}));
}

std::string Places::look_up(pid_t process, std::uint64_t address) {
  Spot spot = spot_of(process, address);
  char bare[64];
  std::snprintf(bare, sizeof bare, "0x%llx", static_cast<unsigned long long>(spot.object.empty() ? address : spot.offset));
  if (spot.object.empty()) return bare;
  Place place = where_.of(spot.object, spot.offset);
  std::string object = std::filesystem::path(spot.object).filename().string();
  if (place.function.empty()) return printable(object + "+" + bare);
  std::string file = std::filesystem::path(place.file).filename().string();
  return printable(place.function + " (" + (file.empty() ? object : file + ":" + std::to_string(place.line)) + ")");
}

}  // namespace weir::cli
