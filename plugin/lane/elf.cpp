// SPDX-License-Identifier: Apache-2.0
#include "lane/elf.h"

#include <cstring>

namespace weir::lane {
namespace {

// DT_GNU_HASH: header, bloom words, buckets, then the chains of symbols from `first` on.
struct GnuHash {
  std::uint32_t buckets, first, bloom_words, bloom_shift;
};

std::uint32_t gnu_hash(const char* name) {
  std::uint32_t h = 5381;
  for (; *name; ++name) h = h * 33 + static_cast<unsigned char>(*name);
  return h;
}

}  // namespace

Image Image::of_file(const void* bytes, std::size_t size) {
  Image image;
  auto* header = static_cast<const Elf64_Ehdr*>(bytes);  // a page, or what malloc gave: aligned
  if (size < sizeof *header || std::memcmp(header->e_ident, ELFMAG, SELFMAG)) return image;
  bool ours = header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
              header->e_machine == EM_X86_64;
  image.foreign_ = !ours;
  if (!ours || header->e_phentsize != sizeof(Elf64_Phdr)) return image;
  image.base_ = reinterpret_cast<std::uint64_t>(bytes);
  image.size_ = size;
  image.headers_ = image.in_file<Elf64_Phdr>(header->e_phoff, header->e_phnum);
  if (!image.headers_) return image;
  image.valid_ = true;
  image.header_count_ = header->e_phnum;
  image.read_headers();
  image.read_sections(*header);
  return image;
}

Image Image::of_loaded(std::uint64_t base, const Elf64_Phdr* headers, std::size_t count) {
  Image image;
  image.valid_ = image.loaded_ = true;
  image.base_ = base;
  image.headers_ = headers;
  image.header_count_ = count;
  image.read_headers();
  return image;
}

std::uint64_t Image::readable_from(std::uint64_t address) const {
  for (std::size_t i = 0; i < header_count_; ++i) {
    const Elf64_Phdr& segment = headers_[i];
    std::uint64_t bytes = loaded_ ? segment.p_memsz : segment.p_filesz;
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_R)) continue;
    if (address < segment.p_vaddr || address - segment.p_vaddr >= bytes) continue;
    std::uint64_t inside = address - segment.p_vaddr;
    if (!loaded_) {
      if (segment.p_offset > size_ || inside > size_ - segment.p_offset) return 0;
      std::uint64_t in_file = size_ - segment.p_offset - inside;
      return in_file < bytes - inside ? in_file : bytes - inside;
    }
    return bytes - inside;
  }
  return 0;
}

const void* Image::bytes_at(std::uint64_t address, std::uint64_t bytes) const {
  // 0 is what an absent entry gives, and where the ELF header of a shared object is: never a table.
  if (address == 0 || bytes == 0 || readable_from(address) < bytes) return nullptr;
  if (loaded_) return reinterpret_cast<const void*>(base_ + address);
  for (std::size_t i = 0; i < header_count_; ++i) {
    const Elf64_Phdr& segment = headers_[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_R)) continue;
    if (address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz) continue;
    return reinterpret_cast<const void*>(base_ + segment.p_offset + (address - segment.p_vaddr));
  }
  return nullptr;
}

void Image::read_headers() {
  for (std::size_t i = 0; i < header_count_; ++i) {
    if (headers_[i].p_type == PT_TLS) thread_bytes_ += headers_[i].p_memsz;
    if (headers_[i].p_type == PT_DYNAMIC) read_dynamic(headers_[i]);
  }
  if (dynamic_) bound_symbols();
}

void Image::read_dynamic(const Elf64_Phdr& header) {
  std::uint64_t bytes = readable_from(header.p_vaddr);
  if (bytes > header.p_memsz) bytes = header.p_memsz;
  std::size_t most = bytes / sizeof(Elf64_Dyn);
  const Elf64_Dyn* table = at<Elf64_Dyn>(header.p_vaddr, most);
  if (!table) return;
  dynamic_ = true;
  dynamic_table_ = table;
  while (dynamic_count_ < most && table[dynamic_count_].d_tag != DT_NULL) ++dynamic_count_;
  symbols_.strings_bytes = entry(DT_STRSZ);
  symbols_.strings = at<char>(address(DT_STRTAB), symbols_.strings_bytes);
  if (!symbols_.strings) symbols_.strings_bytes = 0;
}

std::uint64_t Image::entry(std::int64_t tag) const {
  for (std::size_t i = 0; i < dynamic_count_; ++i) {
    if (dynamic_table_[i].d_tag == tag) return dynamic_table_[i].d_un.d_val;
  }
  return 0;
}

std::uint64_t Image::address(std::int64_t tag) const {
  std::uint64_t value = entry(tag);
  // The loader relocates these entries in place, but not where the table is read-only (the vdso).
  return loaded_ && value >= base_ ? value - base_ : value;
}

const char* Image::string(const Symbols& of, std::uint64_t offset) {
  if (offset >= of.strings_bytes) return nullptr;
  return std::memchr(of.strings + offset, 0, of.strings_bytes - offset) ? of.strings + offset : nullptr;
}

const void* Image::bytes_in_file(std::uint64_t offset, std::uint64_t bytes) const {
  if (loaded_ || bytes == 0 || offset > size_ || bytes > size_ - offset) return nullptr;
  return reinterpret_cast<const void*>(base_ + offset);
}

// .symtab has the names of static variables too. Absent, or not as expected: .dynsym it is.
void Image::read_sections(const Elf64_Ehdr& header) {
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return;
  auto* sections = in_file<Elf64_Shdr>(header.e_shoff, header.e_shnum);
  for (std::size_t i = 0; sections && i < header.e_shnum; ++i) {
    const Elf64_Shdr& found = sections[i];
    if (found.sh_type != SHT_SYMTAB || found.sh_link >= header.e_shnum) continue;
    const Elf64_Shdr& strings = sections[found.sh_link];
    unstripped_.table = in_file<Elf64_Sym>(found.sh_offset, found.sh_size / sizeof(Elf64_Sym));
    unstripped_.strings = in_file<char>(strings.sh_offset, strings.sh_size);
    if (!unstripped_.table || !unstripped_.strings) return;
    unstripped_.strings_bytes = strings.sh_size;
    unstripped_.bound = static_cast<std::uint32_t>(found.sh_size / sizeof(Elf64_Sym));
    return;
  }
}

const char* Image::interpreter() const {
  for (std::size_t i = 0; i < header_count_ && !loaded_; ++i) {
    const Elf64_Phdr& header = headers_[i];
    if (header.p_type != PT_INTERP || header.p_filesz == 0) continue;
    auto* path = in_file<char>(header.p_offset, header.p_filesz);
    return path && std::memchr(path, 0, header.p_filesz) ? path : nullptr;
  }
  return nullptr;
}

std::uint32_t Image::highest_relocated(std::int64_t table, std::int64_t bytes, std::uint64_t nameless) const {
  std::uint64_t count = entry(bytes) / sizeof(Elf64_Rela);
  auto* relocations = at<Elf64_Rela>(address(table), count);
  std::uint32_t highest = 0;
  for (std::size_t i = nameless; relocations && i < count; ++i) {
    std::uint32_t symbol = ELF64_R_SYM(relocations[i].r_info);
    if (symbol > highest) highest = symbol;
  }
  return highest;
}

// No entry says how many symbols there are. DT_HASH does (one chain each); in DT_GNU_HASH all imports come before the
// first hashed symbol, but an object that exports nothing has an empty table that says nothing: there the
// relocations name every import that matters.
void Image::bound_symbols() {
  std::uint64_t table = address(DT_SYMTAB);
  std::uint64_t room = readable_from(table) / sizeof(Elf64_Sym);
  symbols_.table = at<Elf64_Sym>(table);
  if (!symbols_.table) return;
  std::uint64_t bound = 0;
  if (auto* hash = at<std::uint32_t>(address(DT_HASH), 2)) {
    bound = hash[1];
    symbols_.bound = static_cast<std::uint32_t>(bound < room ? bound : room);
  } else {
    std::uint64_t strings = address(DT_STRTAB);
    // Every linker puts the strings right behind the symbols; where that is not so, exported names go unlisted.
    if (strings > table) bound = (strings - table) / sizeof(Elf64_Sym);
    symbols_.bound = static_cast<std::uint32_t>(bound < room ? bound : room);
    auto* gnu = at<GnuHash>(address(DT_GNU_HASH));
    std::uint32_t plt = highest_relocated(DT_JMPREL, DT_PLTRELSZ, 0);
    // The first ones, most of a library's, only add its address: the loader looks at no name of theirs either.
    std::uint32_t rest = highest_relocated(DT_RELA, DT_RELASZ, entry(DT_RELACOUNT));
    std::uint64_t relocated = (plt > rest ? plt : rest) + std::uint64_t{1};
    bound = gnu && gnu->first > relocated ? gnu->first : relocated;
  }
  import_bound_ = static_cast<std::uint32_t>(bound < room ? bound : room);
  if (symbols_.bound < import_bound_) symbols_.bound = import_bound_;
}

bool Image::defines(const char* name) const {
  auto* table = at<GnuHash>(address(DT_GNU_HASH));
  if (!table || !symbols_.table || table->buckets == 0) return false;
  std::uint64_t buckets_at = address(DT_GNU_HASH) + sizeof *table + std::uint64_t{table->bloom_words} * 8;
  auto* buckets = at<std::uint32_t>(buckets_at, table->buckets);
  if (!buckets) return false;
  std::uint32_t hash = gnu_hash(name);
  std::uint64_t chains_at = buckets_at + std::uint64_t{table->buckets} * 4;
  for (std::uint32_t i = buckets[hash % table->buckets]; i >= table->first; ++i) {
    auto* link = at<std::uint32_t>(chains_at + (std::uint64_t{i} - table->first) * 4);
    if (!link || i >= symbols_.bound) return false;
    const char* found = (*link | 1) == (hash | 1) ? string(symbols_, symbols_.table[i].st_name) : nullptr;
    if (found && !std::strcmp(found, name) && symbols_.table[i].st_shndx != SHN_UNDEF) return true;
    if (*link & 1) return false;
  }
  return false;
}

}  // namespace weir::lane
