#!/usr/bin/env python3
"""Times the top-down trees of many files of counts by one machine in one process: the examples in C++ and Python.
Usage: topdown_fleet.py EXAMPLE [FILES]; EXAMPLE is tests/examples/example-topdown_fleet of a build; the Python example needs
the module evname."""

import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

PYTHON = pathlib.Path(__file__).resolve().parents[2] / "tests/examples/topdown_fleet.py"
# What level 1 of a Zen 4 and most of level 2 need, in parts of the cycles.
EVENTS = {"ls_not_halted_cyc": (1, 1), "de_no_dispatch_per_slot.no_ops_from_frontend": (0, 3),
          "de_no_dispatch_per_slot.backend_stalls": (0, 2),
          "de_src_op_disp.all": (2, 3), "ex_ret_ops": (1, 2), "de_no_dispatch_per_slot.smt_contention": (0, 0.2),
          "ex_no_retire.load_not_complete": (0, 1), "ex_no_retire.not_complete": (0, 1), "ex_ret_brn_misp": (0, 0.1),
          "resyncs_or_nc_redirects": (0, 0.1), "ex_ret_ucode_ops": (0, 0.2)}


def write_files(folder, number):
    draw = random.Random(20)
    paths = []
    for index in range(number):
        sub = folder / f"{index // 1000:03}"
        sub.mkdir(exist_ok=True)
        paths.append(sub / f"{index}.csv")
        paths[-1].write_text("".join(f"{int(1e8 * draw.uniform(*part))},,{event},1000000,100.00,,\n" for event, part in EVENTS.items()))
    return paths


def main(example, number="100000"):
    with tempfile.TemporaryDirectory() as folder:
        paths = write_files(pathlib.Path(folder), int(number))
        text = "".join(f"{path}\n" for path in paths)
        for words in ([example, "amdzen4"], [sys.executable, str(PYTHON), "amdzen4"]):
            before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            done = subprocess.run(words, input=text, capture_output=True, encoding="utf-8")
            after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - begin
            lines = done.stdout.splitlines()
            if done.returncode != 0 or len(lines) != len(paths):
                print(f"{' '.join(words)}: {len(lines)} lines, exit status {done.returncode}: {done.stderr[-300:]}")
                continue
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print(f"{pathlib.Path(words[-2]).name}: {len(paths)} files in {seconds:.2f} s, {cpu:.2f} s of CPU time, "
                  f"{1e6 * cpu / len(paths):.1f} us each, {after.ru_maxrss // 1024} MB at most")


if __name__ == "__main__":
    main(*sys.argv[1:])
