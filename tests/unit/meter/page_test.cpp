// SPDX-License-Identifier: Apache-2.0
#include "meter/page.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

namespace weir::meter {
namespace {

Shown filled(std::int64_t with) {
  Shown shown{};
  shown.now_ns = shown.calls = shown.sites[Shown::most_sites - 1].hidden_ns = with;
  return shown;
}

TEST(Page, WhoReadsWhileItIsWrittenGetsOneWriteOrNothing) {
  auto page = std::make_unique<Page>();
  page->begin(7);
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (std::int64_t i = 1; !stop; ++i) page->write(filled(i));
  });
  while (!page->sequence) std::this_thread::yield();
  std::int64_t last = 0;
  for (int good = 0; good < 2'000;) {
    Shown shown;
    if (!page->read(shown)) continue;
    ++good;
    EXPECT_EQ(shown.now_ns, shown.calls);
    EXPECT_EQ(shown.now_ns, shown.sites[Shown::most_sites - 1].hidden_ns);
    EXPECT_GE(shown.now_ns, last);
    last = shown.now_ns;
  }
  stop = true;
  writer.join();
  EXPECT_GT(last, 0);
}

TEST(Page, HalfWrittenItIsNotRead) {
  auto page = std::make_unique<Page>();
  page->write(filled(1));
  Shown shown;
  EXPECT_TRUE(page->read(shown));
  page->sequence.fetch_add(1);
  EXPECT_FALSE(page->read(shown));
}

}  // namespace
}  // namespace weir::meter
