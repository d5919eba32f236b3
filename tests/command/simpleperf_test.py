#!/usr/bin/env python3
"""Recordings of simpleperf, the profiler of Android: samples, periods and functions are as in
tests/data/simpleperf.tsv. Arguments: the evname command and the source root. Needs the recordings of
system/extras/simpleperf, as many as there are, in EVNAME_SHARED/simpleperf."""

import collections
import json
import os
import pathlib
import subprocess
import sys

EVNAME, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
GROUPS = {  # with --add-counter: a sample has the counts of two events
    "perf_with_add_counter.data": "cpu-cycles=12/2034455,instructions=12/2048526"}


def rows(*arguments):
    done = subprocess.run([EVNAME, *arguments], capture_output=True, encoding="utf-8", errors="replace",
                          env={**os.environ, "HOME": "/nonexistent"})
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def events_of(path):
    found = {row["event"]: f"{row['samples']}/{row['period']}"
             for row in rows("report", "--json", "--sort", "event", path) if row.get("event") and row["samples"]}
    return ",".join(f"{name}={numbers}" for name, numbers in sorted(found.items()))


def functions_of(path):
    return collections.Counter(row["sym"] for row in rows("annotate", "--json", "-F", "sym", "--no-demangle", path)
                               if row.get("sym"))


def check(path, events, named, function):
    found = events_of(path)
    # Early recordings have no names of events; simpleperf calls cycles cpu-cycles.
    if found != GROUPS.get(path.name, events):
        assert found.replace("cpu-cycles", "cycles") == events.replace("cpu-cycles", "cycles"), (path, found, events)
    functions = functions_of(path)
    per_sample = 2 if path.name in GROUPS else 1
    assert sum(functions.values()) == named * per_sample, (path, functions.total(), named)
    if function:
        name, samples = function.rsplit("=", 1)
        assert functions[name] == int(samples) * per_sample, (path, name, functions[name], samples)


def main():
    folder = pathlib.Path(os.environ.get("EVNAME_SHARED", "/nonexistent"), "simpleperf")
    checked = 0
    for line in (ROOT / "tests" / "data" / "simpleperf.tsv").read_text().splitlines()[1:]:
        name, events, named, function = line.split("\t")
        if (folder / name).exists():
            check(folder / name, events, int(named), function)
            checked += 1
    if checked == 0:
        print("EVNAME_SHARED is not set, or has no recordings of simpleperf")
        sys.exit(77)
    print(f"{checked} recordings")


main()
