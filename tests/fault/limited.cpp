// SPDX-License-Identifier: Apache-2.0
// limited ROUNDS: OpenMP tasks whose recv waits for nothing, each as long as its socket's own limit. All must end, and none
// before its time.
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

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
        auto began = std::chrono::steady_clock::now();
        ssize_t got = recv(pair[0], &byte, 1, 0);
        bool ended = got == -1 && errno == EAGAIN;
        auto took = std::chrono::steady_clock::now() - began;
#pragma omp atomic
        wrong += !ended;
#pragma omp atomic
        early += took < std::chrono::microseconds(limit_us);
      }
    }
#pragma omp taskwait
  }
  std::printf("wrong %d early %d\n", wrong, early);
}
