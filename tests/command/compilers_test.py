#!/usr/bin/env python3
"""Profiles for compilers (evname export --format bolt, profgen, autofdo) of made-up branch stacks, by the rules that
perf2bolt, llvm-profgen and AutoFDO have for what perf prints; and evname in perf's place: script and buildid-list, with
the lines of perf 7.3.
Arguments: the evname command."""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import perf_file  # noqa: E402
import spe_file as spe  # noqa: E402
from sanitizers import has_sanitizer  # noqa: E402

EVNAME = os.path.abspath(sys.argv.pop(1))
IP, TID, TIME, BRANCH_STACK, IDENTIFIER = 1, 2, 4, 1 << 11, 1 << 16
TYPE = IDENTIFIER | IP | TID | TIME | BRANCH_STACK
MISPREDICTED, PREDICTED = 1, 2
ID = bytes(range(1, 21))
KERNEL = 0xffffffff81000000
# Stacks of branches: 0x401000 is the first address of code.
STACK = [(0x401020, 0x401000, PREDICTED), (0x401050, 0x401010, MISPREDICTED), (0x7f0000, 0x401040, PREDICTED),
         (0x401080, 0x7f1000, PREDICTED)]


def elf(kind=2, address=0x401000, build_id=ID, code=b"", size=4096):
    """A program (2) or a PIE (3) with `size` bytes of code at 4096, which does nothing after `code`."""
    note = struct.pack("<III4s", 4, len(build_id), 3, b"GNU\0") + build_id if build_id else b""
    header = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", kind, 62, 1, address, 64, 0, 0, 64, 56, 3, 64, 0, 0)
    for type, flags, offset, at, length in ((1, 4, 0, address - 4096, 4096), (1, 5, 4096, address, size),
                                            (4, 4, 512, address - 4096 + 512, len(note))):
        header += struct.pack("<IIQQQQQQ", type, flags, offset, at, at, length, length, 4096 if type == 1 else 4)
    return (header.ljust(512, b"\0") + note).ljust(4096, b"\0") + code.ljust(size, b"\x90")


def mmap2(pid, start, size, offset, name, build_id=None, time=0):
    """With a build id, or a device and an inode."""
    what = struct.pack("<BBH20s", len(build_id), 0, 0, build_id) if build_id else struct.pack("<IIQQ", 8, 1, 77, 5)
    body = struct.pack("<iiQQQ", pid, pid, start, size, offset) + what + struct.pack("<II", 5, 2) + perf_file.padded(name)
    return perf_file.record(10, body + perf_file.trailer(time, pid), 2 | (1 << 14 if build_id else 0))


def sample(time, branches, ip=0x401000, pid=7):
    body = struct.pack("<QQiiQQ", 1, ip, pid, pid, time, len(branches))
    return perf_file.record(9, body + b"".join(struct.pack("<QQQ", *one) for one in branches), 2)


def recording(*records):
    return perf_file.file(b"".join(records), [perf_file.attr(0, 0, TYPE)])


class Compilers(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.place.name)
        self.addCleanup(self.place.cleanup)
        self.program = self.write("program", elf())

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def run_it(self, *words, code=0, command=EVNAME, text=True):
        done = subprocess.run([command, *map(str, words)], capture_output=True, text=text, cwd=self.folder)
        self.assertEqual(done.returncode, code, (words, done.stderr))
        return done

    def export(self, form, *files, binary=None, options=(), code=0):
        done = self.run_it("export", "--format", form, "--binary", binary or self.program, "-o", "-", *options, *files,
                           code=code)
        return done.stdout if code == 0 else done.stderr

    def recorded(self, *more, name="perf.data", start=0x401000, program=b"/opt/program", build_id=ID):
        return self.write(name, recording(mmap2(7, start, 4096, 4096, program, build_id), *more))

    def test_counts(self):
        bolt = "T 0 401040 401050 1\nB 401020 401000 1 0\nT 401050 401010 401020 1\nB 401050 401010 0 1\nB 401080 0 1 0\n"
        profgen = "2\n10-20:1\n40-50:1\n3\nffffffffffbff001->40:1\n20->0:1\n50->10:1\n"
        autofdo = "2\n1010-1020:1\n1040-1050:1\n1\n1000:1\n2\n1020->1000:1\n1050->1010:1\n"
        one = self.recorded(sample(1, STACK))
        for form, expected in (("bolt", bolt), ("profgen", profgen), ("autofdo", autofdo)):
            self.assertEqual(self.export(form, one), expected)
            # Several recordings are added up, on however many threads.
            for jobs in (1, 4):
                three = self.export(form, one, one, one, options=("--jobs", jobs))
                self.assertEqual(three, expected.replace(":1\n", ":3\n").replace(" 1\n", " 3\n").replace(" 1 0\n", " 3 0\n"))

    def test_many_mappings(self):
        """A process that maps a file before each sample has as many lists of mappings as samples."""
        mappings = [mmap2(7, 0x7f0000000000 + i * 8192, 4096, 0, b"//anon", None, 2 * i) + sample(2 * i + 1, STACK) for i in range(100000)]
        start = os.times().children_user
        got = self.export("bolt", self.recorded(*mappings))
        self.assertIn("B 401020 401000 100000 0\n", got)
        self.assertLess(os.times().children_user - start, 100 if has_sanitizer(EVNAME, "asan", "tsan") else 10)

    def test_ranges_that_no_code_has(self):
        backwards = [(0x401010, 0x401000, PREDICTED), (0x401050, 0x401020, PREDICTED)]
        data = self.recorded(sample(1, backwards))
        self.assertEqual(self.export("bolt", data), "B 401010 401000 1 0\nT 401050 401020 401010 1\n")  # BOLT's to judge
        self.assertEqual(self.export("profgen", data), "0\n2\n10->0:1\n50->20:1\n")
        self.assertEqual(self.export("autofdo", data), "0\n1\n1000:1\n1\n1010->1000:1\n")

    def test_a_newest_branch_that_was_recorded_twice_counts_once_for_autofdo(self):
        """Unless it is a loop of up to 4096 bytes: PerfDataSampleReader::Append of AutoFDO's sample_reader.cc."""
        program = self.write("large", elf(size=3 * 4096))
        for last, expected in ((0x402000, "1\n1000-2000:1\n1\n1000:1\n1\n2000->1000:2\n"),
                               (0x402001, "0\n1\n1000:1\n1\n2001->1000:1\n")):
            loop = [(last, 0x401000, PREDICTED)] * 2
            data = self.write("loop.data", recording(mmap2(7, 0x401000, 3 * 4096, 4096, b"/opt/large", ID), sample(1, loop)))
            self.assertEqual(self.export("autofdo", data, binary=program), expected)

    def test_ranges_that_code_can_not_run_through(self):
        # mov $0xe9, %eax; lea 0xc3(%rsp,%rax,8), %rcx; jne: bytes of jumps and returns in other instructions.
        harmless = bytes.fromhex("b8e9000000" "488d8cc4c3000000" "0f85e9000000" "66c705e8ffffffc3e9")
        for leaving, ranges in (("", "1\n0-20:1\n"), ("e900000000", "0\n"), ("eb00", "0\n"), ("e800000000", "0\n"), ("c3", "0\n"),
                                ("f2c3", "0\n"), ("ffe0", "1\n0-20:1\n"), ("ffd0", "0\n"), ("c5f877", "1\n0-20:1\n")):
            code = self.write("code", elf(code=harmless + bytes.fromhex(leaving)))
            data = self.recorded(sample(1, [(0x401020, 0x401100, PREDICTED), (0x401050, 0x401000, PREDICTED)]), program=b"code")
            got = self.export("profgen", data, binary=code)
            self.assertTrue(got.startswith(ranges), (leaving, got))

    def test_kernel_branches_are_no_part_of_a_program(self):
        into = [(0x401020, 0x401000, PREDICTED), (0x401008, KERNEL, PREDICTED), (0x401050, 0x401004, PREDICTED)]
        data = self.recorded(sample(1, into))
        # perf2bolt drops such a branch as if it had not been there; llvm-profgen and AutoFDO see code outside.
        self.assertEqual(self.export("bolt", data), "B 401020 401000 1 0\nT 401050 401004 401020 1\n")
        self.assertEqual(self.export("profgen", data), "1\n4-8:1\n2\n20->0:1\n50->4:1\n")

    def test_position_independent(self):
        pie = self.write("pie", elf(kind=3, address=0x1000))
        start = 0x7f1234561000
        moved = [(start + (a - 0x401000), start + (b - 0x401000), flags) if a < 0x500000 and b < 0x500000 else (a, b, flags)
                 for a, b, flags in STACK[:2]]
        data = self.recorded(sample(1, moved), start=start)
        self.assertEqual(self.export("bolt", data, binary=pie), "B 1020 1000 1 0\nT 1050 1010 1020 1\nB 1050 1010 0 1\n")
        self.assertEqual(self.export("profgen", data, binary=pie), "1\n10-20:1\n2\n20->0:1\n50->10:1\n")

    def test_kernel(self):
        vmlinux = self.write("vmlinux", elf(address=KERNEL))
        moved = 0x2000000  # KASLR
        map = struct.pack("<iiQQQ", -1, 0, KERNEL + moved, 4096, KERNEL + moved) + perf_file.padded(b"[kernel.kallsyms]_text")
        branches = [(KERNEL + moved + 0x20, KERNEL + moved, PREDICTED), (KERNEL + moved + 0x50, KERNEL + moved + 8, PREDICTED)]
        data = self.write("kernel.data", recording(perf_file.record(1, map + perf_file.trailer(0), 1), sample(1, branches)))
        self.assertEqual(self.export("profgen", data, binary=vmlinux), "1\n8-20:1\n2\n20->0:1\n50->8:1\n")
        self.assertIn("B ffffffff81000020 ffffffff81000000 1 0\n", self.export("bolt", data, binary=vmlinux))

    def test_samples_alone(self):
        data = self.recorded(sample(1, [], 0x401010), sample(2, [], 0x401010), sample(3, [], 0x7f0000), sample(4, [], 0x401000, 8))
        self.assertEqual(self.export("bolt", data, options=["--nl"]), "E cycles:\nS 401010 2\n")
        self.assertEqual(self.export("autofdo", data, options=["--nl"]), "0\n1\n1010:2\n0\n")
        self.assertIn("needs branch stacks", self.export("profgen", data, options=["--nl"], code=2))
        self.assertIn("--nl takes the samples themselves", self.export("bolt", data, code=2))
        note = self.run_it("export", "--format", "bolt", "--nl", "--binary", self.program, "-o", "-", data).stderr
        self.assertIn("3 samples, 0 branches, 1 of them outside of it; 1 samples of others", note)

    def test_what_is_left_out_is_told(self):
        elsewhere = mmap2(8, 0x501000, 4096, 4096, b"/opt/program", ID, 2)
        one = self.recorded(sample(1, STACK), elsewhere, sample(3, STACK, pid=8), sample(4, []))
        for files, told in (([one], ["1 mapping of the file is not at the addresses", "1 sample has no branch stack"]),
                            ([one, one], ["2 mappings of the file are not at the addresses", "2 samples have no branch stack"])):
            done = self.run_it("export", "--format", "bolt", "--binary", self.program, "-o", "-", *files)
            for line in told:
                self.assertIn(line, done.stderr)

    def test_branches_of_spe(self):
        """Each branch, and the target of the one before it: the pairs of `perf script -F pid,brstack --itrace=bl`."""
        def branch(source, target, events, previous=None, time=10):
            more = spe.address(spe.PREVIOUS, previous, 0) if previous else b""
            return (spe.address(spe.PC, source, 0) + spe.context(7) + spe.operation(spe.BRANCH, 1) + spe.events(events) +
                    spe.address(spe.TARGET, target, 0) + more + spe.timestamp(time))
        def data_at(base):
            load = spe.address(spe.PC, base + 0x60, 0) + spe.context(7) + spe.operation(spe.LOAD_STORE, 0) + spe.timestamp(11)
            data = branch(base + 0x20, base, 2, base + 0x10) * 2 + branch(base + 0x50, base + 0x10, 0x82) + load
            mapped = spe.mmap(7, base, 4096, b"/opt/program", offset=4096)
            return spe.file(spe.time_conv(), spe.info(), mapped, spe.auxtrace(data + branch(0x7f0000, base + 0x40, 2, base + 0x30)))
        file = self.write("spe.data", data_at(0x401000))
        self.assertEqual(self.export("bolt", file, options=["--ignore-build-id"]),
                         "T 0 401010 401020 2\nB 0 401030 1 0\nB 0 401040 1 0\nB 401020 401000 2 0\nB 401050 401010 1 1\n")
        # perf2bolt takes a target without a branch for the fall-through alone, if the program is relocated.
        pie = self.write("pie", elf(kind=3, address=0x1000))
        moved = self.write("moved.data", data_at(0xaaaa12341000))
        self.assertEqual(self.export("bolt", moved, binary=pie, options=["--ignore-build-id", "--recorded-as", "/opt/program"]),
                         "F 1010 1020 2\nB 0 1040 1 0\nB 1020 1000 2 0\nB 1050 1010 1 1\n")
        self.assertEqual(self.export("autofdo", file, options=["--nl", "--ignore-build-id"]),
                         "0\n3\n1020:2\n1050:1\n1060:1\n0\n")
        done = self.run_it("script", "-i", file, "-F", "pid,brstack", "--itrace=bl")
        self.assertEqual(len(done.stdout.splitlines()), 4)

    def test_branches_without_a_source(self):
        """BRBE has target-only records (Arm ARM, BRBINF<n>_EL1.VALID 0b01). perf2bolt 22 has these counts: of a
        relocated program, nothing but the code up to the next branch."""
        pie, start = self.write("pie", elf(kind=3, address=0x1000)), 0xaaaa12341000
        for stack, fixed, relocated in (
                ([(0x50, 0x10), (None, 0x20)], "T 0 1020 1050 1\nB 1050 1010 1 0\n", "F 1020 1050 1\nB 1050 1010 1 0\n"),
                ([(None, 0x20), (0x50, 0x10)], "B 0 1020 1 0\nB 1050 1010 1 0\n", "B 1050 1010 1 0\n"),
                ([(None, None), (0x50, 0x10)], "B 1050 1010 1 0\n", "B 1050 1010 1 0\n"),
                ([(0x30, 0x40), (None, 0x20), (0x50, 0x10)], "T 0 1020 1030 1\nB 1030 1040 1 0\nB 1050 1010 1 0\n",
                 "F 1020 1030 1\nB 1030 1040 1 0\nB 1050 1010 1 0\n"),
                ([(0x30, None), (0x50, 0x10)], "B 1030 0 1 0\nT 1050 1010 1030 1\n", "B 1030 0 1 0\nT 1050 1010 1030 1\n")):
            def entries(base):
                return [(base + a if a else 0, base + b if b else 0, PREDICTED) for a, b in stack]
            data = self.recorded(sample(1, entries(start)), start=start)
            self.assertEqual(self.export("bolt", data, binary=pie), relocated, stack)
            data = self.recorded(sample(1, entries(0x401000)))
            self.assertEqual(self.export("bolt", data).replace(" 401", " 1"), fixed, stack)

    def test_which_file(self):
        data = self.recorded(sample(1, STACK), program=b"/elsewhere/moved")
        self.assertIn("B 401020", self.export("bolt", data))  # by its build id
        other = self.write("other", elf(build_id=bytes(20)[:19] + b"\1"))
        self.assertIn("no recording has the file; they have /elsewhere/moved", self.export("bolt", data, binary=other, code=2))
        known = ["--recorded-as", "/elsewhere/moved"]
        told = self.export("bolt", data, binary=other, options=known, code=2)
        self.assertIn("has build id " + ID.hex() + ", this one " + "00" * 19 + "01: it is not the one that ran", told)
        self.assertIn("B 401020", self.export("bolt", data, binary=other, options=[*known, "--ignore-build-id"]))
        # Without build ids, the name counts.
        plain = self.recorded(sample(1, STACK), build_id=None)
        self.assertIn("B 401020", self.export("bolt", plain))
        self.assertIn("no recording has the file", self.export("bolt", plain, binary=other, code=2))
        # A program without relocations is loaded where it is linked to.
        self.assertIn("other addresses", self.export("bolt", self.recorded(sample(1, STACK), start=0x501000), code=2))

    def test_bad_input(self):
        data = self.recorded(sample(1, STACK))
        for content in (b"", b"\x7fELF", elf()[:100], b"#!/bin/sh\n" * 20, elf().replace(struct.pack("<II", 1, 5), struct.pack("<II", 1, 4))):
            bad = self.write("bad", content)
            self.assertRegex(self.export("bolt", data, binary=bad, code=2), "no ELF file|program header . is not|no part of the file")
        self.assertIn("needs the file", self.run_it("export", "--format", "bolt", "-o", "-", data, code=2).stderr)
        self.assertIn("not for one binary", self.run_it("export", "--format", "speedscope", "--binary", self.program, "-o",
                                                        "-", data, code=2).stderr)
        # A stack that claims 2^20 branches is no sample, and its neighbours are.
        claims = struct.pack("<QQiiQQ", 1, 0x401000, 7, 7, 2, 1 << 20) + bytes(24 * 8)
        data = self.recorded(sample(1, STACK), perf_file.record(9, claims, 2), sample(3, STACK))
        done = self.run_it("export", "--format", "bolt", "--binary", self.program, "-o", "-", data, code=1)
        self.assertIn("B 401020 401000 2 0", done.stdout)
        self.assertIn("too short for its branch stack", done.stderr)
        # As long as a record can be.
        most = [(0x401020, 0x401000, PREDICTED)] * 2700
        self.assertEqual(self.export("bolt", self.recorded(sample(1, most))),
                         "T 401020 401000 401020 2699\nB 401020 401000 1 0\n")

    # In perf's place.

    def perf(self, *words, code=0):
        link = self.folder / "bin" / "perf"
        link.parent.mkdir(exist_ok=True)
        if not link.exists():
            link.symlink_to(EVNAME)
        return self.run_it(*words, code=code, command=link)

    def test_lines(self):
        task = perf_file.record(7, struct.pack("<iiiiQ", 8, 7, 8, 7, 3000) + perf_file.trailer(3000, 8))
        leave = perf_file.record(4, struct.pack("<iiiiQ", 8, 7, 8, 7, 9000) + perf_file.trailer(9000, 8))
        name = perf_file.record(3, struct.pack("<ii", 7, 7) + perf_file.padded(b"prog") + perf_file.trailer(1000, 7), 1 << 13)
        self.write("perf.data", recording(
            name, mmap2(7, 0x401000, 4096, 0, b"/opt/program", None, 2000), mmap2(7, 0x501000, 4096, 4096, b"/opt/lib", ID, 2500), task,
            sample(4000, STACK[:2]), leave))
        # The lines of perf 7.3 for this file.
        self.assertEqual(self.perf("script", "--show-mmap-events", "--show-task-events", "-F", "comm,pid,misc,time,brstack").stdout, """\
            prog       7 E         0.000001: PERF_RECORD_COMM exec: prog:7/7
            prog       7 U         0.000002: PERF_RECORD_MMAP2 7/7: [0x401000(0x1000) @ 0 08:01 77 5]: r-xp /opt/program
            prog       7 U         0.000002: PERF_RECORD_MMAP2 7/7: [0x501000(0x1000) @ 0x1000 <0102030405060708090a0b0c0d0e0f1011121314>]: r-xp /opt/lib
            prog       8           0.000003: PERF_RECORD_FORK(8:8):(7:7)
            prog       7 U         0.000004:  0x401020/0x401000/P/-/-/0//-  0x401050/0x401010/M/-/-/0//- \n\
            prog       8           0.000009: PERF_RECORD_EXIT(8:8):(7:7)
""")
        self.assertEqual(self.perf("script", "-F", "pid,brstack", "-f", "-i", "perf.data").stdout,
                         "      7  0x401020/0x401000/P/-/-/0//-  0x401050/0x401010/M/-/-/0//- \n")
        refused = self.perf("script", "-F", "pid,event,addr,ip", code=2).stderr
        self.assertIn("event do not have ADDR attribute set. Cannot print 'addr' field.", refused)
        self.assertEqual(self.perf("buildid-list").stdout, " " * 41 + "/opt/program\n")

    def test_lines_of_all_types(self):
        def at(time, tid=7):
            return perf_file.trailer(time * 1000, tid)

        namespaces = b"".join(struct.pack("<QQ", 4, 4026531800 + i) for i in range(7))
        records = [
            (3, 0, struct.pack("<ii", 7, 7) + perf_file.padded(b"prog") + at(1)),
            (1, 1 << 13, struct.pack("<iiQQQ", 7, 7, 0x7000, 0x2000, 0x1000) + perf_file.padded(b"/opt/data") + at(2)),
            (7, 0, struct.pack("<iiiiQ", 8, 7, 8, 7, 4000) + at(4, 8)),
            (14, 1 << 13, at(5)), (14, 0, at(6)),
            (15, 3 << 13, struct.pack("<ii", 9, 9) + at(7)), (15, 0, struct.pack("<ii", 9, 9) + at(8)),
            (16, 0, struct.pack("<iiQ", 7, 7, 7) + namespaces + at(9)),
            (19, 0, struct.pack("<Q", 42) + perf_file.padded(b"/user.slice") + at(10)),
            (2, 0, struct.pack("<QQ", 1, 5) + at(11)),
            (17, 0, struct.pack("<QIHH", 0xffffffffc0001000, 123, 1, 0) + perf_file.padded(b"bpf_prog_ab_main") + at(12)),
            (18, 0, struct.pack("<HHI8s", 1, 0, 31, bytes(8)) + at(13)),
        ]
        self.write("perf.data", perf_file.file(b"".join(perf_file.record(type, body, misc) for type, misc, body in records)))
        options = ["--show-%s-events" % kind for kind in ("mmap", "task", "switch", "namespace", "cgroup", "lost", "bpf")]
        # The lines of perf 7.3 for this file.
        self.assertEqual(self.perf("script", "-F", "comm,tid,time", *options).stdout, """\
            prog       7     0.000001: PERF_RECORD_COMM: prog:7/7
            prog       7     0.000002: PERF_RECORD_MMAP 7/7: [0x7000(0x2000) @ 0x1000]: r /opt/data
            prog       8     0.000004: PERF_RECORD_FORK(8:8):(7:7)
            prog       7     0.000005: PERF_RECORD_SWITCH OUT        \n\
            prog       7     0.000006: PERF_RECORD_SWITCH IN         \n\
            prog       7     0.000007: PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid:     9/9    \n\
            prog       7     0.000008: PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     9/9    \n\
            prog       7     0.000009: PERF_RECORD_NAMESPACES 7/7 - nr_namespaces: 7
\t\t[0/net: 4/0xefffffd8, 1/uts: 4/0xefffffd9, 2/ipc: 4/0xefffffda, 3/pid: 4/0xefffffdb, \n\
\t\t 4/user: 4/0xefffffdc, 5/mnt: 4/0xefffffdd, 6/cgroup: 4/0xefffffde]
            prog       7     0.000010: PERF_RECORD_CGROUP cgroup: 42 /user.slice
            prog       7     0.000011: PERF_RECORD_LOST lost 5
            prog       7     0.000012: PERF_RECORD_KSYMBOL addr ffffffffc0001000 len 123 type 1 flags 0x0 name bpf_prog_ab_main
            prog       7     0.000013: PERF_RECORD_BPF_EVENT type 1, flags 0, id 31
""")

    def test_what_is_not_taken_is_named(self):
        self.recorded(sample(1, STACK))
        for words, told in ((["kvm"], "kvm"), (["annotate"], "report --instructions"), ([], "without a subcommand"),
                            (["script", "--dlfilter", "x"], "--dlfilter"), (["script", "-g", "python"], "-g"),
                            (["script", "-F", "brstackinsn"], "record -b"), (["script", "mine.py"], "mine.py"),
                            (["buildid-list", "-k"], "-k")):
            self.assertIn(told, self.perf(*words, code=2).stderr)
        self.assertRegex(self.perf("--version").stdout, "^perf version 7")


unittest.main()
