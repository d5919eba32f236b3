#!/usr/bin/env python3
"""Every event has a description, and our descriptions are our own: none nearly equals what the makers'
trees say of an event of the same name, and none has a sentence of theirs. The latter needs the archives of
EVNAME_SHARED/vendor. Arguments: the source root."""

import collections
import csv
import difflib
import fnmatch
import json
import os
import pathlib
import re
import sys
import tarfile

SHARED = os.environ.get("EVNAME_SHARED")
TEXTS = ("BriefDescription", "PublicDescription", "LongDescription", "description", "title")
NEAR = 0.85  # difflib's ratio of two sentences in lower case without punctuation
SHORTEST = 4  # words of a sentence: "L2 cache misses" has no other wording
NO_EVENTS = ("counter.json", "evname-metrics.json")  # the counters of each PMU, our metrics


def words(text):
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def collect(node, found, key=""):
    """Adds the texts that NODE, a parsed file, has of each event to FOUND[name]."""
    if isinstance(node, list):
        for item in node:
            collect(item, found)
    elif isinstance(node, dict):
        name = node.get("EventName") or node.get("ArchStdEvent") or node.get("name") or key
        texts = [node[text] for text in TEXTS if isinstance(node.get(text), str)]
        if isinstance(name, str) and texts:
            found[name.lower()].update(texts)
        for key, item in node.items():
            collect(item, found, key)


def sentences(text):
    parts = map(words, re.split(r"[.;:]\s|\n", text))
    return {part for part in parts if part.count(" ") + 1 >= SHORTEST}


def undescribed(arch):
    """The events of an architecture without a description; a reference has its standard event's."""
    standard = {row["EventName"].lower(): row for path in arch.glob("*.json") for row in json.loads(path.read_text())
                if "EventName" in row}
    for path in sorted(arch.rglob("*.json")):
        if path.name in NO_EVENTS:
            continue
        for row in json.loads(path.read_text()):
            target = standard.get(row.get("ArchStdEvent", "").lower(), {})
            name = row.get("EventName") or target.get("EventName")
            if name and not (row.get("BriefDescription") or target.get("BriefDescription")):
                yield f"{path.relative_to(arch.parent)}: {name} has no description"


def facts(path):
    """The rows of a fact file as dictionaries."""
    if not path.exists():
        return []
    with open(path, newline="") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def matches(globs, name):
    return any(fnmatch.fnmatchcase(name, glob) for glob in globs.split("|"))


def undescribed_of_drivers(arch):
    """The events that drivers add and event-descriptions.csv says nothing of."""
    texts = facts(arch / "event-descriptions.csv")
    for row in facts(arch / "pmu-events.csv"):
        for pmu in row["PMU"].split("|"):
            if not any(matches(text["PMU"], pmu) and matches(text["Event"], row["Event"].lower()) for text in texts):
                yield f"{arch.name}/pmu-events.csv: {pmu}/{row['Event']}/ has no description"


def our_descriptions(arch):
    """File name, event and text of each description."""
    for path in sorted((arch / "descriptions").rglob("*.json")):
        for row in json.loads(path.read_text()):
            yield path.name, row["EventName"], row["BriefDescription"]
    for path in sorted(arch.glob("*/event-descriptions.csv")):
        for row in facts(path):
            for name in row["Event"].split("|"):
                yield path.name, name, row["Description"]


def read_trees(folder):
    found = collections.defaultdict(set)
    for archive in sorted(folder.glob("*.tar.xz")):
        with tarfile.open(archive) as tar:
            for member in tar:
                if member.isfile() and member.name.endswith(".json"):
                    try:
                        collect(json.loads(tar.extractfile(member).read()), found)
                    except ValueError:
                        print(f"{archive.name}: {member.name} is not JSON")
    return found


def near(ours, theirs):
    if set(ours.split()) == set(theirs.split()):
        return True
    match = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
    return all(ratio() >= NEAR for ratio in (match.real_quick_ratio, match.quick_ratio, match.ratio))


def main():
    arch = pathlib.Path(sys.argv[1], "arch")
    missing = [line for mapfile in sorted(arch.glob("*/mapfile.csv"))
               for find in (undescribed, undescribed_of_drivers) for line in find(mapfile.parent)]
    print(*missing[:50], f"{len(missing)} events without a description", sep="\n")
    if missing:
        return 1
    vendor = pathlib.Path(SHARED or "", "vendor")
    if not SHARED or not list(vendor.glob("*.tar.xz")):
        print("no archives in EVNAME_SHARED/vendor to compare with")
        return 0
    theirs = read_trees(vendor)
    their_sentences = set().union(*(sentences(text) for texts in theirs.values() for text in texts))
    rows = faults = 0
    for file, event, text in our_descriptions(arch):
        rows += 1
        ours = words(text)
        copied = [their for their in map(words, theirs[event.lower()]) if near(ours, their)]
        copied += sentences(text) & their_sentences
        if copied:
            faults += 1
            print(f"{file}: {event}: \"{text}\" is near \"{copied[0]}\"")
    print(f"{rows} descriptions compared with {len(theirs)} names of libpfm4 and Linux, {faults} too near")
    return 1 if faults or not rows or len(theirs) < 10000 else 0


if __name__ == "__main__":
    sys.exit(main())
