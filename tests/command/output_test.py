#!/usr/bin/env python3
"""What becomes of output that can't be written, in every subcommand. Usage: output_test.py EVNAME SOURCE_ROOT"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
N1 = str(ROOT / "tests" / "data" / "neoverse-n1.data")
COUNTS = str(ROOT / "tests" / "data" / "topdown-n1.csv")
SUBCOMMANDS = [name.replace("_", "-") for name in
               re.findall(r"^void add_(\w+)\(", (ROOT / "tools/subcommands.hpp").read_text(), re.M)]
SKX = ["--cpu", "skylakex"]
GROUP = [*SKX, "cycles", "l1d.replacement"]

# What prints something. OUT is a directory for what is written beside.
PRINTS = [
    ["--help"], ["--version"], ["help"], ["help", "list"], ["help", "--man"], ["help", "--man", "list"],
    *[[name, "--help"] for name in SUBCOMMANDS],
    ["resolve", *GROUP], ["resolve", "--json", *GROUP],
    ["name", *SKX, "0x20d1"], ["name", "--json", *SKX, "0x20d1"],
    ["list", *SKX], ["list", "--json", *SKX], ["list", "--color=always", *SKX],
    ["show", *SKX, "inst_retired.any"], ["show", "--json", *SKX, "inst_retired.any"],
    ["cpu", *SKX], ["cpu", "--json", *SKX],
    ["diff", "skylakex", "icelakex"], ["diff", "--json", "skylakex", "icelakex"],
    *[["emit", *SKX, "--events", "inst_retired.any", "--format", format] for format in ("c", "c++", "rust", "json")],
    ["info", N1], ["info", "--json", N1], ["info", "--records", N1], ["info", "--records", "--json", N1],
    *[["annotate", "--jobs", jobs, "--format", format, N1]
      for format in ("text", "csv", "jsonl", "folded") for jobs in ("1", "3")],
    ["report", N1], ["report", "--json", N1], ["report", "--sort", "tid,cpu", N1], ["report", "--html", "-", N1],
    *[["export", "--format", form, N1, "-o", "-"] for form in ("pprof", "firefox", "speedscope", "perfetto", "otlp", "otlp-json")],
    ["script", "-i", N1], ["script", "--show-mmap-events", "--show-task-events", "-i", N1], ["buildid-list", "-i", N1],
    ["split", N1, "--by", "thread", "-o", "OUT/parts"], ["split", "--json", N1, "--by", "thread", "-o", "OUT/parts"],
    ["inject", N1, "-o", "-"], ["inject", N1, "--cpu", "0", "-o", "-"], ["inject", "--json", N1, "-o", "OUT/named"],
    ["inject", N1, "-o", "/dev/stdout"], ["emit", *SKX, "--events", "cycles", "--format", "c", "-o", "/dev/stdout"],
    *[["stat", *form, "-o", "-", "-e", "duration_time", "--", "true"] for form in ([], ["--json"], ["-x,"], ["--openmetrics"])],
    ["metrics", *SKX], ["metrics", "--json", *SKX], ["metrics", "--groups", *SKX], ["metrics", *SKX, "--show", "ipc"],
    ["schedule", *GROUP], ["schedule", "--json", *GROUP],
    *[["topdown", "--cpu", "neoverse-n1", "-l", "1", "--from", COUNTS, *form] for form in ([], ["--json"], ["--csv"], ["--html", "-"])],
    ["import", "--from", "OUT/tree", "--into", "OUT/into"],
]
# What tells something on standard error, and the exit code.
TELLS = [
    (["resolve", *SKX, "quux"], 1), (["name", *SKX, "quux"], 1), (["list", *SKX, "quux"], 1), (["show", *SKX, "quux"], 1),
    (["cpu", "--cpu", "qqqqqq"], 2), (["annotate", "/nonexistent"], 2), (["report", "/nonexistent"], 2),
    (["info", "/nonexistent"], 2), (["inject", "/nonexistent", "-o", "OUT/x"], 2), (["inject", N1, "-o", "OUT/y"], 0),
    (["schedule", *SKX, "quux"], 1), (["stat", "-e", "quux", "--", "true"], 2), (["nonsense"], 2), (["list", "--nonsense"], 2),
    ([], 2),
]


def subcommand_of(arguments):
    return next((word for word in arguments if word in SUBCOMMANDS), None)


class Sweep(unittest.TestCase):
    PRINT = {}  # of lines that were run: did they print something?

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.out = directory.name
        for name in ("tree", "into"):
            folder = pathlib.Path(self.out, name, "arm64")
            folder.mkdir(parents=True)
            (folder / "mapfile.csv").write_text("Family-model,Version,Filename,EventType\n")

    def run_it(self, arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, closed=(), ignore_pipe=False):
        def prepare():
            if ignore_pipe:
                signal.signal(signal.SIGPIPE, signal.SIG_IGN)
            for descriptor in closed:
                os.close(descriptor)
        words = [word.replace("OUT", self.out) for word in arguments]
        shutil.rmtree(pathlib.Path(self.out, "parts"), ignore_errors=True)  # split writes only files that are new
        return subprocess.run([EVNAME, *words], stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, preexec_fn=prepare)

    def test_every_subcommand_is_here(self):
        self.assertEqual({subcommand_of(arguments) for arguments in PRINTS} - {None}, set(SUBCOMMANDS))

    def prints(self):
        """Those that print something here."""
        for arguments in PRINTS:
            line = " ".join(arguments)
            with self.subTest(line):
                if line not in self.PRINT:
                    whole = self.run_it(arguments, stdout=subprocess.PIPE)
                    self.assertNotEqual(whole.returncode if whole.stdout else 0, 2, whole.stderr)
                    self.PRINT[line] = bool(whole.stdout)
                if self.PRINT[line]:
                    yield arguments

    def test_a_full_device_is_told(self):
        count = 0
        for arguments in self.prints():
            with open("/dev/full", "wb") as full:
                result = self.run_it(arguments, stdout=full)
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr.decode(), r"(standard output|/dev/stdout): No space left on device\n$")
            count += 1
        self.assertGreater(count, 3 * len(SUBCOMMANDS))

    def test_a_closed_output_is_told(self):
        for arguments in self.prints():
            result = self.run_it(arguments, closed=[1])
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr.decode(), r"(standard output|/dev/stdout): Bad file descriptor\n$")

    def test_a_reader_who_left_is_not_talked_about(self):
        for arguments in self.prints():
            for ignored in (True, False):
                reader, writer = os.pipe()
                os.close(reader)
                result = self.run_it(arguments, stdout=writer, ignore_pipe=ignored)
                os.close(writer)
                self.assertEqual(result.returncode, 2 if ignored else -signal.SIGPIPE)
                if "/dev/stdout" not in arguments:
                    self.assertNotIn(b"ipe", result.stderr)

    def test_without_standard_error_all_else_is_the_same(self):
        for arguments, code in [*TELLS, *((one, None) for one in self.prints())]:
            with self.subTest(" ".join(arguments)):
                told = self.run_it(arguments)
                self.assertIn(code, (None, told.returncode))
                with open("/dev/full", "wb") as full:
                    unheard = [self.run_it(arguments, closed=[2]), self.run_it(arguments, stderr=full),
                               self.run_it(arguments, closed=[0, 2])]
                self.assertEqual([one.returncode for one in unheard], [told.returncode] * 3)
        with open("/dev/full", "wb") as full:
            for arguments in self.prints():
                self.assertEqual(self.run_it(arguments, stdout=full, stderr=full).returncode, 2)

    def test_a_closed_descriptor_is_no_place_for_a_file(self):
        out = pathlib.Path(self.out, "named")
        self.assertEqual(self.run_it(["inject", N1, "-o", str(out)]).returncode, 0)
        whole = out.read_bytes()
        for closed in ([0], [1], [2], [0, 1, 2]):
            out.unlink()
            self.assertEqual(self.run_it(["inject", N1, "-o", str(out)], closed=closed).returncode, 0)
            self.assertEqual(out.read_bytes(), whole)

    def test_a_descriptor_that_does_not_block_gets_everything(self):
        arguments = ["list", "--json", *SKX]
        expected = self.run_it(arguments, stdout=subprocess.PIPE).stdout
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        process = subprocess.Popen([EVNAME, *arguments], stdout=writer)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            self.assertEqual(pipe.read(), expected)
        self.assertEqual(process.wait(), 0)


class Source(unittest.TestCase):
    def test_all_output_goes_one_way(self):
        direct = re.compile(r"\b(?:fmt::print|std::cout|std::cerr|std::print\w*|f?printf|puts|fputs|putchar|fwrite)\b|[(, ](?:stdout|stderr)[,)]")
        for path in sorted((ROOT / "tools").rglob("*.?pp")):
            code = re.sub(r"//.*", "", path.read_text())
            self.assertEqual(direct.findall(code), [], path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
