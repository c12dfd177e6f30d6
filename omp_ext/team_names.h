// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::lane {
struct Asks;
class Image;
}  // namespace weir::lane

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

// What one object adds, be it loaded or a file: by its imports and headers (`file_name`: without folders), and where it asks for numbers by
// its code.
void add_names(Program& program, const lane::Image& image, const char* file_name);
bool asks_for_numbers(const lane::Image& image);
void add_asks(Program& program, const lane::Asks& asks);

}  // namespace weir::team
