#!/usr/bin/env python3
"""evname topdown as a user runs it: trees of made-up counts, whose shares are worked out by hand beside them, and of
software events, which any kernel counts. Usage: topdown_test.py EVNAME"""

import csv
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

from interrupts import let_interrupts_through

let_interrupts_through()
EVNAME = sys.argv[1]

# Zen 4 dispatches 6 operations a cycle: 1,000 cycles are 6,000 slots. AMD, "Performance Monitor Counters for AMD
# Family 19h Model 10h", pipeline utilization: front end 3,000 / 6,000, bad speculation (1,800 - 1,500) / 6,000.
ZEN4 = {"ls_not_halted_cyc": 1000, "de_no_dispatch_per_slot.no_ops_from_frontend": 3000,
        "de_no_dispatch_per_slot.backend_stalls": 1140, "de_src_op_disp.all": 1800, "ex_ret_ops": 1500,
        "de_no_dispatch_per_slot.smt_contention": 60}
ZEN4_SHARES = {"frontend_bound": 50, "backend_bound": 19, "bad_speculation": 5, "retiring": 25, "smt_contention": 1}
KEYS = ["pmu", "node", "level", "parent", "value", "of", "flagged", "next", "running", "runs"]


def run(*arguments, code=0, text=None, **how):
    result = subprocess.run([EVNAME, "topdown", *arguments], capture_output=True, input=text, encoding="utf-8", timeout=60,
                            **how)
    assert code in (None, result.returncode), f"exit code {result.returncode}, {result.stdout}{result.stderr}"
    return result


def csv_of(counts, before="", share="100.00"):
    return "".join(f"{before}{value},,{event},1000,{share},,\n" for event, value in counts.items())


def zen4(text, *arguments, code=0):
    """The objects of --json for counts of a Zen 4."""
    result = run("--cpu", "amdzen4", "--from", "-", "--json", *arguments, text=text, code=code)
    return [json.loads(line) for line in result.stdout.splitlines()]


def shares(rows, level=1):
    return {row["node"]: row["value"] for row in rows if row["level"] == level}


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def test_shares_are_those_of_a_calculation_by_hand(self):
        as_text = "".join(f"   {value:>16,}      {event}\n" for event, value in ZEN4.items())
        as_json = "".join(json.dumps({"counter-value": str(value), "event": event}) + "\n" for event, value in ZEN4.items())
        for text in (csv_of(ZEN4), as_text, as_json):
            rows = zen4(text)
            self.assertEqual({name: round(value, 9) for name, value in shares(rows).items()}, ZEN4_SHARES)
            self.assertEqual([row["node"] for row in rows if row["next"]], ["frontend_bound"])
            self.assertEqual(list(rows[0]), KEYS)

    def test_people_get_a_tree_with_bars_and_marks(self):
        out = run("--cpu", "amdzen4", "--from", "-", text=csv_of(ZEN4)).stdout
        self.assertRegex(out, r"(?m)^frontend_bound +50\.0 % of slots +#{10} +<== next$")
        self.assertRegex(out, r"(?m)^  frontend_bound_bandwidth, frontend_bound_latency: no value \(not counted: cpu/de_no_dis")
        self.assertRegex(out, r"(?m)^backend_bound +19\.0 % of slots +#{4}$")
        self.assertRegex(out, r"(?m)^next: frontend_bound \(50\.0 %\)")
        self.assertIn("    evname topdown --node frontend_bound -- COMMAND\n", out)
        self.assertRegex(out, r"(?m)^    perf record -e \S+ -- COMMAND$")

    def test_what_a_value_rests_on_is_said(self):
        out = run("--cpu", "amdzen4", "--from", "-", text=csv_of(ZEN4, share="25.00")).stdout
        self.assertIn("all values: counted 25 % of the time\n", out)
        events = list(ZEN4.items())
        mixed = csv_of(dict(events[:1])) + csv_of(dict(events[1:2]), share="43.21") + csv_of(dict(events[2:]))
        out = run("--cpu", "amdzen4", "--from", "-", text=mixed).stdout
        self.assertRegex(out, r"(?m)^frontend_bound .*\(counted 43 % of the time\)$")
        self.assertNotRegex(out, r"(?m)^backend_bound .*counted")
        self.assertEqual({row["node"]: row["running"] for row in zen4(mixed) if row["level"] == 1},
                         {name: 0.4321 if name == "frontend_bound" else 1 for name in ZEN4_SHARES})

    def test_a_sum_that_is_not_100_percent_is_shown(self):
        out = run("--cpu", "amdzen4", "--from", "-", text=csv_of({**ZEN4, "ex_ret_ops": 1200})).stdout
        self.assertNotIn("adds up", out)  # retiring is 5 % less, bad speculation 5 % more
        out = run("--cpu", "amdzen4", "--from", "-",
                  text=csv_of({**ZEN4, "de_no_dispatch_per_slot.backend_stalls": 2340})).stdout
        self.assertIn("level 1 adds up to 120.0 %, not to 100 %", out)
        out = run("--cpu", "amdzen4", "--from", "-", text=csv_of({**ZEN4, "ex_ret_ops": 2400}), code=0).stdout
        self.assertIn("1 value is below 0 or above 100 %", out)

    def test_a_share_just_below_0_has_no_sign(self):
        out = run("--cpu", "amdzen4", "--from", "-", "--all", text=csv_of({**ZEN4, "de_src_op_disp.all": 1499})).stdout
        self.assertRegex(out, r"\nbad_speculation +0\.0 %")  # -1 / 6,000

    def test_runs_of_different_groups_are_joined(self):
        events = list(ZEN4)
        first = self.file("1.csv", csv_of({event: ZEN4[event] for event in events[:2]}))
        second = self.file("2.csv", csv_of({event: 2 * ZEN4[event] for event in [events[0], *events[2:]]}))
        rows = [json.loads(line) for line in run("--cpu", "amdzen4", "--json", "--from", first, "--from", second)
                .stdout.splitlines()]
        # The second run took twice as long: its shares refer to its own cycles.
        self.assertEqual({name: round(value, 9) for name, value in shares(rows).items()}, ZEN4_SHARES)
        self.assertEqual({row["runs"] for row in rows if row["level"] == 1}, {1})
        again = self.file("3.csv", csv_of({**ZEN4, "de_no_dispatch_per_slot.no_ops_from_frontend": 3600}))
        rows = [json.loads(line) for line in run("--cpu", "amdzen4", "--json", "--from", first, "--from", again)
                .stdout.splitlines()]
        self.assertEqual([(row["value"], row["runs"]) for row in rows if row["node"] == "frontend_bound"], [(55, 2)])

    def test_intervals_of_runs_are_joined_by_their_number(self):
        events = list(ZEN4)
        for name, some, times in (("a", events[:2], (0.1001, 0.2002)), ("b", [events[0], *events[2:]], (0.1003, 0.2005))):
            self.file(name + ".csv", "".join(csv_of({event: ZEN4[event] for event in some}, f"{time:.4f},") for time in times))
        result = run("--cpu", "amdzen4", "--json", "--from", str(self.folder / "a.csv"), "--from", str(self.folder / "b.csv"))
        rows = [json.loads(line) for line in result.stdout.splitlines() if '"level":1' in line]
        self.assertEqual([row["time"] for row in rows], [0.1001] * 5 + [0.2002] * 5)
        self.assertEqual(shares(rows[5:]), ZEN4_SHARES)
        self.assertEqual(result.stderr, "")

    def test_intervals_have_a_tree_each_and_one_of_all(self):
        text = csv_of(ZEN4, "0.5,") + csv_of({**ZEN4, "de_no_dispatch_per_slot.no_ops_from_frontend": 600}, "1.0,")
        out = run("--cpu", "amdzen4", "--from", "-", text=text).stdout
        self.assertEqual(re.findall(r"(?m)^(.*):$|^frontend_bound +([\d.]+) %", out)[:6],
                         [("0.500000 s", ""), ("", "50.0"), ("1.000000 s", ""), ("", "10.0"), ("all 2 intervals", ""), ("", "30.0")])

    def test_places_have_a_tree_each(self):
        rows = zen4(csv_of(ZEN4, "S0,2,") + csv_of({**ZEN4, "ex_ret_ops": 1440}, "S1,2,"))
        self.assertEqual([(row["place"], row["value"]) for row in rows if row["node"] == "retiring"],
                         [("S0", 25), ("S1", 24)])

    def test_csv_has_the_same_values(self):
        result = run("--cpu", "amdzen4", "--from", "-", "--csv", text=csv_of(ZEN4, "0.5,S0,2,"))
        rows = list(csv.DictReader(result.stdout.splitlines()))
        self.assertEqual({row["node"]: float(row["value"]) for row in rows if row["level"] == "1"}, ZEN4_SHARES)
        self.assertEqual({(row["time"], row["place"], row["pmu"]) for row in rows}, {("0.500000000", "S0", "cpu")})
        self.assertEqual([row["node"] for row in rows if row["next"] == "1"], ["frontend_bound"])
        self.assertTrue(all(row["why"] for row in rows if not row["value"]))

    def test_a_hybrid_has_a_tree_for_each_core_type(self):
        text = csv_of({"cpu_atom/TOPDOWN_BE_BOUND.ALL/": 200, "cpu_atom/CPU_CLK_UNHALTED.CORE/": 100,
                       "cpu_atom/TOPDOWN_FE_BOUND.ALL/": 50, "cpu_atom/TOPDOWN_RETIRING.ALL/": 200,
                       "cpu_atom/TOPDOWN_BAD_SPECULATION.ALL/": 50})  # 5 slots a cycle: 500
        result = run("--cpu", "alderlake", "--from", "-", text=text, code=1)
        self.assertRegex(result.stdout, r"(?m)^cpu_atom:\n(tma_)?backend_bound +40\.0 %")
        self.assertRegex(result.stdout, r"(?m)^cpu_core:\n.*no value \(not counted: cpu_core/")

    def test_level_node_and_all_choose_what_is_shown(self):
        def nodes(*options, code=0):
            return {row["node"] for row in zen4(csv_of(ZEN4), *options, code=code)}
        self.assertEqual(nodes("-l", "1"), set(ZEN4_SHARES))
        self.assertGreater(nodes("--all"), set(ZEN4_SHARES))
        self.assertEqual(nodes("--node", "Retiring", "-l", "1", code=1) & set(ZEN4_SHARES), {"retiring"})
        result = run("--cpu", "amdzen4", "--from", "-", "--node", "retirng", text=csv_of(ZEN4), code=2)
        self.assertIn("--node retirng: amdzen4 has no such node; did you mean retiring?", result.stderr)

    def test_no_value_without_all_its_counts(self):
        for missing in list(ZEN4)[1:]:
            with self.subTest(missing):
                rows = zen4(csv_of({event: value for event, value in ZEN4.items() if event != missing}), code=1)
                gone = [row for row in rows if row["level"] == 1 and row["value"] is None]
                self.assertTrue(gone and all(missing in row["why"] for row in gone), gone)
                kept = {name: value for name, value in shares(rows).items() if value is not None}
                self.assertEqual(kept, {name: ZEN4_SHARES[name] for name in kept})
        for word in ("nan", "-5", "1e999", "<not counted>", "<not supported>", "99999999999999999999"):
            with self.subTest(word):
                result = run("--cpu", "amdzen4", "--from", "-", "--json", text=csv_of({**ZEN4, "ex_ret_ops": word}), code=1)
                self.assertIsNone(shares(map(json.loads, result.stdout.splitlines()))["retiring"])
                if word[0] != "<":
                    self.assertIn("standard input: line 5: ex_ret_ops: ", result.stderr)

    def test_counts_cut_in_the_middle_are_used_up_to_there(self):
        text = csv_of(ZEN4)
        result = run("--cpu", "amdzen4", "--from", "-", "--json", text=text[:text.index(",1000,100.00,,\n1500")], code=1)
        self.assertIn("line 4: the line ends after de_src_op_disp.all", result.stderr)
        self.assertEqual({name: value for name, value in shares(map(json.loads, result.stdout.splitlines())).items()
                          if value is not None}, {"frontend_bound": 50, "backend_bound": 19})

    def test_counts_of_another_cpu_are_told(self):
        result = run("--cpu", "neoverse-n1", "--from", "-", text=csv_of(ZEN4), code=1)
        self.assertIn("events are not of arm/neoverse-n1 (", result.stderr)
        self.assertIn("--cpu names it", result.stderr)
        self.assertIn("no node of arm/neoverse-n1 can be computed from these counts; level 1 needs ", result.stderr)
        run("--cpu", "amdzen4", "--from", "-", text="hello\n", code=2)
        run("--cpu", "amdzen4", "--from", str(self.folder / "none.csv"), code=2)
        self.assertIn("no top-down tree is known for power9", run("--cpu", "power9", "--from", "-", text=csv_of(ZEN4), code=2).stderr)

    # Foreign trees: faults are reported with their places, and the other nodes have values.
    def test_formulas_that_can_not_be_used(self):
        deep = "(" * 10000 + "instructions" + ")" * 10000
        chain = {f"tma_{i}": f"tma_{i + 1} + 1" for i in range(10000)} | {"tma_10000": "instructions"}
        for name, formulas, told in (
                ("circle", {"tma_a": "tma_b", "tma_b": "tma_a + 1"}, r"metrics.json:\d+: .*tma_a: .*needs itself, by way of tma_b"),
                ("deep", {"tma_deep": deep}, r"metrics.json:\d+: .*tma_deep: .*too deeply nested"),
                ("chain", chain, r"tma_0.*: no value \(.*needs too long a chain of metrics"),
                ("broken", {"tma_a": "1 if instructions"}, r"metrics.json:\d+: .*tma_a: .*column "),
                ("nothing", {}, None)):
            with self.subTest(name):
                rows = [{"MetricName": metric, "MetricGroup": "TopdownL1", "MetricExpr": expression} for metric, expression in formulas.items()]
                rows.append({"MetricName": "tma_good", "MetricGroup": "TopdownL1", "MetricExpr": "cycles / instructions", "ScaleUnit": "100%"})
                self.assertIn("50.0 %", self.tree_of(name, rows, told))
        twice = [{"MetricName": "tma_good", "MetricGroup": "TopdownL1", "MetricExpr": expression, "ScaleUnit": "100%"}
                 for expression in ("cycles / instructions", "instructions / cycles")]
        self.assertIn("50.0 %", self.tree_of("twice", twice, r"metrics.json:\d+: .*tma_good: .*stands twice"))
        lost = [{"MetricName": "tma_lost", "MetricGroup": "TopdownL3;tma_lost_group", "MetricExpr": "cycles"}, twice[0]]
        self.assertIn("50.0 %", self.tree_of("lost", lost, r"tma_lost is not a node of the tree"))

    def tree_of(self, name, rows, told):
        folder = self.folder / name / "x86/skylakex"
        folder.mkdir(parents=True)
        (folder / "metrics.json").write_text(json.dumps(rows, indent=1))
        (folder.parent / "mapfile.csv").write_text("Family-model,Version,Filename,EventType\nGenuineIntel-6-55-[01234],v1,skylakex,core\n")
        result = run("--events", str(self.folder / name), "--cpu", "skylakex", "--from", "-", text="100,,instructions,1,100.00,,\n50,,cycles,1,100.00,,\n", code=1)
        if told:
            self.assertRegex(result.stdout + result.stderr, told)
        return re.search("(?m)^tma_good .*$", result.stdout)[0]

    def test_the_page_holds_the_trees(self):
        page = self.folder / "tree.html"
        text = csv_of(ZEN4, "0.5,S0,2,") + csv_of({**ZEN4, "ex_ret_ops": 1440}, "1.0,S0,2,")
        run("--cpu", "amdzen4", "--from", "-", "--html", str(page), text=text)
        html = page.read_text()
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)[1])
        (place,) = data["places"]
        names = [node["name"] for node in data["trees"][0]["nodes"]]
        self.assertEqual((place["name"], place["times"], place["lengths"]), ("S0", [0.5, 1.0], [0.5, 0.5]))
        self.assertEqual([values[names.index("retiring")] for values in place["values"]], [25, 24])
        self.assertEqual(place["whole"]["values"][names.index("retiring")], 24.5)
        self.assertNotRegex(html, r"(src|href)=[\"']?(https?:)?//")

    @unittest.skipUnless(shutil.which("chromium") and resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY,
                         "without chromium, or the terabyte of addresses that it takes")
    def test_the_page_draws_the_tree(self):
        page = self.folder / "tree.html"
        text = csv_of(ZEN4, "0.5,") + csv_of({**ZEN4, "ex_ret_ops": 1440}, "1.0,")
        run("--cpu", "amdzen4", "--from", "-", "--html", str(page), text=text)
        dom = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()],
                             capture_output=True, encoding="utf-8", timeout=60).stdout
        picture, areas = (re.search(f'<svg id="{name}".*?</svg>', dom, re.S)[0] for name in ("picture", "areas"))
        boxes = {name: float(height) for height, name in
                 re.findall(r'<rect[^>]* height="([\d.]+)"[^>]*></rect><text[^>]*>(\w+) [\d.]+', picture)}
        self.assertAlmostEqual(boxes["frontend_bound"] / boxes["backend_bound"], 50 / 19, places=3)
        self.assertEqual(re.findall(r'class="(\w*) ?"[^>]*><rect[^>]*></rect><text[^>]*>frontend_bound', picture), ["flagged"])
        self.assertEqual(areas.count("<polygon"), 5)
        self.assertRegex(re.search(r'id="advice".*?</div>', dom, re.S)[0], r"(?s)frontend_bound: 50\.0.*perf record -e ")

    def test_counts_are_never_overwritten(self):
        path = self.file("counts.csv", csv_of(ZEN4))
        for option in ("-o", "--html"):
            self.assertIn(path, run("--cpu", "amdzen4", "--from", path, option, path, code=2).stderr)
        self.assertEqual(pathlib.Path(path).read_text(), csv_of(ZEN4))

    def test_options_that_exclude_each_other(self):
        for words in (["--json", "--csv"], ["--html", "x", "--json"], ["--html", "x", "-o", "x"], ["--drill"], ["-r", "2"], ["-a"], ["--per-node"]):
            run("--cpu", "amdzen4", "--from", "-", *words, text=csv_of(ZEN4), code=2)
        for words in ([], ["-G", "a,b", "--", "true"], ["--drill", "-I", "10", "--", "true"], ["--cpu", "amdzen4", "--", "true"], ["--drill", "-a"]):
            run(*words, code=2)


# A tree of software events, as a user may have one.
TREE = [
    {"MetricName": "soft_faults", "MetricGroup": "TopdownL1", "MetricExpr": "page\\-faults / (page\\-faults + major\\-faults + 1)",
     "MetricThreshold": "soft_faults > 0.5", "ScaleUnit": "100%"},
    {"MetricName": "soft_switches", "MetricGroup": "TopdownL1",
     "MetricExpr": "context\\-switches / (context\\-switches + cpu\\-migrations + 1)", "ScaleUnit": "100%"},
    {"MetricName": "soft_minor", "MetricGroup": "TopdownL2;soft_faults_group",
     "MetricExpr": "minor\\-faults / page\\-faults", "MetricThreshold": "soft_minor > 0.5 & soft_faults > 0.5", "ScaleUnit": "100%"},
    {"MetricName": "soft_rest", "MetricGroup": "TopdownL2;soft_switches_group",
     "MetricExpr": "alignment\\-faults / (context\\-switches + 1)", "ScaleUnit": "100%"},
]


class Live(unittest.TestCase):
    def setUp(self):
        probe = subprocess.run([EVNAME, "stat", "-e", "page-faults:u", "--", "true"], capture_output=True)
        if probe.returncode != 0:
            self.skipTest(probe.stderr.decode())
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        events = self.folder / "events"
        events.mkdir()
        (events / "soft.json").write_text(json.dumps(TREE))
        self.events = ["--events", str(events)]

    def soft(self, *arguments, code=0):
        result = run(*self.events, "--json", *arguments, code=code)
        return [row for row in map(json.loads, filter(lambda line: line[:1] == "{", result.stderr.splitlines()))
                if row["node"].startswith("soft_")]

    def test_a_command_is_counted_and_its_output_and_status_are_its_own(self):
        result = run(*self.events, "--node", "soft_faults", "--", "sh", "-c", "echo hello; exit 3", code=3)
        self.assertEqual(result.stdout, "hello\n")
        self.assertRegex(result.stderr, r"(?m)^soft_faults +9\d\.\d %")
        self.assertRegex(result.stderr, r"(?m)^  soft_minor +(100|9\d)\.\d %.*<==")
        self.assertRegex(result.stderr, r"there is no event that stands for it")

    def test_only_what_is_wanted_is_counted(self):
        rows = self.soft("--node", "soft_faults", "-l", "1", "--", "true")
        self.assertEqual([row["node"] for row in rows], ["soft_faults", "soft_minor"])
        rows = self.soft("-l", "1", "--", "true")
        self.assertEqual([row["node"] for row in rows], ["soft_faults", "soft_switches"])

    def test_runs_are_repeated(self):
        rows = self.soft("--node", "soft_faults", "-r", "3", "--", "true")
        self.assertEqual({row["runs"] for row in rows}, {3})

    def test_intervals_come_as_they_pass(self):
        rows = self.soft("--node", "soft_faults", "-I", "50", "--", "sleep", "1")
        times = [row["time"] for row in rows if row["node"] == "soft_faults"]
        self.assertGreaterEqual(len(times), 4)
        self.assertEqual(times, sorted(times))

    def test_drill_counts_a_level_at_a_time_below_what_is_flagged(self):
        log = self.folder / "runs"
        result = run(*self.events, "--node", "soft_faults", "--node", "soft_switches", "--drill", "--", "sh", "-c", f"echo run >> {log}")
        # Of level 2, nothing below soft_switches is counted, as that is not flagged.
        self.assertRegex(result.stderr, r"(?m)^  soft_minor ")
        self.assertIn("note: run 1 counted ", result.stderr)
        notes = re.findall(r"run \d+ counted (.*)", result.stderr)
        self.assertEqual(len(log.read_text().splitlines()), len(notes))
        self.assertTrue(any("minor-faults" in note for note in notes), notes)
        self.assertFalse(any("alignment-faults" in note for note in notes), notes)

    def test_the_page_of_a_command(self):
        page = self.folder / "tree.html"
        run(*self.events, "--node", "soft_faults", "-I", "50", "--html", str(page), "--", "sleep", "1")
        data = json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.S)[1])
        self.assertEqual(data["facts"]["command"], "sleep 1")
        (place,) = data["places"]
        self.assertGreaterEqual(len(place["times"]), 3)
        self.assertEqual(len(place["lengths"]), len(place["times"]))
        for begin, end, length in zip([0, *place["times"]], place["times"], place["lengths"]):
            self.assertAlmostEqual(length, end - begin, delta=0.01)

    def test_a_machine_without_the_counters_says_so(self):
        if list(pathlib.Path("/sys/bus/event_source/devices").glob("cpu*")):
            self.skipTest("it has a core PMU")
        result = run("--", "true", code=None)
        self.assertRegex(result.stderr, "no core PMU")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
