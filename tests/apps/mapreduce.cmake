# SPDX-License-Identifier: Apache-2.0
# The sum over 200 leaves of mix(mix(i) + 1 + fib(15)), worked out apart from the program.
foreach(program mapreduce mapreduce_gcc)
  foreach(runtime serial threads tbb tbb-reduce openmp-tasks openmp-flat)
    foreach(io latency=0 latency=3 no-io)
      string(REPLACE "=" "." label ${io})
      weir_app_test(${program}.${runtime}.${label} c47e589f9de1f483
        ./${program} --leaves=200 --fib=15 --runtime=${runtime} --${io})
    endforeach()
  endforeach()
endforeach()
