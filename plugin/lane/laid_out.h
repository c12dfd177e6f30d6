// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstdint>

#include "lane/object.h"

namespace weir::lane {

// A file's segments where the loader would map them, to be read only: its code can be asked before it runs. Of what is position
// independent alone.
class LaidOut {
 public:
  explicit LaidOut(const char* path);
  ~LaidOut();
  LaidOut(const LaidOut&) = delete;
  LaidOut& operator=(const LaidOut&) = delete;

  bool whole() const { return whole_; }
  Object object() const { return Object::laid_out(base_, span_, headers_, count_, path_); }

 private:
  static constexpr int most = 64;

  bool read_headers();
  bool reserve();
  bool map_segments();

  const char* path_;
  int fd_;
  Elf64_Phdr headers_[most];
  int count_ = 0;
  std::uintptr_t span_ = 0, base_ = 0;  // no base: not reserved
  bool whole_ = false;
};

}  // namespace weir::lane
