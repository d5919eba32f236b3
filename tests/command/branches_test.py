#!/usr/bin/env python3
"""evname report --branches: its numbers equal perf report -b's for the same recordings. Arguments: the evname command,
the source root, and yes or no (has it elfutils?). `branches_test.py --make PERF ROOT` writes what perf reports, which is in
tests/data/branch-report.txt."""

import collections
import csv
import io
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import page_file
import perf_file as perf

PID = 4000777  # has no process
CODE, FUNCTIONS, SIZE = 0x10000000, 12, 0x100
BRANCH_STACK, IP = 1 << 11, 1
ANY, TYPE_SAVE = 1 << 3, 1 << 16
COMMS = {1: b"alpha", 2: b"beta", 3: b"gamma"}
TYPES = (0, 1, 2, 3, 4, 5, 7)  # PERF_BR_*
PAGE_NUMBERS = ("count", "predicted", "mispredicted", "in_transaction", "aborted", "timed", "cycles", "least", "taken", "again",
                "left", "turn_timed", "turn_cycles")
KEYS = ("sym_from,sym_to", "sym_from", "sym_to", "dso_from,dso_to", "addr_from,addr_to", "mispredict", "in_tx", "abort", "cycles",
        "comm,mispredict", "sym", "dso", "dso_to,mispredict,in_tx,abort,cycles")
PERF_KEYS = {"sym_from": "symbol_from", "sym_to": "symbol_to"}


def flags(chance, kind):
    mispredicted = chance.random() < 0.2
    word = 1 if mispredicted else 2
    if kind != "rich":
        return word if kind == "plain" else 0  # perf shows "Y" for an unknown prediction
    cycles = chance.choice((0, 1, 3, 3, 17, 30000))  # perf writes 65535 as -1
    return word | (chance.random() < 0.1) << 2 | (chance.random() < 0.05) << 3 | cycles << 4 | chance.choice(TYPES) << 20


def address(chance):
    if chance.random() < 0.05:
        return chance.choice((0xffffffff81000010, 0x7000))  # of no mapping
    return CODE + SIZE * min(int(chance.expovariate(0.5)), FUNCTIONS - 1) + 4 * chance.randrange(3)


def recording(kind, samples=60):
    chance = random.Random(kind)
    attr = bytearray(perf.attr(0, 0, perf.TYPE | IP | BRANCH_STACK))
    struct.pack_into("<Q", attr, 72, ANY | TYPE_SAVE)
    out = b"".join(perf.record(perf.COMM, struct.pack("<ii", PID, tid) + perf.padded(name) + perf.trailer(0, tid))
                   for tid, name in COMMS.items())
    out += perf.record(perf.MMAP, struct.pack("<iiQQQ", PID, PID, CODE, SIZE * FUNCTIONS, 0) + perf.padded(b"//anon")
                       + perf.trailer(0, PID), 2)
    for n in range(samples):
        stack = [(address(chance), address(chance), flags(chance, kind)) for _ in range(chance.choice((0, 1, 8, 32)))]
        body = struct.pack("<QQiiQQ", 1, CODE, PID, chance.choice(list(COMMS)), 1000 + n, len(stack))
        out += perf.record(perf.SAMPLE, body + b"".join(struct.pack("<3Q", *branch) for branch in stack), 2)
    return perf.file(out, [bytes(attr)], [(15, b"")])


def perf_map():
    return "".join(f"{CODE + SIZE * n:x} {SIZE:x} function{n}\n" for n in range(FUNCTIONS - 2))


def word_of(value):
    """perf's words: "[.] main+0x4" without the mode, and a zero offset."""
    value = re.sub(r"^\[.\] ", "", value.strip()).strip()
    value = re.sub(r"\+0x0$", "", value)
    value = re.sub(r"^\[JIT\] tid (\d+)$", r"perf-\1.map", value)
    return {"-": "", "N/A": "", "[unknown]": ""}.get(value, "" if value.startswith("0x") else value.rsplit("/", 1)[-1])


def perf_rows(command, path, keys):
    own = ",".join(PERF_KEYS.get(key, key) for key in keys.split(","))
    done = subprocess.run([command, "report", "-b", "--stdio", "-f", "-n", "-t", ";", "-i", path, "-s", own], check=True,
                          capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if re.match(r" *[0-9.]+% *;", line):
            _, count, *values = line.split(";")
            yield int(count), *(word_of(value) for value in values[:len(keys.split(","))])  # perf adds columns of its own


def make(command, root):
    lines = []
    path_of_map = pathlib.Path(f"/tmp/perf-{PID}.map")
    with tempfile.TemporaryDirectory() as folder:
        path_of_map.write_text(perf_map())
        for kind in ("plain", "rich"):
            path = pathlib.Path(folder, kind)
            path.write_bytes(recording(kind))
            for keys in KEYS:
                rows = collections.Counter()
                for count, *values in perf_rows(command, path, keys):
                    rows[tuple(values)] += count
                lines += ["\t".join([kind, keys, str(count), *values]) for values, count in sorted(rows.items())]
        path_of_map.unlink()
    pathlib.Path(root, "tests", "data", "branch-report.txt").write_text("\n".join(lines) + "\n")


def run(*words, status=0):
    done = subprocess.run([EVNAME, "report", *words], capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


def own_rows(folder, path, keys, *more):
    text = run("--branches", "--sort", keys, "--csv", "--symfs", folder, *more, path).stdout
    return list(csv.DictReader(io.StringIO(text)))


def own_words(row, keys):
    words = []
    for key in keys.split(","):
        value = row[key]
        if re.match(r"^(perf-\d+\.map|//anon|anon)\+0x", value):
            value = ""  # of no function
        words.append(word_of(value))
    return tuple(words)


def check_equal(folder, root, kind, path):
    wanted = collections.defaultdict(collections.Counter)
    for line in pathlib.Path(root, "tests", "data", "branch-report.txt").read_text().splitlines():
        of, keys, count, *values = line.split("\t")
        if of == kind:
            wanted[keys][tuple(values)] += int(count)
    for keys in KEYS:
        got = collections.Counter()
        for row in own_rows(folder, path, keys):
            got[own_words(row, keys)] += int(row["branches"])
        assert got == wanted[keys], (kind, keys, got - wanted[keys], wanted[keys] - got)


def branches_of(data):
    """The words of each branch with its thread, from the records."""
    at = struct.unpack_from("<Q", data, 40)[0]
    end = at + struct.unpack_from("<Q", data, 48)[0]
    while at < end:
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if kind == perf.SAMPLE:
            tid, time, count = struct.unpack_from("<iQQ", data, at + 28)
            for n in range(count):
                yield (tid, time, *struct.unpack_from("<3Q", data, at + 48 + 24 * n))
        at += size


def check_sums(folder, path):
    """What perf does not sum up: by the target's function, from the records."""
    sums = collections.defaultdict(lambda: [0, 0, 0, 0, []])
    for _, _, _, to, word in branches_of(path.read_bytes()):
        index = (to - CODE) // SIZE
        name = f"function{index}" if 0 <= index < FUNCTIONS - 2 else ""
        one = sums[name]
        for i, flag in enumerate((1, 1, 4, 8)):
            one[i] += 1 if i == 0 else bool(word & flag)
        if cycles := word >> 4 & 0xffff:
            one[4].append(cycles)
    for row in own_rows(folder, path, "sym_to"):
        name = own_words(row, "sym_to")[0]
        count, mispredicted, in_tx, aborted, cycles = sums[name]
        if not name:
            continue  # several rows
        assert [int(row[key]) for key in ("branches", "mispredicted", "in_transaction", "aborted")] == [
            count, mispredicted, in_tx, aborted], row
        assert abs(float(row["mispredicted_share"]) - mispredicted / count) < 1e-4, row
        assert int(row["cycles_least"]) == min(cycles) and abs(float(row["cycles_mean"]) - sum(cycles) / len(cycles)) < 0.01, row


def check_filters(folder, path):
    """Filters select samples."""
    branches = list(branches_of(path.read_bytes()))
    for filter, wanted in ((["--comm", "beta"], [b for b in branches if b[0] == 2]),
                           (["--time", "0.000001020,0.000001040"], [b for b in branches if 1020 <= b[1] <= 1040])):
        assert wanted and sum(int(row["branches"]) for row in own_rows(folder, path, "sym_from,sym_to", *filter)) == len(wanted), filter


def check_text(folder, path):
    lines = run("--branches", "--symfs", folder, path).stdout.splitlines()
    assert lines[0].split()[:3] == ["branches", "share", "mispredicted"] and lines[0].split()[-2:] == ["sym_from", "sym_to"], lines[0]
    rows = [json.loads(line) for line in run("--sort", "branch_type", "--json", "--symfs", folder, path).stdout.splitlines()]
    assert {row["branch_type"] for row in rows} == {None, "COND", "UNCOND", "IND", "CALL", "IND_CALL", "SYSCALL"}, rows


def check_lines(folder):
    """Branches of a library with debug information, from the first line of one function to another's."""
    if sys.argv[3] != "yes" or not shutil.which("gcc"):
        return
    source, library = pathlib.Path(folder, "two.c"), pathlib.Path(folder, "two.so")
    source.write_text("int one(int n)\n{ return n + 1; }\n\nint two(int n)\n{ return n + 2; }\n")
    subprocess.run(["gcc", "-g", "-shared", "-fPIC", "-Wl,--build-id=none", "-o", library, source], check=True)
    names = subprocess.run(["nm", library], check=True, capture_output=True, text=True).stdout.splitlines()
    at = {line.split()[2]: CODE + int(line.split()[0], 16) for line in names if line.endswith((" T one", " T two"))}
    attr = bytearray(perf.attr(0, 0, perf.TYPE | IP | BRANCH_STACK))
    struct.pack_into("<Q", attr, 72, ANY)
    data = perf.record(perf.MMAP, struct.pack("<iiQQQ", PID, PID, CODE, 1 << 20, 0) + perf.padded(str(library).encode())
                       + perf.trailer(0, PID), 2)
    body = struct.pack("<QQiiQQ3Q", 1, CODE, PID, PID, 1000, 1, at["one"], at["two"], 2)
    path = pathlib.Path(folder, "lines")
    path.write_bytes(perf.file(data + perf.record(perf.SAMPLE, body, 2), [bytes(attr)], [(15, b"")]))
    row, = csv.DictReader(io.StringIO(run("--sort", "srcline_from,srcline_to,addr_from,sym_to", "--csv", path).stdout))
    assert [row[key].rsplit("/", 1)[-1] for key in ("srcline_from", "srcline_to")] == ["two.c:2", "two.c:5"], row
    assert (row["addr_from"], row["sym_to"], row["branches"]) == ("one+0x0", "two", "1"), row


def check_processes(folder):
    """The same addresses are other code in another process, and after another mapping."""
    attr = bytearray(perf.attr(0, 0, perf.TYPE | IP | BRANCH_STACK))
    struct.pack_into("<Q", attr, 72, ANY)
    out = b""
    for n, (pid, name) in enumerate(((1, "a"), (2, "b"), (1, None), (2, "c"), (1, None), (2, None), (1, "c"))):
        time = 1000 + 10 * n
        if name:
            out += perf.record(perf.MMAP, struct.pack("<iiQQQ", pid, pid, CODE, SIZE, 0) + perf.padded(name.encode())
                               + perf.trailer(time, pid), 2)
        out += perf.record(perf.SAMPLE, struct.pack("<QQiiQQ6Q", 1, CODE, pid, pid, time + 1, 2, *(CODE + 8, CODE, 2) * 2), 2)
    path = pathlib.Path(folder, "processes")
    path.write_bytes(perf.file(out, [bytes(attr)], [(15, b"")]))
    for keys, wanted in (("dso_to", {("a",): 6, ("b",): 2, ("c",): 6}),
                         ("pid,dso_to", {("1", "a"): 6, ("2", "b"): 2, ("2", "c"): 4, ("1", "c"): 2})):
        rows = {tuple(row[key] for key in keys.split(",")): int(row["branches"]) for row in own_rows(folder, path, keys)}
        assert rows == wanted, (keys, rows)


def page_rows(folder, path):
    """The texts and numbers of each row of the page's view Branches, and the number of branches."""
    page = pathlib.Path(folder, "page.html")
    run("--symfs", folder, "--html", page, path)
    data = page_file.data_of(page)
    texts = page_file.texts_of(data)
    (_, all_branches), = data["files"][0]["branches"]["events"]
    rows = data["files"][0]["branches"]["rows"]
    assert data["files"][0]["branches"]["more"] == 0
    return {(texts[row[1]], texts[row[3]]): dict(zip(PAGE_NUMBERS, row[5:])) for row in rows}, all_branches


def check_page(folder):
    """Loops by hand: a visit goes back three times and leaves; the other one is cut off by the stack's newest end."""
    begin, last, inner = CODE + 0x10, CODE + 0x40, CODE + 2 * SIZE
    back, leave = (last, begin, 2 | 5 << 4), (CODE + 0x50, CODE + SIZE, 1 | 7 << 4)
    call, back_to = (CODE + 0x20, inner, 2 | 3 << 4), (inner + 8, CODE + 0x24, 2 | 11 << 4)
    away = [(CODE + 0x20, inner, 2 | kind << 20) for kind in (0, 6, 10)]  # PERF_BR_UNKNOWN, RET and COND_RET
    stacks = [[leave, back, back_to, call, back, back], [back, back_to, call, back], [back_to, call], *([one, back] for one in away)]
    attr = bytearray(perf.attr(0, 0, perf.TYPE | IP | BRANCH_STACK))
    struct.pack_into("<Q", attr, 72, ANY)
    out = perf.record(perf.MMAP, struct.pack("<iiQQQ", PID, PID, CODE, SIZE * FUNCTIONS, 0) + perf.padded(b"//anon")
                      + perf.trailer(0, PID), 2)
    for n, stack in enumerate(stacks):
        words = [word for branch in stack for word in branch]
        out += perf.record(perf.SAMPLE, struct.pack(f"<QQiiQQ{len(words)}Q", 1, CODE, PID, 1, 1000 + n, len(stack), *words), 2)
    path = pathlib.Path(folder, "loops")
    path.write_bytes(perf.file(out, [bytes(attr)], [(15, b"")]))
    rows, branches = page_rows(folder, path)
    assert branches == sum(map(len, stacks)) and sum(row["count"] for row in rows.values()) == branches, rows
    loop = rows["function0+0x40", "function0+0x10"]
    # Of eight times back, three went round again, once without a call (5 cycles) and twice with it (5 + 3 + 11); one left by a
    # jump, and two by returns.
    assert [loop[key] for key in ("count", "taken", "again", "left", "turn_timed", "turn_cycles")] == [8, 8, 3, 3, 3, 43], loop
    other = rows["function0+0x50", "function1"] if ("function0+0x50", "function1") in rows else rows["function0+0x50", "function1+0x0"]
    assert [other[key] for key in ("count", "mispredicted", "cycles", "least", "taken")] == [1, 1, 7, 7, 0], other


def check_unknown(folder):
    """A branch whose prediction and cycles are unknown is neither predicted nor mispredicted."""
    path = pathlib.Path(folder, "unknown")
    path.write_bytes(recording("unknown"))
    row, = own_rows(folder, path, "mispredict,cycles")
    assert (row["mispredict"], row["cycles"], row["mispredicted_share"], row["cycles_least"]) == ("", "", "", ""), row


def check_mistakes(folder, path):
    for words in (["--mem"], ["--children"], ["--html", "page.html"], ["--metrics", "ipc"], ["--waiting"]):
        assert "--branches" in run("--branches", *words, path, status=2).stderr, words
    assert "branches" in run("--sort", "sym,sym_from", "--children", path, status=2).stderr
    assert "samples also have branches (--branches)" in run(path).stderr
    none = pathlib.Path(folder, "none")
    none.write_bytes(perf.file(perf.comm(1, b"one") + perf.sample(5)))
    assert "no sample has branches: record with -b" in run("--branches", none).stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(pathlib.Path(folder, "tmp"))
        pathlib.Path(folder, "tmp", f"perf-{PID}.map").write_text(perf_map())
        for kind in ("plain", "rich"):
            path = pathlib.Path(folder, kind)
            path.write_bytes(recording(kind))
            check_equal(folder, sys.argv[2], kind, path)
        check_sums(folder, path)
        check_filters(folder, path)
        check_text(folder, path)
        check_unknown(folder)
        check_lines(folder)
        check_processes(folder)
        check_page(folder)
        check_mistakes(folder, path)


if sys.argv[1] == "--make":
    make(*sys.argv[2:])
else:
    EVNAME = sys.argv[1]
    main()
