// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::omp {

// The calling thread begins a region, or asks for its number: where a task of oneTBB's does so, what it has of OpenMP is that
// thread's, and libtbb may go on there with tasks that were set aside. Under auto none is from then on.
void thread_matters_in_onetbb();

}  // namespace weir::omp
