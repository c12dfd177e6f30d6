// SPDX-License-Identifier: Apache-2.0
#include "lane/waits.h"

#include <link.h>

#include <cstring>

#include "lane/marks.h"
#include "sys/loader.h"

namespace weir::lane {
namespace {

// How the names begin, without leading underscores.
constexpr const char* beginnings[] = {
    "accept", "clock_nanosleep", "connect", "dlopen", "dlsym", "dlvsym", "epoll_", "eventfd", "fdatasync", "fdopen", "fget",
    "fopen", "fread", "freopen", "fscanf", "fsync", "fwscanf", "getc", "getdelim", "getline", "getw", "gfortran_st_open",
    "gfortran_st_read", "isoc23_fscanf", "isoc23_scanf", "isoc99_fscanf", "isoc99_scanf", "nanosleep", "open", "pipe", "poll",
    "popen", "ppoll", "pread", "pselect", "read", "recv", "scanf", "select", "send", "sleep", "socket", "syscall", "thrd_sleep",
    "timerfd", "usleep", "vfscanf", "vscanf", "weir_", "write"};

// What stands in the names of C++ streams that read, or write to files.
constexpr const char* parts[] = {"filebuf", "fstream", "istream", "_ZNSi", "_ZNKSi", "sleep_for", "sleep_until"};

bool waits(const char* name) {
  for (const char* part : parts)
    if (std::strstr(name, part)) return true;
  while (*name == '_') ++name;
  for (const char* beginning : beginnings)
    if (*beginning == *name && !std::strncmp(name, beginning, std::strlen(beginning))) return true;
  return false;
}

}  // namespace

bool may_wait(const Image& image) {
  bool found = false;
  image.each_import([&](const char* name, unsigned) { found = found || waits(name); });
  return found;
}

bool anything_may_wait() {
  bool found = false;
  sys::each_object(
      [](dl_phdr_info* info, std::size_t, void* found_) {
        if (is_runtime(file_name(info->dlpi_name ? info->dlpi_name : ""))) return 0;
        bool does = may_wait(Image::of_loaded(info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum));
        return static_cast<int>(*static_cast<bool*>(found_) = does);
      },
      &found);
  return found;
}

}  // namespace weir::lane
