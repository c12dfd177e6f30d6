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
#include "omp_ext/team_written.h"
#include "sys/loader.h"

namespace weir::team {
namespace {

bool is_runtime(const dl_phdr_info& object) {
  const char* name = lane::file_name(object.dlpi_name);
  return *name && lane::is_runtime(name);
}

lane::Image image_of(const dl_phdr_info& object) {
  return lane::Image::of_loaded(object.dlpi_addr, object.dlpi_phdr, object.dlpi_phnum);
}

// gfortran's library keeps a thread's state of its random numbers, and nothing else that a program sees: who draws them says so by its imports.
bool is_fortran_runtime(const dl_phdr_info& object) {
  return !std::strncmp(lane::file_name(object.dlpi_name), "libgfortran.so", 14);
}

int look_at_names(dl_phdr_info* object, std::size_t, void* argument) {
  auto& program = *static_cast<Program*>(argument);
  if (is_runtime(*object) || is_fortran_runtime(*object)) return 0;
  lane::Image image = image_of(*object);
  if (lane::keeps_storage(lane::file_name(object->dlpi_name), image.thread_bytes())) program.keeps_thread_storage = true;
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
  return 0;
}

int look_at_code(dl_phdr_info* object, std::size_t, void* argument) {
  auto& program = *static_cast<Program*>(argument);
  bool asks_for_numbers = false;
  image_of(*object).each_import([&](const char* import, int) {
    for (const char* number : {"omp_get_thread_num", "omp_get_num_threads", "omp_get_max_threads"}) asks_for_numbers |= lane::is_name(import, number);
  });
  if (!asks_for_numbers || is_runtime(*object)) return 0;
  lane::Asks asks = lane::asks_of(lane::Object::of(*object));
  program.uses_thread_num |= asks.uses_thread_num;
  program.picks_thread |= asks.picks_thread;
  program.keeps_num_threads |= asks.keeps_num_threads;
  program.asks_max_threads |= asks.asks_max_threads;
  for (int w = 0; w < asks.written_count; ++w) program.asks_max_threads |= !note_written(asks.written[w]);
  return program.asks_max_threads ? 1 : 0;  // enough
}

// What is dear to know is found out only while it can still make a difference: a program's code is megabytes.
class Survey {
 public:
  void look(int (*at)(dl_phdr_info*, std::size_t, void*)) { sys::each_object(at, &program_); }

  // As far as it was looked at.
  Leeway leeway() const { return leeway_of(program_); }

  // What all of them reach, which is far more than what asks for numbers.
  void read_regions() { program_.every_region_blocks = every_region_blocks(); }

 private:
  Program program_{.every_region_blocks = true};  // as may be
};

}  // namespace

Leeway leeway_of_what_is_loaded() {
  Survey survey;
  survey.look(look_at_names);
  if (survey.leeway().freedom != Freedom::none) survey.look(look_at_code);
  if (survey.leeway().freedom == Freedom::same) survey.read_regions();
  return survey.leeway();
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
