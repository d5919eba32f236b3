#!/usr/bin/env python3
"""Holds that arch/ is what an import of the trees at hand would make of it: every code, event and
mapfile row. Usage: fresh_test.py EVNAME ARCH_TREE BUILD_DIR
The trees are in EVNAME_SHARED, and unpacked in BUILD_DIR; if they are missing, the test is
skipped (exit code 77)."""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from vendor_trees import ARCHIVES, unpacked

# Lines of `evname import --check` that are meant to be there, and why.
EXPLAINED = {}


def main(evname, tree, build_dir):
    roots = [unpacked(name, build_dir) for name in ARCHIVES]
    if None in roots:
        print("skipped: EVNAME_SHARED is not set")
        return 77
    roots = [root / "pmu-events" / "arch" if (root / "pmu-events" / "arch").is_dir() else root for root in roots]
    known = ",".join(sorted(path.parent.name for path in pathlib.Path(tree).glob("*/mapfile.csv")))
    found = subprocess.run([evname, "import", "--check", *roots, "--into", tree, "--arch", known],
                           capture_output=True, text=True)
    lines = [line for line in found.stdout.splitlines() if line.startswith("  ") and line.strip() not in EXPLAINED]
    print(found.stdout[-4000:] + found.stderr[-4000:])
    return 1 if lines or found.returncode > 1 or "error:" in found.stderr else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
