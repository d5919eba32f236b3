#!/usr/bin/env python3
"""Files that a recording, or a file of its programs, names: what is no regular file is not opened, what grows without
end is left out and told, and ".." leads out of no tree. Usage: planted_test.py EVNAME yes|no (has it elfutils?)"""

import bz2
import gzip
import lzma
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

import perf_file as perf
from sanitizers import has_sanitizer

EVNAME, HAS_ELF = sys.argv[1], sys.argv[2] == "yes"
SANITIZED = has_sanitizer(EVNAME, "asan", "tsan")
IS_ROOT = os.geteuid() == 0
BASE, SIZE, IP = 0x500000, 0x1000, 1
MMAP2, PROGBITS, SYMTAB, STRTAB = 10, 1, 2, 3
COMPRESSED = 0x800
LEFT_OUT = "becomes too large, or takes too long, to be read: it is left out"


def elf(sections=(), names=("function",), build_id=b"\x5a" * 20):
    """A program with a function at its start for each name; `sections`: (name, bytes, flags)."""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in names)
    symbols, at = bytes(24), 1
    for name in names:
        symbols += struct.pack("<IBBHQQ", at, 0x12, 0, 1, BASE, SIZE)
        at += len(name.encode()) + 1
    note = struct.pack("<III4s", 4, len(build_id), 3, b"GNU\0") + build_id
    rows = [(b"", b"", 0, 0), (b".text", bytes(SIZE), PROGBITS, 6), (b".symtab", symbols, SYMTAB, 0),
            (b".strtab", strings, STRTAB, 0), (b".note.gnu.build-id", note, 7, 2)]
    rows += [(name.encode(), content, PROGBITS, flags) for name, content, flags in sections]
    heading = b"\0" + b"".join(name + b"\0" for name, *_ in rows) + b".shstrtab\0"
    rows.append((b".shstrtab", heading, STRTAB, 0))
    body, headers = b"", b""
    for index, (name, content, kind, flags) in enumerate(rows):
        body += bytes(-len(body) % 8)
        place = 64 + 56 + len(body)
        link, entry = (3, 24) if kind == SYMTAB else (0, 0)
        headers += struct.pack("<IIQQQQIIQQ", heading.index(name + b"\0") if name else 0, kind, flags, BASE if index == 1 else 0,
                               place if index else 0, len(content), link, 0, 8 if index else 0, entry)
        body += content
    body += bytes(-len(body) % 8)
    program = struct.pack("<IIQQQQQQ", 1, 5, 64 + 56, BASE, BASE, SIZE, SIZE, 0x1000)
    start = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 62, 1, 0, 64, 64 + 56 + len(body), 0, 64, 56, 1, 64, len(rows),
                        len(rows) - 1)
    return start + program + body + headers


def mapped(name, start=BASE, pid=1):
    body = struct.pack("<iiQQQ", pid, pid, start, SIZE, 120) + struct.pack("<IIQQII", 0, 0, 0, 0, 5, 2)
    return perf.record(MMAP2, body + perf.padded(str(name).encode()) + perf.trailer(1, pid), 2)


def recording(*names, start=BASE, pids=(1,)):
    """A sample of each process, which has mapped these files."""
    data = b"".join(mapped(name, start, pid) for pid in pids for name in names)
    data += b"".join(perf.record(perf.SAMPLE, struct.pack("<QQiiQ", 1, start + 0x10, pid, pid, 10), 2) for pid in pids)
    return perf.file(data, [perf.attr(sample_type=perf.TYPE | IP)], [(6, struct.pack("<I64s", 64, b"x86_64"))])


def zeros(pack, count=600):
    """So many megabytes, packed by an object that compresses piece by piece."""
    piece = bytes(1 << 20)
    return b"".join(pack.compress(piece) for _ in range(count)) + pack.flush()


def cxx_bomb(levels=60):
    """A<A<…>, A<…>>: each of its parameters is twice as long as the one before."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    def number(index):
        return (number(index // 36) if index >= 36 else "") + digits[index % 36]
    return "_Z1f1AIiiE" + "".join(f"S_IS{number(i)}_S{number(i)}_E" for i in range(levels))


def rust_bomb(levels=60):
    """Tuples of two references to the tuple before."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    name, before = "INvC1a1fTmmE", len("INvC1a1f")
    for _ in range(levels):
        at, left, place = len(name), before - 1, ""
        while True:
            place = digits[left % 62] + place
            left //= 62
            if left == 0:
                break
        name += f"TB{place}_B{place}_E"
        before = at
    return "_R" + name + "E"


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.home = self.folder / "home"
        self.symfs = self.folder / "tree"
        self.symfs.mkdir()

    def symbols(self, *names, symfs=None, limit=4 << 30, seconds=60, **how):
        """The lines of the sample with a function, source and calls, and the messages."""
        path = self.folder / "perf.data"
        path.write_bytes(recording(*names, **how))

        def limits():
            if not SANITIZED:
                resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        words = [EVNAME, "annotate", "-F", "sym,srcline,frames", "--json", "-v", str(path)]
        words += ["--symfs", str(symfs)] if symfs else []
        begun = time.monotonic()
        done = subprocess.run(words, capture_output=True, text=True, preexec_fn=limits, timeout=seconds, stdin=subprocess.DEVNULL,
                              env=dict(os.environ, HOME=str(self.home), DEBUGINFOD_URLS="", XDG_CACHE_HOME=str(self.home)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(time.monotonic() - begun, seconds)
        return done.stdout, done.stderr

    def kinds(self):
        """Makes each kind of file that is not to be opened."""
        yield "fifo", os.mkfifo
        yield "link to a device", lambda path: path.symlink_to("/dev/zero")
        yield "link to a fifo", lambda path: (os.mkfifo(self.folder / "fifo"), path.symlink_to(self.folder / "fifo"))
        yield "directory", lambda path: path.mkdir()
        if IS_ROOT:
            yield "device", lambda path: os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))  # as /dev/zero

    def each_kind(self, path):
        for kind, make in self.kinds():
            with self.subTest(kind):
                path.parent.mkdir(parents=True, exist_ok=True)
                make(path)
                yield kind
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
                (self.folder / "fifo").unlink(missing_ok=True)


class NoRegularFiles(Case):
    def test_mapped_files(self):
        for _ in self.each_kind(self.symfs / "lib/program"):
            self.symbols("/lib/program", symfs=self.symfs, seconds=20)
            self.symbols(self.symfs / "lib/program", seconds=20)

    def test_functions_of_compilers(self):
        dump = f"{self.folder}/jit-1.dump"
        for kind in self.each_kind(self.folder / "jit-1.dump"):
            out, told = self.symbols(dump, "//anon", seconds=20)
            self.assertRegex(told, f"{dump}: (not a regular file|is a directory)", kind)
        for kind in self.each_kind(self.symfs / "tmp/perf-1.map"):
            _, told = self.symbols("//anon", symfs=self.symfs, seconds=20)
            # Links are followed as if the tree were the root, where there is no such file.
            expected = "there is no .*tmp/perf-1.map" if kind.startswith("link") else "tmp/perf-1.map: (not a regular file|is a directory)"
            self.assertRegex(told, expected, kind)

    def test_files_of_the_kernel(self):
        """They are regular, and reading /proc/kmsg takes the messages from the system's log; /proc/version is as large."""
        dump = self.folder / "jit-1.dump"
        dump.symlink_to("/proc/version")
        _, told = self.symbols(dump, "//anon")
        self.assertIn("jit-1.dump: is empty", told)
        if shutil.which("strace"):
            self.symbols("/proc/version")
            done = subprocess.run(["strace", "-f", "-e", "trace=openat", EVNAME, "annotate", "-F", "sym", self.folder / "perf.data"],
                                  capture_output=True, text=True)
            self.assertNotIn('"/proc/version"', done.stderr)

    @unittest.skipUnless(HAS_ELF, "evname is built without elfutils")
    def test_files_of_debug_information(self):
        program = self.folder / "program"
        # A unit of DWARF 5 whose information is in "split", by DW_AT_dwo_name and a unit of DW_UT_skeleton.
        abbreviations = bytes([1, 0x11, 0, 0x76, 8, 0x11, 1, 0x12, 7, 0, 0, 0])
        die = b"\1split\0" + struct.pack("<QQ", BASE, SIZE)
        unit = struct.pack("<HBBIQ", 5, 4, 8, 0, 1) + die
        split = [(".debug_abbrev", abbreviations, 0), (".debug_info", struct.pack("<I", len(unit)) + unit, 0)]
        # A name in the supplementary file.
        abbreviations = bytes([1, 0x11, 1, 3]) + b"\xa1\x3e" + bytes([0x11, 1, 0x12, 7, 0, 0, 2, 0x2e, 1, 3]) + b"\xa1\x3e" + \
            bytes([0x11, 1, 0x12, 7, 0, 0, 3, 0x1d, 0, 3]) + b"\xa1\x3e" + bytes([0x11, 1, 0x12, 7, 0, 0, 0])
        range_of = struct.pack("<QQ", BASE, SIZE)
        dies = b"".join(bytes([i]) + struct.pack("<I", 1) + range_of for i in (1, 2, 3)) + bytes(2)
        unit = struct.pack("<HIB", 4, 0, 8) + dies
        alternative = [(".debug_abbrev", abbreviations, 0), (".debug_info", struct.pack("<I", len(unit)) + unit, 0),
                       (".gnu_debugaltlink", b"alternative\0" + b"\x11" * 20, 0)]
        link = [(".gnu_debuglink", b"linked\0\0" + bytes(4), 0)]
        for name, sections in (("split", split), ("alternative", alternative), ("linked", link)):
            program.write_bytes(elf(sections))
            self.assertIn('"sym":"function"', self.symbols(program, seconds=20)[0].replace(" ", ""))
            for kind in self.each_kind(self.folder / name):
                with self.subTest(name):
                    out, told = self.symbols(program, seconds=20)
                    self.assertIn('"sym":"function"', out.replace(" ", ""))
                    if name == "split" and kind != "directory":
                        self.assertIn("split: not a regular file", told)

    def test_streams_of_a_directory(self):
        place = self.folder / "directory"
        place.mkdir()
        data = perf.file(perf.sample(1), features=[(perf.DIR_FORMAT, struct.pack("<Q", 1))])
        (place / "data").write_bytes(data)
        (place / "data.0").write_bytes(perf.sample(10))
        (place / "data.2").write_bytes(perf.sample(12))
        for kind in self.each_kind(place / "data.1"):
            for words in (["annotate"], ["report"], ["info", "--records"], ["export", "--format", "speedscope", "-o", "/dev/null"]):
                done = subprocess.run([EVNAME, *words, place], capture_output=True, text=True, timeout=20)
                self.assertEqual(done.returncode, 1, (words, done.stderr))
                self.assertRegex(done.stderr, "data.1: (not a regular file|is a directory): its samples are not read")
                self.assertNotIn("data.1 is missing", done.stderr)
            self.assertEqual(subprocess.run([EVNAME, "annotate", place], capture_output=True).stdout.count(b"\n"), 3)
        (place / "data").unlink()
        for _ in self.each_kind(place / "data"):
            done = subprocess.run([EVNAME, "report", place], capture_output=True, text=True, timeout=20)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, "data: (not a regular file|is a directory)")

    @unittest.skipUnless(IS_ROOT, "only root may be another user")
    def test_functions_of_another_users_files(self):
        """perf takes the first two; the owner of the process is ours. Process 1 is root's, and the process of the
        recording."""
        place = self.symfs / "tmp/perf-1.map"
        place.parent.mkdir()
        place.write_text(f"{BASE:x} 1000 compiled\n")
        out, _ = self.symbols("//anon", symfs=self.symfs)
        self.assertIn("compiled", out)
        os.chown(place, 1234, 1234)
        out, told = self.symbols("//anon", symfs=self.symfs)
        self.assertNotIn("compiled", out)
        self.assertIn("perf-1.map: belongs to user 1234: not used", told)


class Trees(Case):
    def test_dots_lead_out_of_no_tree(self):
        outside = self.folder / "outside"
        outside.mkdir()
        (outside / "jit-1.dump").write_bytes(b"")
        (outside / "program").write_bytes(elf())
        for name in ("/../outside/program", "/lib/../../outside/program", "/lib/../../../../../../.." + str(outside / "program")):
            out, told = self.symbols(name, symfs=self.symfs)
            self.assertNotIn("function", out.replace('"function', ""))
            self.assertNotIn("symbols of", told)
        (self.symfs / "outside").mkdir()
        (self.symfs / "outside/program").write_bytes(elf(names=["inside"]))
        if HAS_ELF:
            self.assertIn('"inside"', self.symbols("/../outside/program", symfs=self.symfs)[0])
        _, told = self.symbols("/../outside/jit-1.dump", "//anon", symfs=self.symfs)
        self.assertNotIn("not a jitdump", told)

    @unittest.skipUnless(HAS_ELF, "evname is built without elfutils")
    def test_a_link_is_a_name(self):
        (self.symfs / "program").write_bytes(elf([(".gnu_debuglink", b"../debug\0\0\0\0" + bytes(4), 0)], names=[]))
        (self.folder / "debug").write_bytes(elf(names=["outside"]))
        self.assertNotIn("outside", self.symbols("/program", symfs=self.symfs)[0])
        (self.symfs / "debug").write_bytes(elf(names=["inside"]))
        self.assertIn('"inside"', self.symbols("/program", symfs=self.symfs)[0])


class Bombs(Case):
    @unittest.skipUnless(HAS_ELF, "evname is built without elfutils")
    def test_packed_files(self):
        bombs = {"gz": zeros(zlib.compressobj(1, zlib.DEFLATED, 31)), "bz2": zeros(bz2.BZ2Compressor(1)),
                 "xz": zeros(lzma.LZMACompressor(preset=0))}
        packers = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
        for name, bomb in bombs.items():
            with self.subTest(name):
                self.assertLess(len(bomb), 4 << 20)
                path = self.folder / "program"
                path.write_bytes(packers[name](elf()))
                self.assertIn('"function"', self.symbols(path)[0])
                path.write_bytes(bomb)
                _, told = self.symbols(path, limit=1 << 30)
                self.assertEqual(told.count(f"{path} {LEFT_OUT}"), 1, told)
                path.write_bytes(elf([(".gnu_debugdata", bomb, 0)], names=[]))
                _, told = self.symbols(path, limit=1 << 30)
                self.assertEqual(told.count(f"{path} (.gnu_debugdata) {LEFT_OUT}"), 1, told)

    @unittest.skipUnless(HAS_ELF, "evname is built without elfutils")
    def test_compressed_sections(self):
        packed = zeros(zlib.compressobj(9))
        path = self.folder / "program"
        for sections in ([(".debug_info", struct.pack("<IIQQ", 1, 0, 600 << 20, 1) + packed, COMPRESSED)],
                         [(".zdebug_info", b"ZLIB" + struct.pack(">Q", 600 << 20) + packed, 0)]):
            path.write_bytes(elf(sections))
            out, told = self.symbols(path, limit=1 << 29)
            self.assertIn('"function"', out)
            self.assertIn(f"{path} {LEFT_OUT}", told)

    def plant(self, index, content, hole=0, kind=None, before=None):
        """Gives a section of the program other bytes, and a hole after them."""
        program = bytearray(before or elf())
        program += bytes(-len(program) % 8)
        place = struct.unpack_from("<Q", program, 40)[0] + 64 * index
        struct.pack_into("<QQ", program, place + 24, len(program), len(content) + hole)
        if kind is not None:
            struct.pack_into("<I", program, place + 4, kind)
        return bytes(program) + content

    def with_sections(self, count, header, program):
        """Adds so many sections to a program."""
        at, size, rows = struct.unpack_from("<Q", program, 40)[0], 64, struct.unpack_from("<H", program, 60)[0]
        heads = program[at:at + size * rows]
        out = bytearray(program + bytes(-len(program) % 8))
        struct.pack_into("<Q", out, 40, len(out))
        struct.pack_into("<H", out, 60, rows + count)
        return bytes(out) + heads + b"".join(header(i) for i in range(count))

    @unittest.skipUnless(HAS_ELF, "evname is built without elfutils")
    def test_sections_with_holes(self):
        path = self.folder / "program"
        packed = elf([(".gnu_debugdata", bytes(8), 0)], names=[])  # after the sections of elf()
        for index, before in ((2, None), (3, None), (4, None), (5, packed)):
            with self.subTest(index):
                path.write_bytes(self.plant(index, b"", 24 * (300 << 20), before=before))
                os.truncate(path, path.stat().st_size + 24 * (300 << 20))
                _, told = self.symbols(path, seconds=20)
                self.assertIn(f"{path} {LEFT_OUT}", told)

    @unittest.skipUnless(HAS_ELF, "evname is built without elfutils")
    def test_the_same_bytes_again_and_again(self):
        path = self.folder / "program"
        def symbol(name, at):
            return struct.pack("<IBBHQQ", name, 0x12, 0, 1, BASE + at % SIZE, 1)
        long_name = b"\0" + b"a" * (8 << 20) + b"\0"
        no_end = b"\0a\0" + b"a" * (64 << 20)
        notes = self.plant(4, bytes(4 << 20), kind=1)
        heading = bytearray(self.plant(5, long_name))
        zero_notes = self.with_sections(60000, lambda i: struct.pack("<IIQQQQIIQQ", 0, 7, 2, 0, len(notes) - (4 << 20), 4 << 20, 0, 0, 4, 0), notes)
        same_headings = self.with_sections(60000, lambda i: struct.pack("<IIQQQQIIQQ", 1 + i, 1, 2, 0, 64, 16, 0, 0, 8, 0), bytes(heading))
        same_names = self.plant(2, b"".join(symbol(1 + i, i) for i in range(100000)), before=self.plant(3, long_name))
        names_without_end = self.plant(2, b"".join(symbol(5 + i, i) for i in range(100000)), before=self.plant(3, no_end))
        packed = struct.pack("<IIQQ", 1, 0, 600 << 20, 1) + zeros(zlib.compressobj(9))
        packed_names = bytearray(self.plant(3, packed))
        struct.pack_into("<Q", packed_names, struct.unpack_from("<Q", packed_names, 40)[0] + 64 * 3 + 8, COMPRESSED)
        for name, program in (("notes", zero_notes), ("headings", same_headings), ("names", same_names),
                              ("no end", names_without_end), ("packed names", packed_names)):
            with self.subTest(name):
                path.write_bytes(program)
                self.symbols(path, limit=1 << 29, seconds=20)
        path.write_bytes(same_names)
        self.assertIn(f"list of symbols {LEFT_OUT}", self.symbols(path)[1])

    @unittest.skipUnless(HAS_ELF, "evname is built without elfutils")
    def test_stubs_of_one_function(self):
        """Each would have a copy of its name: 60 GB."""
        count, long_name = 200000, b"\0" + b"a" * (300 << 10) + b"\0"
        relocations = b"".join(struct.pack("<QQq", BASE + i * 8, 1 << 32 | 7, 0) for i in range(count))
        jumps = b"".join(struct.pack("<HiBIBI", 0x25ff, BASE + i * 8 - (16 * i + 6), 0x68, i, 0xe9, 0) for i in range(count))
        program = bytearray(elf([(".plt", jumps, 6), (".rela.plt", relocations, 2)]))
        rela = struct.unpack_from("<Q", program, 40)[0] + 64 * 6
        struct.pack_into("<Q", program, rela + 56, 24)  # the size of an entry
        struct.pack_into("<I", program, rela + 4, 4)   # SHT_RELA
        struct.pack_into("<I", program, rela + 40, 2)  # its symbols
        symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 0, 0, 0)
        path = self.folder / "program"
        path.write_bytes(self.plant(2, symbols, before=self.plant(3, long_name, before=bytes(program))))
        self.assertIn(f"list of stubs {LEFT_OUT}", self.symbols(path, limit=3 << 30)[1])

    @unittest.skipUnless(HAS_ELF, "evname is built without elfutils")
    def test_names_that_grow(self):
        for name in (cxx_bomb(30), cxx_bomb(), rust_bomb()):
            with self.subTest(name):
                path = self.folder / "program"
                path.write_bytes(elf(names=[name]))
                out, _ = self.symbols(path, limit=1 << 29, seconds=20)
                self.assertIn(name, out)
                # Each pair at an address is compared by what it means.
                path.write_bytes(elf(names=[name, name + "v"] * 5000))
                self.symbols(path, limit=1 << 29, seconds=60)

    def test_maps_with_holes(self):
        """Each takes one block of the disk."""
        pids = range(1, 41)
        (self.symfs / "tmp").mkdir()
        for pid in pids:
            with open(self.symfs / f"tmp/perf-{pid}.map", "wb") as file:
                file.write(f"{BASE:x} 1000 compiled{pid}\n".encode())
                file.truncate(8 << 30)
        out, told = self.symbols("//anon", symfs=self.symfs, limit=1 << 29, pids=pids)
        for pid in pids:
            self.assertIn(f'"compiled{pid}"', out)
            self.assertIn(f"part of {self.symfs}/tmp/perf-{pid}.map {LEFT_OUT}", told)

    @unittest.skipUnless(IS_ROOT, "only root may read it")
    def test_a_list_of_the_kernel_that_is_its_log(self):
        """Reading /proc/kmsg would take its messages from the system's log."""
        cached = self.home / ".debug/[kernel.kallsyms]" / ("5a" * 20) / "kallsyms"
        cached.parent.mkdir(parents=True)
        cached.symlink_to("/proc/kmsg")
        start, name = 0xffffffff81000000, b"[kernel.kallsyms]"
        body = struct.pack("<iiQQQ", -1, 0, start, SIZE, start) + perf.padded(name + b"_text") + perf.trailer(1)
        data = perf.record(perf.MMAP, body, 1)
        data += perf.record(perf.SAMPLE, struct.pack("<QQiiQ", 1, start + 0x10, 1, 1, 10), 1)
        build_id = struct.pack("<IHHI20sI64s", 0, 1 | 1 << 15, 100, 0xffffffff, b"\x5a" * 20, 20, name)
        (self.folder / "perf.data").write_bytes(perf.file(data, [perf.attr(sample_type=perf.TYPE | IP)], [(2, build_id)]))
        words = [EVNAME, "annotate", "-F", "sym", "--json", "-v", self.folder / "perf.data"]
        done = subprocess.run(words, capture_output=True, text=True, env=dict(os.environ, HOME=str(self.home)), timeout=60)
        self.assertIn("no symbols of build id " + "5a" * 20, done.stderr)
        self.assertNotIn(str(cached), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
