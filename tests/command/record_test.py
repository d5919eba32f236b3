#!/usr/bin/env python3
"""evname record as a user runs it, with events that any kernel has. evname reads the recordings and, where it is
installed, perf. Usage: record_test.py EVNAME"""

import bisect
import json
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

from interrupts import wait_until
from record_case import EVNAME, FAULTS, MOST, SLEEP, WORK, Case, run


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
        self.assertAlmostEqual(hundreds, len(self.samples()) / 100, delta=3 + os.cpu_count())

    def test_functions_of_the_program_are_found(self):
        self.record("-c", "1")
        modules = {s["dso"] for s in self.samples("-F", "+dso")}
        self.assertIn(os.path.realpath(sys.executable), {os.path.realpath(m) for m in modules})

    def test_several_events_and_groups(self):
        self.record("-c", "10", event="page-faults:u,{minor-faults:u,major-faults:u}")
        self.assertEqual({"page-faults:u", "minor-faults:u"}, {s["full_name"] for s in self.samples("-F", "full_name")})
        self.assertIn("group: {minor-faults:u,major-faults:u}", self.info())

    def test_the_command_line_is_that_of_the_caller(self):
        self.record("-c", "10", "--sample-cpu", command=["true"])
        line = next(line for line in self.info().splitlines() if line.startswith("cmdline :"))
        self.assertRegex(line, r" record .*-c 10 --sample-cpu.* true *$")

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
        self.assertGreater(len(self.samples()), MOST)
        self.assertIn("Zstd", self.info())
        self.assertLess(self.file.stat().st_size, FAULTS * 40)

    def test_a_pipe_has_the_same(self):
        command = [EVNAME, "record", "-q", "-c", "1", "-e", "page-faults:u", "-o", "-", "--", *WORK]
        recorded = subprocess.run(command, capture_output=True, timeout=60)
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        self.file.write_bytes(recorded.stdout)
        self.assertGreater(len(self.samples()), MOST)
        self.assertIn("nrcpus online", self.info())

    def test_standard_output_has_the_form_of_a_pipe(self):
        # tools/perf/Documentation/perf.data-file-format.txt: the header of a pipe has 16 bytes. perf takes no other for `-i -`.
        for more in ([], ["-z"] if "Zstd" in self.info_of("-z") else []):
            with open(self.file, "wb") as out:
                subprocess.run([EVNAME, "record", "-q", *more, "-c", "1", "-e", "page-faults:u", "-o", "-", "--", *WORK], stdout=out, check=True)
            data = self.file.read_bytes()
            self.assertEqual(data[:16], b"PERFILE2" + (16).to_bytes(8, sys.byteorder))
            # A record of a feature (80) has its number and its bytes alone, of the host's name (3) a length and the text: what else
            # there is, perf takes for parts of the feature (process_cpu_topology of tools/perf/util/header.c).
            at, hosts = 16, 0
            while at < len(data):
                kind, _, size = struct.unpack_from("=IHH", data, at)
                if kind == 80 and struct.unpack_from("=Q", data, at + 8)[0] == 3:
                    hosts += 1
                    self.assertEqual(size, 20 + struct.unpack_from("=I", data, at + 16)[0])
                at += size
            self.assertEqual(hosts, 1)
            self.assertGreater(len(self.samples()), MOST)

    def info_of(self, *options):
        return self.info() if self.record(*options, "-c", "10", code=None).returncode == 0 else ""

    def test_what_existed_is_recorded_as_asked(self):
        child = self.child("print('up', flush=True)\ninput()")
        for what, names, mappings in (("all", True, True), ("no", False, False), ("task", True, False), ("mmap", True, True),
                                      ("Task,mmap", True, True), ("cgroup", False, False), ("task,none", False, False)):
            with self.subTest(what):
                run("record", "-q", "-e", "page-faults:u", "-o", str(self.file), "--synth", what, "-p", str(child.pid), "--timeout", "20")
                comms, maps = (re.search(rf"{kind} records: +(\d+)", run("info", "--records", str(self.file)).stdout)
                               for kind in ("COMM", "MMAP2"))
                self.assertEqual(comms is not None, names)
                self.assertEqual(maps is not None and int(maps[1]) > 1 + self.modules(), mappings)
        self.assertIn("task, mmap and cgroup", self.record("--synth", "tasks", code=2).stderr)

    def modules(self):
        return len(pathlib.Path("/proc/modules").read_text().splitlines()) if os.path.exists("/proc/modules") else 0

    def test_threads_of_perf_are_one_here(self):
        for option in ("--threads", "--threads=package"):
            self.assertIn("one thread reads all buffers", self.record(option, "-c", "10").stderr)
        self.assertGreater(len(self.samples()), 0)

    def test_the_processes_of_a_user_are_a_part_of_all(self):
        self.assertIn("sample threads", self.record("-C", "0", "-u", str(os.getuid()), code=2).stderr)
        done = self.record("-a", "-B", "--synth=no", "-u", str(os.getuid()), "-c", "1", code=None)
        self.assertNotIn("not both", done.stderr)
        if done.returncode != 0:
            self.skipTest("this user may not sample the processes of the system")
        self.assertGreater(len(self.samples()), MOST)

    def test_running_processes_and_their_mappings(self):
        child = self.child("import sys\nprint('up', flush=True)\nsys.stdin.readline()\nbytearray(1 << 25)\n")
        recorder, _ = self.started("-q", "-c", "1", "-e", "page-faults:u", "-p", str(child.pid))
        child.stdin.write(b"\n")
        child.wait(20)
        self.assertEqual(recorder.wait(20), 0)  # nothing is left to sample
        samples = self.samples("-F", "dso,pid")
        self.assertGreater(len(samples), MOST)
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
    ("-c 8589934592", "IP|TID|TIME", "{ sample_period, sample_freq } = 8589934592"),
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
                    self.assertRegex(result.stderr, "not permitted|need more privileges")

    def test_terms_come_before_options(self):
        for event, fields, members in TERMS:
            with self.subTest(event):
                self.stderr = self.record("-i" if "no-" in event else "-F", *([] if "no-" in event else ["4000"]), event=event,
                                          command=["true"]).stderr
                self.check(fields, members)

    def test_members_of_groups_are_sampled_only_by_their_own_terms(self):
        """evsel__config_leader_sampling of perf's util/record.c."""
        for event, rates in [("{cpu-clock:u,page-faults:u}:S", [4000, 0]), ("{cpu-clock:u,page-faults/period=7/u}:S", [4000, 7]),
                             ("{page-faults/freq=50/u,minor-faults/freq=60/u,cpu-clock:u}:S", [50, 60, 0])]:
            with self.subTest(event):
                self.record(event=event, command=["true"])
                found = [line for line in self.info().splitlines() if line.startswith("event :")]
                periods = [re.search(r"sample_freq } = (\d+)", line) for line in found]
                self.assertEqual([int(period[1]) if period else 0 for period in periods][:len(rates)], rates)

    def test_mappings_from_before_a_late_start_are_there(self):
        script = "import time\ntime.sleep(1)\nbytearray(1 << 25)"
        self.record("-c", "1", "-D", "200", command=[sys.executable, "-c", script])
        samples = self.samples("-F", "dso,time,comm")
        self.assertGreater(len(samples), MOST)
        self.assertIn(pathlib.Path(sys.executable).name[:15], {s["comm"] for s in samples})
        self.assertGreater(len([s for s in samples if s.get("dso")]), len(samples) * 0.99)
        self.assertIn("name = dummy:u", self.info())

    def test_ranges_of_time(self):
        worker = self.child("print('up', flush=True)\nwhile True: bytearray(1 << 25)")
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

    # perf: foreach_evsel_in_last_glob() of tools/perf/util/parse-events.c. sched_switch has no field pid, sched_wakeup no prev_pid.
    FILTERED = [(["--filter", "prev_pid == 0", "-e", "sched:sched_wakeup"], 0), (["-e", "sched:sched_wakeup", "--filter", "pid == 0"], 0),
                (["--filter", "prev_pid == 0", "-e", "sched:sched_wakeup", "--filter", "pid == 0"], 0),
                (["--filter", "prev_pid == 0", "--filter", "next_pid != 0 || next_pid == 0", "-e", "cpu-clock"], 0),
                (["--exclude-perf", "-e", "cpu-clock"], 0), (["--filter", "pid == 0", "-e", "sched:sched_wakeup"], 2),
                (["-e", "sched:sched_wakeup", "--filter", "prev_pid == 0"], 2), (["-e", "cpu-clock", "--filter", "prev_pid == 0"], 2)]

    def test_a_filter_belongs_to_the_events_before_it(self):
        if self.record("-a", event="sched:sched_switch", command=["true"], code=None).returncode != 0:
            self.skipTest("no tracepoints for this user")
        for options, code in self.FILTERED:
            with self.subTest(options):
                self.record("-a", *options, event="sched:sched_switch", command=["true"], code=code)
                if code == 0 and options[:2] == ["--filter", "prev_pid == 0"]:
                    self.assertEqual({s["tid"] for s in self.samples("-F", "tid,event") if s["event"] == "sched:sched_switch"} - {0}, set())

    def test_what_can_not_be_filtered_is_an_error(self):
        marker = self.folder / "ran"
        for options in (["--filter", "ip > 0"], ["--exclude-perf"]):
            result = self.record(*options, event="cpu-clock:u", command=["touch", str(marker)], code=2)
            self.assertIn("cpu-clock:u: the kernel can't filter it", result.stderr)
            result = run("record", *options, "-o", str(self.file), "-e", "cpu-clock:u", "--", "touch", str(marker), code=2)
            self.assertIn(f"there is no -e before {options[0]}", result.stderr)
        self.assertFalse(marker.exists())

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


class Starts(Case):
    def test_the_execution_of_the_command_is_recorded(self):
        """As by perf 7.3, whose events count before the command runs."""
        cpus = f"0-{os.sysconf('SC_NPROCESSORS_ONLN') - 1}"
        usual = self.record(event="sched:sched_process_exec", command=["true"], code=None)
        if usual.returncode != 0:
            self.skipTest(usual.stderr)
        for mode in ([], ["-a"], ["-C", cpus], ["-G", "/"], ["-D", "0"], ["-a", "-D", "0"], ["-i"], ["--per-thread"], ["-a", "-g"]):
            with self.subTest(mode):
                result = self.record(*mode, event="sched:sched_process_exec", command=["true"], code=None)
                if result.returncode != 0 and mode == ["-G", "/"]:
                    self.skipTest(result.stderr)
                self.assertEqual(result.returncode, 0, result.stderr)
                traces = run("annotate", "-F", "trace", str(self.file)).stdout
                self.assertRegex(traces, r"filename=\S*/true ")


class Functions(Case):
    def test_of_tracepoints_are_those_of_the_kernels_symbols(self):
        """nm's rule: the symbol at or before the address."""
        result = self.record("-a", event="kmem:kfree,kmem:mm_page_alloc", command=["ls", "/"], code=None)
        symbols = [line.split()[:3] for line in pathlib.Path("/proc/kallsyms").read_text().splitlines()]
        starts = sorted((int(address, 16), name) for address, kind, name in symbols if kind in "tTwW")
        if result.returncode != 0 or not starts or starts[-1][0] == 0:
            self.skipTest(result.stderr or "no addresses of the kernel")
        lines = run("script", "-i", str(self.file), "-F", "event,trace").stdout.splitlines()
        fields = [json.loads(line).get("trace") for line in run("annotate", "--json", "-F", "trace", str(self.file)).stdout.splitlines()]
        self.assertEqual(len(lines), len(fields))
        names = {}
        for address, name in starts:
            names.setdefault(address, set()).add(name)
        addresses = sorted(names)
        checked = 0
        for line, values in zip(lines, fields):
            if "kfree" in line:
                address = int(values["call_site"], 0) if isinstance(values["call_site"], str) else values["call_site"] % (1 << 64)
                start = addresses[bisect.bisect_right(addresses, address) - 1]
                found = re.search(r"call_site=(\S+)\+0x([0-9a-f]+) ", line)
                self.assertIsNotNone(found, line)
                self.assertIn(found[1], names[start])
                self.assertEqual(int(found[2], 16), address - start)
                checked += 1
            else:
                self.assertRegex(line, rf"page=0x[0-9a-f]+ pfn=0x[0-9a-f]+ order=\d+ migratetype=\d+ gfp_flags=\S+$")
        self.assertGreater(checked, 0)


class WhatIsThere(Case):
    def test_events_that_the_machine_lacks_are_left_out(self):
        """Breakpoints are 1, 2, 4 or 8 bytes long."""
        lacking = "mem:0x1000/3:w"
        for events, kept in ((f"{lacking},page-faults:u", ["page-faults:u"]), (f"page-faults:u,{lacking}", ["page-faults:u"]),
                             (f"{{{lacking},page-faults:u,minor-faults:u}}", ["page-faults:u", "minor-faults:u"]),
                             (f"{{page-faults:u,minor-faults:u}},{lacking},{lacking}", ["page-faults:u", "minor-faults:u"])):
            with self.subTest(events):
                result = self.record("-c", "1", event=events)
                self.assertIn(f"note: {lacking}: ", result.stderr)
                self.assertIn("left out", result.stderr)
                found = [line for line in self.info().splitlines() if line.startswith("event :")]
                self.assertEqual([re.search("name = ([^,]+)", line)[1] for line in found], kept)
                self.assertTrue(all(sample.get("dso") for sample in self.samples("-F", "dso")[100:]))  # mappings are there
        self.file.unlink()
        result = self.record(event=f"{lacking},{lacking}", command=["true"], code=2)
        self.assertIn(lacking, result.stderr)
        self.assertFalse(self.file.exists())

    def test_root_may_open_more_files_than_the_hard_limit(self):
        """As perf, which raises it (rlimit__increase_nofile of util/rlimit.c)."""
        if os.geteuid() != 0:
            self.skipTest("needs root")
        few = (64, 64)
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, few)
        shown = "python3 -c 'import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))'"
        many = ",".join(["page-faults:u"] * 100)
        for words in (["record", "-o", str(self.file)], ["stat", "-x,"]):
            with self.subTest(words[0]):
                done = subprocess.run([EVNAME, *words, "-e", many, "--", "sh", "-c", shown], preexec_fn=limit, capture_output=True,
                                      encoding="utf-8", timeout=60)
                if "too many open files" in done.stderr:
                    capabilities = pathlib.Path("/proc/self/status").read_text()
                    if not int(re.search(r"CapEff:\s*(\w+)", capabilities)[1], 16) >> 24 & 1:
                        self.skipTest("needs CAP_SYS_RESOURCE")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("<not counted>", done.stderr)
                self.assertEqual(done.stdout, f"{few}\n")  # the command has what evname was started with


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

    def test_no_file_ends_while_nothing_is_recorded(self):
        """The command sleeps for longer than evname waits for samples. The last file has what is left."""
        size = 16 << 10
        script = "import time\nfor _ in range(3):\n bytearray(1 << 22)\n time.sleep(1.2)"
        self.record("-c", "1", f"--switch-output={size}B", command=[sys.executable, "-c", script])
        sizes = [path.stat().st_size for path in self.numbered()]
        self.assertGreater(len(sizes), 1)
        self.assertGreaterEqual(min(sizes[:-1]), size)

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
        self.addCleanup(recorder.kill)
        before = 0
        for _ in range(3):
            wait_until(lambda: self.begun() not in (0, before), recorder)
            before = self.begun()
            time.sleep(0.1)
            recorder.send_signal(signal.SIGUSR2)
        wait_until(lambda: self.begun() not in (0, before), recorder)
        recorder.terminate()
        _, errors = recorder.communicate(timeout=30)
        self.assertEqual(recorder.returncode, -signal.SIGTERM, errors)
        self.assertEqual(errors.count("is complete"), 3)
        self.assertEqual(len(self.numbered()), 2)
        for path in self.numbered():
            self.assertIn("hostname", run("info", "-v", str(path)).stdout)

    def test_the_time_in_the_name(self):
        self.record("-q", "--timestamp-filename")
        self.assertEqual(len(self.numbered()), 1)
        self.assertFalse(self.file.exists())

    def test_levels_of_compression(self):
        if "no zstd" in self.record("-z19", code=None).stderr:
            self.skipTest("a build without zstd")
        self.assertIn("level = 19", self.info())
        self.assertIn("1 to 22", self.record("--compression-level=99", code=2).stderr)


    def test_a_directory_that_goes_away_is_told_and_no_file_is_named(self):
        for options in (["--switch-output=20s"], ["--switch-output=1s"], []):
            with self.subTest(options):
                place = self.folder / "place"
                place.mkdir()
                self.file = place / "perf.data"
                recorder, order = self.started(*options, "-e", "page-faults:u", "-p", str(os.getpid()))
                shutil.rmtree(place)
                if options != ["--switch-output=1s"]:
                    order(b"stop\n")
                told = recorder.communicate(timeout=30)[1]
                self.assertEqual(recorder.returncode, 2, told)
                self.assertEqual(told.count("No such file"), 1, told)
                self.assertNotIn("samples in", told)


class Orders(Case):
    """--control, whose words and answers are perf's (perf-record(1))."""

    BUSY = [sys.executable, "-c", "import time\nend = time.time() + 15\nwhile time.time() < end: pass"]

    def times(self):
        return [float(s["time"]) for s in self.samples("-F", "time")]

    def test_events_are_sampled_from_enable_to_disable(self):
        child, order = self.started("-F", "1000", "-e", "cpu-clock:u", "-D", "-1", "--", *self.BUSY)
        time.sleep(0.3)
        begin = time.monotonic()
        order(b"enable\n")
        time.sleep(0.3)
        order(b"disable\n")
        took = time.monotonic() - begin
        time.sleep(took)
        order(b"ping\0")
        order(b"stop\n")
        self.assertEqual(child.wait(30), 0)
        times = self.times()
        self.assertGreater(len(times), 0)
        self.assertLess(times[-1] - times[0], took)

    def test_files_of_the_caller_and_orders_for_one_event(self):
        to_read, to = os.pipe()
        answers, to_answer = os.pipe()
        child = subprocess.Popen([EVNAME, "record", "-F", "1000", "-e", "cpu-clock:u,task-clock:u", "-o", str(self.file), "-D", "-1",
                                  "--control", f"fd:{to_read},{to_answer}", "--", *self.BUSY],
                                 stderr=subprocess.PIPE, encoding="utf-8", pass_fds=[to_read, to_answer])
        self.addCleanup(child.kill)
        os.close(to_answer)
        os.write(to, b"enable task-clock:u\n")
        os.read(answers, 5)
        time.sleep(0.3)
        os.write(to, b"enable nothing\nfly\nevlist\nstop\n")
        told = child.communicate(timeout=30)[1]
        self.assertEqual(child.returncode, 0, told)
        for file in (to_read, to, answers):
            os.close(file)
        self.assertEqual({s["event"] for s in self.samples("-F", "event")}, {"task-clock"})
        self.assertIn("there is no event 'nothing'", told)
        self.assertIn("'fly' is none of enable, disable, evlist, ping and stop", told)
        self.assertIn("event cpu-clock:u\n", told)

    def test_whoever_gives_orders_may_end_and_cost_nothing(self):
        to_read, to = os.pipe()
        child = subprocess.Popen([EVNAME, "record", "-F", "1000", "-e", "cpu-clock:u", "-o", str(self.file), "--control", f"fd:{to_read}",
                                  "--timeout", "700", "--", *self.BUSY], stderr=subprocess.PIPE, pass_fds=[to_read])
        self.addCleanup(child.kill)
        os.close(to)
        os.close(to_read)
        self.assertEqual(child.wait(60), 0, child.stderr.read())
        child.stderr.close()
        self.assertGreater(len(self.times()), 0)

    def test_to_wait_for_orders_of_nobody_costs_nothing(self):
        to_read, to = os.pipe()
        idle = self.child("print('up', flush=True)\ninput()")
        child = subprocess.Popen([EVNAME, "record", "-e", "page-faults:u", "-o", str(self.file), "--control", f"fd:{to_read}",
                                  "--timeout", "2000", "-p", str(idle.pid)], stderr=subprocess.DEVNULL, pass_fds=[to_read])
        self.addCleanup(child.kill)
        os.close(to)
        os.close(to_read)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        self.assertLess(used.ru_utime + used.ru_stime, 1)  # of 2 s

    def flooded(self, words, *arguments, seconds=20):
        """A recording whose orders come as fast as it takes them, and whose answers nobody reads."""
        orders, answers = [str(self.folder / name) for name in ("orders", "answers")]
        for path in (orders, answers):
            pathlib.Path(path).unlink(missing_ok=True)
            os.mkfifo(path)
        flood = self.child(f"import os, time\nfd = os.open({orders!r}, os.O_RDWR | os.O_NONBLOCK)\nend = time.monotonic() + {seconds}\n"
                           f"def write():\n    try: os.write(fd, {words!r} * (4000 // len({words!r})))\n    except BlockingIOError: pass\n"
                           "write()\nprint('up', flush=True)\nwhile time.monotonic() < end: write()")
        child = subprocess.Popen([EVNAME, "record", "-e", "cpu-clock:u", "-o", str(self.file), "--control", f"fifo:{orders},{answers}",
                                  *arguments, "-p", str(flood.pid)], stderr=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(child.stderr.close)
        self.addCleanup(child.kill)
        return child, flood

    def test_a_flood_of_orders_holds_up_nothing(self):
        kinds = [(b"ping\n", "nobody reads the answers",
                  "not answered"), (b"fly\n", "'fly' is none of", "unknown"),
                 (b"enable nothing\n", "no event 'nothing'", "no such event"), (b"x" * 3999, "longer than 4096 bytes", None)]
        for words, first, rest in kinds:
            with self.subTest(words[:20]):
                child, flood = self.flooded(words, "--timeout", "1000")
                told = child.communicate(timeout=15)[1]
                self.assertIsNone(flood.poll())  # the recording ended first
                self.assertEqual(child.returncode, 0, told[:1000])
                self.assertEqual(told.count(first), 1, told[:1000])
                self.assertLess(len(told.splitlines()), 7)
                if rest:
                    self.assertRegex(told, f"--control: [0-9]+ more orders?: {rest}\n")
                self.assertGreater(len(self.times()), 0)
                flood.kill()

    def test_signals_end_a_flooded_recording(self):
        child, flood = self.flooded(b"fly\n")
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=15)
        self.assertEqual(child.returncode, -signal.SIGINT)
        self.assertIsNone(flood.poll())

    def test_an_order_lasts_until_its_line_ends(self):
        to_read, to = os.pipe()
        answers, to_answer = os.pipe()
        child = subprocess.Popen([EVNAME, "record", "-e", "page-faults:u", "-o", str(self.file), "--control", f"fd:{to_read},{to_answer}",
                                  "--", *self.BUSY], stderr=subprocess.PIPE, encoding="utf-8", pass_fds=[to_read, to_answer])
        self.addCleanup(child.kill)
        for file in (to_read, to_answer):
            os.close(file)
        for part in (b"pi", b"ng", b"\n"):
            self.assertFalse(select.select([answers], [], [], 0.7)[0])
            os.write(to, part)
        self.assertEqual(os.read(answers, 100), b"ack\n\0")
        os.write(to, b"y" * 4096 + b"\n" + b"z" * 20000 + b"\nping\n")
        self.assertEqual(os.read(answers, 100), b"ack\n\0")
        os.write(to, b"stop")
        os.close(to)  # ends the order, too
        told = child.communicate(timeout=30)[1]
        self.assertEqual(child.returncode, 0, told)
        self.assertEqual(os.read(answers, 100), b"ack\n\0")
        os.close(answers)
        self.assertIn("'yyyy", told)
        self.assertNotIn("zzz", told)
        self.assertEqual(told.count("an order is longer than 4096 bytes"), 1)
        self.assertNotIn("more order", told)  # each reported once

    def test_mistakes_are_told(self):
        for arguments, told in [(["--control", "fd:99"], "99: Bad file descriptor"), (["--control", "fd:x"], "neither fd:NUMBER"),
                                (["--control", "fifo:/none/x"], "/none/x: No such file"), (["-D", "-1"], "needs --control"),
                                # perf refuses times that touch, too: evlist__parse_event_enable_times
                                (["-D", "10-20,20-30"], "nor a list of ranges"), (["-D", "10-20,15-30"], "nor a list of ranges")]:
            with self.subTest(arguments):
                self.assertIn(told, self.record(*arguments, code=2).stderr)


class Cgroups(Case):
    """The cgroups of this machine; a test makes one if it may."""

    def setUp(self):
        super().setUp()
        mounts = [line.split() for line in pathlib.Path("/proc/self/mounts").read_text().splitlines()]
        roots = [m[1] for m in mounts if m[2] == "cgroup" and "perf_event" in m[3].split(",")]
        roots += [m[1] for m in mounts if m[2] == "cgroup2"]
        if not roots:
            self.skipTest("no cgroups that perf could count")
        self.cgroup = pathlib.Path(roots[0], f"evname-test-{os.getpid()}")
        try:
            self.cgroup.mkdir()
        except OSError as error:
            self.skipTest(str(error))
        self.addCleanup(lambda: self.cgroup.exists() and self.cgroup.rmdir())

    def test_samples_have_theirs_and_all_are_named(self):
        inner = self.cgroup / "inner"
        inner.mkdir()
        self.addCleanup(inner.rmdir)
        move = ["sh", "-c", f"echo $$ > {inner}/cgroup.procs && exec {sys.executable} -c 'bytearray(1 << 24)'"]
        self.record("--all-cgroups", "-c", "1", command=move)
        found = run("annotate", str(self.file), "-F", "cgroup").stdout.split()
        self.assertGreater(found.count(f"/{self.cgroup.name}/inner"), MOST // 2)
        self.assertIn("cgroup = 1", self.info())
        self.assertNotIn("warning", run("annotate", str(self.file), "-F", "cgroup").stderr)

    def test_one_that_vanishes_ends_nothing(self):
        """The samples of the other cgroups are kept, and the recording goes on to its end."""
        for name in (self.cgroup.name, f"/{self.cgroup.name}", f"{self.cgroup}"):
            words = ["-q", "-e", "cpu-clock", "-G", name, "--timeout", "1", "-o", str(self.file)]
            self.assertNotIn("no cgroup", run("record", *words, code=None).stderr)
        probe = run("record", "-q", "-e", "cpu-clock", "-G", self.cgroup.name, "--timeout", "1", "-o", str(self.file), code=None)
        if "not permitted" in probe.stderr:
            self.skipTest(probe.stderr)
        child = self.child(f"import select\nopen('{self.cgroup}/cgroup.procs', 'w').write('0')\nprint('up', flush=True)\n"
                           "while not select.select([0], [], [], 0)[0]: pass")
        recorder, order = self.started("-q", "-e", "cpu-clock", "-G", self.cgroup.name)
        time.sleep(0.5)
        child.stdin.write(b"-")
        child.wait(20)
        time.sleep(0.2)
        self.cgroup.rmdir()
        order(b"stop\n")
        self.assertEqual(recorder.wait(20), 0, recorder.stderr.read())
        self.assertGreater(len(self.samples()), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
