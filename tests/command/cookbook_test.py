#!/usr/bin/env python3
"""The commands of docs/cookbook.md print what it says. Usage: cookbook_test.py EVNAME SOURCE_ROOT

A block ```console has commands after "$ " (a here-document runs on to its END) and what they print. "…" stands for
any text, alone in a line for any lines; a command without output there may print nothing but must succeed."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

EVNAME, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
TEXT = (ROOT / "docs" / "cookbook.md").read_text()
TASKS = 11


def tasks():
    """The headings, each with its commands and what they print."""
    for section in re.split(r"^## ", TEXT, flags=re.M)[1:]:
        blocks = re.findall(r"^```console\n(.*?)^```$", section, re.M | re.S)
        yield section.splitlines()[0], [pair for block in blocks for pair in commands(block)]


def commands(block):
    lines = block.splitlines()
    while lines:
        command = lines.pop(0).removeprefix("$ ")
        if "<<'END'" in command:
            end = lines.index("END") + 1
            command, lines = "\n".join([command, *lines[:end]]), lines[end:]
        output = []
        while lines and not lines[0].startswith("$ "):
            output.append(lines.pop(0))
        yield command, output


def pattern_of(output):
    """A regular expression for what is printed."""
    def of_line(line):
        return "(?:.*\n)*" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + "\n"
    return "".join(map(of_line, output))


class Cookbook(unittest.TestCase):
    def test_there_are_eleven_tasks_with_commands(self):
        found = list(tasks())
        self.assertEqual(len(found), TASKS)
        self.assertEqual([name for name, pairs in found if not any("evname" in command for command, _ in pairs)], [])

    def test_a_pattern_tells_apart(self):
        self.assertTrue(re.fullmatch(pattern_of(["a …", "…", "d"]), "a b\nc\nc\nd\n"))
        self.assertFalse(re.fullmatch(pattern_of(["a …", "d"]), "a b\nc\nd\n"))
        self.assertFalse(re.fullmatch(pattern_of(["a.c"]), "abc\n"))

    def test_each_command_prints_what_the_page_says(self):
        with tempfile.TemporaryDirectory() as folder:
            (bin_dir := pathlib.Path(folder, "bin")).mkdir()
            (bin_dir / "evname").symlink_to(EVNAME)
            for recording in (ROOT / "tests" / "data").glob("*.data"):
                shutil.copy(recording, folder)
            path = f"{bin_dir}{os.pathsep}{os.environ['PATH']}"
            for task, pairs in tasks():
                for command, output in pairs:
                    with self.subTest(task=task, command=command):
                        self.check(command, output, folder, path)

    def check(self, command, output, folder, path):
        if command.startswith("cc ") and not shutil.which("cc"):
            self.skipTest("there is no cc")
        done = subprocess.run(["sh", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              encoding="utf-8", env={**os.environ, "PATH": path})
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"\A" + pattern_of(output) + r"\Z")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
