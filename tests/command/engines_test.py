#!/usr/bin/env python3
"""The scripts of docs/fleet over a small fleet: every sample of every recording is there once, whatever was killed,
done twice or damaged. Usage: engines_test.py EVNAME SOURCE_ROOT. Engines that are not here are skipped: Dask
(python3-distributed; for columns evname's package), Slurm (slurm-wlm, as root), DuckDB (npm's
@duckdb/node-api in EVNAME_NODE_MODULES)."""

import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

EVNAME, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
FLEET = ROOT / "docs" / "fleet"
# The system's, which the system's packages are for.
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable
ENVIRONMENT = {**os.environ, "EVNAME": EVNAME, "EVNAME_EVENTS": "", "PORT": str(20000 + os.getpid() % 10000 * 2)}
RECORDINGS, SHARDS = 110, 9


def run(*words, code=0, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, encoding="utf-8",
                          env={**ENVIRONMENT, **options.pop("env", {})}, timeout=240, **options)
    assert done.returncode == code, f"{words[0]}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def start(*words):
    return subprocess.Popen([str(word) for word in words], env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, start_new_session=True)


def make_fleet(folder):
    """The list, and what evname says of each recording alone: exit code and samples."""
    run(PYTHON, FLEET / "make-recordings", RECORDINGS - 2, folder, ROOT / "tests" / "data")
    listed = folder / "list"
    no_recording, cut = folder / "no recording 'at all'.data", folder / "cut off.data"
    no_recording.write_text("nothing of the kind")
    cut.write_bytes((ROOT / "tests" / "data" / "neoverse-n1.data").read_bytes()[:9000])
    listed.write_text(listed.read_text() + f"{no_recording}\n{cut}\n")
    truth = {}
    for path in listed.read_text().splitlines():
        done = subprocess.run([EVNAME, "annotate", path], capture_output=True, env=ENVIRONMENT)
        truth[path] = (done.returncode, done.stdout.count(b"\n"))
    return listed, truth


def has_module(name):
    return subprocess.run([PYTHON, "-c", f"import {name}"], capture_output=True).returncode == 0


class Fleet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.list, cls.truth = make_fleet(cls.folder / "recordings")
        assert {code for code, _ in cls.truth.values()} == {0, 1, 2}

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.out = self.folder / self.id().rsplit(".", 1)[1]

    def shard(self, number):
        return FLEET / "shard", self.list, self.out, number, SHARDS

    def check_out(self):
        """The exit code and the samples that evname reports for each recording match the logs."""
        rows = [line.split("\t", 2) for log in self.out.glob("*.log") for line in log.read_text().splitlines()]
        self.assertEqual(sorted((path, int(code), int(samples)) for code, samples, path in rows),
                         sorted((path, *row) for path, row in self.truth.items()))
        found = collections.Counter(json.loads(line)["file"] for part in self.out.glob("*.jsonl")
                                    for line in part.read_text().splitlines())
        self.assertEqual(found, {path: samples for path, (_, samples) in self.truth.items() if samples})
        faults = "".join(path.read_text() for path in self.out.glob("*.faults"))
        for path, (code, _) in self.truth.items():
            self.assertTrue(code == 0 or path in faults, path)
        codes = collections.Counter(code for code, _ in self.truth.values())
        self.assertEqual(run(FLEET / "totals", self.out, SHARDS).stdout.strip(),
                         f"{RECORDINGS} recordings, {sum(found.values())} samples; exit codes 0: {codes[0]}, "
                         f"1: {codes[1]}, 2: {codes[2]}")

    def test_shards(self):
        twice = [start(*self.shard(0)) for _ in range(3)]
        for number in range(SHARDS):
            run(*self.shard(number))
        self.assertEqual([process.wait() for process in twice], [0, 0, 0])
        run(*self.shard(SHARDS - 1))
        self.check_out()

    def test_a_killed_shard(self):
        for number in range(SHARDS):
            process = start(*self.shard(number))
            time.sleep(0.01 * number)
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        left = [number for number in range(SHARDS) if not (self.out / f"{number}.log").exists()]
        self.assertTrue(left, "none was killed in time")
        told = run(FLEET / "totals", self.out, SHARDS, code=1).stderr
        self.assertEqual(told.split(":")[1].split(), [str(number) for number in left])
        for number in range(SHARDS):
            run(*self.shard(number))
        self.check_out()

    def test_a_missing_command(self):
        done = run(*self.shard(0), code=127, env={"EVNAME": "/no/such/command"})
        self.assertIn("/no/such/command", done.stderr)
        self.assertEqual(list(self.out.iterdir()), [])

    @unittest.skipUnless(has_module("distributed"), "no Dask here")
    def test_dask_with_a_killed_worker(self):
        done = run(PYTHON, FLEET / "dask-shards", self.list, self.out, SHARDS, "--workers", 2, "--kill", 2, code=1)
        self.assertEqual(json.loads(done.stdout)["recordings"], RECORDINGS)
        self.check_out()

    @unittest.skipUnless(has_module("distributed") and has_module("evname"), "no Dask with evname for Python here")
    def test_dask_with_columns(self):
        done = run(PYTHON, FLEET / "dask-columns", self.list, SHARDS, "--workers", 2, code=1)
        found = collections.Counter()
        for row in map(json.loads, done.stdout.splitlines()):
            found[row["comm"]] += row["samples"]
        expected = collections.Counter()
        for path in self.truth:
            lines = subprocess.run([EVNAME, "annotate", "--json", "-F", "comm", path], capture_output=True,
                                   env=ENVIRONMENT, encoding="utf-8").stdout.splitlines()
            expected.update(json.loads(line)["comm"] or "" for line in lines)
        self.assertEqual(found, expected)
        for path, (code, _) in self.truth.items():
            self.assertTrue(code == 0 or path in done.stderr, path)

    @unittest.skipUnless(shutil.which("slurmctld") and shutil.which("munged") and os.geteuid() == 0, "no Slurm here")
    def test_slurm_with_a_cancelled_task(self):
        slurm = f"{FLEET}/slurm-shards {self.list} {self.out} {SHARDS}"
        kill = f"(until ls {self.out}/*.log; do sleep 0.1; done; scancel 1_{SHARDS - 1}; scancel 1_{SHARDS - 2}) >&2"
        script = f"{kill} & {slurm}; {FLEET}/totals {self.out} {SHARDS} && exit 9; {slurm}"
        run(FLEET / "slurm-here", self.folder / "slurm", "sh", "-c", script)
        self.check_out()

    @unittest.skipUnless(shutil.which("node") and "EVNAME_NODE_MODULES" in os.environ, "no DuckDB here")
    def test_duckdb(self):
        for number in range(SHARDS):
            run(*self.shard(number))
        done = run("node", FLEET / "query.mjs", self.out, cwd=pathlib.Path(os.environ["EVNAME_NODE_MODULES"]).parent)
        rows = map(json.loads, done.stdout.splitlines())
        self.assertEqual({row["event"]: [int(row["samples"]), int(row["period"])] for row in rows}, self.reported())
        self.assertTrue((self.out / "samples.parquet").exists())

    def reported(self):
        """Samples and periods of each event, as report adds them up for each recording."""
        sums = collections.defaultdict(lambda: [0, 0])
        for path in self.truth:
            lines = subprocess.run([EVNAME, "report", "--json", path], capture_output=True, encoding="utf-8",
                                   env=ENVIRONMENT).stdout.splitlines()
            for row in map(json.loads, lines):
                sums[row["event"]][0] += row["samples"]
                sums[row["event"]][1] += row["period"]
        return {event: row for event, row in sums.items() if row[0]}


unittest.main(argv=sys.argv[:1], verbosity=2)
