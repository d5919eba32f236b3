#!/usr/bin/env python3
"""Draws what the time to resolve a name has to do with how many models are built in.

Arguments: a build directory (release, with tests; its option `models` is changed, and put back to
all), the SVG to write. Every build is measured with the same names, from skylakex."""

import json
import subprocess
import sys

import plot

BUILD, OUT = sys.argv[1:3]
CHOICES = ("x86/skylakex", "x86/skylake*,x86/broadwell*,x86/haswell*", "x86/*", "")
BENCH = "tests/bench/bench-lookup"


def models():
    """How many there are in the build, by its generated tables."""
    count = 0
    for path in subprocess.run(["find", f"{BUILD}/gen", "-name", "tables_*.cpp"], check=True,
                               capture_output=True, text=True).stdout.split():
        with open(path) as file:
            count += sum(int(line.split("=")[1].strip(" ;\n")) for line in file
                         if line.startswith("constexpr std::size_t kModelsCount"))
    return count


def nanoseconds():
    out = subprocess.run([f"{BUILD}/{BENCH}", "--benchmark_filter=resolve_into_buffer/0$",
                          "--benchmark_format=json", "--benchmark_repetitions=5"],
                         check=True, capture_output=True, text=True).stdout
    return min(run["cpu_time"] for run in json.loads(out)["benchmarks"] if run["run_type"] == "iteration")


def main():
    points = []
    for choice in CHOICES:
        subprocess.run(["rm", "-rf", f"{BUILD}/gen/tables.d"], check=True)
        subprocess.run(["meson", "configure", BUILD, f"-Dmodels={choice}"], check=True)
        subprocess.run(["ninja", "-C", BUILD, BENCH], check=True, stdout=subprocess.DEVNULL)
        points.append((models(), nanoseconds()))
        print("{:4} models {:6.1f} ns".format(*points[-1]), flush=True)
    plot.write(OUT, [("ns to resolve a name of skylakex", points, "models")])


main()
