#!/usr/bin/env python3
"""The options and fields of evname script, whose lines are perf 7.3's: tests/data/script-lines.txt has them, by recording and
options. EVNAME_PERF_ORACLE names a directory with this perf, which is asked again; EVNAME_KEEP_ORACLE a file to write.
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

EVNAME = os.path.abspath(sys.argv.pop(1))
HAS_SYMBOLS, DECODER = sys.argv.pop(2), sys.argv.pop(2)
KEPT = pathlib.Path(sys.argv.pop(1)) / "tests/data/script-lines.txt"
IP, TID, TIME, ADDR, CHAIN, CPU, BRANCHES = 1, 2, 4, 8, 1 << 5, 1 << 7, 1 << 11
IDENTIFIER, RAW = 1 << 16, 1 << 10
ID = bytes(range(1, 21))
TEXT, START = 4096, 0x401000
USER, USER_PART = 2, 2 ** 64 - 512
# first: push %rbp; mov %rsp,%rbp; call second; pop %rbp; ret. second, at 16: nop; jmp to the next; xor %eax,%eax; ret.
CODE = bytes.fromhex("55 4889e5 e807000000 5d c3".replace(" ", "")).ljust(16, b"\xcc") + bytes.fromhex("90eb0031c0c3")
FUNCTIONS = ((b"first", 0, 16), (b"second", 16, 16))


def elf():
    """A program at START whose functions have symbols."""
    note = struct.pack("<III4s", 4, len(ID), 3, b"GNU\0") + ID
    names, symbols = b"\0", bytes(24)
    for name, at, size in FUNCTIONS:
        symbols += struct.pack("<IBBHQQ", len(names), 0x12, 0, 1, START + at, size)
        names += name + b"\0"
    sections = b"\0.text\0.symtab\0.strtab\0.shstrtab\0.note.gnu.build-id\0"
    content = bytearray(TEXT) + CODE.ljust(TEXT, b"\xcc")
    content[512:512 + len(note)] = note
    places = []
    for part in (symbols, names, sections):
        places.append((len(content), len(part)))
        content += part
    rows = [(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), (1, 1, 6, START, TEXT, TEXT, 0, 0, 16, 0),
            (7, 2, 0, 0, *places[0], 3, 1, 8, 24), (15, 3, 0, 0, *places[1], 0, 0, 1, 0),
            (23, 3, 0, 0, *places[2], 0, 0, 1, 0), (33, 7, 2, START - TEXT + 512, 512, len(note), 0, 0, 4, 0)]
    table = len(content)
    for row in rows:
        content += struct.pack("<IIQQQQIIQQ", *row)
    header = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, START, 64, table, 0, 64, 56, 3, 64, len(rows), 4)
    for kind, flags, offset, at, size in ((1, 4, 0, START - TEXT, TEXT), (1, 5, TEXT, START, TEXT),
                                          (4, 4, 512, START - TEXT + 512, len(note))):
        header += struct.pack("<IIQQQQQQ", kind, flags, offset, at, at, size, size, TEXT if kind == 1 else 4)
    content[:len(header)] = header
    return bytes(content)


def event(sample_type, config=0, kind=0, branch_type=0):
    out = bytearray(perf_file.attr(config, kind, sample_type | IDENTIFIER | TID | TIME))
    struct.pack_into("<Q", out, 72, branch_type)
    return bytes(out)


def text(value):
    padded = value + bytes(-len(value) % 64 or 64)
    return struct.pack("<I", len(padded)) + padded


def descriptions(*events):
    return struct.pack("<II", len(events), perf_file.ATTR) + b"".join(
        attr + struct.pack("<I", 1) + text(name) + struct.pack("<Q", i + 1) for i, (attr, name) in enumerate(events))


def mappings():
    map = struct.pack("<iiQQQ", 7, 7, START, TEXT, TEXT) + struct.pack("<BBH20s", 20, 0, 0, ID) + struct.pack("<II", 5, 2)
    return perf_file.comm(7, b"work", 1) + perf_file.record(10, map + perf_file.padded(b"/bin/app") + perf_file.trailer(1, 7), USER | 1 << 14)


def sample(time, ip, more=b"", id=1, tid=7):
    return perf_file.record(9, struct.pack("<QQiiQ", id, ip, 7, tid, time) + more, USER)


def branches(*rows):
    return struct.pack("<Q", len(rows)) + b"".join(struct.pack("<QQQ", *row) for row in rows)


def branch_recording():
    predicted, missed = 2 | 5 << 4, 1 | 3 << 4
    stack = branches((START + 4, START + 16, predicted), (START + 17, START + 19, predicted),
                     (START + 0x500, START, missed), (0x900000, START + 0x4f0, predicted))
    more = branches((START + 21, START + 9, missed))
    data = mappings() + sample(1_000_000_000, START + 19, stack) + sample(1_500_000_700, START + 10, more)
    return perf_file.file(data, [event(IP | BRANCHES, branch_type=1 << 3 | 1)])


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


RECORDINGS = {"branches": branch_recording, "chains": chain_recording, "faults": fault_recording}
ROWS = {
    "branches": ["-F brstacksym", "-F brstacksym,dso", "-F ip,sym,dsoff,brstacksym", "-F brstack,dso", "-F ip,sym,brstackinsn",
                 "-F brstackinsn,brstackinsnlen", "-F brstackdisasm", "-F brstackinsn --max-blocks 1", "-F ip,insn,insnlen",
                 "-F ip,disasm", "-F ip,sym,symoff,dsoff"],
    "chains": ["", "-G", "--max-stack 1", "--max-stack 2 -F ip", "--stop-bt first", "--stop-bt second -F comm,ip,sym", "--reltime",
               "--deltatime -F time", "--ns -F comm,tid,time", "--ns --reltime -F time", "-L -F comm,tid,time",
               "-S first -F comm,time", "-S 401012 -F ip,time -G", "-S 401000 --addr-range 4 -F ip -G", "--dsos app -F time",
               "--dsos /bin/app -F time", "--dsos other -F time", "-F ip,sym,dsoff", "-F tod,comm", "-F tod --ns",
               "--switch-on instructions -F comm,event", "--switch-off instructions -F event,time",
               "--switch-off instructions --show-on-off-events -F event,time", "--header-only", "--header-only -I",
               "--header -F comm", "--reltime --time 0.1,3 -F time"],
    "faults": ["", "-F event,addr", "-F addr,ip,sym", "-F ip,addr,sym,symoff,dso", "-F event,bpf-output"],
}


class Script(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.place.name)
        self.addCleanup(self.place.cleanup)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/app").write_bytes(elf())
        for name, make in RECORDINGS.items():
            (self.folder / name).write_bytes(make())
            os.utime(self.folder / name, (1_000_000_000, 1_000_000_000))

    def run_it(self, *words, command=EVNAME, code=0):
        environment = {**os.environ, "TZ": "UTC", "LC_ALL": "C", "PERF_CONFIG": "/dev/null", "EVNAME_EVENTS": ""}
        done = subprocess.run([command, *map(str, words)], capture_output=True, text=True, cwd=self.folder, env=environment,
                              stdin=subprocess.DEVNULL)
        if code is not None:
            self.assertEqual(done.returncode, code, (words, done.stderr))
        return done

    @staticmethod
    def kept():
        out = {}
        for line in KEPT.read_text().splitlines(keepends=True):
            if line.startswith("== "):
                text = out.setdefault(line[3:].strip(), [])
            else:
                text.append(line)
        return {key: "".join(lines) for key, lines in out.items()}

    @unittest.skipUnless(HAS_SYMBOLS == "yes", "this build has no elfutils")
    def test_lines_are_those_of_perf(self):
        oracle, keep = os.environ.get("EVNAME_PERF_ORACLE"), os.environ.get("EVNAME_KEEP_ORACLE")
        kept = {} if keep else self.kept()
        for name, rows in ROWS.items():
            for options in rows:
                if "disasm" in options and DECODER != "capstone":
                    continue
                key = f"{name}: {options}".strip()
                words = ["script", "--symfs", self.folder, "-i", name, *options.split()]
                if oracle:
                    lines = self.run_it(*words, "-f", command=f"{oracle}/perf", code=None).stdout
                    if keep:
                        kept[key] = lines
                    self.assertEqual(kept.get(key), lines, key)
                with self.subTest(key):
                    self.assertEqual(self.run_it(*words).stdout, kept[key])
        if keep:
            pathlib.Path(keep).write_text("".join(f"== {key}\n{lines}" for key, lines in kept.items()))

    def test_lines_of_each_event_have_a_file(self):
        out = self.run_it("script", "--symfs", self.folder, "-i", "chains", "-F", "comm,time", "--per-event-dump").stdout
        self.assertEqual(out, "[ perf script: Wrote 0.000 MB chains.cycles.dump (2 samples) ]\n"
                              "[ perf script: Wrote 0.000 MB chains.instructions.dump (1 samples) ]\n")
        self.assertEqual((self.folder / "chains.cycles.dump").read_text(),
                         "            work     1.000000: \n            work     2.500000: \n")

    def test_counts_of_perf_stat_are_lines(self):
        def count(cpu, thread, *values):
            return perf_file.record(76, struct.pack("<QIIQQQ", 1, cpu, thread, *values))

        threads = perf_file.record(73, struct.pack("<QQ16s", 1, 4711, b"work"))
        data = threads + count(0, 0, 5, 100, 50) + count(2 ** 32 - 1, 1, 6, 7, 8) + perf_file.record(77, struct.pack("<QQ", 0, 9))
        (self.folder / "counts").write_bytes(perf_file.file(data, [event(0, 1, 1)], [(19, b"")]))
        # __process_stat of tools/perf/builtin-script.c; a thread that no list has is -1.
        self.assertEqual(self.run_it("script", "-i", "counts").stdout,
                         "CPU   THREAD             VAL             ENA             RUN            TIME EVENT\n"
                         "  0     4711               5             100              50               9 task-clock\n"
                         " -1       -1               6               7               8               9 task-clock\n")

    def test_a_dump_is_before_the_line_of_its_sample(self):
        plain, dump = (self.run_it("script", "-i", "chains", "-F", "comm", *words).stdout.splitlines() for words in ([], ["-D"]))
        self.assertEqual([line for line in dump if line in plain], plain)
        samples = [line for line in dump if "PERF_RECORD_SAMPLE" in line]
        self.assertEqual(sum("@chains [0x" in line for line in dump) - len(samples), sum(": PERF_RECORD_" in line for line in dump) - len(samples))
        self.assertEqual(dump[dump.index(samples[0]) + 1][:12], " ... thread:")
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
