#!/usr/bin/env python3
"""Compiles a program of another language that uses evname.h, and runs it; skipped where there is no
compiler. Usage: snippet_test.py LIBRARY HEADERS SOURCE RECORDING"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
LIBRARY, HEADERS, SOURCE, RECORDING = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:])
FOLDER = os.path.dirname(LIBRARY)


def rust(program):
    return ["rustc", "--edition=2021", SOURCE, "-o", program, "-L", FOLDER], ["rustc", "--version"], {}


def go(program):
    variables = {"CGO_ENABLED": "1", "CGO_CFLAGS": f"-I{HEADERS}",
                 "CGO_LDFLAGS": f"-L{FOLDER} -levname", "GO111MODULE": "off",
                 "GOCACHE": f"{os.path.dirname(program)}/cache", "GOFLAGS": ""}
    return ["go", "build", "-o", program, SOURCE], ["go", "version"], variables


COMPILERS = {".rs": rust, ".go": go}


def works(command):
    """rustup installs a rustc that may have no compiler behind it."""
    return shutil.which(command[0]) and subprocess.run(command, capture_output=True).returncode == 0


with tempfile.TemporaryDirectory() as folder:
    program = os.path.join(folder, "program")
    command, trial, variables = COMPILERS[pathlib.Path(SOURCE).suffix](program)
    if not works(trial):
        print(f"there is no {trial[0]}")
        sys.exit(SKIPPED)
    subprocess.run(command, check=True, env={**os.environ, **variables})
    subprocess.run([program, RECORDING], check=True, env={**os.environ, "LD_LIBRARY_PATH": FOLDER})
