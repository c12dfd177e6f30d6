// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir::lane {

// An instruction that adds, subtracts, multiplies or divides floating-point numbers.
bool rounds(const std::uint8_t* at, const std::uint8_t* end);
bool adds_numbers(const std::uint8_t* at, const std::uint8_t* end);  // or subtracts
// A reciprocal, or that of a root, and not all of its digits.
bool approximates(const std::uint8_t* at, const std::uint8_t* end);
// Puts one into memory; compares two of them.
bool stores_number(const std::uint8_t* at, const std::uint8_t* end);
bool compares_numbers(const std::uint8_t* at, const std::uint8_t* end);

// One that writes to memory if that holds what was read of it before.
bool exchanges(const std::uint8_t* at, const std::uint8_t* end);
// One that puts something there and has what was there before.
bool swaps(const std::uint8_t* at, const std::uint8_t* end);

// An instruction that adds one to a register or to memory, or takes one off.
bool steps_by_one(const std::uint8_t* at, const std::uint8_t* end);
// Adds a constant to what is in memory others see, or makes by such an addition what is written there just behind.
bool moves_on(const std::uint8_t* at, const std::uint8_t* end, bool has_frame_pointer);
// Adds, or the like, something constant to memory that others may change meanwhile.
bool adds_at_once(const std::uint8_t* at, const std::uint8_t* end);
// Reads or writes the thread's own memory, and not only to see whether the stack is whole.
bool is_of_thread(const std::uint8_t* at, const std::uint8_t* end);
bool is_locked(const std::uint8_t* at);

}  // namespace weir::lane
