// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// A process's addresses may be limited (ulimit -v and -d, as batch systems set them to what a job asked for). What weir maps then,
// the program may lack in the end: so of both, the stacks of tasks and those of more threads, it has a small part.
namespace weir::sys {

bool addresses_are_limited();

// Stacks of `bytes` that may still be mapped for tasks, `wanted` at most: they count as mapped from here on. They are never unmapped.
std::int64_t take_stacks(std::int64_t wanted, std::int64_t bytes);
// Those of them that could not be mapped.
void give_back_stacks(std::int64_t count, std::int64_t bytes);

// How large a stack may be for one of `usual` bytes, if many tasks shall have one each.
std::int64_t stack_within_addresses(std::int64_t usual);

// How many threads more than the program's own may be.
std::int64_t threads_within_addresses();

// A child leaves its parent's stacks alone, and has a share of its own.
void addresses_after_fork();

}  // namespace weir::sys
