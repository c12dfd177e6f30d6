#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""same.py PRELOAD PROGRAM SOURCE [LIBTBB_FOLDER]: PROGRAM prints and ends the same bare and under each lane that SOURCE
names, and the report of each run is as SOURCE says, in comments of the form

    // LANE [VARIABLE=VALUE ...]: condition on the report's figures, in Python

with fallbacks.get('reason', 0) for what kept calls from their lane, and `cores`. LIBTBB_FOLDER: run with the libtbb in there."""
import json, os, re, subprocess, sys, tempfile

preload, program, source = sys.argv[1:4]
folder = sys.argv[4] if len(sys.argv) > 4 else None
expected = re.findall(r"^// (auto|park|suspend|off)((?: \w+=\S+)*): (.*)$", open(source).read(), re.M)
assert expected, "the source names no lane"
base = {k: v for k, v in os.environ.items() if not k.startswith("WEIR_") and k != "LD_PRELOAD"}
if folder:
    base["LD_LIBRARY_PATH"] = folder


def run(environment):
    done = subprocess.run([program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100)
    return done.returncode, done.stdout.decode(errors="replace")


failures = 0


def fail(text):
    global failures
    failures += 1
    print(text)


bare = run(base)
if bare[0] or not bare[1]:
    fail(f"bare: status {bare[0]}\n{bare[1]}")
for lane, variables, condition in expected:
    with tempfile.TemporaryDirectory() as there:
        report = f"{there}/report.json"
        under = dict(base, LD_PRELOAD=preload, WEIR_LANE=lane, WEIR_REPORT=report)
        under.update(v.split("=", 1) for v in variables.split())
        try:
            result = run(under)
        except subprocess.TimeoutExpired:
            fail(f"{lane}{variables}: hangs")
            continue
        if result != bare:
            fail(f"{lane}{variables}: status {result[0]} (bare {bare[0]})\n{result[1]}--- bare:\n{bare[1]}---")
        try:
            figures = json.load(open(report))
        except OSError:
            fail(f"{lane}{variables}: no report")
            continue
        if not figures["ring"]:
            print(f"{lane}{variables}: no io_uring here, figures not compared")
        elif not eval(condition, {"cores": len(os.sched_getaffinity(0))}, figures):
            fail(f"{lane}{variables}: not so: {condition}\n{json.dumps(figures, indent=1)}")
sys.exit(1 if failures else 0)
