// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::team {

constexpr std::int64_t spins_for_work_ns = 50'000;  // so long a thread looks, in the hope of work

// It has found none for so long: it gives its core to others, and sleeps for a part of that time, or until it is woken at the word.
void sleep_for_lack_of_work(std::int64_t idle_ns, std::atomic<std::uint32_t>& word, std::uint32_t expected);

// libomp spins, yielding, where it cannot sleep: at a barrier without a task to run, before a loop's turn. With hundreds of
// stand-ins that takes the cores from those that compute; with as many threads as a program asks for it does, too, while there are tasks,
// which let nobody sleep in libomp. To be called when a thread yields: true, it was such a thread of a team of more threads than
// cores, and it has slept a little without a core. `caller`: the code that yields.
bool slept_for_lack_of_work(const void* caller);

}  // namespace weir::team
