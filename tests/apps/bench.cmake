# SPDX-License-Identifier: Apache-2.0
# The scripts of bench/, small: every program ends well under weir, with the checksum that it has bare.
set(bench ${CMAKE_SOURCE_DIR}/bench)
set(apps ${CMAKE_BINARY_DIR}/apps)
add_test(NAME bench.compare COMMAND ${bench}/compare --repeat=2 "${apps}/mapreduce --leaves=20 --fib=5 --runtime=serial"
  "${apps}/mapreduce --leaves=20 --fib=5 --runtime=tbb")
set_tests_properties(bench.compare PROPERTIES LABELS quick TIMEOUT 60)
add_test(NAME bench.compare_sees_a_difference COMMAND ${bench}/compare --repeat=1
  "${apps}/mapreduce --leaves=20 --fib=5" "${apps}/mapreduce --leaves=21 --fib=5")
set_tests_properties(bench.compare_sees_a_difference PROPERTIES LABELS quick TIMEOUT 60 WILL_FAIL ON)
foreach(script omp_loops omp_tasks tbb echo)
  set(first "")
  if(script STREQUAL echo)  # a hand-written io_uring loop is one of its servers
    set(first with_ring)
  endif()
  add_test(NAME bench.${script} COMMAND ${first} ${bench}/${script} --small --build=${CMAKE_BINARY_DIR} --dir=/var/tmp)
  set_tests_properties(bench.${script} PROPERTIES LABELS full TIMEOUT 600 RESOURCE_LOCK bench_files SKIP_RETURN_CODE 77)
endforeach()
add_test(NAME bench.echo_bare COMMAND with_ring ${bench}/echo --small --bare --build=${CMAKE_BINARY_DIR})
set_tests_properties(bench.echo_bare PROPERTIES LABELS quick TIMEOUT 120 SKIP_RETURN_CODE 77)
if(TARGET slowdisk)
  add_test(NAME bench.distant COMMAND ${bench}/distant --small --build=${CMAKE_BINARY_DIR} --dir=/var/tmp)
  set_tests_properties(bench.distant PROPERTIES LABELS full TIMEOUT 300 RESOURCE_LOCK bench_files SKIP_RETURN_CODE 77)
endif()
if(TARGET bench_micro)
  add_test(NAME bench.interposing COMMAND ${bench}/interposing --small --build=${CMAKE_BINARY_DIR})
  set_tests_properties(bench.interposing PROPERTIES LABELS full TIMEOUT 300)
endif()
