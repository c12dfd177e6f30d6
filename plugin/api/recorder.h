// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/writer.h"

// What the process did over time, kept for its report: a thread of ours looks while calls wait or the process computes,
// and sleeps otherwise. A process in which no call ever waited has no such thread; its timeline is one point.
namespace weir::api {

// From now on (a report was asked for). Starts no thread: the first call that waits does.
void start_recording();

// Looks once more: before the report is written for good.
void record_now();

// "timeline", "regions", "devices": members of the report, each with a comma behind it.
void put_record(Writer& out);
// "call_sites" and "lost_by_reason", likewise.
void put_call_sites(Writer& out);

void recording_after_fork();

}  // namespace weir::api
