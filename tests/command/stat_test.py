#!/usr/bin/env python3
"""evname stat as a user runs it. Columns and keys are perf stat 7.3's; counts are of software
events, which any kernel has. Usage: stat_test.py EVNAME"""

import csv
import http.server
import json
import mmap
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

from interrupts import let_interrupts_through, wait_until

let_interrupts_through()
EVNAME = sys.argv[1]
EVENTS = "task-clock:u,page-faults:u"


def run(*arguments, code=0):
    result = subprocess.run([EVNAME, "stat", *arguments], capture_output=True, encoding="utf-8", timeout=60)
    assert code in (None, result.returncode), f"exit code {result.returncode}, {result.stderr}"
    return result


def counts(*arguments, code=0):
    lines = run("--json", *arguments, code=code).stderr.splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def count_of(rows, event):
    (value,) = [float(row["counter-value"]) for row in rows if row["event"] == event]
    return value


def state_of(pid):
    """The letter that the kernel has for what a process does: S for one that sleeps."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def may_count_cpus():
    return subprocess.run([EVNAME, "stat", "-a", "-e", "cpu-clock", "--", "true"], capture_output=True).returncode == 0


class Case(unittest.TestCase):
    def setUp(self):
        probe = subprocess.run([EVNAME, "stat", "-e", "page-faults:u", "--", "true"], capture_output=True)
        if probe.returncode != 0:
            self.skipTest(probe.stderr.decode())


class Commands(Case):
    def test_counts_go_to_standard_error_and_the_output_is_the_commands_own(self):
        result = run("-e", EVENTS, "--", "echo", "hello")
        self.assertEqual(result.stdout, "hello\n")
        self.assertRegex(result.stderr, r"(?s)^\n Performance counter stats for 'echo hello':\n\n"
                         r" +[\d.]+ msec task-clock:u\n +\d+ +page-faults:u\n\n"
                         r" +\d+\.\d{9} seconds time elapsed\n\n +\d+\.\d{9} seconds user\n +\d+\.\d{9} seconds sys\n")

    def test_the_exit_status_is_the_commands(self):
        for script, status in {"exit 0": 0, "exit 3": 3, "kill -9 $$": 137}.items():
            with self.subTest(script):
                self.assertIn("page-faults", run("-e", EVENTS, "--", "sh", "-c", script, code=status).stderr)
        run("-e", EVENTS, "--", "/nonexistent", code=2)

    def test_the_exit_status_is_that_of_the_table_in_docs(self):
        # docs/stat.md: options, the command, the signal that evname gets, the status that it ends with.
        table = [
            ([], "exit 3", None, 3),
            ([], "kill -TERM $$", None, 128 + signal.SIGTERM),
            (["-r", "2"], "exit 3", None, 3),
            (["--timeout", "100"], "exec sleep 60", None, 128 + signal.SIGTERM),
            (["--timeout", "1500"], "trap 'exit 5' TERM; sleep 60 >/dev/null 2>&1 & wait", None, 5),
            (["--timeout", "60000"], "exit 0", None, 0),
            ([], "echo ready; exec sleep 60", signal.SIGINT, -signal.SIGINT),
            ([], "echo ready; exec sleep 60", signal.SIGHUP, -signal.SIGHUP),
            ([], "trap 'exit 5' TERM; echo ready; sleep 60 >/dev/null 2>&1 & wait", signal.SIGTERM, -signal.SIGTERM),
        ]
        for options, script, number, status in table:
            with self.subTest(options=options, script=script):
                child = subprocess.Popen([EVNAME, "stat", *options, "-e", EVENTS, "--", "sh", "-c", script],
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
                if number is not None:
                    child.stdout.readline()
                    child.send_signal(number)
                _, err = child.communicate(timeout=30)
                self.assertEqual(child.returncode, status, err)
                self.assertIn("page-faults", err)
        self.assertEqual(run("--timeout", "50", "-p", str(os.getpid()), "-e", EVENTS).returncode, 0)

    def test_counts_that_can_not_be_written_are_no_success(self):
        for form in ([], ["-x,"], ["--json"], ["--openmetrics"], ["-I", "20"], ["-r", "2"]):
            with self.subTest(form), open("/dev/full", "wb") as full:
                for script in ("exit 0", "exit 3"):
                    done = subprocess.run([EVNAME, "stat", *form, "-e", EVENTS, "--", "sh", "-c", "sleep 0.05; " + script],
                                          stderr=full, timeout=60)
                    self.assertEqual(done.returncode, 2)
        done = run("-o", "/dev/full", "-e", EVENTS, "--", "true", code=2)
        self.assertIn("/dev/full: not all could be written", done.stderr)

    def test_an_unknown_event_runs_nothing(self):
        result = run("-e", "page-faults,no_such_event", "--", "echo", "ran", code=2)
        self.assertIn("no_such_event", result.stderr)
        self.assertEqual(result.stdout, "")

    def test_times_are_those_of_the_command(self):
        script = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; sleep 0.1"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        rows = counts("-e", "duration_time,user_time,system_time", "--", "sh", "-c", script)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1e9
        # evname itself has used some of it
        self.assertLessEqual(count_of(rows, "user_time") + count_of(rows, "system_time"), used)
        self.assertGreater(count_of(rows, "user_time"), 1e6)
        self.assertGreater(count_of(rows, "duration_time"), 1e8)

    def test_signals_print_what_was_counted_and_end_the_command(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                child = subprocess.Popen([EVNAME, "stat", "-e", EVENTS, "--", "sh", "-c", "echo ready; exec sleep 60"],
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
                child.stdout.readline()
                child.send_signal(number)
                _, err = child.communicate(timeout=20)
                self.assertEqual(child.returncode, -number)
                self.assertIn("page-faults", err)

    def test_waiting_for_a_command_that_ignores_signals_takes_no_time(self):
        script = "trap '' INT TERM; echo ready; exec sleep 3"
        for options in (["-I", "100"], ["--timeout", "1500"]):
            with self.subTest(options):
                child = subprocess.Popen([EVNAME, "stat", *options, "-e", EVENTS, "--", "sh", "-c", script], stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL)
                self.addCleanup(child.kill)
                self.assertEqual(child.stdout.readline(), b"ready\n")
                for _ in range(2):
                    child.send_signal(signal.SIGINT)
                    time.sleep(0.2)
                child.stdout.close()
                _, status, used = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
                self.assertEqual(child.returncode, -signal.SIGINT)
                self.assertLess(used.ru_utime + used.ru_stime, 1)  # of 3 s

    def test_the_command_has_the_signals_of_a_program(self):
        status = run("-o", os.devnull, "-e", EVENTS, "--", "cat", "/proc/self/status").stdout
        blocked = re.search(r"SigBlk:\s*(\w+)", status)[1]
        self.assertEqual(int(blocked, 16), 0)

    def test_runs_are_repeated_and_their_mean_has_its_noise(self):
        result = run("-r", "3", "-e", EVENTS, "--", "sh", "-c", "echo x")
        self.assertEqual(result.stdout, "x\n" * 3)
        self.assertRegex(result.stderr, r"for 'sh -c echo x' \(3 runs\):")
        self.assertRegex(result.stderr, r"task-clock:u +\( \+- +[\d.]+% \)")
        times = re.search(r"(\d+\.\d{9}) \+- (\d+\.\d{9}) seconds time elapsed  \( \+- +([\d.]+)% \)", result.stderr)
        self.assertIsNotNone(times, result.stderr)
        mean, noise, percent = map(float, times.groups())
        self.assertAlmostEqual(100 * noise / mean, percent, delta=0.006)

    # Four runs that touch 2000, 4000, 6000 and 8000 pages: they have the deviation of these numbers, whatever the
    # program touches beside them; the mean of n has the deviation of one over the root of n.
    def test_the_noise_is_the_deviation_of_the_mean(self):
        with tempfile.TemporaryDirectory() as folder:
            script = ("import mmap, os, sys; n = len(os.listdir(sys.argv[1])) + 1; open(f'{sys.argv[1]}/{n}', 'w').close();"
                      "m = mmap.mmap(-1, 4096 * 2000 * n); m.madvise(mmap.MADV_NOHUGEPAGE);"
                      "[m.__setitem__(4096 * i, 1) for i in range(2000 * n)]")
            (row,) = counts("-r", "4", "-e", "page-faults:u", "--", sys.executable, "-c", script, folder)
            touched = [2000, 4000, 6000, 8000]
            error = statistics.stdev(touched) / len(touched) ** 0.5
            pages = 4096 / mmap.PAGESIZE
            expected = 100 * error * pages / float(row["counter-value"])
            self.assertAlmostEqual(row["variance"] / expected, 1, delta=0.03)

    # As perf 7.3: "<not counted>,,page-faults:u,0,100.00,,".
    def test_what_was_never_enabled_is_not_counted(self):
        sleeper = subprocess.Popen(["sleep", "60"])
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        wait_until(lambda: state_of(sleeper.pid) == "S")
        words = ["-e", "page-faults:u", "-p", str(sleeper.pid), "--timeout", "100"]
        self.assertEqual(run("-x,", *words).stderr, "<not counted>,,page-faults:u,0,100.00,,\n")
        self.assertRegex(run(*words).stderr, r"\n +<not counted>  page-faults:u\n")
        rows = counts("--expr", r"faults=page\-faults:u", *words)
        self.assertEqual([row["value"] for row in rows if "metric" in row], [0])
        self.assertEqual({(row["count"], row["enabled"], row["running"]) for row in rows if "event" in row}, {(0, 0, 0)})

    def test_csv_has_metrics_in_the_columns_of_figures(self):
        """perf 7.3: "S0,2,18.06,msec,cpu-clock,18059618,100.00,,", with -G "11.45,msec,cpu-clock,CGROUP,11450406,100.00,,"."""
        words, metric = ["-x,", "--expr", "seven=7+page\\-faults*0"], ["7", "seven"]
        rows = list(csv.reader(run(*words, "-e", "page-faults:u", "--", "true").stderr.splitlines()))
        self.assertEqual([rows[-1], len(rows[0])], [[""] * 5 + metric, 7])
        if may_count_cpus():
            rows = list(csv.reader(run(*words, "-a", "--per-socket", "--", "true").stderr.splitlines()))
            self.assertEqual(rows[-1], [*rows[0][:2], *[""] * 5, *metric])
        done = run(*words, "--for-each-cgroup", ".", "--", "true", code=None)
        if done.returncode == 0:
            rows = list(csv.reader(done.stderr.splitlines()))
            self.assertEqual([rows[-1], rows[0][3]], [["", "", "", ".", "", "", *metric], "."])

    def test_metrics_are_computed_from_the_same_counts(self):
        rows = counts("--expr", "faults=page\\-faults", "--expr", "t=duration_time", "--", "sleep", "0.1")
        values = {row["metric"]: row["value"] for row in rows if "metric" in row}
        faults = [row["count"] for row in rows if row.get("event", "").partition(":")[0] == "page-faults"]  # not root: ":u"
        self.assertEqual([values["faults"]], faults)
        self.assertGreater(values["t"], 0.1)

    def test_of_the_events_that_evname_counts_itself_the_times_alone_are_in_seconds(self):
        words = ["faults=page\\-faults", "t=tool@duration_time@", "cpus=num_cpus_online", "faults_a_cpu=page\\-faults / tool@num_cpus_online@"]
        rows = counts(*(word for one in words for word in ("--expr", one)), "--", "sleep", "0.1")
        values = {row["metric"]: row["value"] for row in rows if "metric" in row}
        self.assertTrue(0.1 < values["t"] < 60, values)
        self.assertEqual(values["cpus"], os.cpu_count())
        self.assertAlmostEqual(values["faults_a_cpu"] * os.cpu_count(), values["faults"])

    def test_the_default_events_include_those_of_the_kernel(self):
        events = {row["event"].removesuffix(":u") for row in counts("--", "true")}
        self.assertLessEqual({"task-clock", "context-switches", "cpu-migrations", "page-faults", "cycles"}, events)

    def test_options_that_contradict_each_other_are_told(self):
        for arguments in (["-p", "1", "-a"], ["-A", "--per-core"], ["--append", "true"], ["-x,", "--json", "true"],
                          ["-r", "2", "-a"], ["--openmetrics", "-x,", "true"], ["--per-thread", "true"],
                          ["--interval-count", "2", "true"], ["--all-user", "--all-kernel", "true"],
                          ["-G", "/", "--for-each-cgroup", "/", "true"], ["--td-level", "1", "true"],
                          ["--topdown", "--td-level", "10", "true"], ["--table", "true"], ["-D", "-1", "true"],
                          ["-D", "soon", "true"], ["--per-cache=L5", "-a", "true"], ["--per-cache", "-A", "-a", "true"],
                          ["-o", "x", "--log-fd", "1", "true"], ["--log-fd", "999", "true"], ["--interval-clear", "true"],
                          ["record", "-r", "2", "true"], ["report", "--per-node"], ["report", "-i", "/nonexistent"],
                          ["--metric-only", "--openmetrics", "true"], ["--cputype", "none", "true"],
                          ["--for-each-cgroup", "a*", "true"]):
            with self.subTest(arguments):
                self.assertTrue(run(*arguments, code=2).stderr.startswith("evname: "))

    def test_what_is_counted_where_is_chosen_for_all_events(self):
        (user,) = counts("--all-user", "-e", "page-faults", "--", "true")
        kernel = counts("--all-kernel", "-e", "page-faults:u", "--", "true", code=None)
        if not kernel or "why" in kernel[0]:
            self.skipTest("the kernel is not counted for this user")
        (kernel,) = kernel
        self.assertGreater(user["count"], 0)
        (both,) = counts("-e", "page-faults", "--", "true")
        self.assertLess(kernel["count"], both["count"])  # page faults of user space are most of all

    def test_the_first_level_of_the_tree_is_a_metric_only(self):
        result = run("--topdown", "--", "true", code=None)
        if result.returncode != 0:
            self.assertRegex(result.stderr, "TopdownL1|No supported events")  # the model or the machine has none
        else:
            self.assertIn("retiring", result.stderr)
            self.assertNotIn("slots", result.stderr.lower().partition("counter stats")[2])


class Formats(Case):
    def test_csv_has_the_columns_of_perf(self):
        first, second = csv.reader(run("-x,", "-e", EVENTS, "--", "true").stderr.splitlines())
        self.assertEqual((first[1:3], second[1:3]), (["msec", "task-clock:u"], ["", "page-faults:u"]))
        for row in (first, second):
            self.assertEqual((len(row), row[4:]), (7, ["100.00", "", ""]))
        self.assertRegex(first[0], r"^\d+\.\d\d$")
        self.assertRegex(second[0], r"^\d+$")
        repeated = run("-x;", "-r", "2", "-e", EVENTS, "--", "true").stderr.splitlines()[0].split(";")
        self.assertRegex(repeated[3], r"^\d+\.\d\d%$")

    # What perf stat 7.3 prints of these: the text as given with its own modifiers, without its group's.
    NAMES = [("{page-faults,minor-faults}:u", ["page-faults", "minor-faults"]),
             ("{page-faults:u,minor-faults}:W", ["page-faults:u", "minor-faults"]), ("PAGE-FAULTS:u", ["PAGE-FAULTS:u"]),
             ("Faults:u", ["Faults:u"]), ("software/page-faults/u", ["software/page-faults/u"]), ("page-faults//u", ["page-faults//u"]),
             ("software/config=2/u", ["software/config=2/u"]), ("software/config=2,name=mine/u", ["mine"]),
             ("tool/duration_time/", ["tool/duration_time/"]), ("page-faults:Gu", ["page-faults:Gu"])]
    # These need more of the machine, or of the user.
    OTHER_NAMES = [("msr/tsc/", ["msr/tsc/"]), ("tsc", ["tsc"]), ("msr/TSC/", ["msr/TSC/"]), ("msr/tsc,name=x/", ["x"]),
                   ("sched:sched_switch:u", ["sched:sched_switch"]), ("page-faults", ["page-faults"])]

    def test_names_are_those_of_perf(self):
        as_root = os.geteuid() == 0
        for events, names in [*self.NAMES, *(self.OTHER_NAMES if as_root else [])]:
            with self.subTest(events):
                result = run("-x,", "-e", events, "--", "true", code=None)
                if (events, names) in self.OTHER_NAMES and result.returncode != 0:
                    continue  # no such PMU
                shown = [row[2].removesuffix(":u") if not as_root else row[2]
                         for row in csv.reader(line for line in result.stderr.splitlines() if not line.startswith("evname: "))]
                self.assertEqual(shown, [name.removesuffix(":u") if not as_root else name for name in names], result.stderr)
                rows = counts("-e", events, "--", "true", code=None)
                self.assertEqual([row["event"] if as_root else row["event"].removesuffix(":u") for row in rows], shown)

    def test_names_of_libpfm4_are_events_of_perf(self):
        for option in ("-e", "--pfm-events"):
            rows = counts(option, "perf::PAGE-FAULTS:u,perf::PERF_COUNT_SW_PAGE_FAULTS_MIN:u", "--", "true")
            self.assertEqual([row["event"] for row in rows], ["page-faults:u", "minor-faults:u"], option)

    def test_names_of_metrics_events_are_as_their_formulas_have_them(self):
        rows = counts("--expr", r"x=PAGE\-FAULTS:u / MINOR\-FAULTS:u", "--", "true")
        self.assertEqual([row["event"] for row in rows if "event" in row], ["PAGE-FAULTS:u", "MINOR-FAULTS:u"])

    def test_json_begins_with_the_keys_of_perf(self):
        (row,) = counts("-e", "page-faults:u", "--", "true")
        self.assertEqual(list(row)[:5], ["counter-value", "unit", "event", "event-runtime", "pcnt-running"])
        self.assertEqual((float(row["counter-value"]), row["pcnt-running"]), (row["count"], 100.0))

    def test_what_this_machine_can_not_count_is_not_supported(self):
        (row, _) = counts("-e", self.LACKING + ",page-faults:u", "--", "true")
        self.assertEqual(row["counter-value"], "<not supported>")
        self.assertIn("why", row)

    LACKING = "mem:0x1000/3:w"  # breakpoints are 1, 2, 4 or 8 bytes long

    # perf 7.3: "<not supported>,,cycles,0.00%,0,100.00,,"; {…, "variance" : 0.00, "event-runtime" : 0, …}
    def test_rows_without_a_count_have_all_columns_of_several_runs(self):
        for repeat, noise in (("1", []), ("3", ["0.00%"])):
            result = run("-x,", "-r", repeat, "-e", f"{self.LACKING},page-faults:u", "--", "true").stderr.splitlines()
            rows = [line.split(",") for line in result if not line.startswith("evname: ")]
            rows[0][2] = rows[0][2].removesuffix(":u")  # of users who may not count the kernel
            self.assertEqual(rows[0], ["<not supported>", "", self.LACKING, *noise, "0", "100.00", "", ""])
            self.assertEqual(len(rows[1]), len(rows[0]))
            first, second = counts("-r", repeat, "-e", f"{self.LACKING},page-faults:u", "--", "true")
            self.assertEqual([first.get("variance"), "variance" in second], [0, True] if noise else [None, False])
        text = run("-r", "3", "-e", f"{self.LACKING},alignment-faults:u", "--", "true").stderr
        self.assertNotIn("+-  0.00%", text)

    def test_the_exit_status_is_1_if_nothing_could_be_counted(self):
        # As with perf, the command is not run then.
        for events, script, status in ((self.LACKING, "exit 0", 1), (f"{self.LACKING},{self.LACKING}", "exit 0", 1),
                                       (f"{self.LACKING},page-faults:u", "exit 0", 0), (self.LACKING, "exit 3", 1),
                                       (f"{self.LACKING},duration_time", "exit 0", 0)):
            for form in ([], ["-x,"], ["-I", "1000"], ["-r", "2"], ["--openmetrics"]):
                with self.subTest(events, form=form):
                    err = run(*form, "-e", events, "--", "sh", "-c", script, code=status).stderr
                    self.assertEqual("No supported events found" in err, status == 1, err)
        started = time.monotonic()
        run("-e", self.LACKING, "-p", str(os.getpid()), "--timeout", "30000", code=1)
        self.assertLess(time.monotonic() - started, 20)  # there is nothing to wait for

    def test_a_link_named_perf_writes_the_keys_of_perf(self):
        with tempfile.TemporaryDirectory() as folder:
            link = pathlib.Path(folder, "perf")
            link.symlink_to(pathlib.Path(EVNAME).resolve())
            for more, keys in (([], []), (["-r", "2"], ["variance"])):
                result = subprocess.run([link, "stat", "-j", *more, "-e", EVENTS, "--", "true"], capture_output=True, check=True)
                for line in result.stderr.splitlines():
                    self.assertEqual(list(json.loads(line)), ["counter-value", "unit", "event", *keys, "event-runtime", "pcnt-running"])
            for line in subprocess.run([link, "stat", "-j", "true"], capture_output=True, check=True).stderr.splitlines():
                self.assertEqual(len(json.loads(line)), 7)  # with a metric; no note stands among them

    # perf 7.3: should_skip_zero_counter of util/stat-display.c; print_counters in builtin-stat.c with --quiet
    def test_rows_can_be_left_out(self):
        events = "alignment-faults:u,page-faults:u"
        for more, names in (([], ["alignment-faults:u", "page-faults:u"]), (["--hide-zero-events"], ["page-faults:u"])):
            self.assertEqual([row["event"] for row in counts(*more, "-e", events, "--", "true")], names)
        self.assertEqual(run("--quiet", "-e", self.LACKING + "," + events, "--", "true").stderr, "")

    def test_times_can_be_all_that_is_measured(self):
        # perf 7.3: print_footer of util/stat-display.c writes no empty line before the time
        text = r"^\n Performance counter stats for 'true':\n\n +\d+\.\d{9} seconds time elapsed\n\n +[\d.]+ seconds user\n"
        self.assertRegex(run("--null", "true").stderr, text)
        for form in (["-x,"], ["-j"]):
            self.assertEqual(run("-n", *form, "true").stderr, "")
        # print_table: one # for each 5 % from the mean, and one more
        lines = run("--null", "-r", "2", "--table", "sleep", "0.1").stderr.splitlines()
        self.assertEqual([lines[3].strip(), lines[7].strip()], ["# Table of individual measurements:", "# Final result:"])
        mean = float(lines[8].split()[0])
        for line in lines[4:6]:
            time, off, bar = re.fullmatch(r" +(\d\.\d{9}) \(([+-]\d\.\d{9})\) (#+)", line).groups()
            self.assertAlmostEqual(float(time) - mean, float(off), delta=2e-9)
            self.assertEqual(len(bar), 1 + int(abs(100 * float(off) / float(time)) / 5))

    def test_counts_go_to_an_open_descriptor(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "log")
            for mode, more, rows in (("w", [], 1), ("r+", ["--append"], 2)):
                with open(path, mode) as log:
                    done = subprocess.run([EVNAME, "stat", "-x,", "--log-fd", str(log.fileno()), *more, "-e", "page-faults:u", "true"],
                                          pass_fds=[log.fileno()], capture_output=True, check=True)
                self.assertEqual((done.stderr, len(path.read_text().splitlines())), (b"", rows))

    def test_evname_reads_what_it_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            for form in (["-x,"], ["--json"]):
                file = pathlib.Path(folder, "counts")
                run(*form, "-o", file, "-e", "page-faults", "--", "true")
                result = subprocess.run([EVNAME, "metrics", "--from", file, "--json", "--expr", "p=page\\-faults"],
                                        check=True, capture_output=True)
                self.assertGreater(json.loads(result.stdout)["value"], 0)

    def test_files_are_replaced_or_added_to(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "counts")
            for options, times in (([], 1), ([], 1), (["--append"], 2)):
                result = run("-x,", "-o", file, *options, "-e", EVENTS, "--", "true")
                self.assertEqual(result.stderr, "")
                text = file.read_text()
                self.assertEqual((text.count("# started on "), text.count("page-faults")), (times, times))
        run("-o", "/nonexistent/file", "-e", EVENTS, "--", "echo", "ran", code=2)


FAULTS = r"faults=page\-faults:u"


class MetricOnly(Case):
    """Lines equal perf 7.3's for metrics of other names."""

    def test_text_has_a_column_for_each_metric(self):
        lines = run("--metric-only", "--expr", FAULTS, "--expr", "a_metric_with_a_long_name=2", "--", "true").stderr.splitlines()
        self.assertEqual(lines[3], " " + "faults".rjust(20) + " a_metric_with_a_long_name ")
        self.assertRegex(lines[4], r"^ {12,}\d+\.00 {21}2\.00$")
        self.assertEqual(lines[5], "")

    def test_csv_begins_with_the_names(self):
        rows = list(csv.reader(run("--metric-only", "-x,", "--expr", FAULTS, "--expr", "b=0/0", "--", "true").stderr.splitlines()))
        self.assertEqual(rows[0], ["faults", "b", ""])
        self.assertEqual((rows[1][1:], len(rows)), (["", ""], 2))
        self.assertRegex(rows[1][0], r"^\d+\.00$")

    def test_events_alone_have_no_metric(self):
        result = run("--metric-only", "-x,", "-e", "page-faults:u", "--", "true")
        self.assertRegex(result.stderr, r"^evname: note: --metric-only.* -M .*\n\n+$")
        (row,) = counts("--metric-only", "-e", "page-faults:u", "--", "true")
        self.assertEqual(row, {"metric-value": "none"})  # as perf 7.3

    def test_json_has_a_key_for_each_metric(self):
        (row,) = counts("--metric-only", "--expr", "b=7", "--expr", "c=0/0", "--", "true")
        self.assertEqual(row, {"b": "7.00"})

    def test_intervals_and_parts_come_first(self):
        lines = run("--metric-only", "-I", "100", "--expr", "b=7", "--expr", FAULTS, "--", "sleep", "0.15").stderr.splitlines()
        self.assertEqual(lines[0], "#           time " + "b".rjust(20) + " " + "faults".rjust(20) + " ")
        self.assertRegex(lines[1], r"^ {5}\d\.\d{9} {17}7\.00 {10,17}\d+\.00$")
        if may_count_cpus():
            lines = run("-a", "--metric-only", "--per-socket", "-x;", "-I", "50", "--expr", "b=cpu\\-clock*0", "--", "sleep", "0.05")
            self.assertEqual(lines.stderr.splitlines()[0], "time;socket;ctrs;b;")
            self.assertRegex(lines.stderr.splitlines()[1], r"^0\.\d{9};S0;\d+;0\.00;$")
            lines = run("-a", "--metric-only", "-A", "--expr", "b=cpu\\-clock*0", "--", "true").stderr.splitlines()
            self.assertEqual(lines[3], " " * 7 + "b".rjust(20) + " ")
            self.assertEqual(lines[4], "CPU0   " + "0.00".rjust(20))

    def test_events_of_metrics_are_counted_singly_if_asked(self):
        rows = counts("--metric-no-group", "--expr", r"x=page\-faults:u+task\-clock:u", "--", "true")
        self.assertEqual({row["event"] for row in rows if "event" in row}, {"page-faults:u", "task-clock:u"})


class Times(Case):
    def test_so_many_intervals_are_shown(self):
        result = run("-I", "50", "--interval-count", "2", "-x,", "-e", "page-faults:u", "--", "sleep", "2")
        self.assertEqual(len(result.stderr.splitlines()), 2)
        with subprocess.Popen(["sleep", "60"]) as process:
            started = time.monotonic()
            result = run("-I", "50", "--interval-count", "3", "-x,", "-e", "page-faults:u", "-p", str(process.pid))
            process.kill()
        self.assertEqual(len(result.stderr.splitlines()), 3)
        self.assertLess(time.monotonic() - started, 30)

    def test_a_summary_is_the_sum_of_the_intervals(self):
        for more in ([], ["--no-csv-summary"]):
            rows = [line.split(",") for line in run("-I", "50", "--summary", *more, "-x,", "-e", "page-faults:u", "--", "sleep",
                                                    "1").stderr.splitlines()]
            last = rows.pop()
            self.assertGreaterEqual(len(rows), 2)
            self.assertEqual(last[:-7], [] if more else ["summary"])
            self.assertEqual(int(last[-7]), sum(int(row[1]) for row in rows if row[1] != "<not counted>"))
        text = run("-I", "50", "--summary", "-e", "page-faults:u", "--", "sleep", "0.06").stderr
        self.assertIn("seconds time elapsed", text)

    def test_intervals_add_up_to_the_run(self):
        rows = [line.split(",") for line in
                run("-I", "100", "-x,", "-e", "duration_time,page-faults:u", "--", "sleep", "1").stderr.splitlines()]
        times = sorted({float(row[0]) for row in rows})
        self.assertGreaterEqual(len(times), 3)
        self.assertTrue(all(re.fullmatch(r"\d+\.\d{9}", row[0]) for row in rows))
        elapsed = sum(int(row[1]) for row in rows if row[3] == "duration_time") / 1e9
        self.assertAlmostEqual(elapsed, times[-1], delta=1e-3)
        self.assertTrue(all(row[1] == row[4] for row in rows if row[3] == "duration_time"), rows)  # its run time, of the interval

    def test_times_of_a_running_program_are_its_own(self):
        script = "import time; end = time.monotonic() + 1\nwhile time.monotonic() < end: sum(range(100000))"  # needs no system calls
        rows = [line.split(",") for line in
                run("-I", "300", "-x,", "-e", "user_time,system_time", "--", sys.executable, "-c", script).stderr.splitlines()]
        before_the_end = [row for row in rows if row[0] != rows[-1][0]]
        user, system = (sum(int(row[1]) for row in before_the_end if row[3] == event) for event in ("user_time", "system_time"))
        self.assertGreater(user, 2 * system, rows)

    def test_counting_may_start_late(self):
        for more in ([], ["-I", "1000", "--no-csv-summary"]):
            began = time.monotonic()
            rows = counts("-D", "400", *more, "-e", "duration_time", "--", "sleep", "0.8")
            most = time.monotonic() - began - 0.4
            self.assertTrue(0.2e9 < sum(float(row["counter-value"]) for row in rows) < most * 1e9, (rows, most))
        script = "import sys, time\nbytearray(1 << 24)\ntime.sleep(2.3)"  # touches 4,096 pages before counting
        (row,) = counts("-D", "2000", "-e", "page-faults:u", "--", sys.executable, "-c", script)
        self.assertLess(row["count"], 2000)

    def test_orders_start_and_stop_counting(self):
        child = subprocess.Popen([sys.executable, "-uc", "import sys\nprint()\nfor line in sys.stdin: bytearray(1 << 24); print()"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.addCleanup(child.communicate)
        self.addCleanup(child.kill)
        child.stdout.readline()
        (orders, to), (answer, answers) = os.pipe(), os.pipe()
        stat = subprocess.Popen([EVNAME, "stat", "-D", "-1", "--control", f"fd:{orders},{answers}", "-x,", "-e", "page-faults:u", "-p",
                                 str(child.pid)], pass_fds=[orders, answers], stderr=subprocess.PIPE)
        for order in (b"ping\n", b"enable\n", b"disable\n", b"stop\n"):
            os.write(to, order)
            self.assertEqual(os.read(answer, 100), b"ack\n\0")
            if order != b"stop\n":
                child.stdin.write(b"\n")
                child.stdout.readline()
        text = stat.communicate(timeout=30)[1]
        for file in (orders, to, answer, answers):
            os.close(file)
        pages = (1 << 24) // mmap.PAGESIZE
        self.assertTrue(pages * 0.9 < int(text.split(b",")[0]) < pages * 1.6, text)  # of the three times, one

    def test_commands_run_around_each_run(self):
        words = ["-r", "2", "-S", "--pre", "echo before", "--post", "echo after", "-e", EVENTS, "--", "echo", "run"]
        self.assertEqual(run(*words).stdout, "before\nrun\nafter\n" * 2)
        self.assertEqual(run("--pre", "exit 3", "-e", EVENTS, "--", "echo", "run", code=3).stdout, "")

    def test_a_timeout_ends_command_and_waiting(self):
        run("--timeout", "100", "-e", EVENTS, "--", "sleep", "60", code=143)
        run("--timeout", "100", "-e", EVENTS, "-p", str(os.getpid()))

    def test_waiting_ends_with_the_process(self):
        with subprocess.Popen(["sleep", "3"]) as process:
            run("-e", EVENTS, "-p", str(process.pid))
        run("-e", EVENTS, "-p", "1073741824", code=2)


class Parts(Case):
    def setUp(self):
        if not may_count_cpus():
            self.skipTest("CPUs may not be counted here")
        self.online = len(os.sched_getaffinity(0))

    def test_parts_have_the_names_of_perf(self):
        for option, key, name in (("-A", "cpu", r"\d+"), ("--per-core", "core", r"S\d+-D\d+-C\d+"),
                                  ("--no-merge", "cpu", r"\d+"), ("--per-cache", "cache", r"S\d+-D\d+-L-?\d-ID-?\d+"),
                                  ("--per-cache=L2", "cache", r"S\d+-D\d+-L(-1|2)-ID-?\d+"),
                                  ("--per-cluster", "cluster", r"S\d+-D\d+-CLS\d+"), ("--per-die", "die", r"S\d+-D\d+"),
                                  ("--per-socket", "socket", r"S\d+"), ("--per-node", "node", r"N\d+")):
            with self.subTest(option):
                rows = counts("-a", option, "-e", "cpu-clock", "--", "sleep", "0.05")
                self.assertTrue(all(re.fullmatch(name, row[key]) for row in rows), rows)
                if key != "cpu":
                    self.assertGreaterEqual(sum(row["counters"] for row in rows), self.online)
                line = run("-a", option, "-x,", "-e", "cpu-clock", "--", "true").stderr.splitlines()[0].split(",")
                self.assertEqual(len(line), 8 if key == "cpu" else 9)

    def test_rows_are_in_the_order_of_perf(self):
        # perf 7.3: print_aggr of util/stat-display.c prints a core with all events, print_counter an event of all CPUs.
        events = ["cpu-clock", "page-faults"]
        for option, key, by_part in (("-A", "cpu", False), ("--per-core", "core", True), ("--per-cluster", "cluster", True),
                                     ("--per-die", "die", True), ("--per-socket", "socket", True), ("--per-node", "node", True)):
            with self.subTest(option):
                rows = counts("-a", option, "-e", ",".join(events), "--", "true")
                parts = list(dict.fromkeys(row[key] for row in rows))
                expected = [(part, event) for part in parts for event in events]
                if not by_part:
                    expected = [(part, event) for event in events for part in parts]
                self.assertEqual([(row[key], row["event"]) for row in rows], expected)

    def test_one_cpu_is_counted_alone(self):
        (row,) = counts("-C", "0", "-A", "-e", "cpu-clock", "--", "sleep", "0.05")
        self.assertEqual(row["cpu"], "0")
        (row,) = counts("-C", "0,0-0,00", "--per-socket", "-e", "cpu-clock", "--", "true")
        self.assertEqual(row["counters"], 1)
        run("-C", "65000", "-e", "cpu-clock", "--", "true", code=2)

    def test_threads_are_told_by_name_and_number(self):
        rows = counts("--per-thread", "-p", str(os.getpid()), "-e", "task-clock", "--", "true")
        self.assertTrue(rows[0]["thread"].endswith(f"-{os.getpid()}"))

    def test_cgroups_are_named(self):
        result = run("--json", "-G", ".", "-e", "cpu-clock", "--", "true", code=None)
        if result.returncode != 0:
            self.skipTest(result.stderr)
        self.assertEqual(json.loads(result.stderr.splitlines()[0])["cgroup"], ".")
        rows = counts("--for-each-cgroup", ".,/,.", "-e", "cpu-clock,page-faults", "--expr", "x=cpu\\-clock*0", "--", "true")
        self.assertEqual([(row["cgroup"], row["event"]) for row in rows if "event" in row][:2] +
                         [row["place"] for row in rows if "metric" in row],
                         [(".", "cpu-clock"), (".", "page-faults"), ".", "/"])
        self.assertEqual({row["cgroup"] for row in rows if "event" in row}, {".", "/"})
        run("-G", "no/such", "-e", "cpu-clock", "--", "true", code=2)
        run("-G", "/no/such", "-e", "cpu-clock", "--", "true", code=2)

    def test_cgroups_may_begin_with_a_slash(self):
        """proc(5): /proc/PID/cgroup has their paths so. perf puts the mount point before both forms."""
        mounts = [line.split() for line in pathlib.Path("/proc/mounts").read_text().splitlines()]
        roots = [m[1] for m in mounts if m[2] == "cgroup" and "perf_event" in m[3].split(",")]
        roots += [m[1] for m in mounts if m[2] == "cgroup2"]
        try:
            inner = pathlib.Path(roots[0], f"evname-stat-{os.getpid()}", "inner")
            inner.parent.mkdir()
            self.addCleanup(inner.parent.rmdir)
            inner.mkdir()
            self.addCleanup(inner.rmdir)
        except (IndexError, OSError) as error:
            self.skipTest(f"no cgroup can be made: {error}")
        name = f"{inner.parent.name}/inner"
        script = f"echo $$ > {inner}/cgroup.procs; exec true"
        for form in (name, f"/{name}", f"//{name}", f"/{name}/", str(inner)):
            for option in ("-G", "--for-each-cgroup"):
                with self.subTest(form, option=option):
                    (row,) = counts(option, form, "-e", "page-faults", "--", "sh", "-c", script)
                    self.assertEqual(row["cgroup"], form)
                    self.assertGreater(float(row["counter-value"]), 0)

    def test_the_execution_of_the_command_is_counted(self):
        cpus = f"0-{os.sysconf('SC_NPROCESSORS_ONLN') - 1}"
        for mode in ([], ["-a"], ["-C", cpus], ["-G", "/"], ["--for-each-cgroup", "/"], ["-a", "--per-socket"], ["-I", "1000"],
                     ["-r", "2"], ["-i"]):
            with self.subTest(mode):
                result = run("--json", *mode, "-e", "sched:sched_process_exec", "--", "true", code=None)
                if result.returncode != 0:
                    self.skipTest(result.stderr)
                row = json.loads(result.stderr.splitlines()[0])
                self.assertGreaterEqual(float(row["counter-value"]), 1)


class Recorded(Case):
    """`stat record`, and what reads it: evname, and perf 7.3 if EVNAME_PERF_ORACLE has it."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name, "counts")
        self.perf = os.path.join(os.environ.get("EVNAME_PERF_ORACLE", "/nonexistent"), "perf")

    def answers(self, *words):
        for program in [EVNAME, *([self.perf] if os.path.exists(self.perf) else [])]:
            with subprocess.Popen(["cat", self.file], stdout=subprocess.PIPE) as cat:
                done = subprocess.run([program, *words, "-i", "-"], stdin=cat.stdout, capture_output=True, encoding="utf-8", check=True)
            yield done.stdout or done.stderr

    def test_counts_are_those_that_were_shown(self):
        for more in ([], ["-I", "50"], *([["-a", "-A"], ["-a", "--per-core"], ["-a", "--per-socket"]] if may_count_cpus() else [])):
            with self.subTest(more):
                shown = run("record", "-o", self.file, *more, "-x,", "-e", EVENTS, "--", "sleep", "0.12").stderr
                read = run("report", "-i", self.file, "-x,").stderr
                self.assertEqual([row[:-4] for row in csv.reader(read.splitlines())], [row[:-4] for row in csv.reader(shown.splitlines())])

    def test_pipes_have_the_form_of_perf(self):
        with open(self.file, "wb") as out:
            text = subprocess.run([EVNAME, "stat", "record", "-o", "-", "-x,", "-e", EVENTS, "--", "true"], stdout=out,
                                  stderr=subprocess.PIPE, encoding="utf-8", check=True).stderr
        rows = list(csv.reader(text.splitlines()))
        for answer in self.answers("stat", "report"):
            self.assertRegex(answer, rf"(?s)^\n Performance counter stats for '[^']+':\n\n +{rows[0][0]} msec task-clock:u *\n"
                             rf" +{rows[1][0]} +page-faults:u *\n\n +\d+\.\d{{9}} seconds time elapsed\n")
        for answer in self.answers("script"):
            head, clock, faults = [line.split() for line in answer.splitlines()]
            self.assertEqual(head, ["CPU", "THREAD", "VAL", "ENA", "RUN", "TIME", "EVENT"])
            self.assertEqual(faults[:1] + faults[2:3] + faults[6:], ["-1", rows[1][0], "page-faults:u"])
            self.assertEqual(faults[3:5], [rows[1][3]] * 2)

    def test_metrics_are_computed_of_them(self):
        run("record", "-o", self.file, "-e", "page-faults:u,duration_time", "--", "sleep", "0.1")
        done = subprocess.run([EVNAME, "metrics", "--from", self.file, "--json", "--expr", "t=duration_time"], capture_output=True)
        self.assertTrue(0.1 < json.loads(done.stdout)["value"] < 60, done)

    def test_a_file_that_exists_is_kept(self):
        for _ in range(2):
            run("record", "-o", self.file, "-e", EVENTS, "--", "true")
        self.assertTrue(self.file.with_name("counts.old").exists())
        self.file.write_text("no recording")
        self.file.with_name("counts.old").write_text("nor this")
        run("record", "-o", self.file, "-e", EVENTS, "--", "true", code=2)
        self.assertEqual(self.file.read_text(), "no recording")


def parse_exposition(text):
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line[:1] != "#"}


class OpenMetrics(Case):
    COUNTS = "page-faults:u,task-clock:u,duration_time"

    def test_promtool_accepts_a_snapshot(self):
        if not shutil.which("promtool"):
            self.skipTest("there is no promtool")
        text = run("--openmetrics", "-e", self.COUNTS, "--", "true").stderr
        done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, encoding="utf-8")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_it_ends_as_openmetrics_does(self):
        # OpenMetrics 1.0: "Expositions MUST end with EOF"
        self.assertTrue(run("--openmetrics", "-e", self.COUNTS, "--", "true").stderr.endswith("\n# EOF\n"))
        many = run("--openmetrics", "-I", "50", "-e", self.COUNTS, "--", "sleep", "0.2").stderr
        self.assertTrue(all(text.count("# TYPE evname_running_seconds ") == 1 for text in many.split("# EOF\n")[:-1]))
        self.assertEqual(many.split("# EOF\n")[-1], "")

    def test_units_labels_and_help_are_there(self):
        text = run("--openmetrics", "-e", self.COUNTS, "--", "sleep", "0.1").stderr
        samples = parse_exposition(text)
        faults = 'evname_page_faults_total{event="page-faults:u",pmu="software",code="config=0x2"}'
        self.assertGreater(samples[faults], 0)
        (duration,) = [value for name, value in samples.items() if name.startswith("evname_duration_time_seconds_total{")]
        self.assertTrue(0.1 <= duration < 30, duration)
        for name in {sample.split("{")[0] for sample in samples}:
            self.assertRegex(text, rf"(?m)^# HELP {name} .")
            self.assertRegex(text, rf"(?m)^# TYPE {name} (counter|gauge)$")

    def test_of_the_events_that_evname_counts_itself_the_times_alone_have_seconds(self):
        text = run("--openmetrics", "-e", "num_cpus_online,tool/config=1/", "--", "sleep", "0.1").stderr
        values = {name.split("{")[0]: value for name, value in parse_exposition(text).items()}
        self.assertEqual(values["evname_num_cpus_online_total"], os.cpu_count())
        self.assertTrue(0.1 <= values["evname_tool_config_1_seconds_total"] < 30, values)

    def test_a_file_is_whole_at_all_times_and_its_counters_never_go_back(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "evname.prom")
            script = "i=0; while [ $i -lt 40 ]; do i=$((i+1)); true | cat; sleep 0.01; done"
            child = subprocess.Popen([EVNAME, "stat", "--openmetrics", "-I", "20", "-o", file, "-e", self.COUNTS, "--",
                                      "sh", "-c", script])
            last, reads = {}, 0
            while child.poll() is None:
                if file.exists():
                    text = file.read_text()
                    self.assertTrue(text.endswith("\n") and "evname_running_seconds " in text)
                    samples = {k: v for k, v in parse_exposition(text).items() if "_total" in k}
                    self.assertTrue(all(samples[key] >= value for key, value in last.items()))
                    last, reads = samples, reads + 1
            self.assertEqual(child.returncode, 0)
            self.assertGreater(reads, 2)
            self.assertEqual([path.name for path in file.parent.iterdir()], ["evname.prom"])

    def test_prometheus_scrapes_it(self):
        if not shutil.which("prometheus"):
            self.skipTest("there is no prometheus")
        text = run("--openmetrics", "-e", self.COUNTS, "--", "true").stderr.encode()

        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Page) as server, tempfile.TemporaryDirectory() as folder:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            config = pathlib.Path(folder, "prometheus.yml")
            config.write_text("scrape_configs: [{job_name: evname, scrape_interval: 1s, static_configs: "
                              f"[{{targets: ['127.0.0.1:{server.server_port}']}}]}}]\n")
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            prometheus = subprocess.Popen(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/data",
                                           f"--web.listen-address=127.0.0.1:{port}"], stderr=subprocess.DEVNULL)
            try:
                found = self.query(port, "evname_page_faults_total")
            finally:
                prometheus.terminate()
                prometheus.wait()
                server.shutdown()
        self.assertEqual(found["metric"]["event"], "page-faults:u")
        self.assertGreater(float(found["value"][1]), 0)

    def query(self, port, name):
        for _ in range(150):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?query={name}") as answer:
                    result = json.load(answer)["data"]["result"]
                if result:
                    return result[0]
            except OSError:
                pass
            time.sleep(0.2)
        self.fail("nothing was scraped")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
