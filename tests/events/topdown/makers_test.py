#!/usr/bin/env python3
"""Compares the top-down nodes of the build with Linux 7.3, Intel's perfmon and Arm's telemetry data, on made-up
counts: which nodes are there, and which have another value, each with the reason. docs/topdown-nodes.md and .csv have the same.
Usage: makers_test.py BUILD_DIR PAGE [--write]; the makers' data is in $EVNAME_SHARED/vendor."""

import collections
import csv
import fnmatch
import io
import json
import os
import pathlib
import re
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
from formulas import Values, count

SEEDS = range(16)
# Models and nodes that are not here, and why.
LEFT_OUT = [("x86/[al]*lake", "tma_l1_latency_dependency", "TMA 5.2 has no such node on Lion Cove")]
# How many of the nodes that are here have to be equal. perfmon's files of client CPUs are older than TMA 5.2.
LEAST_EQUAL = {"Linux": 0.98, "Intel": 0.97, "Arm": 0.98}
SLOTS = {"arm64/arm/neoverse-n3": 5, "arm64/arm/neoverse-n2-v2": 8, "arm64/arm/neoverse-v3": 10}
# Maker, models, nodes, why evname differs. A row that no difference needs is a fault.
REASONS = [
    ("Linux", "x86/arrowlake x86/lunarlake", "tma_dsb tma_mite tma_lsd", "Linux drops the term eq of Intel's formula"),
    ("Linux", "x86/sapphirerapids", "tma_lock_latency tma_mem_bandwidth tma_mem_latency tma_split_loads",
     "Linux has an older formula of Intel's than TMA 5.2"),
    ("Intel", "x86/meteorlake x86/lunarlake x86/arrowlake", "tma_contested_accesses tma_data_sharing tma_l3_hit_latency",
     "perfmon's formula lost brackets: A * B - C for A * (B - C)"),
    ("Intel", "x86/rocketlake", "tma_ms", "perfmon's file is of TMA 5.01"),
    ("Intel", "x86/alderlake", "tma_lock_latency tma_split_loads", "perfmon's file is of TMA 5.1"),
    ("Intel", "x86/meteorlake x86/lunarlake x86/arrowlake", "tma_cond_nt_mispredicts tma_cond_tk_mispredicts tma_ind_call_mispredicts "
     "tma_cond_tk_bwd_mispredicts tma_cond_tk_fwd_mispredicts tma_ind_jump_mispredicts tma_ret_mispredicts", "perfmon's file is of TMA 5.1"),
    ("Intel", "x86/lunarlake x86/arrowlake", "tma_icache_misses tma_itlb_misses tma_mite tma_dsb tma_lsd tma_ms tma_l2_bound "
     "tma_fp_vector_256b tma_store_early_blk", "perfmon's file is of TMA 5.1"),
]
INTEL = {  # files, less _metrics.json: the model
    "SKX/skylakex": "skylakex", "CLX/cascadelakex": "cascadelakex", "ICX/icelakex": "icelakex", "SPR/sapphirerapids": "sapphirerapids",
    "EMR/emeraldrapids": "emeraldrapids", "GNR/graniterapids": "graniterapids", "HSX/haswellx": "haswellx", "BDX/broadwellx": "broadwellx",
    "SKL/skylake": "skylake", "HSW/haswell": "haswell", "BDW/broadwell": "broadwell", "ICL/icelake": "icelake", "TGL/tigerlake": "tigerlake",
    "RKL/rocketlake": "rocketlake", "ADL/alderlake_metrics_goldencove_core": "alderlake", "MTL/meteorlake_metrics_redwoodcove_core": "meteorlake",
    "LNL/lunarlake_metrics_lioncove_core": "lunarlake", "ARL/arrowlake_metrics_lioncove_core": "arrowlake",
    "SRF/sierraforest": "sierraforest", "GRR/grandridge": "grandridge",
}
ARM = {"neoverse-n1": "neoverse-n1", "neoverse-n2-r0p3": "neoverse-n2-v2", "neoverse-v2": "neoverse-n2-v2", "neoverse-n3": "neoverse-n3",
       "neoverse-v1": "neoverse-v1", "neoverse-v3": "neoverse-v3", "arm-c1-nano-r0p0-pmu": "c1-nano", "arm-c1-premium-r0p0-pmu": "c1-premium",
       "arm-c1-pro-r1p2-pmu": "c1-pro", "arm-c1-ultra-r0p0-pmu": "c1-ultra", "arm-c1-sme2-r1p2-pmu": "c1-sme2"}
TOPDOWN_EVENTS = {"RETIRING": "retiring", "BAD_SPECULATION": "bad-spec", "FRONTEND_BOUND": "fe-bound", "BACKEND_BOUND": "be-bound",
                  "HEAVY_OPERATIONS": "heavy-ops", "BRANCH_MISPREDICTS": "br-mispredict", "FETCH_LATENCY": "fetch-lat", "MEMORY_BOUND": "mem-bound"}


def is_node(metric):
    return re.search(r"(Topdown|Pipeline)L\d", metric.get("MetricGroup", ""))


def to_percent(metric):
    match = re.match(r"([\d.]+)(.*)", metric.get("ScaleUnit") or "")
    return float(match[1]) if match and re.search("%|percent", match[2]) else 100.0


def literals(seed, model):
    cpuids = ["0x410fd4f0"] if model.endswith("neoverse-n2-v2") else []  # a Neoverse V2
    return {"cpuids": cpuids, "#smt_on": seed & 1, "#core_wide": seed >> 1 & 1, "#has_pmem": seed >> 2 & 1, "#slots": SLOTS.get(model, 8),
            "#num_cpus_online": 64, "#num_packages": 2, "#num_dies": 2, "#system_tsc_freq": 2e9}


def read_tree(root, pattern, standard=None):
    """{(model, PMU): {name: metric}}"""
    found = collections.defaultdict(dict)
    for path in sorted(root.rglob(pattern)):
        rows = json.loads(path.read_text())
        for row in rows if isinstance(rows, list) and path.parent.parent != root else []:
            row = {**(standard or {}).get(row.get("ArchStdEvent"), {}), **row}
            if "MetricName" in row and "MetricExpr" in row:
                found[str(path.parent.relative_to(root)), row.get("Unit", "")][row["MetricName"]] = row
    return found


class Comparison:
    def __init__(self, maker):
        self.maker, self.rows, self.differences, self.missing = maker, {}, [], []

    def add(self, model, unit, name, is_there, is_equal):
        row = self.rows.setdefault((model, unit), collections.Counter())
        row["nodes"] += 1
        if not is_there:
            self.missing.append((model, name))
        elif is_equal():
            row["equal"] += 1
        else:
            self.differences.append((model, name))
        row["there"] += is_there

    def reasons(self, model, name):
        return [row for row in REASONS if row[0] == self.maker and name in row[2].split()
                and any(fnmatch.fnmatch(model, glob) for glob in row[1].split())]

    def report(self, used):
        """Prints the numbers. Returns the faults."""
        total = sum(self.rows.values(), collections.Counter())
        for (model, unit), row in sorted(self.rows.items()):
            print(f"{self.maker}: {model} {unit}: {row['nodes']} nodes, {row['there']} here, {row['equal']} equal")
        print(f"{self.maker}: {total['nodes']} nodes, {total['there']} here, {total['equal']} equal")
        faults = []
        for model, name in self.differences:
            why = self.reasons(model, name)
            used.update(why)
            print(f"  {model} {name}: {why[0][3] if why else 'NO REASON'}")
            faults += [] if why else [f"{self.maker}: {model}: {name} has another value"]
        faults += [f"{self.maker}: {model}: {name} is missing" for model, name in self.missing
                   if not any(fnmatch.fnmatch(model, models) and fnmatch.fnmatch(name, nodes) for models, nodes, _ in LEFT_OUT)]
        if total["there"] < 0.9 * total["nodes"] or total["equal"] < LEAST_EQUAL[self.maker] * total["there"]:
            faults.append(f"{self.maker}: too few nodes are here, or equal")
        return faults


def is_close(a, b):
    return abs(a - b) <= 1e-6 * max(1, abs(a)) or (a != a and b != b)


def expressions(metrics):
    return {name: metric["MetricExpr"] for name, metric in metrics.items()}


def against_linux(own, root):
    arch = root / "pmu-events/arch"
    standard = {row["MetricName"]: row for row in json.loads((arch / "arm64/sbsa.json").read_text())}
    theirs = read_tree(arch, "*.json", standard)
    comparison = Comparison("Linux")
    for (model, unit), metrics in theirs.items():
        mine = own.get((model, unit), {})

        def is_equal(name):
            for seed in SEEDS:
                known = literals(seed, model)
                a = Values(expressions(metrics), seed, known).metric(name) * to_percent(metrics[name])
                b = Values(expressions(mine), seed, known).metric(name) * to_percent(mine[name])
                if not is_close(a, b):
                    return False
            return True

        for name, metric in metrics.items():
            if is_node(metric) and model != "test/test_soc":
                comparison.add(model, unit, name, name in mine, lambda name=name: is_equal(name))
    return comparison


def intel_event(name):
    """An event of perfmon's metrics in the spelling of formulas.canonical."""
    event, *modifiers = name.split(":")
    if event.startswith("PERF_METRICS."):
        return "topdown-" + TOPDOWN_EVENTS[event[13:]]
    letters = {"SUP": "k", "sup": "k", "USER": "u", "retire_latency": "R"}
    names = {"c": "cmask", "e": "edge", "i": "inv", "u": "umask", "ocr_msr_val": "offcore_rsp", "eq": "eq"}
    terms, suffix = [], ""
    for modifier in modifiers:
        match = re.fullmatch(r"(ocr_msr_val|eq|[ceiu])=?(0x\w+|\d+)", modifier)
        if match:
            terms.append(f"{names[match[1]]}={int(match[2], 0)}")
        elif modifier in letters:
            suffix = ":" + letters[modifier]
    return ",".join([event.lower(), *sorted(terms)]) + suffix


def intel_value(metric, seed, smt):
    """The value by the formula of perfmon, whose letters stand for events and facts."""
    named = {"smt_on": smt, "durationtimeinmilliseconds": 1000 * count(seed, "duration_time"), "dependentloadsweight": 20}
    for event in metric["Events"]:
        named[event["Alias"]] = count(seed, intel_event(event["Name"]))
    for fact in metric["Constants"]:
        known = {"SYSTEM_TSC_FREQ": count(seed, "msr tsc"), "HYPERTHREADING_ON": smt, "THREADS_PER_CORE": 1 + smt}
        named.setdefault(fact["Alias"], known.get(fact["Name"].upper(), 0))
    text = metric["Formula"].replace("> =", ">=")
    return Values({"it": text}, seed, {}, named).metric("it")


def against_intel(own, root):
    comparison = Comparison("Intel")
    for file, model in INTEL.items():
        folder, stem = file.split("/")
        path = root / folder / "metrics" / (stem if "_metrics_" in stem else stem + "_metrics")
        unit = "cpu_core" if "_metrics_" in stem else ""
        mine = own[f"x86/{model}", unit]
        for metric in json.loads(path.with_suffix(".json").read_text())["Metrics"]:
            if metric.get("Category") != "TMA" or not str(metric.get("Level", "")).isdigit() or metric["UnitOfMeasure"] != "percent":
                continue
            if not metric.get("ParentCategory") and metric["Level"] != 1:
                continue
            if metric["MetricName"].startswith(("Info_", "Bottleneck_")):
                continue
            name = "tma_" + metric["MetricName"].lower()
            other = {"tma_l3_miss_bound": "tma_dram_bound", "tma_dram_bound": "tma_l3_miss_bound"}.get(name)
            name = other if name not in mine and other in mine else name

            def is_equal():
                for seed in SEEDS:
                    known = literals(seed, model) | {"#core_wide": 1, "#has_pmem": 0}
                    b = 100 * Values(expressions(mine), seed, known).metric(name)
                    if not is_close(intel_value(metric, seed, seed & 1), b):
                        return False
                return True

            comparison.add(f"x86/{model}", unit, name, name in mine, is_equal)
    return comparison


def against_arm(own, root):
    comparison = Comparison("Arm")
    for file, model in ARM.items():
        data = json.loads(next(root.rglob(file + ".json")).read_text())
        mine = own[f"arm64/arm/{model}", ""]
        for node in data["methodologies"]["topdown_methodology"]["decision_tree"]["metrics"]:
            name, metric = node["name"], data["metrics"][node["name"]]

            def is_equal():
                known = {"#slots": data["product_configuration"]["num_slots"], "cpuids": ["0x410fd4f0"] if "v2" in file else []}
                return all(is_close(Values({"it": metric["formula"]}, seed, {}).metric("it"),
                                    100 * Values(expressions(mine), seed, known).metric(name)) for seed in SEEDS)

            comparison.add(f"arm64/arm/{model}", f"({file})", name, name in mine, is_equal)
    return comparison


PAGE = """# Top-down nodes beside the metrics of Linux, Intel and Arm
Read this page if a node of a [top-down tree](topdown.md) has another value in evname than in perf or in a maker's tool.
[topdown-nodes.csv](topdown-nodes.csv) lists all nodes that differ from Linux 7.3, Intel's perfmon repository of August 2026 or Arm's
telemetry data of April 2026, with the reason. A node is equal if all values agree to a millionth, for 16 random sets of
counts, with SMT on and off.

| source | core | nodes | here | equal |
| --- | --- | --- | --- | --- |
{rows}
All nodes of the other cores are here and equal. `EVNAME_SHARED=… tests/events/topdown/makers_test.py build docs/topdown-nodes.md
--write` makes this page and the CSV; `EVNAME_SHARED` names a folder with the three sources.
"""


def page_of(comparisons):
    """docs/topdown-nodes.md"""
    rows = []
    for comparison in comparisons:
        for (model, unit), row in sorted(comparison.rows.items()):
            if row["nodes"] != row["equal"]:
                rows.append(f"| {comparison.maker} | {core_of(model, unit)} | {row['nodes']} | {row['there']} | {row['equal']} |\n")
        total = sum(comparison.rows.values(), collections.Counter())
        rows.append(f"| {comparison.maker} | all {len(comparison.rows)} | {total['nodes']} | {total['there']} | {total['equal']} |\n")
    return PAGE.format(rows="".join(rows))


def table_of(comparisons):
    """docs/topdown-nodes.csv: a row for each node that differs or is not here."""
    out = []
    for comparison in comparisons:
        for model, name in comparison.differences:
            out += [(comparison.maker, model, name, row[3]) for row in comparison.reasons(model, name)[:1]]
        for model, name in comparison.missing:
            out += [(comparison.maker, model, name, "not here: " + row[2]) for row in LEFT_OUT
                    if fnmatch.fnmatch(model, row[0]) and fnmatch.fnmatch(name, row[1])]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("source", "model", "node", "why"), *sorted(out)])
    return text.getvalue()


def core_of(model, unit):
    """The model, on hybrid CPUs with the PMU."""
    name = model.split("/")[-1]
    return f"{name}/{unit}" if unit and not unit.startswith("(") else name


def main(build, page, write=""):
    shared = os.environ.get("EVNAME_SHARED")
    if not shared:
        print("skipped: EVNAME_SHARED is not set")
        sys.exit(77)
    own = read_tree(build / "gen/topdown", "topdown-metrics.json")
    faults, used, comparisons = [], set(), []
    with tempfile.TemporaryDirectory() as scratch:
        for archive, compare in [("linux-7.3-pmu-events", against_linux), ("intel-perfmon-2026-08", against_intel), ("arm-telemetry-2026-04", against_arm)]:
            root = pathlib.Path(scratch) / archive
            with tarfile.open(pathlib.Path(shared) / f"vendor/{archive}.tar.xz") as tar:
                tar.extractall(root)
            comparisons.append(compare(own, root))
            faults += comparisons[-1].report(used)
    faults += [f"no difference needs the reason {row[:3]}" for row in REASONS if row not in used]
    for path, text in [(page, page_of(comparisons)), (page.with_suffix(".csv"), table_of(comparisons))]:
        if write:
            path.write_text(text)
        elif path.read_text() != text:
            faults.append(f"{path} is out of date: --write makes it again")
    print(*faults, sep="\n")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:3]), *sys.argv[3:])
