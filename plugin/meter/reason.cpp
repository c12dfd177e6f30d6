// SPDX-License-Identifier: Apache-2.0
#include "meter/reason.h"

namespace weir::meter {
namespace {

struct Name {
  const char* name;
  const char* words;
};

// In the order of the enumeration. docs/report.md has the same list (scripts/check-reasons).
constexpr Name names[] = {
    {"none", "nothing"},
    {"outside", "no call was made in a team, a task or an arena"},
    {"lane_off", "weir was switched off"},
    {"not_a_task", "calls were made in no task that can be set aside"},
    {"lock_held", "a lock was held across the calls"},
    {"signal_handler", "calls were made in a signal handler"},
    {"eintr_wanted", "a signal handler without SA_RESTART is installed"},
    {"nonblocking", "the program's descriptors do not block"},
    {"unsupported_fd", "io_uring can't wait for such descriptors"},
    {"unsupported_call", "only libc can serve such calls"},
    {"buffered_write", "buffered writes go to the page cache, and wait for nothing"},
    {"child", "calls wait for child processes, which may compute on these cores themselves"},
    {"no_ring", "there is no io_uring here"},
    {"cap", "as many tasks were set aside as the run-time bears"},
    {"backlog", "enough tasks waited already"},
    {"construct", "tasks were in a construct that can't be set aside"},
    {"no_stack", "there was no memory for stacks"},
    {"foreign_stack", "calls ran on stacks that are not their tasks'"},
    {"in_order", "tasks of a team or an arena of one thread go one after the other"},
    {"thread_bound", "the program may depend on which thread a task runs on"},
    {"watchdog", "nothing moved any more with tasks set aside"},
    {"cancellable", "the program uses pthread_cancel"},
    {"gate_timeout", "permits or cores were waited for in vain"},
    {"memory", "little memory was left"},
    {"few_at_once", "tasks try for locks of files, and would have had more others at it"},
    {"alone", "nobody had anything else to do"},
    {"no_stand_in", "no stand-in was there"},
};
static_assert(sizeof names / sizeof *names == reason_count);

}  // namespace

const char* name_of(Reason reason) { return names[static_cast<int>(reason)].name; }
const char* words_of(Reason reason) { return names[static_cast<int>(reason)].words; }

}  // namespace weir::meter
