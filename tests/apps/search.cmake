# SPDX-License-Identifier: Apache-2.0
weir_app_parts_test(search needle.cpp)
# A generated tree of 300 files holds the string in one line of 4 of them (0, 97, 194, 291).
set(tree ${CMAKE_BINARY_DIR}/search-tree)
add_test(NAME apps.search.generate WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/apps
  COMMAND ./search --generate --dir=${tree} --files=300 --size=3000 --string=a_rare_word)
set_tests_properties(apps.search.generate PROPERTIES LABELS quick FIXTURES_SETUP search_tree)
foreach(program search search_gcc)
  foreach(runtime serial threads openmp openmp-tasks tbb)
    add_test(NAME apps.${program}.${runtime} WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/apps
      COMMAND ./${program} --dir=${tree} --string=a_rare_word --cold --runtime=${runtime} --threads=4)
    set_tests_properties(apps.${program}.${runtime} PROPERTIES LABELS quick TIMEOUT 60 FIXTURES_REQUIRED search_tree
      PASS_REGULAR_EXPRESSION "lines=4 files=4\nchecksum=[0-9a-f]+ seconds=[0-9.]+ items=300")
  endforeach()
endforeach()
