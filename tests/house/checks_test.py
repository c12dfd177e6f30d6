#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checks of scripts/ have to fail when there is something to find: checks_test.py ROOT BUILD."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, BUILD = (os.path.abspath(p) for p in sys.argv[1:3])
TABLE = """## Rooms
| room | may include | what for |
|---|---|---|
| include/weir | | |
| plugin/base | | |
| plugin/sys | base | |
"""


def check(name, *words):
    done = subprocess.run([os.path.join(ROOT, "scripts", name), *words], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout


class Arrows(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.write("docs/architecture.md", TABLE)
        self.write("plugin/base/clock.h", "#include <cstdint>\n")
        self.write("plugin/sys/raw.h", '#include "base/clock.h"\n')

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def test_an_allowed_arrow_passes(self):
        self.assertEqual(check("check-arrows", self.folder.name)[0], 0)

    def test_an_arrow_that_is_not_in_the_table_fails(self):
        self.write("plugin/base/clock.cpp", '#include "sys/raw.h"\n')
        status, text = check("check-arrows", self.folder.name)
        self.assertEqual(status, 1)
        self.assertIn("plugin/base/clock.cpp:1: plugin/base may not include plugin/sys", text)

    def test_a_file_in_no_room_fails(self):
        self.write("plugin/utils/text.h", "\n")
        self.assertEqual(check("check-arrows", self.folder.name)[0], 1)

    def test_a_header_of_ours_in_apps_fails(self):
        self.write("apps/demo/main.cpp", '#include "base/clock.h"\n')
        self.assertEqual(check("check-arrows", self.folder.name)[0], 1)

    def test_a_library_of_another_room_fails(self):
        self.write("plugin/sys/ring.h", "#include <liburing.h>\n")
        self.assertEqual(check("check-arrows", self.folder.name)[0], 1)


class Tests(unittest.TestCase):
    def test_a_test_nobody_registered_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "tests", "unit"))
            with open(os.path.join(folder, "tests", "CMakeLists.txt"), "w", encoding="utf-8") as file:
                file.write("add_executable(known unit/known_test.cpp)\n")
            shutil.copy(__file__, os.path.join(folder, "tests", "unit", "known_test.cpp"))
            self.assertEqual(check("check-tests", BUILD, folder)[0], 0)
            shutil.copy(__file__, os.path.join(folder, "tests", "unit", "unknown_test.cpp"))
            status, text = check("check-tests", BUILD, folder)
            self.assertEqual(status, 1)
            self.assertIn("unknown_test.cpp", text)


class Reasons(unittest.TestCase):
    FILES = {"plugin/meter/reason.cpp": '    {"none", "nothing"},\n    {"cap", "x"},\n', "docs/report.md": "## Reasons\n| `none` | |\n| `cap` | |\n",
             "plugin/cli/report/advice.cpp": '    {"cap", "x",\n'}

    def checked(self, **changes):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in self.FILES.items():
                os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(changes.get(os.path.basename(name).split(".")[0], text))
            return check("check-reasons", folder)

    def test_the_same_reasons_pass_and_others_fail(self):
        self.assertEqual(self.checked()[0], 0)
        for changes, said in (({"report": "| `none` | |\n"}, "no reason cap"), ({"reason": '    {"none", ""},\n'}, "cap that nobody gives"),
                              ({"report": "| `cap` | |\n| `none` | |\n"}, "another order"), ({"advice": ""}, "no words for cap")):
            status, text = self.checked(**changes)
            self.assertEqual(status, 1, changes)
            self.assertIn(said, text)


class Exports(unittest.TestCase):
    def build(self, folder, preload="", engine="", libraries=()):
        os.makedirs(os.path.join(folder, "lib"))
        for name, source in (("libweir.so", engine), ("libweir_preload.so", preload)):
            subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", os.path.join(folder, "lib", name),
                            "-Wl,--no-as-needed", *libraries], input=source.encode(), check=True)

    def test_missing_names_self_interposition_and_libraries_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            self.build(folder, preload="int not_listed;", libraries=["-lm"],
                       engine="long read(int, void *, long); long weir_read(int f) { return read(f, 0, 0); }")
            status, text = check("check-exports", folder)
        self.assertEqual(status, 1)
        self.assertIn("libweir_preload.so exports not_listed", text)
        self.assertIn("libweir_preload.so does not export read,", text)
        self.assertIn("libweir.so calls read,", text)
        self.assertIn("libweir.so needs libm.so.6", text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
