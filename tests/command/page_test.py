#!/usr/bin/env python3
"""The page of evname report --html in headless Chromium, driven by page.js: what it shows are the numbers of the
command, a part of the time has less of them, and keys do what the mouse does. Needs chromium and playwright-core.
Arguments: the evname command and the source root."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import perf_file
from npm_modules import modules, skip

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
SYSTEM = ROOT / "tests" / "data" / "cortex-a72-system.data"
OTHER = ROOT / "tests" / "data" / "neoverse-n1.data"


def number(text):
    return int(text.replace("\u2009", ""))


def rows_of(*words):
    done = subprocess.run([EVNAME, "report", "--json", *words], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def seen_of(node, env, chromium, folder, *words):
    page = pathlib.Path(folder, "page.html")
    subprocess.run([EVNAME, "report", "--html", page, *words], check=True, capture_output=True)
    done = subprocess.run([node, ROOT / "tests" / "command" / "page.js", chromium, page], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["errors"] == [] and seen["requests"] == [], (seen["errors"], seen["requests"])
    return seen


def check_one(seen):
    events = rows_of(SYSTEM)
    assert {row[0]: number(row[1]) for row in seen["events"]} == {row["event"]: row["samples"] for row in events}
    assert {row[0]: number(row[3]) for row in seen["events"]} == {row["event"]: row["period"] for row in events}
    assert seen["again"] == seen["events"], "the whole recording is not what it was"
    chosen = seen["events"][0][0]
    threads = [row for row in rows_of("--sort", "event,comm,tid", SYSTEM) if row["event"] == chosen]
    assert {row[0]: number(row[1]) for row in seen["threads"]} == {f'{row["comm"]} {row["tid"]}': row["samples"] for row in threads}
    cpus = [row for row in rows_of("--sort", "event,cpu", SYSTEM) if row["event"] == chosen]
    assert {row[0]: number(row[1]) for row in seen["cpus"]} == {str(row["cpu"]): row["samples"] for row in cpus}
    functions = {row["sym"]: row for row in rows_of("--sort", "event,sym", "--children", SYSTEM) if row["event"] == chosen}
    for name, own, _, total, *_ in seen["functions"]:
        assert (number(own), number(total)) == (functions[name]["samples"], functions[name]["children"]), name


def check_part(seen):
    """First and last are in the part of the time that was chosen, and its sums are smaller."""
    before = {row[0]: row for row in seen["events"]}
    assert seen["from"] < seen["to"]
    for row in seen["picked"]:
        assert number(row[1]) <= number(before[row[0]][1]), row
        if row[4] != "-":
            assert seen["from"] - 1e-4 <= float(row[4]) <= float(row[5]) <= seen["to"] + 1e-4, (row, seen["from"], seen["to"])
    assert sum(number(row[1]) for row in seen["picked"]) < sum(number(row[1]) for row in seen["events"])
    assert "samples" in seen["tip"], seen["tip"]


def check_changes(node, env, chromium, folder):
    """With --diff, the page opens with an event that both recordings have, and its changes."""
    before, after = (pathlib.Path(folder, name) for name in ("before.data", "after.data"))
    before.write_bytes(perf_file.file(b"".join(perf_file.sample(i, id=1 + i % 3 // 2) for i in range(9)), [perf_file.attr(0), perf_file.attr(1)]))
    after.write_bytes(perf_file.file(perf_file.sample(1), [perf_file.attr(1)]))
    seen = seen_of(node, env, chromium, folder, "--diff", before, after)
    assert seen["compares"] == ["task-clock (1: before.data)", "task-clock (2: after.data)"], seen["compares"]
    assert seen["title"] == "Changes by event, from the first recording to the second"
    changes = [(row[0], number(row[1]), number(row[2]), row[5].replace("\u00a0", "")) for row in seen["rows"]]
    assert sorted(changes) == [("cpu-clock", 6, 0, "\u221266.7%"), ("task-clock", 3, 1, "+66.7%")], changes


def main():
    node = shutil.which("node")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if not node or not chromium:
        skip("no node or no chromium")
    env = modules(node, "playwright-core")
    with tempfile.TemporaryDirectory() as folder:
        seen = seen_of(node, env, chromium, folder, SYSTEM)
        check_one(seen)
        check_part(seen)
        assert seen["byKeys"] > 0, "arrow keys move nothing"
        assert len(seen["lanes"]) >= len(seen["threads"]), seen["lanes"]
        assert seen["zoomed"] != seen["unzoomed"] and seen["unzoomed"].startswith("all"), seen["zoomed"]
        assert "of the samples are in or below" in seen["found"], seen["found"]
        assert seen["dark"] == "rgb(20, 24, 29)", seen["dark"]
        assert "CPUs" in seen["links"], seen["links"]
        # Of a recording without CPUs, nothing leads to them.
        assert "CPUs" not in seen_of(node, env, chromium, folder, OTHER)["links"]
        # Two recordings of different clocks: both on the page, which can compare them.
        both = seen_of(node, env, chromium, folder, "--sort", "comm", SYSTEM, OTHER)
        assert len(both["events"]) == len(rows_of(SYSTEM)) + len(rows_of(OTHER)), both["events"]
        assert sum(number(row[1]) for row in both["picked"]) > 0, "the middle of the chart is empty"
        assert both["title"] == "By comm" and len(both["rows"]) == sum(len(rows_of("--sort", "comm", f)) for f in (SYSTEM, OTHER))
        assert {row[0] for row in both["rows"]} == {f"1: {SYSTEM.name}", f"2: {OTHER.name}"}, both["rows"]
        assert "compared" in both, both
        check_changes(node, env, chromium, folder)
    return 0


sys.exit(main())
