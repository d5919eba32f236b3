#!/usr/bin/env python3
"""Prints the architectures of event trees, one per line, sorted: directories that hold a mapfile.csv
or a model; descriptions/ has one per architecture, but no events. Meson needs their names before the generator is built. With --models GLOB…, only architectures with a matching model; a glob without a match is an error."""

import argparse
import difflib
import fnmatch
import pathlib
import sys


def is_architecture(path):
    return path.name not in ("descriptions", "pfm4") and path.is_dir() and ((path / "mapfile.csv").is_file() or any(p.is_dir() for p in path.iterdir()))


def models_of(root, architecture):
    """"ARCH/MODEL" of the directories with topic files, as deep as the generator goes."""
    files = (file for depth in range(1, 5) for file in (root / architecture).glob("*/" * depth + "*.json"))
    return {file.parent.relative_to(root).as_posix() for file in files}


def choose(architectures, models, globs):
    for glob in globs:
        if not fnmatch.filter(models, glob):
            near = difflib.get_close_matches(glob, sorted(models), cutoff=0.5)
            hint = f" (did you mean {', '.join(near)}?)" if near else ""
            sys.exit(f"models: no model matches '{glob}'{hint}")
    chosen = {model.split("/")[0] for glob in globs for model in fnmatch.filter(models, glob)}
    return architectures & (chosen | {"common"})  # what every CPU has


parser = argparse.ArgumentParser()
parser.add_argument("roots", nargs="+", type=pathlib.Path)
parser.add_argument("--models", nargs="+", default=[])
arguments = parser.parse_args()
for root in arguments.roots:
    if not root.is_dir():
        sys.exit(f"{root}: no such directory")
names = {path.name for root in arguments.roots for path in root.iterdir() if is_architecture(path)}
if arguments.models and names:
    names = choose(names, {m for root in arguments.roots for name in names for m in models_of(root, name)},
                   arguments.models)
if not names:
    sys.exit(f"no architecture (a directory with mapfile.csv) in {', '.join(map(str, arguments.roots))}")
print("\n".join(sorted(names)))
