// SPDX-License-Identifier: Apache-2.0
#include "intercept/file_wait.h"

#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "intercept/errno_edge.h"
#include "intercept/slices.h"
#include "path/ahead.h"
#include "path/beside.h"
#include "path/in_hope.h"
#include "sys/file.h"

namespace weir::intercept {
namespace {

using path::Call;

constexpr std::size_t least = 4096;        // what libc reads at once, at the least
constexpr std::size_t most = 1024 * 1024;  // what is warmed at once, at the most

// Bits of FILE::_flags, as libio.h of glibc has them.
constexpr int unbuffered = 0x0002, no_reads = 0x0004, at_end = 0x0010, in_backup = 0x0100, by_lines = 0x0200, putting = 0x0800;

// Beyond all the kernel's errors: path must not take stdio's for "would block".
constexpr int beyond = 4096;

FileCall& file_call_of(const Call& call) {
  return *static_cast<FileCall*>(const_cast<void*>(call.arguments));
}

// Failed only says that errno was set, on this thread: it must be seen there.
Result run_here(Call& call) {
  FileCall& c = file_call_of(call);
  c.ran = true;
  ++base::self().lock_depth;
  int before = current_errno();
  c.body(c);
  c.error = current_errno();
  --base::self().lock_depth;
  return c.error == before ? 0 : -(beyond + c.error);
}

// On a thread of ours, whose errno says nothing yet.
Result run_there(Call& call) {
  set_errno(0);
  return run_here(call);
}

std::size_t bytes_at_hand(const FILE* file) {
  auto there = file->_IO_read_end - file->_IO_read_ptr;
  return there > 0 ? static_cast<std::size_t>(there) : 0;
}

// Will libc, like as not, read what there is, want more, and wait for that with the FILE locked: for what a task is to do that
// goes on on this very thread? (Of wide streams nothing is told. What others take from the FILE meanwhile makes this a guess.)
bool may_wait_within(const FileCall& c) {
  const FILE* file = c.file;
  if (c.reads.until == Reads::one || !c.reads.bytes || !others_may_be_waited_for(c.caller.address)) return false;
  if (file->_mode > 0 || file->_fileno < 0 || (file->_flags & (at_end | no_reads | in_backup))) return false;
  std::size_t there = bytes_at_hand(file);
  if (c.reads.until >= 0 && there && std::memchr(file->_IO_read_ptr, c.reads.until, there)) return false;
  if (c.reads.until == Reads::all && there >= c.reads.bytes) return false;
  struct stat about;
  if (failed(sys::known_of(file->_fileno, &about))) return false;
  if (!S_ISFIFO(about.st_mode) && !S_ISSOCK(about.st_mode) && !S_ISCHR(about.st_mode)) return false;
  int more = 0;
  bool known = !failed(sys::bytes_there(file->_fileno, &more)) && more > 0;
  bool all_is_there = known && there + static_cast<std::size_t>(more) >= c.reads.bytes;
  return c.reads.until != Reads::all || !all_is_there;
}

// The whole of libc's call.
Result run_whole(Call& call) {
  FileCall& c = file_call_of(call);
  if (!may_wait_within(c)) return run_here(call);
  Call sent{path::Family::next, path::Direction::in};
  sent.real = run_there;
  sent.arguments = &c;
  Result result;
  return path::made_beside(sent, &result) ? result : run_here(call);
}

// Has nobody sought in it? libc knows the place in the file from then on.
bool reads_on(const FILE* file) { return file->_offset < 0; }

// Would libc's read return at once? Nothing is taken from the descriptor to find out. While it was waited for, somebody else may have
// read more than his part.
Result attempt_whole(Call& call) {
  const FileCall& c = file_call_of(call);
  if (!wants_more(c.file, c.reads.bytes)) return call.real(call);
  bool in_a_row = reads_on(c.file);
  if (in_a_row && path::takes_ahead(call.fd, call.bytes))
    return path::read_ahead(call.fd, call.bytes, [&call] { return call.real(call); });
  struct stat about;
  if (failed(sys::known_of(call.fd, &about))) return call.real(call);
  if (!S_ISREG(about.st_mode)) {
    pollfd ready{call.fd, POLLIN, 0};
    return sys::poll(&ready, 1, 0) == 0 ? -EAGAIN : call.real(call);
  }
  Result offset = sys::lseek(call.fd, 0, SEEK_CUR);
  if (offset < 0) return call.real(call);
  Result found = path::at_hand(call.fd, offset, call.bytes, about.st_size);
  if (found < 0) return found == -EAGAIN ? found : -EOPNOTSUPP;
  bool by_cache = !path::by_number(path::hopes, call.fd).load(std::memory_order_relaxed);
  if (found == 1 && in_a_row && by_cache) path::look_ahead(call.fd, offset, call.bytes, about.st_size, true);
  return path::made_in_hope(call.fd, c.reads.bytes, [&call] { return call.real(call); });
}

// Likewise, of what it reads to seek. A look each time would take as long as to seek: where some in a row were at hand, it is timed.
Result attempt_block(Call& call) {
  if (!path::is_hopeful(call.fd)) {
    struct stat about;
    if (failed(sys::known_of(call.fd, &about)) || !S_ISREG(about.st_mode)) return call.real(call);
    if (!path::look_in_hope(call.fd, call.offset, call.bytes, about.st_size)) return -EAGAIN;
  }
  return path::made_in_hope(call.fd, call.bytes, [&call] { return call.real(call); });
}

// The first members of libc's private record of a wide stream; they have been these since wide streams are.
struct Wide {
  const wchar_t* read_ptr;
  const wchar_t* read_end;
};

// libc fills its buffer, if it has one by now, whatever the caller asks for.
std::size_t room_of(const FILE* file) { return static_cast<std::size_t>(file->_IO_buf_end - file->_IO_buf_base); }

// Will libc write before it reads: what this very FILE was given, or, to whoever types, what stands in stdout? Then it is that
// which is waited for, like as not.
bool writes_first(const FILE* file) {
  if (file->_flags & putting) return true;
  bool may_be_typed = file->_flags & (by_lines | unbuffered) || !file->_IO_buf_base;
  return may_be_typed && stdout->_flags & by_lines && stdout->_IO_write_ptr > stdout->_IO_write_base;
}

}  // namespace

bool wants_more(const FILE* file, std::size_t bytes) {
  if (bytes == 0) return false;
  // What was pushed back lies before what was read; an end that was seen is not looked for again.
  if (file->_flags & (no_reads | at_end | in_backup) || file->_fileno < 0) return false;
  if (file->_mode > 0) {
    const auto& wide = *reinterpret_cast<const Wide*>(file->_wide_data);
    return wide.read_ptr >= wide.read_end && file->_IO_read_ptr >= file->_IO_read_end;
  }
  std::size_t there = bytes_at_hand(file);
  return !there || there < bytes;
}

// As glibc does it: the place as an offset in the file, then the block that it lies in, as large as the buffer, if the place is not
// in the buffer. What it was given to write it writes first, and where a block begins it reads nothing.
Block read_to_seek(const FILE* file, off_t by, int from) {
  if (file->_flags & (no_reads | in_backup | putting) || file->_fileno < 0 || file->_mode > 0) return {};
  const off_t known = file->_offset;  // behind what is in the buffer; < 0: it isn't
  if (from == SEEK_CUR) {
    if (known < 0) return {};
    by += known - static_cast<off_t>(bytes_at_hand(file));
  } else if (from == SEEK_END) {
    struct stat about;
    if (failed(sys::known_of(file->_fileno, &about))) return {};
    by += about.st_size;
  } else if (from != SEEK_SET) {
    return {};
  }
  const off_t first = known - (file->_IO_read_end - file->_IO_buf_base);
  const bool is_in_buffer = known >= 0 && file->_IO_read_base && by >= first && by < known;
  const auto room = static_cast<off_t>(file->_IO_buf_base ? room_of(file) : least);
  const off_t block = by & -room;
  if (by < 0 || is_in_buffer || by == block || by - block > room) return {};
  return {block, std::min(static_cast<std::size_t>(room), most)};
}

void wait_and_run(FileCall& what) {
  Call call{path::Family::next, path::Direction::in};
  call.real = run_whole;
  call.arguments = &what;
  call.sought = what.at != FileCall::at_offset;
  if (!call.sought && !wants_more(what.file, what.reads.bytes)) {
    path::count_in(0);
    run_whole(call);
    return;
  }
  call.fd = what.file->_fileno;
  call.offset = call.sought ? what.at : 0;
  call.attempt = call.sought ? attempt_block : attempt_whole;
  call.ends_unseen = !call.sought;
  call.bytes = std::clamp(std::max(what.reads.bytes, room_of(what.file)), least, most);
  int parks = writes_first(what.file) ? 1 : 0;
  base::self().lock_depth += parks;
  Result result = path::run(call, what.caller);
  base::self().lock_depth -= parks;
  if (!what.ran) run_whole(call);  // a time limit of the socket was over: libc says so
  // errno as libc left it, on the thread on which the program goes on.
  else if (failed(result)) set_errno(what.error);
}

}  // namespace weir::intercept
