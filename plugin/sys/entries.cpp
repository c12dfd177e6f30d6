// SPDX-License-Identifier: Apache-2.0
#include "sys/entries.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "sys/loader.h"
#include "sys/lock.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define MOST_ENTRIES 160
#define ENTRY_BYTES 16

extern "C" {
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
extern const char weir_entries[] __attribute__((visibility("hidden")));
}

// None of these functions takes a floating-point number, or gives back more than a register.
asm(".pushsection .text\n"
    ".hidden weir_entries, weir_entry_target\n"
    ".globl weir_entries\n"
    ".balign " TEXT(ENTRY_BYTES) "\n"
    "weir_entries:\n"
    ".set weir_entry_number, 0\n"
    ".rept " TEXT(MOST_ENTRIES) "\n"
    ".balign " TEXT(ENTRY_BYTES) "\n"
    "pushq $weir_entry_number\n"
    "jmp weir_entry_goes_on\n"
    ".set weir_entry_number, weir_entry_number + 1\n"
    ".endr\n"
    "weir_entry_goes_on:\n"
    ".cfi_startproc\n"
    ".cfi_def_cfa_offset 16\n"
    "pushq %rdi\n pushq %rsi\n pushq %rdx\n pushq %rcx\n pushq %r8\n pushq %r9\n"
    ".cfi_adjust_cfa_offset 48\n"
    "movq 48(%rsp), %rdi\n"
    "movq 56(%rsp), %rsi\n"
    "call weir_entry_target\n"
    "popq %r9\n popq %r8\n popq %rcx\n popq %rdx\n popq %rsi\n popq %rdi\n"
    "addq $8, %rsp\n"
    ".cfi_adjust_cfa_offset -56\n"
    "jmpq *%rax\n"
    ".cfi_endproc\n"
    ".popsection\n");

namespace weir::sys {
namespace {

std::uintptr_t base() { return reinterpret_cast<std::uintptr_t>(&__ehdr_start); }

// Some loaders leave addresses as the file has them.
template <typename T>
const T* table(ElfW(Sxword) tag) {
  for (const ElfW(Dyn)* entry = _DYNAMIC; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag != tag) continue;
    std::uintptr_t at = entry->d_un.d_ptr;
    return reinterpret_cast<const T*>(at < base() ? base() + at : at);
  }
  return nullptr;
}

// Of the table of what weir defines: all that others may find is in it.
template <typename Take>
void each_defined(Take take) {
  auto* hashes = table<std::uint32_t>(DT_GNU_HASH);
  auto* symbols = table<ElfW(Sym)>(DT_SYMTAB);
  auto* text = table<char>(DT_STRTAB);
  if (!hashes || !symbols || !text) return;
  std::uint32_t buckets = hashes[0], first = hashes[1], filter_words = hashes[2];
  const std::uint32_t* bucket = hashes + 4 + std::size_t{filter_words} * (sizeof(ElfW(Addr)) / sizeof *hashes);
  const std::uint32_t* chain = bucket + buckets;
  for (std::uint32_t i = 0; i < buckets; ++i) {
    for (std::uint32_t at = bucket[i]; at >= first; ++at) {
      take(text + symbols[at].st_name, const_cast<ElfW(Sym)&>(symbols[at]));
      if (chain[at - first] & 1) break;
    }
  }
}

bool is_in_data(const void* address) {
  auto* segments = reinterpret_cast<const ElfW(Phdr)*>(base() + __ehdr_start.e_phoff);
  std::uintptr_t at = reinterpret_cast<std::uintptr_t>(address) - base();
  for (int i = 0; i < __ehdr_start.e_phnum; ++i) {
    const ElfW(Phdr)& segment = segments[i];
    bool within = at >= segment.p_vaddr && at < segment.p_vaddr + segment.p_memsz;
    if (segment.p_type == PT_LOAD && within) return segment.p_flags == PF_R;
  }
  return false;
}

struct Entry {
  const char* name;
  void* ours;
  int runtime;
};

constexpr std::size_t most_askers = 256;
constinit Entry entries[MOST_ENTRIES]{};
constinit std::atomic<void*> own[most_askers][MOST_ENTRIES]{};

constexpr int most_runtimes = 2;
constinit const Runtime* runtimes[most_runtimes]{};
constinit int runtime_count = 0;
constinit std::size_t entry_count = 0;

// An object that has asked, from its first byte on to its last. Written in order, under the lock; who reads one with a begin sees
// all of it. One that is unloaded stays.
struct Asker {
  std::atomic<std::uintptr_t> begin;
  std::uintptr_t end;
  bool apart[most_runtimes];
};

constinit Asker askers[most_askers]{};
constinit Lock writing;

struct Extent {
  std::uintptr_t address, begin, end;
};

int look_for_extent(dl_phdr_info* object, std::size_t, void* extent_) {
  auto& extent = *static_cast<Extent*>(extent_);
  std::uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    begin = std::min(begin, object->dlpi_addr + segment.p_vaddr);
    end = std::max(end, object->dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  if (extent.address < begin || extent.address >= end) return 0;
  extent.begin = begin;
  extent.end = end;
  return 1;
}

// One that was opened for all to find, meanwhile, serves who asks for the first time.
bool is_apart(const Runtime& runtime, const void* caller) {
  void* own = dlsym(RTLD_NEXT, runtime.probe) ? nullptr : definition_near(caller, runtime.probe);
  bool found = own && runtime.is_apart(own, caller);
  dlerror();  // what we have not found is no error of the program's
  return found;
}

std::size_t find(std::uintptr_t at) {
  std::size_t number = 0;
  for (; number < most_askers; ++number) {
    std::uintptr_t begin = askers[number].begin.load(std::memory_order_acquire);  // with write()'s release
    if (!begin || (at >= begin && at < askers[number].end)) break;
  }
  return number;
}

void write(const void* caller) {
  bool apart[most_runtimes]{};
  for (int i = 0; i < runtime_count; ++i) apart[i] = is_apart(*runtimes[i], caller);
  Extent extent{reinterpret_cast<std::uintptr_t>(caller), 0, 0};
  if (!each_object(look_for_extent, &extent)) return;
  bool locked = writing.lock_within(base::ns_per_s);  // else this is a child, and who had it is no more
  std::size_t number = find(extent.address);
  if (number < most_askers && !askers[number].begin.load(std::memory_order_relaxed)) {
    askers[number].end = extent.end;
    std::copy_n(apart, most_runtimes, askers[number].apart);
    askers[number].begin.store(extent.begin, std::memory_order_release);
  }
  if (locked) writing.unlock();
}

int number_of(std::uintptr_t at) {
  std::size_t number = find(at);
  return number < most_askers && askers[number].begin.load(std::memory_order_acquire) ? static_cast<int>(number) : -1;
}

// -1: weir serves the object, or it can't be told who does.
int asker_apart(const void* caller, int runtime) {
  auto at = reinterpret_cast<std::uintptr_t>(caller);
  int number = number_of(at);
  if (number < 0) {
    write(caller);
    number = number_of(at);
  }
  return number >= 0 && askers[number].apart[runtime] ? number : -1;
}

}  // namespace

void put_entries_in_front(const Runtime& runtime) {
  std::uintptr_t page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)), begin = UINTPTR_MAX, end = 0;
  std::size_t count = entry_count;
  each_defined([&](const char* name, ElfW(Sym)& symbol) {
    if (!runtime.has(name)) return;
    ++count;
    begin = std::min(begin, reinterpret_cast<std::uintptr_t>(&symbol));
    end = std::max(end, reinterpret_cast<std::uintptr_t>(&symbol + 1));
  });
  if (!end || !is_in_data(reinterpret_cast<void*>(begin)) || count > MOST_ENTRIES || runtime_count == most_runtimes) return;
  begin -= begin % page;
  if (mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE)) return;
  each_defined([&](const char* name, ElfW(Sym)& symbol) {
    if (!runtime.has(name)) return;
    entries[entry_count] = {name, reinterpret_cast<void*>(base() + symbol.st_value), runtime_count};
    symbol.st_value = reinterpret_cast<std::uintptr_t>(weir_entries + entry_count++ * ENTRY_BYTES) - base();
  });
  mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ);
  runtimes[runtime_count++] = &runtime;
}

}  // namespace weir::sys

extern "C" __attribute__((visibility("hidden"), used)) void* weir_entry_target(std::size_t number, const void* caller) {
  using namespace weir::sys;
  const Entry& entry = entries[number];
  int asker = asker_apart(caller, entry.runtime);
  if (asker < 0) return entry.ours;
  void* found = own[asker][number].load(std::memory_order_relaxed);
  if (!found) own[asker][number].store(found = definition_near(caller, entry.name), std::memory_order_relaxed);
  return found ? found : entry.ours;
}
