// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace weir::meter {

// What a process shows of itself to who looks while it runs: `weir top`. Numbers since the process began, or, where the
// comment says so, at this moment.
struct Shown {
  struct Site {            // who called what had to wait, those that waited longest first
    char call[16];
    char lane[8];
    std::uint64_t address; // the call returns there
    std::int64_t count, bytes, waited_ns, hidden_ns;
  };
  static constexpr int most_sites = 8;

  std::int64_t now_ns, wall_ns, cpu_ns;
  std::int64_t calls, fast_hits, parked, suspended, plain, bytes_read, bytes_written, blocked_ns, hidden_ns;
  std::int64_t storage_ops, storage_bytes;
  // at this moment
  std::int64_t in_flight, parked_now, suspended_now, ready, permits, permits_held, permits_waiting, cores, cores_held;
  std::int64_t peak_in_flight;
  char state[16];          // the controller's
  char lane[16], reason[24];
  std::int64_t site_count;
  Site sites[most_sites];
};
static_assert(std::is_trivially_copyable_v<Shown> && sizeof(Shown) % 8 == 0);

// The memory in which it stands: a sealed memfd of this name, so nobody can shorten it under who looks, and it is gone with
// its process. Open in one thread alone, which has this name too and descriptors of its own: to the program it is not
// there. It is written only when somebody asks.
//
//   reader: ++asked, wakes it         the process: sleeps on asked; writes; answered = asked, wakes it
//
// A reader has to distrust all of it: check() before anything else, and no text without an end.
struct Page {
  static constexpr const char* name = "weir-top";
  static constexpr std::uint32_t this_layout = 1;
  static constexpr char mark[8] = {'w', 'e', 'i', 'r', '-', 't', 'o', 'p'};

  char magic[8];
  std::uint32_t layout;
  std::uint32_t bytes;                    // of the whole page
  std::int32_t process;                   // as it knows itself
  std::atomic<std::uint32_t> asked;
  std::atomic<std::uint32_t> answered;
  std::atomic<std::uint32_t> sequence;    // odd while it is being written
  std::atomic<std::uint64_t> words[sizeof(Shown) / 8];

  void begin(std::int32_t its_process) {
    std::memcpy(magic, mark, sizeof magic);
    layout = this_layout;
    bytes = sizeof(Page);
    process = its_process;
  }
  bool is_weirs() const { return !std::memcmp(magic, mark, sizeof magic); }

  // By one thread at a time. Each word is released, and acquired in read(): who sees a new one sees the odd number too.
  void write(const Shown& shown) {
    std::uint64_t from[sizeof(Shown) / 8];
    std::memcpy(from, &shown, sizeof shown);
    std::uint32_t now = sequence.load(std::memory_order_relaxed);
    sequence.store(now + 1, std::memory_order_relaxed);
    for (std::size_t i = 0; i < sizeof(Shown) / 8; ++i) words[i].store(from[i], std::memory_order_release);
    sequence.store(now + 2, std::memory_order_release);
  }

  // False: it is being written, or was meanwhile.
  bool read(Shown& shown) const {
    std::uint64_t to[sizeof(Shown) / 8];
    std::uint32_t before = sequence.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < sizeof(Shown) / 8; ++i) to[i] = words[i].load(std::memory_order_acquire);
    if (before % 2 || sequence.load(std::memory_order_relaxed) != before) return false;
    std::memcpy(&shown, to, sizeof shown);
    return true;
  }
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace weir::meter
