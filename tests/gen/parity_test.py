#!/usr/bin/env python3
"""Compares evname-gen with jevents.py over a whole upstream tree: every (model, PMU, event) must
have the same term string, and every (model, PMU, metric) the same expression, ours written from what
it was compiled to. Usage: parity_test.py EVNAME_GEN [BUILD_DIR]
The tree is the one that the environment variable EVNAME_PMU_EVENTS names (tools/perf/pmu-events of a
Linux source tree, with jevents.py and arch/), or with BUILD_DIR the tree of Linux 7.3 from EVNAME_SHARED,
unpacked there. Without a tree, the test is skipped (exit code 77)."""

import codecs
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
from vendor_trees import unpacked

# (event, jevents' terms) -> (our terms, why we differ)
DELIBERATE = {
    ("mem_inst_retired.latency_above_threshold_0", "event=0xb,period=2000000,umask=0x10,ldlat=None"): (
        "event=0xb,period=2000000,umask=0x10,ldlat=0",
        "five models give MSRIndex without MSRValue; the name says the threshold is 0, and "
        "'None' is no number: the event can't be used as perf encodes it",
    ),
}

# PMU of jevents -> ours, and why
DELIBERATE_PMUS = {
    "uncore_cpu_lowpower": ("cpu_lowpower", "the kernel calls it so: perf finds none of its events"),
}

TABLE = re.compile(r"^(?:static )?const struct compact_pmu_event (\w+)\[\] = \{")
ENTRY = re.compile(r"^\s*\{ (\d+) \},")
MODEL = re.compile(r"^(?:static )?const struct pmu_table_entry (pmu_(?:events|metrics)_\w+)\[\] = \{?")
ENTRIES = re.compile(r"\.entries = (\w+),")
PMU = re.compile(r"\.pmu_name = \{ (\d+) ")
STRING = re.compile(r'^(?:/\* offset=\d+ \*/ )?"((?:[^"\\]|\\.)*)"', re.MULTILINE)
FIELDS = 4  # of a record: name, topic or group, description or expression, terms …


def strings_of_jevents(text):
    """What the offsets point into: texts one after the other, each field ended by a NUL."""
    begin = text.index("big_c_string =")
    literals = STRING.findall(text, begin, text.index("\n;", begin))
    return codecs.escape_decode("".join(literals).encode())[0]


def rows_of_jevents(text):
    """(events, metrics): (table name, PMU, event) -> terms, (table name, PMU, metric, expression)…"""
    strings = strings_of_jevents(text)
    fields_at = lambda offset: [field.decode() for field in strings[offset:offset + 20000].split(b"\0", FIELDS)[:FIELDS]]
    arrays, models = {}, []
    array = model = None
    for line in text.splitlines():
        if match := TABLE.match(line):
            array = arrays.setdefault(match[1], [])
        elif match := MODEL.match(line):
            array, model = None, match[1]
        elif array is not None and (match := ENTRY.match(line)):
            array.append(fields_at(int(match[1])))
        elif match := ENTRIES.search(line):
            entries = match[1]
        elif (match := PMU.search(line)) and model and entries.startswith("pmu_"):
            pmu = fields_at(int(match[1]))[0]
            models.append((model, DELIBERATE_PMUS.get(pmu, [pmu])[0], entries))
    rows = [(model, pmu, fields) for model, pmu, entries in models for fields in arrays[entries]]
    events = {(model, pmu, fields[0]): fields[3] for model, pmu, fields in rows
              if model.startswith("pmu_events_")}
    metrics = sorted(("pmu_events_" + model.removeprefix("pmu_metrics_"), pmu, fields[0], fields[2])
                     for model, pmu, fields in rows if model.startswith("pmu_metrics_"))
    return events, metrics


def table_name(model):
    """'arm/cortex-a57' as jevents names its table."""
    *parents, last = model.split("/")
    return "pmu_events_" + "".join("_" + p for p in parents + [last]).replace("-", "_")


def events_of_evname(text):
    rows = (line.split("\t") for line in text.splitlines())
    return {(table_name(model), pmu, name): terms for _, model, pmu, name, terms in rows
            if model != "standard"}  # perf has no table of the standard events themselves


def metrics_of_evname(text):
    rows = (line.split("\t") for line in text.splitlines())
    return sorted((table_name(model), pmu, name, expr) for _, model, pmu, name, expr in rows)


def as_built(tree, scratch):
    """The tree with the generic cache events, which perf's build makes by a script and we by a rule."""
    script = tree / "make_legacy_cache.py"
    if not script.exists():
        return tree / "arch"
    arch = pathlib.Path(scratch, "arch")
    for directory in (tree / "arch").iterdir():
        (arch / directory.name).parent.mkdir(exist_ok=True)
        if directory.name == "common":
            shutil.copytree(directory, arch / "common")
        else:
            (arch / directory.name).symlink_to(directory)
    events = arch / "common" / "common" / "legacy-cache.json"
    events.parent.chmod(0o755)
    events.write_text(subprocess.run([sys.executable, script], check=True, capture_output=True, text=True).stdout)
    return arch


def main(evname_gen, pmu_events):
    tree = pathlib.Path(pmu_events)
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "jevents.c")
        subprocess.run([sys.executable, tree / "jevents.py", "all", "all", as_built(tree, scratch), out], check=True)
        theirs, their_metrics = rows_of_jevents(out.read_text())
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
    our_metrics = metrics_of_evname(subprocess.run([evname_gen, tree / "arch", "--print-metrics"], check=True,
                                                   capture_output=True, text=True).stdout)
    # Of metrics with the same name in one model perf 7.3's tree has one; evname takes the first of 6.12's.
    times = collections.Counter(row[:3] for row in their_metrics)
    again = [row for row in sorted(set(their_metrics) - set(our_metrics)) if times[row[:3]] > 1]
    differ = set(their_metrics) ^ set(our_metrics) ^ set(again)
    dropped = sum(count - 1 for count in times.values())
    for row in sorted(differ)[:20]:
        print(f"{'jevents' if row in their_metrics else 'evname'} alone: {row}")
    print(f"{len(their_metrics)} metrics of jevents.py, {len(our_metrics)} of evname-gen: {len(differ)} differ, "
          f"{dropped} have the name of another")
    return 1 if bad or differ or not theirs or len(their_metrics) - dropped != len(our_metrics) else 0


if __name__ == "__main__":
    if len(sys.argv) > 2:
        vendor = unpacked("linux-7.3-pmu-events", sys.argv[2])
        tree = vendor and vendor / "pmu-events"
    else:
        tree = os.environ.get("EVNAME_PMU_EVENTS")
    if not tree:
        print(f"skipped: {'EVNAME_SHARED' if len(sys.argv) > 2 else 'EVNAME_PMU_EVENTS'} is not set")
        sys.exit(77)
    sys.exit(main(sys.argv[1], tree))
