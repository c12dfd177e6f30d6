# SPDX-License-Identifier: Apache-2.0
# Checksums worked out apart from the programs: the same arithmetic, and the textbook recurrences.
foreach(program compute compute_gcc)
  foreach(runtime serial threads openmp openmp-dynamic openmp-tasks tbb)
    foreach(known "stencil 6630bd3fe935a1d0 --size=33 --steps=101" "matmul 1573aa5d204e6a14 --size=65 --steps=2"
        "reduce 2515fdb66e60ea26 --size=64 --steps=5")
      separate_arguments(words UNIX_COMMAND "${known}")
      list(POP_FRONT words kernel checksum)
      weir_app_test(${program}.${kernel}.${runtime} ${checksum}
        ./${program} --kernel=${kernel} ${words} --runtime=${runtime} --threads=3)
    endforeach()
  endforeach()
endforeach()
foreach(program compute_tasks compute_tasks_gcc)
  foreach(runtime serial openmp-tasks tbb)
    foreach(known "fib 0000000000001a6d --size=20 --cutoff=5" "nqueens 000000000000005c --size=8"
        "sort 5f5ded4af3954086 --size=30000" "align 00000000000001cb --size=12 --length=50"
        "steps 71c78b123fe57170 --size=100 --length=50 --cutoff=3")
      separate_arguments(words UNIX_COMMAND "${known}")
      list(POP_FRONT words kernel checksum)
      weir_app_test(${program}.${kernel}.${runtime} ${checksum}
        ./${program} --kernel=${kernel} ${words} --runtime=${runtime} --threads=3)
    endforeach()
  endforeach()
endforeach()
