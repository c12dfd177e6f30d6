#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a build elsewhere, moves it, and uses it as a stranger would: install_test.py BUILD CONSUMER."""
import os
import subprocess
import sys
import tempfile
import unittest

BUILD, CONSUMER = (os.path.abspath(p) for p in sys.argv[1:3])


def run(*words, env=None, cwd=None):
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, **(env or {})}, cwd=cwd, timeout=200)
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def find(folder, name):
    for where, _, files in os.walk(folder):
        if name in files:
            return os.path.join(where, name)
    raise AssertionError(f"{name} was not installed")


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        first = os.path.join(cls.folder.name, "first")
        run("cmake", "--install", BUILD, "--prefix", first)
        cls.prefix = os.path.join(cls.folder.name, "moved")
        os.rename(first, cls.prefix)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_cmake_finds_it(self):
        build = os.path.join(self.folder.name, "with_cmake")
        run("cmake", "-S", CONSUMER, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        self.assertEqual(run(os.path.join(build, "consumer_c")), "C is served\n")
        self.assertEqual(run(os.path.join(build, "consumer_cpp")), "C++ is served\n")
        if self.has_adapter():
            self.assertEqual(run(os.path.join(build, "consumer_tbb")), "oneTBB is served\n")

    def has_adapter(self):
        return any("libweir_tbb.so" in files for _, _, files in os.walk(self.prefix))

    def serves(self, module, compiler, source, said):
        folder = os.path.dirname(find(self.prefix, "weir.pc"))
        flags = run("pkg-config", "--cflags", "--libs", module, env={"PKG_CONFIG_PATH": folder}).split()
        program = os.path.join(self.folder.name, module + "_with_" + compiler)
        run(compiler, os.path.join(CONSUMER, source), "-o", program, *flags)
        libraries = os.path.dirname(find(self.prefix, "libweir.so"))
        self.assertEqual(run(program, env={"LD_LIBRARY_PATH": libraries}), said)

    def test_pkg_config_finds_it(self):
        self.serves("weir", "cc", "consumer.c", "C is served\n")
        self.serves("weir", "c++", "consumer.cpp", "C++ is served\n")

    def test_pkg_config_finds_the_adapter(self):
        if not self.has_adapter():
            self.skipTest("it was built without oneTBB")
        self.serves("weir_tbb", "c++", "consumer_tbb.cpp", "oneTBB is served\n")

    def test_the_command_finds_its_library(self):
        weir = find(self.prefix, "weir")
        done = subprocess.run([weir, "run", "/bin/sh", "-c", "echo $LD_PRELOAD"], capture_output=True, text=True, timeout=60)
        self.assertEqual(os.path.realpath(done.stdout.strip()), os.path.realpath(find(self.prefix, "libweir_preload.so")))
        self.assertNotIn("without weir", done.stderr)

    def test_every_public_header_is_there(self):
        ours = os.path.join(CONSUMER, "..", "..", "..", "include", "weir")
        for where, _, files in os.walk(ours):
            for name in files:
                relative = os.path.relpath(os.path.join(where, name), ours)
                self.assertTrue(os.path.exists(os.path.join(self.prefix, "include", "weir", relative)), relative)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
