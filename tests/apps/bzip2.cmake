# SPDX-License-Identifier: Apache-2.0
weir_app_parts_test(bzip2 stream.cpp LIBS bz2)
weir_app_same_everywhere(bzip2 files "--input=@/in --files=12 --size=30K" "--input=@/in --output=@/out")
weir_app_same_everywhere(bzip2 one "--input=@/in --size=350K" "--input=@/in --output=@/out --level=1")
add_test(NAME apps.bzip2.bunzip2_gives_the_input_back WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/apps
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/bzip2/round_trip)
set_tests_properties(apps.bzip2.bunzip2_gives_the_input_back PROPERTIES LABELS quick TIMEOUT 120 SKIP_RETURN_CODE 77)
