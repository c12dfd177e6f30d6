// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/team_program.h"

#include <link.h>

#include <cstring>
#include <initializer_list>

#include "lane/asks.h"
#include "lane/elf.h"
#include "lane/marks.h"
#include "lane/object.h"
#include "omp_ext/region_code.h"
#include "sys/loader.h"

namespace weir::team {
namespace {

const char* file_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

void add(Program& program, const lane::Asks& asks) {
  program.uses_thread_num |= asks.uses_thread_num;
  program.asks_num_threads |= asks.by_hand;
  program.keeps_num_threads |= asks.keeps_num_threads;
}

int look_at(dl_phdr_info* object, std::size_t, void* argument) {
  auto& program = *static_cast<Program*>(argument);
  const char* name = file_name(object->dlpi_name);
  if (*name && lane::is_runtime(name)) return 0;
  lane::Image image = lane::Image::of_loaded(object->dlpi_addr, object->dlpi_phdr, object->dlpi_phnum);
  if (image.has_thread_storage()) program.keeps_thread_storage = true;
  bool asks = false;
  image.each_import([&](const char* import, int) {
    if (!std::strncmp(import, "__kmpc_threadprivate", 20)) program.keeps_thread_storage = true;
    if (lane::is_name(import, "omp_get_max_threads")) program.asks_max_threads = true;
    if (lane::is_name(import, "omp_get_num_procs")) program.asks_num_procs = true;
    asks |= lane::is_name(import, "omp_get_thread_num") || lane::is_name(import, "omp_get_num_threads");
    for (const char* count : {"get_nprocs", "get_nprocs_conf", "_ZNSt6thread20hardware_concurrencyEv"})
      program.counts_cores |= !std::strcmp(import, count);
  });
  if (asks) add(program, lane::asks_of(lane::Object::of(*object)));
  return 0;
}

}  // namespace

Program read_program() {
  Program program;
  sys::each_object(look_at, &program);
  program.every_region_blocks = every_region_blocks();
  return program;
}

Leeway leeway_of(const Program& program) {
  // It may count on a team as large as the machine.
  if (program.asks_num_procs) return {Freedom::none, "the program calls omp_get_num_procs"};
  if (program.counts_cores && program.uses_thread_num)
    return {Freedom::none, "the program counts the machine's cores, and calls omp_get_thread_num"};
  // It has a table by thread number, and nowhere to ask how long that must be: it has a length in its source.
  if (program.uses_thread_num && !program.asks_num_threads && !program.asks_max_threads)
    return {Freedom::none, "the program calls omp_get_thread_num, but never asks how many threads there are"};
  const char* because = nullptr;
  // It may share work out among as many threads as there were once, or have a table for them.
  if (program.keeps_num_threads) because = "the program keeps what omp_get_num_threads says";
  // It may do so among omp_get_max_threads() threads before it forks them: then none may be missing.
  if (program.asks_max_threads) because = "the program calls omp_get_max_threads";
  // What a thread keeps in one region it expects in the next: the same threads must be there.
  if (program.keeps_thread_storage) because = "the program keeps thread-local or threadprivate variables";
  if (!because) return {Freedom::any, nullptr};
  if (program.every_region_blocks) return {Freedom::same, because};
  return {Freedom::none, because};
}

}  // namespace weir::team
