# SPDX-License-Identifier: Apache-2.0
# The suspend lane: tasks set aside on a stock libomp. The programs are compiled by clang, and by gcc with LLVM's libomp
# put in front of libgomp, as `weir run` does it.
find_program(CLANG NAMES clang-19 clang REQUIRED)
find_program(CLANGXX NAMES clang++-19 clang++ REQUIRED)
find_library(LIBOMP NAMES libomp.so.5 PATHS /usr/lib/llvm-19/lib /usr/lib/x86_64-linux-gnu REQUIRED)

function(weir_tasks_program name source compiler)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name})
  add_custom_command(OUTPUT ${output} DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    COMMAND ${compiler} -O2 -fopenmp ${ARGN} -o ${output} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  add_custom_target(build_${name} ALL DEPENDS ${output})
endfunction()

# The same by clang and by gcc.
function(weir_tasks_programs name source)
  set(suffixes clang gcc)
  set(compilers ${CLANG} gcc)
  if(source MATCHES "\\.cpp$")
    set(compilers ${CLANGXX} g++)
  endif()
  foreach(suffix compiler IN ZIP_LISTS suffixes compilers)
    weir_tasks_program(${name}_${suffix} ${source} ${compiler} ${ARGN})
  endforeach()
endfunction()

# name, label, seconds, then tasks_same's arguments; for the program by clang and for the one by gcc.
function(weir_tasks_test name label seconds threads words program)
  foreach(compiler clang gcc)
    set(libomp "")
    if(compiler STREQUAL gcc)
      set(libomp ${LIBOMP})
    endif()
    add_test(NAME omp.tasks.${name}_${compiler}
      COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same ${threads} ${words} ${here}/${program}_${compiler} ${ARGN})
    set_tests_properties(omp.tasks.${name}_${compiler} PROPERTIES LABELS ${label} TIMEOUT ${seconds}
      ENVIRONMENT "WEIR_PRELOAD=$<TARGET_FILE:weir_preload>;LIBOMP=${libomp}")
  endforeach()
endfunction()

# variables, then the names of tests as weir_tasks_test has them.
function(weir_tasks_environment variables)
  foreach(name ${ARGN})
    foreach(compiler clang gcc)
      set_property(TEST omp.tasks.${name}_${compiler} APPEND PROPERTY ENVIRONMENT "${variables}")
    endforeach()
  endforeach()
endfunction()

set(here ${CMAKE_CURRENT_BINARY_DIR})
weir_tasks_programs(omp_constructs tasks_constructs.c)

weir_tasks_test(constructs quick 100 "1 2 3 16" none omp_constructs 1)
weir_tasks_test(constructs_shuffled quick 100 "2 3" shuffle omp_constructs 2)
# The whole of it, 100 times with every call set aside, takes seven minutes: WEIR_FORCE=all, and 100 for 10.
weir_tasks_test(constructs_often full 600 "1 2 3 16" shuffle omp_constructs 10)

weir_tasks_programs(omp_spinning tasks_spinning.c)
weir_tasks_test(spinning quick 100 "1 2 3" none omp_spinning 2)
weir_tasks_programs(omp_yielding tasks_yielding.c)
weir_tasks_test(yielding quick 100 "1 2 3" none omp_yielding)
weir_tasks_test(yielding_shuffled quick 100 "2 3 16" shuffle omp_yielding)
weir_tasks_program(omp_yields_for_child_clang tasks_yields_for_child.c ${CLANG})
add_test(NAME omp.tasks.yields_for_child_clang COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same "2 3" none
  ${here}/omp_yields_for_child_clang)
set_tests_properties(omp.tasks.yields_for_child_clang PROPERTIES LABELS quick TIMEOUT 100
  ENVIRONMENT "WEIR_PRELOAD=$<TARGET_FILE:weir_preload>")
weir_tasks_programs(omp_kept tasks_kept.c)
weir_tasks_test(kept quick 60 "2 3 4" none omp_kept)
weir_tasks_programs(omp_in_reduction tasks_in_reduction.c)
weir_tasks_test(in_reduction quick 100 "1 2 3 8" none omp_in_reduction)
weir_tasks_test(spinning_often full 300 "2 3 16" shuffle omp_spinning 10)
foreach(compiler clang gcc)  # a yield costs a slice of somebody else's there
  add_test(NAME omp.tasks.spinning_beside_others_${compiler} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/beside_others
    ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same "1 2 3" none ${here}/omp_spinning_${compiler} 2)
  set_tests_properties(omp.tasks.spinning_beside_others_${compiler} PROPERTIES LABELS quick TIMEOUT 100 RUN_SERIAL ON)
endforeach()
weir_tasks_environment("WEIR_PRELOAD=$<TARGET_FILE:weir_preload>" spinning_beside_others)
set_property(TEST omp.tasks.spinning_beside_others_gcc APPEND PROPERTY ENVIRONMENT "LIBOMP=${LIBOMP}")

weir_tasks_programs(omp_connects tasks_connects.c -pthread)
weir_tasks_test(connects quick 60 "2 4" none omp_connects)
weir_tasks_programs(omp_signalled tasks_signalled.c)
weir_tasks_test(signalled quick 100 "2" none omp_signalled)
foreach(compiler clang gcc)
  set(behind "")
  if(compiler STREQUAL gcc)
    set(behind " ${LIBOMP}")
  endif()
  add_test(NAME omp.tasks.signalled_alone_${compiler} COMMAND with_ring ${CMAKE_COMMAND} -E env WEIR_LANE=suspend
    "LD_PRELOAD=$<TARGET_FILE:weir_preload>${behind}" ${here}/omp_signalled_${compiler} alone)
  set_tests_properties(omp.tasks.signalled_alone_${compiler} PROPERTIES LABELS quick TIMEOUT 60 SKIP_RETURN_CODE 77
    PASS_REGULAR_EXPRESSION "^beside a task: Interrupted system call\n$")
endforeach()

weir_tasks_programs(omp_waits tasks_waits.c)
weir_tasks_test(untied_elsewhere quick 100 "2 3" none omp_waits untied)
weir_tasks_test(waits quick 100 "1 2" none omp_waits)
weir_tasks_environment("LANE=auto;WEIR_WATCHDOG_MS=100" waits)

# The line after the call that blocks.
weir_tasks_programs(omp_trace tasks_trace.c -O1 -g)
foreach(compiler clang gcc)
  set(libomp "")
  if(compiler STREQUAL gcc)
    set(libomp ${LIBOMP})
  endif()
  add_test(NAME omp.tasks.trace_${compiler}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_trace ${here}/omp_trace_${compiler} 11)
  set_tests_properties(omp.tasks.trace_${compiler} PROPERTIES LABELS full TIMEOUT 100 SKIP_RETURN_CODE 77
    ENVIRONMENT "WEIR_PRELOAD=$<TARGET_FILE:weir_preload>;LIBOMP=${libomp}")
endforeach()

# Checkers are told of the stacks.
weir_tasks_program(omp_constructs_asan tasks_constructs.c ${CLANG} -O1 -g -fsanitize=address)
weir_tasks_program(omp_trace_tsan tasks_trace.c ${CLANG} -O1 -g -fsanitize=thread)
add_test(NAME omp.tasks.asan COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_checked asan ${here}/omp_constructs_asan 2)
add_test(NAME omp.tasks.tsan COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_checked tsan ${here}/omp_trace_tsan)
add_test(NAME omp.tasks.valgrind COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_checked valgrind ${here}/omp_trace_clang)
foreach(checker asan tsan valgrind)
  set_tests_properties(omp.tasks.${checker} PROPERTIES LABELS full TIMEOUT 120 SKIP_RETURN_CODE 77
    ENVIRONMENT "WEIR_PRELOAD=$<TARGET_FILE:weir_preload>")
endforeach()

weir_tasks_programs(omp_objects tasks_objects.cpp)
weir_tasks_test(objects quick 100 "1 2 3" shuffle omp_objects 2)
weir_tasks_test(objects_often full 600 "2 3 16" shuffle omp_objects 25)

weir_tasks_programs(omp_futures tasks_futures.cpp -pthread)
weir_tasks_test(futures quick 100 "1 2 3" none omp_futures 200)
weir_tasks_programs(omp_among_few tasks_among_few.cpp -pthread)
weir_tasks_test(among_few quick 60 "2 3" none omp_among_few)
weir_tasks_test(among_few_auto quick 60 "2" none omp_among_few)
weir_tasks_environment("LANE=auto" among_few_auto)

weir_tasks_program(undeferred_copy_gcc undeferred_copy.cpp g++)
foreach(lane park suspend)
  add_test(NAME omp.undeferred_copy_${lane} COMMAND ${CMAKE_COMMAND} -E env WEIR_LANE=${lane}
    "LD_PRELOAD=$<TARGET_FILE:weir_preload> ${LIBOMP}" ${here}/undeferred_copy_gcc)
  set_tests_properties(omp.undeferred_copy_${lane} PROPERTIES LABELS quick TIMEOUT 60 PASS_REGULAR_EXPRESSION "^sum 129\n$")
endforeach()

weir_tasks_program(taskloop_gcc taskloop.c gcc)
foreach(lane park suspend)
  add_test(NAME omp.taskloop_${lane} COMMAND ${CMAKE_COMMAND} -E env WEIR_LANE=${lane}
    "LD_PRELOAD=$<TARGET_FILE:weir_preload> ${LIBOMP}" ${here}/taskloop_gcc)
  set_tests_properties(omp.taskloop_${lane} PROPERTIES LABELS quick TIMEOUT 60 PASS_REGULAR_EXPRESSION "^as asked for\n$")
endforeach()

weir_tasks_program(omp_targets_clang tasks_targets.c ${CLANG})
weir_tasks_program(omp_entry_clang tasks_entry.c ${CLANG} -fopenmp-version=51)
foreach(lane auto suspend)
  add_test(NAME omp.tasks.targets_${lane} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same "2 3" none ${here}/omp_targets_clang all)
  add_test(NAME omp.tasks.targets_beside_${lane}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same "2 3" none ${here}/omp_targets_clang beside)
  add_test(NAME omp.tasks.targets_moved_${lane}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same "2 3 4" none ${here}/omp_targets_clang moved)
  add_test(NAME omp.tasks.entry_${lane} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same "2 3 4" none ${here}/omp_entry_clang)
  set_tests_properties(omp.tasks.targets_${lane} omp.tasks.targets_beside_${lane} omp.tasks.targets_moved_${lane}
    omp.tasks.entry_${lane} PROPERTIES LABELS quick TIMEOUT 60 ENVIRONMENT "WEIR_PRELOAD=$<TARGET_FILE:weir_preload>;LANE=${lane}")
endforeach()
add_test(NAME omp.tasks.targets_aside
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same 2 none ${here}/omp_targets_clang aside)
add_test(NAME omp.tasks.wait_that_may_be_none
  COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same 2 none ${here}/omp_entry_clang ordered)
foreach(how beside moved)
  add_test(NAME omp.tasks.targets_${how}_helpless
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same "2 3" none ${here}/omp_targets_clang ${how})
  set_tests_properties(omp.tasks.targets_${how}_helpless PROPERTIES LABELS quick TIMEOUT 60
    ENVIRONMENT "WEIR_PRELOAD=$<TARGET_FILE:weir_preload>;LIBOMP_USE_HIDDEN_HELPER_TASK=0")
endforeach()
set_tests_properties(omp.tasks.targets_aside omp.tasks.wait_that_may_be_none PROPERTIES LABELS quick TIMEOUT 60
  ENVIRONMENT "WEIR_PRELOAD=$<TARGET_FILE:weir_preload>")

weir_tasks_program(omp_constrained_clang tasks_constrained.c ${CLANG})
foreach(how copies holder)
  foreach(lane auto suspend)
    add_test(NAME omp.tasks.constrained_${how}_${lane}
      COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same 3 none ${here}/omp_constrained_clang ${how})
    set_tests_properties(omp.tasks.constrained_${how}_${lane} PROPERTIES LABELS quick TIMEOUT 60
      ENVIRONMENT "WEIR_PRELOAD=$<TARGET_FILE:weir_preload>;LANE=${lane}")
  endforeach()
endforeach()

weir_tasks_program(omp_parked_clang tasks_parked.c ${CLANG})
foreach(how read poll fifo)
  add_test(NAME omp.tasks.parked_${how} COMMAND with_ring ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same 2 none ${here}/omp_parked_clang ${how})
  set_tests_properties(omp.tasks.parked_${how} PROPERTIES LABELS quick TIMEOUT 60 SKIP_RETURN_CODE 77
    ENVIRONMENT "WEIR_PRELOAD=$<TARGET_FILE:weir_preload>;LANE=auto")
endforeach()

add_library(own_threads MODULE own_threads.c)
foreach(name constructs groups in_reduction objects)
  add_test(NAME omp.tasks.by_own_threads_${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/in_own_threads $<TARGET_FILE:own_threads>
    $<TARGET_FILE:weir_preload> ${LIBOMP} ${here}/omp_${name}_gcc)
  set_tests_properties(omp.tasks.by_own_threads_${name} PROPERTIES LABELS quick TIMEOUT 300)
endforeach()

weir_tasks_program(omp_threads_clang tasks_threads.c ${CLANG} -pthread)
add_test(NAME omp.tasks.threads_come_and_go COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same 1 none ${here}/omp_threads_clang)
set_tests_properties(omp.tasks.threads_come_and_go PROPERTIES LABELS quick TIMEOUT 60
  ENVIRONMENT "WEIR_PRELOAD=$<TARGET_FILE:weir_preload>")

# libgomp bare has no trouble with it; libomp bare crashes.
weir_tasks_program(omp_ended_gcc tasks_ended.c gcc -pthread)
foreach(what tasks taskloop at_once depend talk cancel)
  foreach(lane auto park suspend)
    add_test(NAME omp.tasks.ended_${what}_${lane} COMMAND ${CMAKE_COMMAND} -E env WEIR_LANE=${lane} OMP_CANCELLATION=$<IF:$<STREQUAL:${what},cancel>,true,false>
      "LD_PRELOAD=$<TARGET_FILE:weir_preload> ${LIBOMP}" ${here}/omp_ended_gcc ${what})
    set_tests_properties(omp.tasks.ended_${what}_${lane} PROPERTIES LABELS quick TIMEOUT 60 PASS_REGULAR_EXPRESSION "^11400\n$")
  endforeach()
endforeach()

weir_tasks_program(omp_piled_clang tasks_piled.cpp ${CLANGXX} -pthread)
foreach(lane auto suspend)
  add_test(NAME omp.tasks.piled_${lane} COMMAND ${CMAKE_COMMAND} -E env WEIR_LANE=${lane} LD_PRELOAD=$<TARGET_FILE:weir_preload>
    ${here}/omp_piled_clang)
  set_tests_properties(omp.tasks.piled_${lane} PROPERTIES LABELS quick TIMEOUT 60 PASS_REGULAR_EXPRESSION "^200\n$")
endforeach()

# libgomp bare has no child that forks a team within a team: by clang alone.
weir_tasks_program(omp_forked_clang tasks_forked.c ${CLANG} -pthread)
foreach(how worker task beside)
  add_test(NAME omp.tasks.forked_${how}
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same 3 none ${here}/omp_forked_clang ${how})
  set_tests_properties(omp.tasks.forked_${how} PROPERTIES LABELS quick TIMEOUT 60
    ENVIRONMENT "WEIR_PRELOAD=$<TARGET_FILE:weir_preload>")
endforeach()

weir_tasks_programs(omp_shared tasks_shared.c)
foreach(compiler clang gcc)
  add_test(NAME omp.tasks.shared_${compiler} COMMAND with_ring ${CMAKE_COMMAND} -E env WEIR_LANE=auto
    "LD_PRELOAD=$<TARGET_FILE:weir_preload> ${LIBOMP}" ${here}/omp_shared_${compiler})
  set_tests_properties(omp.tasks.shared_${compiler} PROPERTIES LABELS quick TIMEOUT 60 SKIP_RETURN_CODE 77
    PASS_REGULAR_EXPRESSION "^moved: many\n$")
endforeach()

weir_tasks_program(omp_elsewhere_clang tasks_elsewhere.c ${CLANG})
add_test(NAME omp.tasks.elsewhere_clang COMMAND with_ring ${CMAKE_COMMAND} -E env WEIR_LANE=auto
  LD_PRELOAD=$<TARGET_FILE:weir_preload> ${here}/omp_elsewhere_clang)
set_tests_properties(omp.tasks.elsewhere_clang PROPERTIES LABELS quick TIMEOUT 60 SKIP_RETURN_CODE 77
  PASS_REGULAR_EXPRESSION "^sums right: all, moved: many\n$")

# Every call is set aside at first, and every open that is not done at once made by a thread of weir's; or only where that takes long.
weir_tasks_programs(omp_opens park_opens.c -DIN_TASKS)
weir_tasks_test(opens quick 60 "1 2 3" suspend-always,shuffle omp_opens)
weir_tasks_test(opens_cold quick 60 "2" none omp_opens cold)
# By clang such a program parks: its own loops need no number.
weir_tasks_program(omp_number_gcc tasks_number.c gcc)
add_test(NAME omp.tasks.number_gcc COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same "2 3 5" suspend-always ${here}/omp_number_gcc)
set_tests_properties(omp.tasks.number_gcc PROPERTIES LABELS quick TIMEOUT 60
  ENVIRONMENT "WEIR_PRELOAD=$<TARGET_FILE:weir_preload>;LIBOMP=${LIBOMP};LANE=auto")

# What is first found is enough to park, where no report is to list all; and without anything tasks are set aside.
foreach(by NOTHING HEADERS NAMES CODE)
  string(TOLOWER ${by} reason)
  weir_tasks_program(omp_reason_${reason} tasks_reason.c gcc -DBY_${by})
  add_test(NAME omp.tasks.reason_${reason} COMMAND with_ring ${CMAKE_COMMAND} -E env WEIR_LANE=auto WEIR_SUMMARY=1
    "LD_PRELOAD=$<TARGET_FILE:weir_preload> ${LIBOMP}" OMP_NUM_THREADS=2 ${here}/omp_reason_${reason})
  set_tests_properties(omp.tasks.reason_${reason} PROPERTIES LABELS quick TIMEOUT 60 SKIP_RETURN_CODE 77
    PASS_REGULAR_EXPRESSION "; 0 suspended, [1-9][0-9]* parked")
endforeach()
set_tests_properties(omp.tasks.reason_nothing PROPERTIES PASS_REGULAR_EXPRESSION "; [1-9][0-9]* suspended, ")

# So with libraries of which it is known that they do not mind, and a team has stand-ins with them: two that stand for those.
set(harmless ${here}/libjpeg.so ${here}/liblzma.so)
set(objects ${CMAKE_SOURCE_DIR}/tests/unit/lane/objects)
add_custom_command(OUTPUT ${harmless} DEPENDS ${objects}/storage.c ${objects}/masks.c
  COMMAND gcc -O2 -fPIC -shared ${objects}/storage.c -o ${here}/libjpeg.so
  COMMAND gcc -O2 -fPIC -shared ${objects}/masks.c -o ${here}/liblzma.so)
add_custom_target(build_omp_harmless ALL DEPENDS ${harmless})
weir_tasks_program(omp_reason_harmless tasks_reason.c gcc -DBY_NOTHING -Wl,--no-as-needed ${harmless})
add_dependencies(build_omp_reason_harmless build_omp_harmless)
add_test(NAME omp.tasks.reason_harmless COMMAND with_ring ${CMAKE_COMMAND} -E env WEIR_LANE=auto WEIR_SUMMARY=1
  "LD_PRELOAD=$<TARGET_FILE:weir_preload> ${LIBOMP}" OMP_NUM_THREADS=2 ${here}/omp_reason_harmless)
add_test(NAME omp.park.harmless COMMAND ${CMAKE_COMMAND} -E env WEIR_LANE=park WEIR_SUMMARY=1
  "LD_PRELOAD=$<TARGET_FILE:weir_preload> ${LIBOMP}" ${here}/omp_reason_harmless)
set_tests_properties(omp.tasks.reason_harmless omp.park.harmless PROPERTIES LABELS quick TIMEOUT 60 SKIP_RETURN_CODE 77)
set_tests_properties(omp.tasks.reason_harmless PROPERTIES PASS_REGULAR_EXPRESSION "; [1-9][0-9]* suspended, ")
set_tests_properties(omp.park.harmless PROPERTIES PASS_REGULAR_EXPRESSION "; 0 suspended, .* s of waiting hidden ")

weir_tasks_programs(omp_apart tasks_apart.c)
weir_tasks_test(apart quick 60 "1 2 5" suspend-always,shuffle omp_apart)
set_tests_properties(omp.tasks.apart_clang omp.tasks.apart_gcc PROPERTIES SKIP_RETURN_CODE 77)

weir_tasks_programs(omp_pairs tasks_pairs.c)
weir_tasks_test(pairs quick 60 "2 3" none omp_pairs)
weir_tasks_programs(omp_computing tasks_computing.c)
weir_tasks_test(computing quick 60 "2" none omp_computing)
weir_tasks_test(computing_auto quick 60 "2" none omp_computing)
weir_tasks_environment("WEIR_WATCHDOG_MS=50;WANTED=^.suspended.: 3[0-6]" computing)
weir_tasks_environment("WEIR_WATCHDOG_MS=50;LANE=auto;WANTED=^.suspended.: 3[0-6]" computing_auto)
weir_tasks_programs(omp_served tasks_served.c)
foreach(way low event connect open fopen lockf process barrier mutex condition conditions semaphore sleeps polls selects yields)
  weir_tasks_test(served_${way} quick 30 "2" none omp_served ${way})
  weir_tasks_test(served_${way}_locked quick 30 "2" none omp_served ${way} locked)
  weir_tasks_test(served_${way}_auto quick 30 "2" none omp_served ${way} locked)
  weir_tasks_environment("LANE=auto" served_${way}_auto)
endforeach()
foreach(way low event)
  weir_tasks_test(served_${way}_child quick 30 "2 3" none omp_served ${way} child)
  weir_tasks_test(served_${way}_child_auto quick 30 "2 3" none omp_served ${way} child)
  weir_tasks_test(served_${way}_children quick 60 "2 2 2 2 3" none omp_served ${way} children)
  weir_tasks_test(served_${way}_children_auto quick 60 "2 2 2 2 3" none omp_served ${way} children)
  weir_tasks_environment("LANE=auto" served_${way}_child_auto served_${way}_children_auto)
endforeach()
foreach(way low event lockf process)
  weir_tasks_test(served_${way}_creator quick 30 "2 2 3" none omp_served ${way} creator)
  weir_tasks_test(served_${way}_creator_auto quick 30 "2 2 3" none omp_served ${way} creator)
  weir_tasks_environment("LANE=auto" served_${way}_creator_auto)
endforeach()
weir_tasks_programs(omp_lock_aside tasks_lock_aside.c)
weir_tasks_test(lock_aside quick 60 "2 3" none omp_lock_aside)
weir_tasks_test(lock_aside_auto quick 60 "2 3" none omp_lock_aside)
weir_tasks_test(lock_aside_nested quick 60 "2 3" none omp_lock_aside nested)
weir_tasks_test(lock_aside_nested_auto quick 60 "2 3" none omp_lock_aside nested)
weir_tasks_environment("LANE=auto" lock_aside_auto lock_aside_nested_auto)
weir_tasks_programs(omp_in_turn tasks_in_turn.c)
weir_tasks_test(in_turn quick 60 "1 2" none omp_in_turn)
weir_tasks_test(in_turn_spins quick 60 "1 2" none omp_in_turn spins)
weir_tasks_test(in_turn_limited quick 60 "1 2" none omp_in_turn spins limited)
weir_tasks_test(in_turn_accept quick 60 "1 2" none omp_in_turn spins accept)
weir_tasks_environment("WEIR_WATCHDOG_MS=50" in_turn in_turn_spins in_turn_limited in_turn_accept)
foreach(compiler clang gcc)
  set(behind "")
  if(compiler STREQUAL gcc)
    set(behind ${LIBOMP})
  endif()
  foreach(lane suspend auto)
    add_test(NAME omp.tasks.pairs_without_ring_${lane}_${compiler} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same "2 3" none
      $<TARGET_FILE:confined> eperm ${here}/omp_pairs_${compiler})
    set_tests_properties(omp.tasks.pairs_without_ring_${lane}_${compiler} PROPERTIES LABELS quick TIMEOUT 60
      ENVIRONMENT "WEIR_PRELOAD=$<TARGET_FILE:weir_preload>;LIBOMP=${behind};LANE=${lane}")
  endforeach()
endforeach()

# Threads that block in libc for what a task set aside will do.
weir_tasks_programs(omp_blocked tasks_blocked.cpp -std=c++20 -pthread)
weir_tasks_test(blocked quick 60 "2 3" none omp_blocked 1)
weir_tasks_test(blocked_auto quick 60 "2" none omp_blocked 1)
weir_tasks_test(blocked_often full 200 "2 3 16" shuffle omp_blocked 5)
weir_tasks_test(blocked_whole quick 100 "2 3" none omp_blocked whole)
weir_tasks_test(blocked_whole_auto quick 60 "2" none omp_blocked whole)
weir_tasks_environment("LANE=auto" blocked_whole_auto)
weir_tasks_test(statics quick 60 "1 2" none omp_blocked 0)
weir_tasks_test(asleep quick 60 "2 3" none omp_blocked asleep)
weir_tasks_environment("WEIR_WATCHDOG_MS=50" asleep)

# Tasks that read from one FILE.
weir_tasks_programs(omp_one_file tasks_one_file.c -pthread)
weir_tasks_test(one_file quick 60 "1 2 3" none omp_one_file)
weir_tasks_test(one_file_locked quick 60 "2 3" none omp_one_file locked)
weir_tasks_test(one_file_auto quick 60 "2 3" none omp_one_file)
weir_tasks_environment("LANE=auto" one_file_auto)

# Regions begun by who has children that are set aside.
weir_tasks_programs(omp_regions tasks_regions.c)
weir_tasks_test(regions quick 60 "1 2 3 16" none omp_regions)
weir_tasks_test(regions_auto quick 60 "2 3 16" none omp_regions)
weir_tasks_environment("LANE=auto" regions_auto)

# Groups within groups, with and without memory for them.
weir_tasks_programs(omp_groups tasks_groups.c)
weir_tasks_test(groups quick 60 "2 3" none omp_groups)
weir_tasks_test(groups_shuffled quick 60 "2 3" shuffle omp_groups)

# Locks held while children wait.
weir_tasks_programs(omp_locked tasks_locked.c)
weir_tasks_test(locked quick 60 "2 3" none omp_locked 1)
weir_tasks_test(locked_often full 200 "2 3 16" shuffle omp_locked 5)
# And on a run-time that enters its sections by a name which weir defines.
add_library(critical_by_name MODULE critical_by_name.c)
weir_tasks_test(locked_by_name quick 30 "2 3" none omp_locked 1)
set_property(TEST omp.tasks.locked_by_name_clang APPEND PROPERTY ENVIRONMENT "LIBOMP=$<TARGET_FILE:critical_by_name>")
set_property(TEST omp.tasks.locked_by_name_gcc APPEND PROPERTY ENVIRONMENT "LIBOMP=$<TARGET_FILE:critical_by_name> ${LIBOMP}")
# And while they read what a task is to write that was set aside.
weir_tasks_programs(omp_fed tasks_fed.cpp -std=c++20 -pthread)
weir_tasks_test(fed quick 40 "2 3" none omp_fed 1)
weir_tasks_test(fed_auto quick 40 "2 3" none omp_fed 1)
weir_tasks_environment("LANE=auto" fed_auto)
weir_tasks_programs(omp_futexes tasks_futexes.cpp -std=c++20 -pthread)
weir_tasks_test(futexes quick 60 "2 3" none omp_futexes 3)
weir_tasks_test(futexes_auto quick 60 "2 3" none omp_futexes 3)
weir_tasks_environment("LANE=auto" futexes_auto)
weir_tasks_programs(omp_cancelled tasks_cancelled.c)
weir_tasks_test(cancelled quick 60 "2 4 16" none omp_cancelled)
weir_tasks_test(cancelled_auto quick 60 "2 4" none omp_cancelled)
weir_tasks_environment("LANE=auto" cancelled_auto)
weir_tasks_programs(omp_errno tasks_errno.c)
weir_tasks_test(errno quick 60 "2 4" none omp_errno)
weir_tasks_test(errno_auto quick 60 "2 4" none omp_errno)
weir_tasks_environment("LANE=auto" errno_auto)
weir_tasks_programs(omp_handed tasks_handed.c)
weir_tasks_test(handed quick 100 "2 3" none omp_handed 1)
weir_tasks_test(handed_auto quick 100 "2 3 4" none omp_handed 10)
weir_tasks_test(handed_often full 200 "2 3 16" shuffle omp_handed 60)
weir_tasks_environment("LANE=auto" handed_auto handed_often)

# Where nobody has anything else to do a read blocks its thread, unless the lane is forced.
weir_tasks_programs(omp_chain tasks_chain.c)
# And for what the kernel tells who waits in it.
weir_tasks_programs(omp_in_kernel tasks_in_kernel.cpp -std=c++20)
weir_tasks_test(in_kernel quick 60 "2" none omp_in_kernel)
weir_tasks_test(chain quick 60 "2 3" none omp_chain)
weir_tasks_test(chain_auto quick 60 "2 3" none omp_chain)
weir_tasks_environment("LANE=auto;WANTED=\"alone\": [1-9]" chain_auto)

# A team of one keeps the order of its tasks under auto.
weir_tasks_programs(omp_alone tasks_alone.c)
weir_tasks_test(alone quick 60 "1 2" none omp_alone)
weir_tasks_environment("LANE=auto;WANTED=\"in_order\": [1-9]" alone)
weir_tasks_environment("LANE=auto" blocked_auto)

weir_tasks_programs(omp_alone_detached tasks_alone_detached.c -pthread)
weir_tasks_test(alone_detached quick 60 "1" none omp_alone_detached)

# Loops with a reduction and nowait: libomp has few threads combine what they have by themselves, and many at a barrier.
weir_tasks_programs(omp_reduced tasks_reduced.c)
foreach(lane suspend auto)
  weir_tasks_test(reduced_waits_${lane} quick 60 "2 3 4" none omp_reduced waits)
  weir_tasks_test(reduced_meets_${lane} quick 60 "2 6" none omp_reduced meets)
  weir_tasks_environment("LANE=${lane}" reduced_waits_${lane} reduced_meets_${lane})
endforeach()
weir_tasks_test(reduced_one_by_one quick 60 "6" none omp_reduced waits)
weir_tasks_environment("KMP_FORCE_REDUCTION=critical" reduced_one_by_one)
weir_tasks_test(reduced_by_tree quick 60 "2 3" none omp_reduced meets)
weir_tasks_environment("KMP_DETERMINISTIC_REDUCTION=true" reduced_by_tree)
add_test(NAME omp.tasks.reduced_sums COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same "6" none ${here}/omp_reduced_clang sums)
add_test(NAME omp.tasks.reduced_sums_of_few COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tasks_same "3" none ${here}/omp_reduced_clang sums)
set_tests_properties(omp.tasks.reduced_sums omp.tasks.reduced_sums_of_few PROPERTIES LABELS quick TIMEOUT 60
  ENVIRONMENT "WEIR_PRELOAD=$<TARGET_FILE:weir_preload>")
set_property(TEST omp.tasks.reduced_sums_of_few APPEND PROPERTY ENVIRONMENT "KMP_DETERMINISTIC_REDUCTION=true")

# Who runs a single's block with copyprivate does not wait before it.
weir_tasks_programs(omp_copied tasks_copied.c)
foreach(lane suspend auto)
  weir_tasks_test(copied_${lane} quick 60 "2 3 16" none omp_copied)
  weir_tasks_environment("LANE=${lane}" copied_${lane})
endforeach()

# Without spinning in libomp itself, which would hide what weir does.
weir_tasks_programs(omp_idle tasks_idle.c)
weir_tasks_test(idle quick 60 "100" none omp_idle)
weir_tasks_environment("KMP_BLOCKTIME=0;OMP_WAIT_POLICY=passive" idle)

# As many are set aside as may be, and one of the others waits for what lies below it.
weir_tasks_programs(omp_capped tasks_capped.c)
weir_tasks_test(capped quick 60 "2" none omp_capped)
weir_tasks_environment("WEIR_MAX_SUSPENDED=1" capped)

# A library that keeps something a thread comes while tasks are set aside.
add_library(loaded_later MODULE loaded_later.c)
weir_tasks_programs(omp_loads tasks_loads.c)
weir_tasks_test(loads quick 60 "2" none omp_loads $<TARGET_FILE:loaded_later>)
weir_tasks_environment("LANE=auto" loads)

# With another libomp or Intel's libiomp5: tests/runtime/omp/on_another build FILE.
add_test(NAME omp.on_another COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/on_another ${CMAKE_BINARY_DIR} ${LIBOMP} "^omp[.]tasks[.]locked_gcc$")
set_tests_properties(omp.on_another PROPERTIES LABELS quick TIMEOUT 100)
