#!/usr/bin/env python3
"""`.ci/phrases.py`, which `.ci/lint` runs, finds phrases that readers have to read twice, and leaves plain ones alone.
Arguments: the source root."""

import pathlib
import runpy
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
PHRASES = runpy.run_path(str(ROOT / ".ci/phrases.py"))

# A file's name, its text, and the lines with the phrases that are found there.
CASES = [
    ("a.md", "The names are those of perf.\n", [(1, "those of")]),
    ("a.md", "The status is that\nof the command.\n", [(1, "that of")]),
    ("a.md", "Files, of which some\nare packed, in\n  which\nnames stand.\n", [(1, "of which"), (2, "in which")]),
    ("a.md", "- What was lost is reported.\n", [(1, "What was lost is reported.")]),
    ("a.md", "| What it\n  has |\n", [(1, "What it has |")]),
    ("a.md", "This is not unusual, and not without cost.\n", [(1, "not unusual"), (1, "not without")]),
    ("a.md", "Nobody who reads it does not laugh.\n", [(1, "Nobody who reads it does not")]),
    ("a.cpp", "int a;  // evname is told the PMU by which\n", [(1, "by which"), (1, "is told")]),
    ("a.cpp", "/// The first line.\n/// Those\n/// of the others.\n", [(2, "Those of")]),
    ("a.hpp", "/* A code for which\n * no name is there */\n", [(1, "for which")]),
    ("a.cpp", 'print("those of " "perf");\n', [(1, "those of")]),
    ("a.py", '"""One.\n\nWhat it reads is text."""\n', [(3, "What it reads is text.")]),
    ("run", "# The file that of the two is newer\n", [(1, "that of")]),
    # Plain sentences, questions, titles, code.
    ("a.md", "# What is sampled\nWhat is a PMU? It counts events, not until then.\n", []),
    ("a.md", "The check finds `those of` and\n```\nin which\n```\n", []),
    ("a.md", "It ends with that.\n\nOf the others, none is read.\n", []),
    ("a.md", "[A page](in which.md) says how boxes are told\napart.\n", []),
    ("a.py", '"""None if it is not known."""\n', []),
    ("a.py", "if not under: that = of\n", []),
    ("a.cpp", "auto those_of = that, of;\n", []),
]
DIFF = """--- a/a.md
+++ b/a.md
@@ -3,0 +4,2 @@ title
+one
+two
@@ -9 +11 @@
-gone
+new
@@ -20,2 +22,0 @@
-gone
-gone
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-gone
"""


class Phrases(unittest.TestCase):
    def test_finds_phrases(self):
        for name, text, expected in CASES:
            with self.subTest(text):
                found = sorted((line, phrase) for line, phrase, _ in PHRASES["findings"](name, text))
                self.assertEqual(found, sorted(expected))

    def test_looks_at_lines_that_were_added(self):
        self.assertEqual(PHRASES["added_lines"](DIFF), {"a.md": {4, 5, 11}})
        text = "those of\nplain\nthose\nof\n"
        for lines, expected in (({1}, [1]), ({2}, []), ({4}, [3])):
            with self.subTest(lines):
                self.assertEqual([line for line, *_ in PHRASES["findings"]("a.md", text, lines)], expected)


unittest.main()
