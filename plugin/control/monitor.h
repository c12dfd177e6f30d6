// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/log.h"

namespace weir::control {

// What the machine says about its storage: explains decisions afterwards, makes none. Any part may be missing: < 0.
struct Surroundings {
  std::int64_t disk_bytes = -1;      // moved by all disks, so far
  std::int64_t disk_in_flight = -1;  // requests at the disks, now
  double io_pressure = -1;           // percent of the last ten seconds that some task waited for I/O
  std::int64_t dirty_bytes = -1;     // of the page cache, to be written
  std::int64_t writeback_bytes = -1; // being written
};

// From the text of /proc/diskstats: whole disks only, their partitions and what is stacked on them left out.
void read_diskstats(const char* text, Surroundings& into);
// From the text of /proc/pressure/io, or of a cgroup's io.pressure.
void read_pressure(const char* text, Surroundings& into);
// From the text of /proc/meminfo.
void read_meminfo(const char* text, Surroundings& into);

// A line of the decision log: what changed between two looks, `own_bytes` moved by this process meanwhile. Names a
// neighbour where more than a third of what the disks moved is not ours.
void put_surroundings(base::Line& line, double t_s, const Surroundings& before, const Surroundings& now, double dt_s,
                      std::int64_t own_bytes);

}  // namespace weir::control
