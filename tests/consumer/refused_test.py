#!/usr/bin/env python3
"""Compilers refuse the lines of refused.cpp, with a reason. Usage: refused_test.py SOURCE BUILD, which has compiled
natural_lines."""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

SOURCE, BUILD = [pathlib.Path(argument).resolve() for argument in sys.argv[1:3]]
WORDS = {"deleted": "deleted|no matching"}


def compile_command():
    """The command that compiled natural_lines, without its files."""
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    command = next(shlex.split(one["command"]) for one in entries if "natural-lines.p" in one["output"])
    for option in ("-o", "-c", "-MF", "-MQ"):
        if option in command:
            at = command.index(option)
            del command[at:at + 2]
    return [word for word in command if word != "-MD"] + ["-fsyntax-only", "-Werror=unused-result", "-fdiagnostics-color=never"]


class Lines(unittest.TestCase):
    def compiled(self, *options):
        run = subprocess.run([*compile_command(), *options, SOURCE], cwd=BUILD, capture_output=True, text=True,
                             env={"LC_ALL": "C", "PATH": "/usr/local/bin:/usr/bin:/bin"})
        return run.returncode, run.stderr

    def test_the_rest_compiles(self):
        self.assertEqual(self.compiled(), (0, ""))

    def test_each_is_refused_for_its_reason(self):
        lines = enumerate(SOURCE.read_text().splitlines(), 1)
        reasons = {number: found[1] for number, line in lines if (found := re.search(r"; *// ([\w |]+)", line))}
        self.assertGreater(len(reasons), 8)
        status, output = self.compiled("-DREFUSED", "-ferror-limit=0" if "clang" in compile_command()[0] else "-fmax-errors=0")
        self.assertNotEqual(status, 0)
        at = {int(line) for line in re.findall(re.escape(SOURCE.name) + r":(\d+):\d+: (?:error|note|  required)", output)}
        for number, reason in reasons.items():
            with self.subTest(line=number):
                self.assertIn(number, at, output)
                self.assertRegex(output, rf"{SOURCE.name}:{number}:[^\n]*(?:{WORDS.get(reason, reason)}|required from here|instantiation)")


class Standards(unittest.TestCase):
    """With an older standard of C++, the first error of each header is a sentence; those for C compile."""
    HEADERS = SOURCE.parents[2] / "runtime" / "include" / "evname"

    def errors(self, header, standard, *options):
        command = [re.sub(r"^-std=.*", f"-std={standard}", word) for word in compile_command()]
        run = subprocess.run([*command, *options, "-xc++", "-"], input=f"#include <evname/{header}>\n", cwd=BUILD, capture_output=True,
                             text=True, env={"LC_ALL": "C", "PATH": "/usr/local/bin:/usr/bin:/bin"})
        return [line for line in run.stderr.splitlines() if "error:" in line or "warning:" in line]

    def test_headers_of_cpp_ask_for_cpp20(self):
        for path in sorted(self.HEADERS.glob("*.hpp")):
            with self.subTest(header=path.name):
                self.assertRegex(self.errors(path.name, "c++17", "-E")[0], r"/error\.hpp:\d+:\d+: error: .*C\+\+ headers need C\+\+20")
                self.assertEqual(self.errors(path.name, "c++20", "-E"), [])

    def test_headers_of_c_compile_as_cpp11(self):
        for path in sorted(self.HEADERS.glob("*.h")):
            with self.subTest(header=path.name):
                self.assertEqual(self.errors(path.name, "c++11"), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
