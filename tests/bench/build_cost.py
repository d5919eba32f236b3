#!/usr/bin/env python3
"""What a clean build costs: CPU seconds and the compiler's memory, of the command and then of all that
tests need, the slowest files and those that read most headers. Without ccache, in a new directory.
With --events the cost of the wing `events` alone, as programs link it that only resolve names.

  tests/bench/build_cost.py [--events] [--jobs N] [--keep DIR] [MESON_OPTION…]

CXX and CC name the compilers, as for Meson."""

import argparse
import json
import os
import pathlib
import resource
import shlex
import statistics
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
STEPS = [("the command", "tools/evname"), ("what tests need", "meson-test-prereq")]
EVENTS_STEPS = [("the wing events", "all")]
EVENTS_OPTIONS = ["-Dwings=events", "-Dtools=false", "-Dtests=false"]
SHOWN = 10


def own_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(log, command):
    """Stands in for the compiler: runs it, and adds a line on what it took to the log."""
    pid = os.spawnvp(os.P_NOWAIT, command[0], command)
    _, status, usage = os.wait4(pid, 0)
    output = command[command.index("-o") + 1] if "-o" in command else ""
    with open(log, "a") as lines:
        lines.write(json.dumps({"output": output, "compiles": "-c" in command, "own": own_seconds(),
                                "seconds": usage.ru_utime + usage.ru_stime, "kilobytes": usage.ru_maxrss}) + "\n")
    return os.waitstatus_to_exitcode(status)


def entries_of(log):
    return [json.loads(line) for line in log.read_text().splitlines()]


def headers_of(build):
    """The headers that each object's compiler read."""
    deps, name = {}, None
    for line in subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True,
                               text=True).stdout.splitlines():
        if line.startswith("    "):
            deps[name].add(os.path.normpath(os.path.join(build, line.strip())))
        elif ":" in line:
            name = line.split(":")[0]
            deps[name] = set()
    return deps


def report(build, log):
    files = [entry for entry in entries_of(log) if entry["compiles"]]
    headers = headers_of(build)
    for entry in files:
        found = headers.get(entry["output"], set())
        entry["headers"] = max(len(found) - 1, 0)  # one is the source
        entry["bytes"] = sum(os.path.getsize(path) for path in found if os.path.exists(path))

    def row(entry):
        return (f"{entry['seconds']:8.1f} s {entry['kilobytes'] / 1024:6.0f} MB {entry['headers']:5} headers "
                f"{entry['bytes'] / 1e6:5.1f} MB  {entry['output']}")

    print(f"\nthe slowest of {len(files)} compilations: CPU, memory, what was read")
    for entry in sorted(files, key=lambda entry: -entry["seconds"])[:SHOWN]:
        print(row(entry))
    print("\nthose that read most")
    for entry in sorted(files, key=lambda entry: -entry["bytes"])[:SHOWN]:
        print(row(entry))
    print(f"\nmedian: {statistics.median(entry['seconds'] for entry in files):.1f} s, "
          f"{statistics.median(entry['headers'] for entry in files):.0f} headers of "
          f"{statistics.median(entry['bytes'] for entry in files) / 1e6:.1f} MB; "
          f"most memory: {max(entry['kilobytes'] for entry in files) / 1024:.0f} MB")


def build_in(build, jobs, steps, options):
    log = pathlib.Path(build, "compilations.jsonl")
    environment = dict(os.environ, CCACHE_DISABLE="1")
    for variable, default in (("CXX", "c++"), ("CC", "cc")):
        environment[variable] = shlex.join([sys.executable, os.path.abspath(__file__), "--measure", str(log),
                                            *shlex.split(os.environ.get(variable, default))])
    subprocess.run(["meson", "setup", build, SOURCE, *options], check=True, env=environment, stdout=subprocess.DEVNULL)
    log.write_text("")  # not what Meson tried
    configured = spent = children_seconds()
    for what, target in steps:
        subprocess.run(["ninja", "-C", build, "-j", str(jobs), target], check=True, env=environment,
                       stdout=subprocess.DEVNULL)
        now = children_seconds() - sum(entry["own"] for entry in entries_of(log))
        print(f"{what}: {now - spent:.0f} CPU seconds, {now - configured:.0f} in all", flush=True)
        spent = now
    report(build, log)


def main():
    if sys.argv[1:2] == ["--measure"]:
        return measure(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", action="store_true", help="that wing of the library alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", help="build there, and leave it; the directory must not exist")
    arguments, options = parser.parse_known_args()
    steps = EVENTS_STEPS if arguments.events else STEPS
    options += EVENTS_OPTIONS if arguments.events else []
    if arguments.keep:
        build_in(os.path.abspath(arguments.keep), arguments.jobs, steps, options)
    else:
        with tempfile.TemporaryDirectory(prefix="evname-build-cost-") as build:
            build_in(build, arguments.jobs, steps, options)
    return 0


sys.exit(main())
