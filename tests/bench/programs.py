#!/usr/bin/env python3
"""Times whole processes of evname, each beside its peer in the same run, and prints a table.

Arguments: evname, evname-gen, bench-walk. Environment: EVNAME_PMU_EVENTS, the kernel's
tools/perf/pmu-events, for the generator; EVNAME_BENCH_DIR, where the recordings are kept (by
default a temporary directory), EVNAME_BENCH_MB, how large they are (300). Recordings are made with
perf of page faults (software events work on any machine); without perf their rows are left out.
EVNAME_BENCH_LBR, a recording with branch stacks, and EVNAME_BENCH_BINARY, its program under the name that it was recorded
by: both are needed for the rows about branches, and perf2bolt and llvm-profgen for their peers."""

import ctypes
import mmap
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time

FIELDS = "comm,tid,time,event,ip"
RUNS = 5
EVENT_DESC = 12
PARENT = os.getpid()


def touch_pages(megabytes):
    """A load of page faults on all cores: touches that much fresh memory."""
    cores = os.cpu_count() or 1
    children = [os.fork() for _ in range(cores - 1) if os.getpid() == PARENT]
    megabytes //= cores
    memset = ctypes.CDLL(None).memset
    memset.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)
    piece = 64 << 20
    for _ in range(megabytes * (1 << 20) // piece):
        with mmap.mmap(-1, piece) as memory:
            memory.madvise(mmap.MADV_NOHUGEPAGE)
            view = (ctypes.c_char * piece).from_buffer(memory)
            memset(ctypes.addressof(view), 1, piece)
            del view
    for child in children:
        if child:
            os.waitpid(child, 0)


def run(command, stdin=None):
    """Wall time in seconds."""
    start = time.perf_counter()
    with open(stdin or os.devnull, "rb") as source:
        process = subprocess.Popen(command, stdin=source, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        process.wait()
    return time.perf_counter() - start


def best(command, stdin=None, runs=RUNS):
    return min(run(command, stdin) for _ in range(runs))


def anonymous_megabytes(command, stdin=None):
    """The peak of memory that is no file's, looked at every few milliseconds."""
    peak = 0
    with open(stdin or os.devnull, "rb") as source:
        process = subprocess.Popen(command, stdin=source, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while process.poll() is None:
            try:
                status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            except OSError:
                break
            for line in status.splitlines():
                if line.startswith("RssAnon:"):
                    peak = max(peak, int(line.split()[1]))
            time.sleep(0.002)
    return peak / 1024


def record(path, megabytes, *options):
    """Each page touched is two samples of 40 bytes."""
    if path.exists():
        return
    pages = megabytes * (1 << 20) // 80
    load = [sys.executable, __file__, "--touch", str(pages * 4096 >> 20)]
    subprocess.run(["perf", "record", "-q", "-m", "16M", "-c", "1", "-e", "page-faults,minor-faults",
                    *options, "--", *load], check=True, stderr=subprocess.DEVNULL,
                   stdout=open(path, "wb") if "-" in options else subprocess.DEVNULL)


def without_names(path, out):
    """A copy that lacks EVENT_DESC, so that names have to be put in."""
    shutil.copy(path, out)
    with open(out, "r+b") as file:
        file.seek(40)
        table = sum(struct.unpack("<2Q", file.read(16)))
        file.seek(72)
        bits = struct.unpack("<4Q", file.read(32))
        numbers = [i for i in range(256) if bits[i // 64] >> i % 64 & 1]
        file.seek(table)
        entries = [file.read(16) for _ in numbers]
        kept = [entry for number, entry in zip(numbers, entries) if number != EVENT_DESC]
        file.seek(table)
        file.write(b"".join(kept) + bytes(16))
        file.seek(72)
        file.write(struct.pack("<4Q", bits[0] & ~(1 << EVENT_DESC), *bits[1:]))


def row(job, ours, unit, *peers):
    cells = [f"{name} {value:.4g} ({value / ours:.1f}x)" for name, value in peers]
    print(f"| {job} | {ours:.4g} {unit} | {', '.join(cells)} |", flush=True)


def bench_generator(tree):
    with tempfile.TemporaryDirectory() as out:
        ours = [GEN, f"{tree}/arch", "-o", out]
        jevents = [sys.executable, f"{tree}/jevents.py", "all", "all", f"{tree}/arch", f"{out}/c"]
        row("generate the tables of Linux's whole tree", best(ours), "s",
            ("jevents.py", best(jevents, runs=2)))


def bench_small():
    true = best(["/bin/true"], runs=200)
    one = best([EVNAME, "resolve", "--cpu", "skylakex", "mem_load_retired.l3_miss"], runs=200)
    peers = [("/bin/true", true * 1e3)]
    if shutil.which("perf"):
        dry = ["perf", "record", "--dry-run", "-o", "/dev/null", "-e", "page-faults", "true"]
        peers.append(("perf record --dry-run", best(dry, runs=50) * 1e3))
    row("one name, a process", one * 1e3, "ms", *peers)
    code = best([EVNAME, "name", "--cpu", "skylakex", "0x20d1"], runs=200)
    row("one code, a process", code * 1e3, "ms", ("/bin/true", true * 1e3))
    row("list a model (3,783 events)", best([EVNAME, "list", "--cpu", "skylakex"], runs=100) * 1e3, "ms")


def bench_recordings(directory, megabytes):
    plain, packed, pipe = (directory / name for name in ("plain.data", "zstd.data", "pipe.data"))
    record(plain, megabytes, "-o", str(plain))
    record(packed, megabytes, "-z", "-o", str(packed))
    record(pipe, megabytes, "-o", "-")
    size = plain.stat().st_size / 1e6
    report = [EVNAME, "report", "--sort", "event", str(plain)]
    row(f"report by event, {size:.0f} MB", best(report), "s",
        ("perf report --stats", best(["perf", "report", "--stats", "-i", str(plain)], runs=3)),
        ("walk over headers", best([WALK, str(plain)])))
    for name, path, stdin in (("plain file", plain, None), ("zstd", packed, None),
                              ("pipe", pipe, pipe)):
        ours = [EVNAME, "annotate", "-F", FIELDS, "-" if stdin else str(path)]
        perf = ["perf", "script", "-F", FIELDS, "-i", "-" if stdin else str(path)]
        row(f"annotate, {name}", best(ours, stdin), "s",
            ("one thread", best([*ours, "--jobs", "1"], stdin)),
            ("perf script", best(perf, stdin, runs=1)))
    nameless, out = directory / "nameless.data", directory / "out.data"
    without_names(plain, nameless)
    row("inject names", best([EVNAME, "inject", str(nameless), "-o", str(out)]), "s",
        ("cp", best(["cp", "--reflink=never", str(nameless), str(out)])))
    for name, command, stdin in (
            ("report, plain file", report, None),
            ("annotate, plain file", [EVNAME, "annotate", "-F", FIELDS, str(plain)], None),
            ("annotate, zstd", [EVNAME, "annotate", "-F", FIELDS, str(packed)], None),
            ("annotate, pipe", [EVNAME, "annotate", "-F", FIELDS, "-"], pipe)):
        print(f"| memory: {name} | {anonymous_megabytes(command, stdin):.0f} MB | |", flush=True)


def processor_time(command):
    """User and system time in seconds, including its children; the best of some runs."""
    def once():
        before = os.times()
        run(command)
        after = os.times()
        return sum(after[2:4]) - sum(before[2:4])
    return min(once() for _ in range(RUNS))


def bench_branches(directory, recording, binary):
    """Rows are in seconds of all processors together, as the peers start several processes."""
    size = os.path.getsize(recording) / 1e6
    branches = ["script", "-F", "pid,brstack", "-i", recording]
    row(f"text of branch stacks, {size:.0f} MB", processor_time([EVNAME, *branches]), "s",
        ("perf script", processor_time(["perf", *branches])))
    peers = {"bolt": ["perf2bolt", "-p", recording, "-o", str(directory / "fdata"), binary],
             "profgen": ["llvm-profgen", "--skip-symbolization", f"--perfdata={recording}", f"--binary={binary}",
                         f"--output={directory / 'unsymbolized'}"]}
    for form, peer in peers.items():
        out = str(directory / form)
        ours = [EVNAME, "export", "--force", "--format", form, "--binary", binary, "-o", out, recording]
        found = [(peer[0], processor_time(peer))] if shutil.which(peer[0]) else []
        row(f"branches for {form}", processor_time(ours), "s", *found)
        print(f"| memory: branches for {form} | {anonymous_megabytes(ours):.0f} MB | |", flush=True)


def bench_spe(directory, megabytes):
    """A made-up recording of Arm's SPE, four CPUs; rows as above."""
    made = directory / "spe.data"
    tests = pathlib.Path(__file__).resolve().parents[1] / "command" / "spe_file.py"
    subprocess.run([sys.executable, tests, "--big", str(megabytes), made], check=True)
    script = ["script", "-i", str(made)]
    row(f"text of SPE, {megabytes} MB", processor_time([EVNAME, *script]), "s",
        ("one thread", processor_time([EVNAME, *script, "--jobs", "1"])), ("perf script", processor_time(["perf", *script])))
    print(f"| memory: text of SPE | {anonymous_megabytes([EVNAME, *script]):.0f} MB | |", flush=True)


def bench_memory(directory):
    """A million samples of loads and stores, beside perf's two commands for them."""
    recording = directory / "memory.data"
    if not recording.exists():
        maker = pathlib.Path(__file__).resolve().parent.parent / "support" / "memory_recording.py"
        subprocess.run([sys.executable, maker, recording, "1000000"], check=True)
    for what in ("mem", "c2c"):
        ours = [EVNAME, "report", "--" + what, str(recording)]
        row(f"report --{what}, a million samples", processor_time(ours), "s",
            (f"perf {what} report", processor_time(["perf", what, "report", "--stdio", "-f", "-i", str(recording)])))
        print(f"| memory: report --{what} | {anonymous_megabytes(ours):.0f} MB | |", flush=True)


def main():
    print("| job | evname | peers (their time over ours) |\n| --- | --- | --- |")
    tree = os.environ.get("EVNAME_PMU_EVENTS")
    if tree:
        bench_generator(tree)
    bench_small()
    if not shutil.which("perf"):
        return
    megabytes = int(os.environ.get("EVNAME_BENCH_MB", "300"))
    keep = os.environ.get("EVNAME_BENCH_DIR")
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(keep or temporary)
        directory.mkdir(parents=True, exist_ok=True)
        bench_recordings(directory, megabytes)
        bench_spe(directory, 50)
        bench_memory(directory)
        if lbr := os.environ.get("EVNAME_BENCH_LBR"):
            bench_branches(directory, lbr, os.environ["EVNAME_BENCH_BINARY"])


if __name__ == "__main__":
    if sys.argv[1] == "--touch":
        touch_pages(int(sys.argv[2]))
    else:
        EVNAME, GEN, WALK = sys.argv[1:4]
        main()
