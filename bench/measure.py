# SPDX-License-Identifier: Apache-2.0
"""Runs programs in turn and says what they took. Standard library alone.

A variant is a command line with an environment. Variants are run alternately (A B C, A B C, ...), so that what
else the machine does meets all of them. Every program prints `checksum=... seconds=... items=...` last.
"""
import argparse
import dataclasses
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
THREAD_COUNTS = (2, 4, 8, 16, 32, 64, 128)
SEMI_RUNS = 3
FINAL_RUNS, FINAL_SECONDS = 15, 12
LAST_LINE = re.compile(r"checksum=([0-9a-f]+) seconds=([0-9.]+) items=(-?[0-9]+)\s*\Z")


@dataclasses.dataclass
class Variant:
    name: str
    command: list
    env: dict = dataclasses.field(default_factory=dict)

    def line(self):
        """What a person types to run it."""
        words = [f"{name}={shlex.quote(value)}" for name, value in self.env.items()]
        return " ".join(words + [shlex.quote(os.path.relpath(word) if word.startswith(ROOT) else word)
                                 for word in self.command])


@dataclasses.dataclass
class Run:
    seconds: float  # what the program says of its parallel part
    wall: float     # the whole process
    cpu: float      # user and system time of the process and its children
    rss_kb: int     # its largest resident set
    items: int
    checksum: str   # or, after a failure, what went wrong
    ok: bool


def run_once(variant, timeout=600):
    env = dict(os.environ, **variant.env)
    started = time.monotonic()
    process = subprocess.Popen(variant.command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    timer = threading.Timer(timeout, process.kill)
    timer.start()
    try:
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    finally:
        timer.cancel()
    wall = time.monotonic() - started
    found = LAST_LINE.search(text)
    ok = process.returncode == 0 and found is not None
    checksum = found[1] if ok else f"status {process.returncode}: {text.strip()[-300:]}"
    return Run(float(found[2]) if ok else wall, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss,
               int(found[3]) if ok else 0, checksum, ok)


class Series:
    """The runs of one variant."""

    def __init__(self, variant):
        self.variant = variant
        self.runs = []

    def values(self, what="seconds"):
        return [getattr(run, what) for run in self.runs if run.ok]

    def median(self, what="seconds"):
        values = self.values(what)
        return statistics.median(values) if values else float("nan")

    def spread(self, what="seconds"):
        values = self.values(what)
        return (min(values), max(values)) if values else (float("nan"), float("nan"))

    def failed(self):
        return [run.checksum for run in self.runs if not run.ok]

    def json(self):
        return {"command": self.variant.line(), "median_s": self.median(), "spread_s": self.spread(),
                "cpu_s": self.median("cpu"), "rss_kb": self.median("rss_kb"), "runs": [vars(r) for r in self.runs]}


def drop_page_cache():
    """Only root may; without the right to, the programs' own way of making files cold has to do."""
    os.sync()
    try:
        with open("/proc/sys/vm/drop_caches", "w") as file:
            file.write("3")
    except OSError:
        return False
    return True


def alternate(variants, repeat, cold=False, timeout=600, before=0):
    """Runs each variant `repeat` times, in turn, and every other turn backwards: what runs after one that only slept finds another
    machine than what runs after one that did not. `before`: turns that there were already. Returns their series by name."""
    series = {variant.name: Series(variant) for variant in variants}
    for turn in range(before, before + repeat):
        for variant in variants[::-1] if turn % 2 else variants:
            note(f"{turn + 1}/{before + repeat} {variant.name}: {variant.line()}")
            if cold:
                drop_page_cache()
            series[variant.name].runs.append(run_once(variant, timeout))
    note("")
    return series


def go_on(series, variants, cold=False, before=0):
    """Runs each of these variants once more, in turn, and adds that to its series."""
    for name, one in alternate(variants, 1, cold, before=before).items():
        series[name].runs += one.runs


def turns(one, other):
    """How much longer one takes than another, turn by turn. A host that others use too goes faster and slower for minutes; both
    runs of a turn meet it as it is then, the medians of each by itself do not."""
    return [a.seconds / b.seconds for a, b in zip(one.runs, other.runs) if a.ok and b.ok and b.seconds]


def paired(one, other):
    """How much longer one takes than another: the median of that turn by turn."""
    return statistics.median(turns(one, other) or [float("nan")])


def reach(ratios):
    """What the median of such turns lies between, nine times out of ten (by the sign test)."""
    ratios = sorted(ratios)
    off = round(1.645 / 2 * len(ratios) ** 0.5 + 0.5)
    return ratios[max(len(ratios) // 2 - off, 0)], ratios[min((len(ratios) - 1) // 2 + off, len(ratios) - 1)]


def until_sure(variants, least, within, seconds):
    """Runs these two in turn, at least so often, and on until the median of the second beside the first is known to within that, or
    for so many seconds. Whether it is good or bad plays no part."""
    one, other = variants
    began = time.monotonic()
    series = alternate(variants, least)
    while time.monotonic() - began < seconds:
        low, high = reach(turns(series[other.name], series[one.name]) or [0, 2])
        if (high - low) / 2 <= within:
            break
        go_on(series, variants, before=len(series[one.name].runs))
    return series


def finals(series, fixed, others, least, cold=False):
    """The best of the variants named `fixed`, and those named `others`, run anew: of many that are nearly alike, the one that
    came out first was lucky too. A few turns tell which of the fixed ones takes least beside the last of the others, and then
    these two run again, and any other that is not far behind, since who won those turns was lucky as well: at least so often,
    and on while it takes less than FINAL_SECONDS and they have run less than FINAL_RUNS times. (Where one run is asked for,
    each is one.) Returns those turns' series and the last ones' by name, and the best fixed one's name."""
    judge = others[-1]
    ranked = sorted(fixed, key=lambda name: series[name].median())
    near = [name for name in ranked[:3] if series[name].median() <= 1.2 * series[ranked[0]].median()]
    semis = alternate([series[name].variant for name in near + others], 1, cold)
    for turn in range(1, SEMI_RUNS if least > 1 else 1):
        go_on(semis, [one.variant for one in semis.values() if beside(one, semis[judge]) < 2], cold, turn)
    best_name = min(near, key=lambda name: beside(semis[name], semis[judge]))
    last = [name for name in [best_name] + others if name in (best_name, judge) or beside(semis[name], semis[judge]) < 1.3]
    again = alternate([semis[name].variant for name in last], least, cold)
    end = time.monotonic() + FINAL_SECONDS
    while least > 1 and len(again[judge].runs) < FINAL_RUNS and time.monotonic() < end:
        go_on(again, [one.variant for one in again.values()], cold, len(again[judge].runs))
    return semis, {**semis, **again}, best_name


def beside(one, other):
    """How much longer one takes than another, turn by turn if they ran together."""
    return paired(one, other) if len(one.runs) == len(other.runs) else one.median() / other.median()


def same_result(series):
    """Whether every run of every series ended well with one and the same checksum."""
    runs = [run for one in series for run in one.runs]
    return all(run.ok for run in runs) and len({run.checksum for run in runs}) == 1


def note(text):
    """A line that the next one takes the place of; nothing when nobody watches."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K" + text[:110])
        sys.stderr.flush()


def table(title, head, rows):
    """Prints rows under a title, columns aligned."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    print(f"\n{title}")
    for row in [head, ["-" * width for width in widths]] + rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    sys.stdout.flush()


def yes(condition):
    return "yes" if condition else "NO"


def shown(series, what="seconds"):
    """median [least, most]"""
    low, high = series.spread(what)
    return f"{series.median(what):.3f} [{low:.3f}, {high:.3f}]"


def without_root(text):
    """No path of this machine in what is kept."""
    return text.replace(ROOT + os.sep, "")


def core_seconds():
    """Of all cores together so far: with work to do, and of these kept by a host that this machine shares."""
    try:
        with open("/proc/stat") as file:
            ticks = [int(number) for number in file.readline().split()[1:9]]
        user, nice, system, _, _, interrupts, soft_interrupts, stolen = (n / os.sysconf("SC_CLK_TCK") for n in ticks)
    except (OSError, ValueError):
        return 0.0, 0.0
    return user + nice + system + interrupts + soft_interrupts + stolen, stolen


def busy_cores(seconds=0.5):
    """How many cores others keep busy, this one asleep. (The load average still has what ended a minute ago.)"""
    before, began = core_seconds()[0], time.monotonic()
    time.sleep(seconds)
    return (core_seconds()[0] - before) / (time.monotonic() - began)


def machine():
    def first(path, pattern):
        try:
            with open(path) as file:
                found = re.search(pattern, file.read())
            return found[1].strip() if found else "?"
        except OSError:
            return "?"
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return {"cpu": first("/proc/cpuinfo", r"model name\s*:\s*(.*)"), "cores": os.cpu_count(),
            "kernel": os.uname().release, "commit": commit.stdout.strip() or "?",
            "memory": first("/proc/meminfo", r"MemTotal:\s*(.*)"), "busy_at_start": busy_cores(),
            "command": without_root(shlex.join(sys.argv)), "date": time.strftime("%Y-%m-%d %H:%M")}


class Bench:
    """The options every script here has, where the programs are, and what comes out."""

    def __init__(self, description, items, more=lambda parser: None):
        """`more` adds options of the script's own."""
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--small", action="store_true", help="a short run: shows that it works, not figures")
        parser.add_argument("--repeat", type=int, help="alternating runs of each variant (5; small: 1)")
        parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="the build folder")
        parser.add_argument("--dir", default="/var/tmp", help="where the input files lie")
        parser.add_argument("--items", default=",".join(items), help="which of " + ", ".join(items))
        parser.add_argument("--json", help="write everything to this file")
        more(parser)
        self.options = parser.parse_args()
        self.small = self.options.small
        self.wrong = False
        self.repeat = self.options.repeat or (1 if self.small else 5)
        self.results = {"machine": machine(), "small": self.small, "items": {}}
        for item in self.options.items.split(","):
            if item not in items:
                parser.error(f"no such item: {item}")
        self.chosen = self.options.items.split(",")
        self.began, self.stolen_before = time.monotonic(), core_seconds()[1]
        self.print_machine()

    def print_machine(self):
        m = self.results["machine"]
        print(f"{m['cpu']}, {m['cores']} cores, Linux {m['kernel']}, commit {m['commit']}, {m['date']}")
        print(f"$ {m['command']}")
        if m["busy_at_start"] > 0.3 * m["cores"]:
            print(f"THE MACHINE IS BUSY ({m['busy_at_start']:.1f} cores): these figures are worth little.")
        if self.small:
            print("A small run: it shows that everything works; its figures are not to be quoted.")

    def app(self, name):
        return os.path.join(self.options.build, "apps", name)

    def file(self, name):
        return os.path.join(self.options.dir, name)

    def bare(self, command, threads=None, name=None):
        """As the program is; `threads` is OMP_NUM_THREADS."""
        env = {"OMP_NUM_THREADS": str(threads)} if threads else {}
        return Variant(name or ("bare" if threads is None else f"bare {threads}"), command, env)

    def weir(self, command, lane="auto", name=None, options=()):
        prefix = [os.path.join(self.options.build, "bin", "weir"), "run", "--quiet", f"--lane={lane}", *options, "--"]
        return Variant(name or (f"weir {lane}"), prefix + command)

    def report(self, command, lane="auto"):
        """The report of one run more: what weir did with the calls, and the controller's steps. {}: it wrote none."""
        with tempfile.TemporaryDirectory() as folder:
            weir = self.weir(command, lane).command
            weir.insert(2, f"--report={folder}/report.json")
            subprocess.run(weir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            reports = []
            for name in os.listdir(folder):
                with open(os.path.join(folder, name)) as file:
                    reports.append(json.load(file))
        # A program with children has a file for each; the one that did the calls is meant.
        return max(reports, key=lambda report: report.get("calls", 0), default={})

    def prepare(self, command):
        """Runs something whose time nobody wants, such as the making of input files."""
        note("preparing: " + " ".join(command))
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def keep(self, item, label, series, one_result=True):
        """Keeps the figures; says what failed. `one_result`: all variants compute the same."""
        if one_result and not same_result(series.values()):
            self.wrong = True
            print(f"RESULTS DIFFER: {item}, {label}")
            for name, one in series.items():
                print(f"  {name}: {', '.join(sorted({run.checksum for run in one.runs if run.ok}))}")
        self.results["items"].setdefault(item, {})[label] = {name: one.json() for name, one in series.items()}
        for one in series.values():
            for why in one.failed():
                self.wrong = True
                print(f"  FAILED: {one.variant.line()}\n    {why}")

    def print_stolen(self):
        share = (core_seconds()[1] - self.stolen_before) / (time.monotonic() - self.began) / os.cpu_count()
        self.results["machine"]["stolen_share"] = round(share, 4)
        if share > 0.01:
            print(f"\nTHE HOST GAVE {100 * share:.0f} % OF THE CORES' TIME TO OTHERS: runs that it met are slower for that alone.")

    def finish(self):
        """Writes the file, and ends with status 1 when a run failed or results differ (slowness is no failure)."""
        self.print_stolen()
        if self.options.json:
            with open(self.options.json, "w") as file:
                file.write(without_root(json.dumps(self.results, indent=1)))
        sys.exit(1 if self.wrong else 0)
