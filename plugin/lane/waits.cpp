// SPDX-License-Identifier: Apache-2.0
#include "lane/waits.h"

#include <link.h>

#include <cstring>

#include "base/names.h"
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

bool selects(const char* name) {
  static constexpr const char* those[] = {"select", "pselect", "__fdelt_chk", "__fdelt_warn"};
  return base::among(name, those);
}

bool waits(const char* name) {
  for (const char* part : parts)
    if (std::strstr(name, part)) return true;
  while (*name == '_') ++name;
  for (const char* beginning : beginnings)
    if (*beginning == *name && !std::strncmp(name, beginning, std::strlen(beginning))) return true;
  return false;
}

using IsMeant = bool(const char* name);

template <IsMeant is_meant>
bool asks_for(const Image& image) {
  bool found = false;
  image.each_import([&](const char* name, unsigned) { found = found || is_meant(name); });
  return found;
}

template <IsMeant is_meant>
bool anything_asks_for() {
  bool found = false;
  sys::each_object(
      [](dl_phdr_info* info, std::size_t, void* found_) {
        if (is_runtime(file_name(info->dlpi_name ? info->dlpi_name : ""))) return 0;
        bool does = asks_for<is_meant>(Image::of_loaded(info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum));
        return static_cast<int>(*static_cast<bool*>(found_) = does);
      },
      &found);
  return found;
}

}  // namespace

bool may_wait(const Image& image) { return asks_for<waits>(image); }
bool anything_may_wait() { return anything_asks_for<waits>(); }
bool anything_selects() { return anything_asks_for<selects>(); }

}  // namespace weir::lane
