// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>

#include "sys/lock.h"
#include "sys/raw.h"

namespace weir::omp {

// Objects that are reused and never unmapped: an address once handed out may be read for ever, which lets a thread poke
// another that is just leaving. T needs a `T* next_free`; fresh ones are all zero bytes.
template <typename T>
class Pool {
 public:
  // So many, chained by next_free; nullptr: no memory for all of them.
  T* take(std::int32_t count = 1) {
    sys::LockScope locked(lock_);
    T** end = &free_;
    for (std::int32_t i = 0; i < count; ++i) {
      if (!*end && !add_chunk(end)) return nullptr;
      end = &(*end)->next_free;
    }
    T* objects = free_;
    free_ = *end;
    *end = nullptr;
    return objects;
  }
  void give_all(T* objects) {
    while (objects) {
      T* next = objects->next_free;
      give(objects);
      objects = next;
    }
  }
  void give(T* object) {
    sys::LockScope locked(lock_);
    object->next_free = free_;
    free_ = object;
  }
  // In the child, alone: another thread of the parent's may have been at it. What was free is left unused.
  void after_fork() {
    lock_.after_fork();
    free_ = nullptr;
  }

 private:
  // To what is chained from there: nothing, yet.
  bool add_chunk(T** end) {
    constexpr std::size_t bytes = 64 * 1024;
    Result area = sys::raw(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (failed(area)) return false;
    T* objects = reinterpret_cast<T*>(area);
    for (std::size_t i = 0; i < bytes / sizeof(T); ++i) {
      objects[i].next_free = *end;
      *end = &objects[i];
    }
    return true;
  }

  sys::Lock lock_;  // held over a call of the kernel: hence one to sleep on
  T* free_ = nullptr;
};

}  // namespace weir::omp
