#!/usr/bin/env python3
"""Makes the pictures of docs/ again: docs/pictures/make.py EVNAME [NAME…]
It records evname itself and a small program on this machine, takes made-up counts and memory accesses of tests/, and needs
chromium, pngquant, gzip, gcc and a kernel that lets it sample cpu-clock. A picture has at most 60 KB."""

import os
import pathlib
import subprocess
import sys
import tempfile

EVNAME = pathlib.Path(sys.argv[1]).resolve()
HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parents[1] / "tests"
LIMIT = 60_000

# Counts of a Sapphire Rapids, made up: 40 % back end bound, 30 % because of memory.
SLOTS = {"topdown.slots": 1000, "topdown-retiring": 400, "topdown-bad-spec": 60, "topdown-fe-bound": 140,
         "topdown-be-bound": 400, "int_misc.uop_dropping": 0, "topdown-heavy-ops": 50, "topdown-br-mispredict": 50,
         "topdown-fetch-lat": 90, "topdown-mem-bound": 300}
SEARCH = """#include <stdlib.h>

static int table[1 << 20];

static inline int half(int low, int high) { return low + (high - low) / 2; }

__attribute__((noinline)) int find(int key) {
  int low = 0, high = 1 << 20;
  while (low < high) {
    int middle = half(low, high);
    if (table[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 1 << 20; ++i) table[i] = i * 3;
  for (int i = 0; i < 8000000; ++i) sum ^= find(rand() % 3000000);
  return sum & 0;
}
"""
WORK = "evname report --sort sym small.data; evname list --cpu skylakex --json"


def run(folder, *arguments):
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(arguments, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True)
    assert done.returncode == 0, (arguments, done.stderr)


def record(folder, name, script):
    run(folder, "evname", "record", "-e", "cpu-clock", "-F", "2000", "--call-graph", "dwarf,16384", "-o", name, "--",
        "sh", "-ec", script)


def viewer(folder):
    record(folder, "small.data", "evname list --cpu skylakex --json > /dev/null")
    record(folder, "perf.data", f"{WORK}; evname annotate --format folded small.data; gzip -9 < small.data")
    run(folder, "evname", "report", "--html", "page.html", "perf.data")


def difference(folder):
    record(folder, "before.data", f"{WORK}; evname annotate --format folded small.data")
    record(folder, "after.data", WORK)
    run(folder, "evname", "report", "--diff", "--html", "page.html", "before.data", "after.data")


def memory(folder):
    run(folder, sys.executable, TESTS / "support" / "memory_recording.py", "memory.data", "2000")
    run(folder, "evname", "report", "--html", "page.html", "memory.data")


def instructions(folder):
    (folder / "search.c").write_text(SEARCH)
    run(folder, "gcc", "-O1", "-g", "-o", "search", "search.c")
    run(folder, "evname", "record", "-e", "cpu-clock:u", "-F", "2000", "-o", "search.data", "--", "./search")
    run(folder, "evname", "report", "--html", "page.html", "search.data")


def topdown(folder):
    (folder / "counts.csv").write_text("".join(f"{count},,{event},1000,100.00,,\n" for event, count in SLOTS.items()))
    run(folder, "evname", "topdown", "--cpu", "spr", "--fact", "smt_on=0", "--fact", "core_wide=1", "--level", "2",
        "--from", "counts.csv", "--html", "page.html")


# The pictures: who writes page.html, the part of the page, width and height.
PICTURES = {"viewer": (viewer, "", "1000,600"), "diff": (difference, "", "1000,600"),
            "memory": (memory, "#v=memory", "1000,640"),
            "instructions": (instructions, "#v=instructions", "1000,640"), "topdown": (topdown, "", "1000,660")}


def take(folder, name, part, size):
    run(folder, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={size}",
        f"--user-data-dir={folder}/chromium", "--virtual-time-budget=4000", "--screenshot=picture.png",
        f"file://{folder}/page.html{part}")
    run(folder, "pngquant", "--force", "--strip", "--nofs", "--output", HERE / f"{name}.png", "96", "picture.png")
    taken = (HERE / f"{name}.png").stat().st_size
    print(f"{name}.png: {taken} bytes")
    assert taken <= LIMIT, name


with tempfile.TemporaryDirectory() as place:
    pathlib.Path(place, "evname").symlink_to(EVNAME)
    for name, (write, part, size) in PICTURES.items():
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        write(pathlib.Path(place))
        take(pathlib.Path(place), name, part, size)
