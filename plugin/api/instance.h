// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/settings.h"
#include "lane/decision.h"
#include "op/op.h"
#include "sys/capabilities.h"

// The one place that builds, wires, starts, stops and forks everything.
namespace weir::api {

// Reads the settings, sets the gate's limits and the policy. Idempotent, cheap: no thread, no ring. The preload calls
// it from its constructor, the C API from weir_init.
void prepare(char** environment);

// Starts what waiting needs (the driver's thread and ring), once, when first wanted. False: there is no ring here, and
// the call has to wait as it would without weir.
bool start();

const base::Settings& settings();
bool is_root();  // Is this the process that `weir run` became, or, without it, the one that prepared?
const sys::Capabilities& capabilities();  // all false until start()
std::int64_t running_since_ns();

// What a program that asks sets over its environment; 0 and nullptr leave things as they are.
struct Overrides {
  std::int64_t threads = 0, permits = 0, max_permits = 0;
  const char* report = nullptr;
};
void override_settings(const Overrides& overrides);

// What finish() ended goes on: the report will be written again.
void resume();

// What `auto` found in the objects that are loaded; empty when the lane was given.
const lane::Decision& program();

// The own pool has workers: its tasks can be set aside. Idempotent.
void pool_started();

// More was loaded (dlopen): decide again what the program's lane is.
void after_load();

// Prints and writes what was asked for. Called at exit; once.
void finish();

// Writes the report of what was done so far, if one was asked for, so that a process that is killed leaves it.
void report_so_far();

// Before anybody else has libc call functions of theirs around a fork: then ours are the last before it, and the first after it. In
// theirs threads of the program may wait for each other, and for what we keep off while a fork is under way. Idempotent.
void watch_forks();

// fork(): the child starts clean, the parent goes on unharmed.
void after_fork_in_child();

}  // namespace weir::api
