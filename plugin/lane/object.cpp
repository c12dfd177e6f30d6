// SPDX-License-Identifier: Apache-2.0
#include "lane/object.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>

#include "lane/marks.h"

namespace weir::lane {
namespace {

// The sorted table at the end of .eh_frame_hdr, in the one encoding linkers use: pairs of 32-bit distances from the
// header's start, the first to a function.
struct Header {
  std::uint8_t version, frame_encoding, count_encoding, table_encoding;
  std::int32_t frame;
  std::uint32_t count;
};
struct Row {
  std::int32_t function, frame;
};
constexpr std::uint8_t pc_relative_32 = 0x1b, unsigned_32 = 0x03, header_relative_32 = 0x3b;

const Row* rows(std::uintptr_t table) { return reinterpret_cast<const Row*>(table + sizeof(Header)); }

// The object's memory, of which nothing else is read: a file that is laid out may say what it likes.
struct Range {
  std::uintptr_t begin, end;
  bool holds(std::uintptr_t at, std::uint64_t bytes) const { return at >= begin && at <= end && bytes <= end - at; }
  // nullptr: not `count` of them, all within.
  template <typename T>
  const T* at(std::uintptr_t address, std::uint64_t count = 1) const {
    bool sound = address % alignof(T) == 0 && count < (std::uint64_t{1} << 32) && holds(address, count * sizeof(T));
    return sound ? reinterpret_cast<const T*>(address) : nullptr;
  }
};

struct Dynamic {
  Range within;
  std::uintptr_t symbols = 0, strings = 0;
  struct { std::uintptr_t table = 0; std::uint64_t bytes = 0, nameless = 0; } relocations[2];
};

Dynamic read_dynamic(const void* at, std::uintptr_t base, Range within) {
  Dynamic d{within};
  // The loader has put addresses in the place of distances from the base; for an object that it did not load they are those.
  auto address = [&](const Elf64_Dyn& entry) { return entry.d_un.d_ptr < base ? base + entry.d_un.d_ptr : entry.d_un.d_ptr; };
  auto place = reinterpret_cast<std::uintptr_t>(at);
  for (; auto* entry = within.at<Elf64_Dyn>(place); place += sizeof *entry) {
    if (entry->d_tag == DT_NULL) break;
    switch (entry->d_tag) {
      case DT_SYMTAB: d.symbols = address(*entry); break;
      case DT_STRTAB: d.strings = address(*entry); break;
      case DT_JMPREL: d.relocations[0].table = address(*entry); break;
      case DT_PLTRELSZ: d.relocations[0].bytes = entry->d_un.d_val; break;
      case DT_RELA: d.relocations[1].table = address(*entry); break;
      case DT_RELASZ: d.relocations[1].bytes = entry->d_un.d_val; break;
      case DT_RELACOUNT: d.relocations[1].nameless = entry->d_un.d_val; break;
      default: break;
    }
  }
  return d;
}

const char* imported_by(const Dynamic& d, const Elf64_Rela& relocation) {
  auto type = ELF64_R_TYPE(relocation.r_info);
  if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) return nullptr;
  auto* symbol = d.within.at<Elf64_Sym>(d.symbols + ELF64_R_SYM(relocation.r_info) * sizeof(Elf64_Sym));
  const char* name = symbol && d.strings ? d.within.at<char>(d.strings + symbol->st_name) : nullptr;
  return name && std::memchr(name, 0, d.within.end - reinterpret_cast<std::uintptr_t>(name)) ? name : nullptr;
}

// fn(relocation): true to go on.
template <typename Fn>
void each_relocation(const Dynamic& d, Fn fn) {
  for (auto& part : d.relocations) {
    std::uint64_t count = part.bytes / sizeof(Elf64_Rela);
    auto* table = d.within.at<Elf64_Rela>(part.table, count);
    for (std::uint64_t i = part.nameless; table && i < count; ++i) {
      if (!fn(table[i])) return;
    }
  }
}

// Linkers put the slots of functions in the order of their relocations.
const Elf64_Rela* in_its_place(const Dynamic& d, std::uintptr_t slot) {
  auto& functions = d.relocations[0];
  auto* first = d.within.at<Elf64_Rela>(functions.table);
  if (!first || functions.bytes < sizeof *first || slot < first->r_offset) return nullptr;
  std::uintptr_t place = (slot - first->r_offset) / sizeof(std::uintptr_t);
  if (place >= functions.bytes / sizeof *first) return nullptr;
  auto* there = d.within.at<Elf64_Rela>(functions.table + place * sizeof *first);
  return there && there->r_offset == slot ? there : nullptr;
}

constinit const Object* also_known = nullptr;

}  // namespace

void Object::also(const Object* object) { also_known = object; }

Object Object::laid_out(std::uintptr_t base, std::uintptr_t begin, std::uintptr_t bytes, const Elf64_Phdr* headers, int count,
                        const char* path) {
  Object object;
  object.base_ = base;
  object.begin_ = begin;
  object.end_ = begin + bytes;
  object.path_ = path;
  for (const Elf64_Phdr* h = headers; h != headers + count; ++h) {
    std::uintptr_t there = base + h->p_vaddr - begin;
    bool within = there < bytes && h->p_memsz <= bytes - there;
    if (within && h->p_type == PT_GNU_EH_FRAME) object.table_ = begin + there;
    if (within && h->p_type == PT_DYNAMIC) object.dynamic_ = reinterpret_cast<const void*>(begin + there);
  }
  object.find_code(headers, count);
  if (object.table_ && object.dynamic_) object.read_table();
  return object;
}

void Object::find_code(const Elf64_Phdr* headers, int count) {
  int parts = 0;
  for (const Elf64_Phdr* h = headers; h != headers + count && parts < most_parts; ++h) {
    std::uintptr_t there = base_ + h->p_vaddr;
    bool runs = h->p_type == PT_LOAD && (h->p_flags & PF_X);
    if (runs && there >= begin_ && there < end_ && h->p_filesz <= end_ - there) code_[parts++] = {there, there + h->p_filesz};
  }
}

void Object::find_code() {
  constexpr std::uintptr_t page = 4096;
  auto* header = reinterpret_cast<const Elf64_Ehdr*>(begin_);
  if (end_ - begin_ < page || std::memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_phentsize != sizeof(Elf64_Phdr)) return;
  bool within = header->e_phoff < page && header->e_phnum <= (page - header->e_phoff) / sizeof(Elf64_Phdr);
  if (within) find_code(reinterpret_cast<const Elf64_Phdr*>(begin_ + header->e_phoff), header->e_phnum);
}

Object Object::around(std::uintptr_t address) {
  Object object;
  if (also_known && also_known->holds(address)) return *also_known;
  dl_find_object found;
  if (_dl_find_object(reinterpret_cast<void*>(address), &found) || !found.dlfo_eh_frame) return object;
  object.begin_ = reinterpret_cast<std::uintptr_t>(found.dlfo_map_start);
  object.end_ = reinterpret_cast<std::uintptr_t>(found.dlfo_map_end);
  object.table_ = reinterpret_cast<std::uintptr_t>(found.dlfo_eh_frame);
  if (found.dlfo_link_map) {
    object.base_ = found.dlfo_link_map->l_addr;
    object.dynamic_ = found.dlfo_link_map->l_ld;
    object.path_ = found.dlfo_link_map->l_name ? found.dlfo_link_map->l_name : "";
  }
  object.find_code();
  object.read_table();
  return object;
}

void Object::read_table() {
  auto* header = reinterpret_cast<const Header*>(table_);
  if (!holds(table_) || !holds(table_ + sizeof *header) || table_ % alignof(Header)) return;
  bool usual = header->version == 1 && header->frame_encoding == pc_relative_32 &&
               header->count_encoding == unsigned_32 && header->table_encoding == header_relative_32;
  bool whole = usual && table_ + sizeof *header + header->count * sizeof(Row) <= end_;
  functions_ = whole ? header->count : 0;
}

Object Object::of(const dl_phdr_info& loaded) {
  for (int i = 0; i < loaded.dlpi_phnum; ++i) {
    if (loaded.dlpi_phdr[i].p_type == PT_GNU_EH_FRAME) return around(loaded.dlpi_addr + loaded.dlpi_phdr[i].p_vaddr);
  }
  return {};
}

const char* Object::name() const { return file_name(path_); }

bool Object::is_runtime() const { return lane::is_runtime(name()); }

Function Object::function(std::uint32_t index) const {
  if (index >= functions_) return {};
  const Row* row = rows(table_) + index;
  auto begin = table_ + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(row->function));
  // The length stands in the frame's record: length, parent, start, size, each of 32 bits.
  auto frame = table_ + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(row->frame));
  std::uint32_t size;
  if (!holds(frame) || !holds(frame + 16)) return {};
  std::memcpy(&size, reinterpret_cast<const void*>(frame + 12), 4);
  if (!holds(begin) || begin + size > end_) return {};
  return {begin, begin + size};
}

Function Object::starting_at(std::uintptr_t address) const {
  if (!holds(address)) return {};
  auto wanted = static_cast<std::int64_t>(address - table_);
  std::uint32_t low = 0, high = functions_;
  while (low < high) {
    std::uint32_t middle = (low + high) / 2;
    std::int64_t there = rows(table_)[middle].function;
    if (there == wanted) return function(middle);
    if (there < wanted) low = middle + 1;
    else high = middle;
  }
  return {};
}

bool Object::is_linkage(Function function) const {
  constexpr std::uint8_t first[] = {0xff, 0x35};  // of a table of stubs: push the loader's word
  if (function.end - function.begin < sizeof first) return false;
  return slot_of_stub(function.begin) || !std::memcmp(reinterpret_cast<const void*>(function.begin), first, sizeof first);
}

const char* Object::name_of_slot(std::uintptr_t slot) const {
  if (!dynamic_ || !holds(slot)) return nullptr;
  const char* name = nullptr;
  Dynamic d = read_dynamic(dynamic_, base_, {begin_, end_});
  if (auto* relocation = in_its_place(d, slot - base_)) return imported_by(d, *relocation);
  each_relocation(d, [&](const Elf64_Rela& relocation) {
    bool found = base_ + relocation.r_offset == slot;
    if (found) name = imported_by(d, relocation);
    return !found;
  });
  return name;
}

std::uintptr_t Object::slot_of_stub(std::uintptr_t address) const {
  constexpr std::uintptr_t longest = 16;
  bool is_code = std::any_of(code_, code_ + most_parts, [&](Function part) { return part.holds(address) && part.holds(address + longest - 1); });
  if (!is_code) return 0;
  auto* at = reinterpret_cast<const std::uint8_t*>(address);
  if (!std::memcmp(at, "\xf3\x0f\x1e\xfa", 4)) at += 4;  // endbr64
  if (*at == 0xf2) ++at;                                  // bnd
  if (at[0] != 0xff || at[1] != 0x25) return 0;
  std::int32_t distance;
  std::memcpy(&distance, at + 2, 4);
  return reinterpret_cast<std::uintptr_t>(at + 6) + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(distance));
}

void Object::each_import(void (*fn)(void* argument, const char* name, std::uintptr_t slot), void* argument) const {
  Dynamic d = read_dynamic(dynamic_, base_, {begin_, end_});
  each_relocation(d, [&](const Elf64_Rela& relocation) {
    if (const char* name = imported_by(d, relocation)) fn(argument, name, base_ + relocation.r_offset);
    return true;
  });
}

}  // namespace weir::lane
