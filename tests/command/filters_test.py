#!/usr/bin/env python3
"""Filters of samples: one without matches is reported with the existing values, in every subcommand that has
filters and in every format. Usage: filters_test.py EVNAME SOURCE_ROOT"""

import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import perf_file

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
N1, A72 = (str(ROOT / "tests/data" / f"{name}.data") for name in ("neoverse-n1", "cortex-a72-system"))
WAYS = [["annotate"], ["annotate", "--json"], ["annotate", "--format", "csv"], ["annotate", "--format", "folded"],
        ["annotate", "--jobs", "1"], ["annotate", "--jobs", "4"], ["report"], ["report", "--json"], ["report", "--sort", "event,comm"],
        ["report", "--html", "/dev/null"]]
# Options, and the texts on standard error. The events, threads and times come from the perf script
# output beside the recordings.
NOTHING = [
    (N1, ["--event", "cycles"], ["--event 'cycles'", "cpu_cycles", "inst_retired", "page-faults"]),
    (N1, ["--comm", "bash"], ["--comm 'bash'", "sh", "ls", "md5sum"]),
    (N1, ["--pid", "1-3"], ["--pid '1-3'", "149"]),
    (N1, ["--tid", "9999"], ["--tid '9999'", "149"]),
    (N1, ["--time", "5%-3%"], ["--time '5%-3%'", "from 5.77", "to 5.89"]),
    (N1, ["--time", "9000,"], ["--time '9000,'", "from 5.77"]),
    (A72, ["--cpu", "7"], ["--cpu '7'", "there are 0, 1"]),
    # each matches something, all of them nothing
    (A72, ["--event", "my_cycles", "--comm", "tee", "--cpu", "0,1", "--time", "2.41,2.42"],
     ["no sample satisfies", "--comm tee", "--time 2.41,2.42"]),
]


def run(*arguments, text=None):
    return subprocess.run([EVNAME, *arguments], capture_output=True, input=text)


class Filters(unittest.TestCase):
    def test_what_matches_nothing_is_told_with_what_there_is(self):
        for file, options, words in NOTHING:
            for way in WAYS:
                with self.subTest(" ".join(way + options)):
                    result = run(*way, *options, file)
                    self.assertEqual(result.returncode, 1)
                    for word in words:
                        self.assertIn(word.encode(), result.stderr)
                    self.assertLessEqual(len(result.stdout.splitlines()), 1)  # csv has its heading

    def test_processes_are_no_threads(self):
        data = b"".join(perf_file.record(perf_file.SAMPLE, struct.pack("<QiiQ", 1, 5, tid, 10), 2) for tid in (6, 7))
        with tempfile.NamedTemporaryFile(suffix=".data") as file:
            file.write(perf_file.file(data))
            file.flush()
            for option, told in (("--pid", "no process matches --pid '9' (there are 5)"), ("--tid", "no thread matches --tid '9' (there are 6, 7)")):
                self.assertIn(told, run("annotate", option, "9", file.name).stderr.decode())

    def test_twenty_values_are_named(self):
        for count in (20, 21):
            data = b"".join(perf_file.record(perf_file.SAMPLE, struct.pack("<QiiQ", 1, 5, 1000 + i, 10), 2) for i in range(count))
            with tempfile.NamedTemporaryFile(suffix=".data") as file:
                file.write(perf_file.file(data))
                file.flush()
                told = run("annotate", "--tid", "9", file.name).stderr.decode()
                numbers = ", ".join(str(1000 + i) for i in range(20))
                self.assertIn(f"(there are {numbers}{', …' if count > 20 else ''})", told)

    def test_what_matches_something_says_nothing(self):
        for way in WAYS:
            for options in ([], ["--event", "CPU_*"], ["--comm", "ls"], ["--time", "0%-50%"]):
                with self.subTest(" ".join(way + options)):
                    result = run(*way, *options, N1)
                    told = [line for line in result.stderr.splitlines() if not re.search(rb"-v tells which|note: (names for|more:)", line)]
                    self.assertEqual((result.returncode, told), (0, []))  # whose files are not here

    def test_samples_without_a_cpu_cant_be_chosen_by_one(self):
        # As perf script: "File does not contain CPU events. Remove -C option to proceed."
        for way in WAYS + [["export", "--format", "pprof", "-o", "/dev/null"]]:
            with self.subTest(" ".join(way)):
                result = run(*way, "--cpu", "0", N1)
                self.assertEqual((result.returncode, result.stdout), (2, b""))
                self.assertIn(b"samples can't be chosen by CPU", result.stderr)

    def test_a_pipe_can_be_read_only_once(self):
        for options, word in (["--comm", "bash"], b"--comm bash"), (["--event", "cycles"], b"cpu_cycles"):
            result = run("annotate", *options, "-", text=pathlib.Path(N1).read_bytes())
            self.assertEqual((result.returncode, result.stdout), (1, b""))
            self.assertIn(word, result.stderr)

    def test_a_limit_is_not_below_0(self):
        for limit, code, lines in ("-1", 1, 0), ("0", 0, 0), ("3", 0, 3), ("x", 2, 0):
            result = run("annotate", "--limit", limit, N1)
            self.assertEqual((result.returncode, len(result.stdout.splitlines())), (code, lines), limit)
            self.assertEqual(b"--limit" in result.stderr, code != 0)


class Report(unittest.TestCase):
    def rows(self, *arguments):
        return [json.loads(line) for line in run("report", "--json", *arguments).stdout.splitlines()]

    def test_the_rows_of_an_event_follow_each_other_and_their_shares_add_up(self):
        for keys in "event,comm", "comm,event", "event,cpu,tid":
            rows = self.rows("--sort", keys, A72)
            events = [row["event"] for row in rows]
            self.assertEqual(len({e for i, e in enumerate(events) if i == 0 or events[i - 1] != e}),
                             sum(i == 0 or events[i - 1] != e for i, e in enumerate(events)))
            for event in set(events):
                own = [row for row in rows if row["event"] == event]
                self.assertAlmostEqual(sum(row["share"] for row in own), 1 if own[0]["samples"] else 0)
                self.assertEqual({row["of"] for row in own}, {sum(row["samples"] for row in own)})

    def test_parts_of_the_time_are_those_of_each_recording(self):
        alone = [sum(row["samples"] for row in self.rows("--time", "0%-50%", file)) for file in (N1, A72)]
        self.assertTrue(all(alone))
        both = self.rows("--time", "0%-50%", "--sort", "file,event", N1, A72)
        self.assertEqual(sum(row["samples"] for row in both), sum(alone))
        profile = run("export", "--format", "speedscope", "-o", "-", "--time", "0%-50%", N1, A72).stdout
        samples = sum(len(one["samples"]) for one in json.loads(profile)["profiles"])
        self.assertEqual(samples, sum(alone))

    def test_rows_of_several_events_are_told(self):
        for arguments, note in ((["--sort", "comm", A72], b"rows add up what"), (["--sort", "comm", "--event", "inst*", A72], b""),
                                (["--sort", "event,comm", A72], b""), ([A72], b"")):
            told = run("report", *arguments).stderr
            self.assertIn(note, told)
            self.assertEqual(b"keeps them apart" in told, bool(note), arguments)

    def test_the_columns_stand_below_each_other_and_end_with_totals(self):
        for keys, totals in ("event", 1), ("event,comm", 5), ("comm", 1), ("comm,event", 5), ("file,event,cpu", 5):
            lines = run("report", "--sort", keys, A72).stdout.decode().splitlines()
            starts = [lines[0].index(title) for title in keys.split(",")]
            for line in lines[1:]:
                for start in starts:
                    self.assertEqual(line[start - 2:start], "  ", line)
            self.assertEqual(sum("(total)" in line for line in lines), totals, keys)
            self.assertRegex(lines[-1], r"\((total|all)\)")

    def test_the_columns_of_a_recording_fit_a_terminal(self):
        lines = run("report", A72).stdout.decode().splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
