// SPDX-License-Identifier: Apache-2.0
#include "needle.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace {

const char* by_libc(const std::vector<char>& bytes, const std::string& text) {
  return static_cast<const char*>(memmem(bytes.data(), bytes.size(), text.data(), text.size()));
}

// The vector has no byte to spare: a look past its end is one that ASan sees.
const char* by_needle(const std::vector<char>& bytes, const std::string& text) {
  return Needle(text).find(bytes.data(), bytes.data() + bytes.size());
}

TEST(Needle, is_found_at_every_place_of_every_size) {
  for (std::size_t length : {1u, 2u, 3u, 11u, 15u, 16u, 17u, 40u}) {
    const std::string text = "<" + std::string(length > 2 ? length - 2 : 0, 'x') + (length > 1 ? ">" : "");
    for (std::size_t size = 0; size <= 100; ++size) {
      for (std::size_t place = 0; place + length <= size; ++place) {
        std::vector<char> bytes(size, 'x');
        std::memcpy(bytes.data() + place, text.data(), length);
        ASSERT_EQ(by_needle(bytes, text), bytes.data() + place) << length << " in " << size;
      }
      ASSERT_EQ(by_needle(std::vector<char>(size, 'x'), text), nullptr);
    }
  }
}

TEST(Needle, finds_what_memmem_finds) {
  std::mt19937 random(1);
  const auto letters = [&random](std::size_t count) {
    std::string some(count, ' ');
    for (char& letter : some) letter = static_cast<char>('a' + random() % 2);
    return some;
  };
  int found = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = letters(1 + random() % 8), content = letters(random() % 80);
    const std::vector<char> bytes(content.begin(), content.end());
    ASSERT_EQ(by_needle(bytes, text), by_libc(bytes, text)) << '"' << text << "\" in \"" << content << '"';
    found += by_needle(bytes, text) != nullptr;
  }
  EXPECT_GT(found, 1000);
  EXPECT_LT(found, 19'000);
}

}  // namespace
