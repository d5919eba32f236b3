#!/usr/bin/env python3
"""Which part of evname uses which: the rooms of runtime/ as runtime/README.md draws them, the generator the
compiler's room and what is below, the command base, the importer, the public headers and those of COMMAND. An include names its folder; no two
files of the library have one name, a header and its .cpp apart; headers include each other in no circle.
Arguments: the source root."""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
RUNTIME = ROOT / "runtime"

# What a room uses, lower ones first; what those use is below it as well.
USES = {
    "base": [],
    "perf_format": ["base"],
    "events/expression": ["base"],
    "events/tables": ["events/expression"],
    "events/trees": ["base"],
    "events/cpu": ["events/tables"],
    "events/compiler": ["events/cpu", "events/trees"],
    "events/pmu": ["events/cpu"],
    "events/syntax": ["events/tables"],
    "events/overlay": ["events/compiler", "events/cpu"],
    "events/packing": ["events/pmu", "events/syntax"],
    "events/pfm4": ["base"],
    "events/machine": ["events/overlay", "events/packing", "events/pfm4"],
    "events/scheduling": ["events/machine"],
    "events/metrics": ["events/scheduling"],
    "events/topdown": ["events/metrics"],
    "recordings/elf": ["base"],
    "recordings/go": ["recordings/elf"],
    "recordings/symbols": ["perf_format", "recordings/go"],
    "recordings/unwinding": ["recordings/symbols"],
    "recordings/spe": ["perf_format"],
    "recordings/stream": ["recordings/spe"],
    "recordings/session": ["recordings/stream", "recordings/symbols"],
    "recordings/perf_data": ["events/metrics", "recordings/session"],
    "recordings/locations": ["recordings/perf_data", "recordings/unwinding"],
    "recordings/selection": ["recordings/locations"],
    "recordings/instructions": ["events/tables", "recordings/elf"],
    "recordings/annotation": ["recordings/instructions", "recordings/selection"],
    "recordings/report": ["recordings/instructions", "recordings/selection"],
    "recordings/profiles": ["recordings/instructions", "recordings/selection"],
    "recordings/rewriting": ["recordings/selection"],
    "counting": ["events/scheduling"],
    "libpfm": ["events/pfm4"],
    "sampling": ["counting", "perf_format"],
    "sampler": ["recordings/locations", "sampling"],
    "c": ["recordings/annotation", "recordings/report", "recordings/profiles", "recordings/rewriting", "sampler",
          "events/topdown"],
    # Not rooms of the library:
    "gen": ["events/compiler", "events/pfm4"],
    "tools": ["base", "gen"],
}

# The headers of rooms that the command includes; it links the rooms themselves.
COMMAND = {
    "counting/places.hpp",
    "counting/refusal.hpp",
    "events/cpu/find_model.hpp",
    "events/machine/code_lists.hpp",
    "events/metrics/metric_steps.hpp",
    "events/overlay/overlay.hpp",
    "events/syntax/events.hpp",
    "events/syntax/kernel_names.hpp",
    "perf_format/feature_types.hpp",
    "recordings/annotation/script_options.hpp",
    "recordings/perf_data/recorded_facts.hpp",
    "recordings/report/detailed_report.hpp",
    "recordings/report/shared_lines.hpp",
    "recordings/symbols/mapping_kinds.hpp",
    "sampling/count_writer.hpp",
}

# The lowest room that implements part of a public header; "base": types that any room may use.
PUBLIC = {
    "error.hpp": "base",
    "encoding.hpp": "base",
    "export.h": "base",
    "version.h": "base",
    "code.h": "base",
    "pass.hpp": "base",
    "attr.hpp": "base",
    "records.hpp": "perf_format",
    "decoded.hpp": "perf_format",
    "symbols.hpp": "recordings/elf",
    "machine.hpp": "events/cpu",
    "schedule.hpp": "events/scheduling",
    "counters.hpp": "counting",
    "recorder.hpp": "sampling",
    "sampler.hpp": "sampler",
    "recording.hpp": "recordings/perf_data",
    "sample_filter.hpp": "recordings/selection",
    "annotate.hpp": "recordings/annotation",
    "rewrite.hpp": "recordings/rewriting",
    "profile.hpp": "recordings/profiles",
    "report.hpp": "recordings/report",
    "instructions.hpp": "recordings/report",
    "metric.hpp": "events/metrics",
    "topdown.hpp": "events/topdown",
    "evname.h": "c",
    "counters.h": "c",
    "decoded.h": "c",
    "sampler.h": "c",
    "events.h": "c",
    "recordings.h": "c",
    "record_fields.def": "base",
    "attr_bits.def": "base",
    "profile_formats.def": "base",
    "evname.hpp": None,  # all of them: for users only
}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)
SOURCES = {".hpp", ".cpp", ".h"}


def part_of(path):
    """The room of a file, or "gen" or "tools"; None: it is the public headers'."""
    folders = path.relative_to(ROOT).parts[:-1]
    if folders[0] != "runtime":
        return folders[0]
    inside = "/".join(folders[1:])
    rooms = [room for room in USES if inside == room or inside.startswith(room + "/")]
    return None if folders[1] == "include" else rooms[0] if rooms else inside


def below(part):
    found = {part}
    for used in USES[part]:
        found |= below(used)
    return found


def included(path):
    """What a file includes of evname: the file (None: there is no such file) and how it is written."""
    for mark, name in INCLUDE.findall(path.read_text()):
        places = [RUNTIME / name, RUNTIME / "include" / name, ROOT / name, ROOT / "tools" / name, ROOT / "gen" / name]
        found = next((place for place in places if place.is_file()), None)
        if mark == '"' or (found and "/" in name):
            yield found, name


def fault_of(part, found, name):
    """The fault of an include, or None."""
    if found is None:
        return "there is no such file, or its folder is missing"
    if found.parent == ROOT / "tools":
        return None if part == "tools" else "tools is not below " + part
    if "/" not in name:
        return "without its folder"
    if part == "tools":
        owner = "public" if found.is_relative_to(RUNTIME / "include") else part_of(found)
        return None if name in COMMAND or owner in ("public", "tools", "base", "gen") else f"{owner} is not for tools"
    if found.is_relative_to(RUNTIME / "include"):
        if found.name not in PUBLIC:
            return "has no row in PUBLIC"
        owner = PUBLIC[found.name]
        return None if owner in below(part) else f"{owner} is not below {part}"
    owner = part_of(found)
    return None if owner in below(part) else f"{owner} is not below {part}"


def include_faults(paths):
    for path in paths:
        part = part_of(path)
        if part is not None and part not in USES:
            yield f"{path.relative_to(ROOT)}: {part} has no row in USES"
            continue
        for found, name in included(path) if part is not None else []:
            if fault := fault_of(part, found, name):
                yield f"{path.relative_to(ROOT)}: {name}: {fault}"


def name_faults(paths):
    """Files of one name, where they are not a header and its .cpp."""
    places = collections.defaultdict(set)
    for path in paths:
        if path.is_relative_to(RUNTIME) and not path.is_relative_to(RUNTIME / "include"):
            places[path.stem].add(path.parent.relative_to(ROOT).as_posix())
    for name, folders in sorted(places.items()):
        if len(folders) > 1:
            yield f"{name}: there are files of this name in {', '.join(sorted(folders))}"


def circle_faults(paths):
    """Files that include themselves in the end."""
    state, trail = {}, []

    def visit(path):
        state[path] = "open"
        trail.append(path)
        for found, _ in included(path):
            if found is None or found == path:
                continue
            if state.get(found) == "open":
                circle = [*trail[trail.index(found):], found]
                yield "a circle: " + " -> ".join(one.relative_to(ROOT).as_posix() for one in circle)
            elif found not in state:
                yield from visit(found)
        trail.pop()
        state[path] = "done"

    for path in paths:
        if path not in state:
            yield from visit(path)


def main():
    paths = sorted(path for folder in ("runtime", "gen", "tools") for path in (ROOT / folder).rglob("*")
                   if path.suffix in SOURCES and path.parent.name != "pch")
    faults = [*include_faults(paths), *name_faults(paths), *circle_faults(paths)]
    for fault in faults:
        print(fault)
    print(f"{len(paths)} files, {len(faults)} faults")
    return 1 if faults or not paths else 0


sys.exit(main())
