#!/usr/bin/env python3
"""Which file is it? Things that differ only in a part of what identifies them: build id, inode, machine, release of
the kernel, spelling of the kernel's path, time. Every output must tell them apart. Usage: which_file_test.py EVNAME
yes|no (has it elfutils?)"""

import gzip
import json
import os
import pathlib
import platform
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import perf_file

EVNAME, HAS_ELF = sys.argv[1], sys.argv[2] == "yes"
MMAP2, KSYMBOL, IP = 10, 17, 1
USER, KERNEL, GUEST_KERNEL, BUILD_ID_INSIDE = 2, 1, 4, 1 << 14
BASE, TEXT, MODULE = 0x5555_0000_0000, 0xffffffff81000000, 0xffffffffc0300000
SECOND = 10**9
ID, OTHER_ID = bytes(range(20)), bytes(range(1, 21))
# Ways to print the functions of samples; what they print has to name a function, or not.
OUTPUTS = (["script", "-F", "ip,sym,dso"], ["report", "--json", "--sort", "sym"], ["annotate", "--json", "-F", "sym"],
           ["annotate", "--format", "folded"], ["export", "--format", "speedscope", "-o", "-"],
           ["export", "--format", "pprof", "-o", "-"])


def text(value):
    return struct.pack("<I", 64) + value.encode().ljust(64, b"\0")


def build_id(misc, id, name, pid=-1):
    body = struct.pack("<i", pid) + id + struct.pack("<B3x", len(id)) + name.encode().ljust(64, b"\0")
    return perf_file.record(0, body, misc | 1 << 15)


def mapped(name, id=None, inode=None, start=BASE, size=0x10000, offset=0, misc=USER, pid=1):
    """`inode`: major, minor, number, generation."""
    what = struct.pack("<B3x20s", len(id), id) if id else struct.pack("<IIQQ", *(inode or (0, 0, 0, 0)))
    body = struct.pack("<iiQQQ", pid, pid, start, size, offset) + what + struct.pack("<II", 5, 2)
    return perf_file.record(MMAP2, body + perf_file.padded(str(name).encode()) + perf_file.trailer(0),
                            misc | (BUILD_ID_INSIDE if id else 0))


def ksymbol(name, start, at, flags=0, size=0x90):
    body = struct.pack("<QIHH", start, size, 1, flags) + perf_file.padded(name.encode())
    return perf_file.record(KSYMBOL, body + perf_file.trailer(at))


def bpf_program(start, tag, lines, btf=9):
    """An entry of BPF_PROG_INFO with the arrays jited_ksyms, line_info, jited_line_info and prog_tags, as perf writes
    them. `lines`: address, place of the path, number, column."""
    arrays, at, data = 1 << 3 | 1 << 6 | 1 << 7 | 1 << 8, [], b""
    for content in (struct.pack("<Q", start),
                    b"".join(struct.pack("<IIII", i, path, 0, line << 10 | column) for i, (_, path, line, column) in enumerate(lines)),
                    b"".join(struct.pack("<Q", line[0]) for line in lines), bytes.fromhex(tag)):
        at.append(len(data))
        data += content
    info = bytearray(232)
    for offset, form, *values in ((0, "<II8s", 6, 102, bytes.fromhex(tag)), (64, "<16s", b"hot_filter"), (104, "<IIQ", 1, 0, at[0]),
                                  (128, "<I", btf), (148, "<IQQIIII", len(lines), at[1], at[2], len(lines), 16, 8, 1), (184, "<Q", at[3])):
        struct.pack_into(form, info, offset, *values)
    return struct.pack("<IIIQ", 1, len(info), len(data), arrays) + bytes(info) + data


def btf(texts, id=9):
    content = struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, 8, 8, len(texts)) + bytes(8) + texts
    return struct.pack("<III", 1, id, len(content)) + content


def sampled(ip, at=10, misc=USER):
    return perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQ", 1, ip, 1, 1, at), misc)


def recording(data, first=10, machine="x86_64", release="", host="", ids=b""):
    features = [(number, content) for number, content in
                ((2, ids), (3, host and text(host)), (4, release and text(release)), (6, machine and text(machine)),
                 (21, struct.pack("<QQ", first, first))) if content]
    return perf_file.file(data, [perf_file.attr(sample_type=perf_file.TYPE | IP)], features)


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def run_on(self, content, *arguments):
        path = self.folder / "perf.data"
        path.unlink(missing_ok=True)  # it is made anew, at the time of its samples
        path.write_bytes(content)
        done = subprocess.run([EVNAME, *arguments, *(["-i"] if arguments[0] in ("script", "buildid-list") else []), path],
                              capture_output=True,
                              env=dict(os.environ, HOME=str(self.folder / "nobody")))
        out = gzip.decompress(done.stdout) if done.stdout[:2] == b"\x1f\x8b" else done.stdout
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return out.decode(errors="replace"), done.stderr.decode()

    def check(self, content, function, known):
        """All outputs name the function, or none does. Returns what the first said on standard error."""
        told = None
        for output in OUTPUTS:
            out, stderr = self.run_on(content, *output)
            told = stderr if told is None else told
            (self.assertIn if known else self.assertNotIn)(function, out, (output, stderr))
        return told


@unittest.skipUnless(HAS_ELF and shutil.which("cc") and shutil.which("nm"), "no elfutils, or no compiler")
class OfAProcess(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        source = cls.folder / "program.c"
        source.write_text("int which_function(int a) { return a * 3; }\nint main(int c, char** v) { (void)v; return which_function(c); }\n")
        cls.program, cls.with_id = cls.folder / "program", cls.folder / "with_id"
        for path, id in ((cls.program, "none"), (cls.with_id, "0x" + ID.hex())):
            subprocess.run(["cc", "-pie", "-fPIE", f"-Wl,--build-id={id}", "-o", path, source], check=True)
        nm = subprocess.run(["nm", cls.program], check=True, capture_output=True, text=True).stdout
        # Of a small PIE, addresses are offsets.
        cls.ip = BASE + next(int(line.split()[0], 16) for line in nm.splitlines() if line.endswith(" which_function"))
        info = cls.program.stat()
        cls.inode = (os.major(info.st_dev), os.minor(info.st_dev), info.st_ino, 0)

    def named(self, known, warned, inode=None, id=None, program=None, ago=0, **keys):
        now = time.clock_gettime_ns(time.CLOCK_MONOTONIC) - ago
        here = dict(machine=platform.machine(), release=os.uname().release, host=os.uname().nodename)
        data = mapped(program or self.program, id, inode) + sampled(self.ip, now)
        told = self.check(recording(data, now, **(here | keys)), "which_function", known)
        (self.assertIn if warned else self.assertNotIn)("1 file without a build id was taken", told)
        return told

    def test_a_build_id_decides(self):
        for id, program, known in ((ID, self.with_id, True), (OTHER_ID, self.with_id, False), (ID, self.program, False)):
            with self.subTest(id=id, program=program):
                self.named(known, False, id=id, program=program)

    def test_one_of_the_list_is_as_good(self):
        for id, known in ((ID, True), (OTHER_ID, False)):
            self.named(known, False, program=self.with_id, ids=build_id(USER, id, str(self.with_id)))
        # The build id of a guest's file belongs to another file.
        self.named(True, True, program=self.with_id, ids=build_id(5, OTHER_ID, str(self.with_id), 77))

    def test_without_one_the_inode_does(self):
        major, minor, number, _ = self.inode
        self.named(True, False, self.inode)
        for other in ((major, minor, number + 1, 0), (major, minor + 1, number, 0), (major + 1, minor, number, 0)):
            with self.subTest(other):
                self.assertIn("-v", self.named(False, False, other))

    def test_what_was_changed_since_is_another_file(self):
        changed = self.folder / "changed"
        shutil.copy(self.program, changed)
        inode = self.inode[:2] + (changed.stat().st_ino, 0)
        self.named(True, False, inode, program=changed)
        os.utime(changed, (time.time() + 100,) * 2)
        self.named(False, False, inode, program=changed)

    def test_perf_inject_writes_files_later_and_makes_up_a_generation(self):
        for name, known in (("jitted-1-20.so", True), ("jitted-1-a.so", False), ("jitted.so", False)):
            with self.subTest(name):
                written = self.folder / name
                shutil.copy(self.program, written)
                os.utime(written, (time.time() + 100,) * 2)
                self.named(known, False, self.inode[:2] + (written.stat().st_ino, 1), program=written)
        self.named(False, False, self.inode[:2] + (self.inode[2], 1), program=self.folder / "jitted-1-20.so")

    def test_elsewhere_only_the_path_is_left_and_that_is_said(self):
        other = self.inode[:2] + (self.inode[2] + 1, 0)
        for keys in (dict(host="another"), dict(release="2.6.32"), dict(host=""), dict(ago=-10**6 * SECOND)):
            with self.subTest(keys):
                self.named(True, True, other, **keys)
        self.named(True, True)  # a record without an inode
        _, told = self.run_on(recording(mapped(self.program) + sampled(self.ip)), "script", "-v")
        self.assertIn(f"{self.program}: known by its path alone", told)

    def test_a_file_for_another_machine_is_never_used(self):
        for machine in ("s390x", "aarch64", "ppc64le"):
            if machine != platform.machine():
                self.named(False, False, machine=machine)

    @unittest.skipUnless(platform.machine() == "x86_64", "the vdso of x86-64")
    def test_the_vdso_is_of_a_release_and_a_machine(self):
        here = dict(machine=platform.machine(), release=os.uname().release)
        for start, known, keys in ((0x7ffff7fc0000, True, {}), (0x7ffff7fc0000, False, dict(release="2.6.32")),
                                   (0x7ffff7fc0000, False, dict(machine="s390x")), (0xf7fc0000, False, {}),
                                   (0x7ffff7fc0000, False, dict(machine="")), (0x7ffff7fc0000, False, dict(release=""))):
            with self.subTest(start=start, **keys):
                data = mapped("[vdso]", start=start, size=0x2000)
                data += b"".join(sampled(start + at, 10 + at) for at in range(0x400, 0x2000, 0x10))
                self.check(recording(data, **(here | keys)), "__vdso_clock_gettime", known)


class OfTheKernel(Case):
    def kernel(self, name):
        return mapped(name, start=TEXT, size=0x1000000, offset=TEXT, misc=KERNEL, pid=-1)

    # perf 7.3 prints the same ids; it calls the kernel by the entry's path as long as it has no symbols of it.
    def test_it_has_the_id_of_its_entry_by_whatever_path(self):
        for name in ("[kernel.kallsyms]_text", "[kernel.kallsyms]_stext", "[kernel.kallsyms]"):
            for path in ("[kernel.kallsyms]", "/boot/vmlinux", "/lib/modules/6.8.0/build/vmlinux"):
                with self.subTest(name=name, path=path):
                    ids = build_id(GUEST_KERNEL, OTHER_ID, "[guest.kernel.kallsyms]", 77)
                    ids += build_id(KERNEL, OTHER_ID, "/lib/modules/6.8.0/kernel/fs/foo.ko") + build_id(KERNEL, ID, path)
                    data = self.kernel(name) + sampled(TEXT + 16, misc=KERNEL)
                    out, _ = self.run_on(recording(data, ids=ids), "buildid-list", "-H")
                    self.assertEqual(out, f"{ID.hex()} [kernel.kallsyms]\n")
                    out, _ = self.run_on(recording(data, ids=ids), "script", "-F", "ip,dso")
                    self.assertEqual(out.split()[1:], [f"({path})"])

    # As perf 7.3 prints them: an entry with the module's name gives its path.
    def test_modules_are_known_by_their_names(self):
        data = self.kernel("[kernel.kallsyms]_text")
        data += mapped("/lib/modules/6.8.0/kernel/fs/foo-fs.ko.xz", start=MODULE, size=0x5000, misc=KERNEL, pid=-1)
        data += sampled(MODULE + 16, misc=KERNEL)
        kernel = build_id(KERNEL, ID, "[kernel.kallsyms]")
        for entry, shown in (("/lib/modules/6.8.0/kernel/fs/foo-fs.ko.xz", None), ("/old/foo_fs.ko", None),
                             ("/lib/modules/6.8.0/kernel/fs/bar.ko", "[foo_fs]"), ("[foo_fs]", None)):
            with self.subTest(entry):
                content = recording(data, ids=kernel + build_id(KERNEL, OTHER_ID, entry))
                self.assertEqual(self.run_on(content, "script", "-F", "ip,dso")[0].split()[1:], [f"({shown or entry})"])
                out, _ = self.run_on(content, "buildid-list", "-H")
                (self.assertNotIn if shown else self.assertIn)(f"{OTHER_ID.hex()} {entry}\n", out)

    def test_variables_of_the_kernel_are_behind_its_image(self):
        """perf 7.3 names them: what kallsyms has behind the recorded end of the kernel is the kernel's."""
        kallsyms = self.folder / "kallsyms"
        kallsyms.write_text(f"{TEXT:x} T _text\n{TEXT + 0x1000:x} T reader\n{TEXT + 0x800000:x} T _etext\n"
                            f"{TEXT + 0x1000000:x} D my_lock\n{TEXT + 0x1001000:x} D other\n{TEXT + 0x1002000:x} B _end\n")
        body = struct.pack("<iiQQQ", -1, 0, TEXT, 0x800000, TEXT) + perf_file.padded(b"[kernel.kallsyms]_text")
        data = perf_file.record(perf_file.MMAP, body + perf_file.trailer(0), KERNEL)
        for i, place in enumerate((TEXT + 0x1000040, TEXT + 0x1001008, TEXT + 0x9000000)):
            data += perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQQ", 1, TEXT + 0x1010, 1, 1, 10 + i, place), KERNEL)
        content = perf_file.file(data, [perf_file.attr(sample_type=perf_file.TYPE | IP | 8)])
        out, _ = self.run_on(content, "report", "--json", "--sort", "symbol_daddr,dso_daddr", "--kallsyms", kallsyms)
        rows = {(row["symbol_daddr"], row["dso_daddr"]) for row in map(json.loads, out.splitlines())}
        self.assertEqual(rows, {("my_lock+0x40", "[kernel.kallsyms]"), ("other+0x8", "[kernel.kallsyms]"),
                                (f"{TEXT + 0x9000000:#x}", None)})

    def test_lines_of_bpf_programs(self):
        tag, texts = "3cb88fc1071bd964", b"\0/src/filter.bpf.c\0"
        lines = [(MODULE, 1, 7, 3), (MODULE + 8, 1, 9, 1), (MODULE + 32, 1, 7, 5)]
        cases = ((tag, btf(texts), ["/src/filter.bpf.c:7", "/src/filter.bpf.c:9", "/src/filter.bpf.c:7"]),
                 ("1111111111111111", btf(texts), [None] * 3), (tag, btf(texts, id=8), [None] * 3),
                 (tag, btf(texts)[:-4], [None] * 3))
        for of, types, right in cases:
            with self.subTest(of=of, right=right):
                data = self.kernel("[kernel.kallsyms]_text") + ksymbol(f"bpf_prog_{of}_hot_filter", MODULE, 1)
                data += b"".join(sampled(MODULE + at, 10 + at, KERNEL) for at in (7, 8, 0x8f))
                features = [(25, bpf_program(MODULE, tag, lines)), (26, types)]
                out, _ = self.run_on(perf_file.file(data, [perf_file.attr(sample_type=perf_file.TYPE | IP)], features),
                                     "annotate", "--json", "-F", "sym,srcline")
                rows = [json.loads(line) for line in out.splitlines()]
                self.assertEqual([row["srcline"] for row in rows], right)
                self.assertEqual({row["sym"] for row in rows}, {f"bpf_prog_{of}_hot_filter"})

    def test_functions_that_the_kernel_made_are_those_of_their_time(self):
        data = self.kernel("[kernel.kallsyms]_text") + ksymbol("bpf_prog_1_first", MODULE, 1) + sampled(MODULE + 16, 10, KERNEL)
        data += ksymbol("bpf_prog_1_first", MODULE, 11, 1) + sampled(MODULE + 16, 20, KERNEL)
        data += ksymbol("bpf_prog_2_second", MODULE, 21) + sampled(MODULE + 32, 30, KERNEL) + sampled(MODULE + 0x90, 40, KERNEL)
        out, _ = self.run_on(recording(data), "script", "-F", "ip,sym,symoff,dso")
        self.assertEqual([line.split()[1:] for line in out.splitlines()],
                         [["bpf_prog_1_first+0x10", "(bpf_prog_1_first)"], ["[unknown]", "([unknown])"],
                          ["bpf_prog_2_second+0x20", "(bpf_prog_2_second)"], ["[unknown]", "([unknown])"]])
        for name in ("bpf_prog_1_first", "bpf_prog_2_second"):
            self.check(recording(data), name, True)

    # .init.text is behind _etext, where the recorded mapping ends. A module's symbols are not the kernel's.
    def test_the_kernel_reaches_as_far_as_its_symbols(self):
        kallsyms = self.folder / "kallsyms"
        kallsyms.write_text(f"{TEXT:x} T _text\n{TEXT + 0x1000000:x} T _etext\n{TEXT + 0x1800000:x} T start_kernel\n"
                            f"{TEXT + 0x1801000:x} T _einittext\n{MODULE:x} t in_module\t[foo]\n")
        data = self.kernel("[kernel.kallsyms]_text")
        data += sampled(TEXT + 0x1800010, 10, KERNEL) + sampled(MODULE + 16, 20, KERNEL) + sampled(TEXT - 16, 30, KERNEL)
        out, _ = self.run_on(recording(data), "script", "-F", "ip,sym,symoff,dso", "--kallsyms", kallsyms)
        self.assertEqual([line.split()[1:] for line in out.splitlines()],
                         [["start_kernel+0x10", "([kernel.kallsyms])"]] + [["[unknown]", "([unknown])"]] * 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
