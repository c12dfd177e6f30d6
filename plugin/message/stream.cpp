// SPDX-License-Identifier: Apache-2.0
#include "message/stream.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "message/link.h"
#include "weir/task.h"

namespace weir::message {
namespace {

Link& link_of(Stream& stream) { return *stream.link; }

void set_aside(Stream& stream) {
  weir_block(
      [](void* stream_, weir_waiter* waiter) {
        auto& waits = *static_cast<Stream*>(stream_);
        if (!link_of(waits).wait_here(waits, waiter)) waiter->wake(waiter);
      },
      &stream);
}

// What the reader left.
int skip(Stream& stream) {
  while (!stream.ended) {
    stream.own = stream.limit;
    if (int error = link_of(stream).emptied(stream)) return error;
    if (stream.own == stream.limit && !stream.ended) set_aside(stream);
  }
  return 0;
}

void run(weir_task* task) {
  auto* message = reinterpret_cast<Message*>(reinterpret_cast<char*>(task) - offsetof(Message, task));
  Stream& stream = *message->stream;
  Link* link = stream.link;
  int result = message->stream_fn(reinterpret_cast<weir_stream*>(&stream), message->stream_argument);
  if (result >= 0) result = message->outgoing ? link->filled(stream) : skip(stream);
  link->task_over(*message, result);
  link->release();
}

}  // namespace

Stream* make_stream(Message& message, Link& link) {
  void* memory = std::malloc(sizeof(Stream));
  if (!memory) return nullptr;
  auto* stream = new (memory) Stream;
  stream->message = &message;
  stream->link = &link;
  if (message.outgoing) stream->limit = Stream::ring_bytes;
  return stream;
}

void free_stream(Stream* stream) { std::free(stream); }

bool start_task(Message& message) {
  message.task.run = run;
  message.task_running = true;
  Link* link = message.stream->link;
  link->retain();
  if (!weir_spawn(&message.task)) return true;
  message.task_running = false;
  link->release();
  return false;
}

int put(Stream& stream, const char* from, std::size_t bytes) {
  while (bytes) {
    while (stream.own == stream.limit) {
      if (int error = link_of(stream).filled(stream)) return error;
      if (stream.own == stream.limit) set_aside(stream);
    }
    std::uint64_t in_fragment = Stream::fragment_bytes - stream.own % Stream::fragment_bytes;
    std::size_t part = std::min<std::uint64_t>({bytes, stream.limit - stream.own, in_fragment});
    std::memcpy(stream.at(stream.own), from, part);
    stream.own += part;
    from += part;
    bytes -= part;
    if (stream.own % Stream::fragment_bytes) continue;
    if (int error = link_of(stream).filled(stream)) return error;
  }
  return 0;
}

ssize_t get(Stream& stream, char* to, std::size_t bytes) {
  std::size_t got = 0;
  while (got < bytes) {
    if (stream.own == stream.limit) {
      if (stream.ended) break;
      if (int error = link_of(stream).emptied(stream)) return error;
      if (stream.own == stream.limit && !stream.ended) set_aside(stream);
      continue;
    }
    // Space is given back by the quarter, so that the peer need not wait until all is read.
    constexpr std::uint64_t quarter = Stream::ring_bytes / 4;
    std::size_t part = std::min<std::uint64_t>({bytes - got, stream.limit - stream.own, quarter - stream.own % quarter});
    std::memcpy(to + got, stream.at(stream.own), part);
    stream.own += part;
    got += part;
    if (stream.own % quarter) continue;
    if (int error = link_of(stream).emptied(stream)) return error;
  }
  return static_cast<ssize_t>(got);
}

}  // namespace weir::message
