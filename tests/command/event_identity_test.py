#!/usr/bin/env python3
"""Events that differ in one part of what identifies them (PMU, box, code, period) are two events in every output, each with its own
samples, and the name that is printed stands for the recorded code when it is typed again. Argument: the evname command."""

import csv
import io
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import page_file
import perf_file as perf

EVNAME = sys.argv[1]
ALDER_LAKE, SKYLAKE_X, ZEN_5 = "GenuineIntel,6,151,2", "GenuineIntel,6,85,4", "AuthenticAMD,26,2,1"
CORES = {4: "cpu_core", 8: "cpu_atom", 1: "software"}
CORE, BOXES = {4: "cpu", 1: "software"}, {4: "cpu", 20: "uncore_imc_0", 21: "uncore_imc_1", 1: "software"}
# What differs, the CPU, its PMUs, and of each event its type, config, period and recorded name, and the name that perf takes for it.
# Types and configs: PERF_TYPE_HARDWARE with the PMU's type in the upper half (Linux, perf_event.h); Intel perfmon: INST_RETIRED.ANY_P
# 0xc0, UNC_M_CAS_COUNT.RD 0x304.
PAIRS = [
    ("PMU", ALDER_LAKE, CORES, (0, 4 << 32, 9, "cpu_core/cycles/", "cpu_core/cycles/"), (0, 8 << 32, 9, "cpu_atom/cycles/", "cpu_atom/cycles/")),
    ("PMU", ALDER_LAKE, CORES, (0, 4 << 32, 9, "cycles:P", "cpu_core/cycles/P"), (0, 8 << 32, 9, "cycles:P", "cpu_atom/cycles/P")),
    ("PMU, no names", ALDER_LAKE, CORES, (0, 4 << 32, 9, None, "cpu_core/cycles/"), (0, 8 << 32, 9, None, "cpu_atom/cycles/")),
    ("PMU of raw codes", ALDER_LAKE, CORES, (4, 0x2e, 9, "r412e", None), (8, 0x412e, 9, "r412e", None)),
    ("PMU of tables", ALDER_LAKE, CORES, (4, 0xc0, 9, "cpu_core/inst_retired.any_p/u", None), (8, 0xc0, 9, "cpu_atom/inst_retired.any_p/u", None)),
    ("box", SKYLAKE_X, BOXES, (20, 0x304, 9, "uncore_imc_0/unc_m_cas_count.rd/", "uncore_imc_0/unc_m_cas_count.rd/"),
     (21, 0x304, 9, "uncore_imc_1/unc_m_cas_count.rd/", "uncore_imc_1/unc_m_cas_count.rd/")),
    ("code", ZEN_5, CORE, (4, 0x1a9, 9, "stalls", "cpu/event=0xa9,umask=0x1,name=stalls/"), (4, 0xa9, 9, "stalls", "cpu/event=0xa9,name=stalls/")),
    ("period", ZEN_5, CORE, (0, 0, 1000, "cycles/period=1000/", "cycles/period=1000/"), (0, 0, 2000, "cycles/period=2000/", "cycles/period=2000/")),
]
SAMPLES = (2, 4)


def text(value):
    padded = value.encode() + bytes(64 - len(value) % 64)
    return struct.pack("<I", len(padded)) + padded


def attr_of(event):
    out = bytearray(perf.attr(event[1], event[0]))
    struct.pack_into("<Q", out, 16, event[2])
    return bytes(out)


def recording(cpuid, pmus, events, counts=SAMPLES):
    """Samples of each event; `counts` has their numbers."""
    attrs = [attr_of(event) for event in events]
    data = perf.comm(7, b"work")
    for number, count in enumerate(counts, 1):
        data += b"".join(perf.sample(100 * number + i, 7, number) for i in range(count))
    features = [(6, text("x86_64")), (9, text(cpuid))]
    if events[0][3] is not None:
        features.append((12, struct.pack("<II", len(events), perf.ATTR) + b"".join(
            attr + struct.pack("<I", 1) + text(event[3]) + struct.pack("<Q", i + 1) for i, (attr, event) in enumerate(zip(attrs, events)))))
    features.append((16, struct.pack("<I", len(pmus)) + b"".join(struct.pack("<I", type) + text(name) for type, name in pmus.items())))
    return perf.file(data, attrs, features)


def run(*words):
    done = subprocess.run([EVNAME, *map(str, words)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


def lines(*words):
    return [json.loads(line) for line in run(*words).splitlines()]


def counted(names):
    found = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return found


def full_name(row):
    modifiers = row.get("modifiers") or ""
    return row["event"] + (":" if modifiers and not row["event"].endswith("/") else "") + modifiers


def of_page(path):
    page = path.with_suffix(".html")
    run("report", "--html", page, path)
    data = page_file.data_of(page)
    return {event["name"]: event["samples"] for file in data["files"] for event in file["events"]}


def of_speedscope(path):
    profiles = json.loads(run("export", "--format", "speedscope", "-o", "-", path))["profiles"]
    return {next(name for name in KNOWN if name in profile["name"]): len(profile["samples"]) for profile in profiles}


def of_otlp(path):
    text = run("export", "--format", "otlp-json", "-o", "-", path)
    return {name: SAMPLES[i] for i, name in enumerate(KNOWN) if json.dumps(name) in text}


def of_split(path):
    parts = path.with_suffix(".parts")
    out = lines("split", "--by", "event", "--json", "-o", parts, path)
    return {row["key"]: sum(one["samples"] for one in lines("report", "--json", row["file"])) for row in out}


def of_filter(path):
    return {name: sum(row["samples"] for row in lines("report", "--json", "--event", re.sub(r"([\[\]*?])", r"[\1]", name), path)) for name in KNOWN}


OUTPUTS = {
    "report": lambda path: {row["event"]: row["samples"] for row in lines("report", "--json", path)},
    "report --csv": lambda path: {row["event"]: int(row["samples"]) for row in csv.DictReader(io.StringIO(run("report", "--csv", path)))},
    "report --sort": lambda path: {row["event"]: row["samples"] for row in lines("report", "--json", "--sort", "event,comm", path)},
    "report --sort cpu": lambda path: {row["event"]: row["samples"] for row in lines("report", "--json", "--sort", "comm,event", path)},
    "report --children": lambda path: {row["event"]: row["samples"] for row in lines("report", "--json", "--children", "--sort", "event,comm,dso", path)},
    "annotate --json": lambda path: counted(row["full_name"] for row in lines("annotate", "--json", "-F", "full_name", path)),
    "annotate --format csv": lambda path: counted(row["full_name"] for row in csv.DictReader(io.StringIO(run("annotate", "--format", "csv", "-F", "full_name", path)))),
    "annotate": lambda path: counted(line.split(" ")[-1] for line in run("annotate", "-F", "full_name", path).replace(" \n", "\n").splitlines()),
    "report --html": of_page,
    "speedscope": of_speedscope,
    "otlp": of_otlp,
    "split": of_split,
    "--event": of_filter,
}
KNOWN = []


def check_outputs(what, path, events):
    global KNOWN
    infos = [row for row in lines("info", "--json", path) if "attr" in row]
    KNOWN = [full_name(row) for row in infos]
    for name, event in zip(KNOWN, events):
        assert event[4] is None or name == event[4], (what, name, event)
    expected = dict(zip(KNOWN, SAMPLES))
    assert len(expected) == len(events), (what, KNOWN)
    for output, of in OUTPUTS.items():
        found = {name: count for name, count in of(path).items() if count}
        assert found == expected, (what, output, found, expected)
    for row in lines("report", "--json", "--sort", "event,comm", path):
        assert row["share"] == 1 and row["of"] == row["samples"], (what, row)
    total = run("report", "--sort", "event,comm", path).splitlines()[-1]
    assert re.search(rf" {sum(SAMPLES)} +100.0%", " " + total), (what, total)


def check_typed_again(what, cpuid, event, name):
    """Of PMUs whose type is fixed; config of a generic event has the PMU's type above."""
    row = lines("resolve", "--json", "--cpu", cpuid, name)
    assert len(row) == 1, (what, name, row)
    if event[0] != 0:
        assert int(str(row[0]["config"]), 0) == event[1], (what, name, row)


def check_metrics(folder):
    """Each PMU's instructions by its own cycles: 6 samples by 2, and 2 by 4, of the same period."""
    events = [(0, 4 << 32, 10, "cpu_core/cycles/", None), (0, 8 << 32, 10, "cpu_atom/cycles/", None),
              (0, 4 << 32 | 1, 10, "cpu_core/instructions/", None), (0, 8 << 32 | 1, 10, "cpu_atom/instructions/", None)]
    for counts, expected in (((2, 4, 6, 2), {"ipc (cpu_core)": 3, "ipc (cpu_atom)": 0.5}), ((2, 0, 6, 0), {"ipc (cpu_core)": 3, "ipc (cpu_atom)": None})):
        path = folder / "metrics.data"
        path.write_bytes(recording(ALDER_LAKE, CORES, events, counts))
        row, = lines("report", "--json", "--metrics", "ipc", "--min-samples", "1", "--sort", "comm", path)
        assert {key: row[key] for key in row if key in expected} == expected, row
    path.write_bytes(recording(ALDER_LAKE, CORES, events[:1] + events[3:], (2, 6)))
    done = subprocess.run([EVNAME, "report", "--metrics", "ipc", "--sort", "comm", path], capture_output=True, text=True)
    assert done.returncode != 0 and not done.stdout, done


def check_several_files(folder):
    """A recording of one PMU alone, and another of the other one: two events in a report of both, and in what changed."""
    names = ["cpu_core/cycles/", "cpu_atom/cycles/"]
    paths = []
    for i, (cpuid, name) in enumerate((cpuid, name) for cpuid in (ALDER_LAKE, "GenuineIntel,6,1,1") for name in names):
        path = folder / f"one-{i}.data"
        path.write_bytes(recording(cpuid, CORES, [(0, (4, 8)[i % 2] << 32, 9, name, None)], [SAMPLES[i % 2]]))
        paths.append(path)
    for pair in (paths[:2], paths[2:]):
        found = {row["event"]: row["samples"] for row in lines("report", "--json", *pair)}
        assert found == dict(zip(names, SAMPLES)), found


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for i, (what, cpuid, pmus, *events) in enumerate(PAIRS):
            path = folder / f"{i}.data"
            path.write_bytes(recording(cpuid, pmus, events))
            check_outputs(what, path, events)
            for event, shown in zip(events, KNOWN):
                check_typed_again(what, cpuid, event, shown)
        check_several_files(folder)
        check_metrics(folder)


if __name__ == "__main__":
    main()
