// SPDX-License-Identifier: Apache-2.0
// What a link sends: which frame is next, and how it leaves.
#include <algorithm>
#include <cerrno>
#include <poll.h>

#include "base/clock.h"
#include "message/link.h"
#include "sys/file.h"

namespace weir::message {
namespace {

constexpr std::size_t turn_bytes = 1 << 20;  // then others get their turn of the driver
constexpr std::int64_t nothing = -1;

}  // namespace

// How many bytes of it may go now; `nothing` when not even an empty frame may.
std::int64_t Link::sendable(const Outgoing& out, std::uint64_t sequence, const char** from, bool* last) const {
  const Message* message = out.message;
  if (!message || out.last_built || out.early_end) return nothing;
  if (!out.granted) {
    if (message->stream_fn || message->bytes > eager_bytes || sequence >= grants_ + eager_messages) return nothing;
    *from = message->memory;
    *last = true;
    return static_cast<std::int64_t>(message->bytes);
  }
  std::uint64_t bytes = std::min<std::uint64_t>(out.window - out.moved, most_payload);
  if (Stream* stream = message->stream) {
    bytes = std::min({bytes, stream->put - out.moved, Stream::straight(out.moved)});
    *last = stream->finished && out.moved + bytes == stream->put;
    *from = stream->at(out.moved);
  } else if (message->stream_fn) {
    return nothing;
  } else {
    bytes = std::min(bytes, message->bytes - out.moved);
    *last = out.moved + bytes == message->bytes;
    *from = message->memory + out.moved;
  }
  return bytes || *last ? static_cast<std::int64_t>(bytes) : nothing;
}

// Something about it has changed: it may go, has to end, or its task can start.
void Link::consider(std::uint64_t sequence) {
  Outgoing* out = outgoing_.find(sequence);
  if (!out || error_) return;
  if (Message* message = out->message; message && out->granted && !out->last_built) {
    if (message->stream_fn && !message->stream) {
      message->stream = make_stream(*message, *this);
      if (!message->stream || !start_task(*message)) return end_early(sequence, -ENOMEM);
    }
    std::uint64_t known = message->stream ? message->stream->put : message->bytes;
    if (out->final && known > out->window) return end_early(sequence, -EMSGSIZE);
  }
  const char* from;
  bool last;
  if (!out->abort_error && sendable(*out, sequence, &from, &last) == nothing) return;
  line_out_.add(outgoing_, sequence);
  something_to_say();
}

// Its memory is the program's again when it gets its result: not while a parcel points into it.
void Link::end_early(std::uint64_t sequence, ssize_t result) {
  Outgoing* out = outgoing_.find(sequence);
  if (!out || !out->message || out->last_built) return;
  if (out->parcels) {
    if (!out->early_end) out->early_end = result;
    return;
  }
  out->early_end = 0;
  Message* message = out->message;
  out->message = nullptr;
  out->abort_error = result >= -most_errno ? static_cast<int>(-result) : EIO;
  hand_back(message, result);
  line_out_.add(outgoing_, sequence);
  something_to_say();
}

bool Link::granted(const Frame& frame) {
  if (frame.sequence != grants_ || frame.sequence >= outgoing_.base() + grants_ahead + eager_messages) return false;
  ++grants_;
  if (frame.sequence >= outgoing_.base()) {
    Outgoing* out = outgoing_.reach(frame.sequence);
    if (!out) return fail(-ENOMEM), true;
    out->granted = true;
    out->window = out->last_built ? out->moved : std::max(frame.value, out->moved);
    out->final = frame.last;
    consider(frame.sequence);
  }
  consider(frame.sequence + eager_messages);
  return true;
}

bool Link::credited(const Frame& frame) {
  if (frame.sequence >= grants_) return false;
  Outgoing* out = outgoing_.find(frame.sequence);
  if (!out) return true;  // over meanwhile
  if (out->final || out->window > ~0ull / 2) return false;
  out->window += frame.value;
  consider(frame.sequence);
  return true;
}

bool Link::refused(const Frame& frame) {
  if (frame.sequence >= grants_) return false;
  Outgoing* out = outgoing_.find(frame.sequence);
  if (!out) return true;
  auto result = -static_cast<ssize_t>(frame.value);
  if (frame.sequence >= sends_) out->early_end = result;  // for when it will be registered
  else end_early(frame.sequence, result);
  return true;
}

bool Link::load_notice(Parcel& parcel) {
  Frame frame{Kind::hello, false, 0, 0, 0};
  if (!hello_said_) {
    hello_said_ = true;
    frame.sequence = magic;
    frame.value = version;
  } else if (pong_due_ || ping_due_) {
    frame.kind = pong_due_ ? Kind::pong : Kind::ping;
    (pong_due_ ? pong_due_ : ping_due_) = false;
  } else if (asked_ < receives_ && asked_ < incoming_.base() + grants_ahead) {
    frame.kind = Kind::grant;
    frame.sequence = asked_++;
    frame.last = true;
    Incoming* in = incoming_.find(frame.sequence);
    if (in && in->message) {
      frame.last = in->final = !in->message->stream_fn;
      frame.value = in->window = in->final ? in->message->bytes : Stream::ring_bytes;
    }
    if (in && in->refuse_error) {
      frame.last = false;  // no word on its size: the refusal comes
      line_in_.add(incoming_, frame.sequence);
    }
  } else {
    bool found = false;
    while (!found && !line_in_.empty()) {
      frame.sequence = line_in_.take(incoming_);
      Incoming& in = *incoming_.find(frame.sequence);
      found = !in.ended && frame.sequence < asked_ && (in.refuse_error || (in.credit && !in.refused));
      frame.kind = in.refuse_error ? Kind::refuse : Kind::credit;
      frame.value = in.refuse_error ? static_cast<std::uint64_t>(in.refuse_error) : in.credit;
      if (found && frame.kind == Kind::refuse) in.refuse_error = 0;
      if (found && frame.kind == Kind::credit) in.window += in.credit, in.credit = 0;
    }
    incoming_.drop_ended();
    if (!found) return false;
  }
  parcel.bytes = 0;
  parcel.data = parcel.last = false;
  encode(frame, parcel.header);
  return true;
}

bool Link::load_data(Parcel& parcel, std::uint64_t sequence) {
  Outgoing& out = *outgoing_.find(sequence);
  Frame frame{Kind::data, false, 0, sequence, out.moved};
  parcel.sequence = sequence;
  if (out.abort_error) {
    if (!out.granted && sequence >= grants_ + eager_messages) return false;
    frame.kind = Kind::abort;
    frame.value = static_cast<std::uint64_t>(out.abort_error);
    parcel.data = parcel.last = false;
    parcel.bytes = 0;
    encode(frame, parcel.header);
    out.ended = true;
    outgoing_.drop_ended();
    return true;
  }
  std::int64_t bytes = sendable(out, sequence, &parcel.payload, &parcel.last);
  if (bytes == nothing) return false;
  parcel.data = true;
  parcel.bytes = frame.bytes = static_cast<std::uint32_t>(bytes);
  frame.last = out.last_built = parcel.last;
  encode(frame, parcel.header);
  out.moved += parcel.bytes;
  ++out.parcels;
  consider(sequence);
  return true;
}

bool Link::load(Parcel& parcel) {
  if (load_notice(parcel)) return true;
  while (!line_out_.empty())
    if (load_data(parcel, line_out_.take(outgoing_))) return true;
  return false;
}

void Link::parcel_left(Parcel& parcel) {
  if (!parcel.data) return;
  Outgoing& out = *outgoing_.find(parcel.sequence);
  --out.parcels;
  Message* message = out.message;
  if (Stream* stream = message->stream) {
    stream->got += parcel.bytes;
    if (stream->put - stream->got <= Stream::ring_bytes / 2) stream->wake();
  }
  if (parcel.last) {
    out.message = nullptr;
    out.ended = true;
    over(message, static_cast<ssize_t>(out.moved));
    outgoing_.drop_ended();
  } else if (out.early_end && !out.parcels) {
    end_early(parcel.sequence, out.early_end);
  }
}

void Link::pump_out() {
  std::size_t sent = 0;
  while (!error_) {
    while (parcel_count_ < most_parcels && load(parcels_[parcel_count_])) ++parcel_count_;
    if (error_ || !parcel_count_) return;
    if (sent >= turn_bytes) break;
    iovec parts[2 * most_parcels];
    int count = 0;
    std::uint32_t skip = parcel_moved_;
    for (int i = 0; i < parcel_count_; ++i) {
      Parcel& parcel = parcels_[i];
      if (skip < header_bytes) parts[count++] = {parcel.header + skip, header_bytes - skip};
      std::uint32_t into = skip < header_bytes ? 0 : skip - static_cast<std::uint32_t>(header_bytes);
      if (parcel.bytes > into) parts[count++] = {const_cast<char*>(parcel.payload) + into, parcel.bytes - into};
      skip = 0;
    }
    msghdr what{};
    what.msg_iov = parts;
    what.msg_iovlen = static_cast<std::size_t>(count);
    Result result = sys::sendmsg(fd_, &what, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (result == -EINTR) continue;
    if (result == -EAGAIN) break;
    if (failed(result)) return fail(static_cast<int>(result));
    sent += static_cast<std::size_t>(result);
    written_ += result;
    std::uint64_t left = static_cast<std::uint64_t>(result) + parcel_moved_;
    int gone = 0;
    while (gone < parcel_count_ && left >= header_bytes + parcels_[gone].bytes) {
      left -= header_bytes + parcels_[gone].bytes;
      parcel_left(parcels_[gone++]);
    }
    parcel_moved_ = static_cast<std::uint32_t>(left);
    std::move(parcels_ + gone, parcels_ + parcel_count_, parcels_);
    parcel_count_ -= gone;
  }
  if (error_ || out_.armed()) return;
  if (int error = out_.arm(op::poll(fd_, POLLOUT))) fail(error);
}

}  // namespace weir::message
