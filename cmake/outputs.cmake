# SPDX-License-Identifier: Apache-2.0
# What is built from the rooms: three libraries and one command.
set(WEIR_PRIVATE_LIBS ${URING_STATIC} ${BOOST_CONTEXT_STATIC})
# libc alone: no C++ runtime may come into a C program with us.
# (-nostdlib++ would say it, but gcc 12 does not know the option.)
set(WEIR_LIBC_ALONE -lc -lgcc)
set(WEIR_LINK_ALONE -nodefaultlibs -Wl,-z,now -Wl,--no-undefined -Wl,--gc-sections -Wl,--exclude-libs,ALL)
if(WEIR_SANITIZE)
  set(WEIR_LINK_ALONE -Wl,--exclude-libs,ALL)
  set(WEIR_LIBC_ALONE "")
endif()

# The export map of a library is made from the lists of names its rooms keep; scripts/check-exports compares the result.
function(weir_export_map output)
  set(names "")
  foreach(list ${ARGN})
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
    file(STRINGS ${list} lines REGEX "^[A-Za-z_]")
    foreach(line ${lines})
      string(APPEND names "  ${line};\n")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${output} CONTENT "{\nglobal:\n${names}local: *;\n};\n" @ONLY)
endfunction()
set(WEIR_API_NAMES ${CMAKE_SOURCE_DIR}/plugin/api/names.txt)
set(WEIR_PRELOAD_NAMES ${WEIR_API_NAMES} ${CMAKE_SOURCE_DIR}/plugin/intercept/names.txt
  ${CMAKE_SOURCE_DIR}/omp_ext/names.txt ${CMAKE_SOURCE_DIR}/tbb_ext/names.txt)
weir_export_map(${CMAKE_BINARY_DIR}/libweir.map ${WEIR_API_NAMES})
weir_export_map(${CMAKE_BINARY_DIR}/libweir_preload.map ${WEIR_PRELOAD_NAMES})

add_library(weir SHARED $<TARGET_OBJECTS:weir_engine>)
target_link_options(weir PRIVATE ${WEIR_LINK_ALONE} -Wl,--defsym=_exit=weir_context_returned
  -Wl,--version-script=${CMAKE_BINARY_DIR}/libweir.map)
target_link_libraries(weir PRIVATE ${WEIR_PRIVATE_LIBS} ${WEIR_LIBC_ALONE})
target_include_directories(weir INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(weir PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0
  LINK_DEPENDS ${CMAKE_BINARY_DIR}/libweir.map)

set(PRELOAD_OBJECTS $<TARGET_OBJECTS:weir_engine>)
foreach(room weir_intercept weir_omp weir_tbb_machine)
  if(TARGET ${room})
    list(APPEND PRELOAD_OBJECTS $<TARGET_OBJECTS:${room}>)
  endif()
endforeach()
add_library(weir_preload SHARED ${PRELOAD_OBJECTS})
target_link_options(weir_preload PRIVATE ${WEIR_LINK_ALONE}
  -Wl,--version-script=${CMAKE_BINARY_DIR}/libweir_preload.map)
target_link_libraries(weir_preload PRIVATE ${WEIR_PRIVATE_LIBS} ${WEIR_LIBC_ALONE})
set_target_properties(weir_preload PROPERTIES
  LINK_DEPENDS ${CMAKE_BINARY_DIR}/libweir_preload.map)
