// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstdint>

#include "lane/object.h"

namespace weir::lane {

// A file's segments where the loader would map them, to be read only: its code can be asked before it runs. Of a program that can't
// lie anywhere else, only where its own place is free.
class LaidOut {
 public:
  explicit LaidOut(const char* path);
  ~LaidOut();
  LaidOut(const LaidOut&) = delete;
  LaidOut& operator=(const LaidOut&) = delete;

  bool whole() const { return whole_; }
  Object object() const { return Object::laid_out(base_, begin_, span_, headers_, count_, path_); }

 private:
  static constexpr int most = 64;

  bool read_headers();
  bool reserve();
  bool map_segments();

  const char* path_;
  int fd_;
  Elf64_Phdr headers_[most];
  int count_ = 0;
  bool moves_ = true;
  std::uintptr_t begin_ = 0, span_ = 0;  // no begin: not reserved
  std::uintptr_t base_ = 0;              // what the loader would add to the file's addresses
  bool whole_ = false;
};

}  // namespace weir::lane
