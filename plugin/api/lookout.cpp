// SPDX-License-Identifier: Apache-2.0
#include "api/lookout.h"

#include <fcntl.h>

#include "sys/file.h"

namespace weir::api {
namespace {

// As much of the file as fits, or nothing: none of these must be there.
template <typename Read>
void with_text_of(const char* file, Read&& read) {
  char text[8192];
  Result fd = sys::open(file, O_RDONLY | O_CLOEXEC);
  if (failed(fd)) return;
  Result got = sys::read(static_cast<int>(fd), text, sizeof text - 1);
  sys::close(static_cast<int>(fd));
  if (got <= 0) return;
  text[got] = 0;
  read(text);
}

}  // namespace

control::Surroundings look_around() {
  control::Surroundings now;
  with_text_of("/proc/diskstats", [&](const char* text) { read_diskstats(text, now); });
  // The container's own pressure, where it has one; else the machine's.
  with_text_of("/proc/pressure/io", [&](const char* text) { read_pressure(text, now); });
  with_text_of("/sys/fs/cgroup/io.pressure", [&](const char* text) { read_pressure(text, now); });
  with_text_of("/proc/meminfo", [&](const char* text) { read_meminfo(text, now); });
  return now;
}

void Lookout::look(int log, double t_s, std::int64_t storage_bytes) {
  if (last_s_ >= 0 && t_s - last_s_ < 1) return;
  control::Surroundings now = look_around();
  if (last_s_ >= 0) {
    base::Line line;
    put_surroundings(line, t_s, last_, now, t_s - last_s_, storage_bytes - last_bytes_);
    sys::write(log, line.text(), line.length());
  }
  last_ = now;
  last_s_ = t_s;
  last_bytes_ = storage_bytes;
}

}  // namespace weir::api
