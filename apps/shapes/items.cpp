// SPDX-License-Identifier: Apache-2.0
#include "items.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>

#include "kit/checksum.h"
#include "kit/cold_files.h"
#include "kit/die.h"

namespace shapes {

void Items::generate() const {
  if (mkdir(root.c_str(), 0755) && errno != EEXIST) kit::die(root);
  for (int i = 0; i < files; ++i) kit::generate_file(path(i), bytes, static_cast<std::uint64_t>(i));
}

void Items::remove() const {
  for (int i = 0; i < files; ++i) unlink(path(i).c_str());
  rmdir(root.c_str());
}

Bytes Items::read(int index) const {
  const int fd = open(path(index).c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about;
  if (fd < 0 || fstat(fd, &about)) kit::die(path(index));
  Bytes content(static_cast<std::size_t>(about.st_size));
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t n = ::read(fd, content.data() + done, content.size() - done);
    if (n < 0) kit::die(path(index));
    if (n == 0) kit::wrong(path(index) + " is too short");
    done += static_cast<std::size_t>(n);
  }
  close(fd);
  return content;
}

Bytes Items::read_stdio(int index) const {
  std::FILE* file = std::fopen(path(index).c_str(), "rb");
  if (!file) kit::die(path(index));
  Bytes content;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) content.insert(content.end(), buffer, buffer + n);
  std::fclose(file);
  return content;
}

Bytes Items::read_by_lines(int index) const {
  std::ifstream file(path(index), std::ios::binary);
  if (!file) kit::die(path(index));
  Bytes content;
  for (std::string line; std::getline(file, line);) {
    content.insert(content.end(), line.begin(), line.end());
    if (!file.eof()) content.push_back('\n');
  }
  return content;
}

std::uint64_t Items::work(int index, const Bytes& content) const {
  std::uint64_t hash = 0;
  for (long i = 0; i < rounds; ++i) hash = kit::hash(content.data(), content.size(), hash);
  return kit::item(static_cast<std::uint64_t>(index), hash);
}

std::uint64_t Items::work_on_part(int index, const Bytes& content, int part, int of) const {
  const std::size_t each = (content.size() + static_cast<std::size_t>(of) - 1) / static_cast<std::size_t>(of);
  const std::size_t first = std::min(content.size(), each * static_cast<std::size_t>(part));
  const std::size_t last = std::min(content.size(), first + each);
  std::uint64_t hash = 0;
  for (long i = 0; i < rounds; ++i) hash = kit::hash(content.data() + first, last - first, hash);
  return kit::item(static_cast<std::uint64_t>(index) * static_cast<std::uint64_t>(of) + static_cast<std::uint64_t>(part), hash);
}

}  // namespace shapes
