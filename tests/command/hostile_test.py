#!/usr/bin/env python3
"""Rare trouble: limits of threads and memory, streams that are no recording, and damage. evname must report every
loss. Arguments: the evname command and the source root."""

import json
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

import perf_file as perf
from sanitizers import has_sanitizer

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
RECORDING = str(ROOT / "tests" / "data" / "cortex-a72-system.data")
READERS = [["annotate"], ["annotate", "--json"], ["report"], ["report", "--sort", "comm"], ["info"], ["info", "--records"],
           ["inject", "-o", "/dev/null"], ["inject", "--time", "0,", "-o", "/dev/null"], ["cpu", "-i"],
           *[["export", "--format", form, "-o", "/dev/null"] for form in ("firefox", "speedscope", "perfetto", "otlp", "otlp-json")],
           ["split", "--by", "cpu", "-o", "/nonexistent/parts"], ["report", "--html", "/dev/null"],
           ["resolve", "cycles", "-i"]]
SANITIZED = has_sanitizer(EVNAME, "asan", "tsan")


def run(*arguments, limit=None, timeout=60, **how):
    return subprocess.run([EVNAME, *map(str, arguments)], capture_output=True, timeout=timeout, preexec_fn=limit, **how)


def stack_of(size, memory=None):
    """A new thread's stack is as large as the limit: where there is no room for it, no thread starts."""
    def set_limits():
        resource.setrlimit(resource.RLIMIT_STACK, (size, resource.getrlimit(resource.RLIMIT_STACK)[1]))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return set_limits


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def events(self, count, first=1000):
        return b"".join(perf.sample(first + i) for i in range(count))


@unittest.skipIf(SANITIZED, "their own mappings exceed every limit")
class Threads(Case):
    LIMITS = {"none start": stack_of(1 << 46), "some start": stack_of(1 << 30, 3 << 30)}

    def test_fewer_threads_give_the_same_answer(self):
        for command in (["annotate"], ["annotate", "--json"], ["report"], ["report", "--sort", "comm"]):
            whole = run(*command, "--jobs", 1, RECORDING)
            for name, limit in self.LIMITS.items():
                for jobs in (2, 8, 100_000):
                    with self.subTest(command=command, limit=name, jobs=jobs):
                        limited = run(*command, "--jobs", jobs, RECORDING, limit=limit)
                        self.assertEqual(limited.returncode, whole.returncode, limited.stderr)
                        self.assertEqual(limited.stdout, whole.stdout)

    def test_event_files_are_read_by_fewer_threads(self):
        for limit in self.LIMITS.values():
            listed = run("list", "--cpu", "0x00000000410fd0c0", "--events", ROOT / "arch", "l1d_cache", limit=limit)
            self.assertEqual(listed.returncode, 0, listed.stderr)

    def test_jobs_are_bounded(self):
        memory = self.peak("--jobs", 100_000)
        self.assertLess(memory, 100 << 10, "KB")

    def peak(self, *options):
        path = self.write("many.data", perf.file(self.events(50_000)))
        before = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True);"
        after = "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        return int(subprocess.run([sys.executable, "-c", before + after, EVNAME, "annotate", *map(str, options), path],
                                  check=True, capture_output=True).stdout)


class StandardInput(Case):
    def test_what_is_no_recording_is_refused_after_its_first_bytes(self):
        for start in (b"y\n" * 8, b"\0" * 16, b"PERFILE2" + struct.pack("<Q", 7)):
            for command in READERS:
                with self.subTest(start=start, command=command):
                    self.refuse_endless(start, command)

    def refuse_endless(self, start, command):
        with subprocess.Popen([EVNAME, *command, "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            process.stdin.write(start)
            process.stdin.flush()  # and the pipe stays open
            self.assertEqual(process.wait(timeout=20), 2)
            self.assertIn(b"standard input", process.stderr.read())

    def test_a_recording_goes_to_the_directory_of_temporary_files(self):
        with open(RECORDING, "rb") as recording:
            content = recording.read()
        whole = run("annotate", RECORDING).stdout
        good = run("annotate", "-", input=content, env={**os.environ, "TMPDIR": str(self.folder)})
        self.assertEqual((good.returncode, good.stdout), (0, whole), good.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])
        bad = run("annotate", "-", input=content, env={**os.environ, "TMPDIR": "/nonexistent"})
        self.assertEqual(bad.returncode, 2)
        self.assertIn(b"/nonexistent: No such file", bad.stderr)


class Damage(Case):
    """Each is reported, with exit code 1, by all readers of samples; the readable part is there."""

    def told(self, path, what, samples=None):
        new = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for command in (["annotate", "-F", "time"], ["annotate", "--json"], ["annotate", "--jobs", "1"], ["report"],
                        ["report", "--sort", "comm"], ["report", "--json"], ["split", "--by", "cpu", "-o", new / "parts"],
                        ["export", "--format", "firefox", "-o", new / "profile"],
                        ["report", "--html", new / "page"], ["inject", "--time", "0,", "-o", new / "part"]):
            done = run(*command, path)
            with self.subTest(path=path, command=command):
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(what, done.stderr.decode())
                if samples is not None and command[0] == "annotate":
                    self.assertEqual(len(done.stdout.splitlines()), samples)

    def test_names_longer_than_any_of_linux_are_cut(self):
        mapped = perf.record(perf.MMAP, struct.pack("<iiQQQ", 1, 1, 0, 4096, 0) + perf.padded(b"/" + b"d" * 5000)
                             + perf.trailer(0), 2)
        data = perf.comm(1, b"n" * 300) + mapped + perf.record(perf.SAMPLE, struct.pack("<QQiiQ", 1, 0x10, 1, 1, 1000), 2)
        path = self.write("names.data", perf.file(data, [perf.attr(sample_type=perf.TYPE | 1)]))
        done = run("annotate", "--json", "-F", "+dso", path)
        shown = json.loads(done.stdout)
        self.assertEqual((shown["comm"], shown["dso"]), ("n" * 255, "/" + "d" * 4094))
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"2 records have names that are longer than any of Linux, and are cut", done.stderr)
        label = run("annotate", "--format", "folded", path).stdout.decode().split(";")[-1]
        self.assertEqual(label, "d" * 255 + "+0x10 1\n")

    def test_a_record_that_hides_others(self):
        longer = {
            "sample": perf.sample(1000, size=32 * 25),
            "comm": perf.record(perf.COMM, struct.pack("<ii", 1, 1) + perf.padded(b"prog") + perf.trailer(1000),
                                size=48 + 32 * 24),
            "mmap": perf.record(perf.MMAP, struct.pack("<iiQQQ", 1, 1, 0, 4096, 0) + perf.padded(b"/bin/x") +
                                perf.trailer(1000), size=72 + 32 * 24),
            "exit": perf.record(perf.EXIT, struct.pack("<iiiiQ", 1, 1, 1, 1, 1000) + perf.trailer(1000),
                                size=56 + 32 * 24),
            "lost": perf.record(perf.LOST, struct.pack("<QQ", 1, 0) + perf.trailer(1000), size=48 + 32 * 24),
            "round": perf.record(perf.FINISHED_ROUND, size=8 + 32 * 24),
        }
        for attrs in ([perf.attr()], [perf.attr(), perf.attr(1)]):
            for name, record in longer.items():
                shown = 1 if name == "sample" else 0
                data = self.events(5) + record + self.events(24 + 5, 2000)
                path = self.write(f"{name}{len(attrs)}.data", perf.file(data, attrs))
                self.told(path, "longer than what is in", 5 + shown + 5)

    def directory(self, files):
        path = self.folder / "directory"
        path.mkdir()
        main = perf.file(perf.comm(1, b"prog"), features=[(perf.DIR_FORMAT, struct.pack("<Q", 1))])
        (path / "data").write_bytes(main)
        for name, content in files.items():
            (path / name).write_bytes(content)
        return path

    def test_a_file_of_a_directory_that_is_missing(self):
        self.told(self.directory({"data.1": self.events(3), "data.4": self.events(3)}), "data.0 is missing", 6)
        self.told(self.folder / "directory", "data.2 to data.3 are missing")

    def test_a_file_of_a_directory_that_was_emptied(self):
        self.told(self.directory({"data.0": self.events(3), "data.1": b""}), "data.1 is empty", 3)

    def test_a_whole_directory_is_fine(self):
        done = run("annotate", self.directory({"data.0": self.events(3), "data.1": self.events(3)}))
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 6), done.stderr)

    def test_one_file_of_several_that_can_not_be_read(self):
        good = self.write("good.data", perf.file(self.events(3)))
        bad = self.write("bad.data", b"no recording at all")
        for files in ([good, bad], [bad, good], [good, self.folder / "none", good]):
            done = run("report", *files)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"cpu-clock", done.stdout)
        done = run("report", bad, self.folder / "none")
        self.assertEqual((done.returncode, done.stdout), (2, b""))

    def test_more_parts_than_a_disk_has_room_for(self):
        threads = range(1, 300_001)
        data = b"".join(perf.comm(tid, b"prog") for tid in threads) + b"".join(perf.sample(1000, tid) for tid in threads)
        path, parts = self.write("threads.data", perf.file(data)), self.folder / "parts"
        if shutil.disk_usage(self.folder).free > 300_000 * 16_000_000:
            self.skipTest("the disk has room for them")
        done = run("split", "--by", "thread", path, "-o", parts)  # 300,000 times 17 MB
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(b"300000 files", done.stderr)
        self.assertFalse(parts.exists())

    @unittest.skipIf(has_sanitizer(EVNAME, "tsan"), "ThreadSanitizer has its own handlers")
    def test_a_file_that_becomes_shorter_while_it_is_read(self):
        path = self.write("shrinks.data", perf.file(self.events(1_000_000)))
        with subprocess.Popen([EVNAME, "annotate", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.read(100)  # it waits for more to be read
            os.truncate(path, 4096)
            rest = threading.Thread(target=process.stdout.read)
            rest.start()
            told = process.stderr.read()
            rest.join()
            self.assertEqual(process.wait(timeout=20), 2, told)
            self.assertIn(b"shrinks.data: became shorter while it was read", told)


class Late(Case):
    """perf's own queue: a round may only hold back what comes before the end of the next one."""

    def recording(self, late):
        done = perf.record(perf.FINISHED_ROUND)
        data = self.events(5) + done + self.events(5, 2000) + done + self.events(late, 500) + self.events(1, 3000)
        return self.write(f"late{late}.data", perf.file(data))

    def test_what_comes_too_late_for_its_place_is_told_and_not_missing(self):
        for late, words in ((1, "1 record came too late"), (3, "3 records came too late")):
            path = self.recording(late)
            for command in (["annotate", "-F", "time"], ["annotate", "--json"], ["report", "--sort", "comm"], ["info", "--records"],
                            ["export", "--format", "firefox", "-o", "/dev/null"], ["inject", "--time", "0,", "-o", "/dev/null"]):
                with self.subTest(late=late, command=command):
                    done = run(*command, path)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    if command[0] == "annotate":
                        self.assertIn(words, done.stderr.decode())
                        self.assertEqual(len(done.stdout.splitlines()), 11 + late)

    def test_what_is_missing_besides_still_counts(self):
        path = self.write("cut.data", self.recording(1).read_bytes()[:-20])
        done = run("annotate", path)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"1 record came too late", done.stderr)


class EventFiles(Case):
    """A file with more events than tables hold takes time and memory in proportion to what they hold."""

    def test_a_million_events(self):
        folder = self.folder / "events"
        folder.mkdir()
        for count, limit in ((1000, 64), (1_000_000, 400)):
            rows = ",".join('{"EventName":"e%d","EventCode":"0x%x"}' % (i, i) for i in range(count))
            (folder / "x.json").write_text("[" + rows + "]")
            before = "import resource, subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode or "
            after = f"resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > {limit * (8 if SANITIZED else 1)} << 10)"
            done = subprocess.run([sys.executable, "-c", before + after, EVNAME, "resolve", "--cpu", "skylakex", "--events", folder,
                                   "e77"], capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(b"config=0x4d", done.stdout)
            self.assertEqual(b"the rest is left out" in done.stderr, count > 65535, done.stderr)

    def test_metrics_of_several_metrics(self):
        """Of metrics that each need the five before them there are 5^60 chains."""
        folder = self.folder / "events"
        folder.mkdir()
        (folder / "x.json").write_text(json.dumps([{"MetricName": f"m{i}", "MetricExpr": " + ".join(f"m{j}" for j in range(max(0, i - 5), i))
                                                    or "instructions"} for i in range(60)]))
        done = subprocess.run([EVNAME, "metrics", "--cpu", "skylakex", "--events", folder, "--show", "m59"], capture_output=True,
                              timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"groups\n  instructions\n", done.stdout)

    def test_an_entry_of_a_million_keys(self):
        folder = self.folder / "events"
        folder.mkdir()
        keys = ",".join(f'"k{i}":{{}}' if i % 2 else f'"k{i}":1' for i in range(1_000_000))
        (folder / "x.json").write_text('[{"EventName":"e1","EventCode":"1"},{' + keys + "}]")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = run("resolve", "--cpu", "skylakex", "--events", folder, "e1")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"keys of an entry are read; the rest is left out", done.stderr)
        self.assertLess(after.ru_utime - before.ru_utime, 6 * (30 if SANITIZED else 1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
