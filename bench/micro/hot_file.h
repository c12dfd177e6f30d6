// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

// A file of 64 KiB in the page cache, without a name.
class HotFile {
 public:
  HotFile() {
    char name[] = "/tmp/micro-XXXXXX";
    fd_ = mkstemp(name);
    static char content[65536];
    if (fd_ < 0 || unlink(name) || write(fd_, content, sizeof content) != sizeof content) {
      std::perror("a file in /tmp");
      std::exit(1);
    }
  }
  ~HotFile() { close(fd_); }
  int fd() const { return fd_; }

 private:
  int fd_;
};
