# SPDX-License-Identifier: Apache-2.0
# The sum that the formula of the content gives, in every runtime and both builds.
set(n 0)
foreach(program coldread coldread_gcc)
  foreach(how serial threads openmp openmp-dynamic openmp-tasks tbb "tbb --threads=8" "threads --threads=8"
      "openmp --mode=buffered" "openmp --mode=whole --block=64K" "tbb --mode=hot --compute=2")
    math(EXPR n "${n}+1")
    separate_arguments(words UNIX_COMMAND "--runtime=${how}")
    string(REGEX REPLACE "[- =]+" "." label "${how}")
    weir_app_test(${program}.${label} ANY
      ./${program} --size=4M --reads=500 --verify --remove --file=/var/tmp/coldread-test.${n} ${words})
  endforeach()
endforeach()
