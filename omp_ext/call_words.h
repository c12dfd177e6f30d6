// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

// Calls `function` with `count` words as its arguments, as many as there are: six in registers, the rest on the stack.
// `words` has room for six at least.
extern "C" void weir_call_words(const void* function, void* const* words, std::size_t count);
