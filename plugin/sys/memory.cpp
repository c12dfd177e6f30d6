// SPDX-License-Identifier: Apache-2.0
#include "sys/memory.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "base/log.h"
#include "sys/file.h"
#include "sys/raw.h"

namespace weir::sys {
namespace {

struct Text {
  char bytes[2048];  // the stack of a task may be a small one
};

bool read_text(const char* path, Text& text) {
  Result file = open(path, O_RDONLY | O_CLOEXEC);
  if (failed(file)) return false;
  Result bytes = read(static_cast<int>(file), text.bytes, sizeof text.bytes - 1);
  close(static_cast<int>(file));
  text.bytes[bytes > 0 ? bytes : 0] = 0;
  return bytes > 0;
}

Memory scarcer(Memory one, Memory other) { return other.total > 0 && other.left < one.left ? other : one; }

Memory of_machine() {
  Text text;
  if (!read_text("/proc/meminfo", text)) return {};
  std::int64_t total = number_in(text.bytes, "MemTotal:"), left = number_in(text.bytes, "MemAvailable:");
  if (total <= 0 || left < 0) return {};
  return {total * 1024, left * 1024, 0};
}

const char* next_line(const char* line) {
  const char* end = std::strchr(line, '\n');
  return end ? end + 1 : nullptr;
}

// One group's files, as the kind names them.
struct Kind {
  const char *folder, *limit, *used, *files[2];
};
constexpr Kind kinds[] = {
    {"/sys/fs/cgroup", "memory.max", "memory.current", {"inactive_file", "active_file"}},
    {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}},
};

bool read_of_group(const Kind& kind, const char* path, const char* file, Text& text) {
  return read_text(base::Line().add("%s%s/%s", kind.folder, path, file).text(), text);
}

// Nothing where there is no limit that binds, or where it is far: what is counted, and takes the kernel its time, is asked for only then.
Memory of_group(const Kind& kind, const char* path, std::int64_t machine) {
  Text text;
  if (!read_of_group(kind, path, kind.limit, text)) return {};
  std::int64_t limit = std::atoll(text.bytes);
  if (limit <= 0 || limit > machine || !read_of_group(kind, path, kind.used, text)) return {};
  std::int64_t used = std::atoll(text.bytes);
  if (used < limit / 2) return {limit, limit - used, 0};
  if (!read_of_group(kind, path, "memory.stat", text)) return {limit, limit - used, 0};
  for (const char* files : kind.files) used -= std::max<std::int64_t>(0, number_in(text.bytes, files));
  return {limit, limit - used, 0};
}

GroupPath my_group() {
  Text text;
  return read_text("/proc/self/cgroup", text) ? group_in(text.bytes) : GroupPath{"", false};
}

// Its own, and those around it. In a container the folder may be that of its own group, whatever its path outside is called.
Memory of_groups(Memory machine) {
  GroupPath group = my_group();
  const Kind& kind = kinds[group.of_first_kind];
  Memory least = machine;
  while (true) {
    least = scarcer(least, of_group(kind, group.text, machine.total));
    char* last = std::strrchr(group.text, '/');
    if (!last) return least;
    *last = 0;
  }
}

struct Size {
  std::int64_t addresses = 0, resident = 0, shared = 0, data = 0;
};

Size size() {
  Text text;
  if (!read_text("/proc/self/statm", text)) return {};
  char* at = text.bytes;
  std::int64_t pages[6];
  for (std::int64_t& each : pages) each = std::strtoll(at, &at, 10);
  constexpr std::int64_t page = 4096;
  return {pages[0] * page, pages[1] * page, pages[2] * page, pages[5] * page};
}

Memory within(int resource, std::int64_t used) {
  rlimit limit{};
  if (failed(raw(SYS_prlimit64, 0, resource, 0, word(&limit))) || limit.rlim_cur == RLIM_INFINITY) return {};
  auto total = static_cast<std::int64_t>(limit.rlim_cur);
  return {total, total - used, 0};
}

}  // namespace

Memory memory() {
  Size mine = size();
  Memory least = of_groups(of_machine());
  least = scarcer(least, within(RLIMIT_AS, mine.addresses));
  least = scarcer(least, within(RLIMIT_DATA, mine.data));
  least.mine = mine.resident - mine.shared;
  return least;
}

// malloc_trim() leaves out the end of what each thread has, which grows to twice the largest block that was ever freed: from now on that
// is given back when something is freed.
void give_back_freed_memory() {
  static constinit std::atomic<bool> trims{false};
  constexpr int most_kept = 256 * 1024;
  if (!trims.exchange(true, std::memory_order_relaxed)) mallopt(M_TRIM_THRESHOLD, most_kept);
  malloc_trim(0);
}

GroupPath group_in(const char* lines) {
  GroupPath found{"", false};
  for (const char* line = lines; line && *line; line = next_line(line)) {
    const char* controllers = std::strchr(line, ':');
    const char* path = controllers ? std::strchr(controllers + 1, ':') : nullptr;
    if (!path) break;
    bool second_kind = path == controllers + 1;
    bool of_memory = !std::strncmp(controllers, ":memory:", 8) || !std::strncmp(controllers, ":memory,", 8) ||
                     (std::strstr(controllers, ",memory") && std::strstr(controllers, ",memory") < path);
    if (!of_memory && !(second_kind && !found.of_first_kind)) continue;
    std::size_t length = std::strcspn(++path, "\n");
    if (length == 1) length = 0;  // "/": the folder itself
    length = std::min(length, sizeof found.text - 1);
    std::memcpy(found.text, path, length);
    found.text[length] = 0;
    found.of_first_kind = of_memory;
  }
  return found;
}

std::int64_t number_in(const char* lines, const char* name) {
  std::size_t length = std::strlen(name);
  for (const char* line = lines; line && *line; line = next_line(line)) {
    if (!std::strncmp(line, name, length) && line[length] == ' ') return std::atoll(line + length);
  }
  return -1;
}

}  // namespace weir::sys
