// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "weir/message.h"
#include "weir/runtime.h"

namespace weir::message {

struct Message;
class Link;

// What lies between a task that writes or reads a message and the transfer: a ring of 16 fragments. Positions count from
// the message's start. The task works on its own and tells the link at each fragment's end; the rest is under the
// link's lock.
//
//   sending:    task -- own --> put ---- link sends ---> got
//   receiving:  link ---------> put -- task reads, own ----> got -- credit to the peer
struct Stream {
  static constexpr std::size_t fragment_bytes = 4096;
  static constexpr std::size_t ring_bytes = 16 * fragment_bytes;

  Message* message = nullptr;
  Link* link = nullptr;
  std::uint64_t put = 0;
  std::uint64_t got = 0;
  bool finished = false;         // put is the end
  int error = 0;                 // the transfer is over with it
  weir_waiter* waiter = nullptr; // the task, set aside

  std::uint64_t own = 0;         // the task's: how far it is
  std::uint64_t limit = 0;       // the task's: how far it may go before it asks again
  bool ended = false;            // the task's: `limit` is the end

  char ring[ring_bytes];

  char* at(std::uint64_t position) { return ring + position % ring_bytes; }
  // Bytes from `position` on to the ring's seam.
  static std::uint64_t straight(std::uint64_t position) { return ring_bytes - position % ring_bytes; }

  // Under the link's lock: the task may go on.
  void wake() {
    weir_waiter* waits = waiter;
    waiter = nullptr;
    if (waits) waits->wake(waits);
  }
};

// nullptr: no memory.
Stream* make_stream(Message& message, Link& link);
void free_stream(Stream* stream);

// Of the task; see weir_stream_put and weir_stream_get.
int put(Stream& stream, const char* from, std::size_t bytes);
ssize_t get(Stream& stream, char* to, std::size_t bytes);

// The functions of a message, as tasks of the pool. Under the link's lock; false: no worker.
bool start_task(Message& message);

}  // namespace weir::message
