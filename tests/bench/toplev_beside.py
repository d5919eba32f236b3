#!/usr/bin/env python3
"""Runs toplev and evname topdown on the same counts, compares the values of all nodes, and how much CPU time each takes.
toplev counts nothing: --print says which events it would count, and --import reads counts of them that are made up here.
Usage: toplev_beside.py EVNAME PMU_TOOLS PERFMON [INTERVALS]
PMU_TOOLS is a checkout of github.com/andikleen/pmu-tools, PERFMON one of github.com/intel/perfmon. No other program is run
while this measures."""

import csv
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile

# The model, its folder and event files in PERFMON, toplev's name, family 6 model and stepping, variables.
MODELS = [
    ("skylakex", "SKX/events/skylakex", "skx", 85, 4, {}),
    ("sapphirerapids", "SPR/events/sapphirerapids", "spr", 143, 8, {"FORCEMETRICS": "1"}),
]
FIELDS = ["event", "umask", "edge", "any", "inv", "cmask", "offcore_rsp", "frontend", "ldlat"]
CLOCKS = 100_000_000  # of an interval
FACTS = {"smt_on": 0, "core_wide": 1, "has_pmem": 0, "system_tsc_freq": 1_000_000_000}
# Models, nodes and why they differ. toplev's file says of itself that it is of TMA 5.1.
FP16 = "toplev leaves out the half-precision operations, which other events count"
OLDER = "toplev's formula is of TMA 5.1"
REASONS = {("sapphirerapids", f"tma_{node}"): why for nodes, why in [
    ("fp_arith fp_scalar fp_vector fp_vector_128b fp_vector_256b other_light_ops", FP16),
    ("l2_hit_latency l3_hit_latency local_mem remote_mem lock_latency mem_bandwidth mem_latency split_loads", OLDER),
    ("cxl_mem_bound", "toplev takes it for granted that there is such memory"),
] for node in nodes.split()}


def cpu_seconds(words, **how):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, capture_output=True, encoding="utf-8", **how)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Toplev:
    """toplev of a CPU without SMT: on one with SMT it counts each thread of a core, and shows cores."""

    def __init__(self, folder, tools, perfmon, model):
        _, events, short, number, stepping, variables = model
        cpuinfo = folder / "cpuinfo"
        cpuinfo.write_text(f"processor: 0\nvendor_id: GenuineIntel\ncpu family: 6\nmodel: {number}\nstepping: {stepping}\n"
                           "physical id: 0\ncore id: 0\nsiblings: 1\ncpu cores: 1\nflags: fpu\n")
        sysfs = folder / "sysfs"
        sysfs.write_text("".join(f"/sys/bus/event_source/devices/cpu/format/{field}\n" for field in FIELDS))
        perf = folder / "perf"
        perf.write_text("#!/bin/sh\nexit 1\n")
        perf.chmod(0o755)
        self.how = {"env": {**os.environ, "PERF": str(perf), "TOPOLOGY": str(sysfs), "FORCEHT": "0", "EVENTMAP": f"{perfmon / events}_core.json",
                            "UNCORE": f"{perfmon / events}_uncore.json", **variables}}
        self.words = [sys.executable, str(tools / "toplev.py"), "--force-cpu", short, "--force-cpuinfo", str(cpuinfo),
                      "--force-events", "--force-topology", str(sysfs), "--no-uncore", "-l6", "-I", "100", "-v", "-x,"]

    def events(self):
        done, _ = cpu_seconds([*self.words, "--print", "--", "true"], **self.how)
        found = re.search(r" -e '?(.*?)'? true$", done.stdout, re.M)
        if not found:
            sys.exit(f"toplev names no events:\n{done.stdout[-500:]}{done.stderr[-500:]}")
        return re.findall(r"[\w-]+/[^/]*/|[\w-]+", found[1])

    def read(self, counts, out):
        """{(interval, node): value} and the CPU time."""
        done, seconds = cpu_seconds([*self.words, "--import", str(counts), "-o", str(out)], **self.how)
        if done.returncode != 0:
            sys.exit(f"toplev: {done.stderr[-2000:]}")
        values = {}
        with open(out, encoding="utf-8") as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                # "BE/Mem", "Backend_Bound.Memory_Bound", "% Slots"
                if row["Unit"].startswith("% "):
                    values[float(row["Timestamp"]), "tma_" + row["Area"].split(".")[-1].lower()] = float(row["Value"])
        return values, seconds


def made_up(events, intervals, path):
    """Counts that could be: of an interval, no event has more than the clocks, and the slots are four times as many."""
    draw = random.Random(20)
    with open(path, "w", encoding="utf-8") as out:
        for number in range(1, intervals + 1):
            counts = {}
            for event in events:
                if event not in counts:
                    counts[event] = int(CLOCKS * draw.random() * 0.25)
            for event in counts:
                if re.search(r"event=0x3c,umask=0x0[,/]|^cycles", event) or event == "msr/tsc/":
                    counts[event] = CLOCKS
                elif event == "slots" or re.search(r"event=0xa4,umask=0x1[,/]", event):
                    counts[event] = 6 * CLOCKS
            for event in events:
                out.write(f"{number * 0.1:18.9f};{counts[event]};;{event};100000000;100.00;;\n")


def read_own(evname, model, counts):
    """As Toplev.read; the value of a node without one is the reason."""
    facts = [word for name, value in FACTS.items() for word in ("--fact", f"{name}={value}")]
    done, seconds = cpu_seconds([evname, "topdown", "--cpu", model, *facts, "--from", str(counts), "--csv", "--all", "-x;"])
    if done.returncode == 2:
        sys.exit(done.stderr)
    rows = [row for row in csv.DictReader(done.stdout.splitlines()) if row["time"]]
    return {(float(row["time"]), row["node"]): float(row["value"]) if row["value"] else row["why"] for row in rows}, seconds


def is_same(theirs, own):
    """toplev prints one digit, and 100 for what is more."""
    return isinstance(own, float) and (abs(theirs - own) < 0.0501 or (theirs == 100 and own > 100))


def compare(model, theirs, own):
    """Prints which nodes differ. Returns true if each has a reason."""
    names = sorted({name for _, name in theirs})
    different = {}
    for (time, name), value in theirs.items():
        found = own.get((time, name), "not in evname's tree")
        if not is_same(value, found):
            different.setdefault(name, []).append((value, found))
    more = sorted({name for _, name in own} - set(names))
    print(f"{model}: {len(names)} nodes of toplev at {len({time for time, _ in theirs})} times, {len(names) - len(different)} equal; "
          f"not shown by toplev: {', '.join(more) or 'none'}")
    for name, pairs in sorted(different.items()):
        print(f"  {name}: {len(pairs)} times, first {pairs[0][0]} and {pairs[0][1]}: {REASONS.get((model, name), 'NO REASON')}")
    return all((model, name) in REASONS for name in different)


def main(evname, tools, perfmon, intervals="1000"):
    is_explained = True
    for model in MODELS:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            toplev = Toplev(folder, pathlib.Path(tools), pathlib.Path(perfmon), model)
            counts = folder / "counts"
            events = toplev.events()
            made_up(events, int(intervals), counts)
            theirs, slow = toplev.read(counts, folder / "theirs")
            own, quick = min((read_own(evname, model[0], counts) for _ in range(3)), key=lambda done: done[1])
            is_explained &= compare(model[0], theirs, own)
            print(f"{model[0]}: {intervals} intervals of {len(events)} counts: toplev {slow:.2f} s of CPU time, evname {quick:.3f} s, "
                  f"{slow / quick:.0f} times")
    sys.exit(0 if is_explained else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
