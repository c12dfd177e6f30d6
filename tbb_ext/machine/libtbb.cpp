// SPDX-License-Identifier: Apache-2.0
#include "tbb_ext/machine/libtbb.h"

#include <elf.h>
#include <link.h>

#include <atomic>
#include <cstring>

#include "sys/loader.h"

namespace weir::tbb {

extern "C" {
constinit Text weir_tbb_text;
}

namespace {

constinit std::atomic<unsigned long long> objects_seen{0};
constinit std::atomic<bool> ambiguous{false};
constinit char file[4096];

// libtbb.so.12, libtbb.so, and as packagers rename it: libtbb-1a2b3c.so.12. Not libtbbmalloc, not libtbbbind.
bool names_libtbb(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  if (std::strncmp(name, "libtbb", 6) || !std::strstr(name, ".so")) return false;
  return name[6] == '.' || name[6] == '-';
}

struct Search {
  unsigned long long loaded = 0;
  int copies = 0;
  Text text;
  const char* path = nullptr;
};

int look_at(dl_phdr_info* object, std::size_t, void* search_) {
  auto& search = *static_cast<Search*>(search_);
  search.loaded = object->dlpi_adds;
  if (object->dlpi_adds == objects_seen.load(std::memory_order_relaxed)) return 1;
  if (!names_libtbb(object->dlpi_name)) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
    ++search.copies;
    search.text = {object->dlpi_addr + part.p_vaddr, part.p_memsz};
    search.path = object->dlpi_name;
  }
  return 0;
}

}  // namespace

bool look_for_libtbb() {
  Search search;
  sys::each_object(look_at, &search);
  if (search.loaded == objects_seen.exchange(search.loaded, std::memory_order_relaxed)) return weir_tbb_text.bytes != 0;
  if (search.copies > 1) ambiguous.store(true);
  // What was once known stays: contexts and stacks that we made have to come back to us.
  if (search.copies == 1 && !ambiguous.load() && !weir_tbb_text.bytes && std::strlen(search.path) < sizeof file) {
    std::strcpy(file, search.path);
    weir_tbb_text.begin = search.text.begin;
    __atomic_store_n(&weir_tbb_text.bytes, search.text.bytes, __ATOMIC_RELEASE);
  }
  return weir_tbb_text.bytes != 0;
}

void* libtbb_name(const char* name) {
  return look_for_libtbb() ? sys::definition_in(file, name) : nullptr;
}

}  // namespace weir::tbb
