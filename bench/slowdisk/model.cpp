// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>

namespace slowdisk {
namespace {

void sleep_us(double us) {
  if (us > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(us));
}

}  // namespace

bool Behaviour::read(const std::string& text) {
  Behaviour next = *this;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::size_t is = word.find('=');
    if (is == std::string::npos) return false;
    std::istringstream value(word.substr(is + 1));
    std::string name = word.substr(0, is);
    if (name == "latency_us") value >> next.latency_us;
    else if (name == "channels") value >> next.channels;
    else if (name == "open_us") value >> next.open_us;
    else if (name == "ask_us") value >> next.ask_us;
    else if (name == "keeps") value >> next.keeps;
    else if (name == "thrash") value >> next.thrash;
    else return false;
    if (!value || !value.eof()) return false;
  }
  if (next.latency_us < 0 || next.open_us < 0 || next.ask_us < 0 || next.channels < 1 || next.thrash < 0) return false;
  *this = next;
  return true;
}

double Device::service_us() const {
  return behaviour_.latency_us * (1 + behaviour_.thrash * std::max(0, present_ - behaviour_.channels));
}

void Device::open() const { sleep_us(behaviour().open_us); }
void Device::ask() const { sleep_us(behaviour().ask_us); }

void Device::serve() {
  std::unique_lock lock(mutex_);
  ++present_;
  free_.wait(lock, [&] { return busy_ < behaviour_.channels; });
  ++busy_;
  auto until = std::chrono::steady_clock::now() + std::chrono::duration<double, std::micro>(service_us());
  lock.unlock();
  std::this_thread::sleep_until(until);
  lock.lock();
  --busy_;
  --present_;
  ++served_;
  free_.notify_one();
}

void Device::become(const Behaviour& behaviour) {
  std::lock_guard lock(mutex_);
  behaviour_ = behaviour;
  free_.notify_all();
}

Behaviour Device::behaviour() const {
  std::lock_guard lock(mutex_);
  return behaviour_;
}

std::int64_t Device::served() const {
  std::lock_guard lock(mutex_);
  return served_;
}

}  // namespace slowdisk
