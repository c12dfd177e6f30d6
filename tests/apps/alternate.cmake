# SPDX-License-Identifier: Apache-2.0
# Two rounds; the sum worked out apart from the program.
foreach(program alternate alternate_gcc)
  foreach(runtime serial threads openmp openmp-dynamic openmp-tasks tbb)
    weir_app_test(${program}.${runtime} 9c6f4da8b06181ae ./${program} --size=1M --rounds=2 --reads=40 --items=3
      --passes=1 --runtime=${runtime} --threads=4 --file=/var/tmp/alternate-test.${program}.${runtime} --remove)
  endforeach()
endforeach()
