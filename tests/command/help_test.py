#!/usr/bin/env python3
"""Help and manual pages, of every subcommand. Usage: help_test.py EVNAME SOURCE_ROOT"""

import contextlib
import fcntl
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import termios
import unittest

import terminals

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
# These are all subcommands: the build makes manual pages from the same lines.
SUBCOMMANDS = [name.replace("_", "-") for name in
               re.findall(r"^void add_(\w+)\(", (ROOT / "tools/subcommands.hpp").read_text(), re.M)]
EXIT_CODES = ("0", "1", "2")


def run(*arguments):
    return subprocess.run([EVNAME, *arguments], capture_output=True, encoding="utf-8", check=True).stdout


def paragraphs(text):
    return text.rstrip("\n").split("\n\n")


class Help(unittest.TestCase):
    def test_the_top_lists_every_subcommand_and_the_exit_codes(self):
        listed = re.search(r"^(?:Subcommands|SUBCOMMANDS):\n(.*?)\n\n", run("--help"), re.S | re.M).group(1)
        names = [line.split()[0] for line in listed.splitlines() if re.match(r" +[\w-]+ +\S", line) and line[2] != " "]
        self.assertEqual(sorted(names), sorted(SUBCOMMANDS))
        codes = re.search(r"^Exit codes:\n(.*?)\n\n", run("--help"), re.S | re.M).group(1)
        self.assertEqual(tuple(line.split()[0] for line in codes.splitlines()), EXIT_CODES)

    def test_each_ends_with_examples_of_itself(self):
        for name in SUBCOMMANDS:
            with self.subTest(name):
                last = paragraphs(run(name, "--help"))[-1].splitlines()
                self.assertRegex(last[0], "^Examples?:$")
                commands = [line.strip() for line in last[1:] if not line.strip().startswith("#")]
                self.assertTrue(commands)
                for line in commands:
                    self.assertIn(f"evname {name} ", line + " ")
                    shlex.split(line)  # quotes are closed

    def test_each_with_json_names_its_keys(self):
        for name in SUBCOMMANDS:
            with self.subTest(name):
                text = run(name, "--help")
                if "--json" in text.split("Keys of --json")[0]:
                    self.assertRegex(text, r"(?m)^Keys of --json: \S")

    def test_each_option_that_is_shown_has_a_description(self):
        for name in SUBCOMMANDS:
            lines = run(name, "--help").splitlines()
            for line, following in zip(lines, lines[1:] + [""]):
                if re.match(r"  -", line):
                    words = line.strip().split("  ", 1)[1:] or [following if following.startswith(" " * 10) else ""]
                    self.assertTrue(words[0].strip(), f"{name}: {line}")

    def test_lines_have_at_most_100_columns(self):
        for name in ([], *([one] for one in SUBCOMMANDS)):
            for line in run(*name, "--help").splitlines():
                if "|" not in line:  # lists of values have no blank to break at
                    self.assertLessEqual(len(line), 100, f"{name}: {line}")

    def test_lines_fit_the_terminal(self):
        for columns, most in ((60, 60), (80, 80), (300, 100)):
            for name in ("record", "stat", "inject"):
                main, terminal = terminals.open_terminal()
                fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
                subprocess.run([EVNAME, name, "--help"], stdout=terminal, check=True)
                os.close(terminal)
                text = b""
                with contextlib.suppress(OSError), open(main, "rb", buffering=0) as output:  # EIO: all is read
                    while piece := output.read(1 << 16):
                        text += piece
                lines = text.decode().replace("\r", "").partition("\nExample")[0].splitlines()
                lengths = [len(line) for line in lines if "|" not in line]
                self.assertTrue(most - 15 < max(lengths) <= most, f"{name}: {max(lengths)} of {columns}")

    def test_options_come_in_groups(self):
        headings = {"record": ["What to sample", "Whom to sample", "What to record", "How to record", "Output", "Other options"],
                    "stat": ["What to count", "Whom to count", "How to add up", "When to count", "Output", "Other options"], "inject": ["Options"]}
        for name, expected in headings.items():
            text = run(name, "--help")
            found = re.findall(r"(?m)^(\w[\w ]+):\n  -", text)
            self.assertEqual(found, expected)
            sections = re.findall(r"(?m)^\.SS (.*)", run("help", "--man", name))
            self.assertEqual(sections, expected if len(expected) > 1 else [])
        whom = run("record", "--help").split("Whom to sample:\n")[1].split("\n\n")[0]
        self.assertEqual(re.findall(r"(?m)^  (-\w|--[\w-]+)", whom), ["-a", "-C", "-p", "-t", "-u", "-G", "-i", "--per-thread"])

    def test_usages_have_the_command_that_is_run(self):
        for name in SUBCOMMANDS:
            usage = run(name, "--help").splitlines()[1:3]
            self.assertEqual("[-- COMMAND [ARGUMENT...]]" in " ".join(usage), name in ("record", "stat", "topdown"), name)

    def test_help_is_the_same_either_way(self):
        self.assertEqual(run("help"), run("--help"))
        for name in [*SUBCOMMANDS, "help"]:
            with self.subTest(name):
                self.assertEqual(run("help", name), run(name, "--help"))

    def test_help_for_what_there_is_not_names_the_nearest(self):
        out = subprocess.run([EVNAME, "help", "lst"], capture_output=True, encoding="utf-8")
        self.assertEqual((out.returncode, out.stdout), (2, ""))
        self.assertIn("no subcommand 'lst' (did you mean list?)", out.stderr)
        for word, told in (("reprot", "no subcommand 'reprot' (did you mean report?)"), ("none.data", "'none.data' is neither a subcommand nor a recording")):
            out = subprocess.run([EVNAME, word], capture_output=True, encoding="utf-8")
            self.assertEqual((out.returncode, out.stdout), (2, ""))
            self.assertIn(told, out.stderr)

    def test_the_top_has_examples_of_several(self):
        lines = run("--help").split("\nExamples:\n")[1].split("\n\n")[0].splitlines()
        commands = [line.split()[1] for line in lines if not line.strip().startswith("#")]
        self.assertGreater(len(set(commands) & set(SUBCOMMANDS)), 3)

    def test_no_word_of_the_parser_is_shown(self):
        for name in ([], *([one] for one in SUBCOMMANDS)):
            self.assertNotRegex(run(*name, "--help"), r"ENUM|TEXT:|UINT|INT in|value in|Excludes:|REQUIRED|Positionals|:\{", name)


class Manual(unittest.TestCase):
    def pages(self):
        return {name: run("help", "--man", *name) for name in [(), *((one,) for one in SUBCOMMANDS)]}

    def test_groff_and_man_have_nothing_to_complain_of(self):
        checks = [["groff", "-ww", "-man", "-Tutf8", "-z"], ["groff", "-ww", "-man", "-Tascii", "-z"],
                  ["man", "--warnings", "-l", "-"]]
        for check in checks:
            if shutil.which(check[0]) is None:
                self.skipTest(f"no {check[0]}")
            for name, page in self.pages().items():
                out = subprocess.run(check, input=page, capture_output=True, encoding="utf-8")
                self.assertEqual((out.returncode, out.stderr), (0, ""), f"{check[0]} {name}")

    def test_each_has_the_sections_of_a_command(self):
        for name, page in self.pages().items():
            wanted = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "ENVIRONMENT", "EXIT STATUS", "SEE ALSO"]
            sections = [line[4:] for line in page.splitlines() if line.startswith(".SH ")]
            self.assertEqual([one for one in wanted if one not in sections], [], name)
            self.assertTrue(page.startswith(".TH " + "-".join(["EVNAME", *name]).upper().replace("-", "\\-"))
                            or page.startswith(".TH " + "-".join(["EVNAME", *name]).upper()), name)

    def test_every_option_of_the_help_is_in_the_page(self):
        for name in SUBCOMMANDS:
            page = run("help", "--man", name).replace("\\-", "-")
            for option in re.findall(r"(?m)^  (?:-\w,\s*)?(--[\w-]+)", run(name, "--help")):
                self.assertIn(option, page, name)

    def test_examples_read_as_they_are_typed(self):
        if shutil.which("groff") is None:
            self.skipTest("no groff")
        for name in SUBCOMMANDS:
            shown = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou", "-rLL=200n"], check=True,
                                   input=run("help", "--man", name), capture_output=True, encoding="utf-8").stdout
            examples = paragraphs(run(name, "--help"))[-1].splitlines()[1:]
            for line in examples:
                if not line.strip().startswith("#"):
                    self.assertIn(line.strip(), shown, name)

    def test_no_page_for_what_is_no_subcommand(self):
        out = subprocess.run([EVNAME, "help", "--man", "nonsense"], capture_output=True)
        self.assertEqual((out.returncode, out.stdout), (2, b""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
