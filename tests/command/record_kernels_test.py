#!/usr/bin/env python3
"""evname record on kernels that refuse what it asks for (support/fake_traces.py): it gives up that alone, and says so.
Usage: record_kernels_test.py EVNAME"""

import errno
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import fake_counters
import fake_traces

EVNAME = sys.argv[1]
HARDWARE, SOFTWARE = 0, 1
CPU_CYCLES, CPU_CLOCK = 0, 0
KNOWN_TO_4_18 = (1 << 29) - 1  # bits of perf_event_attr up to `namespaces`
IS_FREQUENCY = 1 << 10
INHERIT_STAT = 1 << 11
KNOWN_FORMATS = 0xF            # PERF_FORMAT_LOST came later
DEVICES = "sys/bus/event_source/devices/"
TREE = {"sys/devices/system/cpu/online": "0", "sys/devices/system/cpu/possible": "0", DEVICES + "software/type": "1",
        "cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n"}
CORE = {DEVICES + "cpu/type": "4", DEVICES + "cpu/format/event": "config:0-7", DEVICES + "cpu/format/umask": "config:8-15",
        DEVICES + "cpu/caps/pmu_name": "skylake"}


def precision(one):
    return one.bits >> 15 & 3


class Kernel(fake_traces.Machine):
    """Refuses in the order of a kernel: what it doesn't know, then what the PMU doesn't have. `most_precise` None: no PMU."""

    def __init__(self, folder, most_precise, knows=KNOWN_TO_4_18, formats=KNOWN_FORMATS, fastest=100_000):
        super().__init__(folder, None, {})
        self.most_precise, self.knows, self.formats, self.fastest = most_precise, knows, formats, fastest

    def refusal(self, group):
        one = group[-1]
        if one.bits & ~self.knows or one.format & ~self.formats:
            return errno.EINVAL
        if one.bits & IS_FREQUENCY and one.period > self.fastest:
            return errno.EINVAL
        if one.type != SOFTWARE and self.most_precise is None:
            return errno.ENOENT
        return errno.EOPNOTSUPP if precision(one) > (self.most_precise or 0) else 0


@unittest.skipIf(fake_counters.why_not(), fake_counters.why_not())
class Refusals(unittest.TestCase):
    def record(self, kernel, tree, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            fake_counters.write_tree(folder, tree)
            faked = kernel(folder)
            file = pathlib.Path(folder, "perf.data")
            done = faked.run(EVNAME, "record", "-o", str(file), *arguments, "--", "true")
            self.assertEqual(done.returncode, 0, done.stderr)
            info = subprocess.run([EVNAME, "info", "-v", str(file)], capture_output=True, encoding="utf-8", check=True)
            self.assertIn("event : name = ", info.stdout)
            return faked.opened, done.stderr

    def test_an_old_kernel_without_a_pmu_has_a_clock(self):
        opened, told = self.record(lambda folder: Kernel(folder, None), TREE)
        self.assertEqual([(one.type, one.config) for one in opened if one.type == SOFTWARE][-1:], [(SOFTWARE, CPU_CLOCK)])
        self.assertIn("this machine has no core PMU; sampled cpu-clock instead", told)
        self.assertIn("the kernel has no numbers of lost samples (Linux 6.0): left out", told)

    def test_an_old_kernel_is_as_precise_as_it_can(self):
        for arguments in ((), ("-e", "cycles:P")):
            opened, told = self.record(lambda folder: Kernel(folder, 2), TREE | CORE, *arguments)
            self.assertEqual({(one.type, one.config, precision(one)) for one in opened if one.type == HARDWARE},
                             {(HARDWARE, CPU_CYCLES, 2)})
            self.assertIn("left out", told)

    def test_a_limit_of_frequencies_that_cant_be_read_is_found(self):
        """As in a root directory without /proc. 25,000 and 3,200 are the first halves that the kernel takes."""
        tree = TREE | {fake_counters.FREQUENCY_LIMIT: ""}
        for knows, formats in ((~0, ~0), (KNOWN_TO_4_18, KNOWN_FORMATS)):
            for fastest, asked, found in ((30_000, "400000", 25_000), (3_300, "6400", 3_200), (30_000, "30000", 30_000)):
                with self.subTest(fastest=fastest, knows=knows):
                    opened, told = self.record(lambda folder: Kernel(folder, None, knows, formats, fastest), tree,
                                               "-e", "cycles,cpu-clock,page-faults", "-F", asked)
                    self.assertEqual({one.period for one in opened if one.bits & IS_FREQUENCY}, {found})
                    lowered = f"{asked} samples a second: the kernel permits fewer, and takes {found}"
                    (self.assertIn if str(found) != asked else self.assertNotIn)(lowered, told)

    def test_a_new_kernel_loses_nothing(self):
        opened, told = self.record(lambda folder: Kernel(folder, 1, ~0, ~0), TREE | CORE)
        self.assertEqual({precision(one) for one in opened if one.type == HARDWARE}, {1})
        self.assertNotIn("left out", told)

    def test_what_evname_adds_has_no_counts_of_threads(self):
        """The event that records mappings alone counts nothing."""
        opened, _ = self.record(lambda folder: Kernel(folder, 1, ~0, ~0), TREE | CORE, "-s", "-a", "-e", "cycles")
        self.assertEqual([(one.type, bool(one.bits & INHERIT_STAT)) for one in opened], [(HARDWARE, True), (SOFTWARE, False)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
