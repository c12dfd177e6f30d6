# SPDX-License-Identifier: Apache-2.0
"""The map-reduce tables: how much of a latency a run still shows, and what a suspended call costs."""
from measure import alternate, same_result, shown, table, yes

LATENCIES_MS = (1, 50, 100, 500)


def map_reduce(bench, item, programs, lane):
    """T(L) against T(no I/O) + L, under weir. The bare run without I/O is the ideal. `programs`: (program, runtime)."""
    leaves, fib = (200, 22) if bench.small else (5000, 32)
    latencies = (1, 50) if bench.small else LATENCIES_MS
    rows = []
    for program, runtime in programs:
        base = [bench.app(program), f"--leaves={leaves}", f"--fib={fib}", f"--runtime={runtime}"]
        variants = [bench.bare(base + ["--no-io"], name="no I/O")]
        variants += [bench.weir(base + [f"--latency={ms}"], lane, name=f"{ms} ms") for ms in latencies]
        series = alternate(variants, bench.repeat)
        bench.keep(item, f"{program} {runtime}", series)
        ideal = series["no I/O"].median()
        plain = leaves / (bench.results["machine"]["cores"] or 1)
        # Without I/O a leaf's reply counts 1, as that of a timer: the checksums are equal.
        same = same_result(series.values())
        for ms in latencies:
            one = series[f"{ms} ms"]
            limit = 1.02 * ideal + ms / 1000
            rows.append([f"{program} {runtime}", ms, shown(series["no I/O"]), shown(one), f"{limit:.3f}",
                         yes(one.median() <= limit), f"{one.median() / ideal:.3f}", f"{plain * ms / 1000:.1f}", yes(same)])
    table(f"Map-reduce, {leaves} leaves, fib({fib}), weir --lane={lane}",
          ["program", "L ms", "T(no I/O) s, bare", "T(L) s", "1.02 T + L", "within", "T(L)/T", "waits, bare s",
           "same result"], rows)


def suspended_call_cost(bench, item, programs, lane):
    """CPU of a call that waits over the same call on a timer that has expired."""
    leaves, fib, ms = (200, 20, 20) if bench.small else (5000, 20, 50)
    rows = []
    for program, runtime in programs:
        base = [bench.app(program), f"--leaves={leaves}", f"--fib={fib}", f"--runtime={runtime}"]
        series = alternate([bench.weir(base + ["--latency=0"], lane, name="expired"),
                            bench.weir(base + [f"--latency={ms}"], lane, name="waits")], bench.repeat)
        bench.keep(item, f"{program} {runtime}", series)
        extra_us = (series["waits"].median("cpu") - series["expired"].median("cpu")) / leaves * 1e6
        suspended = bench.report(base + [f"--latency={ms}"], lane).get("suspended", 0)
        rows.append([f"{program} {runtime}", suspended, shown(series["expired"], "cpu"), shown(series["waits"], "cpu"),
                     f"{extra_us:.1f}", yes(extra_us <= 8 and suspended > 0), yes(same_result(series.values()))])
    table(f"Extra CPU of a call that waits, {leaves} leaves, fib({fib}), weir --lane={lane}",
          ["program", "suspended", "expired, CPU s", f"{ms} ms, CPU s", "us a call", "<= 8", "same result"], rows)


def sleepers(bench, item, program, runtime, lane, tasks, ms):
    """Many tasks asleep at once: time over the ideal, memory a task."""
    base = [bench.app(program), "--fib=1", f"--runtime={runtime}", f"--ms={ms}"]
    series = alternate([bench.weir(base + ["--tasks=2"], lane, name="few"),
                        bench.weir(base + [f"--tasks={tasks}"], lane, name="many")], bench.repeat)
    bench.keep(item, f"{program} {runtime}", series, one_result=False)
    many = series["many"]
    each_kb = (many.median("rss_kb") - series["few"].median("rss_kb")) / tasks
    over = many.median() - ms / 1000
    row = [f"{program} {runtime}", tasks, ms, shown(many), f"{over:.3f}", yes(over <= 1.5), f"{each_kb:.1f}", yes(each_kb <= 12),
           yes(same_result([many]))]
    return row


SLEEPERS_HEAD = ["program", "tasks", "ms", "seconds", "over ideal", "<= 1.5", "KiB a task", "<= 12", "all ended well"]
