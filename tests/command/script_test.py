#!/usr/bin/env python3
"""The options and fields of evname script, whose lines are perf 7.3's: tests/data/script-lines.txt has them (perf_lines.py).
Arguments: the evname command, the source root; then "yes" if that has elfutils, and its decoder of instructions."""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import perf_file  # noqa: E402
import perf_lines  # noqa: E402
from perf_lines import BRANCHES, CHAIN, IP, START, USER, branches, descriptions, elf, event, mappings, sample, text  # noqa: E402

EVNAME = os.path.abspath(sys.argv.pop(1))
HAS_SYMBOLS, DECODER = sys.argv.pop(2), sys.argv.pop(2)
KEPT = pathlib.Path(sys.argv.pop(1)) / "tests/data/script-lines.txt"
ADDR, RAW = 8, 1 << 10
USER_PART, KERNEL = 2 ** 64 - 512, 0xffffffff81000000


def branch_recording():
    predicted, missed = 2 | 5 << 4, 1 | 3 << 4
    stack = branches((START + 4, START + 16, predicted), (START + 17, START + 19, predicted),
                     (START + 0x500, START, missed), (0x900000, START + 0x4f0, predicted))
    more = branches((START + 21, START + 9, missed))
    data = mappings() + sample(1_000_000_000, START + 19, stack) + sample(1_500_000_700, START + 10, more)
    return perf_file.file(data, [event(IP | BRANCHES, branch_type=1 << 3 | 1)])


def rare_branch_recording():
    """An aborted transaction; samples before the newest branch's target and at its source; entries of the kernel that were filtered."""
    taken, aborted = 2, 2 | 8
    stacks = [(START + 19, [(START + 4, START + 16, aborted), (START + 17, START + 19, taken)]), (START + 10, [(START + 4, START + 16, taken)]),
              (START + 19, [(START + 19, START + 16, taken), (START + 4, START + 16, taken)]),
              (START + 19, [(START + 17, START + 19, taken), (KERNEL + 0x90, START + 16, taken), (START + 4, START + 16, taken)]),
              (START + 19, [(START + 17, START + 19, taken), (START + 4, START + 16, taken), (KERNEL + 0x90, START, taken)])]
    data = mappings() + b"".join(sample(10 ** 9 * (i + 1), ip, branches(*rows)) for i, (ip, rows) in enumerate(stacks))
    return perf_file.file(data, [event(IP | BRANCHES, branch_type=1 << 3 | 1)])


def piped_recording():
    """Features as records, and an event that only counts."""
    def feature(number, content):
        return perf_file.record(80, struct.pack("<Q", number) + content + bytes(-len(content) % 8))

    events = [event(IP | CHAIN), event(IP | CHAIN, 1), perf_file.attr(1, 1, 0)]
    features = [(3, text(b"host")), (4, text(b"6.1.0")), (6, text(b"x86_64")), (7, struct.pack("<II", 2, 2)),
                (12, descriptions(*zip(events, (b"cycles", b"instructions", b"task-clock")))),
                (13, struct.pack("<I", 1) + text(b"0-1") + struct.pack("<I", 2) + text(b"0") + text(b"1") +
                 struct.pack("<4iI", 0, 0, 1, 0, 1) + text(b"0-1") + struct.pack("<2i", 0, 0))]
    samples = [sample(10 ** 9 * number, START + 18, struct.pack("<QQQ", 2, USER_PART, START + 18), number) for number in (1, 2)]
    return perf_file.pipe(b"".join(feature(*one) for one in features) + mappings() + b"".join(samples), events)


def chain_recording():
    def chain(*rows):
        return struct.pack("<Q", len(rows)) + b"".join(struct.pack("<Q", row) for row in rows)

    data = mappings() + sample(1_000_000_000, START + 18, chain(USER_PART, START + 18, START + 9, 0x900000))
    data += sample(1_000_000_300, START + 1, chain(USER_PART, START + 1), 2, 8)
    data += sample(2_500_000_000, START + 18, chain(USER_PART, START + 18, START + 9, 0x900000))
    features = [(3, text(b"host")), (4, text(b"6.1.0")), (5, text(b"6.1.1")), (6, text(b"x86_64")), (7, struct.pack("<II", 4, 2)),
                (10, struct.pack("<Q", 1234)), (11, struct.pack("<I", 2) + text(b"perf") + text(b"it's")),
                (12, descriptions((event(IP | CHAIN), b"cycles"), (event(IP | CHAIN, 1), b"instructions"))),
                (14, struct.pack("<IIQQ", 1, 0, 100, 50) + text(b"0-3")), (16, struct.pack("<II", 1, 4) + text(b"cpu")),
                (21, struct.pack("<QQ", 1_000_000_000, 2_500_000_000)), (29, struct.pack("<IIQQ", 1, 1, 1_700_000_000_000_000_000, 10 ** 9))]
    return perf_file.file(data, [event(IP | CHAIN), event(IP | CHAIN, 1)], features)


def fault_recording():
    output = b"text\0\0\0\0" + b"and more"
    data = mappings() + sample(1_000_000_000, START + 1, struct.pack("<Q", START + 20))
    for raw in output, b"text" + bytes(4):
        data += perf_file.record(9, struct.pack("<QQiiQI", 2, START, 7, 7, 2_000_000_000, len(raw) + 4) + raw + bytes(4), USER)
    return perf_file.file(data, [event(IP | ADDR, 2, 1), event(IP | RAW, 10, 1)])


def kernel_recording():
    """Branches in the kernel."""
    map = struct.pack("<iiQQQ", -1, 0, KERNEL, 1 << 20, KERNEL) + perf_file.padded(b"[kernel.kallsyms]_text") + perf_file.trailer(0, 0)
    stack = branches((KERNEL + 0x120, KERNEL + 0x100, 2), (KERNEL + 0x90, KERNEL + 0x80, 1))
    return perf_file.file(perf_file.record(1, map, 1) + mappings() + sample(1_000_000_000, START + 19, stack),
                          [event(IP | BRANCHES, branch_type=1 << 3 | 1)])


RECORDINGS = {"branches": branch_recording, "rare_branches": rare_branch_recording, "piped": piped_recording, "kernel": kernel_recording, "chains": chain_recording, "faults": fault_recording}
ROWS = {
    "branches": ["-F brstacksym", "-F brstacksym,dso", "-F ip,sym,dsoff,brstacksym", "-F brstack,dso", "-F ip,sym,brstackinsn",
                 "-F brstackinsn,brstackinsnlen", "-F brstackdisasm", "-F brstackinsn --max-blocks 1", "-F brstackinsn --max-blocks 2", "-F ip,insn,insnlen",
                 "-F ip,disasm", "-F ip,sym,symoff,dsoff"],
    "rare_branches": ["-F ip,sym,brstackinsn", "-F brstackinsn --max-blocks 1"],
    "piped": ["", "-I", "--header", "--header -I", "--header-only", "-I -F comm", "-F comm,ip", "-F -ip"],
    "kernel": ["-F brstackoff", "-F brstackoff,dso", "-F brstack,dso"],
    "chains": ["", "-G", "--max-stack 1", "--max-stack 2 -F ip", "--stop-bt first", "--stop-bt second -F comm,ip,sym", "--reltime",
               "--deltatime -F time", "--ns -F comm,tid,time", "--ns --reltime -F time", "-L -F comm,tid,time",
               "-S first -F comm,time", "-S 401012 -F ip,time -G", "-S 401000 --addr-range 4 -F ip -G", "--dsos app -F time",
               "--dsos /bin/app -F time", "--dsos other -F time", "-F ip,sym,dsoff", "-F tod,comm", "-F tod --ns",
               "--switch-on instructions -F comm,event", "--switch-off instructions -F event,time",
               "--switch-off instructions --show-on-off-events -F event,time", "--header-only", "--header-only -I",
               "--header -F comm", "--reltime --time 0.1,3 -F time",
               "--reltime --time 0,1 -F time"],
    "faults": ["", "-F event,addr", "-F addr,ip,sym", "-F ip,addr,sym,symoff,dso", "-F event,bpf-output"],
}


class Script(unittest.TestCase):
    evname = EVNAME

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.place.name)
        self.addCleanup(self.place.cleanup)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/app").write_bytes(elf())
        for name, make in RECORDINGS.items():
            (self.folder / name).write_bytes(make())
            os.utime(self.folder / name, (1_000_000_000, 1_000_000_000))

    def run_it(self, *words, code=0):
        return perf_lines.run(EVNAME, *words, folder=self.folder, code=code)

    @unittest.skipUnless(HAS_SYMBOLS == "yes", "this build has no elfutils")
    def test_lines_are_those_of_perf(self):
        rows = {name: [one for one in rows if "disasm" not in one or DECODER == "capstone"] for name, rows in ROWS.items()}
        perf_lines.compare(self, KEPT, rows, lambda name, options: ["script", "--symfs", self.folder, "-i", name, *options])

    def test_lines_of_each_event_have_a_file(self):
        out = self.run_it("script", "--symfs", self.folder, "-i", "chains", "-F", "comm,time", "--per-event-dump").stdout
        self.assertEqual(out, "[ perf script: Wrote 0.000 MB chains.cycles.dump (2 samples) ]\n"
                              "[ perf script: Wrote 0.000 MB chains.instructions.dump (1 samples) ]\n")
        self.assertEqual((self.folder / "chains.cycles.dump").read_text(),
                         "            work     1.000000: \n            work     2.500000: \n")

    def test_events_are_found_by_either_name(self):
        events = [event(IP), event(IP, 1)]
        (self.folder / "named").write_bytes(perf_file.file(
            mappings() + sample(1, START) + sample(2, START, id=2) + sample(3000, START), events,
            [(12, descriptions(*zip(events, (b"cycles", b"instructions:u"))))]))
        for name in ("instructions:u", "instructions"):
            self.assertEqual(self.run_it("script", "-i", "named", "--switch-on", name, "-F", "time").stdout, "    0.000003: \n", name)
        self.run_it("script", "-i", "named", "-F", "time", "--per-event-dump")
        self.assertEqual((self.folder / "named.instructions:u.dump").read_text(), "    0.000000: \n")

    def test_a_field_that_was_asked_for_is_not_left_out(self):
        """perf 7.3 prints the same in both cases."""
        plain = perf_file.attr(0, 0, IP | perf_file.TIME | perf_file.IDENTIFIER)
        (self.folder / "plain").write_bytes(perf_file.file(perf_file.record(9, struct.pack("<QQQ", 1, START, 1000), USER), [plain]))
        self.assertNotIn("7", self.run_it("script", "-i", "plain").stdout)
        for fields in ("+pid", "pid", "tid", "+tid", "+pid,-tid"):
            self.assertIn("event do not have TID attribute set", self.run_it("script", "-i", "plain", "-F", fields, code=2).stderr, fields)

    def test_counts_of_perf_stat_are_lines(self):
        def count(cpu, thread, *values):
            return perf_file.record(76, struct.pack("<QIIQQQ", 1, cpu, thread, *values))

        threads = perf_file.record(73, struct.pack("<QQ16sQ16s", 2, 4711, b"work", 4712, b"more"))
        data = threads + count(0, 0, 5, 100, 50) + count(0, 1, 1, 2, 3) + count(2 ** 32 - 1, 2, 6, 7, 8)
        data += perf_file.record(77, struct.pack("<QQ", 0, 9)) + count(0, 1, 4, 5, 6) + perf_file.record(77, struct.pack("<QQ", 1, 19))
        (self.folder / "counts").write_bytes(perf_file.file(data, [event(0, 1, 1)], [(19, b"")]))
        # __process_stat of tools/perf/builtin-script.c: all counts as they are then; a thread that no list has is -1.
        self.assertEqual(self.run_it("script", "-i", "counts").stdout,
                         "CPU   THREAD             VAL             ENA             RUN            TIME EVENT\n"
                         "  0     4711               5             100              50               9 task-clock\n"
                         "  0     4712               1               2               3               9 task-clock\n"
                         " -1       -1               6               7               8               9 task-clock\n"
                         "  0     4711               5             100              50              19 task-clock\n"
                         "  0     4712               4               5               6              19 task-clock\n"
                         " -1       -1               6               7               8              19 task-clock\n")

    def test_a_dump_is_before_the_line_of_its_sample(self):
        plain, dump = (self.run_it("script", "-i", "chains", "-F", "comm", *words).stdout.splitlines() for words in ([], ["-D"]))
        self.assertEqual([line for line in dump if line in plain], plain)
        samples = [line for line in dump if "PERF_RECORD_SAMPLE" in line]
        self.assertEqual(sum("@chains [0x" in line for line in dump) - len(samples), sum(": PERF_RECORD_" in line for line in dump) - len(samples))
        self.assertEqual(sum(line.startswith(" ... thread:") for line in dump), len(samples))
        unsorted = self.run_it("script", "-i", "chains", "-F", "comm", "--dump-unsorted-raw-trace").stdout.splitlines()
        self.assertEqual(sorted(unsorted), sorted(dump))

    def test_what_is_refused_says_what_to_type_instead(self):
        for words, told in ((["-d"], "evname info --records"), (["--dlfilter", "x.so"], "--dsos"), (["-s", "x.py"], "annotate --json"),
                            (["--insn-trace"], "--itrace"), (["--guestmount", "/"], "virtual machines"),
                            (["-F", "metric"], "evname report --metrics"), (["--reltime", "--deltatime"], "exclude"),
                            (["--per-event-dump", "--reltime"], "alone"), (["--switch-on", "none"], "evname info"),
                            (["--unwind-style", "other"], "libdw")):
            self.assertIn(told, self.run_it("script", "-i", "chains", *words, code=2).stderr)
        self.assertIn("by evname itself", self.run_it("script", "-i", "chains", "--unwind-style=libdw").stderr)


unittest.main()
