#!/usr/bin/env python3
"""list, show, name and resolve: finding events and CPUs. Usage: list_test.py EVNAME SOURCE_ROOT"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
N1 = str(ROOT / "tests/data/neoverse-n1.data")
SKX = ["--cpu", "skx"]


def run(*arguments, code=0):
    result = subprocess.run([EVNAME, *arguments], capture_output=True, encoding="utf-8")
    assert code in (None, result.returncode), f"exit code {result.returncode}, {result.stderr}"
    return result


def rows(*arguments, code=0):
    return [json.loads(line) for line in run(*arguments, code=code).stdout.splitlines()]


def names(*arguments):
    return [row["name"] for row in rows("list", "--json", *arguments)]


class List(unittest.TestCase):
    # perf list has these events on any machine, besides the tables of the model.
    def test_the_events_of_the_kernel_and_of_perf_are_among_them(self):
        by_name = {row["name"]: row for row in rows("list", "--json", *SKX)}
        for name, pmu in {"cycles": "hardware", "branch-misses": "hardware", "page-faults": "software",
                          "L1-dcache-load-misses": "hw_cache", "duration_time": "tool",
                          "mem_load_retired.l3_miss": "cpu", "unc_m_cas_count.rd": "uncore_imc"}.items():
            self.assertEqual(by_name[name]["pmu"], pmu)
        self.assertEqual(list(by_name["cycles"]), list(by_name["mem_load_retired.l3_miss"]))
        help_text = run("list", "--help").stdout
        for word in ("generic", "cache", "software", "tracepoints"):
            self.assertIn(word, help_text)

    def test_every_event_of_every_model_has_a_description_and_no_tail(self):
        for row in rows("list", "--json", "--cpus"):
            for event in rows("list", "--json", "--no-user-events", "--cpu", row["model"]):
                self.assertTrue(event["desc"], f"{row['model']}: {event['name']}")
                for tail in "(Precise event)", "(Must be precise)", "Supports address when precise", "Spec update":
                    self.assertNotIn(tail, event["desc"])

    # The PMUs that Linux 7.3's drivers make on this CPU, if the machine has the devices.
    def test_events_of_pmus_that_the_machine_may_have_are_listed_if_asked_for(self):
        self.assertEqual(names(*SKX, "energy*"), ["energy-cores", "energy-pkg", "energy-ram"])
        self.assertNotIn("energy-pkg", names(*SKX))
        self.assertIn("Energy that the package used", run("show", *SKX, "energy-pkg").stdout)

    # PEBS, Data_LA and Errata of these events in Intel's perfmon.
    def test_precision_and_errata_are_fields(self):
        for cpu, name, *fields in (("skylakex", "mem_load_retired.l3_miss", "possible", True, ""),
                                   ("haswell", "mem_load_uops_retired.l3_miss", "possible", True,
                                    "HSD74, HSD29, HSD25, HSM26, HSM30"),
                                   ("haswell", "inst_retired.prec_dist", "required", False, "HSD140"),
                                   ("skylakex", "br_inst_retired.all_branches_pebs", "required", False, "SKL091"),
                                   ("haswell", "inst_retired.x87", "", False, ""),
                                   ("n1", "inst_retired", "", False, "")):
            (event,) = rows("list", "--json", "--cpu", cpu, name)
            self.assertEqual([event["precise"], event["precise_address"], event["errata"]], fields, name)
        shown = run("show", "--cpu", "haswell", "inst_retired.prec_dist").stdout
        self.assertRegex(shown, r"precise +required\n  errata +HSD140\n")
        self.assertRegex(run("show", *SKX, "mem_load_retired.l3_miss").stdout, r"precise +possible\n  address +of the data")
        self.assertIn("inst_retired.prec_dist", names("--cpu", "haswell", "--search", "hsd140"))

    def test_all_that_is_listed_can_be_resolved(self):
        listed = names(*SKX, "--pmu", "hw_cache") + names(*SKX, "--pmu", "software") + names(*SKX, "--pmu", "tool")
        self.assertEqual(rows("resolve", "--json", *SKX, *listed, code=0)[0]["query"], listed[0])

    def test_events_are_sorted_by_pmu_and_name(self):
        for cpu in ("skx", "adl", "n1"):
            found = [(row["pmu"], row["name"]) for row in rows("list", "--json", "--cpu", cpu)]
            self.assertEqual(found, sorted(found))
            self.assertLess({"software", "hw_cache", "tool", "hardware"}, {pmu for pmu, _ in found})

    def test_tracepoints_of_the_machine_are_among_them(self):
        with tempfile.TemporaryDirectory() as root:
            (pathlib.Path(root) / "bus/event_source/devices/software").mkdir(parents=True)
            (pathlib.Path(root) / "bus/event_source/devices/software/type").write_text("1\n")
            for system, event, number in ("sched", "sched_switch", 316), ("irq", "irq_handler_entry", 100):
                directory = pathlib.Path(root, "kernel/tracing/events", system, event)
                directory.mkdir(parents=True)
                (directory / "id").write_text(f"{number}\n")
            found = rows("list", "--json", "--sysfs", root, "--pmu", "tracepoint")
            self.assertEqual([(row["name"], row["topic"], row["terms"]) for row in found],
                             [("irq:irq_handler_entry", "irq", "config=0x64"),
                              ("sched:sched_switch", "sched", "config=0x13c")])
            self.assertEqual(len(rows("list", "--json", "--sysfs", root, "SCHED:*")), 1)

    def test_several_patterns_and_every_filter_narrow_it(self):
        both = names(*SKX, "mem_load_retired.l1_*", "MEM_LOAD_RETIRED.L3_*")
        self.assertEqual(both, ["mem_load_retired.l1_hit", "mem_load_retired.l1_miss", "mem_load_retired.l3_hit",
                                "mem_load_retired.l3_miss"])
        found = rows("list", "--json", *SKX, "--search", "L3 miss", "--topic", "Cache", "--pmu", "cp?")
        self.assertIn("mem_load_retired.l3_miss", [row["name"] for row in found])
        for row in found:
            self.assertEqual((row["topic"], row["pmu"]), ("cache", "cpu"))
        self.assertIn("page-faults", names(*SKX, "--search", "page fault"))
        one = set(names(*SKX, "--search", "l3")) & set(names(*SKX, "--search", "retired"))
        self.assertEqual(set(names(*SKX, "--search", "l3", "--search", "retired")), one)
        self.assertEqual(set(names(*SKX, "--search", "retired l3")), one)

    def test_no_match_is_the_same_exit_code_everywhere_and_says_what_there_is(self):
        for arguments, words in [
                (["list", *SKX, "quux"], ["'quux'", "--search"]),
                (["list", *SKX, "l3_miss"], ["'*l3_miss*' finds "]),
                (["list", *SKX, "--search", "quux"], ["--search 'quux'"]),
                (["list", *SKX, "--pmu", "quux"], ["'quux'", "there are cpu", "uncore_imc"]),
                (["list", *SKX, "--topic", "quux"], ["'quux'", "cache", "pipeline"]),
                (["list", "--cpus", "quux"], ["quux", "list --cpus"]),
                (["show", *SKX, "quux*"], ["quux*"]),
                (["name", *SKX, "--pmu", "quux", "0x1"], ["quux", "cpu"]),
                (["resolve", *SKX, "quux"], ["quux"]),
                (["diff", "skx", "icx", "quux"], ["quux"]),
                (["emit", "--cpu", "skx", "--events", "quux", "--format", "c"], ["quux"]),
                (["metrics", *SKX, "quux"], ["quux"]),
                (["metrics", *SKX, "--group", "quux"], ["quux"]),
                (["metrics", *SKX, "--show", "quux"], ["quux"]),
                (["schedule", *SKX, "quux"], ["quux"]),
                (["annotate", "--event", "quux", N1], ["quux", "cpu_cycles"]),
                (["report", "--event", "quux", N1], ["quux", "cpu_cycles"])]:
            with self.subTest(" ".join(arguments)):
                result = run(*arguments, code=1)
                for word in words:
                    self.assertIn(word, result.stderr)


class Cpus(unittest.TestCase):
    # Rows of perf's mapfiles.
    PATTERNS = {"skylakex": "GenuineIntel-6-55-[01234]", "amdzen4": "AuthenticAMD-25-[[:xdigit:]]+",
                "arm/neoverse-n1": "0x00000000410fd0c0"}

    def test_all_are_listed_with_patterns_and_names(self):
        listed = {row["model"]: row for row in rows("list", "--cpus", "--json")}
        for model, pattern in self.PATTERNS.items():
            self.assertIn(pattern, listed[model]["patterns"])
            self.assertIn(model, run("list", "--cpus").stdout)
            # arch/ARCH/sources.csv: "MODEL,SOURCE"
            arch = listed[model]["arch"]
            sources = dict(line.split(",", 1) for line in (ROOT / "arch" / arch / "sources.csv").read_text().splitlines())
            self.assertEqual(listed[model]["source"], sources[model].strip('"'))
        directories = {line.split(",")[2] for file in ROOT.glob("arch/*/mapfile.csv")
                       for line in file.read_text().splitlines()[1:] if line.count(",") == 3 and line[0] != "#"}
        self.assertEqual(set(listed), directories)

    def test_every_name_is_understood_by_every_subcommand(self):
        for name, model in ("skx", "skylakex"), ("ICX", "icelakex"), ("spr", "sapphirerapids"), ("zen4", "amdzen4"), \
                ("N1", "arm/neoverse-n1"), ("graviton2", "arm/neoverse-n1"):
            (row,) = rows("list", "--cpus", "--json", name)
            self.assertEqual(row["model"], model)
            for command, rest in [("resolve", ["cycles"]), ("name", ["0:0"]), ("list", ["cycles"]), ("show", ["cycles"]),
                                  ("cpu", []), ("metrics", ["--groups"]), ("schedule", ["faults"]),
                                  ("emit", ["--events", "cycles", "--format", "json"])]:
                self.assertEqual(run(command, "--cpu", name, *rest, code=None).returncode, 0, (command, name))
            self.assertEqual(rows("cpu", "--json", "--cpu", name)[0]["model"], model)
        run("diff", "SKX", "icx")

    def test_those_of_a_directory_are_among_them(self):
        with tempfile.TemporaryDirectory() as directory:
            tree = pathlib.Path(directory, "x86")
            for model in "newlake", "skylakex":
                tree.joinpath(model).mkdir(parents=True)
                tree.joinpath(model, "a.json").write_text('[{"EventName": "MY.EVENT", "EventCode": "0x33"}]')
            tree.joinpath("mapfile.csv").write_text("Family-model,Version,Filename,EventType\n"
                                                    "GenuineIntel-6-FE,v1,newlake,core\n"
                                                    "GenuineIntel-6-55-[01234],v9,skylakex,core\n")
            before = {row["model"]: row for row in rows("list", "--cpus", "--json")}
            listed = {row["model"]: row for row in rows("list", "--cpus", "--events", directory, "--json")}
            self.assertEqual(set(listed) - set(before), {"newlake"})
            self.assertEqual((listed["newlake"]["patterns"], listed["newlake"]["events"], listed["newlake"]["source"]),
                             (["GenuineIntel-6-FE"], 1, directory))
            self.assertEqual(listed["skylakex"]["events"], before["skylakex"]["events"] + 1)
            self.assertEqual(listed["skylakex"]["source"], f"{directory}; {before['skylakex']['source']}")
            self.assertEqual(listed["icelakex"], before["icelakex"])
            self.assertIn("newlake", run("list", "--cpus", "newl*", "--events", directory).stdout)
        run("list", "--cpus", "--events", "/nonexistent", code=2)

    def test_they_are_found_by_glob_cpuid_and_words(self):
        # the first row of a mapfile that matches counts: AMD's family 25, model 1 is Zen 3
        for wanted, model in (["sky*x"], "skylakex"), (["GenuineIntel-6-55-4"], "skylakex"), \
                (["AuthenticAMD-25-1-1"], "amdzen3"), (["AuthenticAMD,25,97,2"], "amdzen4"), \
                (["GenuineIntel-6-55-[01234]"], "skylakex"), (["--search", "neoverse n1"], "arm/neoverse-n1"):
            self.assertEqual([row["model"] for row in rows("list", "--cpus", "--json", *wanted)], [model])

    def test_near_misses_are_hinted(self):
        for wrong, near in ("SPX", "spr"), ("skylakx", "skylakex"), ("zen44", "zen4"), ("cascade", "cascadelakex"), \
                ("neoverse-n9", "arm/neoverse-n1"):
            error = run("list", "--cpu", wrong, code=2).stderr
            self.assertRegex(error, rf"did you mean [^?]*\b{near}\b", wrong)
            self.assertIn("`evname list --cpus`", error)

    def test_near_subcommands_are_hinted(self):
        for wrong, near in ("lsit", "list"), ("anotate", "annotate"), ("resovle", "resolve"), ("metric", "metrics"):
            self.assertIn(f"did you mean {near}?", run(wrong, code=2).stderr)


class Show(unittest.TestCase):
    # Skylake's MEM_LOAD_RETIRED.L3_MISS: event D1H, umask 20H (Intel SDM, volume 3).
    def test_description_and_code_are_there_however_it_is_written(self):
        for text in ("mem_load_retired.l3_miss", "MEM_LOAD_RETIRED.L3_MISS", "mem_load_retired.l3_miss:upp",
                     "mem_load_retired.l3_mis*", "r20d1", "cpu/event=0xd1,umask=0x20/u", "cpu/config=0x20d1/"):
            with self.subTest(text):
                out = run("show", *SKX, text).stdout
                for word in ("about  ", "code        cpu/config=0x20d1/", "type        4", "topic       cache"):
                    self.assertIn(word, out)
                (row,) = rows("show", "--json", *SKX, text)
                self.assertEqual((row["name"], row["type"], row["config"], row["topic"]),
                                 ("mem_load_retired.l3_miss", 4, "0x20d1", "cache"))
                self.assertTrue(row["desc"])

    def test_a_glob_shows_each_with_its_own_code(self):
        found = rows("show", "--json", *SKX, "mem_load_retired.l[12]_miss")
        self.assertEqual([(row["name"], row["config"]) for row in found],
                         [("mem_load_retired.l1_miss", "0x8d1"), ("mem_load_retired.l2_miss", "0x10d1")])

    def test_an_event_of_two_pmus_has_the_description_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            for pmu, number in ("uncore_cha_0", 20), ("uncore_cha_1", 21), ("uncore_imc_0", 30):
                for name, text in ("type", str(number)), ("cpumask", "0"), ("format/event", "config:0-7"):
                    path = pathlib.Path(folder, "sys/bus/event_source/devices", pmu, name)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text + "\n")
            tree = pathlib.Path(folder, "x86/newlake")
            tree.mkdir(parents=True)
            tree.parent.joinpath("mapfile.csv").write_text("Family-model,Version,Filename,EventType\nGenuineIntel-6-FE,v1,newlake,core\n")
            tree.joinpath("a.json").write_text(json.dumps(
                [{"EventName": "MY.CLOCK", "EventCode": code, "Unit": unit, "BriefDescription": text, "PerPkg": "1"}
                 for unit, code, text in (("CHA", "0x1", "Of caches"), ("iMC", "0x2", "Of memory"))]))
            machine = ["--events", folder, "--cpu", "newlake", "--sysfs", f"{folder}/sys"]
            for name in "my.clock", "my.cl*":
                found = rows("show", "--json", *machine, name)
                self.assertEqual(sorted((row["desc"], row["config"], row["type"]) for row in found),
                                 [("Of caches", "0x1", 20), ("Of caches", "0x1", 21), ("Of memory", "0x2", 30)])
            (row,) = rows("show", "--json", *machine, "uncore_imc_0/my.clock/")
            self.assertEqual((row["desc"], row["config"]), ("Of memory", "0x2"))
            (row,) = rows("show", "--json", *machine, "uncore_cha_1/my.clock/")
            self.assertEqual((row["desc"], row["config"]), ("Of caches", "0x1"))

    def test_qualifiers_modifiers_and_generic_events(self):
        out = run("show", *SKX, "cpu/event=0xd1,umask=0x20,cmask=1/").stdout
        self.assertIn("mem_load_retired.l3_miss with cmask=0x1", out)
        (row,) = rows("show", "--json", *SKX, "cycles:k")
        self.assertEqual((row["event"], row["type"], row["config"]), ("cycles:k", 0, "0x0"))
        self.assertTrue(row["desc"])


class Name(unittest.TestCase):
    # Skylake's UOPS_RETIRED: event C2H, RETIRE_SLOTS umask 02H (Intel SDM, volume 3).
    def test_without_a_match_the_nearest_are_told(self):
        out = run("name", "--cpu", "skylake", "r01c2", code=1).stdout
        self.assertIn("no name", out)
        self.assertIn("event=0xc2 is ", out)
        self.assertIn("uops_retired.retire_slots (umask=0x2)", out)
        (row,) = rows("name", "--json", "--cpu", "skylake", "r01c2", code=1)
        self.assertEqual((row["names"], row["near"]["uops_retired.retire_slots"]), ([], "event=0xc2,umask=0x2"))

    def test_with_a_match_or_without_such_an_event_there_is_none(self):
        self.assertNotIn("near", rows("name", "--json", *SKX, "0x20d1")[0])
        self.assertNotIn("near", rows("name", "--json", *SKX, "0x99ff", code=1)[0])


class Resolve(unittest.TestCase):
    def test_text_has_the_type(self):
        self.assertIn("type=4 config=0x20d1", run("resolve", *SKX, "mem_load_retired.l3_miss").stdout)
        self.assertIn("type=1 config=0x2", run("resolve", *SKX, "page-faults").stdout)
        self.assertIn("type=? config=0x8", run("resolve", "--cpu", "n1", "inst_retired").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
