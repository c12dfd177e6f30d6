// SPDX-License-Identifier: Apache-2.0
// FILEs over functions of the program's own (fopencookie): libc holds the FILE's lock while such a function waits, so its
// task keeps its thread. Another task on that thread would pass the lock, which belongs to the thread, and tear the lines.
// suspend: fallbacks.get('lock_held', 0) >= 250 and suspended >= 1
// auto: fallbacks.get('lock_held', 0) >= 250 or lane == 'park'
// park: parked >= 250 and suspended == 0
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <string>

#include "case.h"

namespace {

constexpr int lines = 100, length = 10;

struct Text {
  std::string text;
  std::size_t at = 0;
};

// Half a line at a time, so that whoever comes in between tears one.
ssize_t give(void* cookie, char* to, std::size_t room) {
  auto& source = *static_cast<Text*>(cookie);
  wait_ms(1);
  std::size_t bytes = std::min({room, source.text.size() - source.at, std::size_t{length / 2}});
  source.text.copy(to, bytes, source.at);
  source.at += bytes;
  return static_cast<ssize_t>(bytes);
}

ssize_t take(void* cookie, const char* from, std::size_t bytes) {
  std::string part(from, bytes);
  wait_ms(1);
  static_cast<Text*>(cookie)->text += part;
  return static_cast<ssize_t>(bytes);
}

}  // namespace

int main() {
  Text in, out;
  for (int i = 0; i < lines; ++i) {
    char line[length + 1];
    std::snprintf(line, sizeof line, "line %04d\n", i);
    in.text += line;
  }
  FILE* source = fopencookie(&in, "r", {give, nullptr, nullptr, nullptr});
  FILE* sink = fopencookie(&out, "w", {nullptr, take, nullptr, nullptr});
  setvbuf(sink, nullptr, _IOLBF, 64);
  tbb::task_group group;
  for (int i = 0; i < lines; ++i)
    group.run([=] {
      char line[64];
      check(std::fgets(line, sizeof line, source) && std::string(line).size() == length, "a line");
      wait_ms(1);
      check(std::fputs(line, sink) >= 0, "its copy");
    });
  group.wait();
  std::fclose(sink);
  std::fclose(source);
  for (int i = 0; i < lines; ++i) {
    char line[length + 1];
    std::snprintf(line, sizeof line, "line %04d\n", i);
    std::size_t at = out.text.find(line);
    check(at != std::string::npos && at % length == 0, "each line once");
  }
  std::printf("%zu\n", out.text.size());
}
