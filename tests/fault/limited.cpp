// SPDX-License-Identifier: Apache-2.0
// limited ROUNDS: OpenMP tasks whose recv waits for nothing, each as long as its socket's own limit. All must end, and none
// before its time: by the clock, or by that of the kernel's ticks, which are what a socket's limit is counted in. (Where a
// virtual machine's ticks came late, some come together, and a limit ends early by the clock, bare too.)
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long us(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000LL + now.tv_nsec / 1000;
}

int main(int count, char** words) {
  constexpr int at_once = 24, limit_us = 2000;
  int rounds = count > 1 ? std::atoi(words[1]) : 20;
  int ends[at_once][2];
  for (auto& pair : ends) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 2;
    timeval limit{0, limit_us};
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  int wrong = 0, early = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int round = 0; round < rounds; ++round) {
    for (auto& pair : ends) {
#pragma omp task firstprivate(pair) shared(wrong, early)
      {
        char byte;
        long long began = us(CLOCK_MONOTONIC), began_tick = us(CLOCK_MONOTONIC_COARSE);
        ssize_t got = recv(pair[0], &byte, 1, 0);
        bool ended = got == -1 && errno == EAGAIN;
        bool in_time = us(CLOCK_MONOTONIC) - began >= limit_us || us(CLOCK_MONOTONIC_COARSE) - began_tick >= limit_us;
#pragma omp atomic
        wrong += !ended;
#pragma omp atomic
        early += !in_time;
      }
    }
#pragma omp taskwait
  }
  std::printf("wrong %d early %d\n", wrong, early);
}
