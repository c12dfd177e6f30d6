// SPDX-License-Identifier: Apache-2.0
#include "stream.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <string>

namespace bzip2 {
namespace {

std::string noise(std::size_t bytes) {
  std::mt19937_64 random(5);
  std::string data(bytes, '\0');
  for (char& c : data) c = static_cast<char>(random());
  return data;
}

TEST(Stream, GivesBackWhatWentIn) {
  // The last one is longer than a block, and does not shrink: the output has to grow while it is made.
  for (const std::string& data :
       {std::string(), std::string("a"), std::string(100'000, 'x'), noise(1'000'000)}) {
    const std::string packed = compress(data, 9);
    EXPECT_TRUE(decompress(packed) == data) << data.size();
  }
}

TEST(Stream, IsAStreamOfThatLevel) {
  EXPECT_EQ(compress(std::string("abc"), 1).substr(0, 4), "BZh1");
  EXPECT_LT(compress(std::string(100'000, 'x'), 9).size(), 100u);
}

TEST(Stream, SeveralInARowAreOneFile) {
  const std::string packed = compress(std::string("one "), 9) + compress(std::string("two"), 1);
  EXPECT_EQ(decompress(packed), "one two");
}

TEST(Stream, RefusesDamage) {
  std::string packed = compress(std::string("something to keep"), 9);
  EXPECT_THROW(decompress(std::string_view(packed).substr(0, packed.size() - 4)), std::runtime_error);
  packed[packed.size() / 2] ^= 1;
  EXPECT_THROW(decompress(packed), std::runtime_error);
}

}  // namespace
}  // namespace bzip2
