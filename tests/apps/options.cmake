# SPDX-License-Identifier: Apache-2.0
add_test(NAME apps.options COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/options ${CMAKE_BINARY_DIR}/apps)
set_tests_properties(apps.options PROPERTIES LABELS quick TIMEOUT 120)
