// SPDX-License-Identifier: Apache-2.0
#include "control/monitor.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace weir::control {
namespace {

constexpr int sector_bytes = 512;

// The number after `name`, or -1. The kernel writes a point, whatever the program's locale says (and strtod reads).
double number_after(const char* text, const char* name) {
  const char* at = std::strstr(text, name);
  if (!at) return -1;
  char* end;
  auto value = static_cast<double>(std::strtoll(at + std::strlen(name), &end, 10));
  if (*end != '.') return value;
  double decimals = 0, scale = 1;
  for (++end; *end >= '0' && *end <= '9'; ++end, scale *= 10) decimals = decimals * 10 + (*end - '0');
  return value + decimals / scale;
}

std::int64_t kib_after(const char* text, const char* name) {
  double kib = number_after(text, name);
  return kib < 0 ? -1 : static_cast<std::int64_t>(kib) * 1024;
}

bool begins(const char* name, const char* with) { return !std::strncmp(name, with, std::strlen(with)); }

// Stacked devices move bytes that the disks below them move as well.
bool is_stacked(const char* name) {
  for (const char* kind : {"loop", "ram", "zram", "dm-", "md", "sr", "fd"})
    if (begins(name, kind)) return true;
  return false;
}

struct Disk {
  char name[32] = "";
  std::int64_t fields[9] = {};  // reads, merged, sectors, ms; the same of writes; in flight
};

const char* read_disk(const char* line, Disk& disk) {
  char* at;
  std::strtol(line, &at, 10);
  std::strtol(at, &at, 10);
  while (*at == ' ') ++at;
  std::size_t length = std::strcspn(at, " \n");
  std::size_t kept = length < sizeof disk.name - 1 ? length : sizeof disk.name - 1;
  std::memcpy(disk.name, at, kept);
  disk.name[kept] = 0;
  at += length;
  for (std::int64_t& field : disk.fields) field = std::strtoll(at, &at, 10);
  const char* end = std::strchr(at, '\n');
  return end ? end + 1 : nullptr;
}

}  // namespace

void read_diskstats(const char* text, Surroundings& into) {
  Disk whole, disk;
  std::int64_t bytes = 0, in_flight = 0;
  bool any = false;
  for (const char* line = text; line && *line; ) {
    line = read_disk(line, disk);
    // A partition stands behind its disk, and its name begins with the disk's.
    bool partition = whole.name[0] && begins(disk.name, whole.name);
    if (partition || is_stacked(disk.name)) continue;
    whole = disk;
    any = true;
    bytes += (disk.fields[2] + disk.fields[6]) * sector_bytes;
    in_flight += disk.fields[8];
  }
  if (!any) return;
  into.disk_bytes = bytes;
  into.disk_in_flight = in_flight;
}

void read_pressure(const char* text, Surroundings& into) { into.io_pressure = number_after(text, "some avg10="); }

void read_meminfo(const char* text, Surroundings& into) {
  into.dirty_bytes = kib_after(text, "Dirty:");
  into.writeback_bytes = kib_after(text, "Writeback:");
}

void put_surroundings(base::Line& line, double t_s, const Surroundings& before, const Surroundings& now, double dt_s,
                      std::int64_t own_bytes) {
  line.add("{\"t\": %.3f, \"monitor\": {", t_s);
  const char* comma = "";
  auto put = [&](const char* name, double value) {
    line.add("%s\"%s\": %.1f", comma, name, value);
    comma = ", ";
  };
  if (now.disk_in_flight >= 0) put("disk_in_flight", static_cast<double>(now.disk_in_flight));
  if (now.disk_bytes >= 0 && before.disk_bytes >= 0 && dt_s > 0) {
    double disk = static_cast<double>(now.disk_bytes - before.disk_bytes) / dt_s / 1e6;
    double own = static_cast<double>(own_bytes) / dt_s / 1e6;
    put("disk_mb_per_s", disk);
    put("own_mb_per_s", own);
    if (disk > 1 && own < disk * 2 / 3) {
      line.add("%s\"neighbour\": true", comma);
      comma = ", ";
    }
  }
  if (now.io_pressure >= 0) put("io_pressure", now.io_pressure);
  if (now.dirty_bytes >= 0) put("dirty_mb", static_cast<double>(now.dirty_bytes) / 1e6);
  if (now.writeback_bytes >= 0) put("writeback_mb", static_cast<double>(now.writeback_bytes) / 1e6);
  line.add("}}\n");
}

}  // namespace weir::control
