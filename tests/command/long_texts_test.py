#!/usr/bin/env python3
"""Long texts and lists take time in proportion to their length. Arguments: the evname command and the source root."""

import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

import perf_file as perf

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
RECORDING = str(ROOT / "tests" / "data" / "cortex-a72-system.data")


def run(*arguments, **how):
    return subprocess.run([EVNAME, *map(str, arguments)], capture_output=True, timeout=300, **how)


class LongTexts(unittest.TestCase):
    """A quadratic algorithm takes minutes for these texts."""
    IN_LINES = ["{", "}", "[", "(", "'", "/", ":", "@", "*", "a", "{a,", "a:", "/=", "mem:"]
    IN_ARGUMENTS = ["{", "[", "(", "*", "[[:", "[!", "*a", "a?b:", "a"]
    SKX = ["--cpu", "skylakex"]
    LETTERS = 800_000

    def check(self, text, *arguments, **how):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = run(*arguments, **how)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with self.subTest(text=text, arguments=[str(word)[:20] for word in arguments]):
            self.assertIn(done.returncode, (0, 1, 2), done.stderr[:1000])
            self.assertLess(after.ru_utime - before.ru_utime, 6)

    def test_lines_of_queries(self):
        for letter in self.IN_LINES:
            line = (letter * self.LETTERS)[:self.LETTERS].encode() + b"\n"
            self.check(letter, "resolve", *self.SKX, "-", input=line)

    def test_arguments(self):
        for letter in self.IN_ARGUMENTS:
            word = (letter * (self.LETTERS // 7))[:self.LETTERS // 7]
            for command in (["list", word], ["list", "--cpus", word], ["show", word], ["metrics", word], ["metrics", "--expr=x=" + word]):
                self.check(letter, command[0], *self.SKX, *command[1:])
            self.check(letter, "report", "--event=" + word, RECORDING)

    def test_more_events_than_counters_can_be_scheduled_for(self):
        done = run("schedule", *self.SKX, "-", input="\n".join(f"r{i:x}" for i in range(5000)).encode())
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"5000 events of cpu are too many to be scheduled: 4096 can be", done.stderr)

    def test_lists_of_options(self):
        """Words that are looked up one by one: each different, or all the same."""
        same = "0-1," * 30_000
        different = ",".join(f"x{i}-1" for i in range(3000))
        for words in (same, different, "," * 120_000):
            for command in (["stat", "--timeout=1", "-M", words], ["stat", "--timeout=1", "--expr", "x=" + words],
                            ["stat", "--timeout=1", "-e", words], ["stat", "--timeout=1", "-C", words], ["stat", "--timeout=1", "-p", words],
                            ["record", "--dry-run", "-D", words], ["record", "--dry-run", "-j", words],
                            ["annotate", RECORDING, "-F", words], ["annotate", RECORDING, "--comm", words],
                            ["annotate", RECORDING, "--time", words], ["report", RECORDING, "--sort", words],
                            ["report", RECORDING, "--order", words], ["report", RECORDING, "--metrics", words],
                            ["emit", *self.SKX, "--format=c", "--events", words]):
                self.check(words[:8], *command, stdin=subprocess.DEVNULL)


    def test_lists_of_what_samples_have(self):
        names = [f"t{i}" for i in range(14_000)]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name, "perf.data")
        path.write_bytes(perf.file(b"".join(perf.comm(i + 1, name.encode()) + perf.sample(1, i + 1) for i, name in enumerate(names))))
        tids = map(str, range(2, 28_002, 2))
        for given, samples in ((["--comm", ",".join(names)], 14_000), (["--comm", ",".join("x" + name for name in names)], 0),
                               (["--tid", ",".join(tids)], 7000)):
            self.check(given[0], "annotate", path, *given)
            self.assertEqual(run("annotate", path, *given).stdout.count(b"\n"), samples)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
