// SPDX-License-Identifier: Apache-2.0
#include "lane/runtime_code.h"

#include <link.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "lane/marks.h"
#include "sys/loader.h"

namespace weir::lane {
namespace {

enum Answer : std::uintptr_t { program = 0, runtime = 1, tasking = 2 };  // tasking: a runtime too

struct Search {
  std::uintptr_t address;
  Answer answer;
};

Answer answer_for(const char* file_name) {
  if (!is_runtime(file_name)) return program;
  return is_tasking_runtime(file_name) ? tasking : runtime;
}

int look_at(dl_phdr_info* object, std::size_t, void* search_) {
  auto& search = *static_cast<Search*>(search_);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || search.address - (object->dlpi_addr + part.p_vaddr) >= part.p_memsz) continue;
    search.answer = answer_for(file_name(object->dlpi_name));
    return 1;
  }
  return 0;
}

// An address and its answer in one word: 4 x address + answer. (User space ends below 2^47.)
constexpr std::size_t rows = 64;
constinit std::atomic<std::uintptr_t> answers[rows];

Answer ask(const void* address) {
  auto at = reinterpret_cast<std::uintptr_t>(address);
  std::atomic<std::uintptr_t>& row = answers[(at ^ at >> 6) % rows];
  std::uintptr_t known = row.load(std::memory_order_relaxed);
  if (known >> 2 == at) return static_cast<Answer>(known & 3);
  Search search{at, program};
  sys::each_object(look_at, &search);
  row.store(at << 2 | search.answer, std::memory_order_relaxed);
  return search.answer;
}

}  // namespace

bool is_runtime_code(const void* address) { return ask(address) != program; }
bool is_tasking_code(const void* address) { return ask(address) == tasking; }

}  // namespace weir::lane
