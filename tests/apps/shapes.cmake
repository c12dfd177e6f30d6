# SPDX-License-Identifier: Apache-2.0
# Each shape comes to what one thread comes to.
set(n 0)
foreach(program shapes shapes_gcc)
  foreach(shape loop loop-dynamic loop-stdio loop-lines loop-ordered take-critical take-lock take-mutex sections double-buffer batches
          inner-loops reader-thread task-each task-loop task-tree task-reader task-pairs task-chain tbb-loop tbb-stdio tbb-group tbb-reader
          tbb-pipeline tbb-pipeline-reads tbb-flow tbb-flow-reads tbb-inner tbb-nested tbb-feeder tbb-queue tbb-mutex tbb-lock tbb-spin tbb-queuing tbb-for-each tbb-transform)
    math(EXPR n "${n}+1")
    weir_app_test(${program}.${shape} ANY ./${program} --shape=${shape} --files=30 --bytes=5000 --compute=1 --verify --remove
      --dir=/var/tmp/shapes-test.${n})
  endforeach()
  if(TARGET weir_command)
    add_test(NAME apps.${program}.under_weir COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/shapes/under_weir ${CMAKE_BINARY_DIR}/apps/${program})
    set_tests_properties(apps.${program}.under_weir PROPERTIES LABELS full TIMEOUT 300 ENVIRONMENT "WEIR=$<TARGET_FILE:weir_command>")
  endif()
endforeach()
