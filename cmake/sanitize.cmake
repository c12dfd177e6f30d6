# SPDX-License-Identifier: Apache-2.0
if(WEIR_SANITIZE)
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
endif()
