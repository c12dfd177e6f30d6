# SPDX-License-Identifier: Apache-2.0
# One set of warnings for everything; both compilers must be silent at it.
add_compile_options(-Wall -Wextra)
