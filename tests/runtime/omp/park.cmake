# SPDX-License-Identifier: Apache-2.0
# The park lane: teams with stand-ins. Each program is compiled by clang, and by gcc with LLVM's libomp put in front of
# libgomp, as `weir run` does it.
find_program(PARK_CLANG NAMES clang-19 clang REQUIRED)
find_program(PARK_CLANGXX NAMES clang++-19 clang++ REQUIRED)
find_program(PARK_GCC NAMES gcc REQUIRED)
find_program(PARK_GFORTRAN NAMES gfortran REQUIRED)
find_library(PARK_LIBOMP NAMES libomp.so.5 PATHS /usr/lib/llvm-19/lib /usr/lib/x86_64-linux-gnu REQUIRED)
set(park_here ${CMAKE_CURRENT_BINARY_DIR})

function(park_program name source compiler)
  set(output ${park_here}/${name})
  add_custom_command(OUTPUT ${output} DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    COMMAND ${compiler} -O2 -fopenmp -pthread ${ARGN} -o ${output} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  add_custom_target(build_${name} ALL DEPENDS ${output})
endfunction()
foreach(program park_constructs park_told park_told_mixed park_told_sums park_threadprivate park_table park_kept park_shares park_left park_set park_waits park_child park_opens park_tasks park_nested park_asked park_back park_count park_critical park_ordered park_passes park_repeats park_takes park_each park_hello park_rounds park_records park_crew park_begin park_order park_turns park_brings park_master park_ahead park_ancestor park_parts park_pause)
  park_program(${program}_clang ${program}.c ${PARK_CLANG})
  park_program(${program}_gcc ${program}.c ${PARK_GCC} -w)
endforeach()
foreach(how AT_ONCE LATER WITHIN NEVER)
  string(TOLOWER ${how} said)
  park_program(park_said_${said}_clang park_said.c ${PARK_CLANG} -D${how})
  park_program(park_said_${said}_gcc park_said.c ${PARK_GCC} -w -D${how})
endforeach()
park_program(park_cpp_clang park_cpp.cpp ${PARK_CLANGXX})
park_program(park_cpp_gcc park_cpp.cpp g++ -w)
park_program(park_merges_clang park_merges.cpp ${PARK_CLANGXX})
park_program(park_merges_gcc park_merges.cpp g++ -w)
park_program(park_cpp_keys_clang park_cpp.cpp ${PARK_CLANGXX} -DWITH_KEYS)
park_program(park_cpp_keys_gcc park_cpp.cpp g++ -w -DWITH_KEYS)
park_program(park_computes_clang park_computes.c ${PARK_CLANG} -Wl,--no-as-needed -lm)
park_program(park_computes_gcc park_computes.c ${PARK_GCC} -w -Wl,--no-as-needed -lm)
park_program(park_computes_and_waits_clang park_computes.c ${PARK_CLANG} -DWAITS -Wl,--no-as-needed -lm)
park_program(park_computes_and_waits_gcc park_computes.c ${PARK_GCC} -w -DWAITS -Wl,--no-as-needed -lm)
park_program(park_fortran_gcc park_fortran.f90 ${PARK_GFORTRAN} -J${park_here})
park_program(park_fortran_reads_gcc park_fortran_reads.f90 ${PARK_GFORTRAN} -cpp)
park_program(park_fortran_draws_gcc park_fortran_reads.f90 ${PARK_GFORTRAN} -cpp -DDRAWS)
park_program(park_tool.so park_tool.c ${PARK_CLANG} -shared -fPIC)

cmake_host_system_information(RESULT park_cores QUERY NUMBER_OF_LOGICAL_CORES)
set(PARK_DIGITS_clang 17)
set(PARK_DIGITS_gcc 17)
if(park_cores GREATER 2)
  set(PARK_DIGITS_gcc 9)
endif()

# park_test(name label expect "VARIABLE=value ..." program argument...), see park_same
function(park_test name label expect variables program)
  set(behind "")
  if(program MATCHES "_gcc$")
    set(behind ${PARK_LIBOMP})
  endif()
  add_test(NAME omp.park.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/park_same ${expect} "${variables}"
    ${park_here}/park_${program} ${ARGN})
  set_tests_properties(omp.park.${name} PROPERTIES LABELS ${label} TIMEOUT 240
    ENVIRONMENT "WEIR_PRELOAD=$<TARGET_FILE:weir_preload>;BEHIND=${behind}")
  if(program MATCHES "^constructs_")  # it compares sizes, and bears any
    set_property(TEST omp.park.${name} APPEND PROPERTY ENVIRONMENT WEIR_OMP_TEAMS=any)
  endif()
endfunction()

foreach(compiler clang gcc)
  park_test(constructs_${compiler} quick wide "" constructs_${compiler})
  # The sizes weir gives, and those the user asks for.
  foreach(size cores+1 cores+2 64)
    string(REPLACE "+" "_and_" named ${size})
    park_test(constructs_of_${named}_${compiler} full wide "WEIR_STAND_INS=${size}" constructs_${compiler} 2)
  endforeach()
  foreach(size 1 2 3 64)
    park_test(constructs_on_${size}_${compiler} full "bare:OMP_NUM_THREADS" "OMP_NUM_THREADS=${size}" constructs_${compiler} 2)
  endforeach()
  park_test(no_room_${compiler} full "bare:WEIR_STAND_INS" "WEIR_STAND_INS=1" constructs_${compiler})

  # What a user may have set. Where it speaks of sizes, places or spinning, weir keeps out and says so.
  set(number 0)
  foreach(setting "OMP_DYNAMIC=true|bare:OMP_DYNAMIC" "OMP_PROC_BIND=spread|bare:OMP_PROC_BIND" "OMP_PLACES=threads|bare:OMP_PLACES"
      "OMP_THREAD_LIMIT=1|bare:OMP_THREAD_LIMIT" "OMP_THREAD_LIMIT=6|bare:OMP_THREAD_LIMIT" "OMP_SCHEDULE=guided,3|wide" "OMP_WAIT_POLICY=passive|wide"
      "OMP_WAIT_POLICY=active|bare:OMP_WAIT_POLICY" "KMP_BLOCKTIME=0|wide" "KMP_BLOCKTIME=50|bare:KMP_BLOCKTIME"
      "KMP_AFFINITY=compact|bare:KMP_AFFINITY" "OMP_CANCELLATION=true|bare:OMP_CANCELLATION" "OMP_CANCELLATION=false|wide" "OMP_DISPLAY_AFFINITY=false|wide" "OMP_STACKSIZE=256k|wide" "OMP_TOOL=disabled|bare:OMP_TOOL"
      "KMP_LIBRARY=turnaround|bare:KMP_LIBRARY" "WEIR_LANE=off|any" "WEIR_OMP_TEAMS=bare|bare:WEIR_OMP_TEAMS" "WEIR_OMP_TEAMS=same|wide"
      "WEIR_THREADS=1|wide" "WEIR_GATE_WAIT_MS=1|wide")
    string(REPLACE "|" ";" parts ${setting})
    list(GET parts 0 variable)
    list(GET parts 1 expect)
    math(EXPR number "${number} + 1")
    park_test(setting_${number}_${compiler} full ${expect} "${variable}" constructs_${compiler})
  endforeach()
  # Where regions are nested, which of their threads say where they are is as the pool has it; so here they are not.
  park_test(display_affinity_${compiler} full "bare:OMP_DISPLAY_AFFINITY" "OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT=one"
    computes_and_waits_${compiler})

  # What a program asks and sets.
  park_test(told_${compiler} quick wide "" told_${compiler})
  park_test(told_sums_${compiler} quick "bare:omp_get_max_threads" "" told_sums_${compiler})
  park_test(told_any_${compiler} quick wide "WEIR_OMP_TEAMS=same" told_mixed_${compiler})
  park_test(threadprivate_${compiler} quick wide "" threadprivate_${compiler})
  park_test(table_${compiler} quick "bare:omp_get_thread_num" "" table_${compiler})
  park_test(table_of_shares_${compiler} quick "bare:omp_get_thread_num" "" table_${compiler} shares)
  park_test(kept_${compiler} quick "bare:omp_get_num_threads" "" kept_${compiler})
  park_test(kept_and_shares_${compiler} quick "bare:omp_get_num_threads" "" kept_${compiler} shares)
  park_test(shares_${compiler} quick times:4 "" shares_${compiler})
  park_test(computes_${compiler} quick "bare:no parallel region" "" computes_${compiler})
  park_test(computes_and_waits_${compiler} quick wide "" computes_and_waits_${compiler})
  park_test(set_num_threads_${compiler} quick any "" set_${compiler} num_threads)
  park_test(merges_${compiler} quick times:2 "" merges_${compiler})
  park_test(pause_${compiler} quick "bare:omp_pause_resource" "" pause_${compiler})
  park_test(set_dynamic_${compiler} quick any "" set_${compiler} dynamic)
  # One that says its number, or may, has none.
  park_test(parts_${compiler} quick bare "" parts_${compiler} divides)
  park_test(until_all_are_idle_${compiler} quick any "" parts_${compiler} until_all_are_idle)
  park_test(said_at_once_${compiler} quick "bare:shows what omp_get_max_threads" "" said_at_once_${compiler})
  park_test(said_later_${compiler} quick "bare:shows what omp_get_max_threads" "" said_later_${compiler})
  park_test(said_within_${compiler} quick "bare:keeps what omp_get_num_threads" "" said_within_${compiler})
  park_test(said_never_${compiler} quick wide "" said_never_${compiler})
  park_test(told_mixed_${compiler} quick "bare:omp_get_max_threads" "" told_mixed_${compiler})
  foreach(what dynamic elsewhere helpers)
    park_test(asked_${what}_${compiler} quick wide "WEIR_OMP_TEAMS=same" asked_${compiler} ${what})
  endforeach()
  # A number counts threads, or cores where the user says so: then there are stand-ins, and no more compute at once than without.
  # (Four could here. A host that takes a core away in the wrong moment may let a wait for one end in vain.)
  foreach(mode "set|WEIR_THREADS=4" "clause|WEIR_THREADS=4" "environment|WEIR_THREADS=4 OMP_NUM_THREADS=2")
    string(REPLACE "|" ";" parts ${mode})
    list(GET parts 0 how)
    list(GET parts 1 variables)
    park_test(count_${how}_${compiler} quick times:2 "WEIR_OMP_COUNT=cores WEIR_GATE_WAIT_MS=2000 ${variables}" count_${compiler} ${how})
    set_property(TEST omp.park.count_${how}_${compiler} APPEND PROPERTY ENVIRONMENT TRIES=4)
  endforeach()
  park_test(critical_${compiler} quick wide "" critical_${compiler})
  park_test(records_${compiler} quick wide "" records_${compiler})
  park_test(passes_${compiler} quick bare "" passes_${compiler})
  park_test(repeats_${compiler} quick bare "" repeats_${compiler})
  foreach(how queue capture counter critical lock elsewhere)
    park_test(takes_${how}_${compiler} quick wide "" takes_${compiler} ${how})
  endforeach()
  park_test(takes_all_with_lock_${compiler} quick one "" takes_${compiler} all_with_lock)
  foreach(what lines count count_after count_first reduces adds if_any number pointer seed room)
    park_test(each_${what}_${compiler} quick bare "" each_${compiler} ${what})
  endforeach()
  park_test(each_much_room_${compiler} quick bare "MUCH=67108864" each_${compiler} much_room)
  park_test(each_little_room_${compiler} quick wide "LITTLE=65536" each_${compiler} little_room)
  park_test(catches_${compiler} quick wide "" cpp_${compiler} catches)
  park_test(buffer_${compiler} quick wide "BYTES=60000" cpp_${compiler} buffer)
  park_test(large_buffer_${compiler} quick bare "BYTES=6000000" cpp_${compiler} buffer)
  foreach(what guard id)
    park_test(each_${what}_${compiler} quick bare "" cpp_${compiler} ${what})
  endforeach()
  park_test(each_key_${compiler} quick bare "" cpp_keys_${compiler} key)
  park_test(ancestor_${compiler} quick bare:omp_get_thread_num "" ancestor_${compiler})
  park_test(hello_${compiler} quick bare "" hello_${compiler})
  park_test(rounds_${compiler} quick bare "DIGITS=${PARK_DIGITS_${compiler}}" rounds_${compiler})
  park_test(rounds_whole_${compiler} quick wide "DIGITS=17" rounds_${compiler} whole)
  park_test(each_alone_${compiler} quick wide "" each_${compiler} alone)
  park_test(each_sums_${compiler} quick wide "" each_${compiler} sums)
  park_test(passes_unseen_${compiler} quick once "WEIR_OMP_TEAMS=any" passes_${compiler} unseen)
  park_test(ordered_${compiler} quick wide "" ordered_${compiler})
  park_test(ordered_shrunk_${compiler} quick wide "WEIR_DEBUG=small-crew WEIR_STAND_INS=cores+7" ordered_${compiler})
  park_test(back_${compiler} quick times:2 "WEIR_OMP_TEAMS=any" back_${compiler})
  park_test(back_counted_${compiler} quick times:2 "WEIR_OMP_TEAMS=any WEIR_OMP_COUNT=cores" back_${compiler})
  park_test(count_as_said_${compiler} quick bare "" count_${compiler} set)
  park_test(count_of_one_size_${compiler} quick "bare:omp_set_num_threads" "WEIR_OMP_COUNT=cores WEIR_OMP_TEAMS=same" count_${compiler} set)
  park_test(child_${compiler} quick any "" child_${compiler})

  # Tasks that the others of a team fetch from the one that makes them.
  park_test(tasks_${compiler} quick wide "WEIR_STAND_INS=130 WEIR_OMP_TEAMS=same" tasks_${compiler})

  # A team within a team, and a child forked there: the next ones have stand-ins again. (By gcc the first has none yet.)
  park_test(nested_${compiler} quick times:4 "WEIR_STAND_INS=cores+32" nested_${compiler})
  park_test(nested_child_${compiler} quick times:4 "WEIR_STAND_INS=cores+32" nested_${compiler} child)

  # Who makes a file, or finds no folder at hand, gives its core to others: 128 makings, 4 more that make or empty each, and 6 of
  # fopen's; folders that are opened and begun to read, twice each; and three times a sleep each.
  park_test(opens_${compiler} quick wide:2440 "" opens_${compiler})
  park_test(opens_cold_${compiler} quick wide "" opens_${compiler} cold)

  # All but the third run have stand-ins: two that did not wait took them away, and one that did brought them back.
  park_test(turns_${compiler} quick times:5 "WEIR_STAND_INS=cores+32" turns_${compiler})

  park_test(brings_${compiler} quick wide "" brings_${compiler} 4)
  park_test(master_${compiler} quick wide "" master_${compiler})
  park_test(ahead_${compiler} quick wide:100 "" ahead_${compiler})
  park_test(brings_for_tasks_aside_${compiler} quick one "" brings_${compiler} 4)
  park_test(brings_at_first_${compiler} quick one "" brings_${compiler} 1)
  foreach(name brings_for_tasks_aside brings_at_first)
    set_property(TEST omp.park.${name}_${compiler} APPEND PROPERTY ENVIRONMENT LANE=auto)
  endforeach()

  # Threads that wait for each other where nobody can see it.
  park_test(waits_${compiler} quick wide "" waits_${compiler} 1)
  park_test(waits_of_3_${compiler} full wide "WEIR_STAND_INS=cores+1" waits_${compiler} 2)
  park_test(waits_long_${compiler} full wide "" waits_${compiler} 10)
  # Loops of which a few threads take the pieces, and the others stay behind.
  park_test(crew_${compiler} quick crew "WEIR_DEBUG=small-crew" crew_${compiler})
  park_test(crew_cancelled_${compiler} quick "bare:OMP_CANCELLATION" "OMP_CANCELLATION=true" crew_${compiler})
  park_test(crew_of_few_${compiler} full wide "WEIR_DEBUG=small-crew WEIR_STAND_INS=cores+3" crew_${compiler})
  park_test(crew_as_it_comes_${compiler} full wide "" crew_${compiler})
  # A large team's first pieces: few take them where that keeps the cores busy (whatever else is busy here), and all where they wait.
  park_test(begin_${compiler} quick crew "WEIR_DEBUG=small-crew" begin_${compiler})
  # (A host that takes a core away for 10 ms makes it look idle: then more come, and rightly.)
  set_property(TEST omp.park.begin_${compiler} APPEND PROPERTY ENVIRONMENT TRIES=4)
  park_test(begin_waiting_${compiler} full wide "" begin_${compiler} waiting)
  park_test(begin_reading_${compiler} quick wide "" begin_${compiler} reading ${park_here}/long_${compiler})
  set_property(TEST omp.park.begin_reading_${compiler} APPEND PROPERTY ENVIRONMENT TRIES=4)
  park_test(order_${compiler} quick wide "WEIR_STAND_INS=128" order_${compiler})
  # With the cores counted out a thread waits for one, however little it computes between calls.
  park_test(waits_for_cores_${compiler} quick wide "WEIR_THREADS=2" waits_${compiler} 1)
  park_test(waits_for_cores_long_${compiler} full wide "WEIR_THREADS=2" waits_${compiler} 10)
endforeach()
park_test(fortran quick "bare:omp_set_num_threads" "" fortran_gcc)
park_test(fortran_reads quick wide "" fortran_reads_gcc)
park_test(fortran_draws quick bare "" fortran_draws_gcc)
park_test(fortran_wide quick wide "WEIR_OMP_TEAMS=same" fortran_gcc)

# What an ended thread waited is not counted again.
park_test(left_clang quick once "" left_clang)
park_test(left_gcc quick once "" left_gcc)

# Another tool: weir steps aside.
park_test(tool_library quick "bare:OMP_TOOL_LIBRARIES" "OMP_TOOL_LIBRARIES=${park_here}/park_tool.so" child_clang)
