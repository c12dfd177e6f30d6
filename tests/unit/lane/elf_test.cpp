// SPDX-License-Identifier: Apache-2.0
#include "lane/elf.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace weir::lane {
namespace {

std::vector<char> bytes_of(const std::string& name) {
  std::ifstream file(std::string(LANE_OBJECTS_FOLDER "/") + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> imports_of(const Image& image) {
  std::set<std::string> names;
  image.each_import([&](const char* name, unsigned) { names.insert(name); });
  return names;
}

// Everything the reader can be asked, so that a wild read shows under ASan.
std::size_t ask_everything(const Image& image) {
  std::size_t seen = imports_of(image).size();
  image.each_thread_variable([&](const char* name) { seen += std::string(name).size(); });
  image.each_name(DT_NEEDED, [&](const char* name) { seen += std::string(name).size(); });
  if (image.interpreter()) ++seen;
  return seen + image.defines("weir_test_storage") + image.dynamic() + (image.thread_bytes() > 0);
}

TEST(Image, ListsWhatAnObjectNeedsAndImports) {
  std::vector<char> bytes = bytes_of("identity.so");
  Image image = Image::of_file(bytes.data(), bytes.size());
  ASSERT_TRUE(image.valid());
  EXPECT_TRUE(image.dynamic());
  EXPECT_FALSE((image.thread_bytes() > 0));
  EXPECT_EQ(imports_of(image).count("pthread_self"), 1u);
  EXPECT_EQ(imports_of(image).count("weir_test_identity"), 0u);
  std::set<std::string> needed;
  image.each_name(DT_NEEDED, [&](const char* name) { needed.insert(name); });
  EXPECT_EQ(needed.count("libc.so.6"), 1u);
}

// They are called by stubs, or through other pointers.
TEST(Image, FindsTheImportsOfAProgramThatExportsNothing) {
  for (const char* name : {"program_dynamic", "program_no_plt"}) {
    std::vector<char> bytes = bytes_of(name);
    Image image = Image::of_file(bytes.data(), bytes.size());
    EXPECT_EQ(imports_of(image).count("pthread_self"), 1u) << name;
    ASSERT_NE(image.interpreter(), nullptr) << name;
    EXPECT_NE(std::string(image.interpreter()).find("ld-linux"), std::string::npos) << name;
  }
}

TEST(Image, FindsTheImportsByTheOldHashTableToo) {
  std::vector<char> bytes = bytes_of("old_hash.so");
  Image image = Image::of_file(bytes.data(), bytes.size());
  EXPECT_EQ(imports_of(image).count("pthread_self"), 1u);
  EXPECT_EQ(imports_of(image).count("sched_getcpu"), 1u);
}

TEST(Image, KnowsAStaticProgram) {
  std::vector<char> bytes = bytes_of("program_static");
  Image image = Image::of_file(bytes.data(), bytes.size());
  ASSERT_TRUE(image.valid());
  EXPECT_FALSE(image.dynamic());
  EXPECT_EQ(image.interpreter(), nullptr);
}

TEST(Image, NamesThreadVariablesStaticOnesTooWhileNotStripped) {
  for (auto [file, count] : {std::pair{"storage.so", 2}, std::pair{"stripped.so", 1}}) {
    std::vector<char> bytes = bytes_of(file);
    Image image = Image::of_file(bytes.data(), bytes.size());
    EXPECT_TRUE((image.thread_bytes() > 0)) << file;
    int found = 0;
    image.each_thread_variable([&](const char* name) { found += std::string(name).find("weir_test_") == 0; });
    EXPECT_EQ(found, count) << file;
  }
}

TEST(Image, SaysWhatAnObjectDefines) {
  std::vector<char> bytes = bytes_of("storage.so");
  Image image = Image::of_file(bytes.data(), bytes.size());
  EXPECT_TRUE(image.defines("weir_test_storage"));
  EXPECT_TRUE(image.defines("weir_test_shared_counter"));
  EXPECT_FALSE(image.defines("weir_test_private_counter"));
  EXPECT_FALSE(image.defines("weir_test_storage_"));
}

TEST(Image, IsNotValidForWhatIsNoObject) {
  const std::string script = "#!/bin/sh\necho this is not an object, whatever its length may be .............\n";
  EXPECT_FALSE(Image::of_file(script.data(), script.size()).valid());
  EXPECT_FALSE(Image::of_file(script.data(), 0).valid());
  std::vector<char> bytes = bytes_of("plain.so");
  reinterpret_cast<Elf64_Ehdr*>(bytes.data())->e_machine = EM_AARCH64;
  Image foreign = Image::of_file(bytes.data(), bytes.size());
  EXPECT_FALSE(foreign.valid());
  EXPECT_TRUE(foreign.foreign());
}

TEST(Image, ReadsNothingBehindTheEndOfACutFile) {
  for (const char* name : {"storage.so", "program_dynamic", "old_hash.so"}) {
    std::vector<char> bytes = bytes_of(name);
    for (std::size_t size = 0; size < bytes.size(); size += size < 2048 ? 1 : 61) {
      std::vector<char> cut(bytes.begin(), bytes.begin() + size);  // exactly so long: ASan sees one byte more
      ask_everything(Image::of_file(cut.data(), cut.size()));
    }
  }
}

TEST(Image, ReadsNothingOutsideAFileWithAnyWordsChanged) {
  std::mt19937_64 random(20240607);
  for (const char* name : {"storage.so", "program_dynamic", "old_hash.so"}) {
    const std::vector<char> bytes = bytes_of(name);
    std::size_t different = 0;
    const std::size_t sound = ask_everything(Image::of_file(bytes.data(), bytes.size()));
    for (int round = 0; round < 3000; ++round) {
      std::vector<char> changed = bytes;
      for (int i = 0; i < 8; ++i) {
        // Headers, tables and sections are what is read; half of the changes go to the first pages.
        std::size_t reach = i % 2 ? changed.size() : std::min<std::size_t>(changed.size(), 2048);
        std::size_t at = random() % reach;
        changed[at] = static_cast<char>(random() % 3 ? random() : 0xff);
      }
      different += ask_everything(Image::of_file(changed.data(), changed.size())) != sound;
    }
    EXPECT_GT(different, 100u) << name;  // the changes did reach what is read
  }
}

}  // namespace
}  // namespace weir::lane
