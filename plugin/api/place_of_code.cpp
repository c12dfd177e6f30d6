// SPDX-License-Identifier: Apache-2.0
#include "api/place_of_code.h"

#include <elf.h>
#include <fcntl.h>

#include <cstdlib>
#include <cstring>

#include "sys/file.h"

namespace weir::api {
namespace {

// Lines of a file of /proc, one at a time; a longer one is cut.
class Lines {
 public:
  explicit Lines(const char* file) : fd_(static_cast<int>(sys::open(file, O_RDONLY | O_CLOEXEC))) {}
  ~Lines() {
    if (fd_ >= 0) sys::close(fd_);
  }
  char* next() {
    std::size_t length = 0;
    while (true) {
      if (at_ == end_ && !fill()) return length ? cut(length) : nullptr;
      char c = text_[at_++];
      if (c == '\n') return cut(length);
      if (length < sizeof line_ - 1) line_[length++] = c;
    }
  }

 private:
  bool fill() {
    Result got = fd_ < 0 ? -1 : sys::read(fd_, text_, sizeof text_);
    at_ = 0;
    end_ = got > 0 ? static_cast<std::size_t>(got) : 0;
    return got > 0;
  }
  char* cut(std::size_t length) {
    line_[length] = 0;
    return line_;
  }

  int fd_;
  std::size_t at_ = 0, end_ = 0;
  char text_[2048];
  char line_[1024];
};

// 7f12-7f34 r-xp 00001000 fe:01 1234   /path
struct Mapping {
  std::uint64_t begin = 0, end = 0, offset = 0;
  const char* path = nullptr;
};

bool read_mapping(char* line, Mapping& into) {
  char* at;
  into.begin = std::strtoull(line, &at, 16);
  if (*at != '-') return false;
  into.end = std::strtoull(at + 1, &at, 16);
  if (std::strlen(at) < 6) return false;
  into.offset = std::strtoull(at + 6, nullptr, 16);
  into.path = std::strchr(at, '/');
  return true;
}

// An executable that is not moved has absolute addresses in its file.
bool is_fixed(std::uint64_t base) {
  auto* head = reinterpret_cast<const Elf64_Ehdr*>(base);
  return sys::readable(head) && !std::memcmp(head->e_ident, ELFMAG, SELFMAG) && head->e_type == ET_EXEC;
}

}  // namespace

void put_place(Writer& out, std::uint64_t address) {
  Lines lines("/proc/self/maps");
  char object[1024] = "";
  std::uint64_t base = 0;
  Mapping mapping;
  while (char* line = address ? lines.next() : nullptr) {
    if (!read_mapping(line, mapping)) continue;
    bool same = mapping.path && !std::strcmp(mapping.path, object);
    if (mapping.path && !same) {
      std::strncpy(object, mapping.path, sizeof object - 1);
      base = mapping.begin - mapping.offset;
    }
    if (address < mapping.begin || address >= mapping.end) continue;
    if (!mapping.path) break;
    out.put("\"object\": ");
    out.put_string(object);
    base::Line where;
    where.add(", \"offset\": \"0x%llx\"", static_cast<unsigned long long>(is_fixed(base) ? address : address - base));
    out.put(where);
    return;
  }
  out.put("\"object\": null, \"offset\": null");
}

}  // namespace weir::api
