#!/usr/bin/env python3
"""Whole outputs of evname stat and topdown on a faked machine (support/fake_counters.py) with two sockets: tests/data/stat-outputs.txt has
them, with N in place of what differs between runs. A row that begins with "$" is what perf stat 7.3 prints there, but for blanks,
the keys that evname adds to its JSON, and its notes; EVNAME_PERF_ORACLE has that perf. A row that begins with ">" is of
evname alone. Usage: stat_outputs_test.py EVNAME [--update]"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import live_topdown_test
from live_topdown_test import CYCLES, EVNAME, INSTRUCTIONS, MACHINES, PERF, fake_counters

EXPECTED = pathlib.Path(__file__).resolve().parents[1] / "data/stat-outputs.txt"
SLEEPERS = {"PID1": ["sleep", "600"], "PID2": ["cat"]}
# The socket, die, cluster and core of each CPU. Each has caches of level 1, each die has one of level 2, each socket of level 3.
PLACES = {0: (0, 0, 0, 0), 1: (0, 1, 1, 0), 2: (1, 0, 0, 8), 3: (1, 0, 0, 9)}
# As arch/x86/events names them: some of perf's own names are not among the PMU's.
EVENTS = {"cpu-cycles": "event=0x3c", "instructions": "event=0xc0", "branch-instructions": "event=0xc4", "branch-misses": "event=0xc5"}
POWER = {"type": "21", "cpumask": "0,2", "format/event": "config:0-7", "events/energy-pkg": "event=0x02",
         "events/energy-pkg.unit": "Joules", "events/energy-pkg.scale": "2.3283064365386962890625e-10"}
MEMORY = {"cpumask": "0,2", "format/event": "config:0-7", "format/umask": "config:8-15", "events/cas_count_read": "event=0x04,umask=0x03",
          "events/cas_count_read.unit": "MiB", "events/cas_count_read.scale": "6.103515625e-5"}
# What a second counts, by type and code of perf_event.h. Of caches a tenth is misses. Other events count their code times 1000.
COUNTS = {(0, 0): 3_000_000_000, (4, CYCLES): 3_000_000_000, (4, INSTRUCTIONS): 6_000_000_000, (0, 4): 500_000_000,
          (4, 0xC5): 10_000_000, (0, 7): 300_000_000, (0, 8): 600_000_000, (1, 0): 2_000_000_000, (1, 1): 2_000_000_000,
          (1, 2): 500, (1, 3): 4, (1, 4): 6, (1, 8): 0, (21, 2): 9_000_000_000}
# Of 12e9 slots, 20 % had no uop from the front end, 10 % as nothing came in that cycle; 50 % retired, 5 % in instructions of more
# uops; 5 % were lost, a fifth of that by machine clears; of the 25 % that the back end lost, 60 % waited for memory. Source: Intel's
# TMA metrics of Skylake-SP, skx_metrics.json of perf 7.3, with the codes of Intel's event list.
COUNTS |= {(4, code): count for code, count in {
    0x13C: 100_000_000, 0x23C: 100_000_000, 0x19C: 2_400_000_000, 0x400019C: 300_000_000, 0x2C2: 6_000_000_000, 0x4C2: 600_000_000,
    0x10E: 6_240_000_000, 0x10D: 90_000_000, 0x10401C3: 2_500_000, 0x140014A3: 1_000_000_000, 0x40A6: 200_000_000, 0x40004A3: 1_500_000_000,
    0x2A6: 200_000_000, 0x4A6: 200_000_000}.items()}
STEADY = {(1, 0), (1, 1), (0, 0), (4, CYCLES)}
MORE_OF_EACH_CPU = {(4, INSTRUCTIONS): 300_000_000}  # of others: 100
CACHES = 3  # PERF_TYPE_HW_CACHE
BUS_CYCLES, NEVER = (0, 6), 0x1FF  # is refused, gets no counter


def topology(cpu):
    """The files of a CPU: Documentation/ABI/stable/sysfs-devices-system-cpu."""
    socket, die, cluster, core = PLACES[cpu]
    like = {count: ",".join(str(other) for other, place in PLACES.items() if place[:count] == PLACES[cpu][:count]) for count in (1, 2, 4)}
    out = {"topology/physical_package_id": socket, "topology/die_id": die, "topology/cluster_id": cluster, "topology/core_id": core,
           "topology/core_cpus_list": like[4], "topology/thread_siblings_list": like[4], "topology/package_cpus_list": like[1],
           "topology/core_siblings_list": like[1], "topology/die_cpus_list": like[2], "topology/cluster_cpus_list": like[2]}
    for index, (level, kind, shared) in enumerate(((1, "Data", 4), (1, "Instruction", 4), (2, "Unified", 2), (3, "Unified", 1))):
        out |= {f"cache/index{index}/{key}": value for key, value in {
            "level": level, "type": kind, "shared_cpu_list": like[shared], "size": "32K", "coherency_line_size": 64,
            "number_of_sets": 64, "ways_of_associativity": 8}.items()}
    return {f"sys/devices/system/cpu/cpu{cpu}/{name}": str(value) for name, value in out.items()}


def files():
    out = live_topdown_test.files_of("two sockets")
    for cpu in PLACES:
        out |= topology(cpu)
    nodes = "sys/devices/system/node/"
    out |= {nodes + "online": "0-1", nodes + "possible": "0-1", nodes + "node0/cpulist": "0-1", nodes + "node1/cpulist": "2-3",
            "sys/devices/system/cpu/smt/active": "0"}
    out |= {f"{nodes}node{node}/meminfo": f"Node {node} MemTotal: 1024 kB\nNode {node} MemFree: 512 kB" for node in (0, 1)}
    devices = {"power": POWER} | {f"uncore_imc_{box}": MEMORY | {"type": str(30 + box)} for box in (0, 1)}
    return out | {f"sys/bus/event_source/devices/{pmu}/{name}": text for pmu, names in devices.items() for name, text in names.items()}


def shown(text):
    """An output without what differs between runs."""
    text = re.sub(r'("interval" ?: ?)[\d.]+', r"\g<1>0", text)
    text = re.sub(r"\b\d+\.\d{9}\b", lambda time: "N" * len(time[0]), text)
    text = re.sub(r"(time elapsed  \( \+- ) *[\d.]+%", r"\1N%", text)
    text = re.sub(r"# +[\d.]+ CPUs", "# N CPUs", text)
    text = re.sub(r"[\d.]+,CPUs", "N,CPUs", text)
    text = re.sub(r'[\d.]+("[ ,]+"metric-unit" ?: ?"CPUs )', r"N\1", text)
    text = re.sub(r"(?m)^(evname_running_seconds) \S+", r"\1 N", text)
    return text


def rows():
    """Each command with its kind and its output."""
    for part in re.split(r"(?m)^(?=[$>] )", EXPECTED.read_text())[1:]:
        line, _, text = part.partition("\n")
        yield line[0], line[2:], text


def words_of(text):
    """The words of each line, and the pairs of each JSON object."""
    lines = [line for line in text.splitlines() if line and not line.startswith(("evname: note", "libnuma"))]
    return [json.loads(line) if line.startswith("{") else line.split() for line in lines]


class Outputs(live_topdown_test.Case):
    def setUp(self):
        super().setUp()
        MACHINES["two sockets"] = (MACHINES["skylakex"][0], MACHINES["skylakex"][1],
                                   {"cpu": (live_topdown_test.INTEL, EVENTS, None, MACHINES["skylakex"][2]["cpu"][3])})
        self.addCleanup(MACHINES.pop, "two sockets")
        self.tree = self.machine("two sockets").folder
        fake_counters.write_tree(self.tree, files())
        for cpu in PLACES:  # perf looks for links
            pathlib.Path(self.tree, f"sys/devices/system/node/node{cpu // 2}/cpu{cpu}").symlink_to(f"../../cpu/cpu{cpu}")
        self.sleepers = {}
        for name, words in SLEEPERS.items():
            child = subprocess.Popen(words, stdin=subprocess.PIPE)
            self.sleepers[name] = str(child.pid)
            for clean_up in (child.wait, child.kill, child.stdin.close):
                self.addCleanup(clean_up)

    def two_sockets(self, grows):
        core = MACHINES["two sockets"][2]["cpu"][3]
        machine = fake_counters.Machine(self.tree, lambda events, kind: kind != core.number or core.fits(events))
        fits, share = machine.fits, machine.share
        machine.fits = lambda events, kind: fits(events, kind) and all((one.type, one.config) != BUS_CYCLES for one in events)
        machine.share = lambda group: 0 if any(one.config == NEVER for one in group) else share(group)
        machine.value = lambda one: self.count(machine, one, grows)
        return machine

    @staticmethod
    def count(machine, one, grows):
        """A CPU counts more than the one before it. The second counter of an event counts twice as much, but for clocks and
        unless `grows` is false."""
        place_and_code = lambda one: (one.type, one.config, one.config1, one.cpu)
        same = [other for other in machine.opened if place_and_code(other) == place_and_code(one)]
        code = one.type, one.config & 0xFFFFFFFF
        nth = 1 if code in STEADY or not grows else 1 + next(i for i, other in enumerate(same) if other is one)
        base = COUNTS.get(code, 1000 * (one.config & 0xFFFFF) + 100_000 * (one.type == 31))
        if one.type == CACHES:
            base = (10_000 if one.config >> 16 == 0 else 1000) * (1 + (one.config & 0xFF) + (one.config >> 8 & 0xFF))
        return base * nth + MORE_OF_EACH_CPU.get(code, 100) * max(one.cpu, 0)

    def output_of(self, program, line):
        for name, pid in self.sleepers.items():
            line = line.replace(name, pid)
        options, _, command = line.partition("--- ")
        words = shlex.split(options)
        is_tree = words[:1] == ["topdown"]
        machine = self.two_sockets(grows=not is_tree)
        done = machine.run(program, *([] if is_tree else ["stat"]), *words, *shlex.split(command),
                           env={**os.environ, "PERF_CPUID": MACHINES["two sockets"][0], "EVNAME_EVENTS": "", "LC_ALL": "C"})
        text = shown(done.stdout + done.stderr)
        for name, pid in self.sleepers.items():
            text = text.replace(f"-{pid:<7}", f"-{name:<7}").replace(pid, name)
        return text

    def test_outputs_are_as_expected(self):
        for _, line, text in rows():
            with self.subTest(line):
                self.assertEqual(self.output_of(EVNAME, line), text)

    # What perf stat 7.3 opens, but for `inherit` on CPUs, where nothing inherits: the place, "group" for a member, flags of the attr.
    OPENED = [
        ("-e cycles,r1:u", ["thread disabled inherit enable_on_exec", "thread disabled inherit exclude_kernel exclude_hv enable_on_exec"]),
        ("-e {cycles,r1}", ["thread disabled inherit enable_on_exec", "thread group inherit"]),
        ("-e {cycles,r1}:D", ["thread disabled inherit pinned enable_on_exec", "thread group inherit"]),
        ("--all-user -e cycles", ["thread disabled inherit exclude_kernel enable_on_exec"]),
        ("--all-kernel -e cycles:u", ["thread disabled inherit exclude_user exclude_hv enable_on_exec"]),
        ("-e cycles:H,r1:G", ["thread disabled inherit enable_on_exec exclude_guest", "thread disabled inherit enable_on_exec exclude_host"]),
        ("-i -e cycles", ["thread disabled enable_on_exec"]), ("-D 5 -e cycles", ["thread disabled inherit"]),
        ("-I 100 -e cycles", ["thread disabled inherit enable_on_exec"]), ("-p PID1 -e cycles", ["thread disabled inherit"]),
        ("-t PID1 -e cycles", ["thread disabled inherit"]), ("-p PID1,PID2 -e r1", ["thread disabled inherit"] * 2),
        ("-C 1-2 -e {cycles,r1}", ["CPU1 disabled", "CPU1 group", "CPU2 disabled", "CPU2 group"]),
        ("-a -e power/energy-pkg/", ["CPU0 disabled", "CPU2 disabled"]), ("-C 1,2 -e power/energy-pkg/", ["CPU2 disabled"]),
        ("-a -e r1 -G /", [f"CPU{cpu} cgroup disabled" for cpu in PLACES])]
    FLAGS = ("disabled inherit pinned exclusive exclude_user exclude_kernel exclude_hv exclude_idle mmap comm freq inherit_stat enable_on_exec task "
             "watermark precise1 precise2 mmap_data sample_id_all exclude_host exclude_guest").split()

    def opened_by(self, program, options):
        machine = self.two_sockets(grows=True)
        for name, pid in self.sleepers.items():
            options = options.replace(name, pid)
        words = ["stat", *options.split(), "--", "true"]
        done = machine.run(program, *words, env={**os.environ, "PERF_CPUID": MACHINES["two sockets"][0], "EVNAME_EVENTS": ""})
        self.assertEqual(done.returncode, 0, done.stderr)
        for one in machine.opened:
            place = "thread" if one.cpu < 0 else f"CPU{one.cpu}" + (" cgroup" if one.flags & 4 else "")  # PERF_FLAG_PID_CGROUP
            flags = [name for at, name in enumerate(self.FLAGS) if one.bits >> at & 1 and (name != "inherit" or one.cpu < 0)]
            yield " ".join([place, *(["group"] if one.group >= 0 else []), *flags])

    def test_counters_are_opened_like_those_of_perf(self):
        for options, expected in self.OPENED:
            for program in [EVNAME, *([PERF] if PERF.exists() else [])]:
                with self.subTest(options, program=str(program)):
                    self.assertEqual([*self.opened_by(program, options)], expected)

    RECORDED = ("-e cycles,r1,r2,r3,r4,r5,task-clock --- true", "-a -A -e cycles,power/energy-pkg/ --- true", "-a --per-core -e cycles,r1 --- true",
                "-a --per-die -e cycles,r1ff --- true", "-a --per-socket -e cycles,r1,r2,r3,r4,r5 --- true", "-a -I 100 --interval-count 2 -e cycles,r1",
                "-a -A -I 100 --interval-count 1 -e cycles,r1", "-p PID1 -e cycles,r1 --timeout 100")

    def test_recorded_counts_are_those_that_were_shown(self):
        for options in self.RECORDED:
            with self.subTest(options), tempfile.TemporaryDirectory() as folder:
                file = os.path.join(folder, "counts")
                told = self.output_of(EVNAME, f"record -o {file} -x, {options}")
                self.assertEqual(self.output_of(EVNAME, f"report -i {file} -x,"), told)
                text = words_of(self.output_of(EVNAME, f"report -i {file}"))
                self.assertEqual(len(text), len(told.splitlines()) + (1 if "-I" in options else 2))
                # perf 7.3 adds up the counters and counts of intervals, has rows for CPUs that a PMU does not count on, and knows
                # no command of -p.
                if PERF.exists() and not re.search("-I|-p PID|r1ff|power", options):
                    self.assertEqual(text, words_of(self.output_of(PERF, f"report -i {file}")))

    @unittest.skipUnless(PERF.exists(), "EVNAME_PERF_ORACLE has no perf")
    def test_they_are_those_of_perf(self):
        for kind, line, text in rows():
            if kind == ">":
                continue
            with self.subTest(line):
                own, theirs = words_of(text), words_of(self.output_of(PERF, line))
                if len(own) == len(theirs):
                    own = [{key: value for key, value in one.items() if key in other} if isinstance(one, dict) else one
                           for one, other in zip(own, theirs)]
                self.assertEqual(own, theirs)

    def update(self):
        head = EXPECTED.read_text().partition("\n$")[0]
        EXPECTED.write_text(head + "\n" + "".join(f"{kind} {line}\n{self.output_of(EVNAME, line)}" for kind, line, _ in list(rows())))


if __name__ == "__main__":
    if "--update" in sys.argv:
        case = Outputs("update")
        case.setUp()
        case.update()
        case.doCleanups()
    else:
        unittest.main(argv=sys.argv[:1])
