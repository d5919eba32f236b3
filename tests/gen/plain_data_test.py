#!/usr/bin/env python3
"""The objects of the generated tables run nothing at start, and hold no address that the dynamic
loader would have to write (relocations relative to their own place are settled by the linker)."""

import re
import subprocess
import sys


def readelf(*options):
    return subprocess.run(["readelf", "--wide", *options, sys.argv[1]], check=True,
                          capture_output=True, text=True).stdout


sections = readelf("--sections")
if ".rodata" not in sections:
    sys.exit("no .rodata at all: not the tables")
faults = [name for name in (".init_array", ".ctors", ".data.rel", ".tdata") if name in sections]

section = ""
for line in readelf("--relocs").splitlines():
    if match := re.match(r"Relocation section '\.rela?(\S+)'", line):
        section = match[1]
    elif section.startswith((".rodata", ".data")) and (match := re.search(r"\bR_\w+", line)):
        if not re.search(r"_(PC|PREL|REL)\d+$", match[0]):
            faults.append(f"{match[0]} in {section}")
sys.exit("not plain data: " + ", ".join(sorted(set(faults))) if faults else 0)
