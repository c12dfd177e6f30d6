// SPDX-License-Identifier: Apache-2.0
// The quick look at code, against reading it an instruction after the other: on this program and the libraries it has.
#include "lane/references.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <set>
#include <vector>

#include "lane/instruction.h"

namespace weir::lane {
namespace {

std::vector<Object> objects() {
  std::vector<Object> all;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        const Object object = Object::of(*info);
        if (object.valid()) static_cast<std::vector<Object>*>(into)->push_back(object);
        return 0;
      },
      &all);
  return all;
}

// Every n-th, so that there are some ten.
template <typename T>
Addresses some_of(const std::vector<T>& from) {
  Addresses some;
  const std::size_t step = from.size() / 10 + 1;
  for (std::size_t i = step / 2; i < from.size(); i += step) some.add(from[i]);
  return some;
}

template <typename Fn>
void each_instruction(Function function, Fn fn) {
  for (std::uintptr_t at = function.begin; at < function.end;) {
    const Instruction i =
        read_instruction(reinterpret_cast<const std::uint8_t*>(at), reinterpret_cast<const std::uint8_t*>(function.end));
    fn(i);
    at += i.length ? i.length : 1;
  }
}

bool uses(const Object& object, Function function, const Addresses& slots) {
  bool found = false;
  each_instruction(function, [&](const Instruction& i) {
    if (i.kind == Instruction::call_slot || i.kind == Instruction::loads_slot) found |= slots.has(i.target);
    if ((i.kind == Instruction::call || i.kind == Instruction::jump) && !function.holds(i.target))
      found |= slots.has(object.slot_of_stub(i.target));
  });
  return found;
}

bool takes(Function function, const Addresses& functions) {
  bool found = false;
  each_instruction(function, [&](const Instruction& i) {
    found |= i.kind == Instruction::takes_address && functions.has(i.target);
  });
  return found;
}

struct Count {
  int all = 0, found = 0, in_vain = 0;
};

// What the quick look says no to is not there; and it says no nearly always where nothing is.
template <typename Quick, typename Read>
void compare(const Object& object, Count& count, Quick quick, Read read) {
  for (std::uint32_t f = 0; f < object.functions(); ++f) {
    const Function function = object.function(f);
    if (!function || object.is_linkage(function)) continue;
    const bool may = quick(function), does = read(function);
    EXPECT_TRUE(may || !does) << object.name() << " at " << function.begin - object.begin();
    ++count.all;
    count.found += does;
    count.in_vain += may && !does;
  }
}

TEST(ReferencesTest, no_use_of_a_slot_is_missed) {
  Count count;
  for (const Object& object : objects()) {
    std::vector<std::uintptr_t> slots;
    object.each_import(
        [](void* into, const char*, std::uintptr_t slot) { static_cast<std::vector<std::uintptr_t>*>(into)->push_back(slot); },
        &slots);
    const Addresses some = some_of(slots);
    compare(object, count, [&](Function f) { return may_use(object, f, some); }, [&](Function f) { return uses(object, f, some); });
  }
  EXPECT_GT(count.found, 50);
  EXPECT_LT(count.in_vain, count.all / 100);
}

TEST(ReferencesTest, no_function_whose_address_is_taken_is_missed) {
  Count count;
  for (const Object& object : objects()) {
    std::set<std::uintptr_t> taken;
    for (std::uint32_t f = 0; f < object.functions(); ++f) {
      each_instruction(object.function(f), [&](const Instruction& i) {
        if (i.kind == Instruction::takes_address && object.starting_at(i.target)) taken.insert(i.target);
      });
    }
    const Addresses some = some_of(std::vector<std::uintptr_t>(taken.begin(), taken.end()));
    compare(object, count, [&](Function f) { return may_take(f, some); }, [&](Function f) { return takes(f, some); });
  }
  EXPECT_GT(count.found, 20);
  EXPECT_LT(count.in_vain, count.all / 100);
}

TEST(ReferencesTest, what_lies_between_the_parts_of_an_object_is_not_looked_at) {
  void* handle = dlopen(LANE_OBJECTS_FOLDER "/holes.so", RTLD_NOW);
  ASSERT_TRUE(handle) << dlerror();
  const auto at = reinterpret_cast<std::uintptr_t>(dlsym(handle, "weir_test_holes"));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(write(ends[1], reinterpret_cast<const void*>(at - 0x100000), 1), -1) << "there is memory";
  const Object object = Object::around(at);
  ASSERT_TRUE(object.valid() && object.holds(at - 0x100000));
  Addresses slots;
  object.each_import([](void* into, const char*, std::uintptr_t slot) { static_cast<Addresses*>(into)->add(slot); }, &slots);
  EXPECT_TRUE(may_use(object, object.starting_at(at), slots));
  Addresses none;
  none.add(at + 1);
  EXPECT_FALSE(may_use(object, object.starting_at(at), none));
  close(ends[0]);
  close(ends[1]);
  dlclose(handle);
}

TEST(ReferencesTest, of_too_many_addresses_nothing_is_sure) {
  Addresses many;
  for (std::uintptr_t i = 1; i <= Addresses::most; ++i) many.add(i << 20);
  EXPECT_TRUE(many.all_fit());
  EXPECT_TRUE(many.has(Addresses::most << 20));
  EXPECT_FALSE(many.has((Addresses::most << 20) - 8));
  many.add(8);
  EXPECT_FALSE(many.all_fit());
  const std::uint8_t code[] = {0xc3};
  const auto at = reinterpret_cast<std::uintptr_t>(code);
  EXPECT_TRUE(may_take({at, at + 1}, many));
  EXPECT_FALSE(may_take({at, at + 1}, Addresses{}));
}

}  // namespace
}  // namespace weir::lane
