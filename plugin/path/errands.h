// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "path/call.h"

namespace weir::path {

// Is the call one that any thread may make, that takes long of late or waits for somebody, and is a thread of ours there to make it?
bool may_be_sent(const Call& call);

// Sets the calling task aside until a thread of ours has made the call, with a permit where it is of storage. False: the runtime would
// not (`refusal`), or there was no such thread (0), and nothing happened. After true the caller may stand on another thread.
bool perform_elsewhere(Call& call, bool storage, const weir_runtime& runtime, Result* result, int* refusal);

}  // namespace weir::path
