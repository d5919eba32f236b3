#!/usr/bin/env python3
"""evname split, and inject with filters: all samples are in the parts, each once, and all else is in each.
perf reads the files, too, where EVNAME_PERF names one. Arguments: the evname command and the
source root. Uses the recordings of EVNAME_SHARED, too, where it is set."""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from sanitizers import as_many_as_fit

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
PERF = os.environ.get("EVNAME_PERF")
FIELDS = "comm,pid,tid,cpu,time,ip,id"
KEYS = {"event": "event", "thread": "tid", "comm": "comm", "cpu": "cpu"}


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True)


def recordings():
    files = sorted((ROOT / "tests" / "data").glob("*.data"))
    if shared := os.environ.get("EVNAME_SHARED"):
        files += as_many_as_fit(sorted(pathlib.Path(shared, "recordings").glob("*.data")), EVNAME)
    return files


def samples(path, *options):
    out = run(EVNAME, "annotate", "--json", "-F", "comm,pid,tid,cpu,time,event", *options, path).stdout
    return out.decode().splitlines()


def has_values(path):
    """Samples with the values of a group: one record is a sample of each event, and what was counted during
    samples that are left out is in the next one."""
    return re.search(rb"sample_type = [A-Z|_]*\bREAD\b", run(EVNAME, "info", "-v", path).stdout) is not None


def records(path):
    """Number of records of each type, those without which a smaller recording is the same."""
    rows = map(json.loads, run(EVNAME, "info", "--json", "--records", path).stdout.decode().splitlines())
    counts = {row["record"]: row["count"] for row in rows if "record" in row}
    return {name: count for name, count in counts.items() if name not in ("SAMPLE", "COMPRESSED", "COMPRESSED2")}


def features(path):
    rows = map(json.loads, run(EVNAME, "info", "--json", path).stdout.decode(errors="replace").splitlines())
    kept = [{k: v for k, v in row.items() if k not in ("offset", "bytes")} for row in rows
            if "feature" in row or "attr" in row]
    return [{**row, "value": None} if row.get("feature") == "AUXTRACE" else row for row in kept]


def perf_lines(path, *command):
    lines = run(PERF, *command, "-f", "-i", path).stdout.decode(errors="replace").splitlines()
    return [line for line in lines if "captured on" not in line and "data size" not in line
            and "data offset" not in line and "feat offset" not in line]


def check_part(path, part):
    assert records(path) == records(part), (path, part, records(path), records(part))
    assert features(path) == features(part), (path, part)
    if PERF:
        assert perf_lines(path, "evlist", "-v") == perf_lines(part, "evlist", "-v"), (path, part)
        if path.is_file() and perf_lines(path, "evlist"):
            header = perf_lines(path, "report", "--header-only", "-I")
            assert header == perf_lines(part, "report", "--header-only", "-I"), (path, part)


def check_split(path, key, folder):
    done = run(EVNAME, "split", path, "--by", key, "-o", folder / key, "--json")
    assert done.returncode < 2, (path, key, done.stderr)
    parts = [json.loads(line) for line in done.stdout.splitlines()]
    whole, found, with_values = samples(path), [], has_values(path)
    for part in parts:
        mine = samples(part["file"])
        found += mine
        if with_values:
            continue
        assert len(mine) == part["samples"] > 0, (path, key, part, len(mine))
        values = {json.loads(line)[KEYS[key]] for line in mine}
        assert len(values) == 1, (path, key, part, values)
    exact = not with_values or key in ("event", "cpu")
    assert not exact or sorted(found) == sorted(whole), (path, key, len(found), len(whole))
    assert len({part["file"] for part in parts}) == len(list((folder / key).iterdir())) == len(parts)
    if parts:
        check_part(path, pathlib.Path(parts[0]["file"]))
    if parts and PERF and exact:
        lines = collections.Counter()
        for part in parts:
            lines.update(perf_lines(part["file"], "script"))
        whole = collections.Counter(perf_lines(path, "script"))
        assert not whole or strip(lines) == strip(whole), (path, key)


def strip(lines):
    return collections.Counter({" ".join(line.split()): count for line, count in lines.items()})


def check_filters(path, folder):
    rows = list(map(json.loads, samples(path)))
    times = sorted(row["time"] for row in rows if row.get("time"))
    filters = [("--event", re.escape(rows[0]["event"]).replace("\\", "")), ("--comm", rows[0]["comm"])]
    if rows[0].get("cpu") is not None:
        filters.append(("--cpu", str(rows[0]["cpu"])))
    if times:
        filters.append(("--time", f"{times[len(times) // 4]:.9f},{times[len(times) // 2]:.9f}"))
    for option in filters:
        out = folder / ("filtered" + option[0])
        done = run(EVNAME, "inject", *option, path, "-o", out)
        assert done.returncode < 2, (path, option, done.stderr)
        assert has_values(path) or sorted(samples(out)) == sorted(samples(path, *option)) != [], (path, option)
        assert records(path).items() - records(out).items() <= {("EVENT_UPDATE", 0)} or \
            records(path).keys() == records(out).keys(), (path, option)


def check_mistakes(folder):
    path = ROOT / "tests" / "data" / "neoverse-n1.data"
    none = run(EVNAME, "inject", "--comm", "nobody", path, "-o", folder / "none")
    assert none.returncode == 1 and none.stderr and not (folder / "none").exists()
    none = run(EVNAME, "split", "--by", "cpu", "--comm", "nobody", path, "-o", folder / "none")
    assert none.returncode == 1 and none.stderr and not (folder / "none").exists()
    piped = run("sh", "-c", f"cat '{path}' | '{EVNAME}' split --by cpu - -o '{folder}/none'")
    assert piped.returncode in (0, 2) and (piped.returncode == 0) == (folder / "none").exists(), piped
    bad = run(EVNAME, "split", "--by", "colour", path, "-o", folder / "none")
    assert bad.returncode == 2 and b"thread" in bad.stderr


def main():
    for path in recordings():
        with tempfile.TemporaryDirectory() as place:
            if not samples(path):
                continue
            for key in KEYS:
                check_split(path, key, pathlib.Path(place))
            check_filters(path, pathlib.Path(place))
    with tempfile.TemporaryDirectory() as place:
        check_mistakes(pathlib.Path(place))
    return 0


sys.exit(main())
