#!/usr/bin/env python3
"""Our descriptions are our own: none equals or nearly equals what the makers' trees say of an event of
the same name. Needs the archives of EVNAME_SHARED/vendor. Arguments: the source root."""

import collections
import difflib
import json
import os
import pathlib
import re
import sys
import tarfile

SHARED = os.environ.get("EVNAME_SHARED")
TEXTS = ("BriefDescription", "PublicDescription", "LongDescription", "description", "title")
NEAR = 0.85  # difflib's ratio of two sentences in lower case without punctuation


def words(text):
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def collect(node, found, key=""):
    """Adds what NODE, a parsed file, says of each event to FOUND[name]."""
    if isinstance(node, list):
        for item in node:
            collect(item, found)
    elif isinstance(node, dict):
        name = node.get("EventName") or node.get("ArchStdEvent") or node.get("name") or key
        texts = [node[text] for text in TEXTS if isinstance(node.get(text), str)]
        if isinstance(name, str) and texts:
            found[name.lower()].update(map(words, texts))
        for key, item in node.items():
            collect(item, found, key)


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
    vendor = pathlib.Path(SHARED or "", "vendor")
    if not SHARED or not list(vendor.glob("*.tar.xz")):
        print("no archives in EVNAME_SHARED/vendor")
        return 77
    theirs = read_trees(vendor)
    rows = faults = 0
    for path in sorted(pathlib.Path(sys.argv[1], "arch", "descriptions").rglob("*.json")):
        for row in json.loads(path.read_text()):
            rows += 1
            ours = words(row["BriefDescription"])
            if copied := next((text for text in theirs[row["EventName"].lower()] if near(ours, text)), None):
                faults += 1
                print(f"{path.name}: {row['EventName']}: \"{row['BriefDescription']}\" is near \"{copied}\"")
    print(f"{rows} descriptions compared with those of {len(theirs)} names, {faults} too near")
    return 1 if faults or not rows or len(theirs) < 10000 else 0


if __name__ == "__main__":
    sys.exit(main())
