#!/usr/bin/env python3
"""evname report --stdio: perf's table. Expected lines: perf report --stdio -g none of perf 7.3, without symbols. Usage:
perf_table_test.py EVNAME SOURCE_ROOT"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
N1 = str(ROOT / "tests/data/neoverse-n1.data")
PAGES = "# Samples: 16  of event 'page-faults'"

# Options, and lines that perf prints one after the other.
TABLES = [
    (["--no-children"], ["# Overhead  Command  Shared Object      Symbol                ",
                         "# ........  .......  .................  ......................", "#",
                         "     2.09%  md5sum   busybox            [.] 0x0000000000152824",
                         "     1.67%  md5sum   busybox            [.] 0x0000000000152884"]),
    (["-q", "--no-children", "-s", "pid", "-n"], ["    99.58%           238      149:md5sum ", "     0.42%             1      151:ls     "]),
    (["--no-children", "--hierarchy", "-s", "comm,dso", "--percent-limit", "10"],
     ["    89.54%     md5sum ", "       82.85%     busybox          ", "    10.04%     sh     ", "                  no entry >= 10.00%"]),
    (["-q", "-t,", "-F", "overhead,sample,comm"], [" 89.54% , 214        ,md5sum ", " 10.04% , 24         ,sh     "]),
    (["--no-children", "-s", "comm", "--show-total-period"], ["# Overhead        Period  Command",
                                                              "# ........  ............  .......", "#"]),
]


def run(*words, name=EVNAME, **how):
    return subprocess.run([name, *words], capture_output=True, text=True, timeout=60, env={**os.environ, "EVNAME_EVENTS": ""}, **how)


def table(*words):
    done = run("report", "--stdio", "-i", N1, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


class Table(unittest.TestCase):
    def test_lines_are_those_of_perf(self):
        for options, expected in TABLES:
            with self.subTest(options):
                lines = table(*options)
                at = lines.index(expected[0])
                self.assertEqual(lines[at:at + len(expected)], expected)

    def test_events_have_names(self):
        self.assertIn(PAGES, table("-s", "comm"))

    def test_events_of_two_recordings_have_their_own_tables(self):
        both = table("-s", "comm", str(ROOT / "tests/data/cortex-a72-system.data"))
        heads = [line for line in both if line.startswith("# Samples")]
        self.assertEqual(len(heads), len(set(heads)))
        self.assertIn("# Samples: 239  of event 'cpu_cycles'", heads)
        self.assertGreater(len(heads), sum(line.startswith("# Samples") for line in table("-s", "comm")))

    def test_the_order_is_of_the_keys_if_fields_say_so(self):
        rows = [line.split() for line in table("-q", "-F", "comm,overhead")]
        self.assertEqual([row[0] for row in rows if row][:3], ["ls", "md5sum", "sh"])

    def test_an_option_of_the_table_selects_it(self):
        for option in (["--hierarchy"], ["-F", "comm"], ["-t", ";"], ["--percent-limit", "3"], ["--showcpuutilization"]):
            self.assertEqual(run("report", N1, *option).stdout, "\n".join(table(*option)) + "\n", option)

    def test_other_tables_are_refused(self):
        for option in ("--json", "--csv", "--mem", "--instructions", "--top=3"):
            done = run("report", N1, "--stdio", option)
            self.assertEqual((done.returncode, "--stdio is perf's table" in done.stderr), (2, True), option)
        self.assertIn("'x' is not a percentage", run("report", N1, "--percent-limit", "x").stderr)
        self.assertIn("no key 'nothing'", run("report", N1, "--stdio", "-s", "nothing").stderr)

    def test_callchains_are_noted(self):
        stacks = str(ROOT / "tests/data/off-cpu.data")
        self.assertIn("rows have no callchains below them", run("report", "--stdio", stacks).stderr)
        self.assertNotIn("callchains", run("report", "--stdio", "-g", "none", stacks).stderr)

    def test_threads_are_a_tree(self):
        lines = run("report", "--tasks", N1).stdout.splitlines()
        self.assertEqual(lines[0], "#      pid      tid     ppid  comm")
        self.assertEqual(lines[1], "         0        0       -1 |swapper")

    def test_a_dump_ends_with_the_numbers_of_records(self):
        lines, counts = (run("report", option, N1).stdout.splitlines() for option in ("-D", "--stats"))
        self.assertEqual(lines[-len(counts):], counts)
        self.assertEqual(sum(": PERF_RECORD_SAMPLE(IP, 0x" in line for line in lines), 374)
        self.assertIn("0 0x368 [0x38]: PERF_RECORD_COMM: perf-exec:149/149", lines)

    def test_records_are_counted(self):
        lines = run("report", "--stats", N1).stdout.splitlines()
        self.assertEqual(lines[1], "Aggregated stats:")
        self.assertTrue(any(line.startswith("              SAMPLE events:        374  (") for line in lines), lines)


class Link(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.perf = pathlib.Path(self.folder.name, "perf")
        self.perf.symlink_to(pathlib.Path(EVNAME).resolve())

    def test_report_prints_perfs_table(self):
        self.assertEqual(run("report", "-i", N1, name=self.perf).stdout, run("report", "--stdio", "-i", N1).stdout)

    def test_a_recording_need_not_be_named(self):
        pathlib.Path(self.folder.name, "perf.data").write_bytes(pathlib.Path(N1).read_bytes())
        for words in (["-s", "comm"], ["--tasks"]):
            self.assertEqual(run("report", *words, name=self.perf, cwd=self.folder.name, stdin=subprocess.DEVNULL).stdout,
                             run("report", "--stdio", *words, "-i", N1).stdout)

    def test_what_answers_other_subcommands_is_told(self):
        for word, own in (("annotate", "evname report --instructions"), ("evlist", "evname info"), ("diff", "evname report --diff")):
            done = run(word, name=self.perf)
            self.assertEqual((done.returncode, f"; type {own}" in done.stderr), (2, True), word)
        self.assertTrue(run("kvm", name=self.perf).stderr.endswith("stat and buildid-list\n"))


unittest.main(argv=sys.argv[:1])
