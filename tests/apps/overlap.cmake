# SPDX-License-Identifier: Apache-2.0
# Every answer is checked, and together must be what it is apart; the checksum was
# worked out apart from the program.
foreach(program overlap overlap_gcc)
  foreach(runtime serial threads openmp openmp-tasks tbb)
    weir_app_test(${program}.${runtime} 7532b10a86599b94 ./${program} --connections=4 --messages=5 --bytes=4K --delay-us=500
      --chunks=40 --rounds=50 --runtime=${runtime} --threads=3)
  endforeach()
endforeach()
