#!/usr/bin/env python3
"""evname report --mem: its numbers are those of perf mem report on the same recordings, which memory_recording.py makes.
Arguments: the evname command and the source root. `memory_test.py --make PERF ROOT` writes what perf reports, which is in
tests/data/memory-report.txt."""

import collections
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import memory_recording  # noqa: E402

SAMPLES = 700
EVENT = "cpu/event=0xcd,umask=0x1/"
KINDS = ("usual", "latencies", "odd")
KEYS = ("mem", "snoop", "tlb", "locked", "blocked", "local_weight", "dso_daddr", "dcacheline", "phys_daddr", "local_ins_lat",
        "local_p_stage_cyc", "mem,snoop,tlb,locked,blocked")
LATENCIES = {"local_ins_lat", "local_p_stage_cyc"}  # 0 where perf has none
NAMELESS = {"dcacheline", "phys_daddr"}  # whose words differ: numbers alone are compared


def keys_of(kind):
    """perf has address 0 once for the kernel and once for programs."""
    return [keys for keys in KEYS if (kind == "latencies" or keys not in LATENCIES) and (kind, keys) != ("odd", "dcacheline")]


def write(folder, kind):
    path = pathlib.Path(folder, kind + ".data")
    path.write_bytes(memory_recording.recording(SAMPLES, kind))
    return path


def perf_rows(perf, path, keys, env):
    """Rows of the first event: share of the cost, samples, keys."""
    done = subprocess.run([perf, "mem", "report", "--stdio", "-f", "-x", ";", "-i", path, "-s", keys], env=env, check=True,
                          capture_output=True, text=True)
    rows = []
    for line in done.stdout.splitlines():
        if line.startswith("# Samples") and rows:
            break
        if re.match(r" *[0-9.]+% *;", line):
            share, samples, *values = (word.strip() for word in line.split(";"))
            rows.append((share.rstrip("%"), int(samples), () if keys in NAMELESS else tuple(values)))
    return rows


def make(perf, root):
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "HOME": folder}
        for kind in KINDS:
            path = write(folder, kind)
            for keys in keys_of(kind):
                counts = collections.Counter(perf_rows(perf, path, keys, env))
                for (share, samples, values), count in sorted(counts.items()):
                    lines.append("\t".join([kind, keys, share, str(samples), str(count), *values]))
    pathlib.Path(root, "tests", "data", "memory-report.txt").write_text("\n".join(lines) + "\n")


def expected(root):
    rows = collections.defaultdict(collections.Counter)
    for line in pathlib.Path(root, "tests", "data", "memory-report.txt").read_text().splitlines():
        kind, keys, share, samples, count, *values = line.split("\t")
        rows[kind, keys][share, int(samples), tuple(values)] += int(count)
    return rows


def run(*words, status=0):
    done = subprocess.run([EVNAME, "report", *words], capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


def word_of(value):
    return {"-": "[unknown]"}.get(value, value[value.rfind("/") + 1:] if value.startswith("/") else value)


def own_rows(path, keys):
    data = csv.DictReader(io.StringIO(run("--mem", "--csv", "--sort", "event," + keys, path).stdout))
    names = [{"local_p_stage_cyc": "local_retire_lat"}.get(key, key) for key in keys.split(",")]
    rows = collections.Counter()
    for row in data:
        if row["event"] == EVENT:
            values = () if keys in NAMELESS else tuple(word_of(row[name] or "-") for name in names)
            rows[f"{100 * float(row['cost_share']):.2f}", int(row["samples"]), values] += 1
    return rows


def by_words(rows):
    """perf has a row for each data source, though several are the same in words."""
    sums = collections.defaultdict(lambda: [0, 0.0, 0])
    for (share, samples, values), count in rows.items():
        sums[values][0] += count * samples
        sums[values][1] += count * float(share)
        sums[values][2] += count
    return sums


def check_rows(path, kind, facts):
    for keys in keys_of(kind):
        wanted, got = facts[kind, keys], own_rows(path, keys)
        if kind == "odd" and keys not in NAMELESS:
            wanted, got = by_words(wanted), by_words(got)
            assert {words: sums[0] for words, sums in got.items()} == {words: sums[0] for words, sums in wanted.items()}, keys
            for words, (_, share, rows) in wanted.items():
                assert abs(got[words][1] - share) < 0.006 * (rows + 1), (keys, words)
        else:
            assert got == wanted, (kind, keys, sorted((got - wanted).items()), sorted((wanted - got).items()))


def check_overview(path):
    """Each table has all samples, and the numbers that --sort has for its key."""
    rows = [json.loads(line) for line in run("--mem", "--json", path).stdout.splitlines()]
    tables = collections.defaultdict(dict)
    for row in rows:
        tables[row["by"]][row["value"]] = row
    assert list(tables) == ["op", "mem", "snoop", "tlb", "locked", "blocked", "latency", "sym", "srcline", "data_sym",
                            "dcacheline"], list(tables)
    for key, table in tables.items():
        assert sum(row["samples"] for row in table.values()) == SAMPLES, key
        for line in run("--mem", "--json", "--sort", key, path).stdout.splitlines():
            row = json.loads(line)
            for name in ("samples", "share", "cost", "cost_share", "mean", "most"):
                assert row[name] == table[row[key]][name], (key, name, row)
    text = run("--mem", path).stdout.splitlines()
    assert sum(line.split()[6] == "dcacheline" for line in text[1:]) == 11 and "more)" in text[-1], text[-1]
    assert sum(line.split()[6] == "dcacheline" for line in run("--mem", "--top", "3", path).stdout.splitlines()[1:]) == 4


def check_odd(path):
    """Samples without an address, a data source or a weight are counted, and reported."""
    done = run("--mem", "--json", path)
    for what in ("data source", "weight", "address"):
        assert re.search(rf"\d+ of {SAMPLES} samples have no {what}: their event does not sample it", done.stderr), done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    missing = {row["by"]: row["samples"] for row in rows if row["value"] is None}
    assert missing["mem"] == missing["latency"] == missing["dcacheline"] > 30, missing
    assert any(row["by"] == "dcacheline" and row["value"] == "0x0" for row in rows)


def check_mistakes(path):
    for words in (["--diff", path, path], ["--html", "page.html", path], ["--metrics", "ipc", path]):
        assert "--mem" in run("--mem", *words, status=2).stderr, words


def main():
    facts = expected(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            path = write(folder, kind)
            check_rows(path, kind, facts)
        check_overview(pathlib.Path(folder, "usual.data"))
        check_odd(pathlib.Path(folder, "odd.data"))
        check_mistakes(pathlib.Path(folder, "usual.data"))


if sys.argv[1] == "--make":
    make(*sys.argv[2:])
else:
    EVNAME = sys.argv[1]
    main()
