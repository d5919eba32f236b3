#!/usr/bin/env python3
"""A fleet of recordings in SQLite: annotate, run for one file at a time, gives the samples and periods
of each event that report adds up. Arguments: the evname command and the source root. Uses the
recordings of EVNAME_SHARED too, where it is set."""

import json
import os
import pathlib
import re
import shlex
import sqlite3
import subprocess
import sys
import tempfile

EVNAME, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
FIELDS = "file,comm,pid,tid,cpu,time,full_name,period"
COLUMNS = FIELDS.split(",")


def recordings():
    files = sorted((ROOT / "tests" / "data").glob("*.data"))
    if shared := os.environ.get("EVNAME_SHARED"):
        for folder in ("recordings", "corpus"):
            files += [path for path in sorted(pathlib.Path(shared, folder).iterdir())
                      if path.suffix == ".data" or
                      ".data." in path.name and path.suffix not in (".txt", ".gz", ".md")]
    return files


def load_jsonl(database, path):
    """One sample a row, straight from the pipe. The exit code."""
    process = subprocess.Popen([EVNAME, "annotate", "--json", "-F", FIELDS, path], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, encoding="utf-8")
    rows = (json.loads(line) for line in process.stdout)
    database.executemany(f"INSERT INTO samples VALUES ({','.join('?' * len(COLUMNS))})",
                         ([row[key] for key in COLUMNS] for row in rows))
    faults = process.stderr.read()
    assert all(str(path) in line for line in faults.splitlines()), faults
    return process.wait()


def counted(database, path):
    query = "SELECT full_name, count(*), sum(period) FROM samples WHERE file = ? GROUP BY full_name"
    return {name: (samples, period) for name, samples, period in database.execute(query, (str(path),))}


def reported(path):
    done = subprocess.run([EVNAME, "report", "--json", path], capture_output=True, encoding="utf-8")
    rows = map(json.loads, done.stdout.splitlines())
    return done.returncode, {row["event"]: (row["samples"], row["period"]) for row in rows if row["samples"]}


def differs(database, path):
    code, (report_code, expected) = load_jsonl(database, path), reported(path)
    found = counted(database, path)
    if (code, found) == (report_code, expected):
        return False
    print(f"{path}: exit codes {code} and {report_code}\n  annotate {found}\n  report   {expected}")
    return True


def check_pipe(files):
    """The command of docs/fleet.md as RDD.pipe of PySpark runs it: no environment, a path a line."""
    (command,) = re.findall(r'pipe\(r"(.*?)"\)', (ROOT / "docs" / "fleet.md").read_text())
    words = [EVNAME if word.endswith("/evname") else word for word in shlex.split(command)]
    missing = str(ROOT / "no such.data")
    paths = "".join(f"{path}\n" for path in [files[0], missing, files[1]])
    done = subprocess.run(words, input=paths, capture_output=True, encoding="utf-8", env={})
    samples = [json.loads(line) for line in done.stdout.splitlines()]
    assert {sample["file"] for sample in samples} == {str(path) for path in files[:2]}, done.stderr
    assert done.returncode == 123 and missing in done.stderr, (done.returncode, done.stderr)
    nothing = subprocess.run(words, input="", capture_output=True, env={})
    assert (nothing.returncode, nothing.stdout) == (0, b""), nothing


def check_many(files):
    """Many recordings in one process give what each gives alone: samples, faults, and in the log its exit code."""
    missing = ROOT / "no such.data"
    with tempfile.TemporaryDirectory() as folder:
        cut, listed, log = (pathlib.Path(folder) / name for name in ("cut.data", "list", "log"))
        cut.write_bytes(files[0].read_bytes()[:-100])
        paths = [files[0], missing, cut, *files[1:]]
        listed.write_text("".join(f"{path}\n" for path in paths[2:]))
        for how in (["--json", "-F", FIELDS], ["-F", "comm,time,event"], ["--format", "csv", "-F", FIELDS]):
            alone = [subprocess.run([EVNAME, "annotate", *how, path], capture_output=True, encoding="utf-8") for path in paths]
            heading = alone[0].stdout.split("\n")[0] + "\n" if "csv" in how else ""
            many = subprocess.run([EVNAME, "annotate", *how, *paths[:2], "--files-from", listed, "--log", log],
                                  capture_output=True, encoding="utf-8")
            assert many.returncode == 1, many.returncode
            assert many.stdout == heading + "".join(one.stdout.removeprefix(heading) for one in alone), how
            assert sorted(many.stderr.split("\n")) == sorted("".join(one.stderr for one in alone).split("\n")), how
            rows = [line.split("\t") for line in log.read_text().splitlines()]
            assert [(int(code), path) for code, _, path in rows] == [(o.returncode, str(p)) for o, p in zip(alone, paths)]
            if "--json" in how:
                assert [int(samples) for _, samples, _ in rows] == [one.stdout.count("\n") for one in alone]
    for words, code in (([missing], 2), ([missing, missing], 2), ([missing, files[0]], 1), (["--files-from", missing], 2),
                        (["--files-from", "/dev/null"], 0), ([], 2), ([files[0], "--log", files[0]], 2),
                        ([files[0], "--log", "/no/such/log"], 2)):
        done = subprocess.run([EVNAME, "annotate", *words], capture_output=True, encoding="utf-8")
        assert done.returncode == code and (code == 0 or done.stderr), (words, done)


def main():
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE samples ({','.join(COLUMNS)})")
    files = recordings()
    check_pipe(files)
    check_many([path for path in files if path.stat().st_size < 300_000][:12])
    wrong = sum(differs(database, path) for path in files)
    (samples,), = database.execute("SELECT count(*) FROM samples")
    print(f"{len(files)} files, {samples} samples, {wrong} files differ")
    return 1 if wrong or not samples else 0


sys.exit(main())
