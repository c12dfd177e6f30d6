#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of programs that really ran: trace_test.py WEIR APPS [unittest arguments]."""
import collections
import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

WEIR, APPS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
LIMIT_S = 60


def environment(**more):
    return {**{k: v for k, v in os.environ.items() if not k.startswith("WEIR_") and k != "LD_PRELOAD"}, **more}


class Trace:
    """A trace file, checked as far as any must be: JSON, times that rise on each thread, each thread named."""

    def __init__(self, test, file):
        with open(file, encoding="ascii") as opened:
            text = opened.read()
        self.bytes, self.whole = len(text), text.endswith("]\n")
        if not self.whole:
            test.assertTrue(text.rstrip("\n").endswith("},"), text[-100:])
        self.events = json.loads(text if self.whole else text.rstrip(",\n") + "]")
        for begin in range(0, len(text) - 4096, 4096):  # whoever is killed while writing leaves whole pages
            test.assertEqual(text[begin + 4095], "\n")
        self.timed = [e for e in self.events if e["ph"] in "BEbe"]
        last, named = {}, {e["tid"] for e in self.events if e["name"] == "thread_name"}
        for event in self.timed:
            test.assertGreaterEqual(event["ts"], last.get(event["tid"], 0), event)
            last[event["tid"]] = event["ts"]
            test.assertIn(event["tid"], named)
        self.counts = collections.Counter((e["ph"], e["cat"]) for e in self.timed)

    def is_balanced(self, test):
        stacks, under_way = collections.defaultdict(list), {}
        for event in sorted(self.timed, key=lambda e: (e["ts"], e["ph"] in "Ee")):  # between threads, by time
            if event["ph"] in "be":
                key = (event["cat"], event["id"])
                if event["ph"] == "b":
                    test.assertNotIn(key, under_way)
                    under_way[key] = event["name"]
                else:
                    test.assertEqual(under_way.pop(key), event["name"])
        holds = {}
        for event in self.timed:  # a thread has one core at a time
            if event["cat"] == "core":
                test.assertNotEqual(holds.get(event["tid"], "e"), event["ph"], event)
                holds[event["tid"]] = event["ph"]
        for event in self.timed:  # on a thread, in the order of the file
            if event["ph"] == "B":
                stacks[event["tid"]].append((event["cat"], event["name"]))
            elif event["ph"] == "E":
                test.assertEqual(stacks[event["tid"]].pop(), (event["cat"], event["name"]))
        test.assertEqual(under_way, {})
        test.assertFalse(any(stacks.values()), stacks)

    def names(self):
        return [e["args"]["name"] for e in self.events if e["name"] == "thread_name"]


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file, self.report = os.path.join(self.folder, "t.json"), os.path.join(self.folder, "r.json")

    def words(self, *command, options=()):
        return [WEIR, "run", "-q", "--trace=" + self.file, *options, *command]

    def run_it(self, *command, options=(), more=None, **how):
        return subprocess.run(self.words(*command, options=options), capture_output=True, text=True, timeout=LIMIT_S,
                              cwd=self.folder, env=environment(**(more or {})), **how)

    def traced(self, *command, options=(), more=None):
        done = self.run_it(*command, options=(*options, "--report=" + self.report), more=more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        trace = Trace(self, self.file)
        self.assertTrue(trace.whole)
        trace.is_balanced(self)
        with open(self.report, encoding="utf-8") as file:
            return trace, json.load(file)


class Whole(Case):
    def agrees(self, trace, report):
        for category, figure in (("parked", "parked"), ("suspended", "suspended"), ("ring", "ring_ops")):
            self.assertEqual((category, trace.counts["be"[0] if category != "parked" else "B", category]),
                             (category, report[figure]))

    def test_openmp_tasks(self):
        trace, report = self.traced(APPS + "/sleepers", "--tasks=150", "--ms=5", options=["--lane=suspend"])
        self.agrees(trace, report)
        self.assertEqual((report["suspended"], trace.counts["b", "task"]), (150, 150))
        self.assertEqual({e["args"]["result"] for e in trace.timed if (e["ph"], e["cat"]) == ("e", "ring")}, {-errno.ETIME})
        self.assertGreaterEqual(trace.counts["B", "piece"], 300)  # before the wait and after it
        self.assertTrue(any("weir-driver" in name for name in trace.names()))
        self.assertTrue(any(name.startswith("main thread") for name in trace.names()))

    def test_openmp_loop(self):
        data = os.path.join(self.folder, "data")
        coldread = [APPS + "/coldread", "--file=" + data, "--size=2M"]
        subprocess.run([*coldread, "--generate"], check=True, capture_output=True, env=environment())
        trace, report = self.traced(*coldread, "--reads=300", "--mode=direct", options=["--lane=park"])
        self.agrees(trace, report)
        self.assertEqual(trace.counts["B", "parked"], 300)
        self.assertGreater(trace.counts["B", "region"], 2)  # stand-ins too
        self.assertGreater(trace.counts["b", "core"], 0)
        reads = [e for e in trace.timed if e["ph"] == "E" and e["cat"] == "parked"]
        self.assertEqual({e["args"]["result"] for e in reads}, {4096})
        self.assertTrue(all(e["args"]["processor"] < os.cpu_count() for e in trace.timed
                            if (e["ph"], e["cat"]) == ("b", "core")))
        self.assertGreater(sum(name.startswith("OpenMP thread") for name in trace.names()), 1)

    def test_onetbb(self):
        trace, report = self.traced(APPS + "/slowsockets", "--requests=100", "--ms=5", "--runtime=tbb",
                                    options=["--lane=suspend"])
        self.agrees(trace, report)
        self.assertEqual(report["suspended"], trace.counts["e", "suspended"])
        self.assertGreaterEqual(report["suspended"], 100)
        self.assertIn("in oneTBB", {e["name"] for e in trace.timed if e["cat"] == "region"})  # the main thread's loop

    def test_long_runs_are_thinned_and_not_cut(self):
        trace, report = self.traced(APPS + "/sleepers", "--tasks=20000", "--ms=1", options=["--lane=suspend"],
                                    more={"WEIR_DEBUG": "small-trace"})
        density = [e["args"]["one in"] for e in self.events_named(trace, "thinned")]
        self.assertEqual(density, [2 ** (i + 1) for i in range(len(density))])
        self.assertGreater(len(density), 2)
        self.assertEqual(trace.events[-1]["args"]["one in"], density[-1])
        self.assertEqual(report["suspended"], 20000)
        self.assertLess(trace.counts["b", "suspended"], 15000)
        # Each density held for a while, and things began under it.
        under, place = collections.Counter(), 0
        for event in trace.events:
            place += event["name"] == "thinned"
            under[place] += event["ph"] in "Bb"
        self.assertTrue(all(under[i] > 20 for i in range(3)), under)

    def events_named(self, trace, name):
        return [e for e in trace.events if e["name"] == name]

    def test_a_forked_child_has_a_file_of_its_own(self):
        code = """
import os, time
time.sleep(0.001)
child = os.fork()
time.sleep(0.001)
if child: os.waitpid(child, 0)"""
        command = [sys.executable, "-c", code]
        self.assertEqual(self.run_it(*command, more={"WEIR_FORCE": "all"}).returncode, 0)
        self.two_traces()
        # The same without `weir run`, which says who is the parent.
        preload = os.path.join(os.path.dirname(WEIR), "..", "lib", "libweir_preload.so")
        alone = environment(LD_PRELOAD=preload, WEIR_TRACE=self.file, WEIR_FORCE="all")
        self.assertEqual(subprocess.run(command, env=alone, timeout=LIMIT_S, check=False).returncode, 0)
        self.two_traces()

    def two_traces(self):
        files = sorted(name for name in os.listdir(self.folder) if name.startswith("t."))
        self.assertEqual(len(files), 2)
        processes = []
        for name in files:
            trace = Trace(self, os.path.join(self.folder, name))
            trace.is_balanced(self)
            self.assertEqual(len({e["pid"] for e in trace.events}), 1)
            processes.append(trace.events[0]["pid"])
            self.assertIn("clock_nanosleep", {e["name"] for e in trace.timed})
            os.remove(os.path.join(self.folder, name))
        self.assertEqual(files[0], f"t.{processes[0]}.json")
        self.assertNotEqual(*processes)

    def test_without_the_option_there_is_no_trace(self):
        done = subprocess.run([WEIR, "run", "-q", APPS + "/sleepers", "--tasks=5"], cwd=self.folder, capture_output=True,
                              env=environment(), timeout=LIMIT_S, check=False)
        self.assertEqual((done.returncode, os.listdir(self.folder)), (0, []))


class Cut(Case):
    def test_who_is_killed_leaves_all_but_the_last_second(self):
        child = subprocess.Popen(self.words(APPS + "/sleepers", "--tasks=1000000", "--ms=500", options=["--lane=suspend"]), stdout=subprocess.DEVNULL, env=environment())
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        deadline = time.monotonic() + LIMIT_S
        while not (os.path.exists(self.file) and os.path.getsize(self.file) > 200_000):
            self.assertIsNone(child.poll())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        time.sleep(0.3)
        child.send_signal(signal.SIGKILL)
        killed_us = time.monotonic() * 1e6
        self.assertEqual(child.wait(), -signal.SIGKILL)
        trace = Trace(self, self.file)
        self.assertFalse(trace.whole)
        self.assertGreater(trace.counts["b", "ring"], 0)
        # A second is what is promised where the writer gets a core; others may have them here.
        self.assertLess(killed_us - max(e["ts"] for e in trace.timed), 5e6)

    def test_who_aborts_leaves_what_it_was_in(self):
        code = "import os, time; time.sleep(0.4); os.abort()"
        done = self.run_it(sys.executable, "-c", code, more={"WEIR_FORCE": "all"})
        self.assertEqual(done.returncode, -signal.SIGABRT)
        self.assertIn(("B", "clock_nanosleep"), {(e["ph"], e["name"]) for e in Trace(self, self.file).timed})


class Wrong(Case):
    def goes_on_without(self, trouble, command=None, **how):
        done = self.run_it(*(command or [APPS + "/sleepers", "--tasks=50", "--ms=1"]), **how)
        bare = subprocess.run([APPS + "/sleepers", "--tasks=50", "--ms=1"], capture_output=True, text=True, check=True,
                              env=environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        if not command:
            self.assertEqual(done.stdout.split()[0], bare.stdout.split()[0])
        self.assertEqual(done.stderr, f"weir: can't write the trace {self.file}: {trouble}; the program goes on without\n")

    def test_a_folder_that_is_not_there(self):
        self.file = os.path.join(self.folder, "none", "t.json")
        self.goes_on_without("No such file or directory")

    def test_a_folder_in_its_place(self):
        self.file = self.folder
        self.goes_on_without("Is a directory")

    def test_a_pipe(self):
        os.mkfifo(self.file)
        self.goes_on_without("No such device or address")
        reader = os.open(self.file, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        self.goes_on_without("Illegal seek")

    def test_a_disk_that_is_full_at_once(self):
        self.file = "/dev/full"
        self.goes_on_without("No space left on device")

    def test_a_limit_on_the_size_of_files(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        self.goes_on_without("File too large", [APPS + "/sleepers", "--tasks=5000", "--ms=1"], preexec_fn=limit)
        trace = Trace(self, self.file)
        self.assertLessEqual(trace.bytes, 20_000)

    def test_a_disk_that_gets_full(self):
        place = os.path.join(self.folder, "small")
        os.mkdir(place)
        inside = f"mount -t tmpfs -o size=128k none {place} && exec \"$@\""
        if not shutil.which("unshare") or subprocess.run(["unshare", "-m", "sh", "-c", inside, "sh", "true"],
                                                         capture_output=True, check=False).returncode:
            self.skipTest("no file system can be mounted here")
        self.file = os.path.join(place, "t.json")
        kept = os.path.join(self.folder, "kept.json")
        words = " ".join(self.words(APPS + "/sleepers", "--tasks=20000", "--ms=1"))
        done = subprocess.run(["unshare", "-m", "sh", "-c", inside, "sh", "sh", "-c", f"{words}; s=$?; cp {self.file} {kept}; exit $s"],
                              capture_output=True, text=True, env=environment(), timeout=LIMIT_S, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (0, f"weir: can't write the trace {self.file}: No space left on device; the program goes on without\n"))
        self.assertGreater(Trace(self, kept).counts["b", "suspended"], 10)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
