// SPDX-License-Identifier: Apache-2.0
#include "lane/laid_out.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sys/file.h"
#include "sys/raw.h"

namespace weir::lane {
namespace {

constexpr std::uintptr_t page = 4096, largest = std::uintptr_t{1} << 30;

std::uintptr_t page_of(std::uintptr_t at) { return at & ~(page - 1); }

bool read_all(int fd, void* into, std::size_t bytes, std::uint64_t from) {
  iovec part{into, bytes};
  return sys::preadv2(fd, &part, 1, static_cast<off_t>(from), 0) == static_cast<Result>(bytes);
}

Result map(std::uintptr_t at, std::uintptr_t bytes, int flags, int fd, std::uint64_t from) {
  return sys::raw(SYS_mmap, static_cast<long>(at), static_cast<long>(bytes), PROT_READ, MAP_PRIVATE | flags, fd,
                  static_cast<long>(from));
}

}  // namespace

LaidOut::LaidOut(const char* path) : path_(path), fd_(static_cast<int>(sys::open(path, O_RDONLY | O_CLOEXEC))) {
  if (fd_ >= 0 && read_headers() && reserve()) whole_ = map_segments();
}

LaidOut::~LaidOut() {
  if (begin_) sys::raw(SYS_munmap, static_cast<long>(begin_), static_cast<long>(span_));
  if (fd_ >= 0) sys::close(fd_);
}

bool LaidOut::read_headers() {
  Elf64_Ehdr header;
  if (!read_all(fd_, &header, sizeof header, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG)) return false;
  bool ours = header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_X86_64 &&
              (header.e_type == ET_DYN || header.e_type == ET_EXEC) && header.e_phentsize == sizeof(Elf64_Phdr) && header.e_phnum <= most;
  if (!ours) return false;
  moves_ = header.e_type == ET_DYN;
  count_ = header.e_phnum;
  return read_all(fd_, headers_, count_ * sizeof(Elf64_Phdr), header.e_phoff);
}

// All of it reads as zero at first, as what a file does not fill.
bool LaidOut::reserve() {
  std::uintptr_t lowest = moves_ ? 0 : largest, end = 0;
  for (const Elf64_Phdr* h = headers_; h != headers_ + count_; ++h) {
    if (h->p_vaddr >= largest || h->p_memsz >= largest) return false;
    if (h->p_type != PT_LOAD) continue;
    lowest = std::min(lowest, page_of(h->p_vaddr));
    end = std::max(end, page_of(h->p_vaddr + h->p_memsz + page - 1));
  }
  if (end <= lowest || (!moves_ && !lowest)) return false;
  span_ = end - lowest;
  Result range = map(lowest, span_, MAP_ANONYMOUS | MAP_NORESERVE | (moves_ ? 0 : MAP_FIXED_NOREPLACE), -1, 0);
  if (failed(range)) return false;
  begin_ = static_cast<std::uintptr_t>(range);
  base_ = begin_ - lowest;
  return moves_ || base_ == 0;
}

// What lies past the end of a file is no memory: a file that was cut off is not looked at.
bool LaidOut::map_segments() {
  struct stat about;
  if (failed(sys::fstat(fd_, &about))) return false;
  for (const Elf64_Phdr* h = headers_; h != headers_ + count_; ++h) {
    bool within = h->p_offset <= static_cast<std::uint64_t>(about.st_size) && h->p_filesz <= about.st_size - h->p_offset &&
                  h->p_filesz <= h->p_memsz && (h->p_offset - h->p_vaddr) % page == 0;
    if (h->p_type != PT_LOAD || h->p_filesz == 0) continue;
    if (!within) return false;
    std::uintptr_t before = h->p_vaddr % page;
    std::uintptr_t at = base_ + page_of(h->p_vaddr);
    if (map(at, before + h->p_filesz, MAP_FIXED, fd_, h->p_offset - before) != static_cast<Result>(at)) return false;
  }
  return true;
}

}  // namespace weir::lane
