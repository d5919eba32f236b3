#!/usr/bin/env python3
"""Live top-down trees on machines that are not here: evname topdown and evname stat --topdown count on a faked kernel
(support/fake_counters.py) that has the PMUs of an Intel, AMD or Arm machine, and gives each event a count of its own. Where
EVNAME_PERF_ORACLE has a perf 7.3, columns and values are compared with perf stat's. Usage: live_topdown_test.py EVNAME"""

import csv
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import fake_counters

EVNAME = sys.argv[1]
PERF = pathlib.Path(os.environ.get("EVNAME_PERF_ORACLE", "/nonexistent"), "perf")

# Format fields and events as the kernel has them: arch/x86/events/intel/core.c, amd/core.c, drivers/perf/arm_pmuv3.c.
INTEL = {"event": "config:0-7", "umask": "config:8-15", "edge": "config:18", "any": "config:21", "inv": "config:23", "cmask": "config:24-31",
         "offcore_rsp": "config1:0-63", "ldlat": "config1:0-15", "frontend": "config1:0-23"}
AMD = {"event": "config:0-7,32-35", "umask": "config:8-15", "edge": "config:18", "inv": "config:23", "cmask": "config:24-31"}
ARM = {"event": "config:0-15"}
GENERIC = {"cpu-cycles": "event=0x3c", "instructions": "event=0xc0"}
PARTS = {"retiring": 0x80, "bad-spec": 0x81, "fe-bound": 0x82, "be-bound": 0x83, "heavy-ops": 0x84, "br-mispredict": 0x85,
         "fetch-lat": 0x86, "mem-bound": 0x87}
SLOTS = {"slots": "event=0x00,umask=0x4", **{f"topdown-{name}": f"event=0x00,umask={umask:#x}" for name, umask in PARTS.items()}}
SLOTS_CODE = 0x400
ANY_THREAD = 1 << 21  # fixed counters count with it, too


def is_part(event):
    return 0x8000 <= event.config <= 0x8700 and event.config & 0xFF == 0


def needs_counter(codes, fixed):
    """The codes that need a general counter: each fixed counter takes one event of its code."""
    left = [code & ~ANY_THREAD for code in codes]
    for code in fixed:
        if code in left:
            left.remove(code)
    return left


class Pmu:
    """A core PMU: its number, general counters, the codes that fixed counters count."""

    def __init__(self, number, counters, fixed=(), has_parts=False):
        self.number, self.counters, self.fixed, self.has_parts = number, counters, fixed, has_parts

    def fits(self, events):
        """The parts of the slots need no counter, but the slots in the same group."""
        codes = [event.config for event in events]
        if self.has_parts:
            if any(map(is_part, events)) and SLOTS_CODE not in codes:
                return False
            codes = [event.config for event in events if not is_part(event)]
        return len(needs_counter(codes, self.fixed)) <= self.counters

    def fewest(self, events):
        """How many groups the events need at least, if they are each counted once."""
        codes = {(event.config, event.config1) for event in events if not (self.has_parts and is_part(event))}
        left = needs_counter([code for code, _ in codes], self.fixed)
        return max(1, -(-len(left) // self.counters))


CYCLES, INSTRUCTIONS, REFERENCE = 0x3C, 0xC0, 0x300
FIXED = (INSTRUCTIONS, CYCLES, REFERENCE)
MACHINES = {  # its CPUID for perf, vendor, family, model, stepping, PMUs: fields, events, CPUs, and what they count
    "skylakex": ("GenuineIntel-6-55-4", ("GenuineIntel", 6, 85, 4), {"cpu": (INTEL, GENERIC, None, Pmu(4, 4, FIXED))}),
    "sapphirerapids": ("GenuineIntel-6-8F-8", ("GenuineIntel", 6, 143, 8),
                       {"cpu": (INTEL, GENERIC | SLOTS, None, Pmu(4, 8, (*FIXED, SLOTS_CODE), True))}),
    "alderlake": ("GenuineIntel-6-97-2", ("GenuineIntel", 6, 151, 2),
                  {"cpu_core": (INTEL, GENERIC | SLOTS, "0-1", Pmu(4, 8, (*FIXED, SLOTS_CODE), True)),
                   "cpu_atom": (INTEL, GENERIC, "2-3", Pmu(10, 6, FIXED))}),
    "amdzen4": ("AuthenticAMD-25-61-2", ("AuthenticAMD", 25, 97, 2), {"cpu": (AMD, {"cpu-cycles": "event=0x76"}, None, Pmu(4, 6))}),
    "neoverse-n1": ("0x00000000410fd0c0", None, {"armv8_pmuv3_0": (ARM, {"cpu_cycles": "event=0x11"}, "0-3", Pmu(8, 6))}),
}
# Four CPUs, two threads each core but on Arm.
CPUS = range(4)


def cpuinfo(vendor, family, model, stepping):
    return "\n\n".join(f"processor\t: {cpu}\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: fake\n"
                       f"stepping\t: {stepping}\nphysical id\t: 0\ncore id\t\t: {cpu // 2}" for cpu in CPUS)


def files_of(name):
    cpuid, identity, pmus = MACHINES[name]
    cpu_folder = "sys/devices/system/cpu/"
    files = {cpu_folder + kind: "0-3" for kind in ("online", "present", "possible")}
    files |= {cpu_folder + "smt/active": "1" if identity else "0", "sys/devices/system/node/node0/cpulist": "0-3",
              "sys/devices/system/node/online": "0", "sys/bus/event_source/devices/software/type": "1"}
    for cpu in CPUS:
        at = f"{cpu_folder}cpu{cpu}/"
        pair = f"{cpu // 2 * 2}-{cpu // 2 * 2 + 1}" if identity else str(cpu)
        files |= {f"{at}topology/{key}": text for key, text in {
            "physical_package_id": "0", "die_id": "0", "core_id": str(cpu // 2 if identity else cpu), "core_cpus_list": pair,
            "thread_siblings_list": pair, "package_cpus_list": "0-3", "core_siblings_list": "0-3", "die_cpus_list": "0-3"}.items()}
        if not identity:
            files[at + "regs/identification/midr_el1"] = cpuid
    for pmu, (fields, events, cpus, counts) in pmus.items():
        at = f"sys/bus/event_source/devices/{pmu}/"
        files |= {at + "type": str(counts.number), **({at + "cpus": cpus} if cpus else {})}
        files |= {f"{at}format/{key}": text for key, text in fields.items()}
        files |= {f"{at}events/{key}": text for key, text in events.items()}
    files["sys/bus/event_source/devices/msr/type"] = "20"
    files["sys/bus/event_source/devices/msr/format/event"] = "config:0-63"
    files["sys/bus/event_source/devices/msr/events/tsc"] = "event=0x00"
    if identity:
        files["cpuinfo"] = cpuinfo(*identity)
    return files


def shares_of(text):
    return {name: float(value) for name, value in re.findall(r"(?m)^ *(\w+) +(-?[\d.]+) % of ", text)}


class Case(unittest.TestCase):
    def setUp(self):
        why = fake_counters.why_not()
        if why:
            self.skipTest(why)

    def machine(self, name):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        fake_counters.write_tree(folder.name, files_of(name))
        pmus = {pmu[3].number: pmu[3] for pmu in MACHINES[name][2].values()}
        return fake_counters.Machine(folder.name, lambda events, kind: kind not in pmus or pmus[kind].fits(events))

    def run_evname(self, machine, *words, code=0):
        done = machine.run(EVNAME, *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr


class Dies(Case):
    # Names of perf 7.3's print_aggr: cores and dies of a socket, each with the number of its counters.
    def test_parts_are_of_their_own_die(self):
        machine = self.machine("skylakex")
        for cpu in (2, 3):
            pathlib.Path(machine.folder, f"sys/devices/system/cpu/cpu{cpu}/topology/die_id").write_text("1\n")
        for option, parts in (("--per-die", {"S0-D0": 2, "S0-D1": 2}), ("--per-core", {"S0-D0-C0": 2, "S0-D1-C1": 2}),
                              ("--per-socket", {"S0": 4})):
            told = self.run_evname(machine, "stat", "-a", option, "-x,", "-e", "instructions", "--", "true")
            self.assertEqual({part: int(counters) for part, counters in re.findall(r"(?m)^(S[^,]+),(\d+),\d+,", told)}, parts, told)


class Snapshots(Case):
    # OpenMetrics: a counter never goes back. Estimates of an event that shares its counter may.
    def test_counters_do_not_go_back(self):
        machine = self.machine("skylakex")
        counts = [5000, 4000, 7000, 6000, 6500]

        def value(event):
            reads = max(machine.reads.values())
            return (counts[min(reads, len(counts)) - 1] + 0.5) / reads
        machine.value = value
        told = self.run_evname(machine, "stat", "--openmetrics", "-I", "50", "-e", "instructions", "--", "sleep", "0.6")
        shown = [float(number) for number in re.findall(r"(?m)^evname_instructions_total\{.*\} ([0-9.e+]+)$", told)]
        self.assertGreater(len(shown), 4, told)
        self.assertEqual(shown, sorted(shown))
        self.assertEqual(max(shown), 7000)


class Topdown(Case):
    # Machine, options, the groups of each core PMU.
    GROUPS = [
        ("skylakex", ["-l", "1"], [2]),
        ("skylakex", ["-l", "1", "-C", "0-1"], [2]),  # one on each CPU: whole cores need fewer events
        ("skylakex", [], [4]),
        ("skylakex", ["-l", "6"], None),
        ("sapphirerapids", ["-l", "1"], [1]),
        ("sapphirerapids", [], [1]),
        ("alderlake", [], [1, 2]),
        ("amdzen4", ["-l", "1"], [1]),
        ("amdzen4", [], [2]),
        ("neoverse-n1", [], [1]),
    ]

    def test_as_few_groups_as_the_counters_allow(self):
        for name, options, expected in self.GROUPS:
            with self.subTest(name, options=options):
                machine = self.machine(name)
                self.run_evname(machine, "topdown", *options, "--", "true", code=0)
                groups = []
                for pmu in (pmu[3] for pmu in MACHINES[name][2].values()):
                    all_groups = [group for group in machine.leaders.values() if group[0].type == pmu.number]
                    groups.append(len(all_groups))
                    for cpu in {group[0].cpu for group in all_groups}:
                        own = [group for group in all_groups if group[0].cpu == cpu]
                        events = [event for group in own for event in group]
                        codes = [(event.config, event.config1) for event in events]
                        self.assertEqual(len(codes), len(set(codes)), "an event is counted twice")
                        # Some events have a counter less to choose from, so that many groups may be one more.
                        self.assertLessEqual(len(own), pmu.fewest(events) + (len(own) > 4), groups)
                        if pmu.has_parts:
                            (leading,) = [group for group in own if any(map(is_part, group))]
                            self.assertEqual(leading[0].config, SLOTS_CODE)
                if expected:
                    self.assertEqual(groups, expected)

    def test_the_share_of_the_time_is_that_of_the_groups(self):
        for name, options, share in (("skylakex", [], "25"), ("amdzen4", [], "50")):
            text = self.run_evname(self.machine(name), "topdown", *options, "--", "true")
            self.assertIn(f"counted {share} % of the time", text)
        for name in ("sapphirerapids", "neoverse-n1"):
            self.assertNotIn("of the time", self.run_evname(self.machine(name), "topdown", "--", "true"))

    # 6,000 slots; the parts are shares of their sum. Intel, SDM volume 3, "Performance Metrics", and TMA 5.2.
    def test_values_are_those_of_the_register(self):
        machine = self.machine("sapphirerapids")
        parts = {"retiring": 3000, "bad-spec": 600, "fe-bound": 900, "be-bound": 1500, "heavy-ops": 1200, "br-mispredict": 480,
                 "fetch-lat": 300, "mem-bound": 1050}
        codes = {PARTS[name] << 8: count for name, count in parts.items()} | {SLOTS_CODE: 6000, 0x10AD: 0}
        machine.value = lambda event: codes[event.config]
        shares = shares_of(self.run_evname(machine, "topdown", "--all", "--", "true"))
        self.assertEqual({name: shares["tma_" + name] for name in (
            "retiring", "bad_speculation", "frontend_bound", "backend_bound", "heavy_operations", "light_operations",
            "branch_mispredicts", "machine_clears", "fetch_latency", "fetch_bandwidth", "memory_bound", "core_bound")}, {
            "retiring": 50, "bad_speculation": 10, "frontend_bound": 15, "backend_bound": 25, "heavy_operations": 20,
            "light_operations": 30, "branch_mispredicts": 8, "machine_clears": 2, "fetch_latency": 5, "fetch_bandwidth": 10,
            "memory_bound": 17.5, "core_bound": 7.5})

    def test_drill_counts_one_group_at_a_time(self):
        for name in MACHINES:
            with self.subTest(name):
                machine = self.machine(name)
                text = self.run_evname(machine, "topdown", "--drill", "--", "true")
                runs = re.findall(r"note: run (\d+) counted ", text)
                self.assertGreater(len(runs), 1 if name != "neoverse-n1" else 0)
                self.assertEqual(set(machine.shares.values()), {1})
                self.assertNotIn("of the time", text)
                types = [group[0].type for group in machine.leaders.values()]
                self.assertEqual(len(runs), max(types.count(kind) for kind in set(types)))  # both kinds of core in a run

    def test_intervals_have_a_tree_each(self):
        machine = self.machine("amdzen4")
        text = self.run_evname(machine, "topdown", "-l", "1", "-a", "-I", "50", "--csv", "--", "sleep", "1")
        rows = [row for row in csv.DictReader(text.splitlines()) if row["node"] == "retiring"]
        self.assertGreater(len(rows), 2)
        self.assertEqual(len({row["value"] for row in rows}), 1)  # the fake counts as much in each
        self.assertEqual({row["running"] for row in rows}, {"1.000000"})

    def test_a_branch_counts_its_events_alone(self):
        machine = self.machine("sapphirerapids")
        self.run_evname(machine, "topdown", "-l", "1", "--node", "fetch_latency", "--", "true")
        below = {event.config for event in machine.opened}
        machine = self.machine("sapphirerapids")
        self.run_evname(machine, "topdown", "-l", "3", "--", "true")
        self.assertLess(below, {event.config for event in machine.opened})

    def test_cpus_have_the_tree_of_their_kind(self):
        machine = self.machine("alderlake")
        text = self.run_evname(machine, "topdown", "-l", "1", "-a", "-A", "--csv", "--", "true")
        rows = list(csv.DictReader(text.splitlines()))
        self.assertEqual({(row["place"], row["pmu"]) for row in rows},
                         {("CPU0", "cpu_core"), ("CPU1", "cpu_core"), ("CPU2", "cpu_atom"), ("CPU3", "cpu_atom")})
        self.assertTrue(all(row["value"] for row in rows))
        self.assertEqual({(event.cpu, event.type) for event in machine.opened}, {(0, 4), (1, 4), (2, 10), (3, 10)})

    def test_cpus_are_in_the_order_of_their_numbers(self):
        machine = self.machine("skylakex")
        cpus = "sys/devices/system/cpu/"
        fake_counters.write_tree(machine.folder, {cpus + kind: "0-11" for kind in ("online", "present", "possible")} | {
            f"{cpus}cpu{cpu}/topology/{key}": text for cpu in range(12) for key, text in (
                ("physical_package_id", "0"), ("die_id", "0"), ("core_id", str(cpu)), ("core_cpus_list", str(cpu)))})
        for option, name in (("-A", "CPU"), ("--per-core", "S0-D0-C")):
            text = self.run_evname(machine, "topdown", "-l", "1", "-a", option, "--csv", "--", "true")
            places = dict.fromkeys(row["place"] for row in csv.DictReader(text.splitlines()))
            self.assertEqual([*places], [f"{name}{number}" for number in range(12)])

    def test_each_output_has_the_same_values(self):
        machine = self.machine("alderlake")
        text = self.run_evname(machine, "topdown", "--all", "--", "true")
        objects = [json.loads(line) for line in self.run_evname(machine, "topdown", "--json", "--", "true").splitlines() if line]
        rows = list(csv.DictReader(self.run_evname(machine, "topdown", "--csv", "--", "true").splitlines()))
        values = {(row["pmu"], row["node"]): round(row["value"], 1) for row in objects}
        self.assertEqual({(row["pmu"], row["node"]): round(float(row["value"]), 1) for row in rows}, values)
        for pmu in ("cpu_core", "cpu_atom"):
            own = text.split(f"{pmu}:\n")[1].split("\n\n")[0]
            self.assertEqual(shares_of(own), {node: value for (of, node), value in values.items() if of == pmu})


class Names(Case):
    # What perf stat 7.3 prints on this machine.
    HYBRID = [("cycles", ["cpu_atom/cycles/", "cpu_core/cycles/"]), ("cpu-cycles", ["cpu_atom/cpu-cycles/", "cpu_core/cpu-cycles/"]),
              ("INSTRUCTIONS:u", ["cpu_atom/INSTRUCTIONS/u", "cpu_core/INSTRUCTIONS/u"]),
              ("inst_retired.any", ["cpu_atom/inst_retired.any/", "cpu_core/inst_retired.any/"]),
              ("INST_RETIRED.ANY:u", ["cpu_atom/INST_RETIRED.ANY/u", "cpu_core/INST_RETIRED.ANY/u"]), ("r3c", ["cpu_core/r3c/"]),
              ("slots", ["cpu_core/slots/"]), ("cpu_core/slots/", ["cpu_core/slots/"]), ("cpu_atom/event=0x3c,name=x/", ["x"]),
              ("{cycles,instructions}:u", ["cpu_atom/cycles/", "cpu_atom/instructions/", "cpu_core/cycles/", "cpu_core/instructions/"]),
              ("page-faults", ["page-faults"])]

    def test_events_of_several_core_pmus_are_told_apart(self):
        machine = self.machine("alderlake")
        for events, expected in self.HYBRID:
            for program in [EVNAME, *([PERF] if PERF.exists() else [])]:
                with self.subTest(events, program=str(program)):
                    done = machine.run(program, "stat", "-x", ";", "-e", events, "--", "true",
                                       env={**os.environ, "PERF_CPUID": MACHINES["alderlake"][0]})
                    self.assertEqual([line.split(";")[2] for line in done.stderr.splitlines() if line.count(";") > 5], expected)


class NoCorePmu(Case):
    def setUp(self):
        super().setUp()
        MACHINES["guest"] = (*MACHINES["skylakex"][:2], {})
        self.addCleanup(MACHINES.pop, "guest")
        self.guest = self.machine("guest")

    def test_nothing_runs(self):
        for options in ([], ["--drill"], ["--json"], ["-a"]):
            told = self.run_evname(self.guest, "topdown", *options, "--", "sh", "-c", "echo ran >&2", code=2)
            self.assertRegex(told, r"\Aevname: this (virtual )?machine has no core PMU; `evname record -e cpu-clock .*\n\Z")

    def test_names_are_looked_up_without_warnings(self):
        for words in (["list"], ["schedule", "inst_retired.any"], ["metrics"], ["metrics", "--show", "tma_retiring"]):
            self.assertEqual(self.run_evname(self.guest, *words), "", words)


class Stat(Case):
    # PERF_METRICS has all of level 2, and an event that two nodes need is counted once.
    def test_a_level_is_one_group_where_that_fits(self):
        for name, options in (("sapphirerapids", ["--td-level", "2"]), ("alderlake", ["--td-level", "2", "--cputype", "core"]),
                              ("amdzen4", []), ("neoverse-n1", [])):
            with self.subTest(name):
                machine = self.machine(name)
                self.run_evname(machine, "stat", "--topdown", *options, "--", "true")
                self.assertEqual(len(machine.leaders), 1)
                self.assertEqual(set(machine.shares.values()), {1})

    def test_a_core_has_no_value_of_another_kind(self):
        machine = self.machine("alderlake")
        text = self.run_evname(machine, "stat", "--topdown", "-a", "-A", "-x,", "--", "true")
        rows = list(csv.reader(text.splitlines()))
        self.assertEqual(len(set(rows[0])), len(rows[0]))  # a name for each column, and nothing behind the last
        for row in rows[1:]:
            own = " (cpu_core)" if row[0] in ("CPU0", "CPU1") else " (cpu_atom)"
            self.assertEqual({name for name, value in zip(rows[0], row) if value and name != "cpu"},
                             {name for name in rows[0] if name.endswith(own)})

    # perf, util/cputopo.c: a core is counted as a whole if all its threads are.
    def test_whole_cores_are_counted_by_whole_core_events(self):
        for options, is_whole in ((["-a"], True), (["-C", "0-1"], True), (["-C", "0,2"], False), ([], False)):
            machine = self.machine("skylakex")
            self.run_evname(machine, "stat", "--topdown", *options, "--", "true")
            self.assertEqual(any(event.config == CYCLES | ANY_THREAD for event in machine.opened), is_whole, options)


class Watchdog(Case):
    """With kernel.nmi_watchdog 1 a watchdog counts cycles on a counter of each CPU, or takes none: "buddy" watches neighbours, and
    on arm64 there may be no NMI."""

    CYCLES_OF = {"skylakex": CYCLES, "amdzen4": 0x76, "neoverse-n1": 0x11}

    def machine_with(self, name, counts):
        machine = self.machine(name)
        fake_counters.write_tree(machine.folder, {fake_counters.WATCHDOG: "1"})
        ((_, _, _, pmu),) = MACHINES[name][2].values()
        as_core = lambda one: one._replace(config=self.CYCLES_OF[name]) if one.type == 0 else one
        machine.fits = lambda events, kind: kind not in (0, pmu.number) or pmu.fits([as_core(one) for one in events])
        if counts:
            machine.watchdog = fake_counters.Opened(pmu.number, self.CYCLES_OF[name], 0, 0, 0, -1, -1, 0, 0, 0, 4, 0)
        return machine

    def groups(self, machine):
        return [group for group in machine.leaders.values() if group[0].type not in (0, 1)]

    def test_groups_have_the_counters_that_are_there(self):
        gained = 0
        for name in self.CYCLES_OF:
            for words in (["topdown", "-l", "1"], ["topdown"], ["stat", "--topdown"], ["topdown", "--drill"]):
                with self.subTest(name, words=words):
                    plain, buddy, counting = self.machine(name), self.machine_with(name, False), self.machine_with(name, True)
                    for machine in (plain, buddy, counting):
                        self.run_evname(machine, *words, "--", "true")
                    codes = [[[event.config for event in group] for group in self.groups(machine)] for machine in (plain, buddy)]
                    self.assertEqual(*codes)
                    for group in self.groups(counting):
                        self.assertTrue(counting.fits([*group, counting.watchdog], group[0].type))
                    gained += len(self.groups(counting)) > len(self.groups(buddy))
        self.assertGreater(gained, 0)

    def test_the_schedule_says_the_same(self):
        events = [f"r{code}" for code in range(10, 16)]
        for counts, groups in ((False, 1), (True, 2)):
            machine = self.machine_with("amdzen4", counts)
            done = machine.run(EVNAME, "schedule", "--json", *events)
            found = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual(len({row["group"] for row in found if "group" in row}), groups, done.stdout + done.stderr)

    def test_nobody_is_told_to_free_a_counter_that_is_free(self):
        for counts in (False, True):
            machine = self.machine_with("amdzen4", counts)
            done = machine.run(EVNAME, "stat", "-e", "{" + ",".join(f"r{code}" for code in range(1, 9)) + "}", "--", "true")
            self.assertIn("can't count it together", done.stderr)
            self.assertEqual("nmi_watchdog" in done.stderr, counts, done.stderr)


class Figures(Case):
    """Beside perf's default events: value and unit of perf's metrics, arch/common/common/metrics.json of perf 7.3."""

    SOFTWARE = {1: 2_000_000_000, 3: 4, 4: 6, 2: 500}  # task-clock in ns, context-switches, cpu-migrations, page-faults
    HARDWARE = {0: 3_000_000_000, 1: 6_000_000_000, 4: 500_000_000, 5: 10_000_000, 7: 300_000_000, 8: 600_000_000}
    EXPECTED = {"context-switches": (2, "cs/sec  cs_per_second"), "cpu-migrations": (3, "migrations/sec  migrations_per_second"),
                "page-faults": (250, "faults/sec  page_faults_per_second"), "instructions": (2, "instructions  insn_per_cycle"),
                "cycles": (1.5, "GHz  cycles_frequency"), "stalled-cycles-frontend": (0.1, "frontend_cycles_idle"),
                "stalled-cycles-backend": (0.2, "backend_cycles_idle"), "branches": (250, "M/sec  branch_frequency"),
                "branch-misses": (2, "%  branch_miss_rate")}

    def ask(self, *words):
        machine = self.machine("neoverse-n1")
        counts = {0: self.HARDWARE, 1: self.SOFTWARE}
        machine.value = lambda event: counts.get(event.type, {}).get(event.config, 1)
        return self.run_evname(machine, "stat", *words, "--", "true")

    def test_each_format_has_them(self):
        rows = [json.loads(line) for line in self.ask("-j").splitlines() if line.startswith("{")]
        found = {row["event"].removesuffix(":u"): (float(row["metric-value"]), row["metric-unit"]) for row in rows if "metric-unit" in row}
        for event, (value, unit) in self.EXPECTED.items():
            self.assertAlmostEqual(found[event][0], value, msg=event)
            self.assertEqual(found[event][1], unit)
        self.assertEqual(found["task-clock"][1], "CPUs  CPUs_utilized")
        rows = {row[2].removesuffix(":u"): row for row in csv.reader(self.ask("-x,").splitlines())}
        text = self.ask()
        for event, (value, unit) in self.EXPECTED.items():
            digits = f"{value:.{1 if '  ' in unit else 2}f}"
            self.assertEqual(rows[event][5:], [digits, unit])
            self.assertRegex(text, rf"(?m) {event}(:u)? +# +{digits} {unit}$")

    def test_events_that_are_named_have_none(self):
        rows = list(csv.reader(self.ask("-x,", "-e", "instructions,cycles,task-clock").splitlines()))
        self.assertEqual([row[5:] for row in rows], [["", ""]] * 3)


@unittest.skipUnless(PERF.exists(), "EVNAME_PERF_ORACLE has no perf")
class BesidePerf(Case):
    OPTIONS = ["", "--td-level 2", "-a", "-a -C 0-1", "-a -C 0,2", "-a --per-core", "-a --per-socket", "-a --per-die", "-a -A", "--all-user", "--all-kernel",
               "--metric-no-group", "-r 2"]

    def columns(self, text, form):
        """{column: value} of each line of counts."""
        if form == "-j":
            return [{name: str(value) for name, value in json.loads(line).items()} for line in text.splitlines() if line.startswith("{")]
        names, *rows = csv.reader(line for line in text.splitlines() if line)
        return [dict(zip(names, row)) for row in rows]

    def ask(self, name, words, command=("true",)):
        out = []
        for program in (EVNAME, str(PERF)):
            machine = self.machine(name)
            done = machine.run(program, "stat", "--topdown", *words, "--", *command, env={**os.environ, "PERF_CPUID": MACHINES[name][0]})
            self.assertEqual(done.returncode, 0, done.stderr)
            out.append((machine, done.stderr))
        return out

    # The counts of the fake don't change, but multiplexing does; perf opens more groups where an event needs no counter.
    def test_columns_and_values(self):
        for name in ("skylakex", "sapphirerapids"):
            for options in self.OPTIONS:
                for form in ("-x,", "-j"):
                    with self.subTest(name, options=options, form=form):
                        (_, own), (_, theirs) = self.ask(name, [*options.split(), form])
                        own, theirs = self.columns(own, form), self.columns(theirs, form)
                        self.assertEqual([set(row) for row in own], [set(row) for row in theirs])
                        for mine, other in zip(own, theirs):
                            for column in mine:
                                if mine[column].startswith("-"):  # perf takes the sign for the end of the number
                                    self.assertIn(other[column], ("", "none"))
                                elif re.fullmatch(r"-?[\d.]+", mine[column]):
                                    self.assertAlmostEqual(float(mine[column]), float(other[column]), delta=0.11, msg=column)
                                else:
                                    self.assertEqual(mine[column], other[column])

    def test_texts_have_the_same_columns(self):
        for options in ("", "-a --per-core", "-a -A", "-a -I 300 --interval-count 2 --summary", "--for-each-cgroup / -a"):
            with self.subTest(options):
                (_, own), (_, theirs) = self.ask("sapphirerapids", options.split(), ("sleep", "0.8" if "-I" in options else "0"))
                shapes = [[re.sub(r"\d+\.\d{9}", "TIME", " ".join(sorted(line.split()))) for line in text.splitlines()
                           if "tma" in line or re.search(r"\d\.\d +\d+\.\d ", line)] for text in (own, theirs)]
                self.assertEqual(shapes[0], shapes[1])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
