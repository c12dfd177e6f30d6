# SPDX-License-Identifier: Apache-2.0
# -g1: what a report needs to name functions and lines; the whole of -g takes a third longer to compile. So does -O2, with its checks.
if(WEIR_SANITIZE)
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer -g1 -O1)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
endif()
