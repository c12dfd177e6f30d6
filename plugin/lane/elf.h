// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>

namespace weir::lane {

// One ELF object, as a file in memory or as the loader laid it out. Reads only what lies within its segments: a
// malformed or hostile file gives fewer answers, never a wild read. Allocates nothing; valid while the bytes are.
class Image {
 public:
  // A whole file. Not an ELF object of this machine: valid() is false.
  static Image of_file(const void* bytes, std::size_t size);

  // A loaded object: its load address and program headers, from dl_iterate_phdr.
  static Image of_loaded(std::uint64_t base, const Elf64_Phdr* headers, std::size_t count);

  bool valid() const { return valid_; }
  bool dynamic() const { return dynamic_; }                     // false: linked statically
  bool foreign() const { return foreign_; }                     // ELF, but of another machine
  const char* interpreter() const;                              // PT_INTERP, nullptr: none
  std::uint64_t thread_bytes() const { return thread_bytes_; }  // PT_TLS of its own

  // Calls visit(name) for every name under `tag`: DT_NEEDED, DT_SONAME.
  template <typename Visit>
  void each_name(std::int64_t tag, Visit visit) const {
    for (std::size_t i = 0; i < dynamic_count_; ++i) {
      if (dynamic_table_[i].d_tag != tag) continue;
      if (const char* name = string(symbols_, dynamic_table_[i].d_un.d_val)) visit(name);
    }
  }

  // Calls visit(name, symbol type) for every name the object asks others for.
  template <typename Visit>
  void each_import(Visit visit) const {
    for (std::uint32_t i = 1; i < import_bound_; ++i) {
      const Elf64_Sym& symbol = symbols_.table[i];
      if (symbol.st_shndx != SHN_UNDEF || symbol.st_name == 0) continue;
      if (const char* name = string(symbols_, symbol.st_name)) visit(name, ELF64_ST_TYPE(symbol.st_info));
    }
  }

  // Calls visit(name) for the object's own thread-local variables: all of them in a file that was not stripped, else
  // those it exports.
  template <typename Visit>
  void each_thread_variable(Visit visit) const {
    const Symbols& all = unstripped_.bound ? unstripped_ : symbols_;
    for (std::uint32_t i = 1; i < all.bound; ++i) {
      const Elf64_Sym& symbol = all.table[i];
      if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_TLS) continue;
      if (const char* name = string(all, symbol.st_name)) visit(name);
    }
  }

  // Does the object define `name`, by its GNU hash table?
  bool defines(const char* name) const;

 private:
  struct Symbols {
    const Elf64_Sym* table = nullptr;
    std::uint32_t bound = 0;  // indices are below
    const char* strings = nullptr;
    std::uint64_t strings_bytes = 0;
  };
  // `count` of T at an address of the object, or at an offset in the file; nullptr: not all within, or misaligned.
  template <typename T>
  const T* at(std::uint64_t address, std::uint64_t count = 1) const { return aligned<T>(count, bytes_at(address, count * sizeof(T))); }
  template <typename T>
  const T* in_file(std::uint64_t offset, std::uint64_t count = 1) const { return aligned<T>(count, bytes_in_file(offset, count * sizeof(T))); }
  template <typename T>
  static const T* aligned(std::uint64_t count, const void* bytes) {
    bool sound = count < (std::uint64_t{1} << 32) && reinterpret_cast<std::uint64_t>(bytes) % alignof(T) == 0;
    return sound ? static_cast<const T*>(bytes) : nullptr;
  }
  const void* bytes_at(std::uint64_t address, std::uint64_t bytes) const;
  const void* bytes_in_file(std::uint64_t offset, std::uint64_t bytes) const;
  std::uint64_t readable_from(std::uint64_t address) const;          // bytes from there to its segment's end
  std::uint64_t entry(std::int64_t tag) const;                       // 0: absent
  std::uint64_t address(std::int64_t tag) const;                     // the same, as an address of the object
  // A string that ends within its table, or nullptr.
  static const char* string(const Symbols& of, std::uint64_t offset);
  void read_sections(const Elf64_Ehdr& header);
  void read_headers();
  void read_dynamic(const Elf64_Phdr& header);
  void bound_symbols();
  std::uint32_t highest_relocated(std::int64_t table, std::int64_t bytes, std::uint64_t nameless) const;

  bool valid_ = false, dynamic_ = false, foreign_ = false, loaded_ = false;
  std::uint64_t base_ = 0;                // where address 0 of the object (or byte 0 of the file) is
  std::uint64_t size_ = 0;                // of the file; unused when loaded
  const Elf64_Phdr* headers_ = nullptr;
  std::size_t header_count_ = 0;
  std::uint64_t thread_bytes_ = 0;
  const Elf64_Dyn* dynamic_table_ = nullptr;
  std::size_t dynamic_count_ = 0;
  Symbols symbols_;                       // .dynsym
  Symbols unstripped_;                    // .symtab, of a file
  std::uint32_t import_bound_ = 0;        // imports have indices below
};

}  // namespace weir::lane
