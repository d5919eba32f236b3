#!/usr/bin/env python3
"""evname pack: a recording of a program says the same after the program is gone, with callchains and with copied
stacks. perf reads it, too, where EVNAME_PERF names one. Arguments: the evname command, and yes if it reads ELF files."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

EVNAME, READS_ELF = sys.argv[1], sys.argv[2] == "yes"
PERF = os.environ.get("EVNAME_PERF")


def run(*command, code=0):
    done = subprocess.run([str(word) for word in command], capture_output=True,
                          env={**os.environ, "HOME": "/nonexistent", "DEBUGINFOD_URLS": ""})
    if code is not None and done.returncode != code:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stderr.decode()}")
    return done


def samples(path):
    """Each sample's functions, inlined calls and lines; addresses as they are."""
    return run(EVNAME, "annotate", "--json", "-F", "tid,time,event,ip,sym,symoff,dso,srcline,frames", path).stdout.splitlines()


class Pack(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.place, ignore_errors=True)

    def record(self, *options):
        program, out = self.place / "program", self.place / "perf.data"
        shutil.copy(EVNAME, program)
        done = run(EVNAME, "record", "-q", "-e", "cpu-clock", "-F", "2000", *options, "-o", out, "--", program, "list",
                   "--cpu", "skylakex", "--json", code=None)
        if done.returncode != 0:
            self.skipTest(done.stderr.decode())
        return program, out

    def pack(self, source, *options):
        out = self.place / "packed.data"
        done = run(EVNAME, "pack", "--json", *options, source, "-o", out, "--force", code=None)
        self.assertLess(done.returncode, 2, done.stderr)
        return out, json.loads(done.stdout)

    def test_names_outlive_the_program(self):
        for options in (["-g"], ["-g", "-z"], ["--call-graph", "dwarf"], ["-g", "-d"]):
            with self.subTest(options=options):
                program, source = self.record(*options)
                before = samples(source)
                out, told = self.pack(source)
                program.unlink()
                after = samples(out)
                self.assertEqual(len(before), len(after))
                self.assertEqual([row for row in zip(before, after) if row[0] != row[1]][:1], [])
                if READS_ELF:
                    self.assertGreater(told["places"], 20)
                    self.assertTrue(any(b"evname::" in row for row in after))
                is_copied = "dwarf" in options and READS_ELF
                self.assertEqual(told["stacks"] > len(before) / 2, is_copied)
                if is_copied:  # a stack of 8 KB becomes a few callers
                    self.assertLess(out.stat().st_size * 4, source.stat().st_size)
                else:
                    self.assertLess(out.stat().st_size, source.stat().st_size + told["bytes"] + 64)
                if PERF:
                    self.assert_perf_reads(source, out, is_copied)

    def assert_perf_reads(self, source, out, is_copied):
        """All samples are in perf's eyes what they were; a copied stack is unwound without the program only by pack."""
        fields = ["-F", "comm,tid,time,event,ip" if not is_copied else "comm,tid,time,event"]
        ours, theirs = (run(PERF, "script", *fields, "-f", "-i", path).stdout for path in (out, source))
        if not is_copied:
            self.assertEqual(ours, theirs)
        self.assertEqual(ours.count(b"\n\n"), theirs.count(b"\n\n"))

    def test_a_pipe_and_parts_keep_their_names(self):
        program, source = self.record("-g")
        pipe = self.place / "pipe.data"
        with pipe.open("wb") as out:
            shell = subprocess.Popen([EVNAME, "record", "-q", "-e", "cpu-clock", "-g", "-o", "-", "--", "sh", "-c",
                                      f"exec {program} list --cpus > /dev/null"],
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            shutil.copyfileobj(shell.stdout, out)
            shell.communicate()
        before, whole = samples(pipe), samples(source)
        packed_pipe = self.place / "packed.pipe"
        run(EVNAME, "pack", pipe, "-o", packed_pipe, code=None)
        out, _ = self.pack(source)
        part = self.place / "part.data"
        run(EVNAME, "inject", "--time", "0%-50%", out, "-o", part)
        program.unlink()
        self.assertEqual(samples(packed_pipe), before)
        self.assertTrue(set(samples(part)) < set(whole))
        again = self.place / "again.data"
        run(EVNAME, "pack", out, "-o", again, code=None)
        self.assertEqual(samples(again), whole)

    def test_damaged_names_lose_only_names(self):
        _, source = self.record("-g")
        out, told = self.pack(source)
        content = out.read_bytes()
        rows = map(json.loads, run(EVNAME, "info", "--json", out).stdout.splitlines())
        at = next(row["offset"] for row in rows if row.get("number") == 240)
        count = len(samples(source))
        for offset in (0, 4, 8, 15, 16, 40, told["bytes"] - 1):
            for value in (0, 0xff):
                damaged = bytearray(content)
                damaged[at + offset] = value
                out.write_bytes(damaged)
                done = run(EVNAME, "annotate", "--json", out, code=None)
                self.assertLess(done.returncode, 2, offset)
                self.assertEqual(done.stdout.count(b"\n"), count, offset)
        out.write_bytes(content[:at + 20])  # cut off
        self.assertLess(run(EVNAME, "report", "--sort", "sym", out, code=None).returncode, 2)

    def test_what_is_refused_and_told(self):
        _, source = self.record()
        content = source.read_bytes()
        done = run(EVNAME, "pack", source, "-o", source, "--force", code=2)
        self.assertEqual(source.read_bytes(), content)
        other = self.place / "other.data"
        shutil.copy(source, other)
        self.assertIn(b"--force", run(EVNAME, "pack", source, "-o", other, code=2).stderr)
        # Without files there are no names. Of a recording that was made here, the vdso could have one.
        empty = self.place / "empty"
        empty.mkdir()
        elsewhere = pathlib.Path(__file__).parents[1] / "data/neoverse-n1.data"
        done = run(EVNAME, "pack", elsewhere, "-o", self.place / "none.data", "--symfs", empty, "--kallsyms", "/dev/null", code=1)
        self.assertRegex(done.stderr.decode(), "no address of the samples has a name here")
        verbose = run(EVNAME, "report", "--sort", "sym", "-v", self.pack(source)[0], code=None).stderr.decode()
        if READS_ELF:
            self.assertTrue(re.search(r"program: names in the recording", verbose), verbose)


unittest.main(argv=sys.argv[:1], verbosity=2)
