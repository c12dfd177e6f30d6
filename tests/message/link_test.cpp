// SPDX-License-Identifier: Apache-2.0
// What message.h promises of messages that arrive.
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "pair.h"
#include "weir/future.hpp"
#include "weir/weir.h"

namespace {

constexpr std::size_t mega = 1 << 20;

TEST(MessageTest, arrives_at_every_size) {
  Pair pair;
  for (std::size_t bytes : {0, 1, 7, 4095, 4096, 4097, 65536, 65537, 1'000'003}) {
    auto sent = pattern(bytes, bytes), got = pattern(bytes, 1);
    weir_message in = weir_msg_recv(pair.links[1], got.data(), bytes);
    weir_message out = weir_msg_send(pair.links[0], sent.data(), bytes);
    ASSERT_GT(in, 0);
    ASSERT_GT(out, 0);
    EXPECT_EQ(weir_msync(out), static_cast<ssize_t>(bytes));
    EXPECT_EQ(weir_msync(in), static_cast<ssize_t>(bytes));
    EXPECT_FALSE(differ(sent.data(), got.data(), bytes));
  }
}

// Sent before anybody asked: small ones wait at the receiver, large ones at the sender.
TEST(MessageTest, order_is_that_of_the_sequence_numbers) {
  Pair pair;
  constexpr int count = 600;
  std::vector<std::vector<std::uint64_t>> sent;
  std::vector<weir_message> outs, ins;
  for (int i = 0; i < count; ++i) {
    sent.push_back(pattern(i % 5 == 4 ? 20'000 : 8 * (i % 90) + 8, i));
    outs.push_back(weir_msg_send(pair.links[0], sent[i].data(), sent[i].size() * 8));
    ASSERT_EQ(weir_msg_sequence(outs[i]), i);
  }
  std::vector<std::vector<std::uint64_t>> got(count, std::vector<std::uint64_t>(2500));
  for (int i = 0; i < count; ++i) {
    ins.push_back(weir_msg_recv(pair.links[1], got[i].data(), got[i].size() * 8));
    ASSERT_EQ(weir_msg_sequence(ins[i]), i);
  }
  for (int i = count; i-- > 0;) {
    ssize_t bytes = static_cast<ssize_t>(sent[i].size() * 8);
    ASSERT_EQ(weir_msync(ins[i]), bytes) << i;
    ASSERT_EQ(weir_msync(outs[i]), bytes) << i;
    ASSERT_FALSE(differ(got[i].data(), sent[i].data(), bytes)) << i;
  }
}

// Neither receives before it has sent: what one sends waits for the other's request, in nobody's buffer.
TEST(MessageTest, two_that_send_64_MB_first_do_not_deadlock) {
  Pair pair;
  constexpr std::size_t bytes = 64 * mega;
  std::vector<std::uint64_t> sent[2], got[2];
  std::thread peers[2];
  ssize_t results[2][2];
  for (int side = 0; side < 2; ++side) {
    sent[side] = pattern(bytes, side + 5);
    got[side].resize(bytes / 8);
    peers[side] = std::thread([&, side] {
      weir_message out = weir_msg_send(pair.links[side], sent[side].data(), bytes);
      results[side][0] = weir_msync_within(out, 20'000'000);
      weir_message in = weir_msg_recv(pair.links[side], got[side].data(), bytes);
      results[side][1] = weir_msync(in);
      if (results[side][0] == -ETIMEDOUT) results[side][0] = weir_msync(out);
    });
  }
  for (auto& peer : peers) peer.join();
  for (int side = 0; side < 2; ++side) {
    EXPECT_EQ(results[side][0], static_cast<ssize_t>(bytes));
    EXPECT_EQ(results[side][1], static_cast<ssize_t>(bytes));
    EXPECT_TRUE(got[side] == sent[1 - side]);
  }
}

TEST(MessageTest, continuations_run_once_early_or_late) {
  Pair pair;
  std::uint64_t word = 7, got = 0;
  std::atomic<int> sum{0};
  auto add = [](void* sum_, ssize_t result) { static_cast<std::atomic<int>*>(sum_)->fetch_add(static_cast<int>(result)); };
  weir_message in = weir_msg_recv(pair.links[1], &got, 8);
  EXPECT_EQ(weir_mcont(in, add, &sum), 0);
  EXPECT_EQ(weir_mcont(in, add, &sum), -EINVAL);
  weir_message out = weir_msg_send(pair.links[0], &word, 8);
  EXPECT_EQ(weir_msync(in), 8);
  EXPECT_EQ(sum, 8);  // it has run when msync returns
  ssize_t result;
  while (!weir_mtest(out, &result)) std::this_thread::yield();
  EXPECT_EQ(weir_mcont(out, add, &sum), 0);
  EXPECT_EQ(sum, 16);
  EXPECT_EQ(weir_msync(out), 8);
  EXPECT_EQ(got, 7u);
}

// A continuation may go on with the next message: a chain that nobody waits in.
struct PingPong {
  weir_link* link;
  std::uint64_t ball = 0;
  int left;
  weir::promise<int> done;
  void receive() {
    weir_message id = weir_msg_recv(link, &ball, sizeof ball);
    if (id < 0) return done.set_value(-1);  // the link was closed before its last send was heard of
    weir_mcont(id, [](void* self, ssize_t result) { static_cast<PingPong*>(self)->received(result); }, this);
    weir_mrelease(id);
  }
  void send() {
    ++ball;
    weir_message id = weir_msg_send(link, &ball, sizeof ball);
    if (id < 0) return done.set_value(-1);
    weir_mcont(id, [](void* self, ssize_t result) { static_cast<PingPong*>(self)->sent(result); }, this);
    weir_mrelease(id);
  }
  void received(ssize_t result) {
    if (result != 8) return done.set_value(-1);
    if (left-- == 0) return done.set_value(static_cast<int>(ball));
    send();
  }
  void sent(ssize_t result) {
    if (result != 8) return done.set_value(-1);
    receive();
  }
};

TEST(MessageTest, continuations_register_the_next) {
  Pair pair;
  PingPong one{pair.links[0], 0, 500, {}}, other{pair.links[1], 0, 499, {}};
  auto scores = std::make_pair(one.done.get_future(), other.done.get_future());
  other.receive();
  one.send();
  EXPECT_EQ(scores.second.get(), 999);
  // The other received its last ball and sends no more: the one still waits, until its link is closed.
  pair.close_link(0);
  EXPECT_EQ(scores.first.get(), -1);
}

// A tree, one node a record: what has pointers in it cannot be sent as memory.
struct Node {
  std::uint32_t key;
  Node *left = nullptr, *right = nullptr;
  ~Node() {
    delete left;
    delete right;
  }
};

Node* grow(std::mt19937& random, int depth) {
  if (depth == 0 || random() % 16 == 0) return nullptr;
  auto* node = new Node{static_cast<std::uint32_t>(random())};
  node->left = grow(random, depth - 1);
  node->right = grow(random, depth - 1);
  return node;
}

int write_tree(weir_stream* stream, const Node* node) {
  unsigned char present = node != nullptr;
  if (int error = weir_stream_put(stream, &present, 1)) return error;
  if (!node) return 0;
  if (int error = weir_stream_put(stream, &node->key, 4)) return error;
  if (int error = write_tree(stream, node->left)) return error;
  return write_tree(stream, node->right);
}

int read_tree(weir_stream* stream, Node** into) {
  unsigned char present;
  ssize_t got = weir_stream_get(stream, &present, 1);
  if (got != 1) return got < 0 ? static_cast<int>(got) : -EBADMSG;
  if (!present) return 0;
  *into = new Node{};
  got = weir_stream_get(stream, &(*into)->key, 4);
  if (got != 4) return got < 0 ? static_cast<int>(got) : -EBADMSG;
  if (int error = read_tree(stream, &(*into)->left)) return error;
  return read_tree(stream, &(*into)->right);
}

bool same(const Node* a, const Node* b) {
  if (!a || !b) return a == b;
  return a->key == b->key && same(a->left, b->left) && same(a->right, b->right);
}

TEST(StreamTest, a_linked_structure_arrives) {
  Pair pair;
  std::mt19937 random(3);
  for (int depth : {0, 3, 10, 17}) {
    std::unique_ptr<Node> tree(grow(random, depth));
    Node* got = nullptr;
    auto marshal = [](weir_stream* stream, void* tree_) { return write_tree(stream, static_cast<Node*>(tree_)); };
    auto unmarshal = [](weir_stream* stream, void* into) { return read_tree(stream, static_cast<Node**>(into)); };
    weir_message out = weir_msg_send_by(pair.links[0], marshal, tree.get());
    weir_message in = weir_msg_recv_by(pair.links[1], unmarshal, &got);
    ssize_t sent = weir_msync(out);
    EXPECT_GT(sent, 0);
    EXPECT_EQ(weir_msync(in), sent);
    EXPECT_TRUE(same(tree.get(), got));
    delete got;
  }
}

struct Bytes {
  std::uint64_t seed;
  std::size_t bytes, step;
  bool right = true;
};

int write_bytes(weir_stream* stream, void* what_) {
  auto* what = static_cast<Bytes*>(what_);
  auto words = pattern(what->bytes, what->seed);
  const char* from = reinterpret_cast<char*>(words.data());
  for (std::size_t at = 0; at < what->bytes; at += what->step)
    if (int error = weir_stream_put(stream, from + at, std::min(what->step, what->bytes - at))) return error;
  return 0;
}

int read_bytes(weir_stream* stream, void* what_) {
  auto* what = static_cast<Bytes*>(what_);
  auto words = pattern(what->bytes, what->seed);
  const char* expected = reinterpret_cast<char*>(words.data());
  std::vector<char> part(what->step);
  std::size_t at = 0;
  while (true) {
    ssize_t got = weir_stream_get(stream, part.data(), what->step);
    if (got < 0) return static_cast<int>(got);
    what->right = what->right && at + got <= what->bytes && !differ(expected + at, part.data(), got);
    at += static_cast<std::size_t>(got);
    if (static_cast<std::size_t>(got) < what->step) break;
  }
  what->right = what->right && at == what->bytes;
  return 0;
}

// Streams of all sizes and steps, with plain messages between them, both ways at once.
TEST(StreamTest, mixes_with_plain_messages_both_ways) {
  Pair pair;
  constexpr std::size_t sizes[] = {0, 1, 4096, 65536, 65537, 300'000, 12'345};
  constexpr std::size_t steps[] = {13, 4096, 100'000};
  std::vector<Bytes> written, read;
  std::vector<std::vector<std::uint64_t>> plain;
  std::vector<weir_message> ids;
  std::vector<ssize_t> expected;
  constexpr int rounds = 30;
  written.reserve(2 * rounds);
  read.reserve(2 * rounds);
  plain.reserve(4 * rounds);
  for (int i = 0; i < rounds; ++i) {
    for (int side = 0; side < 2; ++side) {
      weir_link *from = pair.links[side], *to = pair.links[1 - side];
      std::size_t bytes = sizes[(i + side) % 7];
      std::uint64_t seed = i * 2 + side;
      expected.insert(expected.end(), 4, static_cast<ssize_t>(bytes));
      // stream to stream
      ids.push_back(weir_msg_send_by(from, write_bytes, &written.emplace_back(Bytes{seed, bytes, steps[i % 3]})));
      ids.push_back(weir_msg_recv_by(to, read_bytes, &read.emplace_back(Bytes{seed, bytes, steps[(i + 1) % 3]})));
      // memory to memory
      plain.push_back(pattern(bytes, seed + 1000));
      ids.push_back(weir_msg_send(from, plain.back().data(), bytes));
      plain.push_back(std::vector<std::uint64_t>((bytes + 7) / 8 + 1));
      ids.push_back(weir_msg_recv(to, plain.back().data(), bytes));
    }
  }
  for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(weir_msync(ids[i]), expected[i]) << i;
  for (auto& r : read) EXPECT_TRUE(r.right) << r.bytes;
  for (std::size_t i = 0; i < plain.size(); i += 2)
    EXPECT_FALSE(differ(plain[i].data(), plain[i + 1].data(), expected[i * 2])) << i;
}

TEST(StreamTest, meets_memory_at_the_other_end) {
  Pair pair;
  Bytes what{9, 200'000, 1000};
  std::vector<std::uint64_t> into(25'000);
  weir_message out = weir_msg_send_by(pair.links[0], write_bytes, &what);
  EXPECT_EQ(weir_msync(weir_msg_recv(pair.links[1], into.data(), 200'000)), 200'000);
  EXPECT_EQ(weir_msync(out), 200'000);
  EXPECT_TRUE(into == pattern(200'000, 9));
  weir_message in = weir_msg_recv_by(pair.links[1], read_bytes, &what);
  EXPECT_EQ(weir_msync(weir_msg_send(pair.links[0], into.data(), 200'000)), 200'000);
  EXPECT_EQ(weir_msync(in), 200'000);
  EXPECT_TRUE(what.right);
}

TEST(StreamTest, what_is_left_unread_is_skipped) {
  Pair pair;
  Bytes what{9, 500'000, 4096};
  char first = 0, next = 0;
  weir_message in = weir_msg_recv_by(
      pair.links[1], [](weir_stream* stream, void* to) { return weir_stream_get(stream, to, 1) == 1 ? 0 : -EIO; }, &first);
  weir_message after = weir_msg_recv(pair.links[1], &next, 1);
  EXPECT_EQ(weir_msync(weir_msg_send_by(pair.links[0], write_bytes, &what)), 500'000);
  EXPECT_EQ(weir_msync(in), 500'000);
  EXPECT_EQ(weir_msync(weir_msg_send(pair.links[0], "x", 1)), 1);
  EXPECT_EQ(weir_msync(after), 1);
  EXPECT_EQ(next, 'x');
}

// From several threads and tasks at once, over several links.
TEST(MessageTest, many_links_many_messages) {
  constexpr int links = 16, messages = 60;
  std::vector<std::unique_ptr<Pair>> pairs;
  for (int i = 0; i < links; ++i) pairs.push_back(std::make_unique<Pair>());
  std::vector<weir::future<int>> ends;
  for (int i = 0; i < links; ++i) {
    for (int side = 0; side < 2; ++side) {
      ends.push_back(weir::async([&pairs, i, side] {
        weir_link* link = pairs[i]->links[side];
        std::mt19937 random(i);  // the same sizes at both sides
        int right = 0;
        std::vector<std::vector<std::uint64_t>> sent, got;
        std::vector<weir_message> outs, ins;
        for (int m = 0; m < messages; ++m) {
          std::size_t bytes = random() % (m % 8 ? 6000 : 100'000);
          sent.push_back(pattern(bytes, i * 1000 + m * 2 + side));
          got.emplace_back((bytes + 7) / 8 + 1);
          outs.push_back(weir_msg_send(link, sent.back().data(), bytes));
          ins.push_back(weir_msg_recv(link, got.back().data(), bytes));
          if (m % 10 != 9) continue;
          for (std::size_t k = sent.size() - 10; k < sent.size(); ++k) {
            ssize_t n = weir_msync(ins[k]);
            auto expected = pattern(n < 0 ? 0 : n, i * 1000 + k * 2 + 1 - side);
            right += n >= 0 && weir_msync(outs[k]) == n && !differ(expected.data(), got[k].data(), n);
          }
        }
        return right;
      }));
    }
  }
  for (auto& end : ends) EXPECT_EQ(end.get(), messages);
}

}  // namespace
