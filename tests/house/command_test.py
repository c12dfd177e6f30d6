#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The weir command from outside: command_test.py WEIR PROGRAMS [unittest arguments]."""
import fcntl
import json
import os
import re
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

WEIR, PROGRAMS = (os.path.abspath(p) for p in sys.argv[1:3])


def libomp():
    return json.loads(weir("doctor", "--json").stdout)["machine"]["runtimes"]["libomp"]


def program(name):
    path = os.path.join(PROGRAMS, "house_" + name)
    if not os.path.exists(path):
        raise unittest.SkipTest(f"{name} is built by gcc alone")
    return path


def run(*words, env=None, cwd=None):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("WEIR_") and k != "LD_PRELOAD"}
    environment.update(env or {})
    return subprocess.run(words, capture_output=True, text=True, env=environment, cwd=cwd, timeout=60)


def weir(*words, **how):
    return run(WEIR, *words, **how)


class Run(unittest.TestCase):
    def test_exit_status_is_the_programs(self):
        for status in (0, 1, 7, 125, 255):
            self.assertEqual(weir("run", program("arguments"), env={"STATUS": str(status)}).returncode, status)

    def test_death_by_a_signal_is_the_programs(self):
        self.assertEqual(weir("run", "/bin/sh", "-c", "kill -9 $$").returncode, -signal.SIGKILL)

    def test_arguments_pass_untouched(self):
        for words in ([], ["--lane=off", "-q"], ["--", "a b", ""], ["run", "doctor"]):
            got = weir("run", program("arguments"), *words).stdout.splitlines()[0]
            self.assertEqual(got, "".join(f"[{w}]" for w in [program("arguments"), *words]))

    def test_two_dashes_end_the_options(self):
        got = weir("run", "--lane", "park", "--", program("arguments"), "x").stdout.splitlines()
        self.assertTrue(got[0].endswith("[x]"))
        self.assertIn("WEIR_LANE=park", got)

    def test_missing_and_unrunnable_programs_as_env_has_them(self):
        missing = weir("run", "weir-has-no-such-program")
        self.assertEqual(missing.returncode, 127)
        self.assertIn("weir-has-no-such-program", missing.stderr)
        self.assertEqual(weir("run", "/nonexistent/program").returncode, 127)
        self.assertEqual(weir("run", "/").returncode, 126)
        self.assertEqual(weir("run", "/etc/passwd").returncode, 126)

    def test_programs_are_found_where_execvp_finds_them(self):
        folder, name = os.path.split(program("arguments"))
        for path in (folder, "/usr/bin:" + folder, "/usr/bin:", ":/usr/bin", "/usr/bin::/bin", ""):
            got = weir("run", "-q", name, env={"PATH": path}, cwd=folder)
            self.assertEqual((got.returncode, got.stderr), (0, ""), path)
            self.assertIn("libweir_preload.so", got.stdout, path)
        self.assertEqual(weir("run", "-q", "").returncode, 127)

    def test_wrong_options_are_said_and_nothing_runs(self):
        for words in (["--lane=fast"], ["--threads=many"], ["--no-such-option"], ["-z"], ["--permits=100000"], ["--stand-ins=1000000"],
                      ["--max-permits=4097"], ["--quiet=3"], ["--verbose=maybe"], []):
            wrong = weir("run", *words, *([program("arguments")] if words else []))
            self.assertEqual(wrong.returncode, 125, words)
            self.assertEqual(wrong.stdout, "")
            self.assertTrue(wrong.stderr.startswith("weir: "), wrong.stderr)

    def test_without_proc_as_with_it(self):
        within = f"mount -t tmpfs none /proc && exec {WEIR} "
        if run("unshare", "-m", "sh", "-c", "mount -t tmpfs none /proc").returncode:
            self.skipTest("nothing can be mounted here")
        got = run("unshare", "-m", "sh", "-c", within + f"run {program('arguments')} x")
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertIn("libweir_preload.so", got.stdout)
        told = run("unshare", "-m", "sh", "-c", within + f"doctor {program('arguments')}").stdout
        self.assertRegex(told, r"libweir_preload +/")
        self.assertRegex(told, r"mappings +unknown")

    def test_without_its_library_a_program_runs_as_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(WEIR, folder)
            got = run(alone, "run", program("arguments"))
            self.assertEqual(got.returncode, 0)
            self.assertIn("LD_PRELOAD=\n", got.stdout)
            self.assertIn("libweir_preload.so is not beside this command", got.stderr)
            facts = json.loads(run(alone, "doctor", "--json", program("arguments")).stdout)["program"]
            self.assertEqual(facts["lane"], "plain")
            self.assertIn("libweir_preload.so is not beside this command", facts["lane_reason"])

    def test_a_libomp_that_is_not_there_is_refused_by_name(self):
        for name in ("/nonexistent/libomp.so", "/etc/passwd", "/"):
            for how in ({"words": [f"--libomp={name}"]}, {"env": {"WEIR_LIBOMP": name}}):
                got = weir("run", *how.get("words", []), program("arguments"), env=how.get("env"))
                self.assertEqual((got.returncode, got.stdout), (125, ""), how)
                self.assertIn(name, got.stderr)
        said = weir("doctor", program("team"), env={"WEIR_LIBOMP": "/nonexistent/libomp.so"}).stdout
        self.assertIn("/nonexistent/libomp.so", said)

    def test_one_line_at_the_end_unless_quiet(self):
        loud = weir("run", "/bin/echo", "hello")
        self.assertEqual(loud.stdout, "hello\n")
        self.assertEqual(loud.stderr.count("\n"), 1, loud.stderr)
        self.assertTrue(loud.stderr.startswith("weir: "))
        self.assertEqual(weir("run", "--quiet", "/bin/echo", "hello").stderr, "")
        preload = weir("run", "-q", program("arguments")).stdout.split("LD_PRELOAD=")[1].splitlines()[0]
        self.assertEqual(run("/bin/echo", "hello", env={"LD_PRELOAD": preload}).stderr, "")

    def test_the_line_says_why_nothing_was_gained_in_words(self):
        got = weir("run", "--lane=off", program("arguments"))
        self.assertIn("nothing gained: weir was switched off\n", got.stderr)
        self.assertNotIn("lane_off", got.stderr)
        got = weir("run", "--libomp=" + libomp(), program("team"), env={"OMP_NUM_THREADS": "2", "NAP_MS": "20"})
        self.assertIn("nothing gained: OpenMP teams are left alone: OMP_NUM_THREADS", got.stderr)
        for lane, name in (("auto", "team_bound"), ("park", "team")):
            got = weir("run", "--explain", "--lane=" + lane, "--libomp=" + libomp(), program(name),
                       env={"OMP_NUM_THREADS": "2", "NAP_MS": "20"}).stderr
            self.assertIn("nothing gained: OpenMP teams are left alone: OMP_NUM_THREADS", got)
            self.assertIn("--omp-count=cores leaves room", got)
        alone = lambda name: weir("run", "--libomp=" + libomp(), program(name), env={"OMP_NUM_THREADS": "1", "NAP_MS": "20"}).stderr
        self.assertIn("nothing gained: tasks of a team or an arena of one thread go one after the other", alone("tasks"))
        self.assertIn("nothing gained: OpenMP teams are left alone: OMP_NUM_THREADS", alone("team"))

    def test_where_nothing_waited_explain_says_what_the_time_went_to(self):
        said = weir("run", "--explain", "--libomp=" + libomp(), program("computes_long")).stderr
        self.assertIn("nothing gained, no call was made in a team, a task or an arena", said)
        self.assertRegex(said, r"weir: in its regions no call had to wait, of those that weir knows: it computed for "
                               r"[\d.]+ m?s in [\d.]+ m?s, ([\d.]+ m?s of it there|and waited .*, for a core, or .*)\n")
        self.assertRegex(said, r"weir:   libomp: LLVM's libomp stood in .*\nweir:     > Use --libomp=no")
        said = weir("run", "--explain", "--libomp=no", program("computes_long")).stderr
        self.assertNotIn("libomp=no, and compare", said)
        said = weir("run", "--explain", "--libomp=" + libomp(), program("computes_long"), "20").stderr
        self.assertNotIn("libomp=no, and compare", said)
        self.assertNotIn("no call", said)

    def on_terminal(self, text, term):
        ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        env = {**os.environ, "TERM": term}
        subprocess.run([WEIR, "run", "/bin/sh", "-c", f"printf '{text}' >&2"], stderr=theirs, timeout=60, check=True, env=env)
        os.close(theirs)
        said = b""
        try:
            while part := os.read(ours, 65536):
                said += part
        except OSError:  # all was read
            pass
        os.close(ours)
        return said.decode()

    def test_a_last_line_without_its_end_is_not_glued_to_the_line_on_a_terminal(self):
        for text in ("not finished", "finished\n", ""):
            said = self.on_terminal(text, "xterm")
            # As a terminal of 80 columns shows it: what comes behind the last one begins the next row.
            rows, column = [""], 0
            for c in said:
                if c == "\n":
                    rows.append("")
                elif c == "\r":
                    column = 0
                    continue
                else:
                    if column == 80:
                        rows.append("")
                        column = 0
                    rows[-1] = rows[-1][:column].ljust(column) + c + rows[-1][column + 1:]
                    column += 1
            rows = [row.rstrip() for row in rows if row.strip()]
            self.assertTrue(any(row.startswith("weir: ") for row in rows), rows)
            self.assertEqual([row for row in rows if "finished" in row], [text.strip()] if text else [])
        self.assertIn("not finishedweir: ", self.on_terminal("not finished", "dumb"))  # which may show the blanks

    def test_waits_for_child_processes_are_counted_with_their_time_and_reason(self):
        for how, call in (("loop", "system"), ("tasks", "system"), ("forks", "waitpid"), ("pipes", "pclose")):
            with self.subTest(how), tempfile.TemporaryDirectory() as folder:
                report = os.path.join(folder, "r.json")
                got = weir("run", "--libomp=" + libomp(), "--explain", "--report=" + report, program("children"), how)
                self.assertEqual(got.stdout, "bad 0\n")
                self.assertIn("nothing gained: calls wait for child processes", got.stderr)
                self.assertRegex(got.stderr, r"weir:   child \([\d.]+ m?s, 6 calls\): Threads waited for child processes")
                self.assertNotIn("Make them within a parallel region", got.stderr)
                self.assertIn(f"weir:       {call} at ", got.stderr)
                with open(report, encoding="utf-8") as file:
                    figures = json.load(file)
                self.assertEqual(figures["fallbacks"]["child"], 6)
                self.assertGreaterEqual(figures["plain"], 6)
                self.assertGreater(figures["lost_by_reason"]["child"], 6 * 0.045)
                rows = [site for site in figures["call_sites"] if site["reason"] == "child"]
                self.assertEqual([(row["call"], row["lane"], row["count"]) for row in rows], [(call, "plain", 6)])
                off = weir("run", "--libomp=" + libomp(), "--lane=off", program("children"), how)
                self.assertIn("nothing gained: weir was switched off", off.stderr)

    def test_the_line_goes_to_what_stderr_was_and_nowhere_else(self):
        with tempfile.NamedTemporaryFile() as data:
            moved = f"import os; os.dup2(os.open({data.name!r}, os.O_WRONLY), 2)"
            got = weir("run", sys.executable, "-c", moved)
            self.assertEqual(data.read(), b"")
        self.assertEqual(got.stderr.count("\n"), 1, got.stderr)

    def test_programs_that_a_program_starts_are_silent_where_nothing_waited(self):
        got = weir("run", sys.executable, "-c", "import os; os.system('/bin/true; /bin/echo done')")
        self.assertEqual(got.stdout, "done\n")
        self.assertEqual(got.stderr.count("\n"), 1, got.stderr)

    def test_static_program_runs_without_weir_and_is_told_why(self):
        got = weir("run", "--lane=park", program("arguments_static"), "x", env={"STATUS": "3"})
        self.assertEqual(got.returncode, 3)
        self.assertIn("LD_PRELOAD=\nWEIR_LANE=\n", got.stdout)
        self.assertIn("statically", got.stderr)
        self.assertEqual(weir("run", "-q", program("arguments_static")).stderr, "")

    def test_preload_of_the_user_stays_behind_ours(self):
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(folder, "libother.so")
            subprocess.run(["cc", "-shared", "-x", "c", "-", "-o", other], input=b"int other_library;", check=True)
            got = weir("run", program("arguments"), env={"LD_PRELOAD": other}).stdout
        parts = got.split("LD_PRELOAD=")[1].splitlines()[0].split(":")
        self.assertEqual([os.path.basename(p) for p in parts], ["libweir_preload.so", "libother.so"])

    def test_weir_within_weir_is_loaded_once(self):
        got = weir("run", "-q", WEIR, "run", "-q", program("arguments")).stdout
        self.assertEqual(got.count("libweir_preload.so"), 1)

    def test_programs_linked_to_a_sanitizer_start(self):
        got = weir("run", "-q", program("sanitized"), env={"ASAN_OPTIONS": "detect_leaks=0"})
        self.assertEqual(got.returncode, 0, got.stderr)
        parts = got.stdout.split("LD_PRELOAD=")[1].splitlines()[0].split(":")
        self.assertTrue(os.path.basename(parts[0]).startswith("libasan"), parts)

    def test_libomp_stands_in_for_libgomp(self):
        got = weir("run", program("team"))
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertIn("sum 499500", got.stdout)
        self.assertIn("libomp", got.stdout)
        self.assertIn("stands in for libgomp", got.stderr)
        for words in (["--libomp=no"], ["--lane=off"]):
            self.assertIn("libgomp", weir("run", *words, program("team")).stdout)

    def test_libgomp_stays_where_threads_are_to_be_bound(self):
        for variable, value in (("OMP_PROC_BIND", "true"), ("OMP_PLACES", "cores"), ("GOMP_CPU_AFFINITY", "0-1023")):
            for words in ([], ["--libomp=" + libomp()]):
                got = weir("run", *words, program("team"), env={variable: value})
                self.assertRegex(got.stdout, "sum 499500 by .*libgomp", got.stderr)
                self.assertIn(f"libgomp stays: {variable} is set", got.stderr)
        self.assertIn("libgomp", weir("run", "--libomp=" + libomp(), "/bin/sh", "-c", program("team"), env={"OMP_PROC_BIND": "true"}).stdout)
        self.assertNotIn("libgomp", weir("run", program("team"), env={"OMP_PROC_BIND": "false", "OMP_PLACES": "cores"}).stdout)

    def test_libgomp_stays_where_the_program_cancels(self):
        on = {"OMP_CANCELLATION": "true"}
        bare, got = run(program("cancels"), env=on), weir("run", program("cancels"), env=on)
        self.assertEqual((bare.stdout, bare.returncode), (got.stdout, got.returncode))
        self.assertIn("libgomp stays: the program cancels constructs", got.stderr)
        self.assertIn("stands in for libgomp", weir("run", program("cancels")).stderr)
        self.assertIn("stands in for libgomp", weir("run", program("team"), env=on).stderr)

    def test_libgomp_stays_where_no_region_may_wait(self):
        for name in ("computes", "computes_fixed"):
            got = weir("run", program(name))
            self.assertRegex(got.stdout, "sum 499500 by .*libgomp")
            self.assertIn("libgomp stays: no parallel region reaches a call that may wait", got.stderr)
        self.assertRegex(weir("run", f"--libomp={libomp()}", program("computes")).stdout, "sum 499500 by .*libomp")

    def test_libgomp_stays_where_teams_would_be_left_alone(self):
        for name, why in (("numbers_table", "keeps what omp_get_thread_num says"), ("numbers_procs", "calls omp_get_num_procs")):
            got = weir("run", program(name))
            self.assertRegex(got.stdout, "ran by .*libgomp")
            self.assertIn(f"libgomp stays: the program {why}", got.stderr)
            for words in (["--omp-teams=any"], ["--omp-count=cores"], ["--libomp=" + libomp()]):
                self.assertRegex(weir("run", *words, program(name)).stdout, "ran by .*libomp")
        for name in ("numbers_tasks", "numbers_shares"):
            self.assertRegex(weir("run", program(name)).stdout, "ran by .*libomp")

    def test_libomp_stands_in_where_a_trace_is_to_show_the_teams(self):
        with tempfile.TemporaryDirectory() as folder:
            got = weir("run", f"--trace={folder}/trace.json", program("computes"))
        self.assertRegex(got.stdout, "sum 499500 by .*libomp")

    def test_libgomp_stays_where_libomp_has_not_all_names(self):
        got = weir("run", program("newer_openmp"))
        self.assertEqual(got.stdout, "ran\n")
        self.assertIn("GOMP_warning", got.stderr)

    def test_libgomp_stays_where_libomp_has_a_name_only_in_part(self):
        got = weir("run", program("scan"))
        self.assertEqual(got.stdout, "sum 295, last 94\n")
        self.assertIn("GOMP_loop_start", got.stderr)
        self.assertIn("only in part", got.stderr)

    def test_libgomp_stays_where_the_program_has_teams_on_the_host(self):
        got = weir("run", program("teams"))
        self.assertEqual(got.stdout, "teams 300, sum 4950\n")
        self.assertIn("GOMP_teams_reg", got.stderr)

    def test_libgomp_stays_where_what_the_user_preloads_has_such_a_name(self):
        got = weir("run", program("team"), env={"LD_PRELOAD": program("scans.so")})
        self.assertIn("only in part", got.stderr)
        self.assertRegex(got.stdout, "sum 499500 by .*libgomp")

    def test_libomp_in_front_of_libgomp_says_nothing_of_old_names(self):
        got = weir("run", "-q", f"--libomp={libomp()}", program("nested"))
        self.assertEqual((got.stdout, got.stderr), ("nested 1\n", ""))
        started = weir("run", "-q", f"--libomp={libomp()}", "/bin/sh", "-c", program("nested"))
        self.assertEqual((started.stdout, started.stderr), ("nested 1\n", ""))

    def test_report_is_written_where_the_caller_stood(self):
        with tempfile.TemporaryDirectory() as folder:
            got = weir("run", "--report=run.json", "/bin/sh", "-c", "cd / && /bin/true; exec /bin/true", cwd=folder)
            self.assertEqual(got.returncode, 0)
            with open(os.path.join(folder, "run.json")) as file:
                self.assertIn("calls", json.load(file))

    def test_each_run_may_name_files_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                weir("run", "-q", "--report=%h.%p.json", "--trace=%p.trace", "/bin/true", cwd=folder)
            names = os.listdir(folder)
            self.assertEqual(len(names), 4, names)
            for name in names:
                self.assertRegex(name, rf"^({re.escape(os.uname().nodename)}\.\d+\.json|\d+\.trace)$")

    def test_a_report_is_json_whatever_bytes_the_arguments_have(self):
        words = [b"caf\xe9", b"\xff\xc3", b"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8c\x8a", b"\xed\xa0\x80\xc0\xaf", b'"\\\n\x7f']
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "r.json")
            weir("run", "-q", "--report=" + file, "/bin/true", *words)
            with open(file, encoding="utf-8") as text:
                self.assertEqual(json.load(text)["command"][1:], ["caf\xe9", "\xff\xc3", "caf\xe9 \u20ac \U0001f30a",
                                                                "\xed\xa0\x80\xc0\xaf", '"\\\n\x7f'])
            for begin in range(4):
                weir("run", "-q", "--report=" + file, "/bin/true", "x" * begin + "\u20ac" * 2000)
                with open(file, encoding="utf-8") as text:
                    self.assertRegex(json.load(text)["command"][1], "\\Ax*\u20ac{1361,1362}\\Z")

    def test_a_file_with_a_long_name_gets_that_name_and_no_other(self):
        with tempfile.TemporaryDirectory() as folder:
            deep = folder
            while len(deep) < 1500:
                deep = os.path.join(deep, "d" * 200)
            os.makedirs(deep)
            got = weir("run", f"--report={deep}/r.json", f"--trace={deep}/t.json", "/bin/true")
            self.assertEqual(sorted(os.listdir(deep)), ["r.json", "t.json"], got.stderr)
            beyond = folder + "/d" * 2100 + ".json"
            got = weir("run", "-q", f"--trace={beyond}", "/bin/echo", "ran")
            self.assertEqual(got.stdout, "ran\n")
            self.assertRegex(got.stderr, "\\Aweir: can't write the trace .*: File name too long; .*\n\\Z")
            self.assertEqual(len(os.listdir(folder)), 1)

    def test_a_report_is_written_by_who_wrote_over_the_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            weir("run", "--report=run.json", program("arguments"), env={"OVERWRITE": "1"}, cwd=folder)
            self.assertEqual(os.listdir(folder), ["run.json"])

    def test_what_is_left_behind_does_not_keep_the_reader_of_a_pipe_waiting(self):
        daemon = "import os, time\nif not os.fork():\n os.closerange(0, 3); time.sleep(20); os._exit(0)"
        began = time.monotonic()
        got = weir("run", sys.executable, "-c", daemon)
        self.assertLess(time.monotonic() - began, 15)
        self.assertEqual(got.stderr.count("\n"), 1, got.stderr)

    def test_a_variable_that_is_wrong_is_said_once(self):
        got = weir("run", "/bin/sh", "-c", "/bin/true; /bin/echo ran; :", env={"WEIR_PERMITS": "lots"})
        self.assertEqual(got.stdout, "ran\n")
        self.assertEqual(got.stderr.count("WEIR_PERMITS"), 1, got.stderr)

    def test_variables_and_words_that_nobody_reads_are_said_once(self):
        wrong = {"WEIR_LAEN": "park", "WEIR_DISABLE": "nowait,nosuch", "WEIR_DEBUG": "zzz"}
        got = weir("run", WEIR, "run", "/bin/echo", "ran", env=wrong)
        self.assertEqual(got.stdout, "ran\n")
        for word in ("WEIR_LAEN is no variable", "no 'nosuch'", "no 'zzz'"):
            self.assertEqual(got.stderr.count(word), 1, got.stderr)
        self.assertNotIn("'nowait'", got.stderr)
        self.assertEqual(weir("run", "-q", "/bin/echo", "ran", env=wrong).stderr, "")

    def test_numbers_out_of_range_are_said_with_their_range(self):
        got = weir("run", "/bin/true", env={"WEIR_STACK_KIB": "1"})
        self.assertIn("WEIR_STACK_KIB must be 0|64..1048576; its default, 0, holds", got.stderr)
        self.assertIn("0..4096", weir("run", "--permits=100000", "/bin/true").stderr)

    def test_a_named_libomp_goes_in_front_where_a_script_starts_the_program(self):
        named = weir("run", program("team")).stdout.split(" by ")[1].splitlines()[0]
        got = weir("run", "--libomp=" + named, "/bin/sh", "-c", program("team"))
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertIn("libomp", got.stdout)
        got = weir("run", "/bin/sh", "-c", program("team"), env={"NAP_MS": "1100"})
        self.assertIn("libgomp", got.stdout)
        self.assertIn("--libomp=FILE", got.stderr)


class Doctor(unittest.TestCase):
    def facts(self, *words, **how):
        got = weir("doctor", "--json", *words, **how)
        return got.returncode, json.loads(got.stdout)

    def test_machine(self):
        status, facts = self.facts()
        self.assertEqual(status, 0)
        self.assertGreaterEqual(facts["machine"]["cores"], 1)
        self.assertIn("io_uring", facts["machine"]["capabilities"])
        self.assertTrue(facts["machine"]["preload"].endswith("libweir_preload.so"))
        self.assertNotIn("program", facts)

    def test_openmp_program_gets_a_lane_and_reasons_by_name(self):
        status, facts = self.facts(program("team"))
        self.assertEqual(status, 0)
        self.assertEqual(facts["program"]["openmp"], "libgomp")
        self.assertIn("libomp", facts["program"]["openmp_in_front"])
        self.assertIn(facts["program"]["lane"], ("suspend", "park"))
        forced = self.facts(program("team"), env={"WEIR_LANE": "park"})[1]
        self.assertEqual(forced["program"]["lane"], "park")

    def test_names_are_listed(self):
        status, facts = self.facts(sys.executable)
        self.assertEqual(status, 0)
        names = {f["name"] for f in facts["program"]["findings"]} | {f["object"][:9] for f in facts["program"]["findings"]}
        self.assertTrue(names & {"pthread_self", "pthread_getspecific", "libpython"}, names)

    def test_no_ring_means_no_suspending(self):
        facts = self.facts(program("team"), env={"WEIR_DISABLE": "io_uring"})[1]
        self.assertFalse(facts["machine"]["capabilities"]["io_uring"]["have"])
        self.assertNotEqual(facts["program"]["lane"], "suspend")

    def test_static_script_and_missing(self):
        self.assertIn("statically", self.facts(program("arguments_static"))[1]["program"]["lane_reason"])
        with tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False) as script:
            script.write("#!/bin/sh\nexit 0\n")
        os.chmod(script.name, stat.S_IRWXU)
        self.assertEqual(self.facts(script.name)[1]["program"]["script"], "/bin/sh")
        os.unlink(script.name)
        status, facts = self.facts("weir-has-no-such-program")
        self.assertNotEqual(status, 0)
        self.assertIn("no such program", facts["program"]["trouble"])
        self.assertNotEqual(self.facts("/etc/passwd")[0], 0)

    def test_a_line_of_weir_run_can_be_pasted(self):
        for words in (["ls", "-l", "--no-such-option"], ["--lane=park", "-q", "--explain", "--report=/nonexistent/r", "--", program("team"), "x"]):
            got = self.facts(*words)
            self.assertEqual(got[0], 0)
        self.assertEqual((got[1]["program"]["lane"], got[1]["program"]["command"]), ("park", program("team")))

    def test_of_a_script_it_says_what_becomes_of_openmp_programs_in_it(self):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "script")
            with open(script, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{program('team')}\n")
            os.chmod(script, stat.S_IRWXU)
            self.assertIn("--libomp=FILE", self.facts(script)[1]["program"]["openmp_note"])
            self.assertNotIn("openmp_note", self.facts("--libomp=" + libomp(), script)[1]["program"])
            self.assertIn("/libgomp", weir("run", "-q", script).stdout)
            self.assertIn("libomp", weir("run", "-q", "--libomp=" + libomp(), script).stdout)

    def test_plain_words(self):
        got = weir("doctor", program("team"))
        self.assertEqual(got.returncode, 0)
        for word in ("io_uring", "libomp", "lane", "because"):
            self.assertIn(word, got.stdout)

    def test_wrong_options(self):
        self.assertEqual(weir("doctor", "--no-such-option").returncode, 2)


class Command(unittest.TestCase):
    def test_unknown_command(self):
        got = weir("rum")
        self.assertEqual(got.returncode, 2)
        self.assertIn("rum", got.stderr)

    def test_help_shows_every_setting(self):
        text = weir("help").stdout
        for name in ("WEIR_LANE", "--lane", "WEIR_FORCE", "--report", "--quiet", "--explain", "FILE.html", "%p", "%h", "125", "126", "127"):
            self.assertIn(name, text)
        self.assertIn("127", weir("run", "--help").stdout)

    def test_help_shows_each_command_as_it_shows_itself(self):
        text = " ".join(weir("help").stdout.split())
        for name in ("run", "doctor", "report", "compare", "top"):
            self.assertIn(weir(name, "--help").stdout.splitlines()[0] + " ", text)

    def test_version(self):
        self.assertRegex(weir("version").stdout, r"^weir \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
