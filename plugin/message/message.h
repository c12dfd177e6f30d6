// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/spin.h"
#include "weir/message.h"
#include "weir/task.h"

namespace weir::message {

class Link;
struct Stream;

// One registered transfer. Messages live in a table for ever and are used again, so that an id that is no more is found
// out, whenever it comes.
//
//   free --take()--> under way --complete()--> done: continuation runs --> over --msync/release--> free
struct Message {
  // What the program asks about; under `lock`.
  base::Spin lock;
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  bool in_use = false;    // between take() and recycle()
  bool claimed = false;   // somebody waits in msync, or it was released
  bool released = false;  // nobody will: complete() recycles it
  bool done = false, over = false;
  ssize_t result = 0;
  weir_waiter* waiter = nullptr;
  weir_completion_fn fn = nullptr;
  void* argument = nullptr;
  Link* link = nullptr;         // until done
  std::uint64_t sequence = 0;

  // The link's; under its lock.
  bool outgoing = false;
  bool task_running = false;    // then the task brings the result
  char* memory = nullptr;       // or:
  weir_stream_fn stream_fn = nullptr;
  void* stream_argument = nullptr;
  Stream* stream = nullptr;
  std::uint64_t bytes = 0;      // to be sent, or that fit
  ssize_t outcome = 0;          // on its way to complete()
  Message* next = nullptr;
  weir_task task{nullptr, nullptr};
};

// nullptr: no memory, or a million are under way.
Message* take();
// Never told to anybody.
void recycle(Message* message);

weir_message id_of(const Message& message);

// The message of an id that is still one, locked; nullptr.
Message* find_locked(weir_message id);

// From any thread, holding no lock: a continuation may run here.
void complete(Message* message, ssize_t result);

// For msync: -EINVAL, or the result, after waiting; ns < 0: no limit.
ssize_t wait_for(weir_message id, std::int64_t ns);
int follow(weir_message id, weir_completion_fn fn, void* argument);
int release(weir_message id);

// In the child: all that were under way are over with -ENOTCONN.
void table_after_fork();

}  // namespace weir::message
