// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace weir::base {

// A node lives in what it links (a request on a caller's stack, a parked thread): nothing is allocated.
struct Link {
  Link* next = nullptr;
};

// Many push, one takes all. Lock-free.
//
//   push (any thread):  head <- node          seq_cst, so also release: publishes the node's owner's writes
//   take_all (one):     head <- nullptr       acquire: sees them
class Inbox {
 public:
  // Returns true when the inbox was empty: whoever made it non-empty has to wake the taker.
  bool push(Link* node) {
    Link* head = head_.load(std::memory_order_relaxed);
    do {
      node->next = head;
    } while (!head_.compare_exchange_weak(head, node, std::memory_order_seq_cst, std::memory_order_relaxed));
    return head == nullptr;
  }

  // All nodes, oldest first.
  Link* take_all() {
    Link* node = head_.exchange(nullptr, std::memory_order_acquire);
    Link* oldest_first = nullptr;
    while (node) {
      Link* next = node->next;
      node->next = oldest_first;
      oldest_first = node;
      node = next;
    }
    return oldest_first;
  }

  // Ordered with push() and a flag of the taker's that says "asleep": see ring/driver.
  bool empty() const { return head_.load(std::memory_order_seq_cst) == nullptr; }

 private:
  std::atomic<Link*> head_{nullptr};
};

// First in, first out, for one thread or under its owner's lock.
class Queue {
 public:
  void push(Link* node) {
    node->next = nullptr;
    if (last_) last_->next = node;
    else first_ = node;
    last_ = node;
  }
  Link* pop() {
    Link* node = first_;
    if (!node) return nullptr;
    first_ = node->next;
    if (!first_) last_ = nullptr;
    return node;
  }
  // False: it is not in here.
  bool remove(Link* node) {
    Link* before = nullptr;
    for (Link* at = first_; at; before = at, at = at->next) {
      if (at != node) continue;
      (before ? before->next : first_) = node->next;
      if (last_ == node) last_ = before;
      return true;
    }
    return false;
  }
  Link* first() const { return first_; }
  bool empty() const { return first_ == nullptr; }

 private:
  Link* first_ = nullptr;
  Link* last_ = nullptr;
};

}  // namespace weir::base
