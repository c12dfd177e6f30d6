// SPDX-License-Identifier: Apache-2.0
// Two processes exchange messages over a slow wire and compute until they are there: how much of the computing that fits
// into the same time undisturbed gets done? After Strumpfen (ETH report 232, 1995).
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <weir/message.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kit/arguments.h"
#include "wire.h"

namespace {

double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double x[1000], y[1000];
__attribute__((noinline)) void daxpy(double a) {
  for (int i = 0; i < 1000; ++i) y[i] += a * x[i];
}

// One daxpy after another until `stop` says so.
template <typename Stop>
long compute_until(Stop stop) {
  long rounds = 0;
  while (!stop()) {
    daxpy(1e-9);
    ++rounds;
  }
  return rounds;
}

struct Exchange {
  long bytes;
  bool marshal;
};

struct Words {
  std::vector<std::uint64_t> words;
};

// A word at a time, as structures are written.
int write_words(weir_stream* stream, void* from) {
  for (std::uint64_t word : static_cast<Words*>(from)->words)
    if (int error = weir_stream_put(stream, &word, sizeof word)) return error;
  return 0;
}
int read_words(weir_stream* stream, void* into) {
  for (std::uint64_t& word : static_cast<Words*>(into)->words)
    if (ssize_t got = weir_stream_get(stream, &word, sizeof word); got != sizeof word)
      return got < 0 ? static_cast<int>(got) : -EBADMSG;
  return 0;
}

struct Figures {
  double seconds, undisturbed;  // of the exchange; daxpys a second without
  long rounds, messages;
  bool right;
};

// The same on both sides, which send at the same time.
Figures exchange(int fd, Exchange what, double seconds, bool leads) {
  weir_link* link;
  if (weir_link_open(&link, fd, nullptr)) std::exit(2);
  close(fd);
  Words out, in;
  std::size_t words = static_cast<std::size_t>(what.bytes) / 8;
  out.words.resize(words);
  in.words.resize(words);
  Figures figures{0, 0, 0, 0, true};
  std::uint64_t more = 1, other_more = 1;
  double began = 0;
  for (std::uint64_t turn = 0; more && other_more; ++turn) {
    // Two to start with and get warm, and to begin at the same time.
    if (turn == 2) began = now();
    if (turn >= 2 && leads) more = now() - began < seconds;
    for (std::size_t i = 0; i < words; i += 64) out.words[i] = turn + i;
    out.words[0] = turn << 1 | more;
    std::atomic<int> left{2};
    auto told = [](void* left_, ssize_t) { static_cast<std::atomic<int>*>(left_)->fetch_sub(1, std::memory_order_release); };
    weir_message got = what.marshal ? weir_msg_recv_by(link, read_words, &in) : weir_msg_recv(link, in.words.data(), words * 8);
    weir_message sent = what.marshal ? weir_msg_send_by(link, write_words, &out) : weir_msg_send(link, out.words.data(), words * 8);
    weir_mcont(got, told, &left);
    weir_mcont(sent, told, &left);
    long rounds = compute_until([&] { return left.load(std::memory_order_acquire) == 0; });
    auto bytes = static_cast<ssize_t>(words * 8);
    if (weir_msync(got) != bytes || weir_msync(sent) != bytes) std::exit(3);
    figures.right = figures.right && in.words[0] >> 1 == turn;
    for (std::size_t i = 64; i < words; i += 64) figures.right = figures.right && in.words[i] == turn + i;
    if (!leads) other_more = in.words[0] & 1;
    if (turn >= 2) {
      figures.rounds += rounds;
      figures.seconds = now() - began;
      ++figures.messages;
    }
  }
  weir_link_close(link);
  // The same without communication, both sides still at the same time.
  double end = now() + std::min(seconds, 2.0), start = now();
  long rounds = compute_until([&] { return now() >= end; });
  figures.undisturbed = static_cast<double>(rounds) / (now() - start);
  return figures;
}

}  // namespace

int main(int count, char** words) {
  kit::Arguments arguments(count, words, "[--bytes=64K] [--seconds=2] [--rate=12500000 (bytes a second)] [--marshal[=0|1]]");
  Exchange what{arguments.number("bytes", 65536), arguments.text("marshal", "0") != "0"};
  const double seconds = arguments.real("seconds", 2);
  const long rate = arguments.number("rate", 12'500'000);
  if (what.bytes < 8) arguments.fail("--bytes is at least 8");
  if (rate < 1) arguments.fail("--rate is at least 1");
  arguments.finish();
  Wire wire = lay_wire(rate);
  int results[2];
  if (pipe(results)) return 1;
  pid_t parent = getpid(), other = fork();
  if (other < 0) return 1;
  if (other == 0) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent) _exit(1);
    close(wire.ends[0]);
    Figures theirs = exchange(wire.ends[1], what, seconds, false);
    _exit(write(results[1], &theirs, sizeof theirs) == sizeof theirs ? 0 : 1);
  }
  close(wire.ends[1]);
  Figures ours = exchange(wire.ends[0], what, seconds, true), theirs{};
  bool heard = read(results[0], &theirs, sizeof theirs) == sizeof theirs;
  int status = 1;
  waitpid(other, &status, 0);
  take_up_wire(wire);
  bool right = heard && status == 0 && ours.right && theirs.right && ours.messages == theirs.messages;
  double overlapped = (ours.rounds / ours.seconds + theirs.rounds / theirs.seconds) / (ours.undisturbed + theirs.undisturbed);
  std::printf("bytes=%ld marshal=%d messages=%ld message_ms=%.3f overlap=%.4f\n", what.bytes, what.marshal, ours.messages,
              ours.seconds / static_cast<double>(ours.messages) * 1e3, overlapped);
  std::printf("checksum=%d seconds=%.4f items=%ld\n", right, ours.seconds, ours.messages);
  return right ? 0 : 4;
}
