#!/usr/bin/env python3
"""Functions, lines and inlined calls of Go programs without symbols, compared with debug/gosym of the Go that is installed
and with llvm-symbolizer, which reads the debug information that was stripped. Usage: go_test.py EVNAME yes|no (has it elfutils?)"""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import perf_file

EVNAME, HAS_ELF = sys.argv[1], sys.argv[2] == "yes"
IP, MMAP2, BASE = 1, 10, 0x7e0000000000
PROGRAM = """package main

func inner(a, b uint64) uint64 {
	return a*2654435761 ^ (b >> 7)
}

func outer(a uint64) uint64 {
	c := a + 3
	return inner(a, c) + inner(c, a)
}

//go:noinline
func work(n uint64) (s uint64) {
	for i := uint64(0); i < n; i++ {
		s += outer(i) ^ outer(s)
	}
	return
}

func main() { println(work(10)) }
"""
WITH_C = PROGRAM.replace("main\n", 'main\n\n// static int in_c(int a) { return a * 7 + 1; }\nimport "C"\n', 1).replace(
    "work(10)", "work(10), C.in_c(3)")
# Prints the code's place in the file, and of three addresses of each function what debug/gosym has. The second argument
# is where Go's code begins; 0: where .text does.
TRUTH = """package main

import (
	"bufio"
	"debug/elf"
	"debug/gosym"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	file, err := elf.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	start, _ := strconv.ParseUint(os.Args[2], 0, 64)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, p := range file.Progs {
		if p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 {
			fmt.Fprintln(out, p.Vaddr, p.Off, p.Filesz)
		}
	}
	if start == 0 {
		start = file.Section(".text").Addr
	}
	for _, s := range file.Sections {
		if !strings.HasSuffix(s.Name, ".gopclntab") {
			continue
		}
		data, _ := s.Data()
		table, err := gosym.NewTable(nil, gosym.NewLineTable(data, start))
		if err != nil {
			panic(err)
		}
		for _, f := range table.Funcs {
			for _, pc := range []uint64{f.Entry, f.Entry + (f.End-f.Entry)/2, f.End - 1} {
				file, line, fn := table.PCToLine(pc)
				fmt.Fprintf(out, "%d\\t%s\\t%s:%d\\n", pc, fn.Name, file, line)
			}
		}
	}
}
"""


def run(*command, **keys):
    return subprocess.run(command, check=True, capture_output=True, text=True, **keys).stdout


@unittest.skipUnless(HAS_ELF, "evname is built without elfutils")
@unittest.skipUnless(shutil.which("go"), "no go")
class Go(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.environment = dict(os.environ, GO111MODULE="off", GOTOOLCHAIN="local", GOFLAGS="", HOME=str(cls.folder))
        cls.environment.setdefault("GOCACHE", str(cls.folder / "cache"))
        cls.truth = cls.built("truth", TRUTH)

    @classmethod
    def built(cls, name, source, *options, **environment):
        path = cls.folder / name
        (cls.folder / f"{name}.go").write_text(source)
        run("go", "build", "-p", "2", *options, "-o", path, f"{name}.go", cwd=cls.folder,
            env=dict(cls.environment, **{"CGO_ENABLED": "0", **environment}))
        return path

    def frames(self, path, segment, addresses, *options):
        """What evname prints of each address of the program's code."""
        vaddr, offset, size = segment
        body = struct.pack("<iiQQQ", 1, 1, BASE, size, offset) + struct.pack("<IIQQII", 8, 1, 77, 5, 5, 2)
        data = perf_file.record(MMAP2, body + perf_file.padded(str(path).encode()) + perf_file.trailer(1), 2)
        for time, address in enumerate(addresses):
            body = struct.pack("<QQiiQ", 1, BASE + address - vaddr, 1, 1, 10 + time)
            data += perf_file.record(perf_file.SAMPLE, body, 2)
        recording = self.folder / "perf.data"
        recording.write_bytes(perf_file.file(data, [perf_file.attr(sample_type=perf_file.TYPE | IP)]))
        done = run(EVNAME, "annotate", "--json", "-F", "sym,srcline,frames", *options, recording)
        return [json.loads(line) for line in done.splitlines()]

    def check(self, path, start=0):
        lines = run(self.truth, path, str(start)).splitlines()
        segment = [int(word) for word in lines[0].split()]
        rows = [line.split("\t") for line in lines if "\t" in line and ":-" not in line]
        self.assertGreater(len(rows), 1500)
        frames = self.frames(path, segment, [int(row[0]) for row in rows], "--no-inline")
        self.assertEqual([(row[1], row[2]) for row in rows], [(one["sym"], one["srcline"]) for one in frames])

    def test_programs(self):
        for mode in "exe", "pie":
            with self.subTest(mode):
                self.check(self.built(f"native-{mode}", PROGRAM, f"-buildmode={mode}", "-ldflags=-s -w"))

    def test_other_machines(self):
        """Of both byte orders, of 4 and 8 bytes an address."""
        for machine in "386", "mips", "s390x":
            with self.subTest(machine):
                self.check(self.built(machine, PROGRAM, "-ldflags=-s -w", GOARCH=machine))

    @unittest.skipUnless(shutil.which("cc") and shutil.which("strip"), "no C compiler")
    def test_program_with_c(self):
        """Go's code does not begin where .text does, and GNU ld puts the table of a PIE among other data."""
        for mode in "exe", "pie":
            with self.subTest(mode):
                path = self.built(f"with-c-{mode}", WITH_C, f"-buildmode={mode}", CGO_ENABLED="1")
                symbols = {line.split()[2].removesuffix(".abi0"): int(line.split()[0], 16)
                           for line in run("nm", path).splitlines() if line.split()[1] in "tT"}
                whole = run(self.truth, path, str(symbols["runtime.text"])).splitlines()
                if mode == "pie":  # which debug/gosym does not find
                    segment = [int(word) for word in whole[0].split()]
                    names = [name for name in symbols if name.startswith(("main.", "runtime.g"))]
                    run("strip", path)
                    frames = self.frames(path, segment, [symbols[name] for name in names])
                    self.assertEqual(names, [one["sym"] for one in frames])
                    continue
                run("strip", path)
                self.check(path, symbols["runtime.text"])

    @unittest.skipUnless(shutil.which("llvm-symbolizer") and shutil.which("nm"), "no llvm-symbolizer")
    def test_inlined_calls(self):
        for mode in "exe", "pie":
            with self.subTest(mode):
                path = self.built(f"inlined-{mode}", PROGRAM, f"-buildmode={mode}")
                start, size = (int(word, 16) for line in run("nm", "-S", path).splitlines()
                               if line.endswith(" main.work") for word in line.split()[:2])
                addresses = list(range(start, start + size))
                segment = [int(word) for word in run(self.truth, path, "0").splitlines()[0].split()]
                lines = run("llvm-symbolizer", f"--obj={path}", *map(hex, addresses)).strip()
                right = [block.replace(" ", "").splitlines() for block in lines.split("\n\n")]
                self.assertEqual({len(frames) for frames in right}, {2, 4, 6})
                run("strip", path)
                for address, frames, one in zip(addresses, right, self.frames(path, segment, addresses), strict=True):
                    found = [word for frame in one["frames"] for word in (frame["sym"], frame["srcline"])]
                    self.assertEqual([word.removesuffix(":0") for word in frames], found, hex(address))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
