// SPDX-License-Identifier: Apache-2.0
#include "sys/wakes.h"

#include <algorithm>

#include "base/thread.h"
#include "sys/futex.h"

namespace weir::sys {
namespace {

constexpr int everybody = 1 << 30;

}  // namespace

WakesTogether::WakesTogether() { base::self_unsuspended().wakes = this; }

WakesTogether::~WakesTogether() {
  base::self_unsuspended().wakes = nullptr;
  send();
}

void WakesTogether::send() {
  for (int i = 0; i < size_; ++i) futex_wake(*wakes_[i].word, wakes_[i].count);
  size_ = 0;
}

void WakesTogether::add(std::atomic<std::uint32_t>& word, int count, Sleeper who) {
  auto same = std::find_if(wakes_, wakes_ + size_, [&word](const Wake& wake) { return wake.word == &word; });
  if (same != wakes_ + size_) {
    same->count += std::min(count, everybody - same->count);
    return;
  }
  if (who == Sleeper::idles) ++idle_told_;
  if (size_ == most) send();
  wakes_[size_++] = {&word, count};
}

void wake_soon(std::atomic<std::uint32_t>& word, int count, Sleeper who) {
  auto* together = static_cast<WakesTogether*>(base::self_unsuspended().wakes);
  if (together) together->add(word, count, who);
  else futex_wake(word, count);
}

void send_wakes() {
  if (auto* together = static_cast<WakesTogether*>(base::self_unsuspended().wakes)) together->send();
}

}  // namespace weir::sys
