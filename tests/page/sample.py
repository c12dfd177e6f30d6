# SPDX-License-Identifier: Apache-2.0
"""A report with every field there is, so that tests can say what a page has to show of it."""
import math


def timeline(points, end_s):
    for i in range(points):
        permits = min(64, 8 + i // 3)
        yield {"t_s": round((i + 1) * end_s / points, 3), "in_flight": max(0, permits - i % 7), "permits": permits,
               "suspended": max(0, permits - 4 - i % 3), "parked": i % 4, "cores_busy": round(1.5 + 0.5 * math.sin(i / 9), 3),
               "ops_per_s": permits * 180.5, "bytes_per_s": permits * 737280, "calls_per_s": permits * 200,
               "state": ("fast", "normal", "hold", "relocate")[min(3, 4 * i // points)]}


def call_site(i, count=1000, **other):
    return {"call": "pread", "object": "/usr/lib/libnothing.so", "offset": 4096 + 16 * i, "symbol": f"read_block_{i}",
            "lane": "suspend", "reason": "none", "count": count, "bytes": count * 4096, "waited_s": 0.002 * count,
            "hidden_s": 0.0015 * count, "histogram": [0, 0, 3, 10, 40, 90, 400, count - 543], **other}


def report(pid=4242, **other):
    return {
        "version": "0.1.0", "pid": pid, "command": ["./app", "--file=cold.dat"], "wall_s": 4.0125, "lane": "suspend",
        "lane_reason": "none", "calls": 40213, "bytes_read": 163840000, "bytes_written": 4096, "fast_hits": 120,
        "parked": 310, "suspended": 39500, "plain": 283, "ring_ops": 39500, "ring": True, "peak_in_flight": 64,
        "peak_suspended": 62, "blocked_s": 130.25, "hidden_s": 121.75, "storage_ops": 40000, "storage_bytes": 163840000,
        "lane_evidence": [], "fallbacks": {"lock_held": 310, "gate_timeout": 12},
        "lost_by_reason": {"lock_held": 6.25, "gate_timeout": 0.4}, "timeline": list(timeline(200, 4.0)),
        "regions": [
            {"name": "app.cpp:120", "kind": "parallel", "calls": 40000, "bytes": 163840000, "computing_s": 5.5,
             "parked_s": 6.25, "suspended_s": 118.0, "waiting_for_core_s": 1.75, "ops": 40000},
            {"name": "fill", "kind": "task", "calls": 213, "bytes": 4096, "computing_s": 1.25, "parked_s": 0.25,
             "suspended_s": 0, "waiting_for_core_s": 0.125, "ops": 10}],
        "call_sites": [call_site(i, 1000 * (9 - i)) for i in range(1, 8)] + [
            call_site(0, 3100, lane="park", reason="lock_held", hidden_s=0)],
        "devices": [{"t_s": i / 10, "own_bytes_per_s": 1e7 + i * 1e5, "disk_bytes_per_s": 1.1e7 + i * 1e5, "disk_in_flight": i % 9,
                     "io_pressure": i / 2, "dirty_bytes": i * 4096, "writeback_bytes": 4096} for i in range(40)], **other}
