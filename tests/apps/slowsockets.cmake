# SPDX-License-Identifier: Apache-2.0
# 50 questions; the sum worked out apart from the program, which itself compares every answer.
foreach(program slowsockets slowsockets_gcc)
  foreach(runtime serial threads openmp openmp-dynamic openmp-tasks tbb)
    weir_app_test(${program}.${runtime} 30fe787510968657
      ./${program} --requests=50 --ms=3 --fib=12 --runtime=${runtime} --threads=4)
  endforeach()
endforeach()
