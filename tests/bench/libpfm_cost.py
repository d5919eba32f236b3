#!/usr/bin/env python3
"""evname's libpfm.so.4 beside libpfm4's, in one run: what a process pays that initializes it and encodes one event (microseconds of
both calls; page faults and instructions more than the same program without a library), relocations and size; then the
functions, in nanoseconds a call. Fails if a count that is the same on every machine is above its limit.

  tests/bench/libpfm_cost.py BENCH-LIBPFM-CALLS OURS [THEIRS]"""

import os
import re
import shutil
import statistics
import subprocess
import sys

# A text, the settings, and the most page faults and thousands of instructions that it may take. The linker's are among them.
JOBS = [("perf::CYCLES", {}, 40, 120),
        ("skx::MEM_LOAD_RETIRED:L3_MISS", {"LIBPFM_FORCE_PMU": "skx"}, 40, 120),
        ("skx::MEM_LOAD_RETIRED:L3_MISS", {"LIBPFM_ENCODE_INACTIVE": "1"}, 40, 120)]
MOST_RELOCATIONS, MOST_BYTES = 60, 6 << 20
TURNS = 41


def page_faults(command, environment):
    counts = []
    for _ in range(10):
        pid = os.posix_spawnp(command[0], command, environment,
                              file_actions=[(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_WRONLY, 0) for descriptor in (1, 2)])
        counts.append(os.wait4(pid, 0)[2].ru_minflt)
    return min(counts)


def instructions(command, environment):
    run = subprocess.run(["valgrind", "--tool=lackey", "--basic-counts=yes", *command], check=False, capture_output=True, text=True,
                         env={"PATH": os.environ["PATH"]} | environment)
    return int(re.search(r"guest instrs:\s+([\d,]+)", run.stderr)[1].replace(",", ""))


def microseconds(command, environment):
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def installed():
    """The path of libpfm4's library: a process that has loaded evname's would take that for its name."""
    known = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    return re.search(r"libpfm\.so\.4 .*=> (.*)", known)[1]


def main(program, ours, theirs=None):
    theirs = theirs or installed()
    failed = False
    bare = [program]
    print(f"{'':60} {'evname':>10} {'libpfm4':>10}  factor")

    def line(what, a, b, limit=None):
        nonlocal failed
        over = limit is not None and a > limit
        failed |= over
        print(f"{what:60} {a:10.1f} {b:10.1f} {b / max(a, 0.1):7.1f}{f'  more than {limit}' if over else ''}")

    for text, environment, most_faults, most_thousands in JOBS:
        print(text, *(f"{name}={value}" for name, value in environment.items()))
        commands = [[program, "--once", library, text] for library in (ours, theirs)]
        times = [[], []]
        for _ in range(TURNS):
            for i, command in enumerate(commands):
                times[i].append(microseconds(command, environment))
        line("  pfm_initialize() and the encoding, us, median", *map(statistics.median, times))
        line("  the same, least", *map(min, times))
        before = page_faults(bare, environment)
        line("  page faults of the process", *(page_faults(command, environment) - before for command in commands), limit=most_faults)
        if shutil.which("valgrind"):
            before = instructions(bare, environment)
            line("  instructions of the process, in thousands",
                 *((instructions(command, environment) - before) / 1e3 for command in commands), limit=most_thousands)
    if shutil.which("readelf") and os.path.exists(theirs) and os.path.exists(ours):
        counts = [subprocess.run(["readelf", "-rW", library], check=True, capture_output=True, text=True).stdout.count(" R_")
                  for library in (ours, theirs)]
        line("relocations", *counts, limit=MOST_RELOCATIONS)
        line("bytes", os.stat(ours).st_size, os.stat(theirs).st_size, limit=MOST_BYTES)
    sys.stdout.flush()
    return subprocess.run([program, ours, theirs], check=False).returncode or int(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
