#!/usr/bin/env python3
"""No folder of runtime/ includes from a higher one, and the generator nothing of Linux or perf.data.
Arguments: the source root."""

import pathlib
import re
import sys

RUNTIME = pathlib.Path(sys.argv[1], "runtime")

# What each folder may include, beside itself; runtime/README.md draws it.
BELOW = {
    "base": [],
    "tables": ["base"],
    "cpu": ["base", "tables"],
    "overlay": ["base", "tables", "cpu"],
    "pmu": ["base", "tables", "cpu"],
    "event": ["base", "tables", "cpu", "overlay", "pmu"],
    "metric": ["base"],
    "perfdata": ["base"],
    "annotate": ["base", "tables", "cpu", "pmu", "event", "perfdata"],
    "c": ["base", "tables", "cpu", "pmu", "event", "perfdata", "annotate"],
    "gen": ["base", "tables"],
}

# The folder that implements each public header; "base": plain types that any may use.
PUBLIC = {
    "error.hpp": "base",
    "perf_type.hpp": "base",
    "roots.hpp": "base",
    "encoding.hpp": "base",
    "attr.hpp": "perfdata",
    "features.hpp": "perfdata",
    "machine.hpp": "event",
    "schedule.hpp": "event",
    "perf_data.hpp": "annotate",
    "annotate.hpp": "annotate",
    "report.hpp": "annotate",
    "inject.hpp": "annotate",
    "export.h": "base",
    "evname.h": "c",
    "evname.hpp": None,  # all of them: for users only
}

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([a-z_]+)/([^">]+)[">]', re.M)


def layer_of(folder, name):
    """The folder of runtime/ that a header is of; None: it is no header of the library."""
    if folder == "evname":
        return PUBLIC.get(name, f"evname/{name}, which has no row in PUBLIC")
    return folder if (RUNTIME / folder / name).is_file() else None


def upwards(path, own):
    allowed = [own, *BELOW[own]]
    for folder, name in INCLUDE.findall(path.read_text()):
        if folder == "evname" and name == "evname.hpp":
            yield f"{folder}/{name}"
        elif (layer := layer_of(folder, name)) and layer not in allowed:
            yield f"{folder}/{name} ({layer} is not below {own})"


def sources(folder):
    return sorted([*folder.rglob("*.hpp"), *folder.rglob("*.cpp")])


def main():
    faults, count = [], 0
    for folder in sorted(path for path in RUNTIME.iterdir() if path.is_dir() and path.name != "include"):
        if not sources(folder):
            continue
        if folder.name not in BELOW:
            faults.append(f"{folder.name}/ has no row in BELOW")
            continue
        for path in sources(folder):
            faults += [f"{path}: {include}" for include in upwards(path, folder.name)]
            count += 1
    for path in sources(RUNTIME.parent / "gen"):
        faults += [f"{path}: {include}" for include in upwards(path, "gen")]
        count += 1
    for path in (RUNTIME / "include" / "evname").glob("*.hpp"):
        if path.name not in PUBLIC:
            faults.append(f"{path}: has no row in PUBLIC")
    for fault in faults:
        print(fault)
    print(f"{count} files, {len(faults)} faults")
    return 1 if faults or not count else 0


sys.exit(main())
