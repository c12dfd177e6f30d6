// SPDX-License-Identifier: Apache-2.0
// Registering and ending transfers.
#include "message/link.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/clock.h"
#include "sys/file.h"
#include "sys/raw.h"
#include "weir/task.h"

namespace weir::message {
namespace {

constinit std::atomic<int> under_way{0};

}  // namespace

bool busy() { return under_way.load(std::memory_order_acquire) > 0; }
void transfers_after_fork() { under_way.store(0, std::memory_order_relaxed); }

Link::Turn::~Turn() {
  Message* first = link_.over_first_;
  link_.over_first_ = link_.over_last_ = nullptr;
  weir_waiter* closer = link_.closer_told_;
  link_.closer_told_ = nullptr;
  link_.lock_.unlock();
  while (Message* message = first) {
    first = message->next;
    free_stream(message->stream);
    message->stream = nullptr;
    complete(message, message->outcome);
    under_way.fetch_sub(1, std::memory_order_release);
  }
  if (closer) closer->wake(closer);
}

void Link::over(Message* message, ssize_t result) {
  message->outcome = result;
  message->next = nullptr;
  (over_last_ ? over_last_->next : over_first_) = message;
  over_last_ = message;
  --pending_;
}

void Link::hand_back(Message* message, ssize_t result) {
  if (!message->task_running) return over(message, result);
  message->stream->error = static_cast<int>(result);
  message->stream->wake();
}

void Link::expect(Message& message, std::uint64_t sequence) {
  message.lock.lock();
  message.link = this;
  message.sequence = sequence;
  message.lock.unlock();
  under_way.fetch_add(1, std::memory_order_relaxed);
  if (pending_++ == 0) heard_ns_ = base::now_ns();
  arm_tick();
}

int Link::send(Message& message) {
  Turn turn(*this);
  if (error_) return error_;
  Outgoing* out = outgoing_.reach(sends_);
  if (!out) return -ENOMEM;
  std::uint64_t sequence = sends_++;
  out->message = &message;
  expect(message, sequence);
  if (out->early_end) end_early(sequence, out->early_end);
  else consider(sequence);
  return 0;
}

int Link::receive(Message& message) {
  Turn turn(*this);
  Incoming* in = incoming_.find(receives_);
  bool here = in && in->kept_whole;
  if (error_ && !here) return error_;
  if (!in) in = incoming_.reach(receives_);
  if (!in) return -ENOMEM;
  std::uint64_t sequence = receives_++;
  in->message = &message;
  expect(message, sequence);
  if (here) deliver_kept(sequence);
  something_to_say();
  return 0;
}

void Link::cancel(bool outgoing, std::uint64_t sequence) {
  Turn turn(*this);
  if (outgoing) return end_early(sequence, -ECANCELED);
  Incoming* in = incoming_.find(sequence);
  if (!in || !in->message) return;
  hand_back(in->message, -ECANCELED);
  refuse(sequence, ECANCELED);
}

void Link::something_to_say() {
  if (error_ || pumping_ || out_.armed()) return;
  if (int error = out_.arm(op::poll(fd_, POLLOUT))) fail(error);
}

void Link::fail(int error, bool lingers) {
  if (error_) return;
  error_ = error;
  for (std::uint64_t i = outgoing_.base(); i < outgoing_.end(); ++i) {
    Outgoing& out = *outgoing_.find(i);
    if (out.message) hand_back(out.message, error);
    out.message = nullptr;
  }
  for (std::uint64_t i = incoming_.base(); i < incoming_.end(); ++i) {
    Incoming& in = *incoming_.find(i);
    if (in.message) hand_back(in.message, error);
    in.message = nullptr;
    if (in.kept_whole) continue;  // it arrived, and may still be asked for
    std::free(in.kept);
    in.kept = nullptr;
  }
  bool clean = !parcel_moved_;
  parcel_count_ = 0;
  parcel_moved_ = payload_left_ = 0;
  staged_ = 0;
  lingering_ = lingers && clean;
  sys::raw(SYS_shutdown, fd_, lingering_ ? SHUT_WR : SHUT_RDWR);
}

int Link::filled(Stream& stream) {
  Turn turn(*this);
  if (stream.error) return stream.error;
  stream.put = stream.own;
  stream.limit = stream.got + Stream::ring_bytes;
  consider(stream.message->sequence);
  return stream.error;
}

int Link::emptied(Stream& stream) {
  Turn turn(*this);
  if (stream.error) return stream.error;
  std::uint64_t sequence = stream.message->sequence;
  Incoming* in = incoming_.find(sequence);
  if (in && in->message == stream.message && !stream.finished) {
    in->credit += stream.own - stream.got;
    if (in->credit >= Stream::ring_bytes / 4) {
      line_in_.add(incoming_, sequence);
      something_to_say();
    }
  }
  stream.got = stream.own;
  stream.limit = stream.put;
  stream.ended = stream.finished;
  return stream.error;
}

bool Link::wait_here(Stream& stream, weir_waiter* waiter) {
  Turn turn(*this);
  bool nothing_new = stream.message->outgoing ? stream.put - stream.got == Stream::ring_bytes
                                              : stream.put == stream.own && !stream.finished;
  if (!nothing_new || stream.error) return false;
  stream.waiter = waiter;
  return true;
}

void Link::task_over(Message& message, int result) {
  Turn turn(*this);
  Stream& stream = *message.stream;
  message.task_running = false;
  if (stream.error) return over(&message, stream.error);
  if (message.outgoing) {
    if (result < 0) return end_early(message.sequence, result);
    stream.finished = true;
    return consider(message.sequence);
  }
  Incoming* in = incoming_.find(message.sequence);
  if (result < 0 && in && in->message == &message) refuse(message.sequence, std::min(-result, most_errno));
  over(&message, result < 0 ? result : static_cast<ssize_t>(stream.put));
}

}  // namespace weir::message
