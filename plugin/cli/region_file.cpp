// SPDX-License-Identifier: Apache-2.0
#include "cli/region_file.h"

#include "lane/laid_out.h"
#include "omp_ext/region_code.h"

namespace weir::cli {

bool no_region_of_program_waits(const char* file) {
  lane::LaidOut program(file);
  if (!program.whole()) return false;
  lane::Object object = program.object();
  lane::Object::also(&object);
  bool none = team::no_region_waits_in(object);
  lane::Object::also(nullptr);
  return none;
}

}  // namespace weir::cli
