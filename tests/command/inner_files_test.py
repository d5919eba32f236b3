#!/usr/bin/env python3
"""Functions of libraries that are mapped out of other files, as Android maps them out of its packages, and of code where a
file was mapped before. nm says where functions are. Usage: inner_files_test.py EVNAME yes|no (has it elfutils?)"""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

import perf_file

EVNAME, HAS_ELF = sys.argv[1], sys.argv[2] == "yes"
MMAP2, IP, USER, PAGE = 10, 1, 2, 4096
# The PID is above what Linux gives out (2^22), and another one in each run: the name of a map in /tmp has it.
BASE, PID = 0x7F00_0000_0000, (1 << 22) + os.getpid()
SOURCES = {"one": "int one_first(int a) { return a * 3; }\nint one_second(int a) { return one_first(a) + 7; }\n",
           "two": "int two_first(int a) { return a - 3; }\nint two_second(int a) { return two_first(a) ^ a; }\n"}


def mapped(name, offset, size, start=BASE, pid=PID):
    body = struct.pack("<iiQQQ", pid, pid, start, size, offset) + bytes(24) + struct.pack("<II", 5, 2)
    return perf_file.record(MMAP2, body + perf_file.padded(name.encode()) + perf_file.trailer(0, pid), USER)


def sampled(ip, at, pid=PID):
    return perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQ", 1, ip, pid, pid, at), USER)


@unittest.skipUnless(HAS_ELF and all(map(shutil.which, ("cc", "nm", "readelf"))), "no elfutils, or no compiler")
class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.libraries = {}
        for name, source in SOURCES.items():
            path = cls.folder / f"lib{name}.so"
            subprocess.run(["cc", "-g", "-O1", "-fno-inline", "-shared", "-fPIC", "-Wl,--build-id=sha1", "-xc", "-", "-o", path],
                           input=source, text=True, check=True)
            cls.libraries[name] = path.read_bytes()

    def functions_of(self, name):
        """Offsets of functions in a library, where its addresses are its offsets plus a constant."""
        path = self.folder / f"lib{name}.so"
        out = subprocess.run(["readelf", "-lW", path], check=True, capture_output=True, text=True).stdout
        text = next(line.split() for line in out.splitlines() if line.split()[:1] == ["LOAD"] and " R E " in line)
        shift = int(text[2], 16) - int(text[1], 16)
        nm = subprocess.run(["nm", path], check=True, capture_output=True, text=True).stdout
        return {words[2]: int(words[0], 16) - shift for words in map(str.split, nm.splitlines())
                if words[-1].startswith(name + "_")}

    def archive(self, path, method=zipfile.ZIP_STORED, align=PAGE):
        """Each library is at a page, as zipalign -p puts it. Returns their offsets."""
        starts = {}
        with zipfile.ZipFile(path, "w", method) as out:
            out.writestr("AndroidManifest.xml", "x" * 333)
            for name, content in self.libraries.items():
                info = zipfile.ZipInfo(f"lib/arm64-v8a/lib{name}.so")
                info.compress_type = method
                start = out.fp.tell() + 30 + len(info.filename)
                padding = -start % align
                if padding < 4:
                    padding += align
                info.extra = struct.pack("<HH", 0xD935, padding - 4) + bytes(padding - 4)
                starts[name] = start + padding
                out.writestr(info, content)
        return starts

    def asked(self, records, ips, fields="sym,dso", options=()):
        data = records + b"".join(sampled(ip, 1000 + i) for i, ip in enumerate(ips))
        path = self.folder / "perf.data"
        path.write_bytes(perf_file.file(data, [perf_file.attr(sample_type=perf_file.TYPE | IP)]))
        environment = dict(os.environ, HOME=str(self.folder))
        environment.pop("DEBUGINFOD_URLS", None)
        done = subprocess.run([EVNAME, "annotate", "--json", "-F", fields, *options, path], capture_output=True, text=True,
                              env=environment, timeout=60)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return [tuple(json.loads(line).values()) for line in done.stdout.splitlines()]

    def in_archive(self, path, starts, **keys):
        """All functions of all libraries of an archive, by offsets in the archive."""
        records, ips, expected = b"", [], []
        for i, name in enumerate(self.libraries):
            base = BASE + (i << 32)
            size = -(-len(self.libraries[name]) // PAGE) * PAGE
            records += mapped(str(path), starts[name], size, base)
            for function, offset in self.functions_of(name).items():
                ips.append(base + offset + 2)
                expected.append((function, f"{path}!/lib/arm64-v8a/lib{name}.so"))
        return self.asked(records, ips, **keys), expected


class InArchives(Case):
    def test_libraries_have_their_names(self):
        path = self.folder / "base.apk"
        found, expected = self.in_archive(path, self.archive(path))
        self.assertEqual(len(expected), 4)
        self.assertEqual(found, expected)

    def test_the_name_that_simpleperf_records(self):
        path = self.folder / "named.apk"
        self.archive(path)
        for name in self.libraries:
            inner = f"{path}!/lib/arm64-v8a/lib{name}.so"
            functions = self.functions_of(name)
            found = self.asked(mapped(inner, 0, 0x10000), [BASE + offset for offset in functions.values()])
            self.assertEqual(found, [(function, inner) for function in functions])

    def test_lines_are_those_of_the_library(self):
        path = self.folder / "lines.zip"
        starts = self.archive(path)
        offset = self.functions_of("two")["two_second"]
        found = self.asked(mapped(str(path), starts["two"], 0x10000), [BASE + offset], "srcline")
        self.assertEqual([pathlib.PurePath(line).name for (line,) in found], ["<stdin>:2"])

    def test_a_mapping_of_the_text_alone(self):
        path = self.folder / "text.apk"
        starts = self.archive(path)
        offset = self.functions_of("two")["two_first"]
        found = self.asked(mapped(str(path), starts["two"] + offset // PAGE * PAGE, PAGE), [BASE + offset % PAGE], "sym")
        self.assertEqual(found, [("two_first",)])

    def test_what_is_compressed_or_damaged_has_no_name(self):
        path = self.folder / "damaged.apk"
        starts = self.archive(path)
        whole = path.read_bytes()
        local = whole.rindex(b"PK\3\4", 0, starts["two"])
        listed = whole.rindex(b"PK\1\2")

        def changed(at, value):
            return whole[:at] + value + whole[at + len(value):]

        cases = {"another method in its own header": changed(local + 8, b"\x08\0"),
                 "another name in its own header": changed(local + 30, b"L"),
                 "a size that reaches into the directory": changed(
                     listed + 20, struct.pack("<II", len(self.libraries["two"]) + 64, len(self.libraries["two"]) + 64)),
                 "a header that is none": changed(local, b"PK\3\5"),
                 "a place beyond the end": changed(listed + 42, struct.pack("<I", 0x7FFF_FFFF)),
                 "encrypted": changed(listed + 8, b"\1\0")}
        for what, content in cases.items():
            with self.subTest(what):
                path.write_bytes(content)
                found, _ = self.in_archive(path, starts, fields="sym")
                self.assertFalse([one for one in found if one[0] and one[0].startswith("two_")], found)
        self.archive(path, zipfile.ZIP_DEFLATED)
        found, _ = self.in_archive(path, starts, fields="sym")
        self.assertFalse([one for one in found if one[0] and "_" in one[0]], found)


class InOtherFiles(Case):
    def test_an_image_that_begins_at_a_page(self):
        path = self.folder / "image"
        path.write_bytes(bytes(3 * PAGE) + self.libraries["one"])
        functions = self.functions_of("one")
        found = self.asked(mapped(str(path), 3 * PAGE, 0x10000), [BASE + offset for offset in functions.values()])
        self.assertEqual(found, [(function, f"{path}!0x3000") for function in functions])

    def test_an_archive_without_its_directory_is_such_a_file(self):
        path = self.folder / "cut.apk"
        starts = self.archive(path)
        path.write_bytes(path.read_bytes()[:-30])
        found, expected = self.in_archive(path, starts, fields="sym")
        self.assertEqual(found, [(function,) for function, _ in expected])

    def test_nothing_is_taken_from_an_image_that_does_not_load_the_offset(self):
        path = self.folder / "beside"
        path.write_bytes(bytes(3 * PAGE) + self.libraries["one"] + bytes(64 * PAGE))
        found = self.asked(mapped(str(path), 60 * PAGE, 0x1000), [BASE + self.functions_of("one")["one_first"]], "sym")
        self.assertEqual(found, [(None,)])


class WhereAFileWas(Case):
    """A library that was unloaded leaves no record; memory that a process then has there may be a copy of the text, or code
    of a JIT compiler, which its map has."""

    def test_a_map_is_asked_first(self):
        library, offset = self.folder / "libone.so", self.functions_of("one")["one_first"]
        perf_map = pathlib.Path(f"/tmp/perf-{PID}.map")
        perf_map.write_text(f"{BASE + offset:x} 1 made_there\n")
        self.addCleanup(perf_map.unlink)
        other = self.functions_of("one")["one_second"]
        file = mapped(str(library), 0, 0x10000)
        memory = mapped("//anon", 0, 0x10000)
        ips = [BASE + offset, BASE + other]
        self.assertEqual(self.asked(file, ips, "sym"), [("one_first",), ("one_second",)])
        self.assertEqual(self.asked(file + memory, ips, "sym"), [("made_there",), ("one_second",)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
