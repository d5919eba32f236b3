"""What the tests of evname record share: they run it in a folder of their own, and read what it wrote."""

import ctypes
import json
import mmap
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import unittest

from interrupts import let_interrupts_through

let_interrupts_through()
EVNAME = sys.argv[1]
PR_SET_THP_DISABLE = 41  # of include/uapi/linux/prctl.h, for whatever is started from here: a page fault for each page
ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)
FAULTS = (1 << 25) // mmap.PAGESIZE
WORK = [sys.executable, "-c", "bytearray(1 << 25)"]
MOST = FAULTS * 97 // 100  # any recording has more
SLEEP = ["sleep", "60"]


def run(*arguments, code=0, **options):
    result = subprocess.run([EVNAME, *arguments], capture_output=True, encoding="utf-8", timeout=60, **options)
    assert code in (None, result.returncode), f"exit code {result.returncode}, {result.stderr}"
    return result


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "perf.data"
        probe = run("record", "-q", "-e", "page-faults:u", "-o", str(self.folder / "probe"), "--", "true", code=None)
        if probe.returncode != 0:
            self.skipTest(probe.stderr)

    def record(self, *arguments, command=WORK, code=0, event="page-faults:u"):
        return run("record", "-e", event, "-o", str(self.file), *arguments, "--", *command, code=code)

    def started(self, *arguments):
        """Starts a recorder, and returns it once it samples, with a function that gives it an order and waits for the answer."""
        paths = [str(self.folder / name) for name in ("orders", "answers")]
        for path in paths:
            if not os.path.exists(path):
                os.mkfifo(path)
        to, answers = [os.open(path, os.O_RDWR) for path in paths]
        self.addCleanup(os.close, to)
        self.addCleanup(os.close, answers)
        recorder = subprocess.Popen([EVNAME, "record", "--control", "fifo:" + ",".join(paths), "-o", str(self.file), *arguments],
                                    stderr=subprocess.PIPE, encoding="utf-8")
        self.addCleanup(recorder.stderr.close)
        self.addCleanup(recorder.kill)

        def order(words):
            os.write(to, words)
            self.assertTrue(select.select([answers], [], [], 30)[0], words)
            self.assertEqual(os.read(answers, 100), b"ack\n\0", words)

        order(b"ping\n")
        return recorder, order

    def child(self, script):
        """Starts a program of Python whose standard input is a pipe."""
        child = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        for action in (child.stdout.close, child.stdin.close, child.wait, child.kill):
            self.addCleanup(action)
        child.stdout.readline()
        return child

    def samples(self, *options):
        lines = run("annotate", "--json", *options, str(self.file)).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def info(self):
        return run("info", "-v", str(self.file)).stdout
