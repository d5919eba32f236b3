#!/usr/bin/env python3
"""What the examples print of a recording. Arguments: the programs events, annotate and functions, and the
source root."""

import pathlib
import subprocess
import sys
import unittest

EVENTS, ANNOTATE, FUNCTIONS, ROOT = *sys.argv[1:4], pathlib.Path(sys.argv[4])
RECORDING = str(ROOT / "tests" / "data" / "neoverse-n1.data")


def lines(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


class Examples(unittest.TestCase):
    # r11 and r08 are CPU_CYCLES and INST_RETIRED of the Arm architecture.
    def test_events_are_named(self):
        first, *rows = lines(EVENTS, RECORDING)
        self.assertEqual(first, "# arm/neoverse-n1")
        self.assertEqual([row.split()[:2] for row in rows],
                         [["r11", "cpu_cycles"], ["r08", "inst_retired"],
                          ["page-faults/period=5/", "page-faults"]])

    # Counts: twice those of perf script.
    def test_samples_are_counted_by_sqlite(self):
        samples = "\n".join(lines(ANNOTATE, RECORDING, RECORDING))
        rows = lines(sys.executable, ROOT / "tests" / "examples" / "query.py", text=samples)
        self.assertEqual([(row.split()[0], row.split()[2]) for row in rows],
                         [("478", "cpu_cycles"), ("238", "inst_retired"), ("32", "page-faults")])

    # The files and counts are those of perf script -F event,dso; the functions depend on the files of this machine.
    def test_functions_are_of_the_files_that_perf_names(self):
        samples = {}
        for row in lines(FUNCTIONS, RECORDING, "cpu_cycles"):
            count, file = row.split()[0], row.split()[-1]
            samples[file] = samples.get(file, 0) + int(count)
        self.assertEqual(samples, {"/usr/bin/busybox": 221, "[kernel.kallsyms]": 18})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
