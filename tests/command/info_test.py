#!/usr/bin/env python3
"""evname info beside what perf report --header-only and perf report --stats printed of each
recording of EVNAME_SHARED. Arguments: the evname command."""

import json
import os
import pathlib
import re
import subprocess
import sys

SKIPPED = 77  # of Meson

# Lines of perf that tell of the reading perf or of the file system, not of the recording.
NOT_COMPARED = re.compile(
    r"(=+$|captured on|header version|feat offset|event : |contains |schedstat|Maximum sched|cpu\t|"
    r"nr_domains|Domain|data (offset|size) +: 0$|node\d+ cpu list : $|"
    # perf adds what it knows of features that the file doesn't have
    r"missing features|bpf_prog_info empty|btf info empty|.*: empty$|"
    r"# )")


def normal(line):
    line = line.replace(", , id", ", id")
    line = re.sub(r" (type|config) = 0,", "", line)  # left out by some perfs
    return re.sub(r"\s+", " ", line).strip()


def facts(path):
    """Lines of a header.txt that are about the recording, and the events in it."""
    lines, events = [], []
    for line in path.read_text(errors="replace").splitlines():
        line = line.removeprefix("# ").rstrip()
        if line.startswith("event : "):
            # Later perfs add the names of numbers: "type = 4 (PERF_TYPE_RAW)".
            events.append(normal(re.sub(r" \([A-Za-z0-9_ -]+\)", "", line)))
        elif line not in ("", "#") and not NOT_COMPARED.match(line):
            lines.append(normal(line))
    return lines, events


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace").stdout


def compare(evname, data, known):
    """What perf says and evname doesn't."""
    ours = {normal(re.sub(r", event = .*?, (id|type) = ", r", \1 = ", line))
            for line in output_of(evname, "info", "-v", str(data)).splitlines()}
    lines, events = facts(known)
    lost = [line for line in lines if line not in ours]
    lost += [line for line in events if line not in ours]
    return lost, len(lines) + len(events)


def records_differ(evname, data, stats):
    expected = {}
    for line in stats.read_text().splitlines():
        match = re.match(r"\s+(\w+) events:\s+(\d+)", line)
        if not match:
            if " stats:" in line and not line.startswith("Aggregated"):
                break
            continue
        expected[match[1]] = int(match[2])
    expected.pop("TOTAL", None)
    counted = {}
    for line in output_of(evname, "info", "--records", "--json", str(data)).splitlines():
        row = json.loads(line)
        if "record" in row:
            counted[row["record"]] = counted.get(row["record"], 0) + row["count"]
    return {name: (count, counted.get(name, 0)) for name, count in expected.items()
            if counted.get(name, 0) != count}


def main():
    shared = os.environ.get("EVNAME_SHARED")
    if not shared:
        print("EVNAME_SHARED is not set")
        return SKIPPED
    evname, failed, compared = sys.argv[1], 0, 0
    for known in sorted(pathlib.Path(shared, "recordings").glob("*.header.txt")):
        data = known.with_name(known.name.replace(".header.txt", ".data"))
        lost, count = compare(evname, data, known)
        compared += count
        stats = known.with_name(known.name.replace(".header.txt", ".stats.txt"))
        wrong = records_differ(evname, data, stats) if stats.exists() else {}
        if lost or wrong:
            failed += 1
            print(data.name, *lost, wrong or "", sep="\n  ")
    print(f"{compared} lines compared, {failed} recordings differ")
    return 1 if failed or compared < 500 else 0


sys.exit(main())
