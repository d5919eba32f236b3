#!/usr/bin/env python3
"""How processor time and memory of the command grow with what a recording has: its size, events, threads, mappings,
symbols, the depth of stacks. Writes recordings of its own, so that no perf is needed, and prints for each the slope:
1 is proportional, what an empty recording takes left out. Fails if time or memory grows faster than that, if memory
grows with the size of a recording at all, or if eight threads take longer than as many as there are cores.

  tests/bench/scaling.py EVNAME [--quick] [--svg FILE] [NAME…]

--quick leaves out the largest of each, which take minutes and some GB of disk in $TMPDIR (a 10 GB recording has holes:
it takes 0.7 GB). NAME: these alone."""

import argparse
import math
import os
import pathlib
import random
import struct
import sys
import tempfile

import plot
import programs

MMAP2, COMM, SAMPLE, FINISHED_ROUND = 10, 3, 9, 68
IP, TID, TIME, CALLCHAIN, RAW, IDENTIFIER = 1, 2, 4, 1 << 5, 1 << 10, 1 << 16
USER = 2  # misc: in user mode
PID, BASE = 1000, 0x7f0000000000
SECOND = 10**9

STEEPEST = 1.3    # slope of time, and of memory where something has to be kept of each: a million of them leave the caches
STEEPER = {"mappings": 1.6}  # above 16,000 of one process, whoever reads waits for the other threads at each new one
FLAT_MB = 24      # what memory may grow by with the size of a recording
SHORTEST = 0.004  # seconds: what is less says nothing
SLOWER = 1.05     # eight threads, beside one on each core
RUNS = 3


class Recording:
    """Writes a perf.data file of one or more events, record by record."""

    def __init__(self, path, sample_type=IP | TID | TIME, events=1):
        self.file = open(path, "wb")
        self.sample_type = sample_type
        attrs, header = events * 152, 104
        ids = header + attrs
        self.data = ids + events * 8
        self.file.write(struct.pack("<8s8Q", b"PERFILE2", header, 152, header, attrs, self.data, 0, 0, 0) + bytes(32))
        for i in range(events):
            mmap_comm_mmap2 = 1 << 8 | 1 << 9 | 1 << 23
            attr = struct.pack("<2I5Q", 4, 136, i, 1, sample_type, 0, mmap_comm_mmap2).ljust(136, b"\0")
            self.file.write(attr + struct.pack("<2Q", ids + 8 * i, 8))
        self.file.write(struct.pack(f"<{events}Q", *range(1, events + 1)))

    def write(self, records):
        self.file.write(records)

    def skip(self, size):
        """Leaves a hole of zeros."""
        self.file.seek(size, os.SEEK_CUR)

    def close(self):
        end = self.file.tell()
        self.file.truncate(end)
        self.file.seek(48)
        self.file.write(struct.pack("<Q", end - self.data))
        self.file.close()


def record(kind, body, misc=USER):
    return struct.pack("<I2H", kind, misc, 8 + len(body)) + body


def comm(pid, tid, name):
    return record(COMM, struct.pack("<2I", pid, tid) + name.encode().ljust(16, b"\0"))


def mapping(start, size, name="//anon", offset=0):
    text = name.encode() + b"\0"
    text += bytes(-len(text) % 8)
    return record(MMAP2, struct.pack("<2I3Q2I2Q2I", PID, PID, start, size, offset, 0, 0, 0, 0, 5, 2) + text)


def sample(ip, time, tid=PID, rest=b"", event=None):
    identifier = b"" if event is None else struct.pack("<Q", event)
    return record(SAMPLE, identifier + struct.pack("<Q2IQ", ip, PID, tid, time) + rest)


ROUND = record(FINISHED_ROUND, b"", 0)


# Each writes a recording with `count` of something to a directory.

def make_size(path, megabytes):
    """A round of samples, repeated with later times. Of 100 threads and 5,000 addresses."""
    one = len(sample(0, 0))
    per_round = (1 << 20) // one
    chance = random.Random(7)
    offsets = [(chance.randrange(5000) * 16, 2000 + chance.randrange(100)) for _ in range(per_round)]
    out = Recording(path)
    out.write(b"".join(comm(PID, 2000 + i, f"thread{i}") for i in range(100)))
    for k in range(megabytes):
        out.write(b"".join(sample(BASE + at, (k * per_round + i) * 1000 + SECOND, tid)
                           for i, (at, tid) in enumerate(offsets)) + ROUND)
    out.close()


def make_sparse(path, megabytes):
    """Samples of 60 KB of raw data, which are a hole of the file but for their first page."""
    size = 15 * 4096
    out = Recording(path, IP | TID | TIME | RAW)
    out.write(comm(PID, PID, "sparse"))
    for i in range(megabytes * (1 << 20) // size):
        head = struct.pack("<I2HQ2IQI", SAMPLE, USER, size, BASE + i % 5000 * 16, PID, PID, i * 1000 + SECOND, size - 36)
        out.write(head)
        out.skip(size - len(head))
    out.close()


def make_events(path, count):
    out = Recording(path, IDENTIFIER | IP | TID | TIME, count)
    out.write(comm(PID, PID, "events"))
    out.write(b"".join(sample(BASE, i * 1000 + SECOND, event=i + 1) for i in range(count)))
    out.close()


def make_threads(path, count):
    out = Recording(path)
    for i in range(count):
        out.write(comm(PID, 10_000 + i, f"t{i}") + sample(BASE, i * 1000 + SECOND, 10_000 + i))
    out.close()


def make_mappings(path, count):
    """Mappings that stay, each with a sample."""
    out = Recording(path)
    out.write(comm(PID, PID, "mappings"))
    for i in range(count):
        start = BASE + i * 8192
        out.write(mapping(start, 4096, "/lib/a.so", i * 4096) + sample(start + 16, i * 1000 + SECOND))
    out.close()


def make_jit(path, count):
    """A JIT compiler that maps its code anew at one of 1,000 places, over what was there."""
    out = Recording(path)
    out.write(comm(PID, PID, "jit"))
    for i in range(count):
        start = BASE + i % 1000 * 6000 // 4096 * 4096
        out.write(mapping(start, 8192) + sample(start + 16, i * 1000 + SECOND))
    out.close()


def make_symbols(path, count):
    """Functions of a JIT compiler; 1,000 were sampled."""
    out = Recording(path)
    out.write(comm(PID, PID, "symbols") + mapping(BASE, count * 16))
    for i in range(1000):
        out.write(sample(BASE + count * i // 1000 * 16, i * 1000 + SECOND))
    out.close()
    names = path.parent / "tmp" / f"perf-{PID}.map"
    names.parent.mkdir(exist_ok=True)
    with open(names, "w") as file:
        for i in range(count):
            file.write(f"{BASE + i * 16:x} 10 function_{i}\n")


def make_stacks(path, depth):
    """2,000 stacks without a common caller."""
    chance = random.Random(7)
    user = 2**64 - 512
    out = Recording(path, IP | TID | TIME | CALLCHAIN)
    out.write(comm(PID, PID, "stacks") + mapping(BASE, 1 << 24, "/lib/a.so"))
    for i in range(2000):
        calls = [BASE + chance.randrange(1 << 12) * 16 for _ in range(depth)]
        out.write(sample(calls[0], i * 1000 + SECOND, rest=struct.pack(f"<{depth + 2}Q", depth + 1, user, *calls)))
    out.close()


TEXT = ["annotate", "-F", "comm,tid,time,event,ip"]
NAMED = ["annotate", "--no-inline", "-F", "comm,tid,time,event,ip,sym", "--symfs", "DIRECTORY"]
# Name, unit, what writes it, counts (--quick leaves the last one out), arguments, if memory has to stay the same.
JOBS = [
    ("size", "MB", make_size, (1, 10, 100, 1000), TEXT, True),
    ("sparse", "MB", make_sparse, (10, 100, 1000, 10_000), TEXT, True),
    ("report", "MB", make_size, (1, 10, 100, 1000), ["report", "--sort", "event,comm"], True),
    ("events", "events", make_events, (1, 200, 2000, 20_000), ["report", "--sort", "event"], False),
    ("threads", "threads", make_threads, (1, 10_000, 100_000, 1_000_000), TEXT, False),
    ("mappings", "mappings", make_mappings, (1, 10_000, 100_000, 1_000_000), NAMED, False),
    ("jit", "mappings", make_jit, (1, 10_000, 100_000, 1_000_000), NAMED, True),
    ("symbols", "symbols", make_symbols, (1, 100_000, 1_000_000, 10_000_000), NAMED, False),
    ("stacks", "deep", make_stacks, (1, 10, 100, 1000), ["annotate", "--format", "folded", "--no-inline"], False),
]


def processor_seconds(command):
    """User and system time; the best of some runs."""
    def once():
        pid = os.posix_spawn(command[0], command, os.environ, file_actions=[
            (os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)])
        _, status, usage = os.wait4(pid, 0)
        if status != 0:
            sys.exit(f"failed: {' '.join(command)}")
        return usage.ru_utime + usage.ru_stime
    return min(once() for _ in range(RUNS))


def slope(points, least):
    """Of the logarithms, by least squares, without what the first one takes; None if that is nearly all."""
    (_, ground), *rest = points
    logs = [(math.log(x), math.log(y - ground)) for x, y in rest if y - ground > least]
    if len(logs) < 2:
        return None
    x_mean, y_mean = (sum(values) / len(logs) for values in zip(*logs))
    return sum((x - x_mean) * (y - y_mean) for x, y in logs) / sum((x - x_mean) ** 2 for x, _ in logs)


def measure(evname, directory, job, quick):
    """Rows of count, seconds, MB."""
    _, unit, make, counts, arguments, _ = job
    rows = []
    for count in counts[:-1] if quick else counts:
        path = directory / "scaling.data"
        make(path, count)
        command = [evname, *(str(directory) if word == "DIRECTORY" else word for word in arguments), str(path)]
        rows.append((count, processor_seconds(command), programs.anonymous_megabytes(command)))
        print("  {:>10,} {:8} {:8.3f} s {:8.1f} MB".format(count, unit, *rows[-1][1:]), flush=True)
        path.unlink()
    return rows


def judge(name, rows, stays):
    """Prints the slopes. Returns False if one is too steep."""
    time = slope([(count, seconds) for count, seconds, _ in rows], SHORTEST)
    steepest = STEEPER.get(name, STEEPEST)
    good = time is None or time <= steepest
    line = f"{name}: time {'too short to tell' if time is None else f'{time:.2f}'}"
    if stays:
        grown = rows[-1][2] - rows[-2][2]
        good &= grown <= FLAT_MB
        line += f", memory {grown:+.0f} MB with the last step (at most {FLAT_MB:+})"
    else:
        memory = slope([(count, mb) for count, _, mb in rows], 1)
        good &= memory is None or memory <= STEEPEST
        line += f", memory {'too little to tell' if memory is None else f'{memory:.2f}'}"
    print(line + ("" if good else f": FAILED, at most {steepest}"), flush=True)
    return good


def judge_threads(evname, directory):
    """Eight threads on fewer cores: their waits and shared writes would show."""
    path = directory / "scaling.data"
    make_size(path, 100)
    command = [evname, *TEXT, str(path), "--jobs"]
    cores = len(os.sched_getaffinity(0))
    some = max(cores, 3)  # with two, one thread does all
    pairs = [(programs.run([*command, str(some)]), programs.run([*command, "8"])) for _ in range(10)]
    few, many = (min(times) for times in zip(*pairs))
    path.unlink()
    good = cores >= 8 or many <= few * SLOWER
    print(f"8 threads on {cores} cores: {many:.3f} s, {some} threads {few:.3f} s" + ("" if good else ": FAILED"))
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("evname")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--svg")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    evname = os.path.abspath(options.evname)
    good, panels = True, []
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        for job in JOBS:
            name, unit, *_, stays = job
            if options.names and name not in options.names:
                continue
            rows = measure(evname, directory, job, options.quick)
            good &= judge(name, rows, stays)
            panels.append((f"{name}: seconds", [(count, seconds) for count, seconds, _ in rows], unit))
            panels.append((f"{name}: MB of memory", [(count, mb) for count, _, mb in rows], unit))
        if not options.names or "jobs" in options.names:
            good &= judge_threads(evname, directory)
    if options.svg:
        plot.write(options.svg, panels)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
