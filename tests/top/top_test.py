#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""weir top on programs that really run: top_test.py WEIR APPS [unittest arguments]."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

WEIR, APPS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
LIMIT_S = 60
TASKS = 40
HEADER = struct.Struct("8sIIi")  # magic, layout, bytes, process: as plugin/meter/page.h has them
NAME = "weir-top"


def environment(**more):
    return {**{k: v for k, v in os.environ.items() if not k.startswith("WEIR_") and k != "LD_PRELOAD"}, **more}


def top(*arguments, **how):
    return subprocess.run([WEIR, "top", "--interval=0.05", *map(str, arguments)], capture_output=True, text=True, timeout=LIMIT_S,
                          env=environment(), stdin=subprocess.DEVNULL, **how)


def end(child):
    child.kill()
    child.wait()
    for stream in (child.stdin, child.stdout):
        if stream:
            stream.close()


def sleeping_program(*options):
    """40 tasks that are about to sleep for ten minutes."""
    words = [WEIR, "run", "-q", *options, os.path.join(APPS, "sleepers"), f"--tasks={TASKS}", "--ms=600000"]
    return subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def python(code, *words, **more):
    """A python program under weir with every call of it served; it says a line when it is ready."""
    child = subprocess.Popen([*words, sys.executable, "-c", code], env=environment(**more), text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    return child, child.stdout.readline().strip()


def figures(text, process):
    """The columns of a process in the table."""
    for line in text.splitlines():
        if re.match(rf"\s*{process} ", line):
            return line.split()
    return []


def state_of(process):
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


def descriptors(folder):
    return [f"{folder}/fd/{number}" for number in os.listdir(f"{folder}/fd")]


def shower_in(process):
    """The thread that shows what the process is about."""
    for task in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{task}/comm", encoding="utf-8") as file:
            if file.read().strip() == NAME:
                return task
    return None


def until(condition):
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError("it never came about")


class Running(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = sleeping_program("--lane=suspend")
        cls.addClassCleanup(end, cls.program)
        cls.pid = cls.program.pid
        until(lambda: figures(top(cls.pid).stdout, cls.pid)[4:5] == [str(TASKS)])

    def test_a_snapshot_says_what_is_under_way(self):
        done = top(self.pid)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("\x1b", done.stdout)
        pid, state, in_flight, permits, aside, parked, cores, *_, command = figures(done.stdout, self.pid)
        self.assertEqual((in_flight, aside, parked, command), (str(TASKS), str(TASKS), "0", "sleepers"))
        self.assertIn(state, ("idle", "fast", "normal", "hold"))
        self.assertLess(float(cores.split("/")[0]), 0.5)
        self.assertRegex(done.stdout, r"lane +suspend")

    def test_without_a_number_all_are_listed(self):
        parks = sleeping_program("--lane=park", "--permits=7")
        self.addCleanup(end, parks)
        row = until(lambda: (r := figures(top("--once").stdout, parks.pid)) and int(r[5]) > 1 and r)
        self.assertEqual((row[1], row[3].split("/")[1], row[4]), ("fixed", "7", "0"))
        self.assertEqual(figures(top().stdout, self.pid)[2], str(TASKS))

    def test_a_stopped_process_does_not_hold_the_view_up(self):
        os.kill(self.pid, signal.SIGSTOP)
        try:
            until(lambda: state_of(self.pid) == "T")
            done = top(self.pid)
        finally:
            os.kill(self.pid, signal.SIGCONT)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(figures(done.stdout, self.pid)[1], "silent")

    def test_who_looks_gets_at_nothing_but_the_page(self):
        page = next(filter(lambda file: NAME in os.readlink(file), descriptors(f"/proc/{self.pid}/task/{shower_in(self.pid)}")))
        self.assertEqual(os.stat(page).st_mode & 0o777, 0o600)
        with open(page, "r+b") as file, self.assertRaises(PermissionError):
            file.truncate(0)

    def test_the_program_finds_no_descriptor_of_the_page_and_what_it_closes_is_closed(self):
        code = """
import os, time
reader, writer = os.pipe()
before = sorted(os.listdir("/proc/self/fd"))
time.sleep(0.01)
after = sorted(os.listdir("/proc/self/fd"))
os.close(writer)
print(os.read(reader, 1), before == after or after, flush=True)
while True: time.sleep(100)"""
        child, said = python(code, WEIR, "run", "-q", "--lane=park", WEIR_FORCE="all")
        self.addCleanup(end, child)
        until(lambda: figures(top(child.pid).stdout, child.pid)[5:6] == ["1"])
        self.assertEqual(said, "b'' True")

    def test_the_longest_waits_are_shown_with_their_place(self):
        code = "import time\nprint(1, flush=True)\nwhile True: time.sleep(0.01)"
        child, _ = python(code, WEIR, "run", "-q", "--lane=park", WEIR_FORCE="all")
        self.addCleanup(end, child)
        row = until(lambda: [line.split() for line in top(child.pid).stdout.splitlines() if " clock_nanosleep " in line])[0]
        self.assertIn("park", row)
        self.assertRegex(row[-1], r"python|\(|0x")

    def test_another_users_process_is_not_shown(self):
        if os.geteuid():
            self.skipTest("only root can become another user")
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.dup2(writer, 1)
            os.dup2(writer, 2)
            fd = os.open(WEIR, os.O_PATH)  # its folder may be root's alone
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            os.execve(fd, [WEIR, "top", str(self.pid)], environment())
        os.close(writer)
        with os.fdopen(reader, encoding="utf-8") as output:
            said = output.read()
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 1)
        self.assertIn(f"process {self.pid} is another user's", said)

    def test_the_pages_process_ends_with_the_process_shown(self):
        short = sleeping_program("--lane=suspend")
        until(lambda: figures(top(short.pid).stdout, short.pid)[4:5] == [str(TASKS)])
        view = Terminal(short.pid)
        view.until(b"sleepers")
        end(short)
        self.assertEqual(view.status(), 0)
        self.assertIn(b"process %d has ended" % short.pid, view.seen)
        self.assertEqual(top(short.pid).stderr, f"weir: there is no process {short.pid}\n")
        self.assertNotIn(str(short.pid), top().stdout)


class Terminal:
    """weir top on a terminal of its own."""

    def __init__(self, *arguments, size=(24, 130)):
        self.master, self.slave = pty.openpty()
        self.resize(*size)
        self.before = termios.tcgetattr(self.slave)
        self.seen = b""
        self.pid = os.fork()
        if not self.pid:
            os.login_tty(self.slave) if hasattr(os, "login_tty") else self.log_in()
            os.execve(WEIR, [WEIR, "top", "--interval=0.05", *map(str, arguments)], environment())

    def log_in(self):
        os.setsid()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        for fd in (0, 1, 2):
            os.dup2(self.slave, fd)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds):
        if select.select([self.master], [], [], seconds)[0]:
            try:
                self.seen += os.read(self.master, 65536)
            except OSError:
                return

    def until(self, text, begin=0):
        deadline = time.monotonic() + LIMIT_S
        while text not in self.seen[begin:]:
            if time.monotonic() > deadline:
                raise AssertionError(f"no {text!r} in {self.seen!r}")
            self.read(0.1)

    def picture(self):
        """The lines of the next whole picture."""
        begin = len(self.seen)
        self.until(b"\x1b[H", begin)
        begin = self.seen.index(b"\x1b[H", begin)
        self.until(b"\x1b[J", begin)
        body = self.seen[begin + 3:self.seen.index(b"\x1b[J", begin)]
        return body.replace(b"\x1b[K", b"").replace(b"\r", b"").decode().split("\n")

    def status(self):
        while True:
            self.read(0.02)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.read(0)
                self.after = termios.tcgetattr(self.slave)
                os.close(self.master)
                os.close(self.slave)
                return os.waitstatus_to_exitcode(status)


class Live(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = sleeping_program("--lane=suspend")
        cls.addClassCleanup(end, cls.program)
        until(lambda: figures(top(cls.program.pid).stdout, cls.program.pid)[4:5] == [str(TASKS)])

    def leaves_the_terminal_as_it_was(self, view, status):
        self.assertEqual(view.status(), status)
        self.assertEqual(view.after, view.before)
        self.assertTrue(view.seen.startswith(b"\x1b[?1049h\x1b[?25l"))
        self.assertIn(b"\x1b[?25h\x1b[?1049l", view.seen)

    def test_q_ends_it(self):
        view = Terminal()
        self.assertIn("PID", "".join(view.picture()))
        self.assertEqual(figures("\n".join(view.picture()), self.program.pid)[4], str(TASKS))
        self.assertFalse(termios.tcgetattr(view.slave)[3] & (termios.ICANON | termios.ECHO))
        os.write(view.master, b"xq")
        self.leaves_the_terminal_as_it_was(view, 0)

    def test_control_c_ends_it(self):
        view = Terminal(self.program.pid)
        view.until(b"running for")
        os.write(view.master, b"\x03")
        self.leaves_the_terminal_as_it_was(view, 0)

    def test_being_terminated_leaves_the_terminal_well(self):
        view = Terminal(self.program.pid)
        view.until(b"running for")
        os.kill(view.pid, signal.SIGTERM)
        self.leaves_the_terminal_as_it_was(view, -signal.SIGTERM)

    def test_it_follows_the_size_of_the_terminal(self):
        view = Terminal(self.program.pid)
        self.assertGreater(max(map(len, view.picture())), 80)
        view.resize(5, 33)
        lines = until(lambda: (p := view.picture()) and max(map(len, p)) <= 33 and p)
        self.assertEqual(len(lines), 5)
        self.assertRegex(lines[-1], r"\.\.\. \d+ more lines")
        view.resize(50, 200)
        until(lambda: (p := view.picture()) and any("threads compute" in line for line in p))
        os.write(view.master, b"q")
        self.leaves_the_terminal_as_it_was(view, 0)

    def test_many_looks_cost_the_process_little_and_none_cost_it_nothing(self):
        def switches():
            """How often the thread that shows went to sleep."""
            with open(f"/proc/{self.program.pid}/task/{shower_in(self.program.pid)}/status", encoding="utf-8") as file:
                return int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", file.read(), re.M).group(1))

        def asleep():
            before = switches()
            time.sleep(0.2)
            return switches() == before
        until(asleep)  # unless somebody else on this machine looks
        before = switches()
        top(self.program.pid)
        self.assertGreater(switches(), before)


class Wrong(unittest.TestCase):
    def says(self, text, *arguments, status=1):
        done = top(*arguments)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertIn(text, done.stderr)

    def test_a_number_that_is_no_process(self):
        self.says("there is no process 99999999", 99999999)
        self.says("PID", "abc", status=2)
        self.says("PID", "-7", status=2)
        self.says("interval", "--interval=zero", status=2)
        self.says("--every", "--every=1", status=2)
        self.says("once", "--once=3", status=2)

    def test_a_process_without_weir(self):
        child, _ = python("print(1, flush=True); input()")
        self.addCleanup(end, child)
        self.says(f"weir is not in process {child.pid}", child.pid)

    def test_weir_in_it_and_nothing_waited(self):
        child, _ = python("print(1, flush=True); input()", WEIR, "run", "-q")
        self.addCleanup(end, child)
        self.says(f"weir is in process {child.pid}", child.pid)
        self.assertNotIn(str(child.pid), top().stdout)

    def test_a_dead_process_that_nobody_has_waited_for(self):
        child = subprocess.Popen(["/bin/true"])
        until(lambda: state_of(child.pid) == "Z")
        self.says(f"there is no process {child.pid}", child.pid)
        child.wait()

    def foreign(self, content, more=0, seal=True):
        code = f"""
import fcntl, os
with open("/proc/self/comm", "w") as name: name.write({NAME!r})
fd = os.memfd_create({NAME!r}, os.MFD_ALLOW_SEALING)
os.write(fd, {content!r}.replace(b'PPPP', os.getpid().to_bytes(4, 'little')) + bytes({more}))
if {seal}: fcntl.fcntl(fd, 1033, 7)
print(1, flush=True)
input()"""
        child, _ = python(code)
        self.addCleanup(end, child)
        return child.pid

    def test_pages_that_are_not_weirs(self):
        page = HEADER.pack(b"weir-top", 1, 2048, 0)[:-4] + b"PPPP"
        self.says("is not a page of weir's", self.foreign(b"", 100_000))
        self.says("is not a page of weir's", self.foreign(page, 100_000, seal=False))  # could be shortened while we read
        self.says("is cut short", self.foreign(b""))
        self.says("is cut short", self.foreign(page))
        self.says("is cut short", self.foreign(page, 100_000))  # says itself that it is smaller
        self.says("another version", self.foreign(HEADER.pack(b"weir-top", 77, 2048, 0), 100_000))

    def test_a_forked_child_has_a_page_of_its_own(self):
        code = """
import os, time
time.sleep(0.01)
reader, writer = os.pipe()
child = os.fork()
if not child:
    os.write(writer, b'x')
    while True: time.sleep(100)
os.read(reader, 1)
print(child, flush=True)
while True: time.sleep(100)"""
        parent, said = python(code, WEIR, "run", "-q", "--lane=park", WEIR_FORCE="all")
        self.addCleanup(end, parent)
        child = int(said)
        self.addCleanup(os.kill, child, signal.SIGKILL)
        # In one page the two would come to two.
        for pid in (parent.pid, child):
            until(lambda: figures(top(pid).stdout, pid)[5:6] == ["1"])
        both = top().stdout
        self.assertEqual([figures(both, pid)[5] for pid in (parent.pid, child)], ["1", "1"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
