#!/usr/bin/env python3
"""evname record as a user runs it, with events that any kernel has. What is recorded is read by evname and, where
it is installed, by perf. Usage: record_test.py EVNAME"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from interrupts import let_interrupts_through

let_interrupts_through()
EVNAME = sys.argv[1]
WORK = [sys.executable, "-c", "bytearray(1 << 25)"]  # 8,192 page faults of 4 KiB
SLEEP = ["sleep", "60"]


def run(*arguments, code=0, **options):
    result = subprocess.run([EVNAME, *arguments], capture_output=True, encoding="utf-8", timeout=60, **options)
    assert code in (None, result.returncode), f"exit code {result.returncode}, {result.stderr}"
    return result


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "perf.data"
        probe = run("record", "-q", "-e", "page-faults:u", "-o", str(self.folder / "probe"), "--", "true", code=None)
        if probe.returncode != 0:
            self.skipTest(probe.stderr)

    def record(self, *arguments, command=WORK, code=0, event="page-faults:u"):
        return run("record", "-e", event, "-o", str(self.file), *arguments, "--", *command, code=code)

    def samples(self, *options):
        lines = run("annotate", "--json", *options, str(self.file)).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def info(self):
        return run("info", str(self.file)).stdout


class Contents(Case):
    def test_each_event_is_a_sample(self):
        self.record("-c", "1")
        samples = self.samples("-F", "comm,tid,time,full_name,ip")
        counted = json.loads(run("stat", "--json", "-e", "page-faults:u", "--", *WORK).stderr.splitlines()[0])
        self.assertAlmostEqual(len(samples), float(counted["counter-value"]), delta=len(samples) * 0.05)
        self.assertEqual({s["full_name"] for s in samples}, {"page-faults:u"})
        times = [s["time"] for s in samples]
        self.assertEqual(times, sorted(times))
        self.assertIn(pathlib.Path(sys.executable).name[:15], {s["comm"] for s in samples})

    def test_a_period_takes_one_of_so_many(self):
        self.record("-c", "100")
        hundreds = len(self.samples())
        self.record("-c", "1")
        self.assertAlmostEqual(hundreds, len(self.samples()) / 100, delta=3)

    def test_functions_of_the_program_are_found(self):
        self.record("-c", "1")
        modules = {s["dso"] for s in self.samples("-F", "+dso")}
        self.assertIn(os.path.realpath(sys.executable), {os.path.realpath(m) for m in modules})

    def test_several_events_and_groups(self):
        self.record("-c", "10", event="page-faults:u,{minor-faults:u,major-faults:u}")
        self.assertEqual({"page-faults:u", "minor-faults:u"}, {s["full_name"] for s in self.samples("-F", "full_name")})
        self.assertIn("group: {minor-faults:u,major-faults:u}", self.info())

    def test_callers_branches_and_fields(self):
        self.record("-c", "10", "-g", "--sample-cpu", "-P", "-d")
        event = next(line for line in self.info().splitlines() if line.startswith("event :"))
        for field in ("CALLCHAIN", "CPU", "PERIOD", "ADDR", "DATA_SRC"):
            self.assertIn(field, event)
        self.record("-c", "10", "--call-graph", "dwarf,4096")
        self.assertIn("STACK_USER", self.info())
        self.assertIn("sample_stack_user = 4096", self.info())

    def test_processes_of_the_command_are_recorded_unless_not_wanted(self):
        script = ["sh", "-c", f"{sys.executable} -c 'bytearray(1 << 22)'; true"]
        self.record("-c", "1", command=script)
        both = {s["tid"] for s in self.samples("-F", "tid")}
        self.record("-c", "1", "-i", "--per-thread", command=script)
        self.assertEqual((len(both), len({s["tid"] for s in self.samples("-F", "tid")})), (2, 1))

    def test_compressed_records_are_the_same(self):
        if "no zstd" in self.record("-c", "1", "-z", code=None).stderr:
            self.skipTest("a build without zstd")
        self.assertGreater(len(self.samples()), 8000)
        self.assertIn("Zstd", self.info())
        self.assertLess(self.file.stat().st_size, 8000 * 40)

    def test_a_pipe_has_the_same(self):
        command = [EVNAME, "record", "-q", "-c", "1", "-e", "page-faults:u", "-o", "-", "--", *WORK]
        recorded = subprocess.run(command, capture_output=True, timeout=60)
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        self.file.write_bytes(recorded.stdout)
        self.assertGreater(len(self.samples()), 8000)
        self.assertIn("nrcpus online", self.info())

    def test_running_processes_and_their_mappings(self):
        script = "import sys,time\nprint('up', flush=True)\nsys.stdin.readline()\nbytearray(1 << 25)\n"
        child = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(child.wait)
        self.addCleanup(child.stdin.close)
        self.addCleanup(child.stdout.close)
        child.stdout.readline()
        recorder = subprocess.Popen([EVNAME, "record", "-q", "-c", "1", "-e", "page-faults:u", "-p", str(child.pid), "-o",
                                     str(self.file)])
        while not self.file.exists() or self.file.stat().st_size == 0:
            time.sleep(0.01)
        time.sleep(0.2)
        child.stdin.write(b"\n")
        child.stdin.flush()
        child.wait(20)
        recorder.send_signal(signal.SIGINT)
        self.assertEqual(recorder.wait(20), -signal.SIGINT)
        samples = self.samples("-F", "dso,pid")
        self.assertGreater(len(samples), 8000)
        self.assertEqual({s["pid"] for s in samples}, {child.pid})
        self.assertTrue(all(s.get("dso") for s in samples[100:]))

    def test_perf_reads_it(self):
        perf = shutil.which("perf")
        if perf is None:
            self.skipTest("perf is not installed")
        self.record("-c", "1")
        lines = subprocess.run([perf, "script", "-F", "comm,tid,time,event", "-i", str(self.file)], capture_output=True,
                               text=True, check=True).stdout.splitlines()
        self.assertEqual(len(lines), len(self.samples()))
        ours = run("annotate", "-F", "comm,tid,time,event", str(self.file)).stdout.splitlines()
        self.assertEqual([line.split() for line in lines], [line.split() for line in ours])


class Endings(Case):
    def test_the_commands_status(self):
        self.record("-q", command=["sh", "-c", "exit 7"], code=7)
        self.record("-q", command=["sh", "-c", "kill -9 $$"], code=137)
        self.assertIn("No such file", self.record(command=["/no/such/command"], code=2).stderr)

    def test_an_earlier_recording_is_kept_and_other_files_are_not_touched(self):
        self.record("-q", "-c", "1")
        first = self.file.read_bytes()
        self.record("-q", "-c", "100")
        self.assertEqual((self.folder / "perf.data.old").read_bytes(), first)
        (self.folder / "loop").symlink_to("loop")
        for name in ("no/folder/file", "loop"):
            result = run("record", "-e", "page-faults:u", "-o", str(self.folder / name), "--", "true", code=2)
            self.assertIn(name, result.stderr)

    def test_what_was_recorded_before_a_kill_can_be_read(self):
        faults = "import mmap\nwhile True:\n with mmap.mmap(-1, 1 << 22) as m: m.write(bytes(1 << 22))"
        worker = subprocess.Popen([sys.executable, "-c", faults])
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)
        recorder = subprocess.Popen([EVNAME, "record", "-q", "-c", "1", "-m", "8", "-e", "page-faults:u", "-o", str(self.file),
                                     "-p", str(worker.pid)])
        while not self.file.exists() or self.file.stat().st_size < 1 << 20:
            time.sleep(0.01)
        recorder.kill()
        recorder.wait()
        result = run("report", "--json", "--salvage", str(self.file), code=None)
        self.assertIn("cut off", result.stderr)
        self.assertGreater(json.loads(result.stdout.splitlines()[0])["samples"], 10000)

    def test_a_signal_ends_in_a_whole_file(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            recorder = subprocess.Popen([EVNAME, "record", "-q", "-e", "page-faults:u", "-o", str(self.file), "--", *SLEEP])
            while not self.file.exists() or self.file.stat().st_size == 0:
                time.sleep(0.01)
            time.sleep(0.2)
            recorder.send_signal(number)
            self.assertEqual(recorder.wait(20), -number)
            self.assertIn("hostname", self.info())

    def test_limits(self):
        self.record("-q", "-c", "1", "--max-size", "100K")
        self.assertLess(self.file.stat().st_size, 1_000_000)  # a buffer more
        self.assertGreater(len(self.samples()), 100)
        begin = time.monotonic()
        run("record", "-q", "-e", "page-faults:u", "-p", str(os.getpid()), "--timeout", "300", "-o", str(self.file))
        self.assertLess(time.monotonic() - begin, 10)

    def test_a_full_device_is_reported(self):
        result = run("record", "-q", "-c", "1", "-e", "page-faults:u", "-o", "/dev/full", "--", *WORK, code=2)
        self.assertIn("No space left on device", result.stderr)

    def test_the_page_is_written(self):
        page = self.folder / "page.html"
        self.record("-q", "-c", "1", "--html", str(page))
        self.assertIn("page-faults:u", page.read_text())

    def test_mistakes(self):
        for arguments, words in [(["-a", "-p", "1"], "not both"), (["-c", "5", "-F", "10"], "exclude"),
                                 (["--call-graph", "dwarf,7"], "multiple of 8"), (["-j", "any,x"], "'x'"),
                                 (["-k", "noon"], "'noon'"), (["-F", "many"], "'many'"), (["--max-size", "1X"], "'1X'")]:
            result = run("record", *arguments, "--", "true", code=2)
            self.assertIn(words, result.stderr)
        self.assertIn("COMMAND is missing", run("record", code=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
