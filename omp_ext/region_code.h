// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane/object.h"
#include "omp_ext/region_memory.h"

namespace weir::team {

// What a region's machine code says before it has ever run. Of whether it blocks this says only where to begin: what a region then
// does is what counts (region.h), and to be wrong costs no more than a first run of the wrong size.
struct CodeFacts {
  bool blocks = false;          // reaches a call that may wait: read, recv, fread, nanosleep ...
  bool may_block = false;       // calls through a pointer, in an object that has such calls
  bool waits_for_others = false;  // one of those waits for time or for somebody else, not for a file
  bool fails_some = false;      // calls what fails some of many threads that are at it (SQLite, LMDB)
  bool loops_barrier = false;   // a barrier within a loop: each pass costs a stand-in a switch
  bool passes_wait = false;     // a pass of a loop waits for others that it names (`ordered(n)`)
  bool makes_tasks = false;
  bool blocks_itself = false;   // blocks not only in what it takes the address of, as of its tasks
  bool shares = false;          // its threads share out work: by a loop, sections, single, by their numbers
  bool one_works = false;       // by `single` or `masked` alone
  bool takes = false;           // or each takes more, a piece at a time, until none is left (looked for where it does not share)
  bool asks_who = false;        // asks which thread runs it, by no number of OpenMP's, wherever in the program's own code
  bool own_storage = false;     // keeps something for each thread there
  bool each_shows = false;      // each of its threads does something once that others see (region_each.h; asked where it blocks)
  bool takes_memory = false;    // or takes much memory of its own, or nobody knows how much (likewise),
  MemoryCalls memory;           // or by these, as much as is known when it begins
  bool carries = false;         // or takes something of its own from pass to pass (region_carries.h; likewise)
  bool rounds = false;          // the number of its threads decides how a sum is rounded (region_rounds.h; likewise)
  bool computes = false;        // or of others, by thread: one that is shared out by number computes with such numbers (likewise)
  bool calls_others = false;    // leaves what can be followed: neither seen to wait nor known not to
  bool unsure = false;          // calls that can't be followed, or more code than is read
};

// Follows the function at `code` and those it names, some hundreds at most: until it is known that it blocks, or to the
// end. No allocation; some 10 us a KB of code.
enum class Reading { until_it_blocks, to_the_end };
CodeFacts read_code(const void* code, Reading how = Reading::until_it_blocks);

// Is every parallel region of the program, as far as its fork calls tell, one that blocks, and none that may make sums of floating-point
// numbers by thread? False when none was found.
bool every_region_blocks();

// Is none of them one that may wait? False when none was found, where code may come later, and where that would take long to tell: it is
// told by so many bytes of code (and not by time: the same program is to be treated alike whatever else its machine does). Some 5 ms.
constexpr std::uintptr_t most_bytes_to_tell = 1024 * 1024;
bool no_region_waits();
bool no_region_waits_in(const lane::Object& object, std::uintptr_t most_bytes = most_bytes_to_tell);  // of this one's

// Each of its threads does the same: with more of them more is done, and something else comes out.
constexpr bool repeats(const CodeFacts& facts) { return !facts.shares && !facts.takes; }

// Why regions never have stand-ins, in words.
constexpr const char* passes_wait = "the passes of a region's loop wait for each other";
constexpr const char* some_would_fail = "a region's threads call what fails some where many are at it (SQLite, LMDB)";
constexpr const char* all_do_the_same = "a region's threads share nothing out, each does the same";
constexpr const char* rounds_otherwise = "with more threads a region's sum of floating-point numbers would be rounded otherwise";
constexpr const char* carries_over = "a region's threads take something of their own from one pass of a loop to the next";
constexpr const char* each_takes_memory = "each of a region's threads takes memory of its own beside the loop";
constexpr const char* each_is_seen = "each of a region's threads writes or counts something itself";
constexpr const char* teams_may_nest = "teams may nest (OMP_NESTED, omp_set_max_active_levels): each of many threads could fork again";

// Why one with these facts never has any; nullptr: it may.
const char* why_bare(const CodeFacts& facts);

// Would a region with these facts start with stand-ins?
bool starts_wide(const CodeFacts& facts);

// One of its threads waits at a time, and makes tasks of what it has then for the others.
constexpr bool one_brings_tasks(const CodeFacts& facts) { return facts.makes_tasks && facts.one_works && facts.blocks_itself; }

// Nothing that code with these facts does may wait, read to the end. Unlike the rest, this may be wrong in one direction
// only: what is not known to end at once is taken to wait.
constexpr bool never_waits(const CodeFacts& facts) {
  return !facts.blocks && !facts.may_block && !facts.calls_others && !facts.unsure;
}

// What a called name means.
enum class NameKind { other, waits, waits_for_others, barrier, waits_for_passes, makes_tasks, forks };
NameKind kind_of_name(const char* name);
bool shares_out(const char* name);  // what a region's threads do is not the same for each
bool lets_one_in(const char* name); // of these: only one does it
bool takes_one(const char* name);   // who calls it has something for itself then: a lock, a connection
bool locks(const char* name);
bool unlocks(const char* name);
bool is_fork(const char* name);

// Of names of kind `other`, in run-time libraries: never waits for time, for a file or for another process.
bool ends_at_once(const char* name);

}  // namespace weir::team
