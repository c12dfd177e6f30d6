// SPDX-License-Identifier: Apache-2.0
#include "cli/region_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "omp_ext/region_code.h"
#include "omp_ext/region_object.h"

namespace weir::cli {
namespace {

constexpr std::uintptr_t page = 4096, largest = std::uintptr_t{1} << 30;

std::uintptr_t page_of(std::uintptr_t at) { return at & ~(page - 1); }

// The program's segments where the loader would map them, to be read only.
class LaidOut {
 public:
  explicit LaidOut(const char* path) : fd_(open(path, O_RDONLY | O_CLOEXEC)) {
    if (fd_ >= 0 && read_headers() && reserve()) whole_ = map_segments();
  }
  ~LaidOut() {
    if (base_ != MAP_FAILED) munmap(base_, span_);
    if (fd_ >= 0) close(fd_);
  }
  LaidOut(const LaidOut&) = delete;
  LaidOut& operator=(const LaidOut&) = delete;

  bool whole() const { return whole_; }
  team::Object object(const char* path) const {
    return team::Object::laid_out(reinterpret_cast<std::uintptr_t>(base_), span_, headers_, count_, path);
  }

 private:
  static constexpr int most = 64;

  bool read_headers() {
    Elf64_Ehdr header;
    if (pread(fd_, &header, sizeof header, 0) != sizeof header || std::memcmp(header.e_ident, ELFMAG, SELFMAG)) return false;
    bool ours = header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_X86_64 && header.e_type == ET_DYN &&
                header.e_phentsize == sizeof(Elf64_Phdr) && header.e_phnum <= most;
    if (!ours) return false;
    count_ = header.e_phnum;
    auto bytes = static_cast<ssize_t>(count_ * sizeof(Elf64_Phdr));
    return pread(fd_, headers_, count_ * sizeof(Elf64_Phdr), static_cast<off_t>(header.e_phoff)) == bytes;
  }

  // All of it reads as zero at first, as what a file does not fill.
  bool reserve() {
    for (const Elf64_Phdr* h = headers_; h != headers_ + count_; ++h) {
      if (h->p_vaddr >= largest || h->p_memsz >= largest) return false;
      if (h->p_type == PT_LOAD) span_ = std::max(span_, page_of(h->p_vaddr + h->p_memsz + page - 1));
    }
    if (span_) base_ = mmap(nullptr, span_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return base_ != MAP_FAILED;
  }

  // What lies past the end of a file is no memory: a file that was cut off is not looked at.
  bool map_segments() {
    struct stat about;
    if (fstat(fd_, &about)) return false;
    for (const Elf64_Phdr* h = headers_; h != headers_ + count_; ++h) {
      bool within = h->p_offset <= static_cast<std::uint64_t>(about.st_size) && h->p_filesz <= about.st_size - h->p_offset &&
                    h->p_filesz <= h->p_memsz && (h->p_offset - h->p_vaddr) % page == 0;
      if (h->p_type != PT_LOAD || h->p_filesz == 0) continue;
      if (!within) return false;
      std::uintptr_t before = h->p_vaddr % page;
      void* at = static_cast<char*>(base_) + page_of(h->p_vaddr);
      if (mmap(at, before + h->p_filesz, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd_, static_cast<off_t>(h->p_offset - before)) != at)
        return false;
    }
    return true;
  }

  int fd_;
  Elf64_Phdr headers_[most];
  int count_ = 0;
  std::uintptr_t span_ = 0;
  void* base_ = MAP_FAILED;
  bool whole_ = false;
};

}  // namespace

bool no_region_of_program_waits(const char* file) {
  LaidOut program(file);
  if (!program.whole()) return false;
  team::Object object = program.object(file);
  team::Object::also(&object);
  bool none = team::no_region_waits_in(object);
  team::Object::also(nullptr);
  return none;
}

}  // namespace weir::cli
