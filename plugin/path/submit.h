// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "op/op.h"

namespace weir::path {

// How path reaches the ring; api/instance sets it. False: there is no ring, done() will not be called.
extern bool (*start_engine)();

// Gives a request to the ring, by way of the gate when it binds a permit.
bool submit(op::Request& request);
void cancel(op::Request& request);

}  // namespace weir::path
