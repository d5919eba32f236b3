#!/usr/bin/env python3
"""Compares metric expressions with metric.py over a whole upstream tree. Of every metric: the names
that it depends on (events, CPUID strings, literals) as written and when simplified, and the
simplified text, which jevents.py puts into perf's tables. Thresholds, which metric.py does not read,
must parse. Usage: upstream_test.py PRINT_EXPRESSIONS
The environment variable EVNAME_PMU_EVENTS names tools/perf/pmu-events of a Linux source tree (with
metric.py and arch/); where it is unset, the test is skipped (exit code 77)."""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys


def import_metric(tree):
    spec = importlib.util.spec_from_file_location("metric", tree / "metric.py")
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


def texts_of(tree, key):
    """["FILE: METRIC", expression] of each entry that has the key."""
    found = []
    for path in sorted((tree / "arch").rglob("*.json")):
        entries = json.loads(path.read_text())
        for entry in entries if isinstance(entries, list) else []:
            if key in entry:
                name = entry.get("MetricName") or entry.get("ArchStdEvent")
                found.append((f"{path.relative_to(tree)}: {name}", entry[key]))
    return found


def names_of(metric, expression):
    """The names in a tree of metric.py, without escapes."""
    if isinstance(expression, metric.Event):
        return {re.sub(r"\\(.)", r"\1", expression.name)}
    if isinstance(expression, metric.Literal):
        return {expression.value}
    operands = (getattr(expression, name, None) for name in ("lhs", "rhs", "true_val", "cond", "false_val"))
    return set().union(*(names_of(metric, operand) for operand in operands if operand is not None))


def metric_py(metric, text):
    """(names as written, names when simplified, simplified text)"""
    written = metric.ParsePerfJson(text)
    simple = written.Simplify()
    return names_of(metric, written), names_of(metric, simple), simple.ToPerfJson()


def run(program, texts):
    """Of each expression: (simplified text or "error: …", names)."""
    lines = subprocess.run([program], input="".join(text + "\n" for text in texts), check=True,
                           capture_output=True, text=True).stdout.splitlines()
    assert len(lines) == len(texts)
    return [(cells[0], set(cells[1:])) for cells in (line.split("\t") for line in lines)]


def evname(program, texts):
    written = run(program, texts)
    simple = run(program, [text for text, _ in written])
    return [(names, fewer, text) for (text, names), (_, fewer) in zip(written, simple)]


def main(program, pmu_events):
    tree = pathlib.Path(pmu_events)
    metric = import_metric(tree)
    metrics = texts_of(tree, "MetricExpr")
    ours = evname(program, [text for _, text in metrics])
    bad = 0
    for (where, text), found in zip(metrics, ours):
        wanted = metric_py(metric, text)
        if found != wanted:
            bad += 1
            print(f"{where}: metric.py {wanted}, evname {found}")
    print(f"{len(metrics)} metrics: {bad} differ")
    thresholds = texts_of(tree, "MetricThreshold")
    refused = [(where, text) for (where, _), (text, _) in zip(thresholds, run(program, [t for _, t in thresholds]))
               if text.startswith("error:")]
    print(f"{len(thresholds)} thresholds: {len(refused)} can't be parsed {refused[:5]}")
    return 1 if bad or refused or not metrics else 0


if __name__ == "__main__":
    tree = os.environ.get("EVNAME_PMU_EVENTS")
    if not tree:
        print("skipped: EVNAME_PMU_EVENTS is not set")
        sys.exit(77)
    sys.exit(main(sys.argv[1], tree))
