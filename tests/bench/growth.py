#!/usr/bin/env python3
"""Draws how the time and the memory of `evname annotate` grow with the size of a recording.

Arguments: evname, the SVG to write. Records page faults with perf as programs.py does; takes some
minutes and 2 GB of disk (EVNAME_BENCH_DIR keeps the recordings)."""

import os
import pathlib
import sys
import tempfile

import programs

EVNAME, OUT = sys.argv[1:3]

SIZES = (1, 3, 10, 30, 100, 300, 1000)  # MB
WIDTH, HEIGHT, LEFT, TOP = 300, 220, 50, 30


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


def panel(x, title, points):
    """Both axes linear: what is proportional is a straight line through the origin."""
    right, top = max(p[0] for p in points), max(p[1] for p in points) * 1.1
    place = [(x + LEFT + px / right * WIDTH, TOP + HEIGHT - py / top * HEIGHT) for px, py in points]
    line = " ".join(f"{px:.1f},{py:.1f}" for px, py in place)
    dots = "".join(f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3"/>' for px, py in place)
    return (f'<text x="{x + LEFT}" y="18">{title}</text>'
            f'<path d="M{x + LEFT} {TOP}v{HEIGHT}h{WIDTH}" fill="none" stroke="gray"/>'
            f'<polyline points="{line}" fill="none" stroke="steelblue"/>{dots}'
            f'<text x="{x + 5}" y="{TOP + 10}">{top:.3g}</text>'
            f'<text x="{x + LEFT + WIDTH - 60}" y="{TOP + HEIGHT + 18}">{right:.0f} MB</text>')


def main():
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(os.environ.get("EVNAME_BENCH_DIR") or temporary)
        rows = measure(directory)
    panels = panel(0, "seconds", [(size, seconds) for size, seconds, _ in rows])
    panels += panel(380, "MB of memory that is no file's", [(size, mb) for size, _, mb in rows])
    pathlib.Path(OUT).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="290" font-family="sans-serif" '
        f'font-size="13"><rect width="760" height="290" fill="white"/>{panels}</svg>\n')


main()
