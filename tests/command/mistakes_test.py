#!/usr/bin/env python3
"""Exit codes, and messages to users. Usage: mistakes_test.py EVNAME SOURCE_ROOT"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

EVNAME, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
DATA = ROOT / "tests" / "data"
N1 = str(DATA / "neoverse-n1.data")
TEXT = str(ROOT / "README.md")
SUBCOMMANDS = [name.replace("_", "-") for name in
               re.findall(r"^void add_(\w+)\(", (ROOT / "tools/subcommands.hpp").read_text(), re.M)]

SKX = ["--cpu", "skylakex"]
# Arguments, exit code, and words that standard error has; in any order.
CASES = [
    # done
    (["--version"], 0, []),
    (["resolve", *SKX, "inst_retired.any"], 0, []),
    (["name", *SKX, "0x20d1"], 0, []),
    (["list", *SKX], 0, []),
    (["show", *SKX, "INST_RETIRED.ANY"], 0, []),
    (["cpu", *SKX], 0, []),
    (["diff", "skylakex", "icelakex"], 0, []),
    (["emit", *SKX, "--events", "inst_retired.any", "--format", "c"], 0, []),
    (["info", N1], 0, []),
    (["annotate", N1], 0, []),
    (["annotate", N1, "--comm", "nosuch", "--limit", "0"], 0, []),  # nothing was asked for
    (["annotate", N1, "--comm", "nosuch"], 1, ["no thread name matches --comm 'nosuch' (there are ls, md5sum, sh)"]),
    (["report", "caller"], 2, ["caller: No such file or directory"]),  # an order of callchains only beside a file
    (["report", N1], 0, []),
    (["inject", N1, "-o", "OUT/named.data"], 0, []),
    (["import", "--from", "OUT/tree", "--into", "OUT/into"], 2, ["mapfile.csv", "OUT/tree"]),
    # an unknown event: its name, the CPU, what to do
    (["resolve", *SKX, "inst_retired.anyy"], 1, ["inst_retired.anyy", "skylakex", "did you mean inst_retired.any"]),
    (["resolve", *SKX, "quux"], 1, ["quux", "skylakex", "`evname list`"]),
    (["resolve", *SKX, "cycels"], 1, ["did you mean cycles?"]),
    (["resolve", *SKX, "L1-dcache-lods"], 1, ["did you mean l1-dcache-loads"]),
    *[([name, *SKX, "20d1"], 1, ["'20d1'", "a raw code is written r20d1"]) for name in ("resolve", "show", "name")],
    *[([name, *SKX, "0x20d1"], 1, ["0x20d1", "a raw code is written r20d1"]) for name in ("resolve", "show")],
    *[([name, *SKX, code], 1, [f"'{code}'", "at most 16 hexadecimal digits"])
      for name in ("resolve", "name") for code in ("0x1ffffffffffffffff", "r1ffffffffffffffff")],
    (["name", *SKX, "cpu/event=0xd1,event=0x2/"], 1, ["'event' is given as 0xd1 and 0x2: perf ORs that to 0xd3"]),
    (["name", *SKX, "2010"], 1, ["a raw code is written r2010"]),
    (["resolve", *SKX, "papi_fma_ins"], 1, ["papi_avail"]),
    (["name", *SKX, "quux"], 1, ["quux", "skylakex", "`evname list`"]),
    (["show", *SKX, "quux"], 1, ["evname: quux: no event 'quux' on skylakex", "`evname list`"]),
    (["list", *SKX, "quux"], 1, ["skylakex", "'quux'", "'*quux*'"]),
    (["diff", "skylakex", "icelakex", "quux"], 1, ["skylakex", "icelakex", "'quux'", "'*quux*'"]),
    (["emit", *SKX, "--events", "quux", "--format", "c"], 1, ["skylakex", "quux"]),
    (["stat", "-e", "quux", "--", "true"], 2, ["quux", "`evname list`"]),
    *[([*start, "-e", "page-faults:u", "-t", "0", "--timeout", "1"], 2, ["there is no thread 0"])
      for start in (["stat"], ["record", "-o", "OUT/x.data"])],
    (["resolve", *SKX, ""], 1, ["''", "expected an event"]),
    (["resolve", *SKX, "{inst_retired.any,quux"], 1, ["quux", "column 19", "^"]),
    (["resolve", *SKX, "cycles:q"], 1, ["'q'", "ukhp"]),
    (["resolve", *SKX, "mem_load_retired.l3_miss:Q"], 1, ["'Q' is not a modifier", "column 26"]),
    (["resolve", *SKX, "sched:sched_switch"], 1, ["tracepoint"]),
    # an unknown PMU or term
    (["resolve", *SKX, "cpuu/event=1/"], 1, ["cpuu", "skylakex", "did you mean cpu"]),
    (["resolve", *SKX, "cpu/quux=1/"], 1, ["quux", "'cpu'", "its terms are", "umask"]),
    (["name", *SKX, "--pmu", "quux", "0x1"], 1, ["--pmu", "'quux'", "skylakex", "known PMUs", "cpu"]),
    # an unknown CPU
    (["resolve", "--cpu", "skylakx", "cycles"], 2, ["'skylakx'", "did you mean", "skylake"]),
    *[([*start, "--cpu", "qqqqqqqqqq", *rest], 2, ["'qqqqqqqqqq'", "neither a CPUID string nor a model", "skylakex"])
      for start, rest in [(["resolve"], ["cycles"]), (["name"], ["0x1"]), (["list"], []), (["show"], ["x"]), (["cpu"], [])]],
    (["emit", "--cpu", "qqqqqqqqqq", "--events", "x", "--format", "c"], 2, ["'qqqqqqqqqq'"]),
    (["diff", "skylakex", "qqqqqqqqqq"], 2, ["'qqqqqqqqqq'", "skylakex"]),
    (["diff", "skylakex", "neoverse-n1"], 2, ["x86", "arm64"]),
    (["cpu", "--cpu", "GenuineIntel-6-FF-1"], 1, ["GenuineIntel-6-FF-1"]),
    # a file that is none, or no recording
    *[([*start, "/nonexistent", *rest], 2, ["/nonexistent", "No such file"])
      for start, rest in [(["annotate"], []), (["report"], []), (["info"], []), (["inject"], ["-o", "OUT/x"]),
                          (["cpu", "-i"], []), (["resolve", "-i"], ["x"]), (["list", "-i"], [])]],
    *[([*start, TEXT, *rest], 2, [TEXT, "not a perf.data file", "perf record"])
      for start, rest in [(["annotate"], []), (["report"], []), (["info"], []), (["inject"], ["-o", "OUT/x"]),
                          (["cpu", "-i"], []), (["resolve", "-i"], ["x"]), (["list", "-i"], [])]],
    *[([*start, "OUT", *rest], 2, ["OUT", "directory", "'data'"])
      for start, rest in [(["annotate"], []), (["info"], []), (["cpu", "-i"], [])]],
    (["info", ""], 2, ["''", "No such file"]),
    (["inject", N1, "-o", "/nonexistent/x"], 2, ["/nonexistent/x", "No such file"]),
    (["export", "--format", "speedscope", N1, "-o", "/nonexistent/x"], 2, ["/nonexistent/x", "No such file"]),
    (["split", "--by", "cpu", N1, "-o", "/proc/parts"], 2, ["/proc/parts"]),
    (["split", "--by", "cpu", "--comm", "zzz", N1, "-o", "OUT/parts"], 1, ["--comm 'zzz'"]),
    (["report", N1, "--html", "/nonexistent/x"], 2, ["/nonexistent/x", "No such file"]),
    (["emit", *SKX, "--events", "cycles", "--format", "c", "-o", "/nonexistent/x"], 2, ["/nonexistent/x"]),
    # values
    (["annotate", N1, "--format", "quux"], 2, ["--format", "quux", "jsonl"]),
    (["annotate", N1, "--limit", "quux"], 2, ["--limit", "'quux' is not a number"]),
    (["schedule", *SKX, "cycles", "--counters", "65"], 2, ["--counters: 65 is not between 1 and 64"]),
    (["schedule", *SKX, "cycles", "--constraint", "x"], 2, ["--constraint: 'x' is none of"]),
    *[(["schedule", option], 2, [option + ": its value is missing"]) for option in ("--counters", "--constraint", "--smt")],
    (["annotate", "OUT/cut.data"], 1, ["bytes are not read", "--salvage"]),
    (["report", "OUT/cut.data"], 1, ["bytes are not read", "--salvage"]),
    (["annotate", "--salvage", "OUT/cut.data"], 1, ["bytes are not read"]),
    (["annotate", N1, "--fields", "quux"], 2, ["'quux'", "there are", "comm"]),
    (["annotate", N1, "--time", "quux"], 2, ["'quux'", "10%-20%"]),
    (["annotate", N1, "--pid", "quux"], 2, ["--pid", "'quux'"]),
    (["report", "--diff", N1], 2, ["report: --diff compares two recordings\n"]),
    (["report", "--diff", "--metrics", "ipc", N1, N1], 2, ["report: --diff can't compare --metrics\n"]),
    (["report", "--metrics", "ipc", N1, N1], 2, ["report: --metrics takes one recording\n"]),
    *[(["report", "--html", "OUT/page", *more, N1], 2, ["--html", more[0]])
      for more in (["--csv"], ["--json"], ["--top", "3"], ["--children", "--sort", "sym"])],
    # perf refuses these, too: "Invalid file", "Invalid directory"
    *[([*start, option, "/nonexistent", N1], 2, [option, "/nonexistent"])
      for start in (["annotate"], ["report"], ["export", "--format", "pprof", "-o", "OUT/x"])
      for option in ("--symfs", "--vmlinux", "--kallsyms")],
    (["report", "--sort", "sym", "--kallsyms", TEXT, N1], 0, [f"kernel: no symbols in {TEXT}"]),
    (["report", N1, "--sort", "quux"], 2, ["--sort", "'quux'", "comm"]),
    (["list", *SKX, "--color", "quux"], 2, ["--color", "quux", "always"]),
    (["import", "--from", "/nonexistent", "--into", "OUT/x"], 2, ["--from", "/nonexistent"]),
    (["import", "--from", "OUT", "--into", "OUT/."], 2, ["--into", "is a tree that is read"]),
    (["resolve", "-i", N1, *SKX, "x"], 2, ["--cpu", "--input"]),
    (["resolve", "--cpu"], 2, ["--cpu", "missing"]),
    # what looks like an option is no value, also if the subcommand has no such option
    *[(["report", "--html", word, "OUT/page", N1], 2, ["--html: its value is missing"]) for word in ("-o", "--output", "--")],
    (["report", "--html=-o", "--quux", N1], 2, ["--quux"]),
    # an empty value, as a shell passes for a variable that is not set, does not count as not given
    *[([*start, option, ""], 2, [": its value is empty\n"]) for start, options in (
        (["resolve", "cycles"], ("--cpu", "-i", "--sysfs", "--events")), (["name", "r1"], ("--cpu", "-i")), (["list"], ("--cpu", "-i")),
        (["report", N1], ("--event", "--comm", "--time", "--sort", "--html", "--metrics", "--cpu")),
        (["annotate", N1], ("--event", "--comm", "--time", "--fields")), (["stat", "-e", "page-faults:u"], ("-G", "-o", "-M", "-p")),
        (["record", "-e", "page-faults:u"], ("-o", "-p"))) for option in options],
    (["stat", "-e", "page-faults:u"], 2, ["COMMAND is missing", "Example: evname stat"]),
    # no or another subcommand
    ([], 2, ["subcommand", "evname --help"]),
    (["lst"], 2, ["'lst'", "did you mean list?", "evname --help"]),
    (["--quux"], 2, ["--quux", "evname --help"]),
    (["--colour=never", "list"], 2, ["--colour", "did you mean --color?"]),
    # an unknown letter gets no suggestion: every letter is as near
    *[([name, letter], 2, [f"{name}: no option {letter}\n"]) for name in ("report", "annotate", "export") for letter in ("-U", "-Z")],
]
# The missing argument of each subcommand that gets none; cpu and list need none.
MISSING = {"resolve": "EVENT", "name": "CODE", "show": "EVENT", "diff": "CPU_A", "emit": "--", "info": "FILE",
           "annotate": "FILE", "report": "FILE", "export": "FILE", "split": "FILE", "inject": "FILE", "stat": "COMMAND",
           "topdown": "COMMAND",
           "import": "--from"}


# Options that take a number or a list of them, each with what has to stand beside it; and what is neither. A list and a
# number are decimal in perf's parse-options.c and cpumap.c, too, where 0x1 is an error of -C and 010 is ten.
LISTS = [*((start, option) for start in (["annotate", N1], ["report", N1], ["inject", N1, "-o", "-"], ["split", N1, "--by", "cpu", "-o", "OUT/p"],
                                         ["export", N1, "--format", "speedscope", "-o", "-"])
           for option in ("-C", "--cpu", "--pid", "--tid")),
         *((["stat", "--timeout", "1"], option) for option in ("-C", "--cpu", "-p", "--pid", "-t", "--tid")),
         *((["topdown", "--timeout", "1"], option) for option in ("-C", "--cpus", "-p", "--pid", "-t", "--tid"))]
NUMBERS = [(["annotate", N1], "--jobs"), (["report", N1], "--jobs"), (["report", N1], "--top"), (["annotate", N1], "--limit"),
           (["schedule", *SKX, "cycles"], "--counters"), *((["stat", "--timeout", "1"], option) for option in ("-I", "-r", "--timeout")),
           *((["topdown", "--timeout", "1"], option) for option in ("-I", "-r", "--timeout", "-l"))]
NO_NUMBERS = ["", "abc", "0x1", "1.5", "1e3", "+1", " 1", "1 ", "1'000", "1_000", "99999999999999999999", "1,2,", "--1"]
NO_LISTS = ["", ",", "abc", "-1", "1-0", "0x1", "1-", "1--2", "1,", ",1", "1;2", "0-0x2", " 1", "4294967297", "0-4294967297", "1-99999999", "1-2-3"]


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        (pathlib.Path(self.directory.name) / "tree").mkdir()
        (pathlib.Path(self.directory.name) / "cut.data").write_bytes(pathlib.Path(N1).read_bytes()[:10001])

    def run_it(self, *arguments):
        words = [word.replace("OUT", self.directory.name) for word in arguments]
        return subprocess.run([EVNAME, *words], capture_output=True, encoding="utf-8", input="", cwd=self.directory.name)

    def test_the_code_and_the_words_of_each(self):
        for arguments, code, words in CASES:
            with self.subTest(" ".join(arguments)):
                result = self.run_it(*arguments)
                self.assertEqual(result.returncode, code, result.stderr)
                for word in words:
                    self.assertIn(word.replace("OUT", self.directory.name), result.stderr)
                if code == 0:
                    self.assertNotIn("evname: ", result.stderr.replace("evname: warning", "").replace("evname: note", "")
                                     if arguments[0] != "inject" else "")
                else:
                    self.assertTrue(result.stderr.startswith("evname: "), result.stderr)

    def test_what_is_no_number_counts_nothing(self):
        for options, values in ((LISTS, NO_LISTS), (NUMBERS, NO_NUMBERS)):
            for i, (start, option) in enumerate(options):
                for value in values if option in ("-t", "-I", "--top") else values[i % 4::4]:
                    with self.subTest(command=start[0], option=option, value=value):
                        spelled = [option + "=" + value] if option.startswith("--") else [option, value]
                        result = self.run_it(*start, *spelled)
                        self.assertEqual((result.returncode, result.stdout), (2, ""), result.stderr)
                        self.assertRegex(result.stderr, r"^evname: \w+: --[\w-]+: ")
        for start, option in NUMBERS:
            if option not in ("--top", "--limit"):  # those have 64 bits
                self.assertEqual(self.run_it(*start, option, "4294967297").returncode, 2, option)
        for zero in ("-r", "--counters", "--top"):
            start = next(start for start, option in NUMBERS if option == zero)
            self.assertEqual(self.run_it(*start, zero, "0").returncode, 2, zero)

    def test_numbers_are_decimal(self):
        ten = self.run_it("annotate", N1, "--limit", "10").stdout
        self.assertEqual(self.run_it("annotate", N1, "--limit", "010").stdout, ten)
        self.assertEqual(self.run_it("report", N1, "--jobs", "08").returncode, 0)
        self.assertEqual(self.run_it("annotate", N1, "-C", "0,0-0,00").stdout, self.run_it("annotate", N1, "-C", "0").stdout)

    def test_an_option_that_is_none_is_told_with_the_nearest(self):
        for name in SUBCOMMANDS:
            with self.subTest(name):
                result = self.run_it(name, "--hepl")
                self.assertEqual(result.returncode, 2)
                for word in (f"evname: {name}: ", "Example: ", f"evname {name} --help"):
                    self.assertIn(word, result.stderr)

    def test_what_is_missing_is_told_with_an_example(self):
        for name, word in MISSING.items():
            with self.subTest(name):
                result = self.run_it(name)
                self.assertEqual(result.returncode, 2)
                self.assertIn(word, result.stderr)
                self.assertRegex(result.stderr, rf"  Example: .*evname {name} ")

    def test_no_message_shows_what_is_inside(self):
        for arguments, code, _ in CASES:
            text = self.run_it(*arguments).stderr
            for inside in ("terminate", "std::", "what():", "->", "TEXT", "ENUM", "UINT", "INT in", "Run with"):
                self.assertNotIn(inside, text, arguments)

    def test_what_is_quoted_begins_no_line(self):
        tried = set()
        for arguments, _, _ in CASES:
            for at, word in enumerate(arguments):
                option = word[:word.find("=") + 1] if word.startswith("--") else ""
                words = (*arguments[:at], option + "first\nevname: second\x1b[2J", *arguments[at + 1:])
                if words not in tried and word not in ("true", "--"):
                    tried.add(words)
                    with self.subTest(words):
                        told = self.run_it(*words).stderr
                        self.assertNotRegex(told, "(?m)^evname: second|[\x00-\x09\x0b-\x1f\x7f]")
        told = self.run_it("lst\n\x1b\t").stderr
        self.assertIn(r"no subcommand 'lst\n\x1b\x09'", told)
        told = self.run_it("resolve", *SKX, "cpu/a\nb=\n/").stderr
        self.assertIn("evname: cpu/a\\nb=\\n/: ", told)
        self.assertRegex(told, r"\n  cpu/a\\nb=\\n/\n +\^\n$")

    def test_what_the_kernel_forbids_is_told_with_a_way_out(self):
        paranoid = pathlib.Path("/proc/sys/kernel/perf_event_paranoid")
        result = self.run_it("stat", "-e", "page-faults", "--", "true")
        if result.returncode == 0 or "not permitted" not in result.stderr:
            self.skipTest("this kernel permits it")
        for word in ("page-faults", paranoid.read_text().strip(), "event:u", "sysctl kernel.perf_event_paranoid"):
            self.assertIn(word, result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
