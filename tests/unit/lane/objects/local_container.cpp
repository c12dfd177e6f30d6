// SPDX-License-Identifier: Apache-2.0
#include <tbb/enumerable_thread_specific.h>

extern "C" int weir_test_local_container() {
  static tbb::enumerable_thread_specific<int> counters;
  return ++counters.local();
}
