#!/usr/bin/env python3
"""The build, the command, and each package that has to state it have the version of evname/version.h;
Debian's list of symbols has the functions of the C interface, and the documentation's index has each page.
Usage: version_test.py SOURCE_ROOT VERSION [EVNAME]"""

import pathlib
import re
import subprocess
import sys

ROOT, BUILT, COMMAND = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
MINOR = ".".join(BUILT.split(".")[:2])

# A file, what it says there (one group), and what that shall be.
STATED = [
    ("CHANGELOG.md", r"^## (\S+)", BUILT),
    ("docs/building.md", r"find_package\(evname (\S+)", MINOR),
    ("tests/consumer/CMakeLists.txt", r"find_package\(evname (\S+)", MINOR),
    ("packaging/debian/changelog", r"\Aevname \(([^-]+)-", BUILT),
    ("packaging/debian/control", r"^Provides: libevname0-cpp(\S+)", MINOR),
    ("packaging/debian/libevname0.symbols", r"\(symver\)EVNAME_CPP_(\S+)", MINOR),
    ("packaging/vcpkg/evname/vcpkg.json", r'"version": "([^"]+)"', BUILT),
    ("packaging/python/meson.build", r"'cpp', version: '([^']+)'", BUILT),
    ("packaging/rust/evname-sys/Cargo.toml", r'^version = "([^"]+)"', BUILT),
    ("packaging/rust/evname/Cargo.toml", r'^version = "([^"]+)"', BUILT),
    ("packaging/rust/evname/Cargo.toml", r'evname-sys = { version = "([^"]+)"', BUILT),
    ("packaging/bazel/MODULE.bazel", r'name = "evname",\s+version = "([^"]+)"', BUILT),
]


def said(name, pattern):
    found = re.search(pattern, (ROOT / name).read_text(), re.M)
    return found[1] if found else None


def main():
    header = (ROOT / "runtime/include/evname/version.h").read_text()
    numbers = re.findall(r"^#define EVNAME_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.M)
    wrong = [(name, said(name, pattern), wanted) for name, pattern, wanted in STATED if said(name, pattern) != wanted]
    contents = (ROOT / "docs/index.md").read_text().splitlines()
    wrong += [("docs/index.md", None, page.stem) for page in (ROOT / "docs").glob("*.md") if page.stem not in ["index", *contents]]
    if ".".join(numbers) != BUILT:
        wrong.append(("version.h", numbers, BUILT))
    listed = re.findall(r"^ (evname_\w+)@", (ROOT / "packaging/debian/libevname0.symbols").read_text(), re.M)
    if listed != (ROOT / "tests/c/exported.txt").read_text().split():
        wrong.append(("libevname0.symbols", "other functions", "as tests/c/exported.txt"))
    for command in COMMAND:
        printed = subprocess.run([command, "--version"], capture_output=True, encoding="utf-8", check=True).stdout
        if BUILT not in printed.split():
            wrong.append((command, printed, BUILT))
    for name, is_, wanted in wrong:
        print(f"{name}: {is_}, not {wanted}")
    return 1 if wrong else 0


sys.exit(main())
