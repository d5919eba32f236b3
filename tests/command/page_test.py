#!/usr/bin/env python3
"""The page of evname report --html in headless Chromium, driven by page.js: what it shows are the numbers of the
command, a part of the time has less of them, and keys do what the mouse does. Needs chromium and playwright-core.
Arguments: the evname command, the source root, and yes or no: can it decode instructions?"""

import json
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import memory_recording  # noqa: E402
import perf_file
from npm_modules import modules, skip

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
DECODES = sys.argv[3] == "yes"
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


def check_functions(shown, words, event):
    """Each function that the page shows has the samples that the command prints."""
    functions = {row["sym"]: row for row in rows_of("--sort", "event,sym", "--children", *words) if row["event"] == event}
    assert shown, words
    sums = [(number(own), number(total)) for _, _, own, _, total, *_ in shown if total != "-"]
    assert sums == sorted(sums, reverse=True), words
    for name, _, own, _, total, *_ in shown:
        row = functions[{"[stack walk failed]": "0x0", "[no address]": "-"}.get(name, name)]
        assert (number(own), number(total)) == (row["samples"], row["children"]), (name, words)


def total_of(text):
    return number(re.match("[0-9\u2009]+", text)[0])


def check_one(seen):
    events = rows_of(SYSTEM)
    assert {row[0]: number(row[1]) for row in seen["events"]} == {row["event"]: row["samples"] for row in events}
    assert {row[0]: number(row[3]) for row in seen["events"]} == {row["event"]: row["period"] for row in events}
    chosen = seen["events"][0][0]
    assert total_of(seen["total"]) == number(seen["events"][0][1]), seen["total"]
    threads = [row for row in rows_of("--sort", "event,comm,tid", SYSTEM) if row["event"] == chosen]
    assert {name: total_of(sum) for name, sum in seen["threads"]} == {f'{row["comm"]} {row["tid"]}': row["samples"] for row in threads}
    cpus = [row for row in rows_of("--sort", "event,cpu", SYSTEM) if row["event"] == chosen]
    assert {name: total_of(sum) for name, sum in seen["cpus"]} == {f'CPU {row["cpu"]}': row["samples"] for row in cpus}
    check_functions(seen["functions"], [SYSTEM], chosen)
    assert seen["base"]["bottom"] <= 900 and seen["base"]["left"] < 2, seen["base"]
    assert all(wide <= 0 for wide in seen["overflow"].values()), seen["overflow"]


def check_instructions(seen):
    """Each instruction has the samples that the command prints, of the first function and of the last."""
    if not DECODES:
        return
    chosen, shown = seen["events"][0][0], seen["instructions"]
    rows = [row for row in rows_of("--instructions", "--top", "1000", SYSTEM) if row[chosen + "_samples"]]
    for (name, module, own, _), listed in ((shown["functions"][0], shown["list"]), (shown["functions"][-1], shown["other"])):
        wanted = {row["address"][2:]: row[chosen + "_samples"] for row in rows if (row["function"], row["dso"].rpartition("/")[2]) == (name, module)}
        assert {row[2]: number(row[0]) for row in listed if row[0]} == wanted, (name, listed)
        assert sum(wanted.values()) == number(own), (name, own)


def check_part(seen):
    """A part of the time has less of everything, and what the command of the same part has. The back button leads to the
    whole, a link to the part."""
    part = seen["part"]
    words = shlex.split(part["command"])
    time = words[words.index("--time") + 1]
    check_functions(part["functions"], ["--time", time, SYSTEM], seen["events"][0][0])
    assert 0 < total_of(part["total"]) < total_of(seen["total"]), part["total"]
    of_part = {row["event"]: row["samples"] for row in rows_of("--time", time, SYSTEM)}
    assert {row[0]: number(row[1]) for row in part["events"]} == of_part
    first, last = (float(text) for text in time.split(","))
    for row in part["events"]:
        if row[4] != "-":
            assert first - 1e-5 <= float(row[4]) <= float(row[5]) <= last + 1e-5, (row, time)
    assert "samples" in seen["tip"], seen["tip"]
    assert seen["back"] == {"total": seen["total"], "functions": seen["functions"]}, "back is not what it was"
    assert seen["linked"] == {"total": part["total"], "functions": part["functions"]}, "the link leads elsewhere"
    assert seen["again"] == seen["total"], "the whole recording is not what it was"
    thread = seen["thread"]
    assert total_of(thread["total"]) == dict((name, total_of(sum)) for name, sum in seen["threads"])[thread["name"]], thread


def check_changes(node, env, chromium, folder):
    """With --diff, the page opens with an event that both recordings have, and its changes."""
    before, after = (pathlib.Path(folder, name) for name in ("before.data", "after.data"))
    before.write_bytes(perf_file.file(b"".join(perf_file.sample(i, id=1 + i % 3 // 2) for i in range(9)), [perf_file.attr(0), perf_file.attr(1)]))
    after.write_bytes(perf_file.file(perf_file.sample(1), [perf_file.attr(1)]))
    seen = seen_of(node, env, chromium, folder, "--diff", before, after)
    assert seen["compares"] == ["task-clock (1: before.data)", "task-clock (2: after.data)"], seen["compares"]
    assert seen["rowsTitle"] == "Changes by event, from the first recording to the second"
    changes = [(row[0], number(row[1]), number(row[2]), row[5].replace("\u00a0", "")) for row in seen["rows"]]
    assert sorted(changes) == [("cpu-clock", 6, 0, "\u221266.7%"), ("task-clock", 3, 1, "+66.7%")], changes


def check_memory(node, env, chromium, folder):
    """The view of memory accesses has the numbers of --mem and --c2c, and opens what threads do on a line."""
    recording = pathlib.Path(folder, "memory.data")
    recording.write_bytes(memory_recording.recording(2000))
    seen = seen_of(node, env, chromium, folder, recording)
    shown, rows = seen["memory"], rows_of("--mem", recording)
    for table, key in ((shown["levels"], "mem"), (shown["tlb"], "tlb")):
        assert {row[0]: (number(row[1]), number(row[3])) for row in table} == \
            {row["value"]: (row["samples"], row["cost"]) for row in rows if row["by"] == key}, table
    lines = [row for row in rows_of("--c2c", recording) if row["table"] == "line"]
    assert [(row[0], number(row[1]), number(row[2])) for row in shown["lines"]] == \
        [(row["place"], row["remote_hitm"], row["local_hitm"]) for row in lines], shown["lines"]
    assert lines[0]["place"] in shown["title"] and lines[1]["place"] in shown["other"], shown
    assert shown["accesses"] and shown["drawn"] > 10, shown
    assert all(wide <= 0 for wide in seen["overflow"].values()), seen["overflow"]


def tall_and_wide():
    """Two functions below sixty callers, and a function that calls 1,300."""
    chains = [[0x100 * leaf, *range(60, 0, -1)] for leaf in (2000, 2001, 2001, 2001)] * 300 + [[0x100 * (i + 100), 0x61] for i in range(1300)]
    data = [perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQQ", 1, chain[0], 1, 1, 1000 * i, len(chain) + 1)
                             + struct.pack(f"<q{len(chain)}Q", -512, *chain), 2) for i, chain in enumerate(chains)]
    return perf_file.file(b"".join(data), [perf_file.attr(sample_type=perf_file.TYPE | 1 | 1 << 5)])


def check_stacks(node, env, chromium, folder):
    """In a graph that is taller than the screen, the frame that was clicked on stays in sight, and a double click opens it;
    another view and back leave the graph where it was;
    calls that the tree does not show at once are a line that opens."""
    recording = pathlib.Path(folder, "stacks.data")
    recording.write_bytes(tall_and_wide())
    seen = seen_of(node, env, chromium, folder, recording)
    clicks = seen["clicks"]
    assert clicks.pop("seen"), clicks
    for wanted, shown in clicks.values():
        assert wanted == shown, clicks
    # Lines that are open: all, the thread, the function that calls 1,300 and the one with the sixty callers.
    assert seen["manyCalls"] == [[505, "800 more, 800 samples"], [1005, "300 more, 300 samples"], [1304, None], "1", [4, None]], seen["manyCalls"]


def check_metrics(node, env, chromium, folder):
    """The view of metrics has the values of --metrics and --topdown, and a tick makes a column of the functions. The
    recording has events of Zen 4's pipeline, each as often as its number says."""
    recording, sample_type = pathlib.Path(folder, "metrics.data"), perf_file.TYPE | 1
    events = (0x76, 0x1000001a0, 0x7aa, 0xc1, 0xc0)
    data = [perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQ", number, 0x1000 * (i % 2), 1, 1, 1000 * i), 2)
            for number in range(1, 6) for i in range(20 * number)]
    features = [(number, struct.pack("<I", len(text) + 1) + text + b"\0") for number, text in ((6, b"x86_64"), (9, b"AuthenticAMD-25-17-1"))]
    recording.write_bytes(perf_file.file(b"".join(data), [perf_file.attr(config, 4, sample_type) for config in events], features))
    seen = seen_of(node, env, chromium, folder, recording)
    assert seen["opened"] == "Functions", "a flame graph without callers"
    seen = seen["metrics"]
    listed = {row[1]: row[2].replace("\u00a0", "") for row in seen["list"]}
    assert (listed["frontend_bound"], listed["retiring"]) == ("33.33%", "66.67%"), seen["list"]
    # Of 20 cycles with 6 slots each: 40 slots were empty, 80 operations retired.
    nodes = {row[0].split()[0]: row[1].replace("\u00a0", "") for row in seen["tree"]}
    assert (nodes["frontend_bound"], nodes["retiring"]) == ("33.3%", "66.7%"), nodes
    assert seen["columns"][-1] == "retiring" and {row[-1] for row in seen["functions"]} == {"66.67\u00a0%"}, seen
    if "ipc" in listed:  # which Linux's tables lack
        assert (listed["ipc"], listed["cpi"], seen["columns"][-2]) == ("5.000", "0.2000", "ipc"), seen
        assert {row[-2] for row in seen["functions"]} == {"5.000"}, seen["functions"]


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
        check_instructions(seen)
        assert len(seen["byKeys"]) == 1 and " s to " in seen["byKeys"][0], "arrow keys move nothing"
        assert seen["zoomed"] != seen["unzoomed"] and "itself" in seen["zoomed"], seen["zoomed"]
        assert seen["callers"] and "with what it calls" in seen["callers"][1], seen["callers"]
        assert "are in or below frames with" in seen["found"], seen["found"]
        assert seen["tree"][0] == seen["threads"][0][1].split()[0] or number(seen["tree"][0]) > 0, seen["tree"]
        assert seen["ofTree"] == "callers", seen["ofTree"]
        assert seen["dark"] == "rgb(20, 24, 29)", seen["dark"]
        assert seen["cpus"], seen["cpus"]
        # Of a recording without CPUs, nothing is said of them.
        assert seen_of(node, env, chromium, folder, OTHER)["cpus"] == []
        # Two recordings of different clocks: both on the page, which can compare them.
        both = seen_of(node, env, chromium, folder, "--sort", "comm", SYSTEM, OTHER)
        assert len(both["events"]) == len(rows_of(SYSTEM)) + len(rows_of(OTHER)), both["events"]
        assert sum(number(row[1]) for row in both["part"]["events"]) > 0, "the middle of the chart is empty"
        assert both["rowsTitle"] == "By comm" and len(both["rows"]) == sum(len(rows_of("--sort", "comm", f)) for f in (SYSTEM, OTHER))
        assert {row[0] for row in both["rows"]} == {f"1: {SYSTEM.name}", f"2: {OTHER.name}"}, both["rows"]
        assert "smaller share" in both["compared"], both
        check_changes(node, env, chromium, folder)
        check_memory(node, env, chromium, folder)
        check_metrics(node, env, chromium, folder)
        check_stacks(node, env, chromium, folder)
    return 0


sys.exit(main())
