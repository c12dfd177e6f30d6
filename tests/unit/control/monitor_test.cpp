// SPDX-License-Identifier: Apache-2.0
#include "control/monitor.h"

#include <gtest/gtest.h>

#include <string>

namespace weir::control {
namespace {

constexpr const char* diskstats =
    "   7       0 loop0 9 0 900 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
    " 254       0 vda 100 5 2000 30 50 5 1000 20 7 40 50 0 0 0 0 0 0\n"
    " 254       1 vda1 90 5 1900 30 50 5 1000 20 6 40 50 0 0 0 0 0 0\n"
    " 259       0 nvme0n1 10 0 100 1 0 0 0 0 2 1 1 0 0 0 0 0 0\n"
    " 259       1 nvme0n1p1 10 0 100 1 0 0 0 0 2 1 1 0 0 0 0 0 0\n"
    " 253       0 dm-0 100 0 2000 1 0 0 0 0 9 1 1 0 0 0 0 0 0\n";

TEST(Monitor, AddsUpWholeDisks) {
  Surroundings s;
  read_diskstats(diskstats, s);
  EXPECT_EQ(s.disk_bytes, (2000 + 1000 + 100) * 512);
  EXPECT_EQ(s.disk_in_flight, 9);
}

TEST(Monitor, ReadsPressureAndMemory) {
  Surroundings s;
  read_pressure("some avg10=12.50 avg60=1.00 avg300=0.00 total=5\nfull avg10=3.00 avg60=0 avg300=0 total=1\n", s);
  read_meminfo("MemTotal: 8000 kB\nDirty:   300 kB\nWriteback:   20 kB\nWritebackTmp: 7 kB\n", s);
  EXPECT_EQ(s.io_pressure, 12.5);
  read_pressure("some avg10=0.07 avg60=1.00 avg300=0.00 total=5\n", s);
  EXPECT_EQ(s.io_pressure, 0.07);
  read_pressure("some avg10=3", s);
  EXPECT_EQ(s.io_pressure, 3);
  EXPECT_EQ(s.dirty_bytes, 300 * 1024);
  EXPECT_EQ(s.writeback_bytes, 20 * 1024);
}

TEST(Monitor, WhatIsMissingIsLeftOut) {
  Surroundings s, before;
  for (const char* nothing : {"", "\n", "garbage", "7 0\n7"}) {
    read_pressure(nothing, s);
    read_meminfo(nothing, s);
    read_diskstats(nothing, s);
  }
  s.disk_bytes = s.disk_in_flight = -1;
  base::Line line;
  put_surroundings(line, 1.5, before, s, 1, 0);
  EXPECT_STREQ(line.text(), "{\"t\": 1.500, \"monitor\": {}}\n");
}

TEST(Monitor, NamesANeighbour) {
  Surroundings before, now;
  before.disk_bytes = 0;
  now.disk_bytes = 100'000'000;
  base::Line alone, shared;
  put_surroundings(alone, 1, before, now, 1, 90'000'000);
  put_surroundings(shared, 1, before, now, 1, 30'000'000);
  EXPECT_EQ(std::string(alone.text()).find("neighbour"), std::string::npos);
  EXPECT_NE(std::string(shared.text()).find("\"neighbour\": true"), std::string::npos);
}

}  // namespace
}  // namespace weir::control
