#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sharing_test WEIR COLDREAD FOLDER: processes that read one device find each other, and who dies leaves no trace."""
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

weir, coldread, folder = sys.argv[1:]
work = tempfile.mkdtemp(prefix="sharing-", dir=folder)
data = os.path.join(work, "data")
subprocess.run([coldread, f"--file={data}", "--size=16M", "--generate"], check=True)
device = os.stat(data).st_dev
page = f"/dev/shm/weir-share.{os.geteuid()}.{os.major(device):x}-{os.minor(device):x}"


def start(reads, report, **more):
    command = [weir, "run", "--quiet", "--lane=suspend", "--max-permits=8", f"--report={report}", "--", coldread,
               f"--file={data}", f"--reads={reads}", "--runtime=openmp-tasks"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ, **more))
    started.append(process)
    return process


def checksum(process):
    out = process.communicate(timeout=120)[0]
    assert process.returncode == 0, process.returncode
    return out.split()[0]


def wait_until(condition, what, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def members():
    """Processes that the page knows."""
    try:
        with open(page, "rb") as file:
            text = file.read(4096)
    except FileNotFoundError:
        return []
    # A place is 64 bytes, from the 64th on; its process stands at 40.
    return [pid for pid in (int.from_bytes(text[64 + 64 * i + 40:][:4], "little") for i in range(60)) if pid]


started = []
try:
    report = os.path.join(work, "report.json")
    alone = checksum(start(20_000, report, WEIR_SHARE="0"))
    many = 4_000_000  # more than anybody waits for
    first, second = start(many, report + "1"), start(many, report + "2")
    wait_until(lambda: {first.pid, second.pid} <= set(members()), "they did not meet")
    assert os.stat(page).st_mode & 0o777 == 0o600
    # One is killed in the middle of its work: nobody waits for it.
    first.send_signal(signal.SIGKILL)
    first.communicate()
    third = start(20_000, report)
    assert checksum(third) == alone
    wait_until(lambda: first.pid not in members(), "the dead one was not swept away")
    # One that is stopped holds nobody up, at the end neither.
    second.send_signal(signal.SIGSTOP)
    assert checksum(start(20_000, report)) == alone
    second.send_signal(signal.SIGCONT)
    second.send_signal(signal.SIGKILL)
    second.communicate()
    # The last to leave takes the page away, also after such ends.
    assert checksum(start(20_000, report)) == alone
    if not members():
        assert not os.path.exists(page), "the page was left behind"
    with open(report) as file:
        assert json.load(file)["suspended"] > 0
finally:
    for process in started:
        if process.poll() is None:
            process.kill()
            process.wait()
    for name in glob.glob(os.path.join(work, "*")):
        os.remove(name)
    os.rmdir(work)
