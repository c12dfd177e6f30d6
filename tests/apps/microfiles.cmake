# SPDX-License-Identifier: Apache-2.0
# The sum that the formula of the content gives, in every runtime and both builds.
set(n 0)
foreach(program microfiles microfiles_gcc)
  foreach(how serial threads openmp openmp-dynamic openmp-tasks tbb "openmp --bytes=1000 --compute=3" "tbb --cold=no")
    math(EXPR n "${n}+1")
    separate_arguments(words UNIX_COMMAND "--bytes=10240 --runtime=${how}")
    string(REGEX REPLACE "[- =]+" "." label "${how}")
    weir_app_test(${program}.${label} ANY
      ./${program} --files=60 --verify --remove --threads=4 --dir=/var/tmp/microfiles-test.${n} ${words})
  endforeach()
endforeach()
