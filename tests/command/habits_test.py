#!/usr/bin/env python3
"""What people who know perf type: its options are taken, or answered in evname's own words. Usage: habits_test.py EVNAME SOURCE_ROOT"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
N1 = str(ROOT / "tests" / "data" / "neoverse-n1.data")
SUBCOMMANDS = [name.replace("_", "-") for name in
               re.findall(r"^void add_(\w+)\(", (ROOT / "tools/subcommands.hpp").read_text(), re.M)]

# The arguments of each subcommand that reads a recording; FILE stands for `-i FILE` or the file alone.
READ = {"annotate": [], "report": ["--sort", "comm"], "info": [], "inject": ["-o", "-"], "split": ["--by", "cpu", "-o", "OUT"],
        "export": ["--format", "speedscope", "-o", "-"], "pack": ["-o", "-"]}
# Those that ask about the machine of a recording have no other way to name it.
OF_MACHINE = {"resolve": ["cycles"], "name": ["0x11"], "list": ["l1d_cache"], "show": ["l1d_cache"], "cpu": [],
              "metrics": ["--show", "ipc"], "schedule": ["l1d_cache"],
              "topdown": ["-l", "1", "--from", str(ROOT / "tests" / "data" / "topdown-n1.csv")]}
OF_PERF = {"script", "buildid-list"}  # have -i alone, as perf: another word is a script
READ_NONE = {"diff", "emit", "import", "record", "stat"}  # in record and stat, -i is --no-inherit, as in perf


def run(*arguments, **how):
    return subprocess.run([EVNAME, *arguments], capture_output=True, timeout=60, **how)


class OneLetter(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def answer(self, *arguments):
        out = str(pathlib.Path(self.folder, "parts"))
        shutil.rmtree(out, ignore_errors=True)
        result = run(*[out if word == "OUT" else word for word in arguments])
        return result.returncode, result.stdout

    def test_every_subcommand_is_here(self):
        self.assertEqual({*READ, *OF_MACHINE, *OF_PERF, *READ_NONE}, set(SUBCOMMANDS))

    def test_i_names_the_recording_everywhere(self):
        for name, more in READ.items():
            with self.subTest(name):
                plain = self.answer(name, N1, *more)
                self.assertEqual(plain[0], 1 if name == "pack" else 0)  # no name is known here
                self.assertTrue(plain[1])
                for spelled in (["-i", N1], ["--input", N1], ["--input=" + N1]):
                    self.assertEqual(self.answer(name, *spelled, *more), plain)
                    self.assertEqual(self.answer(name, *more, *spelled), plain)
        for name, more in OF_MACHINE.items():
            with self.subTest(name):
                code, out = self.answer(name, "-i", N1, *more)
                self.assertIn(b"neoverse-n1" if name in ("cpu", "show") else b"", out)
                self.assertEqual((code, bool(out)), (0, True))

    def test_i_is_in_the_help(self):
        for name in [*READ, *OF_MACHINE]:
            self.assertRegex(run(name, "--help").stdout, rb"(?m)^  -i,\s*--input FILE\s", name)

    def test_a_recording_that_needs_i_is_told(self):
        for name, wanted in [*((name, True) for name in OF_PERF), ("info", False)]:
            result = run(name, N1, *([] if wanted else [N1]))
            self.assertEqual((result.returncode, b": -i names a recording" in result.stderr), (2, wanted), name)

    def test_one_recording_is_not_two(self):
        for name in ("info", "inject", "split"):
            for words in (["-i", N1, N1], ["-i", N1, "-i", N1]):
                result = run(name, *words, *READ[name])
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertTrue(result.stderr.startswith(b"evname: " + name.encode()), result.stderr)

    def test_several_recordings_may_be_named_either_way(self):
        both = run("report", "--sort", "comm", N1, N1).stdout
        self.assertEqual(run("report", "-s", "comm", "-i", N1, "-i", N1).stdout, both)
        self.assertEqual(run("annotate", "-i", N1, "-i", N1).stdout, 2 * run("annotate", N1).stdout)
        self.assertEqual(run("report", "-s", "comm", "-i", N1, N1).stdout, both)


class Report(unittest.TestCase):
    def test_a_line_of_perf_report_is_taken(self):
        plain = run("report", "--sort", "sym", N1)
        self.assertEqual(plain.returncode, 0)
        result = run("report", "-i", N1, "-s", "sym", "-g", "--no-children", "--sort", "overhead,symbol")
        self.assertEqual((result.returncode, result.stdout), (0, plain.stdout), "the last --sort counts, as in perf")
        for keys in ("sym", "symbol", "overhead,symbol", "symbol,overhead", "overhead,symbol,sample,period"):
            result = run("report", "-f", "--inline", "--demangle", "-i", N1, "-g", "--no-children", "--sort", keys)
            self.assertEqual((result.returncode, result.stdout), (0, plain.stdout), result.stderr)
            for word in (b"-g:", b"--children", b"--html", b"folded"):
                self.assertIn(word, result.stderr)

    def test_an_order_of_callchains_is_no_recording(self):
        plain = run("report", N1)
        for words in (["-g", "caller"], ["-g", "graph,0.5,callee"], ["--call-graph", "none"], ["--call-graph=graph,0.5"], ["-gfractal"]):
            for more in ([*words, "-i", N1], ["-i", N1, *words], [*words, N1]):
                result = run("report", *more)
                self.assertEqual((result.returncode, result.stdout), (0, plain.stdout), result.stderr)
                self.assertIn(b"rows have no callchains", result.stderr)
        self.assertIn(b"--call-graph: 'upwards' is none of graph,", run("report", "-i", N1, "--call-graph=upwards").stderr)
        self.assertIn(b"upwards: No such file", run("report", "-i", N1, "-g", "upwards").stderr)

    def test_a_column_alone_is_no_key(self):
        self.assertEqual(run("report", N1, "-s", "overhead").stdout, run("report", N1).stdout)
        self.assertIn(b"no key 'overheads'", run("report", N1, "-s", "overheads").stderr)

    def test_children_and_none_of_them_contradict_each_other(self):
        result = run("report", N1, "-s", "sym", "--children", "--no-children")
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"--children", result.stderr)

    def test_options_with_another_word_are_named(self):
        for words, own in ((["report", "--mmaps"], "evname script"),
                           (["report", "--latency"], "--waiting"), (["report", "--format", "csv"], "--csv"),
                           (["annotate", "--csv"], "--format csv"), (["report", "--threads"], "--sort comm,tid"),
                           (["stat", "-v"], "evname resolve"), (["stat", "--smi-cost"], "-M smi_num")):
            result = run(*words, *([] if words[0] == "stat" else ["-i", N1]))
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"no option {words[1].split('=')[0]} ({own}", result.stderr.decode())

    def test_subcommands_of_perf_are_named(self):
        for of_perf, own in (("evlist", b"info"),):
            result = run(of_perf, "-i", N1)
            self.assertEqual(result.returncode, 2)
            self.assertIn(b"it is called " + own, result.stderr)


class Stat(unittest.TestCase):
    def test_an_unknown_option_is_never_the_command(self):
        # `--evnt` and `-Z` are nobody's; perf's own parse-options refuses them as well.
        for words in (["--evnt", "x", "--", "echo", "ran"], ["--evnt=x", "--", "echo", "ran"], ["--evnt", "--", "echo", "ran"],
                      ["-a", "--evnt", "--", "echo", "ran"], ["--evnt", "echo", "ran"], ["-Z", "--", "echo", "ran"],
                      ["-aZ", "--", "echo", "ran"], ["--evnt"], ["--evnt", "--"]):
            with self.subTest(" ".join(words)):
                result = run("stat", *words)
                self.assertEqual((result.returncode, result.stdout), (2, b""))
                self.assertRegex(result.stderr, rb"^evname: stat: no option -")
                if "--evnt" in words:
                    self.assertIn(b"did you mean --event?", result.stderr)

    def test_what_follows_the_dashes_is_the_commands(self):
        for words, out in ((["--", "echo", "-n", "--evnt"], b"--evnt"), (["--", "echo", "--", "a"], b"-- a\n"),
                           (["echo", "--", "a"], b"-- a\n"), (["-e", "duration_time", "echo", "-e", "a"], b"a\n")):
            with self.subTest(" ".join(words)):
                result = run("stat", "-o", "/dev/null", *words)
                if b"not permitted" in result.stderr:
                    self.skipTest(result.stderr.decode())
                self.assertEqual((result.returncode, result.stdout), (0, out), result.stderr)

    def events(self, *words):
        result = run("stat", "--json", *words, "--", "true")
        rows = [json.loads(line) for line in result.stderr.splitlines() if line.startswith(b"{")]
        return [re.sub(":u$", "", row["event"]) for row in rows]

    def test_d_adds_the_events_of_caches(self):
        # perf-stat(1): -d: L1 and LLC data cache; -dd: also I1, dTLB and iTLB; -ddd: also prefetches
        first = ["L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads", "LLC-load-misses"]
        second = ["L1-icache-loads", "L1-icache-load-misses", "dTLB-loads", "dTLB-load-misses", "iTLB-loads", "iTLB-load-misses"]
        third = ["L1-dcache-prefetches", "L1-dcache-prefetch-misses"]
        if not self.events("-e", "page-faults:u"):
            self.skipTest("nothing can be counted here")
        base = self.events()
        for words, more in ((["-d"], first), (["-dd"], first + second), (["-d", "-d", "-d"], first + second + third)):
            events = self.events(*words)
            self.assertEqual(events[:len(base)], base)
            self.assertEqual(events[len(base):], more, words)

    def test_big_numbers_have_commas(self):
        plain = run("stat", "-e", "duration_time", "--", "true")
        if plain.returncode != 0:
            self.skipTest(plain.stderr.decode())
        self.assertRegex(run("stat", "-B", "-e", "duration_time", "--", "true").stderr, rb"\n +\d{1,3}(,\d{3})+ ")
        self.assertRegex(run("stat", "--no-big-num", "-e", "duration_time", "--", "true").stderr, rb"\n +\d+ ")
        self.assertNotIn(b",", run("stat", "-B", "-x;", "-e", "duration_time", "--", "true").stderr)


class Name(unittest.TestCase):
    def names(self, code, cpu="skylakex"):
        row = json.loads(run("name", "--cpu", cpu, "--json", code).stdout)
        return row["names"], row["qualifiers"]

    def test_a_code_is_named_after_what_any_counter_counts(self):
        # Intel SDM vol. 3, table 20-1: architectural events C0H and 3CH, which programmable counters count; INST_RETIRED.ANY
        # and CPU_CLK_UNHALTED.THREAD are the names of fixed counters 0 and 1 in Intel's files.
        for code, first, second in (("r00c0", "inst_retired.any_p", "inst_retired.any"),
                                    ("r003c", "cpu_clk_unhalted.thread_p", "cpu_clk_unhalted.thread")):
            for cpu in ("skylakex", "icelakex", "sapphirerapids"):
                names, _ = self.names(code, cpu)
                self.assertEqual(names[0], first)
                self.assertIn(second, names)

    def test_bits_of_the_register_are_explained(self):
        # Intel SDM vol. 3, figure 20-1: USR is bit 16, OS 17, INT 20, EN 22 of IA32_PERFEVTSELx.
        for code, bits in (("r5300c0", "0x53 in bits 16 to 23: enable, interrupt, user, kernel bits"),
                           ("r4300c0", "0x43 in bits 16 to 23: enable, user, kernel bits"), ("r100c0", "0x1 in bits 16 to 23: user bit "),
                           ("r4000c0", "0x40 in bits 16 to 23: enable bit "), ("r00c0", None), ("r10000c0", None)):
            out = run("name", "--cpu", "skylakex", code).stdout.decode()
            self.assertIn(bits or "", out)
            self.assertEqual("bits 16 to 23" in out, bits is not None, out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
