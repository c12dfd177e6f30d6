// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/team_program.h"

#include <link.h>

#include "lane/asks.h"
#include "lane/elf.h"
#include "lane/marks.h"
#include "lane/object.h"
#include "omp_ext/region_code.h"
#include "omp_ext/team_names.h"
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

int look_at_names(dl_phdr_info* object, std::size_t, void* argument) {
  add_names(*static_cast<Program*>(argument), image_of(*object), lane::file_name(object->dlpi_name));
  return 0;
}

int look_at_code(dl_phdr_info* object, std::size_t, void* argument) {
  auto& program = *static_cast<Program*>(argument);
  if (is_runtime(*object) || !asks_for_numbers(image_of(*object))) return 0;
  lane::Asks asks = lane::asks_of(lane::Object::of(*object));
  add_asks(program, asks);
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

}  // namespace weir::team
