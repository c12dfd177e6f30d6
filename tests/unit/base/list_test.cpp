// SPDX-License-Identifier: Apache-2.0
#include "base/list.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace weir::base {
namespace {

struct Item : Link {
  int pusher = 0;
  int number = 0;
};

TEST(Inbox, HandsOutOldestFirstAndSaysWhenItWasEmpty) {
  Inbox inbox;
  Item items[3];
  EXPECT_TRUE(inbox.empty());
  EXPECT_TRUE(inbox.push(&items[0]));
  EXPECT_FALSE(inbox.push(&items[1]));
  EXPECT_FALSE(inbox.push(&items[2]));
  Link* node = inbox.take_all();
  for (Item& item : items) {
    ASSERT_EQ(node, &item);
    node = node->next;
  }
  EXPECT_EQ(node, nullptr);
  EXPECT_TRUE(inbox.empty());
  EXPECT_EQ(inbox.take_all(), nullptr);
}

TEST(Inbox, LosesNothingAndKeepsEachPushersOrder) {
  constexpr int pushers = 4, each = 20'000;
  Inbox inbox;
  std::vector<std::vector<Item>> items(pushers, std::vector<Item>(each));
  std::vector<std::thread> threads;
  for (int p = 0; p < pushers; ++p) {
    threads.emplace_back([&, p] {
      for (int i = 0; i < each; ++i) {
        items[p][i].pusher = p;
        items[p][i].number = i;
        inbox.push(&items[p][i]);
      }
    });
  }
  int taken = 0, next[pushers] = {};
  while (taken < pushers * each) {
    for (Link* node = inbox.take_all(); node; ++taken) {
      auto* item = static_cast<Item*>(node);
      node = node->next;
      ASSERT_EQ(item->number, next[item->pusher]++);
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(inbox.empty());
}

TEST(Queue, IsFirstInFirstOut) {
  Queue queue;
  Item items[2];
  EXPECT_EQ(queue.pop(), nullptr);
  queue.push(&items[0]);
  queue.push(&items[1]);
  EXPECT_EQ(queue.first(), &items[0]);
  EXPECT_EQ(queue.pop(), &items[0]);
  EXPECT_EQ(queue.pop(), &items[1]);
  EXPECT_TRUE(queue.empty());
  queue.push(&items[0]);
  EXPECT_EQ(queue.pop(), &items[0]);
}

}  // namespace
}  // namespace weir::base
