// SPDX-License-Identifier: Apache-2.0
#include "search/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "kit/checksum.h"
#include "kit/cold_files.h"
#include "kit/die.h"

namespace {

// What a folder system does not tell with the name costs a call more.
bool is_folder(const std::string& path, const dirent& entry, bool* is_file) {
  *is_file = entry.d_type == DT_REG;
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat status;
  if (lstat(path.c_str(), &status)) return false;
  *is_file = S_ISREG(status.st_mode);
  return S_ISDIR(status.st_mode);
}

std::string source_text(std::int64_t number, std::size_t bytes, const std::string& needle) {
  static const char* const words[] = {"static",   "int",    "struct", "return", "if (",   ") {",
                                      "}",        "buffer", "size_t", "const ", "offset", "= 0;",
                                      "unsigned", "node",   "->next", "&&"};
  kit::Random random(static_cast<std::uint64_t>(number));
  const std::size_t where = number % 97 == 0 ? random.below(bytes) : bytes;
  std::string text;
  bool placed = where == bytes;
  while (text.size() < bytes) {
    for (std::uint64_t word = 2 + random.below(9); word > 0; --word)
      text += std::string(words[random.below(16)]) + " ";
    if (!placed && text.size() >= where) {
      text += needle;
      placed = true;
    }
    text += '\n';
  }
  return placed ? text : text + needle + "\n";
}

}  // namespace

Folder read_folder(const std::string& path) {
  DIR* stream = opendir(path.c_str());
  if (stream == nullptr) kit::die(path);
  Folder folder;
  while (const dirent* entry = readdir(stream)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    bool is_file;
    std::string below = path + "/" + name;
    if (is_folder(below, *entry, &is_file)) folder.folders.push_back(std::move(below));
    else if (is_file) folder.files.push_back(std::move(below));
  }
  closedir(stream);
  return folder;
}

std::vector<std::string> files_below(const std::string& root, kit::Runtime runtime, unsigned threads) {
  std::vector<std::string> files, folders{root};
  while (!folders.empty()) {
    // Each folder of this level has a place of its own for what it holds: no lock.
    std::vector<Folder> found(folders.size());
    const auto read_one = [&](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      found[at] = read_folder(folders[at]);
      return std::uint64_t{0};
    };
    kit::sum_over<false>(runtime, static_cast<std::int64_t>(folders.size()), read_one, threads);
    folders.clear();
    for (Folder& level : found) {
      folders.insert(folders.end(), level.folders.begin(), level.folders.end());
      files.insert(files.end(), level.files.begin(), level.files.end());
    }
  }
  return files;
}

void generate_sources(const std::string& root, std::int64_t files, std::size_t bytes,
                      const std::string& needle) {
  const auto make_folder = [](const std::string& path) {
    if (mkdir(path.c_str(), 0755) && errno != EEXIST) kit::die(path);
  };
  make_folder(root);
  for (std::int64_t i = 0; i < files; ++i) {
    const std::string top = root + "/" + std::to_string(i / 2500),
                      folder = top + "/" + std::to_string(i / 50 % 50);
    if (i % 2500 == 0) make_folder(top);
    if (i % 50 == 0) make_folder(folder);
    const std::string path = folder + "/file" + std::to_string(i) + ".c";
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) kit::die(path);
    const std::string text = source_text(i, bytes, needle);
    kit::write_all(fd, text.data(), text.size());
    close(fd);
  }
}

void make_cold(const std::vector<std::string>& files) {
  sync();
  for (const std::string& path : files) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) kit::die(path);
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
  }
}
