// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/region_memory.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/names.h"
#include "lane/constants.h"

namespace weir::team {
namespace {

using enum lane::Register;

constexpr std::uint64_t beyond_all = std::numeric_limits<std::uint64_t>::max();

// By the product of two arguments, or by one.
struct Takes {
  const char* start;
  lane::Register bytes_in;
  int times_in = -1;
};
constexpr Takes takes[] = {{"malloc", rdi},      {"calloc", rdi, rsi}, {"realloc", rsi},         {"aligned_alloc", rsi}, {"posix_memalign", rdx},
                           {"memalign", rsi},    {"valloc", rdi},      {"mmap", rsi},            {"mmap64", rsi},        {"_Znwm", rdi},
                           {"_Znam", rdi},       {"scalable_malloc", rdi}, {"omp_alloc", rdi}};

const Takes* taking(const char* name) {
  for (const Takes& how : takes) {
    bool has_more = how.start[0] == '_';  // an operator new's: that it may align, or not throw
    if (has_more ? base::starts(name, how.start) : !std::strcmp(name, how.start)) return &how;
  }
  return nullptr;
}

template <typename Known>
std::uint64_t product(const Known& known, int bytes_in, int times_in) {
  auto bytes = known.in(bytes_in), times = times_in < 0 ? decltype(bytes)(1) : known.in(times_in);
  std::uint64_t all;
  return bytes && times && !__builtin_mul_overflow(*bytes, *times, &all) ? all : beyond_all;
}

// Of all the ways that lead to a call.
struct Most {
  int bytes_in, times_in;
  bool came = false;
  std::uint64_t bytes = 0;

  static void come(void* most_, const lane::Pretence& state) {
    auto& most = *static_cast<Most*>(most_);
    most.came = true;
    most.bytes = std::max(most.bytes, product(state, most.bytes_in, most.times_in));
  }
};

}  // namespace

std::uint64_t memory_taken(const char* name, lane::Function code, std::uintptr_t at) {
  const Takes* how = taking(name);
  return how ? product(lane::constants_before(code, at), how->bytes_in, how->times_in) : 0;
}

bool MemoryCalls::add(const char* name, std::uintptr_t at) {
  const Takes* how = taking(name);
  if (!how || count_ == most) return false;
  calls_[count_++] = {at, static_cast<std::int8_t>(how->bytes_in), static_cast<std::int8_t>(how->times_in)};
  return true;
}

std::uint64_t MemoryCalls::taken(std::uintptr_t region, lane::Beginning beginning) const {
  lane::Function function = lane::Object::around(region).starting_at(region);
  std::uint64_t all = 0;
  for (int c = 0; c < count_; ++c) {
    Most most_there{calls_[c].bytes_in, calls_[c].times_in};
    bool known = lane::rehearse(function, beginning, calls_[c].at, Most::come, &most_there) && most_there.came;
    if (!known || __builtin_add_overflow(all, most_there.bytes, &all)) return beyond_all;
  }
  return all;
}

}  // namespace weir::team
