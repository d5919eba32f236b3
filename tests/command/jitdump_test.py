#!/usr/bin/env python3
"""Code that a JIT compiler replaces and moves: each output has the function that was at an address at the time of the
sample. The expected values follow from the times that this test writes. Usage: jitdump_test.py EVNAME"""

import collections
import csv
import gzip
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import page_file
import perf_file

EVNAME = sys.argv[1]
MMAP2, TIME_CONV = 10, 79
IP, CALLCHAIN = 1, 1 << 5
LEAF, CALLER, MOVED, MAPPED = 0x600008, 0x600109, 0x600208, 0x600308
MONOTONIC, RAW = 1, 4
UNKNOWN = "[unknown]"
MICROSECOND = 1000  # of all times below
# The functions by the time of samples, and what of them is known without their times: what was alone at its address.
STACKS = {50: (UNKNOWN, UNKNOWN), 150: ("gen_0", "call_0"), 250: ("gen_1", "call_0"), 350: ("gen_1", "call_1")}
MOVES = {350: UNKNOWN, 450: "gen_0"}
EACH = 3


def name_of(text):
    return text if text.startswith(("gen", "call", "only", "of_the")) else UNKNOWN


CODE = {"gen_0": b"\x90", "gen_1": b"\xc3"}  # of x86: nop, ret


def load(time, name, address, index):
    body = struct.pack("<IIQQQQ", 1, 1, address, address, 0x40, index) + name.encode() + b"\0" + CODE.get(name, b"\0") * 0x40
    return struct.pack("<IIQ", 0, 16 + len(body), time * MICROSECOND) + body


def dump(flags=0):
    move = struct.pack("<IIQQQQQ", 1, 1, 0x600200, 0x600000, 0x600200, 0x40, 1)
    return (struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 1, 0, flags) + load(100, "gen_0", 0x600000, 1) +
            load(100, "call_0", 0x600100, 2) + load(200, "gen_1", 0x600000, 3) + load(300, "call_1", 0x600100, 4) +
            struct.pack("<IIQ", 1, 16 + len(move), 400 * MICROSECOND) + move +
            struct.pack("<IIQ", 3, 16, 420 * MICROSECOND))


def mapped(start, name, pid=1):
    return perf_file.record(MMAP2, struct.pack("<iiQQQ", pid, pid, start, 0x1000, 0) + struct.pack(
        "<IIQQII", 0, 0, 0, 0, 7, 2) + perf_file.padded(name) + perf_file.trailer(1, pid), 2)


def sample(time, chain, pid=1):
    # IDENTIFIER, IP, TID, TIME, CALLCHAIN
    return perf_file.record(perf_file.SAMPLE, struct.pack(f"<QQiiQQQ{len(chain)}Q", 1, chain[0], pid, pid, time * MICROSECOND,
                                                          len(chain) + 1, 2**64 - 512, *chain), 2)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "tmp").mkdir()
        (self.folder / "tmp/jit-1.dump").write_bytes(dump())
        (self.folder / "tmp/perf-1.map").write_text("0x600000 0x40 of_the_map\nrubbish\n0X600300\t40\tonly_in_map\n")

    def record(self, clockid, more=b"", pid=1):
        data = perf_file.comm(pid, b"jit") + mapped(0x600000, b"//anon") + mapped(0x700000, b"/tmp/jit-1.dump") + more
        samples = [(time + i, (LEAF, CALLER)) for time in STACKS for i in range(EACH)]
        samples += [(time + EACH, (MOVED,)) for time in MOVES] + [(150 + EACH, (MAPPED,))]
        data += b"".join(sample(time, chain, pid) for time, chain in sorted(samples))
        attr = perf_file.attr(sample_type=perf_file.TYPE | IP | CALLCHAIN, clockid=clockid)
        path = self.folder / "perf.data"
        path.write_bytes(perf_file.file(data, [attr]))
        return path

    def run_on(self, *words, status=0):
        done = subprocess.run([EVNAME, *map(str, words), "--symfs", str(self.folder)], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        self.problems = done.stderr
        return done.stdout

    def printed(self, path):
        """The stacks that script prints, leaf first, by time."""
        stacks, time = collections.defaultdict(list), None
        for line in self.run_on("script", "-F", "time,ip,sym", "-i", path).splitlines():
            if header := re.match(r"\s*(\d+)\.(\d+):", line):
                time = int(header[1]) * 10**6 + int(header[2])
            elif line.strip():
                stacks[time].append(line.split(maxsplit=1)[1])
        return stacks


class ByTime(Case):
    def test_instructions(self):
        """The bytes are those that were at the address at the time of the sample; moved code takes them along."""
        path = self.record(MONOTONIC)
        refused = subprocess.run([EVNAME, "report", "--instructions", path], capture_output=True, text=True)
        if "without Capstone" in refused.stderr:
            self.skipTest("evname can't decode")
        text = self.run_on("report", "--instructions", path)
        self.assertRegex(text, r"\nonly_in_map .*\nthe code was made at run time, and its bytes are not known\n")
        rows = [json.loads(line) for line in self.run_on("report", "--instructions", "--json", path).splitlines()]
        found = {(row["function"], row["address"], row["text"]): row["cpu-clock_samples"] for row in rows if row["cpu-clock_samples"]}
        self.assertEqual({key: found[key] for key in found if key[0] in CODE},
                         {("gen_0", "0x600008", "nop"): EACH, ("gen_1", "0x600008", "ret"): 2 * EACH, ("gen_0", "0x600208", "nop"): 1})
        self.assertEqual(len([row for row in rows if row["function"] == "gen_0"]), 2 * 0x40)
        self.assertEqual(sum(found.values()), sum(self.by_function().values()))

    def expected(self):
        """Stacks, and how often each is."""
        out = collections.Counter({stack: EACH for stack in STACKS.values()})
        return out + collections.Counter([(name,) for name in MOVES.values()] + [("only_in_map",)])

    def by_function(self):
        out = collections.Counter()
        for stack, count in self.expected().items():
            out[stack[0]] += count
        return out

    def test_printed(self):
        path = self.record(MONOTONIC)
        stacks = self.printed(path)
        self.assertEqual(collections.Counter(map(tuple, stacks.values())), self.expected())
        for time, stack in stacks.items():
            if len(stack) == 2:
                self.assertEqual(tuple(stack), STACKS[time // 100 * 100 + 50], time)
        self.assertIn("perf-1.map: 1 line can't be read; the first is line 2", self.problems)
        self.assertNotIn("clock", self.problems)
        lines = self.run_on("annotate", "--format", "csv", "-F", "sym", path).splitlines()[1:]
        self.assertEqual(collections.Counter(line or UNKNOWN for line in lines), self.by_function())

    def test_folded(self):
        text = self.run_on("annotate", "--format", "folded", self.record(MONOTONIC))
        found = collections.Counter()
        for line in text.splitlines():
            stack, count = line.rsplit(" ", 1)
            found[tuple(map(name_of, reversed(stack.split(";")[2:])))] += int(count)
        self.assertEqual(found, self.expected(), text)

    def test_reported(self):
        path = self.record(MONOTONIC)
        rows = list(csv.DictReader(self.run_on("report", "--csv", "--sort", "sym", path).splitlines()))
        found = collections.Counter()
        for row in rows:
            found[name_of(row["sym"])] += int(row["samples"])
        self.assertEqual(found, self.by_function())
        rows = list(csv.DictReader(self.run_on("report", "--csv", "--children", "--sort", "sym", path).splitlines()))
        with_calls = {row["sym"]: int(row["children"]) for row in rows}
        self.assertEqual((with_calls["call_0"], with_calls["call_1"], with_calls["gen_1"]), (2 * EACH, EACH, 2 * EACH))
        for name, count in (("gen_0", EACH + 1), ("gen_1", 2 * EACH), ("of_the_map", 0)):
            lines = self.run_on("annotate", "--format", "csv", "-F", "sym", "--sym", name, path,
                                status=0 if count else 1).split()[1:]
            self.assertEqual(lines, [name] * count)
        page = self.folder / "page.html"
        self.run_on("report", "--html", page, path)
        texts = page_file.texts_of(page_file.data_of(page))
        self.assertLessEqual({"gen_0", "gen_1", "call_0", "call_1", "only_in_map"}, set(texts))
        self.assertNotIn("of_the_map", texts)

    def test_exported(self):
        path = self.record(MONOTONIC)
        for form in "pprof", "firefox", "speedscope", "perfetto", "otlp", "otlp-json":
            out = self.folder / form
            self.run_on("export", "--format", form, "-o", out, path)
            for name in b"gen_0", b"gen_1", b"call_0", b"call_1":
                self.assertIn(name, gzip.decompress(out.read_bytes()) if form == "pprof" else out.read_bytes())
        profile = json.loads((self.folder / "speedscope").read_text())
        names = [name_of(frame["name"]) for frame in profile["shared"]["frames"]]
        found = collections.Counter()
        for one in profile["profiles"]:
            for stack in one["samples"]:  # after the thread
                found[tuple(names[frame] for frame in reversed(stack[1:]))] += 1
        self.assertEqual(found, self.expected())

    def test_a_child_has_what_there_was_when_it_was_forked(self):
        time = 210 * MICROSECOND
        fork = perf_file.record(perf_file.FORK, struct.pack("<iiiiQ", 2, 1, 2, 1, time) + perf_file.trailer(time, 2), 2)
        stacks = self.printed(self.record(MONOTONIC, fork, pid=2))
        self.assertEqual({tuple(stack) for time, stack in stacks.items() if time > 210}, {("gen_1", "call_0"), (UNKNOWN,)})


class ByOtherClocks(Case):
    def test_a_clock_that_is_not_the_dumps(self):
        for clockid in None, RAW:
            stacks = self.printed(self.record(clockid))
            self.assertIn("record with -k mono", self.problems)
            self.assertEqual(set(map(tuple, stacks.values())), {(UNKNOWN, UNKNOWN), ("gen_0",), ("only_in_map",)})

    # 2 counts are a ns, and the counter began 40 microseconds before the clock.
    def test_counters(self):
        conversion = perf_file.record(TIME_CONV, struct.pack("<QQQ", 1, 1, 2**64 - 40 * MICROSECOND))
        (self.folder / "tmp/jit-1.dump").write_bytes(dump(flags=1))
        self.printed(self.record(MONOTONIC, conversion))
        self.assertIn("record without -k", self.problems)
        stacks = self.printed(self.record(None, conversion))
        self.assertNotIn("record", self.problems)
        # Counts of 100, 200, 300 and 400 thousand are 10, 60, 110 and 160 microseconds.
        self.assertEqual(stacks[50], ["gen_0", "call_0"])
        self.assertEqual(stacks[150], ["gen_1", "call_1"])


if __name__ == "__main__":
    sys.argv[1:] = []
    unittest.main()
