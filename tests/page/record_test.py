#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What real programs leave in their reports: record_test.py BUILD [unittest arguments]."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = os.path.abspath(sys.argv[1])
WEIR = os.path.join(BUILD, "bin", "weir")
LIMIT_S = 60


def app(name):
    return os.path.join(BUILD, "apps", name)


def environment():
    return {k: v for k, v in os.environ.items() if not k.startswith("WEIR_") and k != "LD_PRELOAD"}


def threads_of(pid):
    names = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            names.append((task / "comm").read_text(encoding="utf-8").strip())
        except OSError:  # it has ended
            pass
    return names


def total(rows, key):
    return sum(row[key] for row in rows)


class Record(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.report = os.path.join(folder.name, "r.json")
        self.cold = "--file=" + os.path.join(folder.name, "cold.dat")

    def run_it(self, *words, options=()):
        done = subprocess.run([WEIR, "run", "-q", "--report=" + self.report, *options, *words], capture_output=True, text=True,
                              timeout=LIMIT_S, env=environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.said = done.stderr
        return self.read()

    def read(self):
        with open(self.report, encoding="utf-8") as file:
            return json.load(file)

    def read_cold(self, program, *options):
        subprocess.run([app(program), self.cold, "--size=16M", "--generate"], check=True, timeout=LIMIT_S, stdout=subprocess.DEVNULL)
        return self.run_it(app(program), self.cold, "--size=16M", "--reads=2000", "--mode=direct", options=options)

    def check(self, report, waits):
        """The parts of a report agree with each other, and with the waits that the program made."""
        self.assertTrue(report["ended"])
        sites, regions, points = report["call_sites"], report["regions"], report["timeline"]
        self.assertEqual(total(sites, "count"), waits)
        for site in sites:
            self.assertEqual(sum(site["histogram"]), site["count"])
            self.assertLessEqual(site["hidden_s"], site["waited_s"] + 1e-5)
        waited = [site for site in sites if site["lane"] != "plain"]
        self.assertAlmostEqual(total(waited, "waited_s"), report["blocked_s"], delta=1e-3)
        self.assertAlmostEqual(total(regions, "parked_s") + total(regions, "suspended_s"), report["blocked_s"], delta=1e-3)
        self.assertEqual(total(regions, "calls"), report["calls"])
        self.assertEqual(total(regions, "bytes"), report["bytes_read"] + report["bytes_written"])
        self.assertEqual(total(regions, "ops"), report["parked"] + report["suspended"])
        self.assertAlmostEqual(sum(report["lost_by_reason"].values()), total(sites, "waited_s") - total(sites, "hidden_s"),
                               delta=1e-3)
        ends = [point["t_s"] for point in points]
        self.assertEqual(ends, sorted(ends))
        self.assertAlmostEqual(ends[-1], report["wall_s"], delta=0.2 * report["wall_s"] + 0.2)
        spans = [b - a for a, b in zip([0] + ends, ends)]
        calls = sum(point["calls_per_s"] * span for point, span in zip(points, spans))
        self.assertAlmostEqual(calls, report["calls"], delta=0.02 * report["calls"] + 2)  # in the file they are rounded
        busy = sum(point["cores_busy"] * span for point, span in zip(points, spans))
        self.assertAlmostEqual(busy, total(regions, "computing_s"), delta=0.1 * busy + 0.01)

    def test_an_openmp_loop_parks(self):
        for program in ("coldread", "coldread_gcc"):
            report = self.read_cold(program)
            self.check(report, 2000)
            site = max(report["call_sites"], key=lambda one: one["count"])
            self.assertEqual((site["call"], site["lane"], site["bytes"]), ("pread", "park", report["storage_bytes"]))
            self.assertEqual(os.path.realpath(site["object"]), app(program))
            region = max(report["regions"], key=lambda one: one["parked_s"])
            self.assertEqual((region["kind"], os.path.realpath(region["object"])), ("openmp", app(program)))
            self.assertGreater(max(point["in_flight"] for point in report["timeline"]), 0)
            self.assertGreaterEqual(min(point["permits"] for point in report["timeline"]), 1)

    def test_tasks_are_set_aside(self):
        for program, runtime, call in (("sleepers", "openmp-tasks", "nanosleep"), ("sleepers_gcc", "tbb", "nanosleep"),
                                       ("mapreduce", "openmp-flat", "read")):
            words = ["--leaves=100", "--latency=10", "--fib=15"] if program == "mapreduce" else ["--tasks=100", "--ms=20"]
            report = self.run_it(app(program), f"--runtime={runtime}", *words, options=["--lane=suspend"])
            self.assertEqual(report["suspended"], 100, program)
            sites = [site for site in report["call_sites"] if site["lane"] == "suspend"]
            self.assertEqual([(site["call"], site["count"]) for site in sites], [(call, 100)])
            self.check(report, total(report["call_sites"], "count"))
            self.assertGreater(total(report["regions"], "suspended_s"), 1)

    def test_where_many_calls_wait_for_permits_ready_tasks_go_on_first(self):
        subprocess.run([app("coldread"), self.cold, "--size=16M", "--generate"], check=True, timeout=LIMIT_S, stdout=subprocess.DEVNULL)
        report = self.run_it(app("coldread"), self.cold, "--size=16M", "--reads=20000", "--mode=direct", "--runtime=openmp-tasks",
                             options=["--lane=suspend", "--permits=8"])
        self.assertGreaterEqual(report["suspended"], 19000)
        self.assertLess(report["peak_suspended"], 6000)

    def test_a_tbb_arena_is_a_region_of_its_own(self):
        report = self.run_it(app("sleepers"), "--runtime=tbb", "--tasks=100", "--ms=20", options=["--lane=suspend"])
        self.check(report, 100)
        region = max(report["regions"], key=lambda one: one["suspended_s"])
        self.assertEqual((region["kind"], os.path.realpath(region["object"])), ("tbb", app("sleepers")))
        self.assertGreaterEqual(region["ops"], 90)  # what is counted at its edge may be taken for the program's outside of it

    def test_two_loops_are_two_regions_with_the_programs_own_lines(self):
        source = pathlib.Path(__file__).with_name("loops.cpp").read_text(encoding="utf-8").splitlines()
        page = self.report.replace(".json", ".html")
        subprocess.run([WEIR, "run", "-q", "--report=" + page, os.path.join(BUILD, "tests", "page", "page_loops")], check=True,
                       timeout=LIMIT_S, env=environment(), stdout=subprocess.DEVNULL)
        with open(page, encoding="utf-8") as file:
            process = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', file.read(), re.S).group(1))
        regions = [one for one in process["processes"][0]["regions"] if one["kind"] == "tbb"]
        self.assertEqual(sorted(source[one["line"] - 1].split("// ")[-1] for one in regions), ["the first loop", "the second loop"])
        self.assertEqual(total(regions, "ops"), 80)
        self.assertGreater(min(one["ops"] for one in regions), 0)  # what comes within 2 ms may be taken for the other's

    def test_explicit_calls_and_operations_have_call_sites(self):
        report = self.run_it(app("io_arena_example"))
        sites = [site for site in report["call_sites"] if site["call"].startswith("weir_")]
        self.check(report, report["suspended"] + report["parked"])
        self.assertEqual({site["call"] for site in sites} - {"weir_send"}, {"weir_recv", "weir_sleep"})
        self.assertEqual({os.path.realpath(site["object"]) for site in sites}, {app("io_arena_example")})
        self.assertEqual(sum(site["count"] for site in sites if site["call"] == "weir_sleep"), 400)
        report = self.run_it(app("mapreduce_async"), "--leaves=100", "--latency=10", "--fib=15")
        site, = report["call_sites"]
        self.assertEqual((site["call"], site["count"], site["bytes"], os.path.realpath(site["object"])),
                         ("weir_start_read", 100, 800, app("mapreduce_async")))
        self.assertGreater(site["hidden_s"], 0.9)
        self.assertEqual(report["bytes_read"], 800)
        self.check(report, 100)

    def test_what_is_lost_goes_to_its_reason_and_is_explained_with_its_line(self):
        report = self.read_cold("coldread", "--lane=off", "--explain")
        self.check(report, 2000)
        self.assertGreater(report["lost_by_reason"]["lane_off"], 0)
        self.assertEqual(report["timeline"][-1]["state"], "idle")
        self.assertRegex(self.said, r"lane_off \([0-9.]+ m?s, 2,000 calls\)")
        source = pathlib.Path(__file__).parents[2] / "apps" / "coldread" / "main.cpp"
        line = int(re.search(r"pread at .*read_one.* \(main\.cpp:(\d+)\)", self.said).group(1))
        self.assertIn("read_one", "".join(source.read_text(encoding="utf-8").splitlines()[line - 20:line]))

    def sleepers(self, *words, options=(), **more):
        done = subprocess.run([WEIR, "run", "--explain", "--report=" + self.report, *options, app("sleepers"), *words],
                              capture_output=True, text=True, timeout=LIMIT_S, env={**environment(), **more})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("0.00 s of waiting", done.stderr)
        return self.read(), done.stderr

    def test_hidden_is_not_gained_where_its_own_threads_wait_as_much(self):
        for options in ([], ["--lane=park"]):
            report, said = self.sleepers("--tasks=2", "--ms=900", options=options, OMP_NUM_THREADS="2")
            self.assertEqual((report["own_threads"], report["gained_s"]), (2, 0))
            self.assertAlmostEqual(report["in_flight_s"], 1.8, delta=0.3)
            self.assertAlmostEqual(report["waiting_s"], 0.9, delta=0.3)
            if report["hidden_s"] < 1:
                continue
            self.assertRegex(said, r"; [12]\.\d\d s of waiting hidden in [01]\.\d\d s, "
                             r"no more than its 2 threads wait and compute without weir\n")
            self.assertRegex(said, r"weir: [12]\.\d+ s of waiting was hidden .* may take as long\n")

    def test_what_is_gained_is_by_the_clock_of_its_own_threads(self):
        report, said = self.sleepers("--tasks=60", "--ms=50", OMP_NUM_THREADS="3")  # a second without weir
        self.assertEqual(report["own_threads"], 3)
        self.assertTrue(0.9 < report["gained_s"] + report["wall_s"] < 4, report)
        self.assertRegex(said, r"; [3-9]\.\d\d s of waiting hidden in \d\.\d\d s, "
                         r"for which its 3 threads would take some [0-3]\.\d\d s\n")
        self.assertRegex(said, r"weir: [3-9]\.\d+ s of waiting was hidden in .*, for which its 3 threads would take some ")
        if os.path.exists(os.path.join(BUILD, "lib", "libweir_tbb.so")):
            cores = len(os.sched_getaffinity(0))
            report, said = self.sleepers(f"--tasks={cores * 20}", "--ms=50", "--runtime=tbb")
            self.assertEqual(report["own_threads"], cores)
            self.assertTrue(0.9 < report["gained_s"] + report["wall_s"] < 4, report)

    def test_what_computes_between_is_no_part_of_it(self):
        report = self.run_it(app("sleepers"), "--tasks=40", "--ms=20", "--fib=32")
        self.assertLess(report["waiting_s"], report["wall_s"])
        self.assertLessEqual(report["computing_s"], total(report["regions"], "computing_s"))

    def test_a_wait_too_short_to_speak_of_is_not_spoken_of(self):
        for _ in range(20):  # on a busy machine two calls of 1 ms may well take longer
            report, said = self.sleepers("--tasks=2", "--ms=1")
            self.assertGreater(report["suspended"] + report["parked"], 0)
            if report["hidden_s"] < 0.005:
                self.assertNotIn("of waiting", said)
                return
        self.fail("its calls took 5 ms and more, 20 times")

    def test_reads_of_a_device_count_as_long_as_they_take_with_few_beside_them(self):
        report = self.read_cold("coldread")
        self.assertGreater(report["in_flight_s"], 0)
        bare = 2000 * 0.02 / report["own_threads"]  # at 20 ms, longer than any disk takes for one
        self.assertLess(report["gained_s"], bare)

    def explained(self, *words, options=(), status=0, **more):
        done = subprocess.run([WEIR, "run", "-q", "--explain", *options, *words], capture_output=True, text=True,
                              timeout=LIMIT_S, env={**environment(), **more})
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def test_who_was_not_helped_at_all_is_told_why(self):
        loop = lambda name: (app(name), self.cold, "--size=1M", "--reads=50", "--mode=direct")
        subprocess.run([*loop("coldread"), "--generate"], check=True, timeout=LIMIT_S, stdout=subprocess.DEVNULL)
        said = self.explained(*loop("coldread_gcc"), options=["--lane=off"])
        self.assertRegex(said, r"lane_off \(\d+ calls\): weir was switched off.\nweir:     > Leave out --lane=off.")
        said = self.explained(*loop("coldread_gcc"), options=["--libomp=no"])
        self.assertRegex(said, r"libgomp \(\d+ calls\).*\nweir: +libgomp stays.*\nweir:     > Let LLVM's libomp stand in")
        for variable, value, why in (("OMP_TOOL", "disabled", "OMP_TOOL is disabled"),
                                     ("OMP_TOOL_LIBRARIES", "/none.so", "OMP_TOOL_LIBRARIES names another tool")):
            said = self.explained(*loop("coldread"), **{variable: value})
            self.assertRegex(said, rf"left_alone \(\d+ calls\).*since {why}: .*\nweir:     > Run it without the setting")
        said = self.explained(*loop("coldread"), OMP_THREAD_LIMIT="2")
        self.assertRegex(said, r"no_stand_in \([0-9.]+ m?s\).*\nweir: +OpenMP: OMP_THREAD_LIMIT is set")
        said = self.explained(*loop("coldread"), OMP_NUM_THREADS="2")
        self.assertRegex(said, r"no_stand_in .*\nweir: +OpenMP: OMP_NUM_THREADS is set\n(weir:   .*\n)*weir:     > If that number is meant for")
        self.assertNotIn("no_stand_in", self.explained(*loop("coldread"), options=["--omp-count=cores"], OMP_NUM_THREADS="2"))
        said = self.explained("/bin/dd", "if=/dev/zero", "of=/dev/null", "count=5", "status=none")
        self.assertRegex(said, r"outside \(\d+ calls\).*\nweir:     > Make them within a parallel region")
        static = os.path.join(BUILD, "tests", "page", "page_static")
        if os.path.exists(static):
            self.assertIn("> Link it dynamically", self.explained(static))
        self.assertIn("did not start", self.explained("/none", status=127))

    def test_devices_are_sampled_where_the_machine_tells(self):
        report = self.run_it(app("sleepers"), "--tasks=8", "--ms=700", "--runtime=openmp-tasks")
        self.assertGreater(len(report["devices"]), 1)
        for point in report["devices"]:
            self.assertEqual(os.path.exists("/proc/diskstats"), "disk_in_flight" in point)
            self.assertIn("dirty_bytes", point)
            self.assertLessEqual(point.get("io_pressure", 0), 100)

    def test_nobody_records_unless_a_report_was_asked_for(self):
        for options, recorders in (([], 0), (["--report=" + self.report], 1)):
            child = subprocess.Popen([WEIR, "run", "-q", *options, app("sleepers"), "--tasks=4", "--ms=500", "--runtime=openmp-tasks"],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
            seen = []
            while child.poll() is None:
                children = pathlib.Path(f"/proc/{child.pid}/task/{child.pid}/children")
                pids = [child.pid, *(children.read_text(encoding="utf-8").split() if children.exists() else [])]
                try:
                    seen.append(max((names for names in map(threads_of, pids)), key=len))
                except (OSError, ValueError):
                    pass
                time.sleep(0.02)
            self.assertEqual(child.returncode, 0)
            self.assertEqual(max(names.count("weir-driver") for names in seen), 1)
            self.assertEqual(max(names.count("weir-record") for names in seen), recorders)

    def test_who_is_killed_leaves_all_but_its_last_second(self):
        started = time.monotonic()
        child = subprocess.Popen([WEIR, "run", "-q", "--report=" + self.report, app("sleepers"), "--tasks=600000", "--ms=100",
                                  "--runtime=openmp-tasks"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
        while not os.path.exists(self.report) and time.monotonic() - started < LIMIT_S:
            time.sleep(0.05)
        child.send_signal(signal.SIGKILL)
        child.wait(LIMIT_S)
        report = self.read()
        self.assertFalse(report["ended"])
        self.assertGreater(total(report["call_sites"], "count"), 0)
        self.assertGreater(len(report["timeline"]), 5)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
