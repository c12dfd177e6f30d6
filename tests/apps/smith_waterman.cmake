# SPDX-License-Identifier: Apache-2.0
set_source_files_properties(${CMAKE_SOURCE_DIR}/apps/smith_waterman/striped_sse41.cpp PROPERTIES COMPILE_OPTIONS -msse4.1)
set_source_files_properties(${CMAKE_SOURCE_DIR}/apps/smith_waterman/striped_avx2.cpp PROPERTIES COMPILE_OPTIONS -mavx2)
weir_app_parts_test(smith_waterman fasta.cpp grid.cpp kernel.cpp scoring.cpp striped_avx2.cpp striped_sse41.cpp)
weir_app_same_everywhere(smith_waterman pair "--rows=@/a --columns=@/b --size=1500"
                         "--rows=@/a --columns=@/b --output=@/ab --tile=64" async)
weir_app_same_everywhere(smith_waterman database
                         "--query=@/q --database=@/db --size=200 --files=20 --sequences=5"
                         "--query=@/q --database=@/db --output=@/hits")
add_test(NAME apps.smith_waterman.finds_what_was_hidden WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/apps
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/smith_waterman/hidden_piece)
set_tests_properties(apps.smith_waterman.finds_what_was_hidden PROPERTIES LABELS quick TIMEOUT 120)
if(TARGET smith_waterman_async)
  add_test(NAME apps.smith_waterman.async WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/apps
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/smith_waterman/same_with_weir_async)
  set_tests_properties(apps.smith_waterman.async PROPERTIES LABELS quick TIMEOUT 120)
endif()
