// SPDX-License-Identifier: Apache-2.0
#include "lane/waits.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace weir::lane {
namespace {

bool object_may_wait(const char* name) {
  std::ifstream file(std::string(LANE_OBJECTS_FOLDER "/") + name, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  Image image = Image::of_file(bytes.data(), bytes.size());
  EXPECT_TRUE(image.valid()) << name;
  return may_wait(image);
}

TEST(Waits, AreNotThoughtOfAnObjectThatOnlyComputesAndPrints) { EXPECT_FALSE(object_may_wait("computes.so")); }

TEST(Waits, AreKnownByStreamsAndByNamesOfFortifiedHeaders) {
  EXPECT_TRUE(object_may_wait("reads_stream.so"));
  EXPECT_TRUE(object_may_wait("reads_checked.so"));
}

TEST(Waits, AreFoundInWhatIsLoaded) { EXPECT_TRUE(anything_may_wait()); }

}  // namespace
}  // namespace weir::lane
