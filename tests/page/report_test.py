#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""weir report and weir compare on files good and bad: report_test.py WEIR NAMED_PROGRAM [unittest arguments]."""
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import unittest

import sample

WEIR, NAMED = (os.path.abspath(p) for p in sys.argv[1:3])


def weir(*words, **how):
    return subprocess.run([WEIR, *words], capture_output=True, timeout=60, **how)


def data_of(page):
    return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S).group(1))


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    def page(self, *reports, status=0):
        out = os.path.join(self.folder, "out.html")
        done = weir("report", *reports, "-o", out)
        self.assertEqual(done.returncode, status, done.stderr)
        with open(out, encoding="utf-8") as file:
            return file.read()


class Report(Files):
    def test_the_page_lies_beside_the_report_and_asks_nobody(self):
        done = weir("report", self.file("one.json", sample.report()))
        self.assertEqual((done.returncode, done.stdout.decode().strip()), (0, os.path.join(self.folder, "one.html")))
        with open(os.path.join(self.folder, "one.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertNotRegex(page.replace("http://www.w3.org/2000/svg", ""), r"https?://|src=|@import|url\(")

    def test_the_page_has_the_figures_of_the_report(self):
        report = sample.report()
        shown = data_of(self.page(self.file("one.json", report)))["processes"][0]
        for key in ("pid", "wall_s", "calls", "timeline", "regions", "devices"):
            self.assertEqual(shown[key], report[key], key)
        self.assertEqual(shown["call_sites"][0]["waited_s"], max(s["waited_s"] for s in report["call_sites"]))
        self.assertEqual([a["reason"] for a in shown["advice"]], ["lock_held", "gate_timeout"])
        self.assertEqual(shown["advice"][0]["where"], ["pread at read_block_0 in libnothing.so"])

    def test_the_sentence_says_what_was_gained_or_what_to_do(self):
        def sentence(**other):
            return re.search("<h1>(.*?)</h1>", self.page(self.file("one.json", sample.report(**other)))).group(1)
        self.assertRegex(sentence(), r"^122 s of waiting .* run of 4\.01 s, with up to 64 calls under way")
        nothing = {"hidden_s": 0, "blocked_s": 0, "suspended": 0, "parked": 0, "fallbacks": {}, "lost_by_reason": {}}
        self.assertIn("nothing to gain", sentence(**nothing))
        locked = sentence(**{**nothing, "blocked_s": 7.5, "parked": 9, "lost_by_reason": {"lock_held": 7.5}})
        self.assertRegex(locked, "^Nothing was gained: a lock was held .*what to do: release the lock")

    def test_the_sentence_says_where_its_own_threads_would_have_hidden_as_much(self):
        def sentence(*several, **other):
            flown = {"in_flight_s": 90.5, "waiting_s": 4, "own_threads": 2, "gained_s": 0, **other}
            files = [self.file(f"{i}.json", sample.report(i + 1, **{**flown, **more})) for i, more in enumerate(several or [{}])]
            return re.search("<h1>(.*?)</h1>", self.page(*files)).group(1)
        self.assertRegex(sentence(), 
                         r"^90\.5 s of waiting was hidden.*, no more than its 2 threads wait and compute without weir\.$")
        self.assertRegex(sentence(own_threads=1), "no more than its thread waits and computes without weir")
        self.assertRegex(sentence(gained_s=40), r"^90\.5 s of waiting went on .*, for which its 2 threads would take some 44\.0 s")
        self.assertIn("no more than the processes' own threads", sentence({}, {}))
        self.assertNotIn("threads", sentence({"own_threads": 2}, {"own_threads": 0}))

    def test_libomp_that_was_of_no_use_is_named(self):
        def reasons(**other):
            regions = [{"kind": "openmp", "computing_s": 3}]
            about = {"regions": regions, "note": "/x/libomp.so.5 stands in for libgomp", **other}
            data = data_of(self.page(self.file("one.json", sample.report(**about))))
            return {a["reason"]: a["action"] for a in data["processes"][0]["advice"]}
        nothing = {"hidden_s": 0, "in_flight_s": 5, "waiting_s": 4, "own_threads": 2, "gained_s": 0}
        self.assertIn("--libomp=no", reasons(**nothing)["libomp"])
        self.assertIn("libomp", reasons(**{**nothing, "hidden_s": 3}))
        for other in ({"hidden_s": 3, "gained_s": 2}, {"note": ""}, {"regions": []}):
            self.assertNotIn("libomp", reasons(**{**nothing, **other}))

    def test_a_call_site_is_named_by_the_objects_debug_information(self):
        symbols = subprocess.run(["nm", NAMED], capture_output=True, text=True, check=True).stdout
        offset = int(re.search(r"^([0-9a-f]+) T read_a_block$", symbols, re.M).group(1), 16) + 5
        site = sample.call_site(0, object=NAMED, offset=offset, symbol="")
        os.utime(NAMED, (1, 1))
        shown = data_of(self.page(self.file("one.json", sample.report(call_sites=[site]))))["processes"][0]["call_sites"][0]
        self.assertEqual((shown["function"], os.path.basename(shown["file"])), ("read_a_block", "named.c"))
        self.assertGreater(shown["line"], 0)
        os.utime(NAMED)  # built anew since the run: its lines are not those of then
        os.utime(os.path.join(self.folder, "one.json"), (1, 1))
        shown = data_of(self.page(os.path.join(self.folder, "one.json")))["processes"][0]["call_sites"][0]
        self.assertNotIn("file", shown)

    def test_no_text_of_a_report_becomes_markup(self):
        evil = "</script><img src=x onerror=alert(1)>{{data}}{{style}}"
        page = self.page(self.file("one.json", sample.report(command=[evil])))
        self.assertNotIn("<img", page)
        self.assertEqual(data_of(page)["processes"][0]["command"], [evil])

    def test_bytes_that_are_no_text_do_not_matter(self):
        raw = json.dumps(sample.report(command=["@"])).encode().replace(b'"@"', b'"caf\xe9 \xf0\x9f\x98\x80 \xed\xa0\x80"')
        self.assertEqual(data_of(self.page(self.file("one.json", raw)))["processes"][0]["command"], ["caf? \U0001f600 ???"])

    def test_every_field_is_optional(self):
        least = {"pid": 1, "wall_s": 1.5, "calls": 3}
        shown = data_of(self.page(self.file("one.json", least)))["processes"][0]
        self.assertEqual((shown["timeline"], shown["call_sites"], shown["advice"]), ([], [], []))
        older = {**least, "controller": [{"t_s": 0.1, "permits": 4, "state": "fast"}]}
        self.assertEqual(data_of(self.page(self.file("one.json", older)))["processes"][0]["timeline"], older["controller"])

    def test_many_processes_have_one_page_and_the_least_of_them_a_line(self):
        files = [self.file(f"run.{i}.json", sample.report(i + 1, blocked_s=i)) for i in range(40)]
        shown = data_of(self.page(*files))["processes"]
        self.assertEqual([p["pid"] for p in shown[:3]], [1, 40, 39])
        self.assertEqual([p.get("shortened", False) for p in shown], [False] * 24 + [True] * 16)

    def test_very_many_call_sites_take_no_more_memory(self):
        path = os.path.join(self.folder, "huge.json")
        head = json.dumps(sample.report(call_sites=[]))[:-1]
        with open(path, "w", encoding="utf-8") as file:
            file.write(head + ', "call_sites": [')
            for i in range(40000):
                file.write(("," if i else "") + json.dumps(sample.call_site(i, 1000 + i % 20000)))
            file.write("]}")
        child = subprocess.Popen([WEIR, "report", path], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        self.assertLess(used.ru_maxrss, 60 * 1024, "kB, for a file of 12 MB that takes 100 MB whole")
        with open(os.path.join(self.folder, "huge.html"), encoding="utf-8") as file:
            shown = data_of(file.read())["processes"][0]
        self.assertEqual(len(shown["call_sites"]) + shown["other_sites"]["sites"], 40000)
        self.assertEqual({site["count"] for site in shown["call_sites"]}, set(range(20950, 21000)))
        counts = sum(site["count"] for site in shown["call_sites"]) + shown["other_sites"]["count"]
        self.assertEqual(counts, sum(1000 + i % 20000 for i in range(40000)))


class Trouble(Files):
    def check(self, content, said):
        path = self.file("bad.json", content)
        done = weir("report", path)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.decode(), r"\Aweir: [^\n]*bad\.json" + said + r"[^\n]*\n\Z")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "bad.html")))

    def test_files_that_are_no_reports_are_named(self):
        whole = json.dumps(sample.report()).encode()
        self.check(whole[:3000], " is not whole JSON")
        self.check(b"{@" + whole[1:], " is not JSON: see byte")
        self.check(b"", " is empty")
        self.check({"a": 1}, " is JSON, but no report of weir")
        self.check(b"[" * 100000, " is not whole JSON")
        self.check(b"[" * 100000 + b"]" * 100000, " is JSON, but no report")
        self.check(b'"' + b"a" * 3000000, " is no report of weir: a single word")

    def test_files_that_are_not_there(self):
        for file in ("/nonexistent/one.json", "/"):
            done = weir("report", file)
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr.startswith(b"weir: " + file.encode()), done.stderr)

    def test_one_bad_file_does_not_hide_the_others(self):
        page = self.page(self.file("bad.json", b"{"), self.file("good.json", sample.report()), status=1)
        self.assertEqual(len(data_of(page)["processes"]), 1)

    def test_targets_that_take_nothing(self):
        report = self.file("one.json", sample.report())
        for target in ("/dev/full", "/nonexistent/x.html", self.folder):
            for command in (["report", report], ["compare", report, report]):
                done = weir(*command, "-o", target)
                self.assertEqual(done.returncode, 1, target)
                self.assertRegex(done.stderr.decode(), rf"\Aweir: can't write {re.escape(target)}: [^\n]+\n\Z")
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([WEIR, "compare", report, report], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 1)

    def test_half_a_page_does_not_stay(self):
        report, out = self.file("one.json", sample.report()), os.path.join(self.folder, "out.html")
        small = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        done = subprocess.run(["sh", "-c", 'trap "" XFSZ; exec "$@"', "sh", WEIR, "report", report, "-o", out],
                              capture_output=True, timeout=60, preexec_fn=small)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertFalse(os.path.exists(out))

    def test_wrong_options_are_a_usage_error(self):
        for words in (["report"], ["compare", "a"], ["report", "--no-such-option", "a"]):
            self.assertEqual(weir(*words).returncode, 2, words)

    def test_mutated_reports_never_crash_it(self):
        """Values, keys and bytes changed at random: each file is read, or named as unreadable, and the page stays whole."""
        chance = random.Random(7)
        odd = [None, True, -1, 1e308, 2**70, "", "x" * 5000, [], {}, [[[]]], {"a": {"b": [1]}}, "\0", [None, 3, "y"]]

        def mutate(value):
            if chance.random() < 0.04:
                return chance.choice(odd)
            if isinstance(value, dict):
                return {(k if chance.random() > 0.02 else chance.choice(["t_s", "wall_s", ""])): mutate(v) for k, v in value.items()}
            if isinstance(value, list):
                return [mutate(v) for v in value]
            return value
        files = []
        for i in range(120):
            report = sample.report(i + 1, timeline=list(sample.timeline(20, 1)))
            report = {**{key: mutate(value) for key, value in report.items()}, "pid": i, "wall_s": 1, "calls": chance.choice(odd)} if i % 2 else report
            content = bytearray(json.dumps(report).encode())
            for _ in range(0 if i % 2 else 3):
                content[chance.randrange(len(content))] = chance.randrange(256)
            files.append(self.file(f"m.{i}.json", bytes(content)))
        out = os.path.join(self.folder, "out.html")
        done = weir("report", *files, "-o", out)
        self.assertEqual(done.returncode, 1, done.stderr)
        with open(out, encoding="utf-8") as file:
            shown = len(data_of(file.read())["processes"])
        self.assertEqual(shown + done.stderr.count(b"\n"), 120)
        self.assertGreater(shown, 60)
        for pair in zip(files[1:40:2], files[3:40:2]):
            self.assertEqual(weir("compare", *pair).returncode, 0, pair)


class Compare(Files):
    def test_says_which_was_faster_and_what_differed(self):
        a, b = self.file("a.json", sample.report()), self.file("b.json", sample.report(wall_s=2.0, lane="park", peak_in_flight=8))
        said = weir("compare", a, b).stdout.decode()
        self.assertRegex(said, r"wall clock +4\.01 s +2\.00 s +0\.50\n")
        self.assertIn("B was 2.01 times as fast as A: 2.00 s instead of 4.01 s", said)
        self.assertIn("lane park instead of suspend", said)
        self.assertIn("up to 8 instead of 64 calls under way", said)
        self.assertIn("A was 2.01 times as fast as B", weir("compare", b, a).stdout.decode())
        self.assertNotIn("own threads", said)

    def test_says_how_much_longer_own_threads_take(self):
        files = [self.file(f"{gained}.json", sample.report(own_threads=4, gained_s=gained)) for gained in (10, 0)]
        said = weir("compare", *files).stdout.decode()
        self.assertRegex(said, r"own threads longer by +10\.0 s +0 s +\nown threads +4\.00 +4\.00 +1\.00\n")

    def test_the_same_is_the_same(self):
        a = self.file("a.json", sample.report())
        self.assertRegex(weir("compare", a, a).stdout.decode(), r"same time to within 2 %: 4\.01 s and 4\.01 s\.\n\Z")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
