// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "meter/trace.h"

namespace weir::api {

// Things that began and have not ended yet, as far as was read: an end may be read before its begin, that of another
// thread. Of a fixed size; once it was too small it knows nothing any more.
class OpenOnes {
 public:
  void saw(const meter::TraceEvent& event);
  // Takes one that began; false: there is none left.
  bool take(meter::TraceEvent* begun);

 private:
  static constexpr std::uint32_t slots = 1 << 15, most = slots / 4 * 3;
  std::uint32_t home(meter::Traced id) const { return static_cast<std::uint32_t>(id * 0x9e3779b97f4a7c15ull >> 40) % slots; }
  void remove(std::uint32_t at);
  struct Slot {
    meter::Traced id;      // 0: free
    const char* name;
    std::int32_t thread;
    meter::Track track;
    bool begins;
  };
  Slot table_[slots];
  std::uint32_t count_ = 0, next_ = 0;
  bool overrun_ = false;
};

// The file: JSON as Chrome's trace viewer and Perfetto read it, in the form of an array, whose end may be missing. Whole
// lines are written at once, so whatever ends the process leaves a file that loads.
class TraceFile {
 public:
  // 0 or -errno. The descriptor is sys::Own::trace.
  int open(const char* name);
  bool is_open() const { return open_; }
  void forget();                 // in a forked child: the file is the parent's
  void put(const meter::TraceEvent& event);
  void put_thread(std::int32_t thread, const char* what, const char* name);
  void put_counter(const char* name, std::int64_t time_ns, const char* series, std::int64_t value);
  void put_thinned(std::int32_t thread, std::int64_t time_ns, std::uint64_t one_in);
  int write();                   // what is held; 0, or -errno: the file is closed then, cut to whole lines
  int close(std::int64_t one_in);
  std::int64_t bytes() const { return bytes_; }  // put so far

 private:
  char* begin_line();
  void end_line(char* end);
  void hold(char* end);
  bool still_ours() const;
  void give_up();

  static constexpr std::size_t capacity = 64 * 1024, longest_line = 512;
  char text_[capacity];
  std::size_t held_ = 0;
  std::int64_t bytes_ = 0, in_file_ = 0;
  std::uint64_t device_ = 0, inode_ = 0;
  std::int32_t process_ = 0;
  int error_ = 0;
  bool open_ = false;
};

}  // namespace weir::api
