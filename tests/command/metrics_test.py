#!/usr/bin/env python3
"""evname metrics and evname stat -M as a user runs them, beside perf where it is there: the same
counts have to come to the numbers that perf prints. Usage: metrics_test.py EVNAME"""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

EVNAME = sys.argv[1]
DATA = pathlib.Path(__file__).parent.parent / "data"
SHARED = os.environ.get("EVNAME_SHARED")
SOFTWARE = "duration_time,user_time,task-clock,page-faults,context-switches"

METRIC_KEYS = ["name", "pmu", "groups", "desc", "expr", "simplified", "threshold", "scale", "unit",
               "constraint", "aggregation", "shows_events", "default_group", "no_group", "model"]
# What perf prints beside software events (util/stat-shadow.c), as expressions.
SHADOW = {"task-clock": "task\\-clock / 1e9 / duration_time",
          "page-faults": "page\\-faults / (task\\-clock / 1e9)",
          "context-switches": "context\\-switches / (task\\-clock / 1e9)"}
SCALE = {"CPUs utilized": 1, "/sec": 1, "K/sec": 1e3, "M/sec": 1e6, "G/sec": 1e9}


def perf_stat_works():
    if not shutil.which("perf"):
        return False
    done = subprocess.run(["perf", "stat", "-x,", "-e", SOFTWARE, "true"], capture_output=True)
    return done.returncode == 0 and b"page-faults" in done.stderr


HAS_PERF = perf_stat_works()


def run(*arguments, code=0, text=None):
    result = subprocess.run([EVNAME, *arguments], capture_output=True, input=text, encoding="utf-8")
    assert code in (None, result.returncode), f"exit code {result.returncode}, {result.stderr}"
    return result


def rows(*arguments, code=0, text=None):
    return [json.loads(line) for line in run(*arguments, code=code, text=text).stdout.splitlines()]


def printed(path):
    """The metrics in what perf stat printed, as (time, name, digits)."""
    text = path.read_text().splitlines()
    if path.suffix == ".json":
        for row in map(json.loads, filter(None, text)):
            yield None, row.get("metric-unit", ""), row.get("metric-value", "")
    elif path.suffix == ".csv":
        for row in csv.reader(line for line in text if not line.startswith("#")):
            if len(row) > 7:
                yield float(row[0]), row[-1], row[-2]
    else:
        for line in text:
            if found := re.search(r"# +([\d.]+) (.*?) *(?:\([ \d.]+%\))?$", line):
                yield None, found[2].strip(), found[1]


def expressions(named):
    return [word for name, text in named.items() for word in ("--expr", f"{name}={text}")]


class List(unittest.TestCase):
    def test_a_machine_without_metrics_is_a_partial_answer(self):
        for cpu, options, message in [
                ("skylakex", ["no_such_metric*"], "no metric of skylakex matches 'no_such_metric*'"),
                ("skylakex", ["--group", "quux"], "skylakex has no metrics of a group 'quux' (--groups lists them)"),
                ("bonnell", ["no_such_metric*"], "bonnell ")]:
            self.assertIn(message, run("metrics", "--cpu", cpu, *options, code=1).stderr)

    def test_json_has_the_documented_keys_in_order(self):
        result = run("metrics", "--cpu", "skylakex", "--json", code=None)
        for line in result.stdout.splitlines():
            self.assertEqual(list(json.loads(line)), METRIC_KEYS)

    def test_an_expression_of_ones_own_is_shown_with_what_it_needs(self):
        out = rows("metrics", "--json", "--cpu", "skylakex", "--expr", "mine=inst_retired.any / cpu_clk_unhalted.thread")
        self.assertEqual((out[0]["name"], out[0]["expr"]), ("mine", "inst_retired.any / cpu_clk_unhalted.thread"))
        self.assertEqual({row["event"] for row in out if "event" in row}, {"inst_retired.any", "cpu_clk_unhalted.thread"})

    def test_an_unknown_fact_is_told_with_the_known_ones(self):
        result = run("metrics", "--cpu", "skylakex", "--fact", "smt=1", code=2)
        self.assertIn("smt_on", result.stderr)


class From(unittest.TestCase):
    TEXT = """
 Performance counter stats for 'sleep 0.1':

              2.00 msec task-clock                       #      nan CPUs  CPUs_utilized
         2,000,000      cpu-cycles                       #      1.0 GHz  cycles_frequency
         1,000,000      instructions                     #      0.5 instructions  insn_per_cycle

       0.100000000 seconds time elapsed

       0.002277000 seconds user
       0.000000000 seconds sys

"""
    COUNTS = ("# started\n\n100000000,ns,duration_time,1,100.00,,\n"
              "50.00,msec,task-clock,50000000,100.00,0.5,CPUs utilized\n"
              "75,,page-faults,50000000,100.00,1.5,K/sec\n<not counted>,,cycles,0,0.00,,\n")

    def test_counts_come_from_standard_input_too(self):
        (row,) = rows("metrics", "--from", "-", "--json", "--cpu", "skylakex",
                      *expressions({"cpus": SHADOW["task-clock"]}), text=self.COUNTS)
        self.assertEqual(row, {"metric": "cpus", "value": 0.5, "unit": ""})

    def test_what_was_not_counted_is_told(self):
        (row,) = rows("metrics", "--from", "-", "--json", "--cpu", "skylakex", code=1, text=self.COUNTS,
                      *expressions({"m": "cycles / page\\-faults + r1"}))
        self.assertEqual(row, {"metric": "m", "value": None, "unit": "", "missing": ["cycles", "r1"],
                               "why": "not among the counts: r1; not counted: cycles"})

    def text(self, *arguments, code=0):
        return run("metrics", "--from", "-", "--cpu", "skylakex", *expressions(dict(arguments)), code=code,
                   text="100000000,ns,duration_time,1,100.00,,\n1250000,,cycles,1,100.00,,\n"
                        "1000000,,instructions,1,100.00,,\n5,,page-faults,1,100.00,,\n0,,faults,1,100.00,,\n0,,cs,1,100.00,,\n"
                        "<not supported>,,branches,0,0.00,,\n")

    def test_a_value_has_three_digits_that_count(self):
        for text, shown in {"cycles / instructions": "1.25", "page\\-faults / 56179": "8.90e-05",
                            "page\\-faults / 4096": "0.00122", "cycles * 1": "1250000.00", "cycles * 0": "0.00",
                            "0 - cycles / 1e8": "-0.0125"}.items():
            self.assertEqual(self.text(("m", text)).stdout.split(), [shown, "m"])

    # Formulas of Arm's Neoverse N1 metrics, of perf 7.3 as in list_metrics; the width of a place, a number and a unit.
    def test_a_line_has_place_value_unit_name_and_a_mark(self):
        counts = {"cpu_cycles": 7000, "inst_retired": 9, "stall_backend": 5000, "stall_frontend": 7, "br_mis_pred_retired": 3, "br_retired": 1000}
        lines = "".join(f"1.5,CPU3,{count},,{event},1,100.00,,\n" for event, count in counts.items())
        names = ("cpi", "ipc", "backend_stalled_cycles", "frontend_stalled_cycles", "branch_misprediction_rate", "branch_mpki")
        shown = [word for name in names for word in ("--show", name)]
        out = run("metrics", "--from", "-", "--cpu", "n1", *shown, "--expr", "cycles=cpu_cycles", text=lines).stdout
        self.assertEqual(out, "".join(f"     1.500000000 CPU3         {value:>16} {unit:<8} {name}\n" for value, unit, name in (
            ("777.8", "per_insn", "cpi"), ("0.00129", "per_cycle", "ipc"), ("71.4", "%", "backend_stalled_cycles  !"),
            ("0.100", "%", "frontend_stalled_cycles"), ("0.300", "%", "branch_misprediction_rate"), ("333.3", "MPKI", "branch_mpki"),
            ("7000.00", "", "cycles"))))
        rows_of = rows("metrics", "--from", "-", "--cpu", "n1", *shown[4:8], "--json", text=lines)
        self.assertEqual([(row["time"], row["place"], row["metric"], round(row["value"], 3), row["unit"], row["beyond"]) for row in rows_of],
                         [(1.5, "CPU3", "backend_stalled_cycles", 71.429, "%", True), (1.5, "CPU3", "frontend_stalled_cycles", 0.1, "%", False)])

    def test_the_state_of_an_event_is_that_of_its_own_name(self):
        for states, why in ((("branches:u", "not supported"), "not supported: branches"), (("BRANCHES", "not counted"), "not counted: branches"),
                            (("branches-x", "not counted"), "not among the counts: branches"), (("branch", "not counted"), "not among the counts: branches")):
            (row,) = rows("metrics", "--from", "-", "--json", "--cpu", "skylakex", *expressions({"m": "branches"}), code=1,
                          text=f"5,,faults,1,100.00,,\n<{states[1]}>,,{states[0]},0,0.00,,\n7,,cs,1,100.00,,\n")
            self.assertEqual((row["missing"], row["why"]), (["branches"], why), states)

    def test_why_there_is_no_value_is_told(self):
        for text, why in {"cycles / (instructions * 0)": "divided by 0", "cycles / faults": "divided by 0: faults is 0",
                          "cycles / (faults + cs)": "divided by 0: faults and cs are 0", "branches": "not supported: branches",
                          "cycles / r1": "not among the counts: r1",
                          "r1 + branches": "not among the counts: r1; not supported: branches"}.items():
            out = self.text(("m", text), code=None).stdout
            self.assertIn(f"({why})", out)
        # The state of another event whose name begins alike says nothing.
        (row,) = rows("metrics", "--from", "-", "--json", "--cpu", "skylakex", *expressions({"m": "branch"}), code=1,
                      text="<not supported>,,branch-misses,0,0.00,,\n5,,faults,1,100.00,,\n")
        self.assertEqual(row["why"], "not among the counts: branch")
        result = run("metrics", "--from", "-", "--cpu", "skylakex", code=1, text="<not counted>,,cycles,0,0.00,,\n")
        self.assertRegex(result.stderr, "none of .* can be computed from these counts; ")

    def test_what_an_emulated_machine_counted_gives_what_perf_printed(self):
        # perf rounds the counts that it prints, and some are of other events of that name than the metric's.
        for name, number in ("perf-stat.txt", 9), ("perf-stat.csv", 45), ("perf-stat.json", 8):
            own = {(row.get("time"), row["metric"]): row["value"]
                   for row in rows("metrics", "--cpu", "neoverse-n1", "--json", "--from", str(DATA / name))}
            seen = 0
            for time, unit_and_metric, digits in printed(DATA / name):
                if not digits or digits == "nan":
                    continue
                metric, value = unit_and_metric.split()[-1], float(digits)
                seen += 1
                if metric == "CPUs_utilized" and time and time > 0.82:
                    continue  # counted less long than the last interval was, and no count says how long
                decimals = len(digits.partition(".")[2])
                self.assertAlmostEqual(own[time, metric], value, msg=f"{name}: {metric}",
                                       delta=max(0.51 * 10 ** -decimals, 0.006 * value))
            self.assertEqual(seen, number, name)

    def test_what_perf_prints_for_people_is_enough(self):
        # perf 7.3 stat, the numbers apart
        out = run("metrics", "--from", "-", "--cpu", "skylakex", text=self.TEXT).stdout
        values = {line.split()[-1]: line.split()[0] for line in out.splitlines() if not line.endswith("!")}
        self.assertEqual(values["ipc"], "0.500")
        self.assertEqual(values["CPUs_utilized"], "0.0200")
        self.assertEqual(values["cycles_frequency"], "1.00")
        self.assertIn("0.500 instructions insn_per_cycle  !\n", out)

    def test_what_is_missing_is_named(self):
        result = run("metrics", "--from", "-", "--cpu", "skylakex", "--show", "l1d_mpki", code=1, text=self.TEXT)
        self.assertIn("(not among the counts: L1D.REPLACEMENT)", result.stdout)

    def test_a_retirement_latency_is_the_tables(self):
        for kind, value in ("mean", 64), ("max", 5156):
            (row,) = rows("metrics", "--from", "-", "--json", "--cpu", "graniterapids", "--latency", kind,
                          *expressions({"m": "MEM_INST_RETIRED.LOCK_LOADS:R"}), text=self.TEXT)
            self.assertEqual(row["value"], value)

    def test_an_event_with_hyphens_is_hinted(self):
        for text, hint in {"page-faults / cycles": "page\\-faults", "2*L1-dcache-loads": "L1\\-dcache\\-loads"}.items():
            self.assertIn(f"write {hint}\n", self.text(("m", text), code=None).stderr)
        for text in "cycles-instructions", "page\\-faults / cycles", "cycles - 1":
            self.assertEqual(self.text(("m", text), code=None).stderr, "")

    def test_this_machine_is_no_matter_where_it_is_not_asked(self):
        result = run("metrics", "--from", "-", *expressions({"p": "page\\-faults * 2"}), text=self.COUNTS)
        self.assertNotIn("PMU", result.stderr)
        self.assertNotIn("PMU", run("metrics", "no_such*", code=1).stderr)

    def test_intervals_and_places_are_rows(self):
        text = "".join(f"     {t},CPU{cpu},{10 * t + cpu},,page-faults,1,100.00,,\n"
                       for t in (1, 2) for cpu in (0, 1))
        out = rows("metrics", "--from", "-", "--json", "--cpu", "skylakex", text=text,
                   *expressions({"p": "page\\-faults * 2"}))
        self.assertEqual([(r["time"], r["place"], r["value"]) for r in out],
                         [(1, "CPU0", 20), (1, "CPU1", 22), (2, "CPU0", 40), (2, "CPU1", 42)])

    def test_places_and_intervals_without_a_value_are_told(self):
        for text, told in {
                "CPU0,9,,cpu_cycles,1,100.00,,\nCPU1,5,,cpu_cycles,1,100.00,,\nCPU0,7,,inst_retired,1,100.00,,\n":
                    "ipc lacks counts for 1 of 2 intervals or places, such as CPU1 (not among the counts: inst_retired)",
                "1.0,9,,cpu_cycles,1,100.00,,\n1.0,7,,inst_retired,1,100.00,,\n2.0,9,,cpu_cycles,1,100.00,,\n"
                "3.0,9,,cpu_cycles,1,100.00,,\n":
                    "ipc lacks counts for 2 of 3 intervals or places, such as 2.000000000 (not among the counts: "
                    "inst_retired)"}.items():
            result = run("metrics", "--from", "-", "--cpu", "n1", "ipc", text=text)
            self.assertEqual(len(result.stdout.splitlines()), 1)
            self.assertEqual(result.stderr, f"evname: note: {told}\n")
        whole = "".join(f"CPU{n},9,,{event},1,100.00,,\n" for n in (0, 1) for event in ("cpu_cycles", "inst_retired"))
        self.assertEqual(run("metrics", "--from", "-", "--cpu", "n1", "ipc", text=whole).stderr, "")

    def test_facts_can_be_given(self):
        (row,) = rows("metrics", "--from", "-", "--json", "--cpu", "skylakex", "--fact", "num_cores=4",
                      *expressions({"p": "page\\-faults / #num_cores"}), text=self.COUNTS)
        self.assertEqual(row["value"], 75 / 4)

    def test_a_fact_that_is_missing_is_an_error(self):
        result = run("metrics", "--from", "-", "--cpu", "skylakex", code=2, text=self.COUNTS,
                     *expressions({"p": "page\\-faults / #num_cores"}))
        self.assertIn("'#num_cores' has no value", result.stderr)

    def test_an_expression_that_does_not_parse_is_told_with_its_column(self):
        result = run("metrics", "--from", "-", "--cpu", "skylakex", "--expr", "p=1 + * 2", code=2,
                     text=self.COUNTS)
        self.assertIn("instead of '*'", result.stderr)

    def test_a_file_without_counts_is_unusable(self):
        run("metrics", "--from", "-", "--cpu", "skylakex", "--expr", "p=1", code=2, text="hello\n")
        run("metrics", "--from", "/nonexistent", "--cpu", "skylakex", "--expr", "p=1", code=2)


def name_of(event):
    """perf counts user space alone where the kernel may not be counted, and says so."""
    return event.removesuffix(":u")


@unittest.skipUnless(HAS_PERF, "perf stat does not work here")
class BesidePerf(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.file = str(pathlib.Path(self.dir.name) / "counts")

    def perf(self, *arguments):
        done = subprocess.run(["perf", "stat", *arguments, "-o", self.file, "-e", SOFTWARE, "--", "sh", "-c",
                               "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; ls >/dev/null"],
                              capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, 0, done.stderr)

    def lines(self):
        return pathlib.Path(self.file).read_text().splitlines()

    def check(self, theirs, ours):
        """Names to (value, unit) of perf, and to values."""
        for name, (value, unit) in theirs.items():
            self.assertAlmostEqual(ours[name], value * SCALE[unit], delta=0.011 * value * SCALE[unit] + 0.001,
                                   msg=name)

    def evaluate(self):
        return {row["metric"]: row["value"]
                for row in rows("metrics", "--from", self.file, "--json", *expressions(SHADOW))}

    def test_separated_counts_come_to_the_numbers_that_perf_prints(self):
        self.perf("-x,")
        theirs = {name_of(row[2]): (float(row[5]), row[6]) for row in csv.reader(self.lines())
                  if len(row) > 6 and name_of(row[2]) in SHADOW}
        self.assertEqual(set(theirs), set(SHADOW))
        self.check(theirs, self.evaluate())

    def test_json_counts_come_to_the_numbers_that_perf_prints(self):
        self.perf("--json")
        lines = [json.loads(line) for line in self.lines() if line.startswith("{")]
        theirs = {name_of(row["event"]): (row["metric-value"], row["metric-unit"])
                  for row in lines if name_of(row.get("event", "")) in SHADOW}
        self.assertEqual(set(theirs), set(SHADOW))
        self.check(theirs, self.evaluate())

    def record(self, *arguments):
        done = subprocess.run(["perf", "stat", "record", "-o", self.file, "-e", "page-faults,task-clock",
                               *arguments, "--", "sleep", "0.25"], capture_output=True, encoding="utf-8")
        if done.returncode != 0:
            self.skipTest(done.stderr)
        report = subprocess.run(["perf", "stat", "report", "-i", self.file], capture_output=True, encoding="utf-8")
        return report.stderr + report.stdout

    def test_recorded_intervals_and_cpus_have_the_counts_of_perf_stat_report(self):
        report = self.record("-a", "-A", "-I", "100")
        theirs = {(float(t), place): int(count) for t, place, count in
                  re.findall(r"^ +([\d.]+) (CPU\d+) +(\d+) +page-faults", report, re.M)}
        ours = {(round(row["time"], 9), row["place"]): row["value"]
                for row in rows("metrics", "--from", self.file, "--json", *expressions({"p": "page\\-faults"}))}
        self.assertTrue(theirs or not pathlib.Path("/sys/devices").exists())  # without /sys perf has no CPUs, and prints no rows
        self.assertTrue(ours)
        if theirs:
            self.assertEqual(ours, theirs)

    def test_a_recorded_run_has_the_count_of_perf_stat_report(self):
        report = self.record()
        (count,) = re.findall(r"^ +([\d,]+) +page-faults", report, re.M)
        (row,) = rows("metrics", "--from", self.file, "--json", *expressions({"p": "page\\-faults"}))
        self.assertEqual(row["value"], int(count.replace(",", "")))


class Stat(unittest.TestCase):
    def test_what_can_not_be_counted_is_told(self):
        result = run("stat", "--json", *expressions({"m": "no_such_event"}), "--", "true")
        self.assertEqual(json.loads(result.stderr.splitlines()[-1])["missing"], ["no_such_event"])

    def test_an_unknown_metric_is_unusable(self):
        result = run("stat", "-M", "no_such_metric", "--", "true", code=2)
        self.assertIn("no metric or group 'no_such_metric'", result.stderr)


@unittest.skipUnless(SHARED, "EVNAME_SHARED is not set")
class Recordings(unittest.TestCase):
    def test_a_recording_of_an_arm_machine_has_the_counts_that_perf_reported_there(self):
        stem = pathlib.Path(SHARED) / "recordings" / "arm64-n1-stat"
        report = pathlib.Path(f"{stem}.statreport.txt").read_text()
        theirs = re.findall(r"^ +([\d.]+) +(\d+) +(\S+)", report, re.M)
        names = {"r11": "r11", "r08": "r08", "page-faults": "page\\-faults"}
        ours = rows("metrics", "--from", f"{stem}.data", "--json", *expressions(names))
        self.assertEqual([(round(row["time"], 9), row["value"], row["metric"]) for row in ours],
                         [(float(t), int(count), name) for t, count, name in theirs])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
