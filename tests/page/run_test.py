#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""weir run with something to do when the program has ended: run_test.py WEIR [unittest arguments]."""
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

WEIR = os.path.abspath(sys.argv[1])
LIMIT_S = 60


def environment():
    return {k: v for k, v in os.environ.items() if not k.startswith("WEIR_") and k != "LD_PRELOAD"}


def alive(pid):
    try:
        return "\nState:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.page = os.path.join(folder.name, "page.html")
        self.folder = folder.name

    def words(self, *command, options=()):
        return [WEIR, "run", "-q", *(options or ["--report=" + self.page]), *command]

    def run_it(self, *command, options=(), **how):
        return subprocess.run(self.words(*command, options=options), capture_output=True, text=True, timeout=LIMIT_S,
                              env={**environment(), "TMPDIR": self.folder}, **how)

    def start(self, *command, **how):
        """Started, and the first line it wrote was read."""
        child = subprocess.Popen(self.words(*command), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env={**environment(), "TMPDIR": self.folder}, **how)
        self.addCleanup(child.stderr.close)
        self.addCleanup(child.stdout.close)
        return child, child.stdout.readline().strip()

    def shown(self):
        with open(self.page, encoding="utf-8") as file:
            found = re.search(r'<script id="data" type="application/json">(.*?)</script>', file.read(), re.S)
        return json.loads(found.group(1))["processes"]

    def test_the_page_is_there_when_the_command_returns(self):
        done = self.run_it("/bin/sh", "-c", "exit 7")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "", ""))
        self.assertEqual(self.shown()[0]["command"], ["/bin/sh", "-c", "exit 7"])
        self.assertEqual(os.listdir(self.folder), ["page.html"])

    def test_all_processes_of_the_run_are_on_the_page(self):
        self.run_it("/bin/sh", "-c", "/bin/cat /etc/passwd > /dev/null; /bin/echo; true")
        self.assertEqual([p["command"][0] for p in self.shown()][0], "/bin/sh")
        self.assertEqual(sorted(p["command"][0] for p in self.shown()), ["/bin/cat", "/bin/echo", "/bin/sh"])

    def test_the_program_is_the_first_process_and_is_named_so(self):
        self.run_it(sys.executable, "-c", "import os, subprocess; subprocess.run(['/bin/true']); print(os.getpid())")
        self.assertIn("python", self.shown()[0]["command"][0])

    def test_death_by_a_signal_is_the_programs(self):
        for sig in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV):
            self.assertEqual(self.run_it("/bin/sh", "-c", f"kill -{int(sig)} $$").returncode, -sig)

    def test_programs_that_can_not_be_started_as_env_has_them(self):
        self.assertEqual(self.run_it("weir-has-no-such-program").returncode, 127)
        self.assertEqual(self.run_it("/etc/passwd").returncode, 126)

    def test_signals_go_on_to_the_program(self):
        for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGXCPU, signal.SIGPROF, signal.SIGVTALRM,
                    signal.SIGIO, signal.SIGPWR, signal.SIGABRT, signal.SIGXFSZ, signal.SIGURG):
            code = f"""import signal, sys, time
signal.signal({int(sig)}, lambda *_: sys.exit(33))
print('ready', flush=True)
while True: time.sleep(0.05)  # one that comes just before a sleep does not end it"""
            child, _ = self.start(sys.executable, "-c", code)
            child.send_signal(sig)
            self.assertEqual(child.wait(LIMIT_S), 33, sig)

    def test_a_stop_of_the_program_is_seen_and_undone(self):
        child, pid = self.start("/bin/sh", "-c", f"echo $$; exec /bin/sleep {LIMIT_S}")
        os.kill(int(pid), signal.SIGSTOP)
        self.assertTrue(os.WIFSTOPPED(os.waitpid(child.pid, os.WUNTRACED)[1]))
        child.send_signal(signal.SIGCONT)
        os.kill(int(pid), signal.SIGTERM)
        self.assertEqual(child.wait(LIMIT_S), -signal.SIGTERM)

    def test_a_program_that_is_continued_by_itself_goes_on_and_so_does_weir(self):
        code = """import os, signal, sys, time
conts = []
signal.signal(signal.SIGCONT, lambda *_: conts.append(1))
print(os.getpid(), flush=True)
while not conts: time.sleep(0.01)
time.sleep(0.3)
sys.exit(40 + len(conts))"""
        for who in ("program", "weir", "group"):
            child, pid = self.start(sys.executable, "-c", code, start_new_session=True)
            os.kill(int(pid), signal.SIGSTOP)
            self.assertTrue(os.WIFSTOPPED(os.waitpid(child.pid, os.WUNTRACED)[1]))
            if who == "group":
                os.killpg(child.pid, signal.SIGCONT)
            else:
                os.kill(int(pid) if who == "program" else child.pid, signal.SIGCONT)
            self.assertEqual(child.wait(LIMIT_S), 41, who)

    def test_killing_weir_kills_the_program(self):
        child, pid = self.start("/bin/sh", "-c", f"echo $$; exec /bin/sleep {LIMIT_S}")
        child.kill()
        child.wait(LIMIT_S)
        deadline = time.monotonic() + LIMIT_S
        while alive(pid):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def test_what_the_caller_ignores_stays_ignored_and_no_status_is_lost(self):
        ignore = lambda: [signal.signal(sig, signal.SIG_IGN) for sig in (signal.SIGCHLD, signal.SIGHUP)]
        code = "import signal, sys; sys.exit(9 if signal.getsignal(signal.SIGCHLD) == signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else 1)"
        self.assertEqual(self.run_it(sys.executable, "-c", code, preexec_fn=ignore).returncode, 9)

    def test_the_program_gets_the_signal_mask_of_the_caller(self):
        mask = subprocess.run(["/bin/grep", "SigBlk", "/proc/self/status"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(self.run_it("/bin/grep", "SigBlk", "/proc/self/status").stdout, mask)

    def test_what_can_not_be_written_is_said_before_the_program_runs(self):
        for name in ("/nonexistent/page.html", "/nonexistent/r.json", self.folder, self.folder + "/" + "n" * 300 + ".json", "-"):
            done = self.run_it("/bin/echo", "ran", options=["--report=" + name])
            self.assertEqual((done.returncode, done.stdout), (125, ""))
            self.assertRegex(done.stderr, r"\Aweir: [^\n]+\n\Z")
            self.assertIn(name, done.stderr)

    def test_a_page_that_can_not_be_written_in_the_end_is_said(self):
        os.symlink("/dev/full", self.page)
        done = self.run_it("/bin/sh", "-c", "echo ran; exit 4")
        self.assertEqual((done.returncode, done.stdout), (4, "ran\n"))
        self.assertRegex(done.stderr, r"\Aweir: can't write .*page\.html: No space left on device\n\Z")

    def test_a_program_that_leaves_no_report_leaves_no_page(self):
        self.assertEqual(self.run_it("/bin/sh", "-c", "kill -TERM $$").returncode, -signal.SIGTERM)
        self.assertEqual(os.listdir(self.folder), [])

    def read_only(self, folders, options):
        made = "".join(f"mount --bind {f} {f} && mount -o remount,ro,bind {f} && " for f in folders)
        if subprocess.run(["unshare", "-m", "sh", "-c", made + "true"], capture_output=True,
                          check=False).returncode:
            self.skipTest("nothing can be mounted here")
        words = self.words("/bin/echo", "ran", options=options)
        return subprocess.run(["unshare", "-m", "sh", "-c", made + 'exec "$@"', "sh", *words], capture_output=True, text=True,
                              timeout=LIMIT_S, env={k: v for k, v in environment().items() if k != "TMPDIR"})

    def test_a_program_runs_where_no_temporary_file_can_be_had(self):
        done = self.read_only(["/tmp"], ["--explain"])
        self.assertEqual((done.returncode, done.stdout), (0, "ran\n"))
        self.assertRegex(done.stderr, r"\Aweir: (nothing|what) kept it from helping more")
        done = self.read_only(["/tmp", "/var/tmp", "/dev/shm"], ["--explain"])
        self.assertEqual((done.returncode, done.stdout), (0, "ran\n"))
        self.assertRegex(done.stderr, r"\Aweir: can't make a folder for the report: [^\n]+\n\Z")

    def test_explain_says_what_kept_weir_from_more(self):
        done = self.run_it("/bin/cat", "/etc/passwd", options=["--explain"])
        self.assertEqual(done.returncode, 0)
        self.assertIn("root:", done.stdout)
        self.assertRegex(done.stderr, r"\Aweir: (nothing|what) kept it from helping more")
        self.assertEqual(os.listdir(self.folder), [])
        kept = os.path.join(self.folder, "kept.json")
        self.run_it("/bin/cat", "/etc/passwd", options=["--explain", "--report=" + kept])
        self.assertEqual(os.listdir(self.folder), ["kept.json"])

    def test_reports_of_runs_before_are_not_taken_for_this_ones(self):
        kept = os.path.join(self.folder, "kept.json")
        with open(os.path.join(self.folder, "kept.77.json"), "w", encoding="utf-8") as file:
            json.dump({"pid": 77, "wall_s": 1, "calls": 1, "fallbacks": {"lock_held": 5}}, file)
        os.utime(file.name, (1, 1))
        done = self.run_it("/bin/true", options=["--explain", "--report=" + kept])
        self.assertNotIn("lock_held", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
