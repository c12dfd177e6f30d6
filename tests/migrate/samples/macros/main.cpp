// SPDX-License-Identifier: Apache-2.0
// Names within macros: bodies, arguments, macros of macros.
#include <cstdio>
#include <future>

#define SPAWN(body) std::async(std::launch::async, [=] body)
#define FUTURE_OF(type) std::future<type>
#define DECLARE(type, name, body) FUTURE_OF(type) name = SPAWN(body)
#define ID(...) __VA_ARGS__

int main() {
  int base = 4;
  DECLARE(int, one, { return base + 1; });
  DECLARE(long, two, { return base + 2L; });
  ID(std::future<int>) three = ID(std::async(std::launch::async, [] { return 3; }));
  FUTURE_OF(FUTURE_OF(int)) nested = std::async(std::launch::async, [] { return SPAWN({ return 9; }); });
  std::printf("%d %ld %d %d\n", one.get(), two.get(), three.get(), nested.get().get());
}
