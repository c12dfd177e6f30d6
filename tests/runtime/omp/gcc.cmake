# SPDX-License-Identifier: Apache-2.0
# Programs by gcc on LLVM's libomp under weir, compared with what they do on their own libgomp.
find_library(GCC_LIBOMP NAMES libomp.so.5 PATHS /usr/lib/llvm-19/lib /usr/lib/x86_64-linux-gnu REQUIRED)

function(weir_gcc_program name source)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/gcc_${name})
  add_custom_command(OUTPUT ${output} DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    COMMAND gcc -O2 -w -fopenmp -o ${output} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  add_custom_target(build_gcc_${name} ALL DEPENDS ${output})
endfunction()

# name, "VARIABLE=value ...", then gcc_same's arguments with the program's name for its file
function(weir_gcc_test name variables lanes threads program)
  add_test(NAME omp.gcc.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/gcc_same ${lanes} ${threads}
    ${CMAKE_CURRENT_BINARY_DIR}/gcc_${program} ${ARGN})
  set_tests_properties(omp.gcc.${name} PROPERTIES LABELS quick TIMEOUT 100
    ENVIRONMENT "WEIR_PRELOAD=$<TARGET_FILE:weir_preload>;LIBOMP=${GCC_LIBOMP};${variables}")
endfunction()

weir_gcc_program(loops gcc_loops.c)
weir_gcc_test(loops "" "park suspend" "1 3" loops)
weir_gcc_test(loops_guided "OMP_SCHEDULE=guided,2" "park suspend" "2" loops)

weir_gcc_program(empty gcc_empty.c)
weir_gcc_test(empty "" "park suspend" "1 3" empty)
weir_gcc_test(empty_reductions "" "park suspend" "1" empty reductions)

weir_gcc_program(detach gcc_detach.c)
weir_gcc_test(detach "" park "1 3" detach)
weir_gcc_test(detach_suspended "" "suspend auto" "2 3" detach)

weir_gcc_program(doacross gcc_doacross.c)
weir_gcc_test(doacross "" "park suspend" "1 2" doacross)
