// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where as many are to go on as there are cores, one call after the other as without us (Gate::lets_few_go_on).
namespace weir::gate {

// Of the calling thread, which is about to wait in a call: does it keep its core meanwhile, so that no other goes on?
bool keeps_core();
// Waits for one; it is over the limit, and false, where nobody else went on for long.
bool take_core_among_few();

}  // namespace weir::gate
