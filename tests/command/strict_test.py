#!/usr/bin/env python3
"""CSV and JSON of every recording at hand, read by parsers that allow nothing: RFC 4180 and RFC 8259, in UTF-8. And
of mutants of these: with hostile names, and with random bytes. Usage: strict_test.py EVNAME SOURCE_ROOT; takes the
recordings of EVNAME_SHARED, too."""

import csv
import functools
import io
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

from sanitizers import as_many_as_fit

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
FIELDS = ["file", "comm", "tid", "event", "full_name", "desc", "period", "trace", "callchain", "brstack", "iregs", "uregs", "misc"]
HOSTILE = [b'a,"b\r\n;=\\', b"=1+1;x=y", b"\xff\xfe\x80\xc3\x28", b"\x1b[31m\x9b2J\x7f\x01", b"+-@\t\r", b'","","', b"\xed\xa0\x80\xf0\x9f\x98\x80"]
LARGE = 1 << 17  # bytes; of larger ones no mutants are made


def recordings():
    files = sorted((ROOT / "tests" / "data").glob("*.data"))
    if shared := os.environ.get("EVNAME_SHARED"):
        for folder in ("recordings", "corpus"):
            files += as_many_as_fit(
                [path for path in sorted(pathlib.Path(shared, folder).iterdir())
                 if re.search(r"\.data(\.|$)", path.name) and path.suffix not in (".txt", ".gz", ".md")], EVNAME)
    return files


def run(*arguments, codes=(0, 1)):
    result = subprocess.run([EVNAME, *map(str, arguments)], capture_output=True)
    assert result.returncode in (0, 1, 2), result
    assert codes is None or result.returncode in codes, result
    return result.stdout


def no_constant(word):
    raise ValueError(f"{word} is no JSON")


def json_lines(output):
    return [json.loads(line, parse_constant=no_constant) for line in output.decode("utf-8").split("\n")[:-1]]


def csv_rows(output):
    """Rows of cells; every line has as many as the first."""
    reader = csv.reader(io.StringIO(output.decode("utf-8"), newline=""), strict=True)
    head, *rows = list(reader) or [[]]
    for row in rows:
        assert len(row) == len(head), (head, row)
    return [dict(zip(head, row)) for row in rows]


def pairs(cell):
    """The names and values of "name=value;…", as the header says they are escaped."""
    if not cell:
        return []
    found = []
    for pair in re.findall(r"(?:[^;\\]|\\.)+", cell, re.S):
        name, value = re.fullmatch(r"((?:[^=\\]|\\.)*)=(.*)", pair, re.S).groups()
        found.append((re.sub(r"\\(.)", r"\1", name, flags=re.S), re.sub(r"\\(.)", r"\1", value, flags=re.S)))
    return found


@functools.cache
def available(path):
    """The members of FIELDS that the recording samples."""
    told = FIELDS
    for _ in range(len(FIELDS)):
        result = subprocess.run([EVNAME, "annotate", "--limit", "1", "--format", "csv", "-F", ",".join(told), path],
                                capture_output=True)
        missing = [field for field in told if f"'{field}'".encode() in result.stderr]
        if result.returncode != 2 or not missing:
            break
        told = [field for field in told if field not in missing]
    return told


class Strict(unittest.TestCase):
    def check(self, path, codes=(0, 1), like=None):
        fields = ",".join(available(like or path))
        options = ["-F", fields, "--limit", "1000", path]
        rows = csv_rows(run("annotate", "--format", "csv", *options, codes=codes))
        objects = json_lines(run("annotate", "--json", *options, codes=codes))
        self.assertEqual(len(rows), len(objects))
        for row, one in zip(rows, objects):
            for key in ("file", "comm", "event", "full_name", "desc", "misc", "pmu"):
                if key in row:
                    self.assertEqual(row[key], one[key] or "")
            if row.get("trace"):
                values = [(name, value if isinstance(value, str) else str(value)) for name, value in one["trace"].items()]
                self.assertEqual(dict(pairs(row["trace"])), dict(values))
        for line in run("annotate", "--format", "folded", path, codes=codes).split(b"\n")[:-1]:
            self.assertRegex(line, rb"^[^; \n]*(;[^; \n]*)+ \d+$")
        csv_rows(run("annotate", "--format", "csv", "--no-formulas", *options, codes=codes))
        json_lines(run("report", "--json", "--sort", "event,comm", path, codes=codes))
        json_lines(run("info", "--json", "--records", path, codes=codes))
        json_lines(run("cpu", "--json", "-i", path, codes=codes))
        return objects

    def test_every_recording(self):
        for path in recordings():
            with self.subTest(path.name):
                self.check(path)

    def test_every_recording_with_hostile_names(self):
        random.seed(5)
        with tempfile.TemporaryDirectory() as folder:
            for path in recordings():
                if path.is_dir() or path.stat().st_size > LARGE:
                    continue
                content = path.read_bytes()
                names = {one["comm"] for one in json_lines(run("annotate", "--json", "-F", "comm", "--limit", "1000", path))}
                for number, hostile in enumerate(random.sample(HOSTILE, 2)):
                    mutant = content
                    for name in names:
                        if name and len(name) >= 2:
                            mutant = mutant.replace(name.encode() + b"\0", (hostile * 16)[:len(name.encode())] + b"\0")
                    out = pathlib.Path(folder, f'm"{number},=.data')
                    out.write_bytes(mutant)
                    with self.subTest(f"{path.name} {hostile}"):
                        self.check(out, codes=None, like=path)

    def test_mutants(self):
        random.seed(18)
        with tempfile.TemporaryDirectory() as folder:
            for path in recordings():
                if path.is_dir() or path.stat().st_size > LARGE:
                    continue
                content = path.read_bytes()
                mutant = bytearray(content)
                for _ in range(1 + len(mutant) // 2000):
                    mutant[random.randrange(16, len(mutant))] = random.choice(b'\0\x01\xff"\\,;=\r\n\x1b') \
                        if random.random() < 0.5 else random.randrange(256)
                out = pathlib.Path(folder, "mutant.data")
                out.write_bytes(mutant)
                with self.subTest(path.name):
                    self.check(out, codes=None, like=path)


class Made(unittest.TestCase):
    """Faults that the recordings at hand don't have."""

    def recording_of(self, comm):
        content = (ROOT / "tests" / "data" / "neoverse-n1.data").read_bytes()
        names = {one["comm"] for one in json_lines(run("annotate", "--json", ROOT / "tests" / "data" / "neoverse-n1.data"))}
        name = max(names, key=len).encode()
        self.assertGreaterEqual(len(name), len(comm))
        out = pathlib.Path(self.folder.name, "made.data")
        out.write_bytes(content.replace(name.ljust(16, b"\0")[:16], comm.ljust(16, b"\0")).replace(
            name + b"\0", comm.ljust(len(name), b"\0") + b"\0"))
        return out

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_a_name_is_a_cell(self):
        for comm, text in ((b'a,"b', 'a,"b'), (b"a\nb", "a\nb"), (b"\xff,", "\ufffd,")):
            rows = csv_rows(run("annotate", "--format", "csv", self.recording_of(comm)))
            self.assertIn(text, {row["comm"] for row in rows})

    def test_a_formula_is_a_text_where_that_is_wanted(self):
        for name, guarded in (("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@SUM", "'@SUM"), ("\t=1", "'\t'=1"),
                              ("\r=1", "'\r'=1"), ("\n=1", "'\n'=1"), ("＝1", "'＝1"), (";=1", ";'=1"), ("a;@1", "a;'@1"),
                              ("a=1;b", "a=1;b")):
            path = self.recording_of(name.encode())
            for options, text in (([], name), (["--no-formulas"], guarded)):
                rows = csv_rows(run("annotate", "--format", "csv", *options, path))
                self.assertIn(text, {row["comm"] for row in rows})
                rows = csv_rows(run("report", "--csv", "--sort", "comm", *options, path))
                self.assertIn(text, {row["comm"] for row in rows})
        (row, *_) = csv_rows(run("annotate", "--format", "csv", "--no-formulas", "-F", "tid,period,event", path))
        self.assertRegex(row["tid"] + row["period"], r"^\d+$")

    def test_a_number_that_json_does_not_have_is_null(self):
        for scale, expected in (("nan", None), ("inf", None), ("-inf", None), ("0.5", 0.5)):
            device = pathlib.Path(self.folder.name, scale, "bus/event_source/devices/uncore_x")
            (device / "events").mkdir(parents=True)
            (device / "format").mkdir()
            (device / "type").write_text("77\n")
            (device / "format/event").write_text("config:0-7\n")
            for name, text in (("foo", "event=1"), ("foo.scale", scale), ("foo.unit", 'J"')):
                (device / "events" / name).write_text(text + "\n")
            tree = pathlib.Path(self.folder.name, scale)
            for command in ("list", "show", "resolve"):
                rows = json_lines(run(command, "--json", "--cpu", "skylakex", "--sysfs", tree, "uncore_x/foo/" if command == "resolve" else "foo"))
                self.assertTrue(rows, command)
                for row in rows:
                    if "scale" in row:
                        self.assertEqual(row["scale"], expected)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
