# SPDX-License-Identifier: Apache-2.0
# The sum over 50 tasks of mix(mix(i) + fib(10)), worked out apart from the program.
foreach(program sleepers sleepers_gcc)
  foreach(runtime serial threads openmp openmp-dynamic openmp-tasks tbb)
    weir_app_test(${program}.${runtime} 1c10f21ce6d0e3c1 ./${program} --tasks=50 --ms=3 --runtime=${runtime} --threads=4)
  endforeach()
endforeach()
