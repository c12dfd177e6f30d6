// SPDX-License-Identifier: Apache-2.0
// Whether none of an object's regions waits is told by its code, whatever else the machine does.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "base/clock.h"
#include "lane/object.h"
#include "omp_ext/region_code.h"

namespace weir::team {
namespace {

class SurveyTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(library_, nullptr) << dlerror(); }
  ~SurveyTest() override {
    if (library_) dlclose(library_);
  }
  lane::Object object() const { return lane::Object::around(reinterpret_cast<std::uintptr_t>(dlsym(library_, "one"))); }
  std::uintptr_t bytes() const {
    lane::Object it = object();
    std::uintptr_t sum = 0;
    for (std::uint32_t f = 0; f < it.functions(); ++f) sum += it.function(f).end - it.function(f).begin;
    return sum;
  }

 private:
  void* library_ = dlopen((REGION_OBJECTS_FOLDER + std::string("/much.so")).c_str(), RTLD_LAZY);
};

void stay_on(int core) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  sched_setaffinity(0, sizeof only, &only);
}

// The calling thread has what others leave of a core, a moment at a time.
class Others {
 public:
  explicit Others(int core) : busy_([this, core] { keep_busy(core); }), too_([this, core] { keep_busy(core); }) {
    while (begun_ < 2) usleep(100);
  }
  ~Others() {
    over_ = true;
    busy_.join();
    too_.join();
  }

 private:
  void keep_busy(int core) {
    stay_on(core);
    ++begun_;
    while (!over_) {
      std::int64_t end = base::now_ns() + base::ns_per_ms;
      while (base::now_ns() < end) {}
      usleep(10);
    }
  }
  std::atomic<bool> over_{false};
  std::atomic<int> begun_{0};
  std::thread busy_, too_;
};

TEST_F(SurveyTest, says_the_same_on_a_busy_machine) {
  constexpr int times = 20;
  int core = sched_getcpu(), said = 0;
  std::thread([&] {
    stay_on(core);
    sched_param none{};
    sched_setscheduler(0, SCHED_IDLE, &none);
    Others others(core);
    for (int i = 0; i < times; ++i) said += no_region_waits_in(object());
  }).join();
  EXPECT_EQ(said, times);
}

TEST_F(SurveyTest, what_regions_share_is_read_once_and_no_more_than_may_be) {
  EXPECT_TRUE(no_region_waits_in(object(), 2 * bytes()));
  EXPECT_FALSE(no_region_waits_in(object(), bytes() / 2));
}

}  // namespace
}  // namespace weir::team
