#!/usr/bin/env python3
"""Compares evname-gen with jevents.py over a whole upstream tree: every (model, PMU, event) must
have the same term string. Usage: parity_test.py EVNAME_GEN
The environment variable EVNAME_PMU_EVENTS names tools/perf/pmu-events of a Linux source tree (with
jevents.py and arch/); where it is unset, the test is skipped (exit code 77)."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

# (event, jevents' terms) -> (our terms, why we differ)
DELIBERATE = {
    ("mem_inst_retired.latency_above_threshold_0", "event=0xb,period=2000000,umask=0x10,ldlat=None"): (
        "event=0xb,period=2000000,umask=0x10,ldlat=0",
        "five models give MSRIndex without MSRValue; the name says the threshold is 0, and "
        "'None' is no number: the event can't be used as perf encodes it",
    ),
}

TABLE = re.compile(r"^(?:static )?const struct compact_pmu_event (\w+)\[\] = \{")
ENTRY = re.compile(r"^\{ \d+ \}, /\* (.*) \*/$")
MODEL = re.compile(r"^(?:static )?const struct pmu_table_entry (pmu_events_\w+)\[\] = \{?")
ENTRIES = re.compile(r"\.entries = (\w+),")
PMU = re.compile(r"\.pmu_name = \{ \d+ /\* (.*?)\\000 \*/ \}")


def events_of_jevents(text):
    """(table name, PMU, event) -> terms."""
    arrays, models = {}, []
    array = model = None
    for line in text.splitlines():
        if match := TABLE.match(line):
            array = arrays.setdefault(match[1], [])
        elif match := ENTRY.match(line):
            fields = match[1].split("\\000")
            array.append((fields[0], fields[3]))
        elif match := MODEL.match(line):
            model = match[1]
        elif match := ENTRIES.search(line):
            entries = match[1]
        elif (match := PMU.search(line)) and model and entries.startswith("pmu_events_"):
            models.append((model, match[1], entries))
    return {(model, pmu, name): terms for model, pmu, entries in models
            for name, terms in arrays[entries]}


def table_name(model):
    """'arm/cortex-a57' as jevents names its table."""
    *parents, last = model.split("/")
    return "pmu_events_" + "".join("_" + p for p in parents + [last]).replace("-", "_")


def events_of_evname(text):
    rows = (line.split("\t") for line in text.splitlines())
    return {(table_name(model), pmu, name): terms for _, model, pmu, name, terms in rows
            if model != "standard"}  # perf has no table of the standard events themselves


def main(evname_gen, pmu_events):
    tree = pathlib.Path(pmu_events)
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "jevents.c")
        subprocess.run([sys.executable, tree / "jevents.py", "all", "all", tree / "arch", out], check=True)
        theirs = events_of_jevents(out.read_text())
    ours = events_of_evname(subprocess.run([evname_gen, tree / "arch", "--print-terms"], check=True,
                                           capture_output=True, text=True).stdout)
    bad = explained = 0
    for key in sorted(theirs.keys() | ours.keys()):
        if theirs.get(key) == ours.get(key):
            continue
        if DELIBERATE.get((key[2], theirs.get(key)), [None])[0] == ours.get(key):
            explained += 1
            continue
        bad += 1
        if bad <= 20:
            print(f"{key}: jevents {theirs.get(key)}, evname {ours.get(key)}")
    print(f"{len(theirs)} events of jevents.py, {len(ours)} of evname-gen: {bad} differ, "
          f"{explained} differ deliberately")
    return 1 if bad or not theirs else 0


if __name__ == "__main__":
    tree = os.environ.get("EVNAME_PMU_EVENTS")
    if not tree:
        print("skipped: EVNAME_PMU_EVENTS is not set")
        sys.exit(77)
    sys.exit(main(sys.argv[1], tree))
