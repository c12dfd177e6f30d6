// SPDX-License-Identifier: Apache-2.0
// A receiver that is fed what a peer might say, changed at random: it must neither hang nor write where it may not.
// MESSAGE_FUZZ_ROUNDS and MESSAGE_FUZZ_SEED: more of it.
#include <cstdlib>
#include <memory>
#include <random>

#include "raw_peer.h"

namespace {

using P = RawPeer;

long setting(const char* name, long initial) {
  const char* value = std::getenv(name);
  return value ? std::atol(value) : initial;
}

// A conversation that is right at first: grants for what we send, messages in order, some in pieces.
std::vector<std::string> conversation(std::mt19937& random) {
  std::vector<std::string> frames{P::greeting()};
  std::uint64_t sequence = 0, grants = 0;
  int count = 3 + random() % 20;
  for (int i = 0; i < count; ++i) {
    switch (random() % 7) {
      case 0: frames.push_back(P::frame(P::grant, random() % 2, 0, grants++, random() % 100'000)); break;
      case 1: frames.push_back(P::frame(P::ping, false, 0, 0, 0)); break;
      case 2: frames.push_back(P::frame(P::abort_, false, 0, sequence++, 1 + random() % 100)); break;
      case 3:
        if (grants) frames.push_back(P::frame(P::credit, false, 0, random() % grants, 1 + random() % 60'000));
        break;
      case 4:
        if (grants) frames.push_back(P::frame(P::refuse, false, 0, random() % grants, 1 + random() % 100));
        break;
      default: {
        std::size_t left = random() % (random() % 3 ? 4096 : 60'000), offset = 0;
        do {
          std::size_t part = std::min<std::size_t>(left, 1 + random() % 20'000);
          left -= part;
          frames.push_back(P::piece(sequence, offset, std::string(part, static_cast<char>(random())), left == 0));
          offset += part;
        } while (left);
        ++sequence;
      }
    }
  }
  return frames;
}

void mutate(std::vector<std::string>& frames, std::mt19937& random) {
  int changes = random() % 4;  // none at times: then all of it is gone through
  for (int i = 0; i < changes && !frames.empty(); ++i) {
    std::size_t at = random() % frames.size();
    std::string& frame = frames[at];
    switch (random() % 6) {
      case 0: frame[random() % std::min<std::size_t>(frame.size(), 24)] ^= static_cast<char>(1 << random() % 8); break;
      case 1: frame[random() % std::min<std::size_t>(frame.size(), 24)] = static_cast<char>(random()); break;
      case 2: frames.erase(frames.begin() + static_cast<long>(at)); break;
      case 3: frames.insert(frames.begin() + static_cast<long>(at), frames[random() % frames.size()]); break;
      case 4: frame.resize(random() % (frame.size() + 1)); if (frame.empty()) frames.erase(frames.begin() + static_cast<long>(at)); break;
      default: std::swap(frame, frames[random() % frames.size()]); break;
    }
  }
}

int swallow(weir_stream* stream, void*) {
  char part[3000];
  while (true) {
    ssize_t got = weir_stream_get(stream, part, sizeof part);
    if (got < static_cast<ssize_t>(sizeof part)) return got < 0 ? static_cast<int>(got) : 0;
  }
}
int utter(weir_stream* stream, void*) {
  char part[3000] = {};
  for (int i = 0; i < 40; ++i)
    if (int error = weir_stream_put(stream, part, sizeof part)) return error;
  return 0;
}

struct Target {
  std::vector<unsigned char> memory;
  std::size_t bytes;
  weir_message id;
};

struct Tally {
  long arrived = 0, aborted = 0, broken = 0;
  void count(ssize_t got) { ++(got >= 0 ? arrived : got == -EPROTO ? broken : aborted); }
};

void one_round(std::mt19937& random, Tally& tally) {
  RawPeer peer;
  constexpr std::size_t guard = 64;
  std::vector<std::unique_ptr<Target>> targets;
  std::vector<char> from(50'000);
  std::vector<weir_message> others;
  auto begin_some = [&] {
    for (int i = random() % 6; i-- > 0;) {
      auto target = std::make_unique<Target>();
      target->bytes = random() % 50'000;
      target->memory.assign(target->bytes + 2 * guard, 0xA5);
      target->id = weir_msg_recv(peer.link, target->memory.data() + guard, target->bytes);
      if (target->id > 0) targets.push_back(std::move(target));
      if (random() % 2) others.push_back(weir_msg_recv_by(peer.link, swallow, nullptr));
      if (random() % 2) others.push_back(weir_msg_send(peer.link, from.data(), random() % from.size()));
      if (random() % 4 == 0) others.push_back(weir_msg_send_by(peer.link, utter, nullptr));
      if (random() % 8 == 0 && !targets.empty()) weir_mcancel(targets[random() % targets.size()]->id);
    }
  };
  begin_some();
  auto frames = conversation(random);
  mutate(frames, random);
  std::string text;
  for (auto& frame : frames) text += frame;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t part = 1 + random() % (random() % 2 ? 100 : 30'000);
    if (!peer.say(text.substr(at, part))) break;
    at += part;
    if (random() % 8 == 0) begin_some();
  }
  peer.close_end(1);
  for (auto& target : targets) {
    ssize_t got = weir_msync(target->id);
    tally.count(got);
    ASSERT_LE(got, static_cast<ssize_t>(target->bytes));
    for (std::size_t i = 0; i < guard; ++i) {
      ASSERT_EQ(target->memory[i], 0xA5);
      ASSERT_EQ(target->memory[target->memory.size() - 1 - i], 0xA5);
    }
  }
  for (weir_message other : others)
    if (other > 0) tally.count(weir_msync(other));
}

TEST(FuzzTest, a_peer_that_says_anything) {
  long rounds = setting("MESSAGE_FUZZ_ROUNDS", 1500), seed = setting("MESSAGE_FUZZ_SEED", 1);
  Tally tally;
  for (long i = 0; i < rounds && !::testing::Test::HasFatalFailure(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed + i));
    std::mt19937 random(static_cast<std::uint32_t>(seed + i));
    one_round(random, tally);
  }
  // It went through all there is: messages that arrived, that ended otherwise, and links that broke.
  EXPECT_GT(tally.arrived, rounds / 10);
  EXPECT_GT(tally.aborted, rounds / 10);
  EXPECT_GT(tally.broken, rounds / 10);
  std::printf("%ld arrived, %ld ended otherwise, %ld met a broken link\n", tally.arrived, tally.aborted, tally.broken);
}

}  // namespace
