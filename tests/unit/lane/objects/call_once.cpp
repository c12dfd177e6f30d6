// SPDX-License-Identifier: Apache-2.0
#include <mutex>

extern "C" int weir_test_call_once() {
  static std::once_flag once;
  static int value = 0;
  std::call_once(once, [] { value = 7; });
  return value;
}
