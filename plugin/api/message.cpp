// SPDX-License-Identifier: Apache-2.0
// include/weir/message.h: what is handed in is looked at here, the rest is plugin/message.
#include "weir/message.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>

#include "api/instance.h"
#include "base/clock.h"
#include "message/link.h"
#include "message/message.h"
#include "message/stream.h"
#include "sys/file.h"
#include "sys/raw.h"
#include "weir/task.h"

#define WEIR_EXPORT extern "C" __attribute__((visibility("default")))

using namespace weir;

namespace {

message::Link& link_of(weir_link* link) { return *reinterpret_cast<message::Link*>(link); }
message::Stream& stream_of(weir_stream* stream) { return *reinterpret_cast<message::Stream*>(stream); }

int check_socket(int fd) {
  int type = 0;
  socklen_t bytes = sizeof type;
  if (Result result = sys::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &bytes); failed(result))
    return static_cast<int>(result);
  if (type != SOCK_STREAM) return -EPROTOTYPE;
  sockaddr_storage peer;
  bytes = sizeof peer;
  return static_cast<int>(sys::raw(SYS_getpeername, fd, sys::word(&peer), sys::word(&bytes)));
}

weir_message begin(weir_link* link, bool outgoing, char* memory, std::size_t bytes, weir_stream_fn fn, void* arg) {
  if (!link || (!fn && !memory && bytes) || bytes > PTRDIFF_MAX) return -EINVAL;
  if (fn && weir_pool_size() <= 0) return -EAGAIN;
  message::Message* made = message::take();
  if (!made) return -ENOMEM;
  made->outgoing = outgoing;
  made->memory = memory;
  made->bytes = bytes;
  made->stream_fn = fn;
  made->stream_argument = arg;
  weir_message id = message::id_of(*made);  // before anybody can end it
  int error = outgoing ? link_of(link).send(*made) : link_of(link).receive(*made);
  if (!error) return id;
  message::recycle(made);
  return error;
}

}  // namespace

WEIR_EXPORT int weir_link_open(weir_link** out, int fd, const weir_link_options* options) {
  constexpr std::int64_t usual_silence_ns = 30 * base::ns_per_s;
  if (!out || (options && (options->size < sizeof *options || options->silence_ns < 0))) return -EINVAL;
  *out = nullptr;
  if (int error = check_socket(fd)) return error;
  api::prepare(environ);
  api::start();
  Result own = sys::raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3);
  if (failed(own)) return static_cast<int>(own);
  std::int64_t silence_ns = options && options->silence_ns ? options->silence_ns : usual_silence_ns;
  message::Link* link = message::Link::make(static_cast<int>(own), silence_ns);
  int error = link ? link->start() : -ENOMEM;
  if (!error) {
    *out = reinterpret_cast<weir_link*>(link);
    return 0;
  }
  if (link) link->release();
  sys::close(static_cast<int>(own));
  return error;
}

WEIR_EXPORT void weir_link_close(weir_link* link) {
  if (link) link_of(link).close();
}

WEIR_EXPORT weir_message weir_msg_send(weir_link* link, const void* from, size_t bytes) {
  return begin(link, true, static_cast<char*>(const_cast<void*>(from)), bytes, nullptr, nullptr);
}
WEIR_EXPORT weir_message weir_msg_recv(weir_link* link, void* to, size_t bytes) {
  return begin(link, false, static_cast<char*>(to), bytes, nullptr, nullptr);
}
WEIR_EXPORT weir_message weir_msg_send_by(weir_link* link, weir_stream_fn marshal, void* arg) {
  return marshal ? begin(link, true, nullptr, 0, marshal, arg) : -EINVAL;
}
WEIR_EXPORT weir_message weir_msg_recv_by(weir_link* link, weir_stream_fn unmarshal, void* arg) {
  return unmarshal ? begin(link, false, nullptr, 0, unmarshal, arg) : -EINVAL;
}
WEIR_EXPORT int weir_stream_put(weir_stream* stream, const void* from, size_t bytes) {
  message::Stream& into = stream_of(stream);
  return into.message->outgoing ? message::put(into, static_cast<const char*>(from), bytes) : -EINVAL;
}
WEIR_EXPORT ssize_t weir_stream_get(weir_stream* stream, void* to, size_t bytes) {
  message::Stream& from = stream_of(stream);
  return from.message->outgoing ? -EINVAL : message::get(from, static_cast<char*>(to), bytes);
}

WEIR_EXPORT std::int64_t weir_msg_sequence(weir_message id) {
  message::Message* found = message::find_locked(id);
  if (!found) return -EINVAL;
  auto sequence = static_cast<std::int64_t>(found->sequence);
  found->lock.unlock();
  return sequence;
}

WEIR_EXPORT ssize_t weir_msync(weir_message id) { return message::wait_for(id, -1); }
WEIR_EXPORT ssize_t weir_msync_within(weir_message id, std::int64_t ns) { return message::wait_for(id, ns < 0 ? 0 : ns); }
WEIR_EXPORT int weir_mtest(weir_message id, ssize_t* result) {
  message::Message* found = message::find_locked(id);
  if (!found) return -EINVAL;
  int over = found->over;
  if (over) *result = found->result;
  found->lock.unlock();
  return over;
}
WEIR_EXPORT int weir_mcont(weir_message id, weir_completion_fn fn, void* arg) { return message::follow(id, fn, arg); }
WEIR_EXPORT int weir_mcancel(weir_message id) {
  message::Message* found = message::find_locked(id);
  if (!found) return -EINVAL;
  message::Link* link = found->link;
  if (link) link->retain();  // it is there while a transfer of it is not done
  bool outgoing = found->outgoing;
  std::uint64_t sequence = found->sequence;
  found->lock.unlock();
  if (!link) return 0;
  link->cancel(outgoing, sequence);
  link->release();
  return 0;
}
WEIR_EXPORT int weir_mrelease(weir_message id) { return message::release(id); }
