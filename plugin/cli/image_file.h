// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "lane/elf.h"

namespace weir::cli {

// Asks the image of a file, if there is one.
template <typename Ask>
void with_image(const std::string& path, Ask ask) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (fd >= 0 && !fstat(fd, &status) && status.st_size > 0) {
    void* at = mmap(nullptr, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (at != MAP_FAILED) {
      ask(lane::Image::of_file(at, status.st_size));
      munmap(at, status.st_size);
    }
  }
  if (fd >= 0) close(fd);
}

}  // namespace weir::cli
