#!/usr/bin/env python3
"""evname record as a user runs it, with events that any kernel has. What is recorded is read by evname and, where
it is installed, by perf. Usage: record_test.py EVNAME"""

import json
import os
import pathlib
import re
import resource
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
        time.sleep(1)  # the kernel's symbols are read before the events are enabled
        child.stdin.write(b"\n")
        child.stdin.flush()
        child.wait(20)
        self.assertEqual(recorder.wait(20), 0)  # nothing is left to sample
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


# What `perf evlist -v` of perf 7.3 prints of the events of the same `perf record -e cpu-clock`: the fields of samples less
# IDENTIFIER and ID, which only say which event it is, and some members. -a, -C and -D add dummy:u.
CLOCK = "IP|TID|TIME|PERIOD"
AS_PERF = [
    ("", CLOCK, "freq = 1"), ("-F 99", CLOCK, "{ sample_period, sample_freq } = 99"), ("-c 1000000", "IP|TID|TIME", ""),
    ("-g", "IP|TID|TIME|CALLCHAIN|PERIOD", ""), ("-d", "IP|TID|TIME|ADDR|PERIOD|DATA_SRC", "mmap_data = 1"),
    ("--call-graph dwarf,1024", "IP|TID|TIME|CALLCHAIN|PERIOD|REGS_USER|STACK_USER",
     "sample_stack_user = 1024, exclude_callchain_user = 1, mmap_data = 1"),
    ("-W", "IP|TID|TIME|PERIOD|WEIGHT_STRUCT", ""), ("--phys-data", "IP|TID|TIME|PERIOD|PHYS_ADDR", ""),
    ("--data-page-size", "IP|TID|TIME|PERIOD|DATA_PAGE_SIZE", ""), ("--sample-cpu", "IP|TID|TIME|CPU|PERIOD", ""),
    ("--code-page-size", "IP|TID|TIME|PERIOD|CODE_PAGE_SIZE", ""), ("-R", "IP|TID|TIME|CPU|PERIOD|RAW", ""),
    ("-s", CLOCK, "inherit_stat = 1, read_format = TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING|ID|LOST"),
    ("--running-time", CLOCK, "read_format = TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING|ID|LOST"), ("-T", CLOCK, ""),
    ("-i", CLOCK, "-inherit"), ("--switch-events", CLOCK, "context_switch = 1"), ("--all-user", CLOCK, "exclude_kernel = 1"),
    ("--all-kernel", CLOCK, "exclude_user = 1"), ("-k mono", CLOCK, "use_clockid = 1, clockid = 1"), ("-n", CLOCK, "-freq"),
    ("-g --user-callchains", "IP|TID|TIME|CALLCHAIN|PERIOD", "exclude_callchain_kernel = 1"),
]
# The same for terms of the event itself.
TERMS = [
    ("cpu-clock/freq=100/", CLOCK, "{ sample_period, sample_freq } = 100"), ("cpu-clock/period=70000/", "IP|TID|TIME", ""),
    ("cpu-clock/call-graph=fp/", "IP|TID|TIME|CALLCHAIN|PERIOD", ""), ("cpu-clock/no-inherit/", CLOCK, "-inherit"),
    ("cpu-clock/call-graph=dwarf,stack-size=512/", "IP|TID|TIME|CALLCHAIN|PERIOD|REGS_USER|STACK_USER",
     "sample_stack_user = 512"),
    ("cpu-clock/call-graph=fp,max-stack=5,name=foo/", "IP|TID|TIME|CALLCHAIN|PERIOD", "sample_max_stack = 5"),
]


class AsPerf(Case):
    def check(self, fields, members):
        event = next(line for line in self.info().splitlines() if re.match("event +: name = (cpu-clock|foo)", line))
        names = set(re.search(r"sample_type = ([A-Z_|]+)", event)[1].split("|"))
        if "in parts" not in self.stderr and "sizes of" not in self.stderr:  # an older kernel
            self.assertEqual(names - {"IDENTIFIER"}, set(fields.split("|")))
        for member in filter(None, members.split(", ") if "{" not in members else [members]):
            if member[0] == "-":
                self.assertNotIn(f", {member[1:]} = 1", event)
            elif "LOST" not in member or "(Linux 6.0)" not in self.stderr:
                self.assertIn(member, event)

    def test_options_set_what_perf_sets(self):
        for options, fields, members in AS_PERF:
            with self.subTest(options):
                result = self.record(*options.split(), event="cpu-clock", command=["true"], code=None)
                self.stderr = result.stderr
                if result.returncode == 0:  # else this user may not
                    self.check(fields, members)
                else:
                    self.assertRegex(result.stderr, "not permitted|not for everybody")

    def test_terms_come_before_options(self):
        for event, fields, members in TERMS:
            with self.subTest(event):
                self.stderr = self.record("-i" if "no-" in event else "-F", *([] if "no-" in event else ["4000"]), event=event,
                                          command=["true"]).stderr
                self.check(fields, members)

    def test_mappings_from_before_a_late_start_are_there(self):
        script = "import time\ntime.sleep(0.4)\nbytearray(1 << 25)"
        self.record("-c", "1", "-D", "200", command=[sys.executable, "-c", script])
        samples = self.samples("-F", "dso,time,comm")
        self.assertGreater(len(samples), 8000)
        self.assertIn(pathlib.Path(sys.executable).name[:15], {s["comm"] for s in samples})
        self.assertGreater(len([s for s in samples if s.get("dso")]), len(samples) * 0.99)
        self.assertIn("name = dummy:u", self.info())

    def test_ranges_of_time(self):
        worker = subprocess.Popen([sys.executable, "-c", "while True: bytearray(1 << 25)"])
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)
        run("record", "-e", "page-faults:u", "-c", "100", "-D", "100-300,1000-1200", "--timeout", "1500", "-p",
            str(worker.pid), "-o", str(self.file))
        times = [float(s["time"]) for s in self.samples("-F", "time")]
        gaps = [b - a for a, b in zip(times, times[1:])]
        self.assertGreater(max(gaps), 0.5)
        self.assertEqual(len([gap for gap in gaps if gap > 0.5]), 1)

    def test_processes_that_begin_on_other_cpus_have_names(self):
        result = run("record", "-q", "-e", "cpu-clock", "-C", "0", "-o", str(self.file), "--", "true", code=None)
        if result.returncode != 0:
            self.skipTest(result.stderr)
        tracker = next(line for line in self.info().splitlines() if "name = dummy:u" in line)
        ids = re.search(r"id = \{([^}]*)\}", tracker)[1].split(",")
        self.assertEqual(len(ids), os.sysconf("SC_NPROCESSORS_ONLN"))

    def test_the_first_and_last_sample(self):
        for event in ("page-faults:u", "page-faults:u,minor-faults:u"):
            self.record("-c", "1", event=event)
            times = [float(s["time"]) for s in self.samples("-F", "time")]
            for word, expected in (("first", times[0]), ("last", times[-1])):
                found = re.search(rf"time of {word} sample *: ([\d.]+)", self.info())
                self.assertAlmostEqual(float(found[1]), expected, places=5)

    def test_a_filter_of_tracepoints(self):
        result = self.record("-a", "--filter", "prev_pid == 0", event="sched:sched_switch", command=["sleep", "0.2"], code=None)
        if result.returncode != 0:
            self.skipTest(result.stderr)
        self.assertEqual({s["tid"] for s in self.samples("-F", "tid")} - {0}, set())
        result = self.record("--filter", "nothing == 0", event="sched:sched_switch", command=["true"], code=2)
        self.assertIn("nothing == 0", result.stderr)

    def test_what_can_not_be_sampled_so(self):
        for event, options, words in [("cpu-clock", ["-b"], "records no branches"),
                                      ("cpu-clock", ["-j", "any,u"], "records no branches"),
                                      ("cpu-clock", ["--call-graph", "lbr"], "--call-graph dwarf"),
                                      ("cpu-clock/call-graph=xyz/", [], "xyz"),
                                      ("page-faults:u", ["-u", "no-such-user"], "no such user")]:
            with self.subTest(f"{event} {options}"):
                self.assertIn(words, self.record(*options, event=event, command=["true"], code=2).stderr)

    def test_metrics_are_known_by_name(self):
        result = self.record("-M", "NoSuchMetric", command=["true"], code=2)
        self.assertIn("NoSuchMetric", result.stderr)


class Files(Case):
    FAULTS = [sys.executable, "-c", "import time\nfor i in range(6):\n bytearray(1 << 25)\n time.sleep(0.1)"]

    def numbered(self):
        return sorted(path for path in self.folder.iterdir() if re.fullmatch(r"perf\.data\.\d{16}", path.name))

    def test_a_size_begins_another_file(self):
        self.record("-c", "1", "--switch-output=200K", command=self.FAULTS)
        files = self.numbered()
        self.assertGreater(len(files), 3)
        self.assertFalse(self.file.exists())
        starts = []
        for path in files:
            samples = [json.loads(line) for line in run("annotate", "--json", "-F", "time,dso", str(path)).stdout.splitlines()]
            if not samples and path == files[-1]:  # begun as the last sample was written
                continue
            starts.append((float(samples[0]["time"]), float(samples[-1]["time"])))
            # The mappings of a program that runs already, unless it ended meanwhile.
            self.assertTrue(path == files[-1] or any(s.get("dso") for s in samples))
        self.assertEqual(starts, sorted(starts))
        self.assertTrue(all(first[1] <= second[0] for first, second in zip(starts, starts[1:])))

    def begun(self):
        """The file that is being written, by its number, if it is there and something is in it."""
        try:
            about = self.file.stat()
        except FileNotFoundError:
            return 0
        return about.st_ino if about.st_size else 0

    def test_a_signal_begins_another_file_and_old_ones_go(self):
        recorder = subprocess.Popen([EVNAME, "record", "-c", "1", "-e", "page-faults:u", "-o", str(self.file), "--switch-output",
                                     "--switch-max-files", "2", "--", *SLEEP], stderr=subprocess.PIPE, text=True)
        before = 0
        for _ in range(3):
            while self.begun() in (0, before):
                time.sleep(0.01)
            before = self.begun()
            time.sleep(0.1)
            recorder.send_signal(signal.SIGUSR2)
        while self.begun() in (0, before):
            time.sleep(0.01)
        recorder.terminate()
        _, errors = recorder.communicate(timeout=30)
        self.assertEqual(recorder.returncode, -signal.SIGTERM, errors)
        self.assertEqual(errors.count("is complete"), 3)
        self.assertEqual(len(self.numbered()), 2)
        for path in self.numbered():
            self.assertIn("hostname", run("info", str(path)).stdout)

    def test_the_time_in_the_name(self):
        self.record("-q", "--timestamp-filename")
        self.assertEqual(len(self.numbered()), 1)
        self.assertFalse(self.file.exists())

    def test_levels_of_compression(self):
        if "no zstd" in self.record("-z19", code=None).stderr:
            self.skipTest("a build without zstd")
        self.assertIn("level = 19", self.info())
        self.assertIn("1 to 22", self.record("--compression-level=99", code=2).stderr)


class Faults(Case):
    def test_what_fits_on_a_full_disk_is_kept(self):
        """The limit on sizes of files stands for the disk: writing fails in the middle of records."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (150_001, 150_001))

        result = run("record", "-c", "1", "-e", "page-faults:u", "-o", str(self.file), "--", *WORK, code=2, preexec_fn=limit)
        self.assertIn("File too large", result.stderr)
        read = run("report", "--json", str(self.file))
        self.assertNotIn("warning", read.stderr)
        self.assertGreater(json.loads(read.stdout.splitlines()[0])["samples"], 2000)

    def test_a_closed_pipe_is_told(self):
        recorder = subprocess.Popen([EVNAME, "record", "-c", "1", "-e", "page-faults:u", "-o", "-", "--", *WORK],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        recorder.stdout.read(1000)
        recorder.stdout.close()
        self.assertIn(b"Broken pipe", recorder.stderr.read())
        recorder.stderr.close()
        self.assertEqual(recorder.wait(20), 2)

    def test_the_command_does_not_ignore_closed_pipes(self):
        self.record("-q", command=["sh", "-c", "yes | head -n 1 > /dev/null; kill -PIPE $$"], code=128 + signal.SIGPIPE)

    def test_it_ends_with_the_process(self):
        child = subprocess.Popen(["sleep", "0.5"])
        begin = time.monotonic()
        run("record", "-q", "-e", "page-faults:u", "-p", str(child.pid), "-o", str(self.file))
        self.assertLess(time.monotonic() - begin, 20)
        child.wait()
        self.assertIn("hostname", self.info())
        self.assertIn(str(child.pid), run("record", "-e", "page-faults:u", "-p", str(child.pid), code=2).stderr)

    def test_it_goes_on_while_one_process_is_left(self):
        faults = "import time\ntime.sleep(1.5)\nbytearray(1 << 25)"
        first, second = subprocess.Popen(["sleep", "0.6"]), subprocess.Popen([sys.executable, "-c", faults])
        run("record", "-q", "-e", "page-faults:u", "-c", "1", "-p", f"{first.pid},{second.pid}", "-o", str(self.file))
        first.wait()
        second.wait()
        self.assertGreater(len([s for s in self.samples("-F", "pid") if s["pid"] == second.pid]), 8000)

    def test_it_goes_on_while_one_thread_is_left(self):
        script = ("import threading,time\ndef late():\n time.sleep(1.5)\n bytearray(1 << 25)\n"
                  "threading.Thread(target=time.sleep, args=(0.5,)).start()\nthreading.Thread(target=late).start()\n"
                  "print('up', flush=True)\nimport ctypes\nctypes.CDLL(None).pthread_exit(None)")
        child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        child.stdout.readline()
        run("record", "-q", "-e", "page-faults:u", "-c", "1", "-p", str(child.pid), "-o", str(self.file), "--timeout", "8000")
        child.kill()
        child.wait()
        child.stdout.close()
        self.assertGreater(len(self.samples("-F", "pid")), 8000)

    def test_limits_of_files_are_named(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (14, 14))

        events = ",".join(["page-faults:u", "minor-faults:u", "major-faults:u", "task-clock:u", "cpu-clock:u"] * 3)
        result = self.record(event=events, command=["true"], code=None)
        self.assertEqual(result.returncode, 0, result.stderr)
        result = run("record", "-e", events, "-o", str(self.file), "--", "true", code=2, preexec_fn=limit)
        self.assertRegex(result.stderr, "may have 14.*ulimit -n")

    def as_nobody(self, *words, code=0):
        """Runs a copy of evname as another user, in a directory of that user."""
        if os.geteuid() != 0:
            self.skipTest("needs root")
        self.folder.chmod(0o777)
        copy = self.folder / "evname"
        if not copy.exists():
            shutil.copy(EVNAME, copy)
            copy.chmod(0o755)
        result = subprocess.run([str(copy), *words], capture_output=True, text=True, timeout=60, user=65534, group=65534,
                                extra_groups=[], cwd=self.folder)
        if "error while loading" in result.stderr or result.returncode == 127:
            self.skipTest(result.stderr)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stderr

    def test_users_are_told_which_setting_forbids_it(self):
        level = int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())
        if level < 1:
            self.skipTest("nothing is forbidden")
        told = self.as_nobody("record", "-e", "cpu-clock", "-a", "--", "true", code=2)
        for words in (f"cpu-clock: not permitted (kernel.perf_event_paranoid is {level}", "needs 0 or less", "CAP_PERFMON",
                      "sysctl kernel.perf_event_paranoid=0"):
            self.assertIn(words, told)
        told = self.as_nobody("record", "-e", "page-faults:u", "-p", str(os.getpid()), "-o", "other", code=2)
        self.assertIn("not permitted", told)

    def test_a_program_with_other_rights_is_told_of(self):
        sleeper = self.folder / "sleeper"
        shutil.copy(shutil.which("sleep"), sleeper)
        sleeper.chmod(0o4755)
        told = self.as_nobody("record", "-e", "page-faults:u", "-o", "own.data", "--", "./sleeper", "0.9")
        if "other rights" not in told and os.statvfs(self.folder).f_flag & os.ST_NOSUID:
            self.skipTest("no setuid programs here")
        self.assertIn("./sleeper goes on without being sampled", told)

    def test_an_empty_root_directory_suffices(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        root = self.folder / "root"
        root.mkdir()
        shutil.copy(EVNAME, root / "evname")

        def inside(*words):
            return subprocess.run(["/evname", *words], capture_output=True, text=True, timeout=60, cwd="/",
                                  preexec_fn=lambda: os.chroot(root))

        try:
            result = inside("record", "-e", "page-faults", "-c", "1", "--html", "/page.html", "-o", "/perf.data", "--", "/evname",
                            "list", "--help")
        except OSError as error:
            self.skipTest(f"evname is not static: {error}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("samples in /perf.data", result.stderr)
        rows = inside("report", "--json", "-s", "dso", "/perf.data").stdout.splitlines()
        self.assertIn("evname", {(json.loads(row).get("dso") or "").rpartition("/")[2] for row in rows})
        self.assertIn("page-faults", (root / "page.html").read_text())
        result = inside("record", "-e", "cpu-clock", "-a", "-o", "/cpus.data", "--timeout", "100")
        self.assertEqual(result.returncode, 0, result.stderr)


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
                                 (["-k", "noon"], "'noon'"), (["-D", "20-10"], "'20-10'"), (["-D", "-1"], "'-1'"),
                                 (["--switch-output=1x"], "'1x'"), (["--switch-output=5"], "'5'"),
                                 (["--switch-max-files", "3"], "--switch-output"), (["--swich-output"], "--switch-output?"),
                                 (["-o", "-", "--switch-output"], "not -o -"), (["--td-level", "2"], "--topdown"), (["-F", "many"], "'many'"), (["--max-size", "1X"], "'1X'")]:
            result = run("record", *arguments, "--", "true", code=2)
            self.assertIn(words, result.stderr)
        self.assertIn("COMMAND is missing", run("record", code=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
