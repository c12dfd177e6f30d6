// SPDX-License-Identifier: Apache-2.0
#include "sys/capabilities.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/settings.h"
#include "sys/file.h"
#include "sys/raw.h"
#include "sys/valgrind.h"

namespace weir::sys {
namespace {

// Values newer than the kernel headers of Debian 12; from the kernel's uapi headers.
constexpr unsigned setup_single_issuer = 1u << 12;
constexpr unsigned setup_defer_taskrun = 1u << 13;
constexpr int advise_guard_install = 102;
constexpr int advise_guard_remove = 103;
constexpr int probed_ops = 64;

Result set_up(unsigned flags) {
  io_uring_params parameters{};
  parameters.flags = flags;
  return raw(SYS_io_uring_setup, 4, word(&parameters));
}

bool sets_up(unsigned flags) {
  Result fd = set_up(flags);
  if (fd >= 0) close(static_cast<int>(fd));
  return fd >= 0;
}

void probe_operations(int ring, Capabilities& can) {
  alignas(io_uring_probe) char space[sizeof(io_uring_probe) + probed_ops * sizeof(io_uring_probe_op)] = {};
  auto* found = reinterpret_cast<io_uring_probe*>(space);
  if (failed(raw(SYS_io_uring_register, ring, IORING_REGISTER_PROBE, word(found), probed_ops))) return;
  auto has = [&](int op) { return op <= found->last_op && (found->ops[op].flags & IO_URING_OP_SUPPORTED); };
  can.op_read = has(IORING_OP_READ);
  can.op_readv = has(IORING_OP_READV);
  can.op_write = has(IORING_OP_WRITE);
  can.op_writev = has(IORING_OP_WRITEV);
  can.op_fsync = has(IORING_OP_FSYNC);
  can.op_poll = has(IORING_OP_POLL_ADD);
  can.op_timeout = has(IORING_OP_TIMEOUT) && has(IORING_OP_LINK_TIMEOUT);
  can.op_cancel = has(IORING_OP_ASYNC_CANCEL);
  can.op_futex = has(51 /* IORING_OP_FUTEX_WAIT */);
  can.op_msg_ring = has(40 /* IORING_OP_MSG_RING */);
}

void probe_ring(Capabilities& can) {
  Result ring = set_up(0);
  if (failed(ring)) {
    can.ring_error = static_cast<int>(ring);
    return;
  }
  int fd = static_cast<int>(ring);
  probe_operations(fd, can);
  io_uring_rsrc_update self{};
  self.offset = -1u;
  self.data = static_cast<std::uint64_t>(fd);
  can.registered_ring = raw(SYS_io_uring_register, fd, 20 /* IORING_REGISTER_RING_FDS */, word(&self), 1) == 1;
  if (can.registered_ring) raw(SYS_io_uring_register, fd, 21 /* IORING_UNREGISTER_RING_FDS */, word(&self), 1);
  close(fd);
  can.single_issuer = sets_up(setup_single_issuer);
  can.defer_taskrun = can.single_issuer && sets_up(setup_single_issuer | setup_defer_taskrun);
  // Without waiting and cancelling a ring is of no use to us.
  can.io_uring = can.op_poll && can.op_timeout && can.op_read && can.op_cancel;
  if (!can.io_uring) can.ring_error = -ENOSYS;
}

bool probe_nowait() {
  Result fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  if (failed(fd)) return false;
  char byte;
  iovec part{&byte, 1};
  Result result = sys::preadv2(static_cast<int>(fd), &part, 1, -1, RWF_NOWAIT);
  close(static_cast<int>(fd));
  return result == 1 || result == -EAGAIN;
}

bool probe_guard() {
  Result page = raw(SYS_mmap, 0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (failed(page)) return false;
  bool works = raw(SYS_madvise, page, 4096, advise_guard_install) == 0;
  if (works) raw(SYS_madvise, page, 4096, advise_guard_remove);
  raw(SYS_munmap, page, 8192);
  return works;
}

}  // namespace

constinit const CapabilityName capability_names[] = {
    {"io_uring", &Capabilities::io_uring, "a ring can be set up and has what weir needs"},
    {"single_issuer", &Capabilities::single_issuer, "rings with one submitting thread"},
    {"defer_taskrun", &Capabilities::defer_taskrun, "completions processed only when their owner asks"},
    {"registered_ring", &Capabilities::registered_ring, "rings without a file descriptor lookup"},
    {"op_read", &Capabilities::op_read, "READ"},
    {"op_readv", &Capabilities::op_readv, "READV"},
    {"op_write", &Capabilities::op_write, "WRITE"},
    {"op_writev", &Capabilities::op_writev, "WRITEV"},
    {"op_fsync", &Capabilities::op_fsync, "FSYNC"},
    {"op_poll", &Capabilities::op_poll, "POLL_ADD"},
    {"op_timeout", &Capabilities::op_timeout, "TIMEOUT, also linked"},
    {"op_cancel", &Capabilities::op_cancel, "ASYNC_CANCEL"},
    {"op_msg_ring", &Capabilities::op_msg_ring, "MSG_RING"},
    {"op_futex", &Capabilities::op_futex, "FUTEX_WAIT: the ring's thread can be woken without a descriptor"},
    {"nowait", &Capabilities::nowait, "reads that return rather than block (RWF_NOWAIT)"},
    {"guard_install", &Capabilities::guard_install, "guard pages without a mapping each (MADV_GUARD_INSTALL)"},
};
constinit const int capability_count = sizeof capability_names / sizeof *capability_names;

Capabilities probe(const char* disable) {
  Capabilities can;
  // Valgrind runs one thread at a time, and would wait for the ring's with all others.
  if (!base::lists(disable, "io_uring") && !under_valgrind()) probe_ring(can);
  else can.ring_error = -EPERM;
  can.nowait = probe_nowait();
  can.guard_install = probe_guard();
  for (const CapabilityName& row : capability_names)
    if (base::lists(disable, row.name)) can.*row.bit = false;
  return can;
}

}  // namespace weir::sys
