// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::sys {

// What THIS kernel and container permit, probed once into a value; a missing feature is a false bit, never an #if.
struct Capabilities {
  bool io_uring = false;        // a ring could be set up
  bool single_issuer = false;   // IORING_SETUP_SINGLE_ISSUER
  bool defer_taskrun = false;   // IORING_SETUP_DEFER_TASKRUN
  bool registered_ring = false; // IORING_REGISTER_RING_FDS
  bool op_read = false, op_readv = false, op_write = false, op_writev = false, op_fsync = false;
  bool op_poll = false, op_timeout = false, op_cancel = false, op_msg_ring = false, op_futex = false;
  bool nowait = false;          // preadv2(RWF_NOWAIT)
  bool guard_install = false;   // MADV_GUARD_INSTALL
  int ring_error = 0;           // why io_uring is false: -errno of the set-up
};

struct CapabilityName {
  const char* name;
  bool Capabilities::*bit;
  const char* meaning;
};
extern const CapabilityName capability_names[];
extern const int capability_count;

// Asks the kernel; some 100 us. `disable`: comma-separated names that come out false whatever the kernel says.
Capabilities probe(const char* disable);

}  // namespace weir::sys
