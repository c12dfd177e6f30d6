// SPDX-License-Identifier: Apache-2.0
#include "sys/thread_limits.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "sys/file.h"
#include "sys/raw.h"

namespace weir::sys {
namespace {

constexpr std::size_t longest = 512;

// A small file's text; "" if it can't be read whole.
struct Text {
  char text[1024] = {};
  bool there = false;

  explicit Text(const char* path) {
    Result fd = sys::open(path, O_RDONLY | O_CLOEXEC);
    if (failed(fd)) return;
    Result got = sys::read(static_cast<int>(fd), text, sizeof text - 1);
    sys::close(static_cast<int>(fd));
    there = got >= 0 && got < static_cast<Result>(sizeof text - 1);
    text[there ? got : 0] = 0;
  }
};

bool exists(const char* path) {
  Result fd = sys::open(path, O_RDONLY | O_CLOEXEC);
  if (!failed(fd)) sys::close(static_cast<int>(fd));
  return !failed(fd);
}

struct Path {
  char path[longest];
  Path(const char* folder, const char* middle, const char* name) {
    int length = std::snprintf(path, sizeof path, "%s%s%s", folder, middle, name);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof path) path[0] = 0;
  }
};

// -1: no number.
std::int64_t number_in(const char* text) {
  std::int64_t number = 0;
  if (*text < '0' || *text > '9') return -1;
  for (; *text >= '0' && *text <= '9'; ++text) number = number * 10 + (*text - '0');
  return number;
}

// Others come and go meanwhile: that much beside.
std::int64_t with_margin(std::int64_t threads) { return threads + threads / 4 + 64; }

// "0.58 1.75 7.81 1/89 13326": the number behind the slash.
std::int64_t threads_in_all(const LimitFolders& folders) {
  Text load(Path(folders.proc, "", "/loadavg").path);
  const char* slash = std::strchr(load.text, '/');
  return slash ? number_in(slash + 1) : -1;
}

bool within_kernels_limits(std::int64_t threads, const LimitFolders& folders) {
  for (const char* name : {"/sys/kernel/threads-max", "/sys/kernel/pid_max"}) {
    std::int64_t most = number_in(Text(Path(folders.proc, "", name).path).text);
    if (most < threads) return false;
  }
  return true;
}

// "0 0 4294967295": in another namespace of users, who made it has a limit too.
bool has_all_users(const char* map) {
  for (std::int64_t expected : {std::int64_t{0}, std::int64_t{0}, std::int64_t{4294967295}}) {
    map += std::strspn(map, " ");
    if (number_in(map) != expected) return false;
    map += std::strspn(map, "0123456789");
  }
  return *map == '\n' && !map[1];
}

// How many are the user's nobody says: at most as many as there are.
bool within_users_limit(std::int64_t threads, const LimitFolders& folders) {
  if (!has_all_users(Text(Path(folders.proc, "", "/self/uid_map").path).text)) return false;
  rlimit limit{};
  if (failed(raw(SYS_prlimit64, 0, RLIMIT_NPROC, 0, word(&limit)))) return false;
  return limit.rlim_cur == RLIM_INFINITY || static_cast<std::uint64_t>(threads) < limit.rlim_cur;
}

// The cgroup that counts the process's threads, "/a/b", and the folder that all such lie in.
bool find_cgroup(const LimitFolders& folders, char (&cgroup)[longest], const char** under) {
  Text lines(Path(folders.proc, "", "/self/cgroup").path);
  const char* whole = nullptr;  // of version 2
  for (const char* line = lines.text; *line; line = std::strchr(line, '\n') + 1) {
    const char* end = std::strchr(line, '\n');
    const char* controllers = std::strchr(line, ':');
    if (!end || !controllers || controllers > end) return false;
    const char* path = std::strchr(controllers + 1, ':');
    if (!path || path > end || end - path >= static_cast<std::ptrdiff_t>(longest)) return false;
    bool counts = path - controllers == 5 && !std::memcmp(controllers, ":pids", 5);
    if (counts || path == controllers + 1) {
      if (!counts && whole) return false;
      std::memcpy(cgroup, path + 1, static_cast<std::size_t>(end - path - 1));
      cgroup[end - path - 1] = 0;
      *under = counts ? "/pids" : "";
      if (counts) return true;
      whole = cgroup;
    }
  }
  return whole;
}

bool within_cgroups_limits(std::int64_t wanted, const LimitFolders& folders) {
  char cgroup[longest];
  const char* under = nullptr;
  if (!find_cgroup(folders, cgroup, &under)) return false;
  Path top(folders.cgroups, under, "");
  if (!exists(Path(top.path, "", "/cgroup.procs").path)) return false;  // they lie elsewhere
  if (cgroup[0] == '/' && !cgroup[1]) cgroup[0] = 0;
  while (cgroup[0]) {
    if (cgroup[0] != '/') return false;
    Path here(top.path, cgroup, "");
    if (!exists(Path(here.path, "", "/cgroup.procs").path)) return false;
    Text most(Path(here.path, "", "/pids.max").path);
    if (most.there && std::strncmp(most.text, "max", 3) != 0) {
      std::int64_t now = number_in(Text(Path(here.path, "", "/pids.current").path).text);
      if (now < 0 || with_margin(now + wanted) > number_in(most.text)) return false;
    }
    *std::strrchr(cgroup, '/') = 0;
  }
  // The one that all lie in has no limit; one that has is itself in another, which we don't see.
  return !exists(Path(top.path, "", "/pids.max").path);
}

}  // namespace

bool threads_are_within_limits(std::int64_t wanted, const LimitFolders& folders) {
  std::int64_t now = threads_in_all(folders);
  if (now < 0) return false;
  std::int64_t threads = with_margin(now + wanted);
  return within_kernels_limits(threads, folders) && within_users_limit(threads, folders) && within_cgroups_limits(wanted, folders);
}

}  // namespace weir::sys
