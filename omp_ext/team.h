// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lane/rehearsal.h"

namespace weir::omp {

// By whose conventions the program's code forks.
enum class Compiler { clang, gcc };

// Around each parallel region that the program forks: `code` is its outlined function, by which regions are told apart, `beginning` what it is begun with.
// before_fork may ask libomp for another team size (__kmpc_push_num_threads), and says whether it did; both run on the forking
// thread.
bool before_fork(const void* code, lane::Beginning beginning, Compiler by);
void after_fork(const void* code);

// No region of the program reaches a call that may wait, and nobody records when regions run: then there is nothing to be done
// around them, and of regions of microseconds the little that would be is a hundredth. Known once the first one is over.
bool leaves_forks_alone();

// Does the region's code say that it creates no explicit task, or that nothing in it may wait? Then there is nothing in
// it to be set aside.
bool sets_nothing_aside(const void* code);

}  // namespace weir::omp

namespace weir::team {

// The program itself says how many threads the next team of this thread has (num_threads): weir does not, unless that number
// counts cores. Exactly so many have it where they are bound to places as well, or the program says `strict`.
enum class Asked { by_number, exactly };
void sized_by_program(int threads, Asked how);
// But it has no next team.
void not_sized_after_all();

// What omp_get_num_threads() says without weir where it says `threads`.
int num_threads_without_us(int threads);

// What omp_get_max_threads() says where libomp says `without_weir`: never less than any team there may be.
int max_threads(int without_weir);

}  // namespace weir::team
