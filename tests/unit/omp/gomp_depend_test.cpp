// SPDX-License-Identifier: Apache-2.0
#include "omp_ext/gomp_depend.h"

#include <gtest/gtest.h>

namespace weir::omp {
namespace {

void* number(std::uintptr_t n) { return reinterpret_cast<void*>(n); }

TEST(GompDepend, ReadsTheShortForm) {
  int a, b, c;
  void* array[] = {number(3), number(1), &a, &b, &c};
  GompDepends depends(array);
  ASSERT_EQ(depends.count(), 3);
  EXPECT_EQ(depends[0].base, &a);
  EXPECT_EQ(depends[0].flags, 3);
  EXPECT_EQ(depends[1].flags, 1);
  EXPECT_EQ(depends[2].base, &c);
}

TEST(GompDepend, ReadsTheLongFormWithAllKinds) {
  int out, mutex, in, other;
  void* object[] = {&other, number(5)};
  void* array[] = {nullptr, number(4), number(1), number(1), number(1), &out, &mutex, &in, object};
  GompDepends depends(array);
  ASSERT_EQ(depends.count(), 4);
  EXPECT_EQ(depends[0].flags, 3);
  EXPECT_EQ(depends[1].flags, 4);
  EXPECT_EQ(depends[1].base, &mutex);
  EXPECT_EQ(depends[2].flags, 1);
  EXPECT_EQ(depends[3].base, &other);
  EXPECT_EQ(depends[3].flags, 8);
}

}  // namespace
}  // namespace weir::omp
