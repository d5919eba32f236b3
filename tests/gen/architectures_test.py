#!/usr/bin/env python3
"""Meson expects the files that the generator writes: both find the same architectures for every
choice of models, and an error for the same choices.
Usage: architectures_test.py EVNAME_GEN LIST_ARCHITECTURES TREE…"""

import subprocess
import sys

CHOICES = [
    [], ["x86/skylakex"], ["arm64/arm/neoverse-*"], ["arm64/freescale/*", "x86/*"], ["*"], ["*/sys"],
    ["?86/[!s]*"], ["[r-s]*/*"], ["x86/skylakes"], ["skylakex"], ["arm64/arm"], ["x86/*", "none/*"], ["X86/*"],
]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else "error"


gen, script, *trees = sys.argv[1:]
failed = False
for globs in CHOICES:
    models = ["--models", *globs] if globs else []
    expected = run([sys.executable, script, *trees, *models])
    written = run([gen, *trees, "--list-architectures", *models])
    if expected != written:
        print(f"{globs}: Meson expects {expected!r}, the generator writes {written!r}")
        failed = True
sys.exit(failed)
