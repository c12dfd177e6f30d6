# SPDX-License-Identifier: Apache-2.0
# weir_room(target glob...): a room's sources as an object library, with the flags of code that lives in somebody
# else's process.
function(weir_room target)
  file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
  if(NOT sources)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/empty_room.cpp CONTENT "// nothing here yet\n")
    set(sources ${CMAKE_BINARY_DIR}/empty_room.cpp)
  endif()
  add_library(${target} OBJECT ${sources})
  target_link_libraries(${target} PUBLIC weir_guest_flags)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
endfunction()
