// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/thread.h"

namespace weir::path {

// The handlers that run on the thread while it waits, were it between two slices. (A task that goes on on another thread begins
// anew there.)
class Handlers {
 public:
  // Would the kernel have ended the wait for them: for any, or only for one without SA_RESTART?
  bool end_wait(bool for_any);

 private:
  const base::Thread* thread_ = &base::self();
  std::uint32_t run_ = thread_->handlers_run, ended_ = thread_->waits_ended;
};

}  // namespace weir::path
