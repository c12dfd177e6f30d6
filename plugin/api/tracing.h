// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::api {

// Writes the trace that the settings name, if they do: a thread takes what the program's threads recorded ten times a
// second, and a thread whose room is full empties it by itself. A file that can't be written is said, and there is none.
void start_tracing();
void finish_tracing();
void tracing_after_fork();

}  // namespace weir::api
