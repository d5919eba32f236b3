#!/usr/bin/env python3
"""Prints the architectures of event trees, one a line, sorted: directories that hold a mapfile.csv
or a model. Meson needs their names before the generator is built."""

import pathlib
import sys


def is_architecture(path):
    return path.is_dir() and ((path / "mapfile.csv").is_file() or any(p.is_dir() for p in path.iterdir()))


roots = [pathlib.Path(root) for root in sys.argv[1:]]
names = {path.name for root in roots for path in root.iterdir() if is_architecture(path)}
if not names:
    sys.exit(f"no architecture (a directory with mapfile.csv) in {', '.join(sys.argv[1:])}")
print("\n".join(sorted(names)))
