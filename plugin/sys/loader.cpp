// SPDX-License-Identifier: Apache-2.0
#include "sys/loader.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "sys/at_fork.h"
#include "sys/process.h"

namespace weir::sys {
namespace {

// Each side announces itself before it looks at the other's: sequentially consistent, so one of the two sees the other.
constinit std::atomic<std::int32_t> looking{0}, forking{0};
constexpr std::int64_t patience_ns = base::ns_per_s;

bool wait_for_none(const std::atomic<std::int32_t>& others) {
  for (std::int64_t end = 0; others.load() > 0; yield()) {
    std::int64_t now = base::now_ns();
    if (!end) end = now + patience_ns;
    if (now > end) return false;
  }
  return true;
}

void begin_to_look() {
  while (true) {
    looking.fetch_add(1);
    if (forking.load() <= 0) return;
    looking.fetch_sub(1);
    if (wait_for_none(forking)) continue;
    looking.fetch_add(1);
    return;
  }
}

}  // namespace

int each_object(int (*look)(dl_phdr_info*, std::size_t, void*), void* subject) {
  begin_to_look();
  int result = dl_iterate_phdr(look, subject);
  looking.fetch_sub(1);
  return result;
}

void* definition_in(const char* object, const char* name) {
  void* handle = dlopen(object, RTLD_LAZY | RTLD_NOLOAD);
  void* found = handle ? dlsym(handle, name) : nullptr;
  if (handle) dlclose(handle);
  return found;
}

void* definition_near(const void* address, const char* name) {
  Dl_info about{};
  return dladdr(address, &about) && about.dli_fname ? definition_in(about.dli_fname, name) : nullptr;
}

void watch_forks() { at_fork(before_fork, after_fork_in_parent, loader_after_fork_in_child); }

void before_fork() {
  forking.fetch_add(1);
  wait_for_none(looking);
}

void after_fork_in_parent() { forking.fetch_sub(1); }

void loader_after_fork_in_child() {
  looking.store(0);
  forking.store(0);
}

}  // namespace weir::sys
