"""Modules of npm that tests need: where node finds them, or the test is skipped."""

import os
import pathlib
import shutil
import subprocess
import sys


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def modules(node, *names):
    """The environment for node to find modules: in NODE_PATH, or among npm's global ones."""
    npm = shutil.which("npm")
    found = subprocess.run([npm, "root", "-g"], capture_output=True, text=True).stdout.strip() if npm else ""
    env = {**os.environ, "NODE_PATH": os.pathsep.join(filter(None, [os.environ.get("NODE_PATH"), found]))}
    for name in names:
        if subprocess.run([node, "-e", f'require("{name}")'], env=env, capture_output=True).returncode != 0:
            skip(f"no {name} (npm install -g {name})")
    return env


def place_of(node, env, name):
    """The folder of a package."""
    for folder in env["NODE_PATH"].split(os.pathsep):
        if pathlib.Path(folder, name, "package.json").exists():
            return pathlib.Path(folder, name).resolve()
    skip(f"no {name} (npm install -g {name})")
