"""Tells whether a program is linked with a sanitizer: some tests can't run with it."""

import os
import pathlib


def has_sanitizer(program, *names):
    """Is the program built with one of these: "asan", "tsan"?"""
    content = pathlib.Path(program).read_bytes()
    return any(f"__{name}_init".encode() in content for name in names)


def as_many_as_fit(files, program):
    """One of three, all with EVNAME_EVERY_RECORDING; one of eight where a sanitizer makes the program ten times slower."""
    if has_sanitizer(program, "asan", "tsan"):
        return files[::8]
    return files if os.environ.get("EVNAME_EVERY_RECORDING") else files[::3]
