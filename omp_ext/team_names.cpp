// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/team_names.h"

#include <cstring>
#include <initializer_list>

#include "base/names.h"
#include "lane/asks.h"
#include "lane/elf.h"
#include "lane/marks.h"

namespace weir::team {

void add_names(Program& program, const lane::Image& image, const char* file_name) {
  // gfortran's library keeps a thread's state of its random numbers, and nothing else that a program sees: who draws them says so by its imports.
  if ((*file_name && lane::is_runtime(file_name)) || base::starts(file_name, "libgfortran.so")) return;
  if (lane::keeps_storage(file_name, image.thread_bytes())) program.keeps_thread_storage = true;
  image.each_import([&](const char* import, int) {
    if (!std::strncmp(import, "_gfortran_random", 16)) program.keeps_thread_storage = true;
    if (!std::strncmp(import, "__kmpc_threadprivate", 20)) program.keeps_thread_storage = true;
    if (lane::is_name(import, "omp_get_num_procs")) program.asks_num_procs = true;
    if (!std::strcmp(import, "pthread_setspecific") || !std::strcmp(import, "tss_set")) program.keeps_thread_storage = true;
    if (lane::is_name(import, "omp_get_ancestor_thread_num")) program.uses_thread_num = true;
    if (lane::is_name(import, "omp_get_team_size")) program.keeps_num_threads = true;
    if (!std::strncmp(import, "omp_pause_resource", 18)) program.pauses = true;
    for (const char* count : {"get_nprocs", "get_nprocs_conf", "_ZNSt6thread20hardware_concurrencyEv"})
      program.counts_cores |= !std::strcmp(import, count);
  });
}

bool asks_for_numbers(const lane::Image& image) {
  bool asks = false;
  image.each_import([&](const char* import, int) {
    for (const char* number : {"omp_get_thread_num", "omp_get_num_threads", "omp_get_max_threads"}) asks |= lane::is_name(import, number);
  });
  return asks;
}

void add_asks(Program& program, const lane::Asks& asks) {
  program.uses_thread_num |= asks.uses_thread_num;
  program.picks_thread |= asks.picks_thread;
  program.keeps_num_threads |= asks.keeps_num_threads;
  program.asks_max_threads |= asks.asks_max_threads;
}

Leeway leeway_of(const Program& program) {
  // libomp 19: where a team was ever larger than its first table of threads, the second hard pause is a crash.
  if (program.pauses) return {Freedom::none, "the program calls omp_pause_resource"};
  // It may count on a team as large as the machine.
  if (program.asks_num_procs) return {Freedom::none, "the program calls omp_get_num_procs"};
  // It may say how many they are, have a table for them, or share out by their number what only some numbers divide.
  if (program.asks_max_threads) return {Freedom::none, "the program calls omp_get_max_threads"};
  if (program.counts_cores && program.uses_thread_num)
    return {Freedom::none, "the program counts the machine's cores, and calls omp_get_thread_num"};
  // It may have a table by thread number, of a length that stands in its source.
  if (program.uses_thread_num) return {Freedom::none, "the program keeps what omp_get_thread_num says"};
  if (program.keeps_num_threads) return {Freedom::none, "the program keeps what omp_get_num_threads says"};
  if (!program.keeps_thread_storage) return {Freedom::any, nullptr, program.picks_thread};
  // What a thread keeps in one region it expects in the next: the same threads must be there.
  bool same = program.every_region_blocks && !program.picks_thread;
  return {same ? Freedom::same : Freedom::none, "the program keeps thread-local or threadprivate variables"};
}

}  // namespace weir::team
