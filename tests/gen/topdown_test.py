#!/usr/bin/env python3
"""What gen/topdown.py says about data that is wrong, and what it makes of a small tree.
Usage: topdown_test.py TOPDOWN.PY"""

import json
import pathlib
import subprocess
import sys
import tempfile

CORES = [{"Core": "new", "Tree": "t", "Models": "x86/m", "Line": "old"}, {"Core": "old", "Tree": "t", "Models": "x86/o"}]
EVENTS = [{"EventName": name, "EventCode": "0x1"} for name in ("A.X", "B.X", "SLOTS.ALL")]


def node(name, forms, below="", flag="> 0.2", **more):
    return {"Node": name, "Tree": "t", "Below": below, "Flag": flag, "Forms": forms if isinstance(forms, dict) else {"old": forms}, **more}


def quantity(name, form):
    return {"Quantity": name, "Tree": "t", "Forms": {"old": form}}


# Rows, and what is said about them.
FAULTS = [
    ([node("a", "A.X"), node("a", "B.X")], "nodes.json: two rows are called 'a' in the tree 't'"),
    ([node("a", "b"), node("b", "a")], "nodes.json: 'a' needs itself: a -> b -> a"),
    ([node("a", "{q}"), quantity("q", "{r}"), quantity("r", "1 + {q}")], "quantity 'q' needs itself: a -> {q} -> {r}"),
    ([node("a", "A.X", below="b"), node("b", "B.X", below="a")], "nodes.json: 'a' is below itself: a -> b -> a"),
    ([node("a", "A.X", below="b")], "nodes.json: 'a' is below 'b', which is not a node of the tree 't'"),
    ([node("a", {"newer": "A.X"})], "nodes.json: 'a': there is no core called newer"),
    ([node("a", "(" * 10000 + "A.X")], "nodes.json: a of new: '" + "(" * 40 + "…': nested more than 60 deep"),
    ([node("a", "-" * 10000 + "A.X")], "nodes.json: a of new: '" + "-" * 40 + "…': nested more than 60 deep"),
    ([node("a", "(A.X")], "nodes.json: a of new: '(A.X': ')' is missing"),
    ([node("a", "A.X B.X")], "nodes.json: a of new: 'A.X B.X': 'B.X' is not expected"),
    ([node("a", "A.X + $")], "nodes.json: a of new: 'A.X + $': column 6 is not understood"),
    ([node("a", "{q}")], "'a' needs the quantity 'q', which is not defined"),
    ([node("a", "A.X:c!")], "nodes.json: a of new: 'A.X:c!': column 6 is not understood"),
    ([{"Tree": "t", "Forms": {}}], "nodes.json: a row is neither Core, nor Quantity or Node with Forms"),
    ([["a"]], "nodes.json: an array of objects that have a Tree is expected"),
]

TREE = [
    node("a", {"old": "A.X / {slots}", "new": "A.X:c2 / {slots}"}, Sample="A.X NONE.X"),
    node("a_x", "max(0, B.X * 3 - A.X * (2 + 1))", below="a", flag="> 0.1 | a_y > 0.3"),
    node("a_y", {"old": "MISSING.X", "new": "{below:a} - 1"}, below="a"),
    node("b", {"old": "B.X if {wide} else MISSING.X"}),
    quantity("slots", "{width} * SLOTS.ALL"), quantity("width", "4"), quantity("wide", "1"),
]
METRICS = {
    "m": {"a": ("cpu@A.X\\,cmask\\=2@ / (4 * SLOTS.ALL)", "a > 0.2"),
          "a_x": ("max(0, (B.X - A.X) * 3)", "(a_x > 0.1 | a_y > 0.3) & a > 0.2"),
          "a_y": ("a_x - 1", "a_y > 0.2 & a > 0.2"), "b": ("B.X", "b > 0.2")},
    "o": {"a": ("A.X / (4 * SLOTS.ALL)", "a > 0.2"), "a_x": ("max(0, (B.X - A.X) * 3)", "a_x > 0.1 & a > 0.2"), "b": ("B.X", "b > 0.2")},
}


def run(script, scratch, rows):
    arch, out = scratch / "arch", scratch / "out"
    for name, content in {"topdown/cores.json": CORES, "topdown/nodes.json": rows, "x86/m/e.json": EVENTS, "x86/o/e.json": EVENTS,
                          "metrics/metrics.json": [], "metrics/quantities.json": [], "metrics/driver-events.json": []}.items():
        (arch / name).parent.mkdir(parents=True, exist_ok=True)
        (arch / name).write_text(json.dumps(content))
    (arch / "x86/mapfile.csv").write_text("Family-model,Version,Filename,EventType\n")
    return subprocess.run([sys.executable, script, arch, out], capture_output=True, text=True), out


def main(script):
    faults = []
    with tempfile.TemporaryDirectory() as directory:
        for rows, message in FAULTS:
            done, _ = run(script, pathlib.Path(directory), rows)
            if done.returncode != 1 or not done.stderr.startswith("topdown: " + message):
                faults.append(f"{message}: {done.returncode} {done.stderr[-200:]}")
        done, out = run(script, pathlib.Path(directory), TREE)
        for model, expected in METRICS.items():
            rows = json.loads((out / f"x86/{model}/topdown-metrics.json").read_text())
            found = {row["MetricName"]: (row["MetricExpr"], row["MetricThreshold"]) for row in rows}
            if found != expected:
                faults.append(f"{model}: {found}")
            if rows[0].get("SampleEvents") != "A.X" or rows[1]["MetricGroup"] != "TopdownL2;a_group":
                faults.append(f"{model}: {rows[:2]}")
    print(*faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
