// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>

struct dl_phdr_info;

namespace weir::lane {

struct Function {
  std::uintptr_t begin = 0, end = 0;
  explicit operator bool() const { return begin != 0; }
  bool holds(std::uintptr_t address) const { return address >= begin && address < end; }
};

// A loaded object, or one whose segments lie in memory as the loader would lay them, asked where its functions are and which name
// stands behind a pointer. From its unwind table and its relocations, which every program keeps, stripped or not.
class Object {
 public:
  // The object that holds this address; valid() is false when there is none, or it has no unwind table.
  static Object around(std::uintptr_t address);
  static Object of(const dl_phdr_info& loaded);
  // Not by the loader, which knows nothing of it: around() finds it while it is the one that there is `also`.
  static Object laid_out(std::uintptr_t base, std::uintptr_t begin, std::uintptr_t bytes, const Elf64_Phdr* headers, int count,
                         const char* path);
  static void also(const Object* object);

  bool valid() const { return functions_ > 0; }
  bool is_runtime() const;
  std::uintptr_t begin() const { return begin_; }
  const char* name() const;          // of its file, without the folder
  const char* path() const { return path_; }  // empty: the program's own
  bool holds(std::uintptr_t address) const { return address >= begin_ && address < end_; }
  std::uint32_t functions() const { return functions_; }
  Function function(std::uint32_t index) const;
  Function starting_at(std::uintptr_t address) const;  // empty: no function starts there
  bool is_linkage(Function function) const;            // the linker's stubs, some of which are described together as one

  // The name that the loader puts a pointer to into `slot`; nullptr: none.
  const char* name_of_slot(std::uintptr_t slot) const;
  // The pointer slot that the linkage stub at this address jumps through; 0: it is no stub.
  std::uintptr_t slot_of_stub(std::uintptr_t address) const;
  // fn(name, slot) for each name that the loader puts a pointer to into a slot.
  void each_import(void (*fn)(void* argument, const char* name, std::uintptr_t slot), void* argument) const;

 private:
  void read_table();
  void find_code(const Elf64_Phdr* headers, int count);
  void find_code();  // by the header that the object begins with

  std::uintptr_t begin_ = 0, end_ = 0, base_ = 0;
  // What may be run of it. Between the parts of an object there may be no memory.
  static constexpr int most_parts = 4;
  Function code_[most_parts];
  std::uintptr_t table_ = 0;         // PT_GNU_EH_FRAME
  std::uint32_t functions_ = 0;
  const void* dynamic_ = nullptr;
  const char* path_ = "";
};

}  // namespace weir::lane
