#!/usr/bin/env python3
"""The evname command as a user runs it. Usage: command_test.py EVNAME SOURCE_ROOT"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import perf_file

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
DATA = ROOT / "tests" / "data"

BUILD_IDS = {"/in/work": "f3633352fbdfbdb775d32ddffdea30a72de9df8e",
             "[kernel.kallsyms]": "8a55a05d35a15fe072cfd7e22593672daae112af"}

RESOLVE_KEYS = ["query", "name", "pmu", "type", "config", "config1", "config2", "config3", "period",
                "terms", "model", "matched_by", "source", "desc"]
LIST_KEYS = ["name", "pmu", "topic", "terms", "desc", "scale", "unit", "per_pkg", "deprecated", "model",
             "precise", "precise_address", "errata"]
SAMPLE_KEYS = ["comm", "pid", "tid", "cpu", "time", "event", "pmu", "code", "attr"]


def run(*arguments, code=0, text=None):
    result = subprocess.run([EVNAME, *arguments], capture_output=True, input=text, encoding="utf-8")
    assert code in (None, result.returncode), f"exit code {result.returncode}, {result.stderr}"
    return result


def rows(*arguments, code=0, text=None):
    return [json.loads(line) for line in run(*arguments, code=code, text=text).stdout.splitlines()]


class Resolve(unittest.TestCase):
    # Codes: Intel SDM, volume 3 (D1H/20H, C4H/00H), and Linux's encoding of offcore responses.
    def test_json_has_the_documented_keys_in_order(self):
        (row,) = rows("resolve", "--json", "--cpu", "skylakex", "MEM_LOAD_RETIRED.L3_MISS")
        self.assertEqual(list(row), RESOLVE_KEYS)
        self.assertEqual((row["config"], row["config1"], row["period"]), ("0x20d1", "0x0", 100007))
        self.assertEqual((row["pmu"], row["type"], row["matched_by"]), ("cpu", 4, "name"))

    def test_a_type_that_only_the_machine_knows_is_null(self):
        (row,) = rows("resolve", "--json", "--cpu", "0x00000000410fd0c0", "inst_retired")
        self.assertEqual((row["type"], row["config"], row["matched_by"]), (None, "0x8", "cpuid"))

    def test_a_code_that_only_the_machine_knows_is_null(self):
        # perf puts the type of the PMU, which the kernel gives out, into bits 32 and up (PERF_PMU_TYPE_SHIFT).
        out = rows("resolve", "--json", "--cpu", "alderlake", "LLC-loads", "cpu_atom/LLC-loads/")
        codes = [(row["pmu"], row["type"], row["config"]) for row in out]
        unknown = ("cpu_atom", None, None)
        self.assertEqual(sorted(codes, key=str), sorted([("cpu_core", 3, "0x400000002"), unknown, unknown], key=str))
        self.assertNotIn("config=0x0", run("resolve", "--cpu", "alderlake", "cpu_atom/LLC-loads/").stdout)

    def test_generic_events_have_the_raw_code_of_each_core_type(self):
        # CPU_CLK_UNHALTED.CORE and .THREAD: event 3CH (Intel SDM vol. 3).
        out = rows("resolve", "--json", "--cpu", "alderlake", "cycles", "cpu_atom/cycles/")
        codes = sorted([(row["pmu"], row["type"], row["config"]) for row in out], key=str)
        self.assertEqual(codes, [("cpu_atom", None, "0x3c")] * 2 + [("cpu_core", 4, "0x3c")])

    def test_a_name_that_fails_does_not_stop_the_rest(self):
        out = rows("resolve", "--json", "--cpu", "skylakex", "-", code=1,
                   text="br_inst_retired.all_branches\n\nno_such_event\nr1a8\n")
        self.assertEqual([r.get("config") for r in out], ["0xc4", None, "0x1a8"])
        self.assertIn("no_such_event", out[1]["error"])

    def test_the_nearest_names_are_offered(self):
        result = run("resolve", "--cpu", "skylakex", "mem_load_retired.l3_mis", code=1)
        self.assertIn("did you mean mem_load_retired.l3_miss", result.stderr)

    def test_the_first_column_is_what_perf_stat_takes(self):
        out = run("resolve", "--cpu", "skylakex", "mem_load_retired.l3_miss:u",
                  "offcore_response.demand_data_rd.any_response", "cycles:k").stdout
        spelled = [line.split("#")[0].strip() for line in out.splitlines()]
        self.assertEqual(spelled, ["cpu/event=0xd1,umask=0x20/u",
                                   "cpu/event=0xb7,umask=1,offcore_rsp=0x10001/", "cycles:k"])
        self.assertEqual(len({line.index("#") for line in out.splitlines()}), 1)

    def test_a_field_given_twice_is_warned_of(self):
        result = run("resolve", "--cpu", "skylakex", "--json", "cpu/event=0x3c,event=0x1/", "cycles")
        twice, once = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual((twice["config"], len(twice["warnings"])), ("0x3d", 1))
        self.assertNotIn("warnings", once)
        self.assertEqual(result.stderr.count("evname: warning: cpu/event=0x3c,event=0x1/: 'event'"), 1)

    def test_unusable_arguments_exit_with_2(self):
        for arguments in (["resolve", "--cpu", "no-such-cpu", "cycles"], ["resolve"], ["nonsense"],
                          ["annotate", "/nonexistent"], ["annotate", str(ROOT / "README.md")]):
            run(*arguments, code=2)


class Schedule(unittest.TestCase):
    # Skylake: four generic counters a thread, three fixed ones (Intel SDM, volume 3).
    FIVE = ["l1d.replacement", "uops_issued.any", "br_inst_retired.all_branches",
            "longest_lat_cache.miss", "longest_lat_cache.reference"]

    def test_what_is_printed_goes_to_perf_stat(self):
        result = run("schedule", "--cpu", "skylakex", "cycles:u", *self.FIVE, "cs")
        self.assertEqual(result.stdout, "{cycles:u,%s},%s,cs\n" % (",".join(self.FIVE[:4]), self.FIVE[4]))
        self.assertIn("5 events", result.stderr)
        self.assertIn("4 counters of cpu (0-3)", result.stderr)

    def test_letters_for_a_leader_stay_with_it(self):
        result = run("schedule", "--cpu", "skylakex", "{cycles,instructions}:DW", "{cs,faults}:e")
        self.assertEqual(result.stdout, "{cycles:D,instructions},{cs:e,faults}\n")

    def test_one_group_has_nothing_to_explain(self):
        result = run("schedule", "--cpu", "skylakex", *self.FIVE[:4], "instructions")
        self.assertEqual((result.stdout.count("{"), result.stderr), (1, ""))

    def test_json_has_the_documented_keys(self):
        first, second = rows("schedule", "--json", "--cpu", "skylakex", *self.FIVE)
        self.assertEqual(list(first), ["pmus", "group", "groups", "events", "counters",
                                       "generic_counters", "fixed_counters", "grouped", "smallest",
                                       "why"])
        self.assertEqual((first["events"], second["events"]), (self.FIVE[:4], self.FIVE[4:]))
        self.assertEqual(sorted(first["counters"]), ["0", "1", "2", "3"])
        self.assertEqual((second["group"], second["groups"], second["smallest"]), (1, 2, True))

    def test_options_tell_what_the_machine_is_like(self):
        for options, groups in ([], 2), (["--smt", "off"], 1), (["--counters", "5"], 1), (
                ["--constraint", "NO_GROUP_EVENTS"], 5), (["--nmi-watchdog", "on"], 2):
            out = rows("schedule", "--json", "--cpu", "skylakex", *options, *self.FIVE)
            self.assertEqual(len(out), groups, options)

    def test_a_pmu_is_named_where_the_name_means_more(self):
        result = run("schedule", "--cpu", "alderlake", "cpu_core/inst_retired.any/", "cycles")
        self.assertEqual(result.stdout, "{cpu_core/inst_retired.any/,cpu_core/cycles/},cpu_atom/cycles/\n")

    def test_a_group_that_can_not_be_counted_is_told(self):
        group = "{" + ",".join(self.FIVE) + "}"
        result = run("schedule", "--cpu", "skylakex", group, code=1)
        self.assertEqual(result.stdout, "")
        self.assertIn("can't be counted at once: 5 events", result.stderr)
        (row,) = rows("schedule", "--json", "--cpu", "skylakex", group, code=1)
        self.assertEqual(list(row), ["error"])

    def test_an_unknown_event_does_not_stop_the_rest(self):
        result = run("schedule", "--cpu", "skylakex", "-", code=1, text="no_such_event\ncycles\n")
        self.assertEqual(result.stdout, "cycles\n")
        self.assertIn("no_such_event", result.stderr)

    def test_bad_options_are_refused(self):
        run("schedule", "--cpu", "skylakex", "--smt", "maybe", "cycles", code=2)
        run("schedule", "--cpu", "skylakex", "--constraint", "X", "cycles", code=2)
        run("schedule", "--cpu", "no-such-cpu", "cycles", code=2)


class Name(unittest.TestCase):
    def name(self, *codes, cpu="skylakex", code=0):
        return rows("name", "--json", "--cpu", cpu, *codes, code=code)

    def test_json_has_the_documented_keys_in_order(self):
        (row,) = self.name("0x20d1")
        self.assertEqual(row, {"query": "0x20d1", "pmu": "cpu", "names": ["mem_load_retired.l3_miss"],
                               "exact": True, "qualifiers": "", "terms": "event=0xd1,umask=0x20"})
        self.assertEqual(list(row), ["query", "pmu", "names", "exact", "qualifiers", "terms"])

    def test_every_spelling_of_a_code_means_the_same(self):
        out = self.name("cpu/config=0x1b7,config1=0x10001/", "config=0x1b7,config1=0x10001",
                        "cpu/event=0xb7,umask=1,offcore_rsp=0x10001/")
        self.assertEqual([row["names"] for row in out],
                         [["offcore_response.demand_data_rd.any_response"]] * 3)

    def test_qualifiers_are_spelled_out_beside_the_base_name(self):
        (row,) = self.name("cpu/event=0xc4,inv=1/u")
        self.assertEqual((row["names"][0], row["exact"]), ("br_inst_retired.all_branches", False))
        self.assertEqual(row["qualifiers"], "inv=1,:u")

    # POWER9 UM, PMU events: 1E is cycles on any counter, and bits 16-19 say which.
    def test_the_counter_of_a_power_code_is_a_qualifier(self):
        (row,) = self.name("0x1001e", cpu="0x004e1202")
        self.assertEqual((row["names"], row["exact"], row["qualifiers"]), (["pm_cyc"], False, "pmc=0x1"))

    def test_the_columns_of_text_stand_below_each_other(self):
        out = run("name", "--cpu", "skylakex", "0x20d1", "cpu/event=0xc4,inv=1/u", "0x99ff", code=1).stdout
        self.assertEqual(len({line.index("#") for line in out.splitlines()}), 1)

    def test_a_bare_code_is_named_on_each_core_pmu(self):
        out = self.name("0x82d0", cpu="alderlake")
        self.assertEqual([(row["pmu"], row["names"]) for row in out],
                         [("cpu_atom", ["mem_uops_retired.all_stores"]),
                          ("cpu_core", ["mem_inst_retired.all_stores"])])

    def test_a_code_that_nothing_fits_is_spelled_out(self):
        (row,) = self.name("0x99ff", code=1)
        self.assertEqual((row["names"], row["terms"]), ([], "event=0xff,umask=0x99"))

    def test_generic_codes_have_the_names_of_the_kernel(self):
        out = self.name("0:0x1", "3:0x10000", "1:2")
        self.assertEqual([row["names"][0] for row in out],
                         ["instructions", "L1-dcache-load-misses", "page-faults"])


class ListShowCpu(unittest.TestCase):
    def test_list_gives_every_event_with_the_documented_keys(self):
        files = (ROOT / "arch/x86/skylakex").glob("*.json")
        names = {e["EventName"].lower() for f in files for e in json.loads(f.read_text())
                 if "EventName" in e}
        out = rows("list", "--json", "--cpu", "skylakex")
        self.assertEqual({row["name"] for row in out if row["model"]}, names)
        self.assertTrue(all(list(row) == LIST_KEYS for row in out))
        self.assertTrue(any(row["deprecated"] for row in out))

    def test_list_takes_a_glob_in_any_case(self):
        out = rows("list", "--json", "--cpu", "neoverse-n1", "BR_MIS*")
        self.assertEqual([row["name"] for row in out], ["br_mis_pred", "br_mis_pred_retired"])
        run("list", "--cpu", "neoverse-n1", "zzz*", code=1)

    def test_show_tells_the_code(self):
        out = run("show", "--cpu", "skylakex", "mem_load_retired.l3_miss").stdout
        self.assertIn("cpu/config=0x20d1/", out)

    def test_cpu_tells_how_a_recording_was_matched(self):
        (row,) = rows("cpu", "--json", "-i", str(DATA / "neoverse-n1.data"))
        self.assertEqual((row["arch"], row["cpuid"], row["model"], row["matched_by"]),
                         ("arm64", "0x00000000410fd0c0", "arm/neoverse-n1", "cpuid"))

    def test_a_cpu_without_table_is_a_partial_answer(self):
        (row,) = rows("cpu", "--json", "--cpu", "GenuineIntel-6-FF-1", code=1)
        self.assertEqual(row["matched_by"], "none")
        self.assertIn("GenuineIntel-6-FF-1", row["note"])

    def test_an_unknown_arm_cpu_has_the_standard_events(self):
        (row,) = rows("resolve", "--json", "--cpu", "0x00000000000f0510", "cpu_cycles")
        self.assertEqual((row["config"], row["matched_by"]), ("0x11", "architecture"))


class Annotate(unittest.TestCase):
    def test_recorded_names_are_printed_in_the_bytes_of_perf_script(self):
        for name in ("neoverse-n1", "cortex-a72-system"):
            out = run("annotate", "--raw-names", str(DATA / f"{name}.data")).stdout
            self.assertEqual(out, (DATA / f"{name}.script").read_text())

    def test_callchains_in_two_parts_are_printed_as_perf_script_does(self):
        for name in ("deferred-switches", "deferred-zstd"):
            result = run("annotate", "-F", "tid,time,ip", str(DATA / f"{name}.data"), code=None)
            if "this build has no zstd" not in result.stderr:
                self.assertEqual(result.stdout, (DATA / f"{name}.chains").read_text())

    def test_info_is_one_screen_even_of_a_large_machine(self):
        """384 CPUs, 100 events, a command of 5,000 words, samples that were lost."""
        text = lambda value: struct.pack("<I", len(value) + 1) + value + b"\0"
        topology = struct.pack("<I", 1) + text(b"0-383") + struct.pack("<I", 384) + b"".join(text(b"%d" % i) for i in range(384))
        features = [(3, text(b"box")), (4, text(b"6.12.1")), (5, text(b"7.3")), (6, text(b"x86_64")), (7, struct.pack("<II", 384, 384)),
                    (8, text(b"A large CPU")), (9, text(b"GenuineIntel-6-55-4")),
                    (11, struct.pack("<I", 5001) + text(b"perf") + 5000 * text("wörd".encode())),
                    (13, topology + b"".join(struct.pack("<II", i, 0) for i in range(384)))]
        attrs = [perf_file.attr(config=0x100 + i, type=4, sample_type=perf_file.TYPE) for i in range(100)]
        data = b"".join(perf_file.sample(1_000_000_000 + i * 1000, id=1 + i % 7) for i in range(20))
        data += perf_file.record(perf_file.LOST, struct.pack("<QQ", 2, 5) + perf_file.trailer(1_000_020_000, id=2))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "large.data")
            path.write_bytes(perf_file.file(data, attrs, features))
            lines = run("info", str(path)).stdout.splitlines()
            self.assertLessEqual(len(lines), 40)
            self.assertTrue(lines[0].startswith("command  : perf wörd") and lines[0].endswith("…"), lines[0])
            for line in ("duration : 0.000019 s (1.000000 to 1.000019)", "samples  : 20 of 100 events",
                         "CPU      : A large CPU, 384 CPUs are online, GenuineIntel-6-55-4", "model    : skylakex",
                         "kernel   : 6.12.1, x86_64", "host     : box", "perf     : 7.3",
                         "missing  : 5 samples that were lost", "           callchains (record -g)"):
                self.assertIn(line, lines)
            self.assertEqual([int(line.split()[0]) for line in lines[3:9]], [3, 3, 3, 3, 3, 3])
            self.assertGreater(len(run("info", "-v", str(path)).stdout.splitlines()), 384 + 100)
            for events, more in ((15, None), (16, 2), (17, 3)):  # the events have fifteen lines
                path.write_bytes(perf_file.file(perf_file.sample(1_000_000_000), attrs[:events]))
                told = [line.strip() for line in run("info", str(path)).stdout.splitlines() if "more events" in line]
                self.assertEqual(told, [f"(more events: {more})"] if more else [])

    def test_scheduling_domains_are_those_of_the_header(self):
        # perf report --header-only of 7.3
        path = str(DATA / "sched-stats.perf")
        out = run("info", "-v", "--records", path).stdout
        self.assertIn("schedstat version : 17\nmaximum sched domains : 1\n"
                      "CPU 0: domain 0 MC, cpu map 3, cpu list 0-1\n", out)
        self.assertIn("SCHEDSTAT_DOMAIN records:          4", out)
        row = next(r for r in rows("info", "--json", path) if r.get("feature") == "CPU_DOMAIN_INFO")
        self.assertEqual([c["cpu"] for c in row["value"]["cpus"]], [0, 1])

    def test_what_the_scheduler_counted_is_that_of_perf_sched_stats(self):
        counted = {(r["scheduler_cpu"], r["domain"], r["domain_name"]): r
                   for r in rows("info", "--json", "--records", str(DATA / "sched-stats.perf")) if "scheduler_cpu" in r}
        self.assertEqual({r["jiffies"] for r in counted.values()}, {264})
        own = [[str(cpu), name or "-", key, str(count)] for (cpu, _, name), r in counted.items()
               for key, count in list(r.items())[6:]]
        self.assertEqual(own, [line.split() for line in (DATA / "sched-stats.counts").read_text().splitlines()])

    def test_time_off_the_cpu_is_that_of_perf_script(self):
        path = str(DATA / "off-cpu.data")
        fields = "comm,pid,tid,time,period,event,cgroup,ip"
        self.assertEqual(run("annotate", "-F", fields, path).stdout, (DATA / "off-cpu.chains").read_text())
        # perf script -D
        programs = [(r["bpf_program"], r["name"], r["value"])
                    for r in rows("info", "--json", "--records", path) if "bpf_program" in r]
        self.assertEqual(programs, [(f"bpf_prog_{program}", "perf_version", '"7.3.4"') for program in
                                    ("a7ea5d8379f9d277_on_newtask", "0f064dabdbf34f2d_on_switch",
                                     "5b211495d2780589_get_cgroup_id")])

    def test_all_words_of_an_attr_are_read(self):
        # The event has the options of `perf record`; perf 7.3 prints no config4. E_MACHINE: perf report --header-only.
        out = run("info", "-v", "--records", str(DATA / "config4.data")).stdout
        self.assertIn("e_machine : 62\n", out)
        self.assertRegex(out, "event : name = mine, .*size = 144, .*config4 = 0x5\n")

    def test_build_ids_are_those_of_what_was_mapped(self):
        # perf buildid-list of 7.3
        out = rows("info", "--json", "--records", str(DATA / "deferred-switches.data"))
        ids = {r["file"]: r["build_id"] for r in out if "file" in r and "build_id" in r}
        self.assertEqual(ids, BUILD_IDS)

    def test_raw_codes_become_names(self):
        # r11 and r08 are CPU_CYCLES and INST_RETIRED of the Arm architecture; counts: perf script.
        out = rows("annotate", "--format", "jsonl", str(DATA / "neoverse-n1.data"))
        counts = {}
        for row in out:
            counts[row["event"]] = counts.get(row["event"], 0) + 1
        self.assertEqual(counts, {"cpu_cycles": 239, "inst_retired": 119, "page-faults": 16})
        self.assertTrue(all(list(row) == SAMPLE_KEYS for row in out))
        self.assertEqual({row["event"]: (row["code"], row["attr"]) for row in out},
                         {"cpu_cycles": ("0x11", 0), "inst_retired": ("0x8", 1), "page-faults": ("0x2", 2)})

    def test_a_name_that_the_user_gave_is_kept(self):
        out = rows("annotate", "--json", str(DATA / "cortex-a72-system.data"))
        self.assertEqual({row["event"] for row in out}, {"cpu_cycles", "my_cycles", "context-switches"})
        self.assertEqual({row["cpu"] for row in out}, {0, 1})

    def test_a_file_cut_short_is_read_as_far_as_it_goes(self):
        whole = (DATA / "neoverse-n1.data").read_bytes()
        result = subprocess.run([EVNAME, "annotate", "-"], input=whole[:9000], capture_output=True)
        self.assertEqual(result.returncode, 1)
        self.assertGreater(len(result.stdout.splitlines()), 50)
        self.assertTrue(result.stderr.startswith(b"evname: warning: -: "), result.stderr)

    def test_the_file_is_a_column(self):
        path = str(DATA / "neoverse-n1.data")
        row = rows("annotate", "--json", "-F", "+file", path)[0]
        self.assertEqual((list(row), row["file"]), (SAMPLE_KEYS + ["file"], path))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
