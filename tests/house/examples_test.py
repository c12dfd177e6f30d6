#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples_test CC SOURCE: the C examples of the reference pages compile, without a warning, as they stand."""
import re
import subprocess
import sys

compiler, root = sys.argv[1:]
BEFORE = """#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <weir/weir.h>
"""


def compiles(text):
    command = [compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{root}/include", "-x", "c", "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True).stderr


def examples(page, whole):
    """Each is a program, or, where `whole` is not set, statements within a function that has a descriptor."""
    with open(f"{root}/docs/{page}") as file:
        found = re.findall(r"^```c\n(.*?)^```", file.read(), re.M | re.S)
    for text in found:
        if "int main(" in text:
            yield text
        elif not whole:
            yield BEFORE + "int example(int fd);\nint example(int fd) {\n" + text + "return fd;\n}\n"


count = 0
for page, whole in (("weir-h.md", False), ("iopa.md", True)):
    for text in examples(page, whole):
        count += 1
        complaint = compiles(text)
        assert not complaint, f"{page}:\n{text}\n{complaint}"
# Not one of its calls without an example.
with open(f"{root}/include/weir/weir.h") as header, open(f"{root}/docs/weir-h.md") as page:
    text = page.read()
    shown = "".join(re.findall(r"^```c\n(.*?)^```", text, re.M | re.S))
    for name in re.findall(r"^[a-z].*?\b(weir_[a-z_]+)\(", header.read(), re.M):
        assert f"{name}(" in shown, f"weir-h.md has no example of {name}"
assert count >= 10, count
assert compiles("int main(void) { return nothing; }"), "whatever one writes compiles"
