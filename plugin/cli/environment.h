// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/openmp.h"
#include "cli/options.h"
#include "cli/program.h"

namespace weir::cli {

// Absolute path of libweir_preload.so: beside this command in a build tree, in the library folder of an installation.
// "" when it is in neither.
std::string preload_library();

// Why that, with what it gave, can't be loaded into programs; "" when it can.
std::string why_no_preload(const std::string& preload);

// LD_PRELOAD as it has to be: sanitizers first (they insist), then ours, then the libomp that stands in for libgomp,
// then what was there.
std::string preload_list(const std::string& before, const std::string& ours, const std::string& libomp,
                         const std::vector<std::string>& objects);

struct Wish {
  Given given;          // from the command line
  bool quiet = false;
};

// Puts this process's id for each %p and the host's name for each %h in the names of files that `given` has: the ranks of an
// MPI program, each with a weir run of its own, write files of their own.
void name_files(Given& given);

// What nobody reads of the environment's WEIR_ variables, a sentence each: slips of who typed them.
std::vector<std::string> unknown_in_environment();

// Sets, in this process, the environment that the program is to be run in. `note` goes into the summary.
void set_environment(const Wish& wish, const std::string& preload, const std::string& note);

// Takes weir out of the environment: the program runs as if it were not there.
void clear_environment();

}  // namespace weir::cli
