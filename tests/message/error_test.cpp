// SPDX-License-Identifier: Apache-2.0
// What goes wrong with links and messages comes as a value, in bounded time.
#include <malloc.h>
#include <sys/wait.h>

#include <atomic>
#include <thread>

#include "raw_peer.h"
#include "weir/future.hpp"
#include "weir/weir.h"

namespace {

constexpr std::int64_t ms = 1'000'000;

TEST(LinkOpenTest, refuses_what_is_no_connected_stream) {
  weir_link* link;
  EXPECT_EQ(weir_link_open(&link, -1, nullptr), -EBADF);
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  EXPECT_EQ(weir_link_open(&link, pipes[0], nullptr), -ENOTSOCK);
  close(pipes[0]), close(pipes[1]);
  int datagram = socket(AF_INET, SOCK_DGRAM, 0), stream = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(weir_link_open(&link, datagram, nullptr), -EPROTOTYPE);
  // Nobody listens on a port that was just given back.
  sockaddr_in nobody{};
  nobody.sin_family = AF_INET;
  nobody.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof nobody;
  ASSERT_EQ(bind(datagram, reinterpret_cast<sockaddr*>(&nobody), bytes), 0);
  getsockname(datagram, reinterpret_cast<sockaddr*>(&nobody), &bytes);
  EXPECT_EQ(weir_connect(stream, reinterpret_cast<sockaddr*>(&nobody), bytes), -ECONNREFUSED);
  EXPECT_EQ(weir_link_open(&link, stream, nullptr), -ENOTCONN);
  EXPECT_EQ(link, nullptr);
  EXPECT_EQ(weir_link_open(nullptr, stream, nullptr), -EINVAL);
  weir_link_options old{4, 0}, negative{sizeof negative, -1};
  EXPECT_EQ(weir_link_open(&link, stream, &old), -EINVAL);
  EXPECT_EQ(weir_link_open(&link, stream, &negative), -EINVAL);
  close(datagram), close(stream);
}

TEST(IdTest, bad_ones_and_those_that_are_over) {
  Pair pair;
  char byte = 0;
  ssize_t result;
  for (weir_message bad : {std::int64_t{0}, std::int64_t{-5}, std::int64_t{1} << 40, INT64_MAX, std::int64_t{0xffffffff}}) {
    EXPECT_EQ(weir_msync(bad), -EINVAL);
    EXPECT_EQ(weir_mtest(bad, &result), -EINVAL);
    EXPECT_EQ(weir_mcont(bad, [](void*, ssize_t) {}, nullptr), -EINVAL);
    EXPECT_EQ(weir_mcancel(bad), -EINVAL);
    EXPECT_EQ(weir_mrelease(bad), -EINVAL);
    EXPECT_EQ(weir_msg_sequence(bad), -EINVAL);
  }
  weir_message in = weir_msg_recv(pair.links[1], &byte, 1);
  weir_message out = weir_msg_send(pair.links[0], "a", 1);
  EXPECT_EQ(weir_msync(out), 1);
  EXPECT_EQ(weir_msync(out), -EINVAL);
  EXPECT_EQ(weir_mrelease(in), 0);
  EXPECT_EQ(weir_msync(in), -EINVAL);
  EXPECT_EQ(weir_mrelease(in), -EINVAL);
  EXPECT_EQ(weir_msg_send(nullptr, "a", 1), -EINVAL);
  EXPECT_EQ(weir_msg_recv(pair.links[0], nullptr, 1), -EINVAL);
  EXPECT_EQ(weir_msg_send_by(pair.links[0], nullptr, nullptr), -EINVAL);
}

TEST(IdTest, one_msync_at_a_time) {
  Pair pair;
  char byte = 0;
  weir_message in = weir_msg_recv(pair.links[1], &byte, 1);
  EXPECT_EQ(weir_msync_within(in, 5 * ms), -ETIMEDOUT);  // and is one still
  EXPECT_EQ(weir_msync_within(in, 0), -ETIMEDOUT);
  std::atomic<int> refused{0};
  std::vector<std::thread> waiters;
  for (int i = 0; i < 4; ++i) {
    waiters.emplace_back([&] {
      ssize_t got = weir_msync(in);
      if (got == -EINVAL) ++refused;
      else EXPECT_EQ(got, 1);
    });
  }
  while (refused < 3) std::this_thread::yield();
  EXPECT_EQ(weir_msync(weir_msg_send(pair.links[0], "x", 1)), 1);
  for (auto& waiter : waiters) waiter.join();
  EXPECT_EQ(refused, 3);
}

TEST(SizeTest, a_message_larger_than_its_memory) {
  Pair pair;
  std::vector<std::uint64_t> large(40'000), small(100);
  weir_message in = weir_msg_recv(pair.links[1], small.data(), 800);
  weir_message out = weir_msg_send(pair.links[0], large.data(), 320'000);
  EXPECT_EQ(weir_msync(in), -EMSGSIZE);
  EXPECT_EQ(weir_msync(out), -EMSGSIZE);
  // Small enough to have left before it was asked for: the receiver alone hears of it.
  std::vector<char> guarded(20, 7);
  out = weir_msg_send(pair.links[0], large.data(), 100);
  EXPECT_EQ(weir_msync(out), 100);
  EXPECT_EQ(weir_msync(weir_msg_recv(pair.links[1], guarded.data(), 10)), -EMSGSIZE);
  EXPECT_EQ(guarded, std::vector<char>(20, 7));
  EXPECT_EQ(weir_msync(weir_msg_send(pair.links[0], "x", 1)), 1);
  EXPECT_EQ(weir_msync(weir_msg_recv(pair.links[1], guarded.data(), 10)), 1);
}

TEST(CancelTest, either_end_and_the_link_goes_on) {
  Pair pair;
  std::vector<std::uint64_t> large(1 << 20), into(1 << 20);
  char byte = 0;
  weir_message out = weir_msg_send(pair.links[0], large.data(), 8 << 20);  // nobody asks
  EXPECT_EQ(weir_mcancel(out), 0);
  EXPECT_EQ(weir_msync(out), -ECANCELED);
  EXPECT_EQ(weir_msync(weir_msg_recv(pair.links[1], into.data(), 8 << 20)), -ECANCELED);

  weir_message in = weir_msg_recv(pair.links[1], into.data(), 8 << 20);
  EXPECT_EQ(weir_mcancel(in), 0);
  EXPECT_EQ(weir_msync(in), -ECANCELED);
  EXPECT_EQ(weir_msync(weir_msg_send(pair.links[0], large.data(), 8 << 20)), -ECANCELED);

  // Somewhere in the middle, or just too late.
  for (int i = 0; i < 20; ++i) {
    in = weir_msg_recv(pair.links[1], into.data(), 8 << 20);
    out = weir_msg_send(pair.links[0], large.data(), 8 << 20);
    std::this_thread::sleep_for(std::chrono::microseconds(i * 100));
    EXPECT_EQ(weir_mcancel(i % 2 ? in : out), 0);
    ssize_t sent = weir_msync(out), got = weir_msync(in);
    EXPECT_TRUE(sent == 8 << 20 || sent == -ECANCELED) << sent;
    EXPECT_TRUE(got == 8 << 20 || got == -ECANCELED) << got;
    if (got == 8 << 20) { EXPECT_EQ(sent, 8 << 20); }
  }
  in = weir_msg_recv(pair.links[1], &byte, 1);
  EXPECT_EQ(weir_msync(weir_msg_send(pair.links[0], "x", 1)), 1);
  EXPECT_EQ(weir_msync(in), 1);
  EXPECT_EQ(byte, 'x');
}

int write_forever(weir_stream* stream, void*) {
  char page[4096] = {};
  while (true)
    if (int error = weir_stream_put(stream, page, sizeof page)) return error;
}
int read_all(weir_stream* stream, void*) {
  char page[4096];
  while (true) {
    ssize_t got = weir_stream_get(stream, page, sizeof page);
    if (got < static_cast<ssize_t>(sizeof page)) return got < 0 ? static_cast<int>(got) : 0;
  }
}

TEST(StreamErrorTest, a_function_s_error_is_the_result_at_both_ends) {
  Pair pair;
  weir_message out = weir_msg_send_by(pair.links[0], [](weir_stream* s, void*) {
    char page[5000] = {};
    int error = weir_stream_put(s, page, sizeof page);
    return error ? error : -EXDEV;
  }, nullptr);
  EXPECT_EQ(weir_msync(weir_msg_recv_by(pair.links[1], read_all, nullptr)), -EXDEV);
  EXPECT_EQ(weir_msync(out), -EXDEV);
  out = weir_msg_send_by(pair.links[0], write_forever, nullptr);
  weir_message in = weir_msg_recv_by(pair.links[1], [](weir_stream* s, void*) {
    char page[5000];
    ssize_t got = weir_stream_get(s, page, sizeof page);
    return got < 0 ? static_cast<int>(got) : -EDOM;
  }, nullptr);
  EXPECT_EQ(weir_msync(in), -EDOM);
  EXPECT_EQ(weir_msync(out), -EDOM);
  // The wrong way round.
  in = weir_msg_recv_by(pair.links[1], [](weir_stream* s, void*) { return weir_stream_put(s, "x", 1); }, nullptr);
  out = weir_msg_send_by(pair.links[0], [](weir_stream* s, void*) {
    char byte;
    return static_cast<int>(weir_stream_get(s, &byte, 1));
  }, nullptr);
  EXPECT_EQ(weir_msync(out), -EINVAL);
  EXPECT_EQ(weir_msync(in), -EINVAL);
}

TEST(StreamErrorTest, without_end_into_little_memory_or_a_closed_link) {
  Pair pair;
  std::vector<char> small(100'000);
  weir_message out = weir_msg_send_by(pair.links[0], write_forever, nullptr);
  EXPECT_EQ(weir_msync(weir_msg_recv(pair.links[1], small.data(), small.size())), -EMSGSIZE);
  EXPECT_EQ(weir_msync(out), -EMSGSIZE);
  out = weir_msg_send_by(pair.links[0], write_forever, nullptr);
  weir_message in = weir_msg_recv_by(pair.links[1], read_all, nullptr);
  EXPECT_EQ(weir_msync_within(in, 20 * ms), -ETIMEDOUT);
  pair.close_link(0);
  EXPECT_EQ(weir_msync(out), -ECANCELED);
  ssize_t got = weir_msync(in);
  EXPECT_TRUE(got == -ECONNRESET || got == -EPIPE) << got;
}

TEST(CloseTest, ends_what_is_under_way) {
  Pair pair;
  char byte;
  std::vector<std::uint64_t> large(100'000);
  std::atomic<int> told{0};
  weir_message first = weir_msg_recv(pair.links[0], &byte, 1);
  weir_message here = weir_msg_recv(pair.links[0], &byte, 0), out = weir_msg_send(pair.links[0], large.data(), 800'000);
  weir_mcont(here, [](void* told_, ssize_t r) { *static_cast<std::atomic<int>*>(told_) = static_cast<int>(r); }, &told);
  weir_message out_there = weir_msg_send(pair.links[1], large.data(), 1);
  EXPECT_EQ(weir_msync(first), 1);
  EXPECT_EQ(weir_msync(out_there), 1);
  pair.close_link(0);
  EXPECT_EQ(told, -ECANCELED);
  EXPECT_EQ(weir_msync(here), -ECANCELED);
  EXPECT_EQ(weir_msync(out), -ECANCELED);  // nobody had asked for it
  EXPECT_EQ(weir_msg_send(pair.links[1], &byte, 1), -EPIPE);
  EXPECT_EQ(weir_msg_recv(pair.links[1], &byte, 1), -EPIPE);
}

// What left before the close arrives; small ones also when they are asked for after it.
TEST(CloseTest, what_has_left_arrives) {
  for (int round = 0; round < 20; ++round) {
    Pair pair;
    auto sent = pattern(3'000'000, round), got = pattern(3'000'000, 99);
    weir_message in = weir_msg_recv(pair.links[1], got.data(), 3'000'000);
    weir_message out = weir_msg_send(pair.links[0], sent.data(), 3'000'000);
    weir_message last = weir_msg_send(pair.links[0], "bye", 3);
    EXPECT_EQ(weir_msync(out), 3'000'000);
    EXPECT_EQ(weir_msync(last), 3);
    pair.close_link(0);
    pair.close_end(0);
    EXPECT_EQ(weir_msync(in), 3'000'000);
    EXPECT_TRUE(got == sent);
    char text[4] = {};
    weir_message late;
    // The end of the connection may or may not have been seen by now.
    ASSERT_GT(late = weir_msg_recv(pair.links[1], text, 3), 0);
    EXPECT_EQ(weir_msync(late), 3);
    EXPECT_STREQ(text, "bye");
    weir_message none = weir_msg_recv(pair.links[1], text, 3);
    EXPECT_EQ(none < 0 ? none : weir_msync(none), -EPIPE);
  }
}

// A task that closes a link may go on on another worker, and be through, before the one that told it to. What is freed is
// overwritten, so that whoever looks at it still is seen.
TEST(CloseTest, by_tasks) {
  mallopt(M_PERTURB, 165);
  for (int round = 0; round < 400; ++round) {
    std::vector<weir::future<void>> tasks;
    for (int i = 0; i < 16; ++i)
      tasks.push_back(weir::async([] {
        Pair pair;
        char sent[8] = {}, got[8];
        weir_message out = weir_msg_send(pair.links[0], sent, 8), in = weir_msg_recv(pair.links[1], got, 8);
        EXPECT_EQ(weir_msync(out), 8);
        EXPECT_EQ(weir_msync(in), 8);
        auto other = weir::async([&] { pair.close_link(1); });
        pair.close_link(0);
        other.get();
      }));
    for (auto& task : tasks) task.get();
  }
  mallopt(M_PERTURB, 0);
}

TEST(BrokenTest, end_in_the_middle_and_reset) {
  std::string half = RawPeer::greeting() + RawPeer::piece(0, 0, std::string(1000, 'a'), false);
  for (std::size_t cut : {std::size_t{10}, RawPeer::greeting().size() + 5, half.size() - 100, half.size()}) {
    RawPeer peer;
    std::vector<char> into(5000);
    weir_message in = weir_msg_recv(peer.link, into.data(), into.size());
    EXPECT_EQ(peer.hear(48).size(), 48u);  // greeting, and the request
    ASSERT_TRUE(peer.say(half.substr(0, cut)));
    peer.close_end(1);
    EXPECT_EQ(weir_msync(in), -ECONNRESET) << cut;
  }
  RawPeer peer;
  char byte;
  weir_message in = weir_msg_recv(peer.link, &byte, 1), out = weir_msg_send(peer.link, &byte, 1 << 20);
  linger now{1, 0};
  setsockopt(peer.ends[1], SOL_SOCKET, SO_LINGER, &now, sizeof now);
  peer.close_end(1);
  EXPECT_EQ(weir_msync(in), -ECONNRESET);
  EXPECT_EQ(weir_msync(out), -ECONNRESET);
  EXPECT_EQ(weir_msg_send(peer.link, &byte, 1), -ECONNRESET);
}

TEST(SilenceTest, a_peer_that_says_nothing_breaks_the_link) {
  RawPeer peer(200 * ms);
  std::vector<char> into(100'000);
  weir_message in = weir_msg_recv(peer.link, into.data(), into.size());
  weir_message out = weir_msg_send(peer.link, into.data(), into.size());
  EXPECT_EQ(weir_msync(in), -ETIMEDOUT);
  EXPECT_EQ(weir_msync(out), -ETIMEDOUT);
  EXPECT_EQ(weir_msg_recv(peer.link, into.data(), 1), -ETIMEDOUT);
}

// In the middle of a message, with the socket's buffers full.
TEST(SilenceTest, a_peer_that_stops_reading_breaks_the_link) {
  RawPeer peer(200 * ms);
  std::vector<char> from(64 << 20);
  weir_message out = weir_msg_send(peer.link, from.data(), from.size());
  ASSERT_TRUE(peer.say(RawPeer::greeting() + RawPeer::frame(RawPeer::grant, true, 0, 0, from.size())));
  EXPECT_EQ(weir_msync(out), -ETIMEDOUT);
}

// The peer computes for long, and its engine answers for it: no time limit is met.
TEST(SilenceTest, a_peer_that_computes_is_not_silent) {
  Pair pair(1000 * ms);
  char byte = 0;
  weir_message in = weir_msg_recv(pair.links[1], &byte, 1);
  EXPECT_EQ(weir_msync_within(in, 2200 * ms), -ETIMEDOUT);
  EXPECT_EQ(weir_msync(weir_msg_send(pair.links[0], "x", 1)), 1);
  EXPECT_EQ(weir_msync(in), 1);
}

// Slow is not silent: a trickle of bytes, for longer than the limit.
TEST(SilenceTest, a_slow_link_is_not_silent) {
  RawPeer peer(1000 * ms);
  std::string text = RawPeer::greeting() + RawPeer::piece(0, 0, std::string(50, 'z'), true);
  std::vector<char> into(50);
  weir_message in = weir_msg_recv(peer.link, into.data(), into.size());
  for (std::size_t at = 0; at < text.size(); at += 7) {
    ASSERT_TRUE(peer.say(text.substr(at, 7)));
    std::this_thread::sleep_for(std::chrono::milliseconds(120));
  }
  EXPECT_EQ(weir_msync(in), 50);
  EXPECT_EQ(into, std::vector<char>(50, 'z'));
}

struct Lie {
  const char* name;
  std::string text;
};

// Each is refused, and not a byte of it gets into memory.
TEST(ProtocolTest, what_no_peer_of_ours_would_say) {
  using P = RawPeer;
  std::string hi = P::greeting(), page(4096, 'p');
  const Lie lies[] = {
      {"no greeting", P::frame(P::ping, false, 0, 0, 0)},
      {"two greetings", hi + hi},
      {"another magic", P::frame(P::hello, false, 0, P::magic + 1, 1)},
      {"another version", P::frame(P::hello, false, 0, P::magic, 2)},
      {"HTTP", "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"},
      {"kind 0", hi + P::frame(0, false, 0, 0, 0)},
      {"kind 9", hi + P::frame(9, false, 0, 0, 0)},
      {"payload of 65537", hi + P::frame(P::data, false, 65537, 0, 0)},
      {"payload of a ping", hi + P::frame(P::ping, false, 1, 0, 0)},
      {"empty and not the last", hi + P::frame(P::data, false, 0, 0, 0)},
      {"data beyond the memory", hi + P::piece(0, 0, page, false)},
      {"data at a wrong offset", hi + P::frame(P::data, false, 10, 0, 5)},
      {"an offset near 2^64", hi + P::frame(P::data, false, 10, 0, ~0ull - 4)},
      {"a large message unasked", hi + P::frame(P::data, false, 4097, 1, 0)},
      {"small ones too far ahead", hi + P::piece(40, 0, "x", true)},
      {"a sequence number near 2^64", hi + P::piece(~0ull, 0, "x", true)},
      {"a message twice", hi + P::piece(0, 0, "x", true) + P::piece(0, 0, "x", true)},
      {"an unasked message twice", hi + P::piece(3, 0, "x", true) + P::piece(3, 0, "x", true)},
      {"a grant out of order", hi + P::frame(P::grant, true, 0, 1, 10)},
      {"a grant twice", hi + P::frame(P::grant, true, 0, 0, 10) + P::frame(P::grant, true, 0, 0, 10)},
      {"credit without a grant", hi + P::frame(P::credit, false, 0, 0, 10)},
      {"credit where none is to come", hi + P::frame(P::grant, true, 0, 0, 10) + P::frame(P::credit, false, 0, 0, 10)},
      {"no credit", hi + P::frame(P::grant, false, 0, 0, 10) + P::frame(P::credit, false, 0, 0, 0)},
      {"refusal of what was not granted", hi + P::frame(P::refuse, false, 0, 0, 5)},
      {"an errno that is none", hi + P::frame(P::abort_, false, 0, 0, 5000)},
      {"errno 0", hi + P::frame(P::abort_, false, 0, 0, 0)},
      {"abort of what is over", hi + P::piece(0, 0, "x", true) + P::frame(P::abort_, false, 0, 0, 5)},
  };
  for (const Lie& lie : lies) {
    RawPeer peer;
    std::vector<char> guarded(3000, 7);
    weir_message in = weir_msg_recv(peer.link, guarded.data() + 1000, 1000);
    ASSERT_EQ(peer.hear(48).size(), 48u);
    char byte;
    peer.say(lie.text);
    weir_message later = weir_msg_recv(peer.link, &byte, 0);  // never filled by any of them
    ssize_t got = later < 0 ? later : weir_msync(later);
    EXPECT_EQ(got, -EPROTO) << lie.name;
    got = weir_msync(in);
    EXPECT_TRUE(got == -EPROTO || got == 1) << lie.name << ": " << got;
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(guarded[i] == 7 && guarded[2000 + i] == 7) << lie.name;
  }
}

// More grants than may be outstanding cost no memory: the link breaks.
TEST(ProtocolTest, grants_without_end) {
  RawPeer peer;
  char byte;
  weir_message in = weir_msg_recv(peer.link, &byte, 1);
  std::string text = RawPeer::greeting();
  for (std::uint64_t i = 0; i < 1000; ++i) text += RawPeer::frame(RawPeer::grant, true, 0, i, ~0ull);
  peer.say(text);
  EXPECT_EQ(weir_msync(in), -EPROTO);
}

// A flood of pings is answered one for many.
TEST(ProtocolTest, pings_without_end) {
  RawPeer peer;
  char byte;
  weir_message in = weir_msg_recv(peer.link, &byte, 1);
  std::string text = RawPeer::greeting();
  for (int i = 0; i < 10'000; ++i) text += RawPeer::frame(RawPeer::ping, false, 0, 0, 0);
  ASSERT_TRUE(peer.say(text + RawPeer::piece(0, 0, "x", true)));
  EXPECT_EQ(weir_msync(in), 1);
}

TEST(ForkTest, in_the_child_all_is_over) {
  Pair pair;
  char byte = 0;
  weir_message in = weir_msg_recv(pair.links[1], &byte, 1);
  pid_t child = fork();
  if (child == 0) {
    bool right = weir_msync(in) == -ENOTCONN && weir_msg_send(pair.links[0], "x", 1) == -ENOTCONN;
    weir_link_close(pair.links[0]);
    _exit(right ? 0 : 1);
  }
  int status;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(weir_msync(weir_msg_send(pair.links[0], "x", 1)), 1);
  EXPECT_EQ(weir_msync(in), 1);
}

}  // namespace
