// SPDX-License-Identifier: Apache-2.0
#include "sys/wakes.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/clock.h"
#include "sys/futex.h"

namespace weir::sys {
namespace {

constexpr std::int64_t patience_ns = 20 * base::ns_per_s;

// Each sleeps on a word that nobody changes: only a wake ends it before its patience does.
class Sleepers {
 public:
  Sleepers(int words, int each) : words_(static_cast<std::size_t>(words)) {
    for (auto& word : words_)
      for (int i = 0; i < each; ++i)
        threads_.emplace_back([this, &word] {
          ++asleep_;
          while (futex_wait(word, 0, patience_ns) == -EINTR) {}
          ++awake_;
        });
  }
  ~Sleepers() {
    for (std::thread& thread : threads_) thread.join();
  }
  std::vector<std::atomic<std::uint32_t>>& words() { return words_; }
  int awake() const { return awake_; }
  // In the kernel, as far as can be told.
  void all_asleep() const {
    while (asleep_ < static_cast<int>(threads_.size())) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }

 private:
  std::vector<std::atomic<std::uint32_t>> words_;
  std::atomic<int> asleep_{0}, awake_{0};
  std::vector<std::thread> threads_;
};

TEST(WakesTest, come_at_the_end_and_all_of_them) {
  constexpr int words = 100;  // more than are kept
  std::int64_t began = base::now_ns();
  {
    Sleepers sleepers(words, 2);
    sleepers.all_asleep();
    {
      WakesTogether together;
      for (int i = 0; i < 5; ++i) wake_soon(sleepers.words()[static_cast<std::size_t>(i)], 2);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_EQ(sleepers.awake(), 0);
      for (auto& word : sleepers.words()) {
        wake_soon(word);
        wake_soon(word);  // as many sleepers as wakes
      }
    }
  }
  EXPECT_LT(base::now_ns() - began, patience_ns);
}

TEST(WakesTest, tell_how_many_idle_threads_were_told) {
  std::atomic<std::uint32_t> of_one[40] = {}, of_another{0};
  WakesTogether together;
  for (auto& word : of_one) wake_soon(word, 1, Sleeper::idles);
  wake_soon(of_one[39], 3, Sleeper::idles);  // told already
  wake_soon(of_another);                     // waits for something of its own
  EXPECT_EQ(together.idle_told(), 40u);
}

// What it waits for may be done by one that it keeps from waking.
TEST(WakesTest, come_before_their_thread_sleeps) {
  std::int64_t began = base::now_ns();
  {
    Sleepers sleepers(1, 1);
    sleepers.all_asleep();
    WakesTogether together;
    wake_soon(sleepers.words()[0]);
    std::atomic<std::uint32_t> nobody{0};
    while (sleepers.awake() < 1 && base::now_ns() - began < patience_ns / 2) futex_wait(nobody, 0, base::ns_per_ms);
    EXPECT_EQ(sleepers.awake(), 1);
  }
}

TEST(WakesTest, come_at_once_elsewhere) {
  std::int64_t began = base::now_ns();
  {
    Sleepers sleepers(1, 3);
    sleepers.all_asleep();
    WakesTogether together;
    std::thread([&sleepers] { wake_soon(sleepers.words()[0], 1 << 30); }).join();
    while (sleepers.awake() < 3 && base::now_ns() - began < patience_ns) std::this_thread::yield();
    EXPECT_EQ(sleepers.awake(), 3);
  }
  EXPECT_LT(base::now_ns() - began, patience_ns);
}

}  // namespace
}  // namespace weir::sys
