#!/usr/bin/env python3
"""Draws how the time and the memory of `evname annotate` grow with the size of a recording.

Arguments: evname, the SVG to write. Records page faults with perf as programs.py does; takes some
minutes and 2 GB of disk (EVNAME_BENCH_DIR keeps the recordings)."""

import os
import pathlib
import sys
import tempfile

import plot
import programs

EVNAME, OUT = sys.argv[1:3]

SIZES = (1, 3, 10, 30, 100, 300, 1000)  # MB


def measure(directory):
    rows = []
    for size in SIZES:
        path = directory / f"growth-{size}.data"
        programs.record(path, size, "-o", str(path))
        command = [EVNAME, "annotate", str(path)]
        seconds = programs.best(command, runs=3)
        memory = programs.anonymous_megabytes(command)
        rows.append((path.stat().st_size / 1e6, seconds, memory))
        print("{:8.1f} MB {:8.3f} s {:6.1f} MB of memory".format(*rows[-1]), flush=True)
    return rows


def main():
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(os.environ.get("EVNAME_BENCH_DIR") or temporary)
        rows = measure(directory)
    plot.write(OUT, [("seconds", [(size, seconds) for size, seconds, _ in rows], "MB"),
                     ("MB of memory that is no file's", [(size, mb) for size, _, mb in rows], "MB")])


main()
