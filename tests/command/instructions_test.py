#!/usr/bin/env python3
"""Instructions of functions with their samples: of a program that is compiled here, compared with what objdump and
addr2line say of it. Usage: instructions_test.py EVNAME yes|no (has it elfutils and Capstone?) [TEST…]"""

import collections
import csv
import json
import pathlib
import platform
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import page_file
import perf_file

EVNAME, DECODES = sys.argv[1], sys.argv[2] == "yes"
TOOLS = ("c++", "nm", "addr2line", "readelf", "objdump", "strip")
MMAP2, IP, BRANCH_STACK = 10, 1, 1 << 11
BASE = 0x500000
MACHINES = {"x86_64": b"x86_64", "aarch64": b"aarch64", "ppc64le": b"ppc64le", "s390x": b"s390x"}
SOURCE = """
#include <stdlib.h>
static inline __attribute__((always_inline)) int fee(int a) {
  for (int i = 0; i < a; ++i) a ^= i * 7;
  return a;
}
namespace shop {
int shelf[32] = {1};
__attribute__((noinline)) int tax(int a) { return a / 5 + abs(a) % 7; }
__attribute__((noinline)) int price(int a) {
  int b = fee(a);
  for (int i = 0; i < a; ++i)
    b = shelf[b & 31] + tax(b) * 3 + b / (a + 1) - tax(a) * (a ^ b) + (b > a ? b : a) / 13;
  return b * 3 + 1;
}
}  // namespace shop
int main(int count, char**) { return shop::price(count) & 1; }
"""


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Program:
    """A program, and what other tools say of it."""

    def __init__(self, folder):
        self.path = folder / "program"
        source = folder / "program.cpp"
        source.write_text(SOURCE)
        subprocess.run(["c++", "-O2", "-g", "-Wl,--build-id=sha1", "-o", self.path, source], check=True)
        for line in output_of("readelf", "-lW", self.path).splitlines():
            words = line.split()
            if words[:1] == ["LOAD"] and "E" in words[6:-1]:
                self.offset, self.address, self.size = (int(words[i], 16) for i in (1, 2, 4))
        self.build_id = output_of("readelf", "-n", self.path).split("Build ID: ")[1].split()[0]
        self.symbols = {}
        for line in output_of("nm", "-S", "-C", self.path).splitlines():
            words = line.split(maxsplit=3)
            if len(words) == 4 and words[2] in "tTDd":
                self.symbols[words[3]] = int(words[0], 16), int(words[1], 16)
        self.start, self.length = self.symbols["shop::price(int)"]
        listed = output_of("objdump", "-d", "-w", f"--start-address={self.start}", f"--stop-address={self.start + self.length}", self.path)
        self.code = {int(match[1], 16): match[2].replace(" ", "")
                     for match in re.finditer(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2,8} )+)", listed, re.M)}
        places = output_of("addr2line", "-e", self.path, *map(hex, self.code)).splitlines()
        self.lines = {address: place.split(" (discriminator")[0] for address, place in zip(self.code, places)}

    def mapped(self, build_id=None):
        build_id = bytes.fromhex(build_id or self.build_id)
        body = struct.pack("<iiQQQ", 1, 1, BASE, self.size, self.offset)
        body += struct.pack("<B3x20sII", len(build_id), build_id, 5, 2)
        return perf_file.record(MMAP2, body + perf_file.padded(str(self.path).encode()) + perf_file.trailer(1), 2 | 1 << 14)


class Odd(Program):
    """A program whose symbols are what they are."""

    def __init__(self, path):
        self.path = path
        for line in output_of("readelf", "-lW", path).splitlines():
            words = line.split()
            if words[:1] == ["LOAD"] and "E" in words[6:-1]:
                self.offset, self.address, self.size = (int(words[i], 16) for i in (1, 2, 4))
        self.build_id = output_of("readelf", "-n", path).split("Build ID: ")[1].split()[0]
        self.symbols = {words[2]: int(words[0], 16) for words in map(str.split, output_of("nm", path).splitlines())}


class Instructions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        missing = [tool for tool in TOOLS if not shutil.which(tool)]
        if missing or platform.machine() not in MACHINES:
            raise unittest.SkipTest(f"no {', '.join(missing)}")
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.program = Program(cls.folder)

    def recording(self, counts, name="perf.data", **keys):
        """A recording with so many samples by address of the file and event (0, 1)."""
        data, time = self.program.mapped(**keys), 10
        for (address, event), count in counts.items():
            for _ in range(count):
                ip = BASE + address - self.program.address
                data += perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQ", event + 1, ip, 1, 1, time), 2)
                time += 1
        arch = struct.pack("<I64s", 64, MACHINES[platform.machine()])
        attrs = [perf_file.attr(config=config, sample_type=perf_file.TYPE | IP) for config in (0, 2)]
        path = self.folder / name
        path.write_bytes(perf_file.file(data, attrs, [(6, arch)]))
        return path

    def branches_recording(self, stacks):
        """A recording of stacks of (from, to, mispredicted, cycles), the newest first."""
        attr = bytearray(perf_file.attr(sample_type=perf_file.TYPE | IP | BRANCH_STACK))
        struct.pack_into("<Q", attr, 72, 1 << 3 | 1)  # branch_sample_type: any, user
        data = self.program.mapped()
        for time, stack in enumerate(stacks, 10):
            body = struct.pack("<QQiiQQ", 1, BASE + stack[0][1] - self.program.address, 1, 1, time, len(stack))
            for start, end, mispredicted, cycles in stack:
                body += struct.pack("<QQQ", *(BASE + at - self.program.address for at in (start, end)), (1 if mispredicted else 2) | cycles << 4)
            data += perf_file.record(perf_file.SAMPLE, body, 2)
        path = self.folder / "branches.data"
        path.write_bytes(perf_file.file(data, [bytes(attr)], [(6, struct.pack("<I64s", 64, MACHINES[platform.machine()]))]))
        return path

    def report(self, *words):
        done = subprocess.run([EVNAME, "report", "--instructions", *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def rows(self, *words):
        return [json.loads(line) for line in self.report("--json", *words).splitlines()]

    def some_counts(self):
        """Samples at every byte of the function, also inside of instructions."""
        return {(self.program.start + i, event): (i * 7 + event * 3) % 5
                for i in range(self.program.length) for event in (0, 1)}

    @unittest.skipIf(DECODES, "evname can decode")
    def test_without_capstone_says_what_is_missing(self):
        done = subprocess.run([EVNAME, "report", "--instructions", self.recording({})], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("libcapstone-dev", done.stderr)

    @unittest.skipUnless(DECODES, "evname can't decode")
    def test_instructions_are_those_of_objdump(self):
        rows = self.rows(self.recording(self.some_counts()))
        self.assertEqual({row["function"] for row in rows}, {"shop::price(int)"})
        self.assertEqual({row["build_id"] for row in rows}, {self.program.build_id})
        self.assertEqual([int(row["address"], 16) for row in rows], list(self.program.code))
        if platform.machine() == "x86_64":
            self.assertEqual([row["bytes"] for row in rows], list(self.program.code.values()))
        self.assertFalse([row for row in rows if not row["text"] or row["text"].startswith(".")])
        for row in rows:
            place = f"{row['source']}:{row['line']}"
            self.assertEqual(place, self.program.lines[int(row["address"], 16)], row)
            line = int(row["line"])
            # A line of fee() is in the call inlined into price().
            self.assertEqual(row["inlined"], "fee < shop::price(int)" if line in (3, 4, 5) else row["inlined"], row)
        symbols = {row["symbol"] for row in rows}
        self.assertIn("shop::tax(int)", symbols)
        if platform.machine() == "x86_64":
            self.assertIn("shop::shelf", symbols)

    @unittest.skipUnless(DECODES, "evname can't decode")
    def test_samples_are_counted_by_instruction_and_event(self):
        counts = self.some_counts()
        starts = list(self.program.code)
        expected = collections.Counter()
        for (address, event), count in counts.items():
            expected[max(start for start in starts if start <= address), event] += count
        path = self.recording(counts)
        rows = self.rows(path)
        found = {(int(row["address"], 16), event): row[f"{name}_samples"]
                 for row in rows for event, name in enumerate(("cpu-clock", "page-faults"))}
        self.assertEqual(found, {(address, event): expected[address, event] for address in starts for event in (0, 1)})
        whole = list(csv.DictReader(self.report("--csv", path).splitlines()))
        self.assertEqual([int(row["cpu-clock_samples"]) for row in whole], [row["cpu-clock_samples"] for row in rows])
        filtered = self.rows("--event", "page-faults", path)
        self.assertEqual([row["page-faults_samples"] for row in filtered], [row["page-faults_samples"] for row in rows])
        self.assertNotIn("cpu-clock_samples", filtered[0])
        first = self.rows("--time", ",0.000000014", path)  # five samples, 1 ns after the other
        self.assertEqual(sum(row.get(f"{name}_samples", 0) for row in first for name in ("cpu-clock", "page-faults")), 5)

    @unittest.skipUnless(DECODES, "evname can't decode")
    def test_text_folds_what_is_far_from_samples(self):
        starts = list(self.program.code)
        path = self.recording({(starts[10], 0): 3, (starts[11], 0): 1, (starts[11], 1): 2})
        text = self.report(path)
        self.assertIn(f"... {7} instructions\n", text)
        self.assertIn(f"... {len(starts) - 15} instructions\n", text)
        self.assertRegex(text, rf"\n +3 +75\.00% .* {starts[10]:x} \S")
        self.assertRegex(text, rf"\n +1 +25\.00% +2 +100\.00% .* {starts[11]:x} \S")
        lines = text.splitlines()
        self.assertRegex(lines[0], "^cpu-clock: a timer: ")
        self.assertRegex(lines[1], "^page-faults: samples name the instruction that caused it")
        self.assertEqual(lines[3], f"shop::price(int)  {self.program.path}, build id {self.program.build_id}: "
                         "4 samples of cpu-clock (100.00%), 2 samples of page-faults (100.00%)")
        whole = self.report("--all", path)
        self.assertNotIn("...", whole)
        for address in starts:
            self.assertRegex(whole, rf"\n.* {address:x} \S")
        self.assertIn("program.cpp:13", whole)
        self.assertIn("b = shelf[b & 31] + tax(b)", whole)
        self.assertRegex(whole, r"program\.cpp:4  for \(int i = 0.*  \[fee < shop::price\(int\)\]")
        self.assertRegex(whole, r"[↓↑] L\d+\n")
        for label in re.findall(r"[↓↑] (L\d+)\n", whole):
            self.assertRegex(whole, rf" {label}: ")
        if platform.machine() == "x86_64":
            self.assertIn("%edi", self.report("--syntax", "att", "--all", path))
            self.assertNotIn("%edi", whole)

    @unittest.skipUnless(DECODES, "evname can't decode")
    def test_a_file_of_another_build_id_is_not_decoded_and_samples_are_kept(self):
        counts = {(self.program.start + 4 * i, 0): i + 1 for i in range(4)}
        path = self.recording(counts, build_id="12" * 20)
        rows = self.rows(path)
        self.assertEqual([(row["function"], row["text"], row["cpu-clock_samples"]) for row in rows],
                         [("program (no name)", None, i + 1) for i in range(4)])
        done = subprocess.run([EVNAME, "report", "--instructions", path], capture_output=True, text=True)
        self.assertIn("no symbol of a file has these addresses", done.stdout)
        self.assertIn(f"has build id {self.program.build_id}, not {'12' * 20}: not used", done.stderr)

    @unittest.skipUnless(DECODES, "evname can't decode")
    def test_stripped_programs_keep_their_samples(self):
        stripped = self.folder / "stripped"
        subprocess.run(["strip", "-o", stripped, self.program.path], check=True)
        with unittest.mock.patch.object(self.program, "path", stripped):
            path = self.recording(self.some_counts(), name="stripped.data")
        rows = self.rows(path)
        self.assertEqual(sum(row["cpu-clock_samples"] for row in rows),
                         sum(count for (_, event), count in self.some_counts().items() if event == 0))

    @unittest.skipUnless(DECODES, "evname can't decode")
    def test_what_an_address_can_be_trusted_for(self):
        """The first lines, by CPU, type and code of the event, and its precise_ip."""
        intel, amd, arm = b"GenuineIntel,6,85,4", b"AuthenticAMD,25,1,1", b"0x00000000410fd0c0"
        behind = "not precise: samples name an instruction behind the one that caused it, maybe far behind"
        for cpuid, event, precise, expected in (
                (intel, (4, 0x20d1), 0, f"{behind}; `evname record -e mem_load_retired.l3_miss:pp` names the instruction itself"),
                (intel, (4, 0x20d1), 1, "precise with a constant distance: mostly the instruction behind the one that caused it; "
                 "`evname record -e mem_load_retired.l3_miss:pp` names the instruction itself"),
                (intel, (4, 0x20d1), 2, "exact: precise samples (PEBS) name the instruction itself"),
                (amd, (4, 0x76), 0, f"{behind}; `evname record -e ibs_op//` names the instruction itself"),
                (amd, (4, 0x76), 2, "exact: IBS names the instruction itself"),
                (amd, (11, 0), 0, "exact: IBS names the instruction itself"),
                (arm, (4, 0x11), 0, behind)):
            attr = bytearray(perf_file.attr(event[1], event[0], perf_file.TYPE | IP))
            attr[41] |= (precise & 1) << 7  # bits 15 and 16 of the flags, which are at byte 40
            attr[42] |= precise >> 1
            sample = perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQ", 1, BASE, 1, 1, 10), 2)
            names = {4: b"armv8_pmu" if cpuid == arm else b"cpu", **({11: b"ibs_op"} if cpuid == amd else {})}
            pmus = struct.pack("<I", len(names)) + b"".join(struct.pack("<II12s", key, 12, name) for key, name in names.items())
            path = self.folder / "precise.data"
            path.write_bytes(perf_file.file(self.program.mapped() + sample, [bytes(attr)],
                                            [(6, struct.pack("<I64s", 64, b"aarch64" if cpuid == arm else b"x86_64")),
                                             (9, struct.pack("<I64s", 64, cpuid)), (16, pmus)]))
            self.assertEqual(self.report(path).split("\n")[0].split(": ", 1)[1], expected, (cpuid, event, precise))

    @unittest.skipUnless(DECODES and platform.machine() == "x86_64", "evname can't decode, or this is not x86")
    def test_sizes_that_symbols_claim(self):
        """A function of 10 MB, one whose symbol has no size, one that claims more bytes than the file has, and one inside of
        another."""
        source, path = self.folder / "odd.s", self.folder / "odd"
        source.write_text(".globl _start, huge, bare, liar\n.type _start,@function\n.type huge,@function\n"
                          ".type bare,@function\n.type liar,@function\n_start: ret\nhuge: .fill 10485760,1,0x90\n"
                          ".size huge,.-huge\nbare: push %rax\npop %rax\nret\n"
                          ".globl outer, inner\n.type outer,@function\n.type inner,@function\n"
                          "outer: nop\ninner: push %rax\npop %rax\n.size inner,.-inner\nret\n.size outer,.-outer\n"
                          "liar: .byte 0x06\nret\n.size liar,0x10000\n")
        subprocess.run(["c++", "-nostdlib", "-static", "-Wl,--build-id=sha1", "-o", path, source], check=True)
        odd = Odd(path)
        with unittest.mock.patch.object(Instructions, "program", odd):
            counts = {(odd.symbols["huge"], 0): 2, (odd.symbols["huge"] + (9 << 20), 0): 3, (odd.symbols["bare"] + 1, 0): 4,
                      (odd.symbols["liar"], 0): 5, (odd.symbols["liar"] + 1, 0): 6,
                      **{(odd.symbols["outer"] + i, 0): 10 + i for i in range(4)}}
            recording = self.recording(counts, name="odd.data")
        text = self.report(recording)
        functions = dict(re.findall(r"(?m)^(\w+)  .*?: (.*(?:\n(?!\n).*)*)", text))
        self.assertIn("the function has 10485760 bytes; only the first 131072 are decoded", functions["huge"])
        self.assertRegex(functions["huge"], r"\n +2 +40\.00% .* nop")
        self.assertRegex(functions["huge"], r"\n +3 +60\.00% +outside of these instructions")
        self.assertRegex(functions["bare"], r"\n +4 +100\.00% .* pop rax")
        self.assertRegex(functions["liar"], r"the file has \d+ of the 65536 bytes of this function")
        self.assertRegex(functions["liar"], r"\n +5 +45\.45% .* \.byte 0x06")
        self.assertRegex(functions["liar"], r"\n +6 +54\.55% .* ret")
        rows = [row for row in self.rows(recording) if row["cpu-clock_samples"]]
        self.assertEqual({row["address"]: (row["function"], row["text"], row["cpu-clock_samples"]) for row in rows
                          if row["function"] in ("outer", "inner")},
                         {hex(odd.symbols["outer"]): ("outer", "nop", 10), hex(odd.symbols["inner"]): ("inner", "push rax", 11),
                          hex(odd.symbols["inner"] + 1): ("inner", "pop rax", 12), hex(odd.symbols["inner"] + 2): ("outer", "ret", 13)})
        self.assertEqual(sum(row["cpu-clock_samples"] for row in rows), sum(counts.values()))

    def some_stacks(self):
        """Walks through the function in any order: each branch goes to an instruction before the next branch, but in damaged stacks."""
        pick, code, stacks = random.Random(3), sorted(self.program.code), []
        for _ in range(300):
            stack, at = [], pick.randrange(len(code) - 1)
            for _ in range(pick.randrange(1, 9)):
                end, to = pick.randrange(max(at - 1, 0), min(at + 9, len(code))), pick.randrange(len(code) - 1)
                stack.insert(0, (code[end], code[to], pick.random() < 0.3, pick.choice((0, 1, 7, 40))))
                at = to
            stacks.append(stack)
        return stacks

    @unittest.skipUnless(DECODES, "evname can't decode")
    def test_blocks_between_branches(self):
        """How often an instruction ran, and its branches. Instructions per cycle are of the longest block with cycles that has
        several instructions, as perf annotate computes them."""
        code, stacks = sorted(self.program.code), self.some_stacks()
        executed, branches, blocks = collections.Counter(), collections.defaultdict(list), collections.defaultdict(list)
        for stack in stacks:
            for newer, older in zip(stack, stack[1:]):
                executed.update(at for at in code if older[1] <= at <= newer[0])
                blocks[newer[0]].append((older[1], newer[3]))
            for start, _, mispredicted, cycles in stack:
                branches[start].append((mispredicted, cycles))
        rows = {int(row["address"], 16): row for row in self.rows(self.branches_recording(stacks))}
        for at in code:
            row, taken = rows[at], branches[at]
            timed = [cycles for _, cycles in taken if cycles]
            self.assertEqual((row["executed"], row["branches"], row["mispredicted"]),
                             (executed[at], len(taken), sum(missed for missed, _ in taken)))
            self.assertEqual(row["cycles"], sum(timed) / len(timed) if timed else None)
            known = [(start, cycles) for start, cycles in blocks[at] if cycles and start < at]
            longest = [cycles for start, cycles in known if start == min(known)[0]]
            wanted = len([one for one in code if min(known)[0] <= one <= at]) * len(longest) / sum(longest) if known else None
            self.assertEqual(row["ipc"] and round(row["ipc"], 9), wanted and round(wanted, 9))
        text = self.report("--all", self.folder / "branches.data")
        self.assertRegex(text, rf"\nbranch stacks have run {100 * len(executed) / len(code):.1f}% of the instructions, with \d+\.\d\d instructions per cycle\n")
        self.assertRegex(text, r"\n samples   share executed mispred\.  cycles   IPC ")

    def page_of(self, path):
        """Returns the function of the page: {address: the numbers of its runs}, how many instructions it folds, the samples by
        event and address, and by bin."""
        page = self.folder / "page.html"
        subprocess.run([EVNAME, "report", "--html", page, "--force", path], check=True, capture_output=True)
        file = page_file.data_of(page)["files"][0]
        one, tracks = file["instructions"]["functions"][0], page_file.numbers(file["tracks"])
        rows, cells = (iter(page_file.numbers(one[part])) for part in ("rows", "cells"))
        runs, address, folded, shown = page_file.numbers(one.get("runs", "")), int(one["start"], 16), one["folded"], []
        for _ in one["text"]:
            step, hidden, *_ = (next(rows) for _ in range(5))
            address, folded = address + step, folded + hidden
            shown.append(address)
        samples, bins = collections.Counter(), collections.Counter()
        track = row = bin = 0
        for step in cells:
            down = next(cells)
            row, bin = 0 if step else row, 0 if step or down else bin
            track, row, bin, count = track + step, row + down, bin + next(cells), next(cells)
            samples[tracks[3 * track], shown[row - 1]] += count
            bins[bin] += count
        return {at: runs[6 * i:6 * i + 6] for i, at in enumerate(shown)}, folded, samples, bins, file["instructions"]["width"]

    @unittest.skipUnless(DECODES, "evname can't decode")
    def test_the_page_has_the_same_numbers(self):
        starts = list(self.program.code)
        for counts in (self.some_counts(), {(starts[10], 0): 300, (starts[20], 1): 9}):
            path = self.recording(counts)
            shown, folded, samples, bins, width = self.page_of(path)
            self.assertEqual(len(shown) + folded, len(starts))
            found = {(event, int(row["address"], 16)): row[name + "_samples"]
                     for row in self.rows(path) for event, name in enumerate(("cpu-clock", "page-faults"))}
            self.assertEqual(dict(samples), {key: count for key, count in found.items() if count})
            self.assertEqual(bins, collections.Counter(time // width + 1 for time in range(sum(counts.values()))))
        path = self.branches_recording(self.some_stacks())
        shown, *_ = self.page_of(path)
        for row in self.rows(path):
            at = int(row["address"], 16)
            if at in shown:
                executed, predicted, mispredicted, _, _, ipc = shown[at]
                self.assertEqual((executed, predicted + mispredicted, mispredicted, ipc),
                                 (row["executed"], row["branches"], row["mispredicted"], int(100 * (row["ipc"] or 0) + 0.5)), row)

    @unittest.skipUnless(DECODES, "evname can't decode")
    def test_code_of_a_kernel_is_in_the_core_beside_its_list(self):
        """Two functions at an address of the kernel: `push rbp; mov rbp, rsp; call next` and `ret`."""
        start = 0xffffffff81001000
        code = bytes.fromhex("55 4889e5 e803000000 909090 c3 90909090")
        folder = self.folder / "kernel"
        folder.mkdir()
        (folder / "kallsyms").write_text(f"{start - 0x1000:x} T _text\n{start:x} T first\n{start + 12:x} T next\n{start + 16:x} T after\n")
        header = struct.pack("<4sBBB9xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 4, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
        note, load = (struct.pack("<IIQQQQQQ", *words) for words in ((4, 0, 176, 0, 0, 0, 0, 0), (1, 7, 176, start, 0, len(code), len(code), 1)))
        (folder / "kcore").write_bytes(header + note + load + code)
        mapping = struct.pack("<iiQQQ", -1, 0, start - 0x1000, 0x100000, start - 0x1000) + perf_file.padded(b"[kernel.kallsyms]_text") + perf_file.trailer(1)
        samples = [perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQ", 1, start + at, 1, 1, 10), 1) for at in (1, 4, 4, 12)]
        path = self.folder / "kernel.data"
        path.write_bytes(perf_file.file(perf_file.record(1, mapping, 1) + b"".join(samples), [perf_file.attr(sample_type=perf_file.TYPE | IP)],
                                        [(6, struct.pack("<I64s", 64, b"x86_64"))]))
        rows = self.rows(path, "--kallsyms", folder / "kallsyms")
        self.assertEqual([(row["function"], row["address"], row["text"], row["symbol"], row["cpu-clock_samples"]) for row in rows][:4],
                         [("first", hex(start), "push rbp", None, 0), ("first", hex(start + 1), "mov rbp, rsp", None, 1),
                          ("first", hex(start + 4), f"call {start + 12:#x}", "next", 2), ("first", hex(start + 9), "nop", None, 0)])
        self.assertEqual([(row["function"], row["text"]) for row in rows if row["cpu-clock_samples"]][-1], ("next", "ret"))
        (folder / "kcore").unlink()
        self.assertEqual([(row["address"], row["text"]) for row in self.rows(path, "--kallsyms", folder / "kallsyms")],
                         [(hex(start + at), None) for at in (1, 4, 12)])

    def test_combinations_that_mean_nothing(self):
        path = self.recording({})
        for words in (["--instructions", "--sort", "sym"], ["--instructions", "--mem"], ["--all"], ["--syntax", "att"],
                      ["--instructions", "--children"]):
            done = subprocess.run([EVNAME, "report", *words, path], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn("--instructions", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
