// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::omp {

// The event of an undeferred task: omp_fulfill_event knows it by its address. Its end waits until it was fulfilled, and
// lets tasks that are ready go on meanwhile: one of them may be who fulfills it.
class AwaitedEvent {
 public:
  AwaitedEvent();
  ~AwaitedEvent();
  AwaitedEvent(const AwaitedEvent&) = delete;
  AwaitedEvent& operator=(const AwaitedEvent&) = delete;

  void fulfill();
  AwaitedEvent* next;  // of all

 private:
  std::atomic<std::uint32_t> fulfilled_{0};
};

// In the child: whoever was at the events of the parent's tasks is not there.
void events_after_fork();

}  // namespace weir::omp
