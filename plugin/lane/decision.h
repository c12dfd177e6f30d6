// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "lane/elf.h"

namespace weir::lane {

// Why a program must not have its tasks moved, or interleaved, at a call.
enum class Evidence : std::uint8_t { thread_storage, thread_import, thread_bound_library };

// One reason found. Names longer than the room are cut.
struct Finding {
  Evidence evidence = Evidence::thread_storage;
  char object[64] = {};  // the file name of the object
  char name[96] = {};    // the import, or the thread-local variable; "" where the object itself is the finding
  const char* meaning = "";  // in plain words
};

// 'auto', for one program: nothing found, and its tasks may be suspended; else its threads are parked.
struct Decision {
  static constexpr int kept = 64;
  int count = 0;            // reasons found; the first `kept` are described
  int objects = 0;          // objects looked at
  Finding findings[kept] = {};
  bool may_suspend() const { return count == 0; }
};

// Looks at one object and adds what it finds. `path`: the object's name as the loader has it. `only_shares`: asked of one that asks
// for a thread's number, whether its code only picks its share of a loop by it, as gcc's static loops do.
void judge(const Image& image, const char* path, Decision& decision, bool (*only_shares)(void*), void* argument);

// The same for a file on disk, mapped for the time of the call. 0 or -errno; -ENOEXEC: not an object of this machine.
int judge_file(const char* path, Decision& decision);

// What is loaded in this process, as of the last refresh.
struct Loaded {
  unsigned long long seen = 0;  // how many objects the loader had ever loaded when last asked
  unsigned long long gone = 0;  // and how many it had unloaded
  Decision decision;
  // What the code of objects that ask for a thread's number does with it: read once.
  struct Read {
    std::uint64_t base;
    bool only_shares;
  };
  static constexpr int most_read = 16;
  Read read[most_read] = {};
  int read_count = 0;
};

// To know the lane the first reason is enough: code, which takes by far the longest to read, is then read only where nothing else
// tells.
enum class Reasons { first, all };

// Judges everything that is loaded, if something was since the last time: after start, and after a dlopen. True when
// it looked. Takes the loader's lock, allocates nothing; well under a millisecond for a usual program.
bool refresh(Loaded& loaded, Reasons wanted = Reasons::all);

// All the reasons, of which a refresh may have left out some. No more than it found where none was.
void find_all_reasons(Loaded& loaded);

// How many objects the loader ever loaded. Some 100 ns.
unsigned long long count_loaded();

}  // namespace weir::lane
