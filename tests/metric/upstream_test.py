#!/usr/bin/env python3
"""Parses every metric and threshold of a whole upstream tree. Compares the names that each metric
depends on (events, CPUID strings, literals) with those that the tree's own metric.py finds, before
and after its simplification; it does not read thresholds. Usage: upstream_test.py PRINT_SYMBOLS
The environment variable EVNAME_PMU_EVENTS names tools/perf/pmu-events of a Linux source tree (with
metric.py and arch/); where it is unset, the test is skipped (exit code 77)."""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

ANY_CASE = ("#smt_on", "#system_tsc_freq")  # perf, util/expr.c


def import_metric(tree):
    spec = importlib.util.spec_from_file_location("metric", tree / "metric.py")
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


def metrics_of(tree, key="MetricExpr"):
    """(file, metric, expression)"""
    for path in sorted((tree / "arch").rglob("*.json")):
        entries = json.loads(path.read_text())
        for entry in entries if isinstance(entries, list) else []:
            if key in entry:
                yield path.relative_to(tree), entry.get("MetricName"), entry[key]


def names_of(metric, expression):
    """The names in a tree of metric.py, spelled as the runtime looks them up."""
    if isinstance(expression, metric.Event):
        return {re.sub(r"\\(.)", r"\1", expression.name)}
    if isinstance(expression, metric.Literal):
        lower = expression.value.lower()
        return {lower if lower in ANY_CASE else expression.value}
    operands = (getattr(expression, name, None) for name in ("lhs", "rhs", "true_val", "cond", "false_val"))
    return set().union(*(names_of(metric, operand) for operand in operands if operand is not None))


def names_of_evname(program, expressions):
    text = "".join(expression + "\n" for expression in expressions)
    out = subprocess.run([program], input=text, check=True, capture_output=True, text=True).stdout
    return [line if line.startswith("error:") else {name for name in line.split("\t") if name}
            for line in out.splitlines()]


def differences(what, metrics, theirs, ours):
    assert len(metrics) == len(theirs) == len(ours)
    found = [f"{path}: {name}, {what}: metric.py {sorted(a)}, evname {b if isinstance(b, str) else sorted(b)}"
             for (path, name, _), a, b in zip(metrics, theirs, ours) if a != b]
    print("\n".join(found[:20]))
    return len(found)


def main(program, pmu_events):
    tree = pathlib.Path(pmu_events)
    metric = import_metric(tree)
    metrics = list(metrics_of(tree))
    written = [expression for _, _, expression in metrics]
    trees = [metric.ParsePerfJson(expression) for expression in written]
    simple = [tree.Simplify() for tree in trees]
    bad = differences("as written", metrics, [names_of(metric, tree) for tree in trees],
                      names_of_evname(program, written))
    bad += differences("simplified", metrics, [names_of(metric, tree) for tree in simple],
                       names_of_evname(program, [tree.ToPerfJson() for tree in simple]))
    print(f"{len(metrics)} metrics, as written and simplified: {bad} differ")
    thresholds = list(metrics_of(tree, "MetricThreshold"))
    refused = [where for where, ours in zip(thresholds, names_of_evname(program, [t for _, _, t in thresholds]))
               if isinstance(ours, str)]
    print(f"{len(thresholds)} thresholds: {len(refused)} can't be parsed {refused[:5]}")
    return 1 if bad or refused or not metrics else 0


if __name__ == "__main__":
    tree = os.environ.get("EVNAME_PMU_EVENTS")
    if not tree:
        print("skipped: EVNAME_PMU_EVENTS is not set")
        sys.exit(77)
    sys.exit(main(sys.argv[1], tree))
