// SPDX-License-Identifier: Apache-2.0
#include "api/trace_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "api/report.h"
#include "sys/file.h"
#include "sys/own.h"
#include "sys/process.h"
#include "sys/raw.h"

namespace weir::api {
namespace {

using meter::Track;
using meter::TraceEvent;

constexpr const char* categories[] = {"region", "piece", "parked", "plain", "core_wait", "task", "suspended", "ring", "core"};
static_assert(sizeof categories / sizeof *categories == static_cast<int>(Track::count));

char* add(char* to, const char* text) {
  std::size_t length = std::strlen(text);
  std::memcpy(to, text, length);
  return to + length;
}

char* add(char* to, std::int64_t number) {
  char digits[24];
  int count = 0;
  bool negative = number < 0;
  auto left = negative ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  do digits[count++] = static_cast<char>('0' + left % 10);
  while (left /= 10);
  if (negative) *to++ = '-';
  while (count) *to++ = digits[--count];
  return to;
}

char* add_hex(char* to, std::uint64_t number) {
  to = add(to, "0x");
  for (int shift = 60; shift >= 0; shift -= 4) *to++ = "0123456789abcdef"[number >> shift & 15];
  return to;
}

// Microseconds, with three digits behind the point.
char* add_time(char* to, std::int64_t ns) {
  to = add(to, ns / 1000);
  *to++ = '.';
  for (std::int64_t part = 100; part; part /= 10) *to++ = static_cast<char>('0' + ns / part % 10);
  return to;
}

// What would need escaping becomes '?'.
char* add_clean(char* to, const char* text) {
  for (int i = 0; text[i] && i < 100; ++i) {
    char c = text[i];
    *to++ = c < 0x20 || c > 0x7e || c == '"' || c == '\\' ? '?' : c;
  }
  return to;
}

char* add_string(char* to, const char* text) { return add(add_clean(add(to, "\""), text), "\""); }

const char* phase_of(const TraceEvent& event) {
  if (meter::stays_on_thread(event.track)) return event.begins ? "B" : "E";
  return event.begins ? "b" : "e";
}

const char* argument_of(const TraceEvent& event) {
  if (!event.begins) return "result";
  return event.track == Track::core ? "processor" : "fd";
}

bool has_argument(const TraceEvent& event) {
  if (event.begins) return event.argument >= 0;
  return event.track == Track::parked || event.track == Track::plain || event.track == Track::suspended ||
         event.track == Track::ring;
}

// Above it a write would end the program by SIGXFSZ.
bool beyond_limit(std::int64_t bytes) {
  rlimit limit{};
  if (failed(sys::raw(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, sys::word(&limit)))) return false;
  return limit.rlim_cur != RLIM_INFINITY && static_cast<rlim_t>(bytes) > limit.rlim_cur;
}

}  // namespace

void OpenOnes::saw(const TraceEvent& event) {
  if (overrun_) return;
  std::uint32_t at = home(event.id);
  while (table_[at].id && table_[at].id != event.id) at = (at + 1) % slots;
  if (table_[at].id) return remove(at);
  if (count_ == most) {
    overrun_ = true;
    return;
  }
  table_[at] = {event.id, event.name, event.thread, event.track, event.begins};
  ++count_;
}

// With linear probing a hole would hide what lies behind it: that moves up.
void OpenOnes::remove(std::uint32_t at) {
  --count_;
  for (std::uint32_t next = (at + 1) % slots; table_[next].id; next = (next + 1) % slots) {
    std::uint32_t from_home = (next - home(table_[next].id)) % slots, from_hole = (next - at) % slots;
    if (from_home < from_hole) continue;
    table_[at] = table_[next];
    at = next;
  }
  table_[at].id = 0;
}

bool OpenOnes::take(TraceEvent* begun) {
  for (; !overrun_ && next_ < slots; ++next_) {
    Slot& slot = table_[next_];
    if (!slot.id || !slot.begins) continue;
    *begun = {0, slot.id, slot.name, 0, slot.thread, slot.track, true};
    slot.begins = false;
    return true;
  }
  return false;
}

int TraceFile::open(const char* name) {
  // Not a pipe: it would hold the program up, or end it by a signal.
  Result low = sys::open(name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
  if (failed(low)) return static_cast<int>(low);
  struct stat about;
  bool pipe = failed(sys::fstat(static_cast<int>(low), &about)) || S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode);
  // Of two that write one file, nothing is left that anybody could read.
  bool another = !pipe && sys::raw(SYS_flock, low, LOCK_EX | LOCK_NB) == -EWOULDBLOCK;
  if (pipe || another) {
    sys::close(static_cast<int>(low));
    return pipe ? -ESPIPE : -EBUSY;
  }
  sys::raw(SYS_ftruncate, low, 0);
  int fd = sys::moved_up(static_cast<int>(low));
  device_ = about.st_dev;
  inode_ = about.st_ino;
  sys::set_own(sys::Own::trace, fd);
  process_ = sys::process_id();
  held_ = 0;
  bytes_ = in_file_ = 0;
  error_ = 0;
  open_ = true;
  char* at = add(text_, "[\n");
  held_ = static_cast<std::size_t>(at - text_);
  at = begin_line();
  at = add(at, "\"ph\":\"M\",\"name\":\"process_name\",\"args\":{\"name\":");
  end_line(add(add_string(at, program_invocation_short_name), "}"));
  return write();
}

void TraceFile::forget() {
  if (int fd = sys::own(sys::Own::trace); fd >= 0) sys::close(fd);
  sys::set_own(sys::Own::trace, -1);
  open_ = false;
  held_ = 0;
}

char* TraceFile::begin_line() {
  if (capacity - held_ < 2 * longest_line) write();
  return add(add(add(text_ + held_, "{\"pid\":"), process_), ",");
}

// A process that is killed while it writes leaves whole pages of what it wrote. So no line lies on two of them.
void TraceFile::hold(char* end) {
  constexpr std::size_t page = 4096;
  std::size_t length = static_cast<std::size_t>(end - text_) - held_;
  std::size_t left = page - static_cast<std::size_t>(in_file_ + static_cast<std::int64_t>(held_)) % page;
  if (length > left) {
    std::memmove(text_ + held_ + left, text_ + held_, length);
    std::memset(text_ + held_, '\n', left);
    length += left;
  }
  bytes_ += static_cast<std::int64_t>(length);
  held_ += length;
}

void TraceFile::end_line(char* end) { hold(add(end, "},\n")); }

void TraceFile::put(const TraceEvent& event) {
  char* at = begin_line();
  at = add(add(at, "\"tid\":"), event.thread);
  at = add(add(at, ",\"ph\":\""), phase_of(event));
  at = add_time(add(at, "\",\"ts\":"), event.time_ns);
  at = add(add(at, ",\"cat\":\""), categories[static_cast<int>(event.track)]);
  at = add_string(add(at, "\",\"name\":"), event.name);
  if (!meter::stays_on_thread(event.track)) at = add(add_hex(add(at, ",\"id\":\""), event.id), "\"");
  if (has_argument(event)) {
    at = add(add(at, ",\"args\":{\""), argument_of(event));
    at = add(add(add(at, "\":"), event.argument), "}");
  }
  end_line(at);
}

void TraceFile::put_thread(std::int32_t thread, const char* what, const char* name) {
  char* at = add(add(begin_line(), "\"tid\":"), thread);
  at = add(add(at, ",\"ph\":\"M\",\"name\":\"thread_name\",\"args\":{\"name\":\""), what);
  at = add(add(at, " "), thread);
  if (*name) at = add(add_clean(add(at, " ("), name), ")");
  end_line(add(at, "\"}"));
}

void TraceFile::put_counter(const char* name, std::int64_t time_ns, const char* series, std::int64_t value) {
  char* at = add_string(add(begin_line(), "\"ph\":\"C\",\"name\":"), name);
  at = add_time(add(at, ",\"ts\":"), time_ns);
  at = add(add_string(add(at, ",\"args\":{"), series), ":");
  end_line(add(add(at, value), "}"));
}

void TraceFile::put_thinned(std::int32_t thread, std::int64_t time_ns, std::uint64_t one_in) {
  char* at = add(add(begin_line(), "\"tid\":"), thread);
  at = add_time(add(at, ",\"ph\":\"i\",\"s\":\"g\",\"name\":\"thinned\",\"ts\":"), time_ns);
  end_line(add(add(add(at, ",\"args\":{\"one in\":"), static_cast<std::int64_t>(one_in)), "}"));
}

// A program that closes and opens descriptors behind our back may have a file of its own under the number.
bool TraceFile::still_ours() const {
  struct stat now;
  int fd = sys::own(sys::Own::trace);
  return fd >= 0 && !failed(sys::fstat(fd, &now)) && now.st_dev == device_ && now.st_ino == inode_;
}

void TraceFile::give_up() {
  if (still_ours()) sys::close(sys::own(sys::Own::trace));
  sys::set_own(sys::Own::trace, -1);
  open_ = false;
}

int TraceFile::write() {
  const char* text = text_;
  std::size_t left = held_;
  held_ = 0;
  if (!open_) return error_;
  if (!still_ours()) error_ = -EBADF;
  if (beyond_limit(in_file_ + static_cast<std::int64_t>(left))) error_ = -EFBIG;
  while (left && !error_) {
    Result wrote = sys::write(sys::own(sys::Own::trace), text, left);
    if (wrote == -EINTR) continue;
    if (failed(wrote)) error_ = static_cast<int>(wrote);
    else text += wrote, left -= static_cast<std::size_t>(wrote);
  }
  if (!error_) {
    in_file_ += text - text_;
    return 0;
  }
  if (still_ours()) sys::raw(SYS_ftruncate, sys::own(sys::Own::trace), in_file_);
  give_up();
  return error_;
}

int TraceFile::close(std::int64_t one_in) {
  char* at = add(begin_line(), "\"ph\":\"M\",\"name\":\"weir\",\"args\":{\"ended\":1,\"one in\":");
  hold(add(add(at, one_in), "}}\n]\n"));
  int error = write();
  if (open_) give_up();
  return error;
}

}  // namespace weir::api
