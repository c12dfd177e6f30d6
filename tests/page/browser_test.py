#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of real runs and of a full report, opened in a browser: browser_test.py BUILD CHROMIUM PICTURES [arguments]."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import sample
from browser import Browser

BUILD, CHROMIUM, PICTURES = (os.path.abspath(p) for p in sys.argv[1:4])
WEIR = os.path.join(BUILD, "bin", "weir")
LOOKS = [("wide_light", 1100, False), ("wide_dark", 1100, True), ("narrow_light", 390, False), ("narrow_dark", 390, True)]
SERIES = ("in_flight", "permits", "suspended", "parked", "cores_busy", "bytes_per_s", "calls_per_s", "ops_per_s")


def figures_in(browser, selector):
    return browser.value(f"[...document.querySelectorAll({json.dumps(selector)})].map(x => Number(x.dataset.value))")


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.makedirs(PICTURES, exist_ok=True)
        cls.browser = Browser(CHROMIUM)
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, report):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(report, file)
        return self.path(name)

    def weir(self, *words):
        done = subprocess.run([WEIR, *words], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def look_at(self, page, name, looks=(LOOKS[0], LOOKS[3])):
        """Opens it in each look: no complaint, nothing wider than the window; leaves pictures."""
        for look, width, dark in looks:
            self.browser.look(width=width, dark=dark)
            self.assertEqual(self.browser.open(page), [], look)
            self.assertEqual(self.browser.value("document.documentElement.dataset.drawn"), "yes")
            self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), width, look)
            paper = self.browser.value("getComputedStyle(document.body).backgroundColor")
            self.assertEqual(paper, "rgb(20, 24, 28)" if dark else "rgb(255, 255, 255)")
            self.browser.picture(os.path.join(PICTURES, f"{name}_{look}.png"))
        self.browser.look()
        self.assertEqual(self.browser.open(page), [])

    def compare_with(self, report):
        """What the page shows is what the report says."""
        for key in ("wall_s", "calls", "hidden_s", "suspended", "parked", "peak_in_flight"):
            self.assertEqual(figures_in(self.browser, f"[data-figure={key}]"), [report[key]], key)
        points = report.get("timeline") or report["controller"]
        drawn = {s["series"]: s for s in self.browser.value(
            "[...document.querySelectorAll('[data-chart=timeline] [data-series]')].map(x => ({...x.dataset, length: x.getTotalLength()}))")}
        expected = {key for key in SERIES if any((point.get(key) or 0) > 0 for point in points)}
        self.assertEqual(set(drawn), expected)
        for key in expected:
            values = [point[key] for point in points if point.get(key) is not None]
            self.assertEqual((int(drawn[key]["points"]), float(drawn[key]["peak"])), (len(values), max(values)), key)
            self.assertTrue(len(values) < 2 or drawn[key]["length"] > 0, key)
        states = {point["state"] for point in points if point.get("state")}
        self.assertEqual(set(self.browser.value("[...document.querySelectorAll('[data-state]')].map(x => x.dataset.state)")), states)
        for table, rows, keys in (("regions", report.get("regions", []), ("computing_s", "parked_s", "suspended_s", "waiting_for_core_s", "calls", "bytes")),
                                  ("call-sites", report.get("call_sites", [])[:100], ("count", "bytes", "waited_s", "hidden_s"))):
            for key in keys:
                shown = figures_in(self.browser, f"[data-table={table}] [data-key={key}]")[:len(rows)]
                self.assertEqual(sorted(shown), sorted(row.get(key, 0) for row in rows), (table, key))
        lost = {k: v for k, v in report.get("lost_by_reason", {}).items() if v > 0} or \
            {k: v for k, v in report["fallbacks"].items() if v > 0}
        items = self.browser.value("[...document.querySelectorAll('[data-reason]')].map(x => [x.dataset.reason, Number(x.querySelector('.cost').dataset.value)])")
        for reason, value in lost.items():
            self.assertIn([reason, value], items)

    def run_of(self, name, program, *words):
        report = self.path(name + ".json")
        self.weir("run", "-q", "--report=" + report, os.path.join(BUILD, "apps", program), *words)
        with open(report, encoding="utf-8") as file:
            content = json.load(file)
        self.assertGreater(content["suspended"] + content["parked"], 0)
        self.weir("report", report)
        self.look_at(self.path(name + ".html"), name)
        self.compare_with(content)

    def test_openmp_loop(self):
        cold = "--file=" + self.path("cold.dat")
        subprocess.run([os.path.join(BUILD, "apps", "coldread"), cold, "--size=64M", "--generate"], check=True, timeout=60,
                       stdout=subprocess.DEVNULL)
        self.run_of("openmp_loop", "coldread", cold, "--size=64M", "--reads=4000", "--mode=direct", "--runtime=openmp-dynamic")

    def test_openmp_tasks(self):
        self.run_of("openmp_tasks", "slowsockets", "--requests=120", "--ms=20", "--runtime=openmp-tasks")

    def test_tbb(self):
        self.run_of("tbb", "slowsockets", "--requests=120", "--ms=20", "--runtime=tbb")

    def test_a_report_with_everything(self):
        report = sample.report()
        self.weir("report", self.write("full.json", report))
        self.look_at(self.path("full.html"), "full", LOOKS)
        self.browser.paper(os.path.join(PICTURES, "full.pdf"))
        self.compare_with(report)
        sums = self.browser.value("[...document.querySelectorAll('.histogram')].map(x => Number(x.dataset.sum))")
        self.assertEqual(sorted(sums), sorted(sum(site["histogram"]) for site in report["call_sites"]))

    def test_the_pointer_shows_the_values_under_it(self):
        report = sample.report()
        self.weir("report", self.write("hover.json", report))
        self.browser.look()
        self.browser.open(self.path("hover.html"))
        box = self.browser.value("(() => { const svg = document.querySelector('.chart svg'); svg.scrollIntoView();"
                                 " const b = svg.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")
        for share, index in ((0.9999, -1), (0.0, 0)):
            self.browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + max(1, box[2] * share - 2), y=box[1] + 60)
            rows = dict(self.browser.value("[...document.querySelectorAll('.tip tr')].map(r => [...r.cells].map(c => c.textContent))"))
            point = report["timeline"][index]
            self.assertEqual((rows["in flight"], rows["permits"], rows["controller"]),
                             (str(point["in_flight"]), str(point["permits"]), point["state"]))
        self.assertFalse(self.browser.value("document.querySelector('.tip').hidden"))

    def test_several_processes(self):
        files = [self.write(f"many.{i}.json", sample.report(i + 1, blocked_s=200 - i, calls=1000 + i)) for i in range(3)]
        self.weir("report", *files, "-o", self.path("many.html"))
        self.look_at(self.path("many.html"), "many")
        self.assertEqual(figures_in(self.browser, "[data-table=processes] [data-key=calls]"), [1000, 1001, 1002])
        self.browser.value("document.querySelectorAll('details').forEach(part => { part.open = true; })")
        self.browser.value("new Promise(done => setTimeout(done, 200))")
        self.assertEqual(self.browser.value("document.querySelectorAll('[data-series=permits]').length"), 3)

    def test_two_runs_side_by_side(self):
        a, b = sample.report(), sample.report(2, wall_s=6.5, lane="park", timeline=list(sample.timeline(100, 6.5)))
        self.weir("compare", self.write("a.json", a), self.write("b.json", b), "-o", self.path("two.html"))
        self.look_at(self.path("two.html"), "two")
        self.assertIn("A was 1.62 times as fast as B", self.browser.value("document.querySelector('h1').textContent"))
        self.assertEqual(figures_in(self.browser, "[data-table=both] [data-key=wall_s]"), [4.0125, 6.5])
        self.assertEqual(self.browser.value("[...document.querySelectorAll('[data-series=permits]')].map(x => Number(x.dataset.points))"), [200, 100])

    def test_pages_of_mutated_reports_draw_without_complaint(self):
        odd = [None, -1, "x", [], {}, [[1]], True, 1e300]
        for i, key in enumerate(sorted(sample.report())):
            if key in ("pid", "wall_s", "calls"):
                continue
            report = sample.report(**{key: odd[i % len(odd)]})
            for section in ("timeline", "regions", "call_sites", "devices"):
                if isinstance(report[section], list) and report[section] and isinstance(report[section][0], dict):
                    field = sorted(report[section][0])[i % len(report[section][0])]
                    report[section][0][field] = odd[(i + 3) % len(odd)]
            self.weir("report", self.write("odd.json", report))
            self.assertEqual(self.browser.open(self.path("odd.html")), [], key)
            self.assertEqual(self.browser.value("document.documentElement.dataset.drawn"), "yes", key)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
