#!/usr/bin/env python3
"""A sampler with an event of Arm's SPE, on a faked kernel (support/fake_traces.py): its samples are those that evname record's file
has of the same trace, and of the recording that it keeps. Usage: traces_test.py PRINT_SAMPLES EVNAME"""

import json
import mmap
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "command"), str(HERE.parent / "support")]
PRINT, EVNAME = sys.argv[1:3]
sys.argv[1:] = [EVNAME]
import fake_counters
import fake_traces
import record_traces_test as recorded
import spe_file as spe
from record_traces_test import SPE, loads


@unittest.skipIf(fake_counters.why_not(), fake_counters.why_not())
class Traces(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        fake_counters.write_tree(self.folder, recorded.tree())

    def sample(self, pieces, *more, event="arm_spe_0//", kind=SPE, code=0, **machine):
        faked = fake_traces.Machine(self.folder, kind, dict(pieces), **machine)
        done = faked.run("timeout", "120", PRINT, event, str(faked.done), *more)
        self.assertEqual(done.returncode, code, done.stderr)
        self.opened, self.areas = faked.opened, faked.areas
        lines = {"event": [], "live": [], "selected": [], "kept": [], "losses": []}
        for line in done.stdout.splitlines():
            what, rest = line.split(" ", 1)
            lines[what].append(rest)
        return lines, done.stderr

    def recorded(self, pieces):
        file = self.folder / "perf.data"
        faked = fake_traces.Machine(self.folder, SPE, dict(pieces))
        waits = ["sh", "-c", f"until [ -e {faked.done} ]; do sleep 0.02; done"]
        done = faked.run(EVNAME, "record", "-q", "-e", "arm_spe_0//", "-o", str(file), "--", *waits)
        self.assertEqual(done.returncode, 0, done.stderr)
        fields = "event,ip,tid,time,cpu,addr,weight"
        done = subprocess.run([EVNAME, "annotate", str(file), "--json", "-F", fields], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        return [f"{row['event']} {int(row['ip'], 16):x} {row['tid']} {round(float(row['time']) * 1e9)} {row['cpu']} "
                f"{int(row.get('addr') or '0', 16):x} {row.get('weight') or 0}" for row in rows]

    def test_samples_are_those_of_a_recording(self):
        pieces = {0: loads(0, 6000), 1: loads(1, 3000)}
        lines, told = self.sample(pieces)
        self.assertNotIn("warning", told)
        self.assertEqual(lines["event"], ["arm_spe_0", "dummy", "l1d-miss", "l1d-access", "llc-miss", "llc-access", "tlb-miss",
                                          "tlb-access", "branch", "remote-access", "memory", "instructions"])
        self.assertEqual(len(lines["live"]), 27000)  # l1d-access, memory and instructions
        self.assertEqual(sorted(lines["live"]), sorted(lines["kept"]))
        self.assertEqual(sorted(lines["live"]), sorted(self.recorded(pieces)))
        self.assertEqual(lines["losses"], ["0 0 0"])

    def test_pieces_may_end_inside_operations(self):
        for size in (1, 13, 100):
            with self.subTest(size):
                whole = b"".join(data for data, _ in loads(0, 60))
                trailer = loads(0, 1)[0][1]
                cut = [(whole[at:at + size], trailer) for at in range(0, len(whole), size)]
                lines, told = self.sample({0: cut})
                self.assertNotIn("warning", told)
                self.assertEqual(len(lines["live"]), 180)
                self.assertEqual(lines["kept"], lines["live"])

    def test_truncated_pieces_are_losses(self):
        lines, told = self.sample({0: loads(0, 600), 1: loads(1, 10)}, truncated={(0, 1), (1, 0)})
        self.assertEqual(lines["losses"], ["2 0 0"])
        self.assertIn("trace_pages", told)

    def test_areas_have_the_size_that_is_asked_for(self):
        _, told = self.sample({0: loads(0, 600), 1: loads(1, 10)}, "cpus", "16")
        self.assertEqual(self.areas, {16 * mmap.PAGESIZE})
        self.assertNotIn("trace_pages", told)

    def test_filters_know_what_the_operations_did(self):
        branch = spe.address(spe.PC, 0x402000, 0) + spe.operation(spe.BRANCH, 1) + spe.timestamp(5000)
        pieces = loads(0, 10) + [(branch * 4, recorded.trailer(5000))]
        lines, _ = self.sample({0: pieces})
        self.assertEqual(lines["selected"], ["30 4"])
        self.assertEqual(len(lines["live"]), 38)

    def test_a_thread_has_times_as_well(self):
        lines, _ = self.sample({-1: loads(0, 10)}, "thread")
        spes = [one for one in self.opened if one.type == SPE]
        self.assertEqual([(one.config, one.thread, one.cpu) for one in spes], [(1, 0, -1)])
        times = [int(line.split()[3]) for line in lines["live"]]
        self.assertEqual(times, [1000 + 2 * n for n in range(10) for _ in range(3)])
        self.assertEqual(lines["kept"], lines["live"])

    def test_the_event_is_opened_on_the_clock_of_the_trace(self):
        self.sample({0: loads(0, 10)}, event="arm_spe_0/load_filter=1/,page-faults")
        event = next(one for one in self.opened if one.type == SPE)
        self.assertEqual(event.config, 1 << 33 | 1)
        use_clock = 1 << 25
        self.assertFalse(any(one.bits & use_clock for one in self.opened))

    def test_other_traces_are_refused(self):
        _, told = self.sample({}, event="intel_pt//", kind=recorded.PT, code=1)
        self.assertIn("writes a trace, not samples", told)
        self.assertIn("evname record -e intel_pt//", told)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
