// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <string>

extern "C" int weir_test_first_number(const char* file) {
  std::ifstream in(file);
  int number = 0;
  in >> number;
  return number;
}
