#!/usr/bin/env python3
"""The cost of a process of the command: the instructions it executes and the pages of memory it touches and writes, as
valgrind counts them. Page faults would be the cost itself, but the kernel maps more or fewer pages at once, depending on
what is in its cache. Fails if a count is above its limit.

  tests/bench/start_cost.py EVNAME"""

import os
import subprocess
import sys

# Arguments; the most millions of instructions, pages touched and pages written (/bin/true: 0.11, 140 and 26).
JOBS = [(["resolve", "--cpu", "skylakex", "mem_load_retired.l3_miss"], (1.6, 340, 36)),
        (["--version"], (0.3, 170, 28))]
PAGE_BITS = 12


def counts(command):
    """Millions of instructions, pages touched, pages written. A line of the trace is a kind and "address,size": I is an
    instruction, L a load, S a store, M both."""
    run = subprocess.run(["valgrind", "--tool=lackey", "--trace-mem=yes", *command], check=True,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                         env={"PATH": os.environ["PATH"]})
    number, touched, written = 0, set(), set()
    for line in run.stderr.splitlines():
        kind = line[:3].strip()
        if kind not in ("I", "L", "S", "M"):
            continue
        page = int(line[3:].split(",")[0], 16) >> PAGE_BITS
        number += kind == "I"
        touched.add(page)
        if kind in "SM":
            written.add(page)
    return number / 1e6, len(touched), len(written)


def main(evname):
    failed = False
    for arguments, limits in JOBS:
        values = counts([evname, *arguments])
        failed |= any(value > limit for value, limit in zip(values, limits))
        print(f"evname {' '.join(arguments)}: {values[0]:.2f} million instructions (at most {limits[0]}), "
              f"{values[1]} pages touched (at most {limits[1]}), {values[2]} written (at most {limits[2]})")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
