// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

// What is known of a descriptor, by its number, from calls before: a guess, since it may be another by now. A wrong one costs
// time, never a result.
namespace weir::path {

constexpr int guesses = 4096;
template <typename Guess>
std::atomic<Guess>& by_number(std::atomic<Guess> (&table)[guesses], int fd) {
  return table[static_cast<unsigned>(fd) % guesses];
}

// What the last look at a file's bytes found, or the last read that was made without one.
enum class Bytes : std::uint8_t { unknown, there, missing };
extern std::atomic<Bytes> bytes_of_last[guesses];
inline Bytes last_bytes(int fd) { return by_number(bytes_of_last, fd).load(std::memory_order_relaxed); }
inline void found_bytes(int fd, Bytes what) { by_number(bytes_of_last, fd).store(what, std::memory_order_relaxed); }

// A socket whose reader is faster than its writer: to try is a system call for nothing, where what follows tries once more.
// (Where that would only wait until the socket is ready, none may be left out: one that listens gives its error at once, and is
// ready when somebody connects.) After some tries in a row that found nothing the next ones are left out; one in 32 is made all
// the same.
bool expects_nothing(int socket);
void tried(int socket, bool found_nothing);

}  // namespace weir::path
