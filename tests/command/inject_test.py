#!/usr/bin/env python3
"""evname inject: what perf and evname make of the files it writes. Arguments: the evname command and
the source root. Uses the recordings of EVNAME_SHARED too, where it is set, and perf 6.1, where it
is installed."""

import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

from interrupts import let_interrupts_through
from sanitizers import as_many_as_fit

let_interrupts_through()
EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
# perf script prints the counts of perf stat record with their names, whatever the fields.
COUNTS = ("arm64-n1-stat.data",)


def run(*command, **more):
    return subprocess.run(command, capture_output=True, **more)


def recordings():
    files = sorted((ROOT / "tests" / "data").glob("*.data"))
    shared = os.environ.get("EVNAME_SHARED")
    if shared:
        for folder in ("recordings", "corpus"):
            files += as_many_as_fit(
                [path for path in sorted(pathlib.Path(shared, folder).iterdir())
                 if path.suffix == ".data" or ".data." in path.name and path.suffix not in (".txt", ".gz", ".md")], EVNAME)
    return files


def facts(path):
    """What must not change: the samples without names, and everything info says but of events."""
    samples = run(EVNAME, "annotate", "--format", "csv", "-F", "comm,pid,tid,time,period", path).stdout
    info = run(EVNAME, "info", "-v", path).stdout.decode(errors="replace")
    kept = [re.sub(" at 0x[0-9a-f]+", "", line) for line in info.splitlines()
            if not line.startswith(("event : ", "group: ", "missing features"))]
    return samples, kept


def names(path):
    info = run(EVNAME, "info", "-v", path).stdout.decode(errors="replace")
    return re.findall(r"^event : name = (.*?), (?:event|id|type) = ", info, re.M)


def perf_names(path):
    listed = run("perf", "evlist", "-f", "-i", path)
    return listed.stdout.decode(errors="replace").split("\n") if listed.returncode == 0 else None


def script(path, fields):
    return run("perf", "script", "-f", "-F", fields, "-i", path).stdout


class Checks:
    def __init__(self):
        self.count = self.failed = 0

    def that(self, fine, *what):
        self.count += 1
        if not fine:
            self.failed += 1
            print(*what)


def check(checks, path, out, with_perf):
    done = run(EVNAME, "inject", path, "-o", out)
    checks.that(done.returncode < 2, path.name, "inject", done.stderr)
    if done.returncode == 2:
        return
    checks.that(facts(path) == facts(out), path.name, "samples or facts differ")
    renamed = dict(line.split(": ", 1)[1].split(" is ", 1) for line in done.stderr.decode().splitlines() if " is " in line)
    expected = [renamed.get(name, name) for name in names(path)]
    checks.that(names(out) == expected, path.name, "names", names(out), expected)
    again = out.with_name("again")
    run(EVNAME, "inject", out, "-o", again)
    same = same_bytes(out, again)
    checks.that(same, path.name, "a second time gives other bytes")
    remove(again)
    if with_perf:
        check_perf(checks, path, out, renamed)


def plain(text):
    """Lines of event names. Where none is recorded, perf 7.3 and evname tell with H that guests are left out; perf 6.1,
    which may be the one that is installed, doesn't."""
    return [line.strip().replace(":H:", ":") for line in text.splitlines()]


def check_perf(checks, path, out, renamed):
    before, after = perf_names(path), perf_names(out)
    if before is not None:
        checks.that(after == [renamed.get(name, name) for name in before], path.name, "perf evlist",
                    before, after)
    if path.name in COUNTS:
        return
    for fields in ("comm,pid,tid,time", "comm,tid,time,ip", "time,period"):
        checks.that(script(path, fields) == script(out, fields), path.name, "perf script", fields)
    events = script(path, "event").decode(errors="replace")
    for old, new in renamed.items():
        events = re.sub(rf"^ *{re.escape(old)}: $", f"{new}: ", events, flags=re.M)
    ours = script(out, "event").decode(errors="replace")
    checks.that(plain(events) == plain(ours), path.name, "perf script event")


def same_bytes(one, other):
    if one.is_dir():
        return all(part.read_bytes() == (other / part.name).read_bytes() for part in one.iterdir())
    return one.read_bytes() == other.read_bytes()


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    elif path.exists():
        path.unlink()


def check_streams(checks, folder):
    """Through pipes: the same as by file; an output that can't be written leaves nothing."""
    source = ROOT / "tests" / "data" / "neoverse-n1.data"
    by_file = folder / "file"
    run(EVNAME, "inject", source, "-o", by_file)
    piped = run("sh", "-c", f"cat '{source}' | '{EVNAME}' inject - -o -").stdout
    checks.that(piped == by_file.read_bytes(), "through pipes: other bytes")
    bad = run(EVNAME, "inject", source, "-o", folder / "no" / "such" / "place")
    checks.that(bad.returncode == 2 and bad.stderr, "a place that is not there")
    leftovers = [path.name for path in folder.iterdir() if path.name != "file"]
    checks.that(not leftovers, "left behind:", leftovers)
    own = folder / "own"
    shutil.copy(source, own)
    run(EVNAME, "inject", own, "-o", own)
    checks.that(own.read_bytes() == by_file.read_bytes(), "onto itself")


def check_cut_pipe(checks, folder):
    """inject copies the part before a broken pipe's end unchanged, and reports the damage."""
    record = lambda kind, body: struct.pack("<IHH", kind, 0, 8 + len(body)) + body
    attr = struct.pack("<IIQQQQQ", 4, 64, 0x11, 1000, 1 | 2 | 4, 0, 0).ljust(64, b"\0")
    sample = record(9, struct.pack("<QIIQ", 0x1000, 5, 5, 7))
    whole = b"PERFILE2" + struct.pack("<Q", 16) + record(64, attr + struct.pack("<Q", 1)) + 2 * sample
    for content, code, told in [(whole, 0, b""), (whole[:-8], 1, b"record is longer than what is left")]:
        source, out = folder / "cut", folder / "cut.out"
        source.write_bytes(content)
        done = run(EVNAME, "inject", source, "-o", out)
        checks.that(done.returncode == code and told in done.stderr, "cut pipe:", done.returncode, done.stderr)
        head, rest = content[:96], content[96:]  # names come between them
        checks.that(out.read_bytes().startswith(head) and out.read_bytes().endswith(rest), "cut pipe: other bytes")


def check_interrupt(checks, folder):
    """Ctrl-C in the middle of a pipe leaves neither the output nor a part of it."""
    attr = struct.pack("<IIQQQQQIIQ", 4, 64, 0x11, 1, 2, 0, 0, 0, 0, 0)  # samples TID
    start = b"PERFILE2" + struct.pack("<Q", 16)
    start += struct.pack("<IHHQ", 64, 0, 8 + len(attr) + 8, 0)[:8] + attr + struct.pack("<Q", 1)
    start += struct.pack("<IHHII", 9, 0, 16, 5, 5)
    place = folder / "interrupted"
    place.mkdir()
    process = subprocess.Popen([EVNAME, "inject", "-", "-o", place / "out"], stdin=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    process.stdin.write(start + bytes(1 << 20))  # more than a pipe holds: it is being read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    code = process.wait()
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass
    checks.that(code == -signal.SIGINT, "interrupted: exit code", code)
    checks.that(not list(place.iterdir()), "interrupted: left", list(place.iterdir()))


def main():
    version = shutil.which("perf") and run("perf", "--version").stdout.decode()
    with_perf = bool(version) and version.startswith("perf version 6.1")
    checks = Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_streams(checks, folder)
        check_cut_pipe(checks, folder)
        check_interrupt(checks, folder)
        for path in recordings():
            out = folder / "out"
            check(checks, path, out, with_perf)
            remove(out)
    print(f"{checks.count} checks, {checks.failed} failed" + ("" if with_perf else "; without perf"))
    return 1 if checks.failed else 0


sys.exit(main())
