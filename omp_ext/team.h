// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::omp {

// Around each parallel region that the program forks: `code` is its outlined function, by which regions are told apart.
// before_fork may ask libomp for another team size (__kmpc_push_num_threads); both run on the forking thread.
inline void before_fork(const void* code) { (void)code; }
inline void after_fork(const void* code) { (void)code; }

}  // namespace weir::omp
