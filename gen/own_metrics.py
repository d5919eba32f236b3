#!/usr/bin/env python3
"""Writes our own metrics of every model, ARCH/MODEL/evname-metrics.json, from ARCH_TREE/metrics/:
of the rows with one MetricName, the first whose events all exist on the model.
Usage: own_metrics.py ARCH_TREE [--check]
With --check nothing is written; exit code 1: a file is not as it would be written."""

import fnmatch
import json
import pathlib
import re
import sys

FILE = "evname-metrics.json"
CORE_UNITS = ("", "cpu_core", "cpu_atom", "cpu_lowpower")
NO_EVENTS = {"if", "else", "min", "max", "d_ratio", "has_event", "source_count", "strcmp_cpuid_str", "duration_time"}
# Not part of a number ("1e9", "0x410fd490") nor a literal of the machine ("#slots").
NAME = re.compile(r"(?<![\w#.\\])[A-Za-z_][\w.]*(?:\\-[\w.]+)*")


class Missing(Exception):
    """A model lacks an event or quantity of a formula."""


def rows_of(path):
    rows = json.loads(path.read_text())
    return rows if isinstance(rows, list) else []


def is_for(row, model):
    """Models holds patterns; one with ! excludes, and where none is without !, all others are meant."""
    patterns = row.get("Models", "").split()
    wanted = [p for p in patterns if not p.startswith("!")]
    matches = lambda pattern: fnmatch.fnmatchcase(model, pattern)
    return not any(matches(p[1:]) for p in patterns if p.startswith("!")) and (not wanted or any(map(matches, wanted)))


class Model:
    """The events of a directory, in lower case: of each core PMU by its Unit, and the others."""

    def __init__(self, name, files, standard, drivers):
        self.name = name
        self.core, self.others = {}, {}
        for row in [row for path in files if not path.name.startswith("evname-") for row in rows_of(path)]:
            event = row.get("EventName") or standard.get(row.get("ArchStdEvent", "").lower())
            unit = row.get("Unit", "")
            if event and unit in CORE_UNITS:
                self.core.setdefault(unit, set()).add(event.lower())
            elif event:
                self.others[event.lower()] = {key: row[key] for key in ("Unit", "Compat") if key in row}
        for row in drivers:
            if is_for(row, name):
                self.core.setdefault(row.get("Unit", ""), set()).update(row["EventNames"].split())


def names_in(expression):
    """Of its events, as they are spelled there."""
    return [name for name in NAME.findall(expression) if name not in NO_EVENTS]


def event_of(name):
    return name.replace("\\", "").lower()


class Writer:
    def __init__(self, tree):
        self.tree = tree
        self.metrics, self.quantities, self.drivers = (
            rows_of(tree / "metrics" / f"{name}.json") for name in ("metrics", "quantities", "driver-events"))

    def models(self):
        for arch in sorted(path.parent for path in self.tree.glob("*/mapfile.csv")):
            standard = {row["EventName"].lower(): row["EventName"] for path in arch.glob("*.json")
                        for row in rows_of(path) if "EventName" in row}
            for directory in sorted({path.parent for path in arch.rglob("*.json")} - {arch}):
                files = sorted(directory.glob("*.json"))
                yield directory, Model(str(directory.relative_to(self.tree)), files, standard, self.drivers)

    def expand(self, expression, model, unit):
        """The expression with {quantities} written out; Missing if the model has not all events."""
        expression = re.sub(r"\{(\w+)\}", lambda match: self.quantity(match[1], model, unit), expression)
        for event in map(event_of, names_in(expression)):
            if event not in model.core.get(unit, ()) and event not in model.others:
                raise Missing(event)
        return expression

    def quantity(self, name, model, unit):
        for row in self.quantities:
            if row["Quantity"] != name or not is_for(row, model.name) or row.get("Unit", unit) != unit:
                continue
            try:
                text = self.expand(row["Expr"], model, unit)
            except Missing:
                continue
            return f"({text})" if " " in text else text
        raise Missing(name)

    def metric(self, row, model, unit):
        """The row as it stands in the file of the model."""
        expression = self.expand(row["MetricExpr"], model, unit)
        core = model.core.get(unit, set())
        names = names_in(expression)
        of_core = [name for name in names if event_of(name) in core]
        if unit:
            expression = NAME.sub(lambda match: f"{unit}@{match[0]}@" if match[0] in of_core else match[0], expression)
        out = {"MetricName": row["MetricName"], "MetricExpr": expression}
        out.update({key: row[key] for key in ("MetricGroup", "ScaleUnit", "BriefDescription")})
        if of_core:
            return out | ({"Unit": unit} if unit else {})
        # Events of a system PMU: the metric is there where the PMU is.
        facts = model.others[event_of(names[0])]
        return out | (facts if "Compat" in facts else {})

    def metrics_of(self, model):
        found = {}
        for unit in sorted(model.core) or [""]:
            taken = set()
            for row in self.metrics:
                if row["MetricName"] in taken or not is_for(row, model.name):
                    continue
                try:
                    metric = self.metric(row, model, unit)
                except Missing:
                    continue
                taken.add(row["MetricName"])
                found.setdefault((row["MetricName"], metric.get("Unit")), metric)
        return list(found.values())


def main(tree, check):
    stale = 0
    writer = Writer(tree)
    for directory, model in writer.models():
        lines = [json.dumps(metric, separators=(",", ":")) for metric in writer.metrics_of(model)]
        text = "[\n" + ",\n".join(lines) + "\n]\n" if lines else ""
        path = directory / FILE
        if (path.read_text() if path.exists() else "") == text:
            continue
        stale += 1
        print(path)
        if not check and text:
            path.write_text(text)
        elif not check:
            path.unlink()
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), "--check" in sys.argv[2:]))
