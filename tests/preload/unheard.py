#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unheard WEIR PRELOAD PROGRAM: the program's status is its own though nobody reads what weir says, or no file may grow; and
what weir says goes nowhere but where stderr was."""
import os
import resource
import subprocess
import sys
import tempfile

WEIR, PRELOAD, PROGRAM = sys.argv[1:]
STATUS = 3
failures = 0


def run(command, *arguments, stderr=subprocess.DEVNULL, growing=True, **settings):
    global failures
    limit = None if growing else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    done = subprocess.run([*command, PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=stderr, preexec_fn=limit, timeout=30,
                          env={**os.environ, "WEIR_FORCE": "all", **settings})
    if (done.returncode, done.stdout) != (STATUS, b"x\n"):
        print(f"status {done.returncode}, printed {done.stdout}: {command} {arguments} {settings}, files may grow: {growing}")
        failures += 1


def with_nobody_reading(command, **settings):
    read, write = os.pipe()
    os.close(read)
    run(command, stderr=write, **settings)
    os.close(write)


with tempfile.TemporaryDirectory() as there:
    preloaded, told = [], {"LD_PRELOAD": PRELOAD, "WEIR_SUMMARY": "1"}
    with_nobody_reading(preloaded, **told)
    with_nobody_reading(preloaded, **told, WEIR_VERBOSE="1", WEIR_DISABLE="io_uring")
    for output in ("report.json", "page.html"):
        run(preloaded, **told, WEIR_REPORT=f"{there}/{output}", growing=False)
        for options in ([], [f"--report={there}/{output}"], [f"--report={there}/{output}", "--explain"]):
            with_nobody_reading([WEIR, "run", *options])
            run([WEIR, "run", *options], growing=False)
    for settings in (told, {**told, "WEIR_VERBOSE": "1", "WEIR_DISABLE": "io_uring", "WEIR_REPORT": f"{there}/none/report.json"}):
        run(preloaded, f"{there}/file", **settings)
        with open(f"{there}/file", encoding="utf-8") as file:
            text = file.read()
        if text != "mine\n":
            print(f"in the program's own file: {text!r}, {settings}")
            failures += 1
sys.exit(1 if failures else 0)
