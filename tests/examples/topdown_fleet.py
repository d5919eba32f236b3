#!/usr/bin/env python3
"""The top-down tree of many files of counts, by one machine: for each file of `perf stat -x,` the node to look at, as
"FILE<tab>NODE<tab>VALUE"; a node is "-" if none is flagged. Usage: topdown_fleet.py CPU < FILES"""

import csv
import sys

import evname


def counts_of(path, names):
    """The counts of the tree's events: a dict by the event's name."""
    counts = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            if len(row) > 2 and row[2].lower() in names and not row[0].startswith("<"):
                counts[names[row[2].lower()]] = float(row[0])
    return counts


def main(cpu):
    tree = evname.TopdownTree(evname.Machine(cpu), facts={"#smt_on": 1, "#core_wide": 1})
    names = {event.text.lower(): event.text for event in tree.events}
    for path in map(str.rstrip, sys.stdin):
        counts = counts_of(path, names)
        node = tree.next(counts)
        print(path, node or "-", f"{tree.evaluate(counts)[node].value:.1f}" if node else "", sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
