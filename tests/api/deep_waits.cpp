// SPDX-License-Identifier: Apache-2.0
// Each of many tasks waits for the one that it has just begun: who waits for it could run it at once, on top of itself, but each takes
// some of the stack.
#include <cstdio>
#include <cstring>

#include "weir/future.hpp"

namespace {

int below(int deep) {
  char room[4096];
  std::memset(room, deep, sizeof room);
  asm volatile("" : : "r"(room) : "memory");  // whoever reads it
  if (!deep) return 0;
  int counted = weir::async(std::launch::async, below, deep - 1).get();
  return counted + (room[deep % sizeof room] == static_cast<char>(deep));
}

}  // namespace

int main() {
  constexpr int deep = 3000;
  int counted = weir::async(std::launch::async, below, deep).get();
  std::printf("%s: %d\n", counted == deep ? "well" : "wrong", counted);
}
