// SPDX-License-Identifier: Apache-2.0
// Exchanges messages while it computes: how much of the one hides behind the other. Knows nothing of weir.
#include <cstdio>
#include <vector>

#include "kit/arguments.h"
#include "kit/checksum.h"
#include "kit/die.h"
#include "kit/loopback.h"
#include "kit/result.h"
#include "kit/runtimes.h"
#include "overlap/peer.h"

namespace {

struct Job {
  std::uint16_t port;
  std::int64_t connections, messages, chunks;
  std::size_t bytes;
  long rounds;
};

// One connection's messages, one after the other; each must come back with every word one more.
std::uint64_t exchange(const Job& job, std::int64_t connection) {
  const int fd = kit::connect_to(job.port);
  kit::no_delay(fd);
  kit::Random random(static_cast<std::uint64_t>(connection));
  std::vector<std::uint64_t> message(job.bytes / 8);
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < job.messages; ++i) {
    const std::uint64_t first = message[0] = random.next();
    send_whole(fd, message.data(), job.bytes);
    if (!receive_whole(fd, message.data(), job.bytes)) kit::wrong("the peer hung up");
    if (message[0] != first + 1) kit::wrong("this is the answer to another message");
    sum += kit::hash(message.data(), job.bytes, static_cast<std::uint64_t>(i));
  }
  close(fd);
  return sum;
}

// y += a x on vectors of 1000 doubles, over and over.
std::uint64_t daxpy(const Job& job, std::int64_t chunk) {
  std::vector<double> x(1000, 1.0), y(1000, static_cast<double>(chunk));
  for (long round = 0; round < job.rounds; ++round) {
    const double a = static_cast<double>(round % 3);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] += a * x[i];
  }
  return kit::hash(y.data(), y.size() * sizeof(double));
}

// The messages, the computing, or both, as one loop of tasks: the exchanges first, so that they are under way
// early.
double timed(const Job& job, kit::Runtime runtime, unsigned threads, bool exchanging, bool computing,
             std::uint64_t* sum) {
  const std::int64_t exchanges = exchanging ? job.connections : 0, chunks = computing ? job.chunks : 0;
  const double began = kit::now();
  const auto item = [&](std::int64_t i) {
    return i < exchanges ? exchange(job, i) : daxpy(job, i - exchanges);
  };
  *sum += kit::sum_over<false>(runtime, exchanges + chunks, item, threads);
  return kit::now() - began;
}

}  // namespace

int main(int argc, char** argv) {
  kit::Arguments arguments(argc, argv,
                           "[--connections=8] [--messages=20] [--bytes=64K] [--delay-us=2000] [--chunks=400] "
                           "[--rounds=2000] [--runtime=openmp-tasks] [--threads=N]");
  Job job;
  job.connections = arguments.number("connections", 8);
  job.messages = arguments.number("messages", 20);
  job.bytes = static_cast<std::size_t>(arguments.number("bytes", 65536));
  job.chunks = arguments.number("chunks", 400);
  job.rounds = arguments.number("rounds", 2000);
  const long delay_us = arguments.number("delay-us", 2000);
  const kit::Runtime runtime = kit::runtime_of(arguments, "openmp-tasks");
  const auto threads = static_cast<unsigned>(arguments.number("threads", 0));
  if (job.bytes < 8 || job.bytes % 8) arguments.fail("--bytes is a multiple of 8");
  arguments.finish();

  const Peer peer = start_peer(job.bytes, delay_us);
  job.port = peer.port;
  std::uint64_t apart = 0, together = 0;
  const double calculating = timed(job, runtime, threads, false, true, &apart);
  const double communicating = timed(job, runtime, threads, true, false, &apart);
  const double both = timed(job, runtime, threads, true, true, &together);
  stop_peer(peer);
  if (apart != together) kit::wrong("together is not what it is apart");
  std::printf("calculating_s=%.4f communicating_s=%.4f both_s=%.4f gain=%.3f\n", calculating, communicating,
              both, (calculating + communicating) / both);
  kit::print_result(together, both, static_cast<std::uint64_t>(job.connections * job.messages + job.chunks));
  return 0;
}
