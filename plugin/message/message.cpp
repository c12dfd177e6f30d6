// SPDX-License-Identifier: Apache-2.0
#include "message/message.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

namespace weir::message {
namespace {

constexpr std::uint32_t chunk_messages = 256;
constexpr std::uint32_t most_chunks = 4096;

// Chunks are never given back.
struct Table {
  base::Spin lock;
  std::atomic<Message*> chunks[most_chunks] = {};
  std::atomic<std::uint32_t> chunk_count{0};
  Message* free = nullptr;
};
constinit Table table;

bool add_chunk() {
  std::uint32_t number = table.chunk_count.load(std::memory_order_relaxed);
  if (number == most_chunks) return false;
  void* memory = std::malloc(chunk_messages * sizeof(Message));
  if (!memory) return false;
  auto* chunk = static_cast<Message*>(memory);
  for (std::uint32_t i = chunk_messages; i-- > 0;) {
    auto* message = new (chunk + i) Message;
    message->index = number * chunk_messages + i;
    message->next = table.free;
    table.free = message;
  }
  // release: with the messages in it; find_locked() acquires.
  table.chunks[number].store(chunk, std::memory_order_release);
  table.chunk_count.store(number + 1, std::memory_order_release);
  return true;
}

void put_back(Message* message) {
  base::SpinScope locked(table.lock);
  message->next = table.free;
  table.free = message;
}

// With its lock held; to be unlocked and put back after it.
void end_id(Message* message) {
  message->in_use = false;
  message->generation = (message->generation + 1) & 0x7fffffff;
}

void recycle_locked(Message* message) {
  end_id(message);
  message->lock.unlock();
  put_back(message);
}

// Two may end a wait: the message when it is over, and the time.
struct Wait {
  Message* message;
  bool late = false;  // under the message's lock
};

void time_is_over(void* wait_) {
  auto* wait = static_cast<Wait*>(wait_);
  wait->message->lock.lock();
  wait->late = true;
  weir_waiter* waiter = wait->message->waiter;
  wait->message->waiter = nullptr;
  wait->message->lock.unlock();
  if (waiter) waiter->wake(waiter);
}

void sleep_until_over(Message* message, std::int64_t ns) {
  Wait wait{message};
  weir_operation* alarm = nullptr;
  if (ns > 0 && weir_start_alarm(&alarm, ns, time_is_over, &wait)) return;  // no time to be had: not waited at all
  weir_block(
      [](void* wait_, weir_waiter* waiter) {
        auto* mine = static_cast<Wait*>(wait_);
        mine->message->lock.lock();
        bool now = mine->message->over || mine->late;
        if (!now) mine->message->waiter = waiter;
        mine->message->lock.unlock();
        if (now) waiter->wake(waiter);
      },
      &wait);
  if (alarm) weir_drop(alarm);
}

}  // namespace

Message* take() {
  table.lock.lock();
  if (!table.free && !add_chunk()) {
    table.lock.unlock();
    return nullptr;
  }
  Message* message = table.free;
  table.free = message->next;
  table.lock.unlock();
  base::SpinScope locked(message->lock);
  message->in_use = true;
  message->claimed = message->released = message->done = message->over = false;
  message->result = 0;
  message->waiter = nullptr;
  message->fn = nullptr;
  message->link = nullptr;
  message->outgoing = message->task_running = false;
  message->memory = nullptr;
  message->stream_fn = nullptr;
  message->stream = nullptr;
  message->bytes = 0;
  message->next = nullptr;
  return message;
}

void recycle(Message* message) {
  message->lock.lock();
  recycle_locked(message);
}

weir_message id_of(const Message& message) {
  return static_cast<weir_message>(static_cast<std::uint64_t>(message.generation) << 32 | (message.index + 1));
}

Message* find_locked(weir_message id) {
  std::uint32_t index = static_cast<std::uint32_t>(id) - 1;
  std::uint32_t chunk_number = index / chunk_messages;
  if (id <= 0 || chunk_number >= table.chunk_count.load(std::memory_order_acquire)) return nullptr;
  Message* message = table.chunks[chunk_number].load(std::memory_order_acquire) + index % chunk_messages;
  message->lock.lock();
  if (message->in_use && message->generation == static_cast<std::uint64_t>(id) >> 32) return message;
  message->lock.unlock();
  return nullptr;
}

void complete(Message* message, ssize_t result) {
  message->lock.lock();
  message->done = true;
  message->result = result;
  message->link = nullptr;
  weir_completion_fn fn = message->fn;
  void* argument = message->argument;
  message->lock.unlock();
  if (fn) fn(argument, result);
  message->lock.lock();
  message->over = true;
  weir_waiter* waiter = message->waiter;
  message->waiter = nullptr;
  if (message->released) return recycle_locked(message);
  message->lock.unlock();
  if (waiter) waiter->wake(waiter);
}

ssize_t wait_for(weir_message id, std::int64_t ns) {
  Message* message = find_locked(id);
  if (!message) return -EINVAL;
  if (message->claimed) {
    message->lock.unlock();
    return -EINVAL;
  }
  message->claimed = true;
  bool over = message->over;
  message->lock.unlock();
  if (!over && ns != 0) sleep_until_over(message, ns);
  message->lock.lock();
  if (!message->over) {
    message->claimed = false;
    message->lock.unlock();
    return -ETIMEDOUT;
  }
  ssize_t result = message->result;
  recycle_locked(message);
  return result;
}

int follow(weir_message id, weir_completion_fn fn, void* argument) {
  if (!fn) return -EINVAL;
  Message* message = find_locked(id);
  if (!message) return -EINVAL;
  if (message->fn || message->claimed) {
    message->lock.unlock();
    return -EINVAL;
  }
  message->fn = fn;
  message->argument = argument;
  bool done = message->done;
  ssize_t result = message->result;
  message->lock.unlock();
  if (done) fn(argument, result);
  return 0;
}

int release(weir_message id) {
  Message* message = find_locked(id);
  if (!message) return -EINVAL;
  if (message->claimed) {
    message->lock.unlock();
    return -EINVAL;
  }
  message->claimed = message->released = true;
  if (message->over) {
    recycle_locked(message);
    return 0;
  }
  // The id is no more from here on; the message goes back when it is over.
  message->generation = (message->generation + 1) & 0x7fffffff;
  message->lock.unlock();
  return 0;
}

void table_after_fork() {
  table.lock.unlock();
  for (std::uint32_t i = 0; i < table.chunk_count.load(); ++i) {
    Message* chunk = table.chunks[i].load();
    for (Message* message = chunk; message < chunk + chunk_messages; ++message) {
      message->lock.unlock();
      if (!message->in_use || message->over) continue;
      message->done = message->over = true;
      message->result = -ENOTCONN;
      message->waiter = nullptr;
      message->link = nullptr;
    }
  }
}

}  // namespace weir::message
