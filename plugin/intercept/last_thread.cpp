// SPDX-License-Identifier: Apache-2.0
// A process whose first thread left by pthread_exit ends with its last thread; libc counts them. It counts ours too, so
// here somebody looks, and ends the process as libc would have.
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "intercept/real.h"
#include "sys/file.h"
#include "sys/process.h"
#include "sys/raw.h"

namespace weir::intercept {
namespace {

WEIR_REAL Real<void(void*)> real_pthread_exit{"pthread_exit"};

// A thread of ours has a name of ours; the first thread, once gone, is kept as a zombie until the process ends.
bool is_programs(const char* tid) {
  char text[256] = {};
  int file = static_cast<int>(sys::open(base::Line().add("/proc/self/task/%s/stat", tid).text(), O_RDONLY));
  if (file < 0) return false;
  Result got = sys::read(file, text, sizeof text - 1);
  sys::close(file);
  if (got <= 0) return false;
  const char* name = strchr(text, '(');
  const char* state = strrchr(text, ')');
  if (!name || !state || strlen(state) < 3) return true;
  return strncmp(name, "(weir-", 6) && state[2] != 'Z' && state[2] != 'X';
}

bool only_ours_left() {
  int directory = static_cast<int>(sys::open("/proc/self/task", O_RDONLY | O_DIRECTORY));
  if (directory < 0) return false;
  alignas(dirent64) char entries[4096];
  bool ours = true;
  Result bytes;
  while (ours && (bytes = sys::raw(SYS_getdents64, directory, sys::word(entries), sizeof entries)) > 0) {
    for (Result at = 0; ours && at < bytes;) {
      auto* entry = reinterpret_cast<dirent64*>(entries + at);
      if (entry->d_name[0] != '.' && is_programs(entry->d_name)) ours = false;
      at += entry->d_reclen;
    }
  }
  sys::close(directory);
  return ours;
}

void watch(void*) {
  while (!only_ours_left()) sys::sleep_ns(20 * base::ns_per_ms);
  exit(0);
}

}  // namespace
}  // namespace weir::intercept

using namespace weir;
using namespace weir::intercept;

#pragma GCC visibility push(default)
extern "C" void pthread_exit(void* result) {
  if (sys::thread_id() == sys::process_id()) sys::start_thread(watch, nullptr, "weir-watch");
  real_pthread_exit(result);
  __builtin_unreachable();
}
#pragma GCC visibility pop
