// SPDX-License-Identifier: Apache-2.0
// Input files that are a function of a seed, and how to make them cold.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "kit/checksum.h"
#include "kit/die.h"

namespace kit {

// The bytes [offset, offset + bytes) of the endless file of `seed`; both are multiples of 8. One
// multiplication a word: faster than any disk.
inline void file_content(void* into, std::size_t bytes, std::uint64_t offset, std::uint64_t seed) {
  const std::uint64_t start = mix(seed + 1) + offset / 8;
  for (std::size_t i = 0; i < bytes / 8; ++i) {
    std::uint64_t word = (start + i) * 0x9e3779b97f4a7c15ull;
    word ^= word >> 32;
    std::memcpy(static_cast<char*>(into) + i * 8, &word, 8);
  }
}

inline void write_all(int fd, const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t n = write(fd, data, bytes);
    if (n < 0) die("write");
    data += n;
    bytes -= static_cast<std::size_t>(n);
  }
}

// Takes a file's pages out of the page cache. Dirty ones would stay, so they are written first.
inline void make_cold(int fd) {
  if (fdatasync(fd)) die("fdatasync");
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

// Asks the kernel to forget all clean pages of the machine; false without the right to.
inline bool drop_page_cache() {
  sync();
  const int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool done = write(fd, "1", 1) == 1;
  close(fd);
  return done;
}

// Makes `path` the first `bytes` of the file of `seed`, cold, unless it is that long already. Complete or not
// there: an interrupted run must not leave a file that later ones believe.
inline void generate_file(const std::string& path, std::uint64_t bytes, std::uint64_t seed) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0 && static_cast<std::uint64_t>(status.st_size) == bytes) return;
  const std::string partial = path + ".partial";
  const int fd = open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) die(partial);
  std::vector<char> chunk(1 << 20);
  for (std::uint64_t offset = 0; offset < bytes; offset += chunk.size()) {
    const std::size_t part = std::min<std::uint64_t>(chunk.size(), bytes - offset);
    file_content(chunk.data(), (part + 7) / 8 * 8, offset, seed);
    write_all(fd, chunk.data(), part);
  }
  make_cold(fd);
  close(fd);
  if (rename(partial.c_str(), path.c_str())) die(path);
}

}  // namespace kit
