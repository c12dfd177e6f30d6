// SPDX-License-Identifier: Apache-2.0
#include "meter/reason.h"

namespace weir::meter {

const char* name_of(Reason reason) {
  static constexpr const char* names[] = {
      "none",         "outside",   "lane_off",  "not_a_task",    "lock_held",       "signal_handler",
      "eintr_wanted", "nonblocking", "unsupported_fd", "unsupported_call", "no_ring", "cap",
      "backlog",      "construct",    "no_stack",  "foreign_stack", "thread_bound", "watchdog",     "vfork_child",
      "cancellable",  "gate_timeout", "memory", "alone", "no_stand_in"};
  static_assert(sizeof names / sizeof *names == reason_count);
  return names[static_cast<int>(reason)];
}

}  // namespace weir::meter
