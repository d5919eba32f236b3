#!/usr/bin/env python3
"""Memory stays in proportion to a recording: small recordings of many things, or of long names, and the memory that each
subcommand takes for them beyond what it takes for one sample. Arguments: the evname command and the source root;
`proportion_test.py EVNAME ROOT --print [COUNT]` prints a table for so many things: bytes per thing, bytes per byte, seconds
of CPU time."""

import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

import perf_file as perf
from sanitizers import has_sanitizer

EVNAME = str(pathlib.Path(sys.argv[1]).resolve())
MANY = int(sys.argv[4]) if len(sys.argv) > 4 else 20_000
IP, CALLCHAIN = 1, 1 << 5
USER, KERNEL = 2, 1
TYPE = perf.TYPE | IP | CALLCHAIN  # IDENTIFIER, IP, TID, TIME, CALLCHAIN
START, SIZE = 0x400000, 0x40000000


def sample(address, chain=(), tid=1, mode=USER, id=1):
    return perf.record(perf.SAMPLE, struct.pack("<QQiiQQ", id, address, tid, tid, 0, len(chain))
                       + struct.pack(f"<{len(chain)}Q", *chain), mode)


def mmap(name, start=START, size=SIZE, pid=1, mode=USER):
    return perf.record(perf.MMAP, struct.pack("<iiQQQ", pid, pid, start, size, 0) + perf.padded(name) + perf.trailer(0, 0), mode)


def each(make):
    return b"".join(make(n) for n in range(MANY))


def threads(n):
    return perf.record(perf.FORK, struct.pack("<iiiiQ", n + 2, 1, n + 2, 1, 0) + perf.trailer(0, 1)) + sample(START, tid=n + 2)


def function(n):
    address = 0xffffffffa0000000 + 64 * n
    return perf.record(17, struct.pack("<QIHH", address, 64, 1, 0) + perf.padded(b"bpf_%x" % n) + perf.trailer(0, 1)) + sample(
        address, mode=KERNEL)


def module(n):
    address = 0xffffff0000000000 + 4096 * n
    return mmap(b"/lib/modules/m%x.ko" % n, address, 4096, -1, KERNEL) + sample(address + 16, mode=KERNEL)


def chain(count, deep):
    user = 0xfffffffffffffe00
    return b"".join(sample(START, [user] + [START + n * deep + k for k in range(deep)]) for n in range(count))


def lines(folder):
    """A library whose every instruction has a line of another source, each with a long path."""
    source = folder / "lines.s"
    path = "d" * 200
    files = "".join(f'.file {n + 1} "/{path}/{n:x}.c"\n' for n in range(MANY))
    text = "".join(f".loc {n + 1} {n + 1}\nnop\n" for n in range(MANY))
    source.write_text(f"{files}.text\n.globl all\n.type all,@function\nall:\n{text}.size all,.-all\n")
    library = folder / "lines.so"
    subprocess.run(["gcc", "-shared", "-nostdlib", "-Wl,--build-id=none", "-o", library, source], check=True)
    text_at = int(subprocess.run(["nm", library], check=True, capture_output=True, text=True).stdout.split(" T all")[0].split()[-1], 16)
    return mmap(str(library).encode()) + each(lambda n: sample(START + text_at + n)), library.stat().st_size


LONG = b"/" + b"x" * 65_000

# Recordings with many or long things: their records.
MAKERS = {
    "files": lambda: each(lambda n: mmap(b"/%x" % n) + sample(START)),
    "addresses": lambda: mmap(b"/a") + each(lambda n: sample(START + 16 * n)),
    "unmapped addresses": lambda: each(lambda n: sample(START + 16 * n)),
    "threads": lambda: mmap(b"/a") + each(threads),
    "names of threads": lambda: mmap(b"/a") + each(lambda n: perf.comm(n, b"%x" % n) + sample(START, tid=n)),
    "functions of the kernel": lambda: each(function),
    "modules": lambda: each(module),
    "cgroups": lambda: each(lambda n: perf.record(19, struct.pack("<Q", n) + perf.padded(b"/%x" % n) + perf.trailer(0, 1))),
    "stacks": lambda: mmap(b"/a") + chain(MANY // 40, 40),
    "a long name": lambda: mmap(LONG) + each(lambda n: sample(START + 16 * n)),
    "callers with a long name": lambda: mmap(LONG) + chain(1, 8000),
    "long names of threads": lambda: mmap(b"/a") + b"".join(
        perf.comm(n, LONG) + b"".join(sample(START + 16 * k, tid=n) for k in range(MANY // 20)) for n in range(20)),
}

COMMANDS = ("annotate -F comm,tid,ip,sym,dso,event", "annotate --format folded", "annotate --json -F +frames", "report",
            "report --sort sym,comm,dso", "report --sort sym --children", "report --html {out}", "export --format pprof -o {out}",
            "export --format perfetto -o {out}", "inject -o {out}", "pack --force -o {out}", "info --records")
# SECURITY.md has these bounds, in bytes of memory for each byte of the recording and of the library in it: the first for all
# but what writes a long text for each row or line.
BOUND = 28
BOUNDS = {("a long name", "report --sort sym,comm,dso"): 130, ("lines", "report --html {out}"): 64,
          ("lines", "pack --force -o {out}"): 64, ("callers with a long name", "annotate --json -F +frames"): 300}
FREE = 15 << 20  # what no recording makes larger; most in a command that is not linked statically

# A small process runs the command, as a process's peak counts from before it became the command.
METER = """import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss << 10, usage.ru_utime + usage.ru_stime)"""


def peak(folder, command, path):
    """Returns the exit code, the memory in bytes, and the CPU time in seconds."""
    out = folder / "out"
    words = [word.format(out=out) for word in command.split()]
    done = subprocess.run([sys.executable, "-I", "-S", "-c", METER, EVNAME, *words, path], env={**os.environ, "HOME": str(folder)},
                          check=True, capture_output=True, text=True)
    out.unlink(missing_ok=True)
    status, memory, seconds = done.stdout.split()
    return int(status), int(memory), float(seconds)


def recordings(folder):
    for name, make in MAKERS.items():
        data = make()
        yield name, perf.file(data, [perf.attr(0, 1, TYPE)]), len(data)
    if shutil.which("gcc"):
        data, size = lines(folder)
        yield "lines", perf.file(data, [perf.attr(0, 1, TYPE)]), len(data) + size


def main():
    prints = "--print" in sys.argv
    if has_sanitizer(EVNAME, "asan", "tsan"):
        sys.exit(77)  # they take more memory than what is measured
    failed = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        least = folder / "least.data"
        least.write_bytes(perf.file(mmap(b"/a") + sample(START), [perf.attr(0, 1, TYPE)]))
        base = {command: peak(folder, command, least)[1] for command in COMMANDS}
        for what, recording, size in recordings(folder):
            path = folder / "many.data"
            path.write_bytes(recording)
            for command in COMMANDS:
                status, memory, seconds = peak(folder, command, path)
                more, bound = memory - base[command], BOUNDS.get((what, command), BOUND)
                if prints:
                    print(f"{what:26} {command[:38]:38} {more / MANY:8.0f} {more / size:6.1f} {seconds:6.2f} {status}", flush=True)
                if status not in (0, 1) or more > FREE + bound * size:
                    failed.append(f"{what}, {command}: {more >> 20} MB for {size >> 10} KB, exit code {status}")
    assert not failed, "\n".join(failed)


if __name__ == "__main__":
    main()
