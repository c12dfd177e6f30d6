// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

namespace slowdisk {

// What the device does, changeable while it runs. In words: `latency_us=2000 channels=24 thrash=0.05`.
struct Behaviour {
  double latency_us = 2000;  // of one operation served alone
  int channels = 24;         // operations served at once: the knee
  double open_us = 0;        // of opening the file, as where a server is asked; any number at once
  double ask_us = 0;         // of asking what its name stands for, likewise; each time, if it is not 0 from the start
  int keeps = 0;             // 1: what was read stays in the page cache, of files opened from then on
  double thrash = 0;         // each operation beyond the knee makes all slower by this share, as seeks do

  // Takes over what the text names; false, and nothing changed, when a word of it is none of ours.
  bool read(const std::string& text);
};

// Operations queue for one of `channels`; each holds it for the service time. Throughput is therefore
// min(n, channels) / service with n callers, and falls beyond the knee where the device thrashes.
class Device {
 public:
  explicit Device(const Behaviour& behaviour) : behaviour_(behaviour) {}
  void serve();  // returns when one operation is done
  void open() const;  // when the file is opened
  void ask() const;   // when its name is asked about
  void become(const Behaviour& behaviour);
  Behaviour behaviour() const;
  std::int64_t served() const;

 private:
  double service_us() const;  // under mutex_
  mutable std::mutex mutex_;
  std::condition_variable free_;
  Behaviour behaviour_;
  int present_ = 0;  // queued and served
  int busy_ = 0;     // served
  std::int64_t served_ = 0;
};

}  // namespace slowdisk
