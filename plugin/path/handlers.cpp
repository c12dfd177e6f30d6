// SPDX-License-Identifier: Apache-2.0
#include "path/handlers.h"

namespace weir::path {

bool Handlers::end_wait(bool for_any) {
  const base::Thread& thread = base::self();
  if (&thread != thread_) *this = Handlers();
  return for_any ? thread.handlers_run != run_ : thread.waits_ended != ended_;
}

}  // namespace weir::path
