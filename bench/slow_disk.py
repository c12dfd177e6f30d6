# SPDX-License-Identifier: Apache-2.0
"""A disk as slow as one wants, for scripts here: build/bench/slow_disk, a FUSE file system whose reads take what its model
says. For root, or where fusermount3 may mount."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

NOT_HERE = 77  # the exit status of what this machine has no part for


class SlowDisk:
    """Mounted within `with`; `data` is the slow file."""

    def __init__(self, bench, behaviour):
        self.program = os.path.join(bench.options.build, "bench", "slow_disk")
        self.backing = bench.file("bench-slow.dat")
        if not os.path.exists(self.backing):
            bench.prepare([bench.app("coldread"), f"--file={self.backing}", "--size=64M", "--generate"])
        self.behaviour = behaviour

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="slow-disk-")
        self.process = subprocess.Popen([self.program, self.backing, self.folder, self.behaviour])
        self.data, self.control = (os.path.join(self.folder, name) for name in ("data", "control"))
        until = time.monotonic() + 10
        while not os.path.exists(self.control):
            if self.process.poll() is not None or time.monotonic() > until:
                print("the slow disk can't be mounted here", file=sys.stderr)
                raise SystemExit(NOT_HERE)
            time.sleep(0.01)
        return self

    def become(self, behaviour):
        with open(self.control, "w") as file:
            file.write(behaviour)

    def __exit__(self, *_):
        subprocess.run(["fusermount3", "-u", "-z", self.folder], check=False)
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:  # a copy of the mount lives on in somebody's namespace
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
