#!/usr/bin/env python3
"""Checks our own metrics, arch/ARCH/MODEL/evname-metrics.json: they are as gen/own_metrics.py writes
them; every event is one of the model, as evname-gen reads it, or one that a driver defines; and they
have the values of own_metrics_values.py, every formula of the tree among them.
Usage: own_metrics_test.py EVNAME_GEN PRINT_EXPRESSIONS EVALUATE_EXPRESSIONS OWN_METRICS.PY ARCH_TREE"""

import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from own_metrics_values import VALUES

KEYS = {"MetricName", "MetricExpr", "MetricGroup", "ScaleUnit", "BriefDescription", "Unit", "Compat"}
IN_UNIT = re.compile(r"(?:cpu_core|cpu_atom|cpu_lowpower)@([^@]*)@")
NO_EVENT = re.compile(r"#\w+|0x[0-9a-f]+|duration_time")  # a literal, a CPUID, a tool's count


def plain(expression):
    """Without the PMU that events of a hybrid machine name."""
    return IN_UNIT.sub(r"\1", expression)


def lines_of(program, lines):
    """One line of output for each of input."""
    found = subprocess.run([program], input="".join(line + "\n" for line in lines), check=True, capture_output=True, text=True)
    lines_out = found.stdout.splitlines()
    assert len(lines_out) == len(lines)
    return lines_out


def read_metrics(tree):
    """{model: metrics}"""
    paths = sorted(tree.rglob("evname-metrics.json"))
    return {str(path.parent.relative_to(tree)): json.loads(path.read_text()) for path in paths}


def check_generated(script, tree):
    found = subprocess.run([sys.executable, script, tree, "--check"], capture_output=True, text=True)
    return [f"{line}: is not what gen/own_metrics.py writes" for line in (found.stdout + found.stderr).splitlines()]


def known_events(evname_gen, tree):
    """{(model, PMU): events}"""
    terms = subprocess.run([evname_gen, tree, "--print-terms"], check=True, capture_output=True, text=True).stdout
    events = {}
    for arch, model, pmu, event, _ in (line.split("\t") for line in terms.splitlines()):
        events.setdefault((f"{arch}/{model}", pmu), set()).add(event)
    for row in json.loads((tree / "metrics/driver-events.json").read_text()):
        for model in row["Models"].split():
            events[model, row.get("Unit", "default_core")] |= set(row["EventNames"].split())
    return events


def check_metric(model, metric, names, events):
    """Problems of one row: its keys, the PMU and the events that it names."""
    where = f"{model}: {metric.get('MetricName')}"
    if not set(metric) <= KEYS or not KEYS - {"Unit", "Compat"} <= set(metric):
        yield f"{where}: has the keys {', '.join(metric)}"
    units = set(re.findall(r"(cpu_core|cpu_atom)@", metric["MetricExpr"]))
    if units - {metric.get("Unit")}:
        yield f"{where}: counts on {', '.join(units)}"
    of_core = events.get((model, metric.get("Unit", "default_core")), set())
    others = set().union(*(found for (name, pmu), found in events.items()
                           if name == model and pmu not in ("default_core", "cpu_core", "cpu_atom")))
    unknown = {name for name in names if name not in of_core | others and not NO_EVENT.fullmatch(name)}
    if unknown:
        yield f"{where}: the model has no {', '.join(sorted(unknown))}"
    if metric["MetricName"] in of_core | others:
        yield f"{where}: an event has that name"


def check_lint(evname_gen, program, tree, metrics):
    events = known_events(evname_gen, tree)
    rows = [(model, metric) for model, rows in metrics.items() for metric in rows]
    names = [(model, metric["MetricName"], metric.get("Unit")) for model, metric in rows]
    yield from (f"{model}: {name} stands twice" for model, name, unit in set(names) if names.count((model, name, unit)) > 1)
    parsed = lines_of(program, [metric["MetricExpr"] for _, metric in rows])
    for (model, metric), line in zip(rows, parsed):
        yield from check_metric(model, metric, [plain(name) for name in line.lower().split("\t")[1:]], events)


def printed(value, scale_unit):
    scale, unit = re.fullmatch(r"([\d.]+)(.*)", scale_unit).groups()
    return f"{float(value) * float(scale):g}{unit}"


def counts_text(unit, counts):
    """For evaluate-expressions; on a hybrid machine, counts are of the PMU that the events name."""
    names = [f"{name}={count}" for name, count in counts.items()]
    return "\t".join(names + ([f"{unit}/{name}/={count}" for name, count in counts.items()] if unit else []))


def check_values(program, metrics):
    rows = [(model, unit, metric, counts, values.get(metric["MetricName"])) for model, unit, counts, values in VALUES
            for metric in metrics[model] if metric.get("Unit", "") == unit]
    lines = [metric["MetricExpr"] + "\t" + counts_text(unit, counts) for _, unit, metric, counts, _ in rows]
    for (model, unit, metric, _, wanted), value in zip(rows, lines_of(program, lines)):
        text = value if value.startswith("error") else printed(value, metric["ScaleUnit"])
        if text != wanted:
            yield f"{model} {unit}: {metric['MetricName']} is {text}, by hand {wanted}"
    for model, unit, _, values in VALUES:
        for name in sorted(set(values) - {m["MetricName"] for m in metrics[model] if m.get("Unit", "") == unit}):
            yield f"{model} {unit}: has no {name}"
    checked = {(metric["MetricName"], plain(metric["MetricExpr"])) for _, _, metric, _, _ in rows}
    every = {(m["MetricName"], plain(m["MetricExpr"])) for rows in metrics.values() for m in rows}
    for name, expression in sorted(every - checked):
        yield f"{name}: no value is computed by hand for {expression}"


def main(evname_gen, print_expressions, evaluate_expressions, script, tree):
    tree = pathlib.Path(tree)
    metrics = read_metrics(tree)
    problems = [*check_generated(script, tree), *check_lint(evname_gen, print_expressions, tree, metrics),
                *check_values(evaluate_expressions, metrics)]
    print("\n".join(problems))
    print(f"{sum(map(len, metrics.values()))} metrics of {len(metrics)} models: {len(problems)} problems")
    return 1 if problems or not metrics else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
