#!/usr/bin/env python3
"""WebAssembly's own parts compile: the sources and headers that replace Linux's. With EVNAME_NPM_PACKAGE, which
packaging/npm/build made, the package gives the same answers as the command (`.ci/run wasm` does both).
Usage: npm_test.py EVNAME SOURCE_ROOT"""

import os
import pathlib
import shutil
import subprocess
import sys

EVNAME, ROOT = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
SOURCES = ["packaging/npm/platform/system.cpp", "runtime/base/output/plain_output.cpp", "runtime/base/read_file.cpp"]
HEADERS = "fmt", "rapidjson", "tl", "tsl"


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def headers(folder):
    """Links to the libraries that are headers only: nothing else of the system's is for WebAssembly."""
    for name in HEADERS:
        if not pathlib.Path("/usr/include", name).is_dir():
            skip("no headers of " + name)
        (folder / name).symlink_to("/usr/include/" + name)
    return folder


def compile_all(compiler, folder):
    flags = ["--target=wasm32-wasi", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-int-to-pointer-cast",
             "-fexceptions", "-fignore-exceptions", "-D_WASI_EMULATED_MMAN", "-DFMT_HEADER_ONLY",
             "-isystem", ROOT / "packaging/npm/platform/include", "-isystem", headers(folder), "-I", ROOT / "runtime",
             "-I", ROOT / "runtime/include"]
    for source in SOURCES:
        done = subprocess.run([compiler, *flags, ROOT / source], stderr=subprocess.PIPE, universal_newlines=True)
        assert done.returncode == 0 and not done.stderr, done.stderr


def main():
    compiler = shutil.which("clang++-19")
    if not compiler or not pathlib.Path("/usr/include/wasm32-wasi/c++/v1/__config_site").exists():
        skip("no clang++-19 with wasi-libc and libc++-19-dev-wasm32")
    folder = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / "evname-npm-{}".format(os.getpid())
    folder.mkdir()
    try:
        compile_all(compiler, folder)
    finally:
        shutil.rmtree(folder)
    package = os.environ.get("EVNAME_NPM_PACKAGE")
    if package:
        subprocess.run(["node", ROOT / "packaging/npm/tests/native_test.mjs", package, EVNAME, ROOT], check=True)


main()
