// SPDX-License-Identifier: Apache-2.0
#include "lane/runtime_code.h"

#include <link.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "lane/marks.h"

namespace weir::lane {
namespace {

struct Search {
  std::uintptr_t address;
  bool is_runtime;
};

int look_at(dl_phdr_info* object, std::size_t, void* search_) {
  auto& search = *static_cast<Search*>(search_);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || search.address - (object->dlpi_addr + part.p_vaddr) >= part.p_memsz) continue;
    const char* slash = std::strrchr(object->dlpi_name, '/');
    search.is_runtime = is_runtime(slash ? slash + 1 : object->dlpi_name);
    return 1;
  }
  return 0;
}

// An address and its answer in one word: 2 x address + answer. (User space ends below 2^63.)
constexpr std::size_t rows = 64;
constinit std::atomic<std::uintptr_t> answers[rows];

}  // namespace

bool is_runtime_code(const void* address) {
  auto at = reinterpret_cast<std::uintptr_t>(address);
  std::atomic<std::uintptr_t>& row = answers[(at ^ at >> 6) % rows];
  std::uintptr_t known = row.load(std::memory_order_relaxed);
  if (known >> 1 == at) return known & 1;
  Search search{at, false};
  dl_iterate_phdr(look_at, &search);
  row.store(at << 1 | search.is_runtime, std::memory_order_relaxed);
  return search.is_runtime;
}

}  // namespace weir::lane
