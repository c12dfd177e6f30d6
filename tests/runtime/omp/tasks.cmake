# SPDX-License-Identifier: Apache-2.0
# The suspend lane: tasks set aside on a stock libomp. The programs are compiled by clang, and by gcc with LLVM's libomp
# put in front of libgomp, as `weir run` does it.
find_program(CLANG NAMES clang-19 clang REQUIRED)
find_library(LIBOMP NAMES libomp.so.5 PATHS /usr/lib/llvm-19/lib /usr/lib/x86_64-linux-gnu REQUIRED)

function(weir_tasks_program name source compiler)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${name})
  add_custom_command(OUTPUT ${output} DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    COMMAND ${compiler} -O2 -fopenmp ${ARGN} -o ${output} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  add_custom_target(build_${name} ALL DEPENDS ${output})
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

set(here ${CMAKE_CURRENT_BINARY_DIR})
weir_tasks_program(omp_constructs_clang tasks_constructs.c ${CLANG})
weir_tasks_program(omp_constructs_gcc tasks_constructs.c gcc)

weir_tasks_test(constructs quick 100 "1 2 3 16" none omp_constructs 1)
weir_tasks_test(constructs_shuffled quick 100 "2 3" shuffle omp_constructs 2)
# The whole of it, 100 times with every call set aside, takes seven minutes: WEIR_FORCE=all, and 100 for 20.
weir_tasks_test(constructs_often full 600 "1 2 3 16" shuffle omp_constructs 20)

weir_tasks_program(omp_spinning_clang tasks_spinning.c ${CLANG})
weir_tasks_program(omp_spinning_gcc tasks_spinning.c gcc)
weir_tasks_test(spinning quick 100 "1 2 3" none omp_spinning 2)
weir_tasks_test(spinning_often full 300 "2 3 16" shuffle omp_spinning 20)

weir_tasks_program(omp_waits_clang tasks_waits.c ${CLANG})
weir_tasks_program(omp_waits_gcc tasks_waits.c gcc)
weir_tasks_test(untied_elsewhere quick 100 "2 3" none omp_waits untied)
weir_tasks_test(waits quick 100 "1 2" none omp_waits)
foreach(compiler clang gcc)
  set_property(TEST omp.tasks.waits_${compiler} APPEND PROPERTY ENVIRONMENT "LANE=auto;WEIR_WATCHDOG_MS=100")
endforeach()

# The line after the call that blocks.
weir_tasks_program(omp_trace_clang tasks_trace.c ${CLANG} -O1 -g)
weir_tasks_program(omp_trace_gcc tasks_trace.c gcc -O1 -g)
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

find_program(CLANGXX NAMES clang++-19 clang++ REQUIRED)
weir_tasks_program(omp_objects_clang tasks_objects.cpp ${CLANGXX})
weir_tasks_program(omp_objects_gcc tasks_objects.cpp g++)
weir_tasks_test(objects quick 100 "1 2 3" shuffle omp_objects 2)
weir_tasks_test(objects_often full 600 "2 3 16" shuffle omp_objects 50)

weir_tasks_program(omp_futures_clang tasks_futures.cpp ${CLANGXX} -pthread)
weir_tasks_program(omp_futures_gcc tasks_futures.cpp g++ -pthread)
weir_tasks_test(futures quick 100 "1 2 3" none omp_futures 200)

weir_tasks_program(undeferred_copy_gcc undeferred_copy.cpp g++)
foreach(lane park suspend)
  add_test(NAME omp.undeferred_copy_${lane} COMMAND ${CMAKE_COMMAND} -E env WEIR_LANE=${lane}
    "LD_PRELOAD=$<TARGET_FILE:weir_preload> ${LIBOMP}" ${here}/undeferred_copy_gcc)
  set_tests_properties(omp.undeferred_copy_${lane} PROPERTIES LABELS quick TIMEOUT 60 PASS_REGULAR_EXPRESSION "^sum 129\n$")
endforeach()

weir_tasks_program(omp_shared_clang tasks_shared.c ${CLANG})
weir_tasks_program(omp_shared_gcc tasks_shared.c gcc)
foreach(compiler clang gcc)
  add_test(NAME omp.tasks.shared_${compiler} COMMAND ${CMAKE_COMMAND} -E env WEIR_LANE=auto
    "LD_PRELOAD=$<TARGET_FILE:weir_preload> ${LIBOMP}" ${here}/omp_shared_${compiler})
  set_tests_properties(omp.tasks.shared_${compiler} PROPERTIES LABELS quick TIMEOUT 60 PASS_REGULAR_EXPRESSION "^moved: many\n$")
endforeach()

# Threads that block in libc for what a task set aside will do.
weir_tasks_program(omp_blocked_clang tasks_blocked.cpp ${CLANGXX} -std=c++20 -pthread)
weir_tasks_program(omp_blocked_gcc tasks_blocked.cpp g++ -std=c++20 -pthread)
weir_tasks_test(blocked quick 60 "2 3" none omp_blocked 1)
weir_tasks_test(blocked_auto quick 60 "2" none omp_blocked 1)
weir_tasks_test(blocked_often full 200 "2 3 16" shuffle omp_blocked 5)
weir_tasks_test(statics quick 60 "1 2" none omp_blocked 0)
weir_tasks_test(asleep quick 60 "2 3" none omp_blocked asleep)
foreach(compiler clang gcc)
  set_property(TEST omp.tasks.asleep_${compiler} APPEND PROPERTY ENVIRONMENT "WEIR_WATCHDOG_MS=50")
endforeach()

# Groups within groups, with and without memory for them.
weir_tasks_program(omp_groups_clang tasks_groups.c ${CLANG})
weir_tasks_program(omp_groups_gcc tasks_groups.c gcc)
weir_tasks_test(groups quick 60 "2 3" none omp_groups)
weir_tasks_test(groups_shuffled quick 60 "2 3" shuffle omp_groups)

# Locks held while children wait.
weir_tasks_program(omp_locked_clang tasks_locked.c ${CLANG})
weir_tasks_program(omp_locked_gcc tasks_locked.c gcc)
weir_tasks_test(locked quick 60 "2 3" none omp_locked 1)
weir_tasks_test(locked_often full 200 "2 3 16" shuffle omp_locked 5)

# A team of one keeps the order of its tasks under auto.
weir_tasks_program(omp_alone_clang tasks_alone.c ${CLANG})
weir_tasks_program(omp_alone_gcc tasks_alone.c gcc)
weir_tasks_test(alone quick 60 "1 2" none omp_alone)
foreach(compiler clang gcc)
  set_property(TEST omp.tasks.alone_${compiler} omp.tasks.blocked_auto_${compiler} APPEND PROPERTY ENVIRONMENT "LANE=auto")
endforeach()

# Without spinning in libomp itself, which would hide what weir does.
weir_tasks_program(omp_idle_clang tasks_idle.c ${CLANG})
weir_tasks_program(omp_idle_gcc tasks_idle.c gcc)
weir_tasks_test(idle quick 60 "100" none omp_idle)
foreach(compiler clang gcc)
  set_property(TEST omp.tasks.idle_${compiler} APPEND PROPERTY ENVIRONMENT "KMP_BLOCKTIME=0;OMP_WAIT_POLICY=passive")
endforeach()

# As many are set aside as may be, and one of the others waits for what lies below it.
weir_tasks_program(omp_capped_clang tasks_capped.c ${CLANG})
weir_tasks_program(omp_capped_gcc tasks_capped.c gcc)
weir_tasks_test(capped quick 60 "2" none omp_capped)
foreach(compiler clang gcc)
  set_property(TEST omp.tasks.capped_${compiler} APPEND PROPERTY ENVIRONMENT "WEIR_MAX_SUSPENDED=1")
endforeach()

# A library that keeps something a thread comes while tasks are set aside.
add_library(loaded_later MODULE loaded_later.c)
weir_tasks_program(omp_loads_clang tasks_loads.c ${CLANG})
weir_tasks_program(omp_loads_gcc tasks_loads.c gcc)
weir_tasks_test(loads quick 60 "2" none omp_loads $<TARGET_FILE:loaded_later>)
foreach(compiler clang gcc)
  set_property(TEST omp.tasks.loads_${compiler} APPEND PROPERTY ENVIRONMENT "LANE=auto")
endforeach()
