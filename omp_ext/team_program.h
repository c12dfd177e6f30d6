// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::team {

// What the objects of a program say about how its code uses its teams: their imports and what they do with them, and
// whether they keep thread-local storage. Runtimes (libc, libomp, weir ...) are not looked at.
struct Program {
  bool asks_max_threads = false;     // and not only to write it
  bool asks_num_procs = false;
  bool pauses = false;               // frees libomp's resources
  bool counts_cores = false;         // by other means than OpenMP's
  bool uses_thread_num = false;      // these as in lane/asks.h
  bool picks_thread = false;
  bool keeps_num_threads = false;
  bool keeps_thread_storage = false;
  bool every_region_blocks = false;  // by their code: each region reaches a call that may block
};

// How free weir is with the sizes of this program's teams.
enum class Freedom {
  any,    // each team may have its own size
  same,   // all teams must have one size
  none,   // the size they have without weir
};
struct Leeway {
  Freedom freedom;
  const char* because;  // what in the program limits it; nullptr when nothing does
  bool picks_thread = false;
};
Leeway leeway_of(const Program& program);

// The same of everything that is loaded now. Takes the loader's lock.
Leeway leeway_of_what_is_loaded();

}  // namespace weir::team
