# SPDX-License-Identifier: Apache-2.0
# The programs that know of futures and messages, and their benches, small.
foreach(latency 0 30)
  weir_app_test(mapreduce_async.${latency} 0000000012355464 ./mapreduce_async --leaves=300 --fib=20 --latency=${latency})
endforeach()
foreach(marshal 0 1)
  weir_app_test(overlap_messages.${marshal} 1 ./overlap_messages --bytes=20000 --seconds=1 --rate=50000000 --marshal=${marshal})
endforeach()
foreach(script overlap io_futures)
  add_test(NAME bench.${script} COMMAND ${CMAKE_SOURCE_DIR}/bench/${script} --small --build=${CMAKE_BINARY_DIR})
  set_tests_properties(bench.${script} PROPERTIES LABELS full TIMEOUT 300)
endforeach()
