// SPDX-License-Identifier: Apache-2.0
// What a link receives. Nothing that comes is believed: whatever a peer of ours would not say at this moment breaks the
// link with -EPROTO, before it has moved a byte of anybody's memory.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/clock.h"
#include "message/link.h"
#include "sys/file.h"

namespace weir::message {
namespace {

constexpr std::size_t turn_bytes = 1 << 20;  // then others get their turn of the driver

// For what nobody wants any more; written to by all links, read by none.
alignas(64) char nowhere[most_payload];

}  // namespace

// Where the next bytes of the payload go, and how many may go there.
std::uint64_t Link::sink(char** to) {
  Incoming* in = incoming_.find(frame_.sequence);
  Message* message = in ? in->message : nullptr;
  if (in && in->kept) {
    *to = in->kept + in->moved;
  } else if (message && message->stream) {
    *to = message->stream->at(message->stream->put);
    return std::min<std::uint64_t>(payload_left_, Stream::straight(message->stream->put));
  } else {
    *to = message ? message->memory + in->moved : nowhere;
  }
  return payload_left_;
}

void Link::arrived(std::uint64_t bytes) {
  payload_left_ -= static_cast<std::uint32_t>(bytes);
  Incoming* in = incoming_.find(frame_.sequence);
  in->moved += bytes;
  if (Message* message = in->message; message && message->stream && !in->kept) message->stream->put += bytes;
  if (!payload_left_) frame_ended();
}

void Link::frame_ended() {
  std::uint64_t sequence = frame_.sequence;
  Incoming& in = *incoming_.find(sequence);
  if (in.message && in.message->stream && !in.kept) {
    in.message->stream->finished = frame_.last;
    in.message->stream->wake();
  }
  if (!frame_.last) return;
  in.kept_whole = in.kept;
  if (sequence >= receives_) return;  // kept until it is registered
  if (in.kept) return deliver_kept(sequence);
  Message* message = in.message;
  in.message = nullptr;
  in.ended = true;
  if (message && !message->stream) over(message, static_cast<ssize_t>(in.moved));
  incoming_.drop_ended();
  something_to_say();
}

// The slot of a message that the peer speaks of; `whole`: all of it in this frame, so that it may come unasked.
Incoming* Link::slot_for(std::uint64_t sequence, bool whole) {
  if (sequence < incoming_.base()) return nullptr;
  if (sequence >= asked_ && !(whole && sequence < asked_ + eager_messages)) return nullptr;
  Incoming* in = incoming_.reach(sequence);
  if (!in) fail(-ENOMEM);
  return in && !in->ended && !in->kept_whole ? in : nullptr;
}

bool Link::accept_data(const Frame& frame) {
  bool whole = frame.value == 0 && frame.last && frame.bytes <= eager_bytes;
  Incoming* in = slot_for(frame.sequence, whole);
  if (!in || frame.value != in->moved || (whole && in->begun)) return false;
  if (!whole && frame.bytes > in->window - in->moved) return false;
  in->begun = true;
  Message* message = in->message;
  if (frame.sequence >= receives_) {
    in->kept = static_cast<char*>(std::malloc(frame.bytes + 1));
    if (!in->kept) return fail(-ENOMEM), false;
  } else if (message && message->stream_fn && !message->stream) {
    message->stream = make_stream(*message, *this);
    if (!message->stream || !start_task(*message)) {
      hand_back(message, -ENOMEM);
      refuse(frame.sequence, ENOMEM);
    }
  } else if (message && !message->stream_fn && frame.bytes > message->bytes) {
    in->message = nullptr;  // small, and sent before the peer could know
    in->refused = true;
    over(message, -EMSGSIZE);
  }
  frame_ = frame;
  payload_left_ = frame.bytes;
  if (!payload_left_) frame_ended();
  return true;
}

bool Link::accept_abort(const Frame& frame) {
  Incoming* in = slot_for(frame.sequence, true);
  if (!in) return false;
  auto result = -static_cast<ssize_t>(frame.value);
  in->begun = true;
  if (frame.sequence >= receives_) {
    if (in->kept) return false;
    in->kept_whole = true;
    in->kept_error = static_cast<int>(result);
    return true;
  }
  std::free(in->kept);
  in->kept = nullptr;
  if (in->message) hand_back(in->message, result);
  in->message = nullptr;
  in->ended = true;
  incoming_.drop_ended();
  something_to_say();
  return true;
}

// It came before it was registered, or while it was.
void Link::deliver_kept(std::uint64_t sequence) {
  Incoming& in = *incoming_.find(sequence);
  if (Message* message = in.message) {
    if (in.kept_error) {
      over(message, in.kept_error);
    } else if (!message->stream_fn) {
      bool fits = in.moved <= message->bytes;
      if (fits && in.moved) std::memcpy(message->memory, in.kept, in.moved);
      over(message, fits ? static_cast<ssize_t>(in.moved) : -EMSGSIZE);
    } else if ((message->stream = make_stream(*message, *this))) {
      std::memcpy(message->stream->ring, in.kept, in.moved);
      message->stream->put = in.moved;
      message->stream->finished = true;
      if (!start_task(*message)) over(message, -EAGAIN);
    } else {
      over(message, -ENOMEM);
    }
  }
  std::free(in.kept);
  in.kept = nullptr;
  in.message = nullptr;
  in.ended = true;
  incoming_.drop_ended();
  something_to_say();
}

void Link::refuse(std::uint64_t sequence, int error) {
  Incoming* in = incoming_.find(sequence);
  if (!in) return;
  in->message = nullptr;
  in->refused = true;
  in->refuse_error = error;
  line_in_.add(incoming_, sequence);
  something_to_say();
}

bool Link::accept(const Frame& frame) {
  if (hello_heard_ == (frame.kind == Kind::hello)) return false;  // first, and once
  switch (frame.kind) {
    case Kind::hello: return hello_heard_ = true;
    case Kind::data: return accept_data(frame);
    case Kind::grant: return granted(frame);
    case Kind::credit: return credited(frame);
    case Kind::refuse: return refused(frame);
    case Kind::abort: return accept_abort(frame);
    case Kind::ping: pong_due_ = true; return true;
    case Kind::pong: return true;
  }
  return false;
}

// Frame after frame out of what is staged. False: that is no peer of ours.
bool Link::take_staged() {
  std::size_t at = 0;
  while (!error_) {
    if (payload_left_) {
      std::size_t here = std::min<std::size_t>(payload_left_, staged_ - at);
      if (!here) break;
      char* to;
      here = std::min<std::size_t>(here, sink(&to));
      if (to != nowhere) std::memcpy(to, staging_ + at, here);
      at += here;
      arrived(here);
      continue;
    }
    Frame frame;
    if (staged_ - at < header_bytes) break;
    if (!decode(staging_ + at, &frame) || !accept(frame)) return false;
    at += header_bytes;
  }
  std::memmove(staging_, staging_ + at, staged_ - at);
  staged_ -= at;
  return true;
}

bool Link::in_the_middle() {
  for (std::uint64_t i = incoming_.base(); i < incoming_.end(); ++i)
    if (Incoming* in = incoming_.find(i); in->begun && !in->ended && !in->kept_whole) return true;
  return staged_ || payload_left_;
}

void Link::pump_in() {
  std::size_t got = 0;
  while (!error_ && got < turn_bytes) {
    iovec parts[2];
    int count = 0;
    std::uint64_t room = 0;
    if (payload_left_) {
      char* to;
      room = sink(&to);
      parts[count++] = {to, room};
    }
    // While a payload goes on beyond a stream's seam, what follows it has to wait.
    if (room == payload_left_) parts[count++] = {staging_ + staged_, staging_bytes - staged_};
    msghdr what{};
    what.msg_iov = parts;
    what.msg_iovlen = static_cast<std::size_t>(count);
    Result result = sys::recvmsg(fd_, &what, MSG_DONTWAIT);
    if (result == -EINTR) continue;
    if (result == -EAGAIN) return;
    if (result == 0) return fail(in_the_middle() ? -ECONNRESET : -EPIPE);
    if (failed(result)) return fail(static_cast<int>(result));
    heard_ns_ = base::now_ns();
    pinged_ns_ = 0;
    got += static_cast<std::size_t>(result);
    std::uint64_t direct = std::min<std::uint64_t>(room, static_cast<std::uint64_t>(result));
    staged_ += static_cast<std::size_t>(result) - direct;
    if (direct) arrived(direct);
    if (!take_staged()) return fail(-EPROTO);
  }
}

}  // namespace weir::message
