// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::tbb {

// Threads of a libtbb that was told more processors than there are hold a core while they compute. As long as there are
// no stand-ins nobody waits for one: the program has the threads it would have without us, and is to lose nothing.
void coming();
void going();
// Cores were found to be held by such threads: who comes from now on does not wait long for one.
void come_soon();
// The calling thread found no work when it last looked; should another that has some wait for a core, it goes first. True:
// another that looks for work went on in its place for a while.
bool idling();
void stand_ins(int present);

// The calling thread is libtbb's own: without a task it may wait long for a core, and holds nothing up.
void become_worker();
bool is_worker();

// For a trace: if the caller is a worker, it looks for tasks and runs them from now on; until it sleeps.
void worker_is_up();
void worker_sleeps();

// How many threads there are, a program and its loops' partitioners ask by the same name. A loop makes its first task, and
// right then, in the constructor, its partitioner asks, once or twice; before the task is handed over.
void loop_begins(void* first_task);
void loop_has_begun();
bool partitioner_asks();
bool partitioner_has_asked();  // once so far
// What it is told, when libtbb says `said`; twice the same.
int told_to_partitioner(int said);

}  // namespace weir::tbb
