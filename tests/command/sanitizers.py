"""What a program is linked with that changes what it can be asked to do."""

import pathlib


def has_sanitizer(program, *names):
    """Is the program built with one of these: "asan", "tsan"?"""
    content = pathlib.Path(program).read_bytes()
    return any(f"__{name}_init".encode() in content for name in names)


def as_many_as_fit(files, program):
    """All; one of eight where a sanitizer makes the program ten times slower."""
    return files[::8] if has_sanitizer(program, "asan", "tsan") else files
