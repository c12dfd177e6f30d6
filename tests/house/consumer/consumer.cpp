// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>
#include <weir/weir.h>

#include <iostream>
#include <string>

int main() {
  int ends[2];
  if (weir_init(nullptr) || pipe(ends)) return 1;
  std::string got(5, ' ');
  if (weir_write(ends[1], "hello", 5) != 5 || weir_read(ends[0], got.data(), 5) != 5 || got != "hello") return 2;
  std::cout << "C++ is served\n";
  return weir_close() ? 3 : 0;
}
