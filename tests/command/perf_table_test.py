#!/usr/bin/env python3
"""evname report --stdio: perf's table. Expected lines: perf report --stdio -g none of perf 7.3; tests/data/report-lines.txt has
lines of whole recordings (perf_lines.py). Usage: perf_table_test.py EVNAME SOURCE_ROOT yes|no (has it elfutils?)"""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import perf_file
import perf_lines
from perf_lines import BRANCHES, CHAIN, IP, PERIOD, START, branches, descriptions, event, mappings, text

EVNAME, ROOT, HAS_SYMBOLS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
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

# The same of a recording with callchains.
CHAINS = [
    (["--no-children"], ["            ---0xffffffff872492e7",
                         "               0xffffffff87250890",
                         "               0xffffffff864a1fd2",
                         "               0xffffffff864ad534",
                         "               0xffffffff864b136d",
                         "               0xffffffff87237b41",
                         "               0xffffffff8600012f",
                         "               0x46a3f3",
                         "               |          ",
                         "               |--40.00%--0x401745"]),
    (["--no-children", "-g", "fractal"], ["               |--66.67%--0x401745",
                                          "               |          |          "]),
    (["--no-children", "-g", "flat,count"], ["           1", "                0xffffffff872492e7", "                0xffffffff87250890"]),
    (["-s", "dso"], ["            |--60.00%--0x401ab4", "            |          |          "]),
    (["-s", "dso", "-g", "graph,30,callee"], ["            |--60.00%--0xffffffff872492e7", "            |          0xffffffff87250890"]),
]


KERNEL, KERNEL_PART, USER_PART = 1, 2 ** 64 - 128, 2 ** 64 - 512


def sample(time, ip, period, id=1, tid=7, chain=None, mode=perf_lines.USER):
    body = struct.pack("<QQiiQQ", id, ip, 7, tid, time, period)
    if chain is not None:
        body += struct.pack(f"<{len(chain) + 1}Q", len(chain), *chain)
    return perf_file.record(9, body, mode)


def group_recording():
    """A group of two events and one more; threads that are made and renamed; losses; places without symbols and files."""
    fields = IP | PERIOD
    events = [event(fields), event(fields, 1), event(fields, 2, 1), event(fields, 0x11, 4)]
    data = mappings() + perf_file.record(7, struct.pack("<iiiiQ", 7, 7, 8, 7, 2) + perf_file.trailer(2, 7))
    for i in range(1000):
        data += sample(10 + i, START + i % 16, 3, 3, 7 + i % 2)
    for time, row in enumerate([(START + 4, 700, 1, 7), (START + 18, 200, 1, 8), (START + 0x500, 50, 1, 7), (0x900000, 30, 1, 8),
                                (START + 18, 900, 2, 7), (START + 4, 80, 2, 8), (0x900000, 20, 2, 7)], 2000):
        data += sample(time, *row)
    data += sample(3000, 0xffffffff81000010, 20, mode=KERNEL) + perf_file.comm(7, b"late", 3001) + sample(3002, START + 5, 10)
    for id, lost in ((1, 5), (3, 7), (1, 2)):
        data += perf_file.record(13, struct.pack("<Q", lost) + perf_file.trailer(3003, 7, id))
    features = [(3, text(b"host")), (4, text(b"6.1.0")), (6, text(b"x86_64")), (7, struct.pack("<II", 4, 2)),
                (12, descriptions(*zip(events, (b"cycles", b"instructions", b"page-faults", b"r11")))),
                (13, struct.pack("<I", 1) + text(b"0-1") + struct.pack("<I", 2) + text(b"0") + text(b"1") +
                 struct.pack("<8i", 0, 0, 1, 0, 0, 0, 0, 0)),
                (16, struct.pack("<II", 1, 4) + text(b"cpu")), (17, struct.pack("<I", 1) + text(b"{anon_group}") + struct.pack("<II", 0, 2)),
                (32, struct.pack("<II", 17, 1) + b"".join(struct.pack("<III", cpu, 1, 0) + text(b"PKG") + text(b"3") + text(b"0-1")
                                                          for cpu in range(2)))]
    return perf_file.file(data, events, features)


def chain_recording():
    fields = IP | PERIOD | CHAIN
    data = mappings() + sample(1, START + 18, 60, chain=(USER_PART, START + 18, START + 9, 0x900000))
    data += sample(2, START + 1, 30, chain=(USER_PART, START + 1)) + sample(3, START + 20, 10, chain=(USER_PART, START + 20, START + 9))
    return perf_file.file(data, [event(fields)], [(12, descriptions((event(fields), b"cycles")))])


def branch_recording():
    data = mappings() + perf_lines.sample(1, START + 19, branches((START + 4, START + 16, 2 | 5 << 4), (START + 17, START + 19, 1)))
    data += perf_lines.sample(2, START + 10, branches((START + 21, START + 9, 2 | 3 << 4)))
    events = [event(IP | BRANCHES, branch_type=1 << 3 | 1)]
    return perf_file.file(data, events, [(12, descriptions((events[0], b"cycles"))), (15, b"")])


def two_branches_recording():
    """Two events with branch stacks, one of them without a branch, and a third without samples."""
    events = [event(IP | BRANCHES, number, branch_type=1 << 3 | 1) for number in range(3)]
    data = mappings() + perf_lines.sample(1, START + 19, branches((START + 4, START + 16, 2 | 5 << 4), (START + 17, START + 19, 1)))
    data += perf_lines.sample(2, START + 10, branches((START + 21, START + 9, 2 | 3 << 4)), 2) + perf_lines.sample(3, START + 10, branches(), 2)
    return perf_file.file(data, events, [(12, descriptions(*zip(events, (b"cycles", b"instructions", b"branches")))), (15, b"")])


RECORDINGS = {"group": group_recording, "chains": chain_recording, "branches": branch_recording, "two_branches": two_branches_recording}
KEPT = ROOT / "tests/data/report-lines.txt"
ROWS = {
    "group": ["", "-s comm", "-s pid", "-s cpu,dso", "-s sym", "-s +cpu", "-n --show-total-period", "-F comm,overhead,sample",
              "-F +sample -s dso", "-F sym,overhead", "-F dso,sym,sample", "-F period,overhead -s comm,dso", "--showcpuutilization -s comm", "-t ; -s comm,dso", "-q -t , -F overhead,comm",
              "--percent-limit 30", "--hierarchy", "--hierarchy -n -s dso,sym", "--hierarchy --percent-limit 40 -s comm,dso,sym",
              "--hierarchy --percent-limit 97 -s comm,dso", "--stats", "--tasks",
              "--header-only", "--header-only -I", "--header -q -s dso"],
    "chains": ["", "--no-children", "--percent-limit 50", "-s dso", "-s comm", "-s sym --no-children -n", "--no-children --hierarchy -s comm,sym",
               "-F overhead_children,sym", "-s cpu,sym", "--percent-limit 65 -s sym"],
    "branches": ["", "-s comm", "-b -s cycles,comm", "-b -s mispredict,dso_to -n"],
    "two_branches": ["", "-b -n -s comm"],
}


def without_tip(lines):
    return "".join(line for line in lines.splitlines(keepends=True) if not line.startswith(("# (Tip", "# (Cannot")))


def run(*words, name=EVNAME, **how):
    return subprocess.run([name, *words], capture_output=True, text=True, timeout=60, env={**os.environ, "EVNAME_EVENTS": "", "TZ": "UTC"}, **how)


def table(*words):
    done = run("report", "--stdio", "-i", N1, *words)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


class Lines(unittest.TestCase):
    evname = EVNAME

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/app").write_bytes(perf_lines.elf())
        for name, make in RECORDINGS.items():
            (self.folder / name).write_bytes(make())
            os.utime(self.folder / name, (1_000_000_000, 1_000_000_000))

    @unittest.skipUnless(HAS_SYMBOLS == "yes", "this build has no elfutils")
    def test_tables_of_whole_recordings_are_those_of_perf(self):
        def words(name, options):
            return ["report", "--stdio", "-g", "none", "--symfs", self.folder, "-i", name, *options]
        perf_lines.compare(self, KEPT, ROWS, words, without_tip)

    # perf asks the open file, which is the one in a directory.
    def test_the_time_of_a_directory_is_that_of_its_data(self):
        place = self.folder / "directory"
        place.mkdir()
        (place / "data").write_bytes(perf_file.file(mappings(), features=[(perf_file.DIR_FORMAT, struct.pack("<Q", 1))]))
        os.utime(place / "data", (1_000_000_000, 1_000_000_000))
        head = run("report", "--stdio", "--header-only", "-i", str(place)).stdout
        self.assertIn("# captured on    : Sun Sep  9 01:46:40 2001\n", head)


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

    def test_callchains_are_below_rows(self):
        stacks = str(ROOT / "tests/data/deferred-switches.data")
        for options, expected in CHAINS:
            lines = run("report", "--stdio", "-q", *options, stacks).stdout.splitlines()
            at = lines.index(expected[0])
            self.assertEqual(lines[at:at + len(expected)], expected, options)
        self.assertNotIn("---", run("report", "--stdio", "-g", "none", stacks).stdout)
        levels, alone = (run("report", "--hierarchy", "-s", "comm,dso", *more, stacks).stdout for more in ([], ["--no-children"]))
        self.assertEqual(levels, alone)
        self.assertIn("no column Children", run("report", "--hierarchy", "--children", stacks).stderr)

    def test_rows_of_chosen_functions_and_files_keep_their_shares(self):
        rows = [row.split() for row in table("-q", "--no-children", "-s", "dso,sym")]
        for options, chosen in ((["-d", "busybox"], "busybox"), (["-d", "/usr/bin/busybox,x"], "busybox"), (["-S", "none"], "none"),
                                (["--symbol-filter", "152824"], "0x0000000000152824")):
            shown = [row.split() for row in table("-q", "--no-children", "-s", "dso,sym", *options)]
            self.assertEqual([row for row in shown if row], [row for row in rows if chosen in row], options)

    def test_threads_are_a_tree(self):
        lines = run("report", "--tasks", N1).stdout.splitlines()
        self.assertEqual(lines[0], "#      pid      tid     ppid  comm")
        self.assertEqual(lines[1], "         0        0       -1 |swapper")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "circle")
            path.write_bytes(perf_file.file(b"".join(perf_file.record(7, struct.pack("<iiiiQ", tid, by, tid, by, 1) + perf_file.trailer(1, by))
                                                     for tid, by in ((8, 7), (7, 8)))))
            lines = run("report", "--tasks", str(path)).stdout.splitlines()
        self.assertEqual(lines[2:], ["         7        7        8 | :7", "         8        8        7 |  :8"])

    def test_a_dump_ends_with_the_numbers_of_records(self):
        lines, counts = (run("report", option, N1).stdout.splitlines() for option in ("-D", "--stats"))
        self.assertEqual(lines[-len(counts):], counts)
        self.assertEqual(sum(": PERF_RECORD_SAMPLE(IP, 0x" in line for line in lines), 374)
        self.assertIn("0 0x368 [0x38]: PERF_RECORD_COMM: perf-exec:149/149", lines)

    def test_a_dump_of_a_pipe_does_so_too(self):
        events = [struct.pack("<Q", id) for id in (1, 2)]
        data = b"".join(perf_file.record(64, event(IP | PERIOD, number) + id) for number, id in enumerate(events))
        data += sample(1, START, 7) + sample(2, START, 7, 2) + sample(3, START, 7)
        done = subprocess.run([EVNAME, "report", "-D", "-i", "-"], capture_output=True, timeout=60,
                              input=b"PERFILE2" + struct.pack("<Q", 16) + data)
        self.assertEqual(done.stdout.decode().splitlines()[-8:],
                         ["Aggregated stats:",
                          "               TOTAL events:          5",
                          "              SAMPLE events:          3  (60.0%)",
                          "                ATTR events:          2  (40.0%)",
                          "cycles stats:", "              SAMPLE events:          2",
                          "instructions stats:", "              SAMPLE events:          1"], done.stderr)

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
