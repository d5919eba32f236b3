#!/usr/bin/env python3
"""Groups, places and refusals of evname stat, on faked machines (support/fake_counters.py). Usage: stat_machines_test.py EVNAME"""

import errno
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from live_topdown_test import Case, CYCLES, INSTRUCTIONS

ATOM, CORE = 10, 4
BRANCHES = 4


def opened_groups(machine):
    """The codes of each group, without the PMU in the upper half of PERF_TYPE_HARDWARE's."""
    return [[one.config & 0xFFFFFFFF for one in group] for group in machine.leaders.values()]


class Groups(Case):
    # perf stat 7.3 opens {instructions,cycles} of cpu_atom as a group here, too: a group has one PMU, and its first event leads.
    def test_what_is_left_of_a_group_is_one(self):
        for events, kept in (("{cpu_core/cycles/,cpu_atom/instructions/,cpu_atom/cycles/}", [[INSTRUCTIONS, 0]]),
                             ("{cycles,instructions}", [[0, INSTRUCTIONS]]),
                             ("cpu_atom/cycles/,{cpu_core/cycles/,cpu_atom/instructions/},cpu_atom/cycles/", [[0], [INSTRUCTIONS], [0]])):
            machine = self.machine("alderlake")
            self.run_evname(machine, "stat", "--cputype", "atom", "-e", events, "--", "true")
            self.assertEqual(opened_groups(machine), kept, events)

    def test_groups_in_cgroups_of_their_own_stay(self):
        machine = self.machine("skylakex")
        told = self.run_evname(machine, "stat", "-G", ".,/", "-C", "0", "-x,", "-e", "cycles,{instructions,branches}", "--", "true")
        self.assertEqual(opened_groups(machine), [[0], [INSTRUCTIONS, BRANCHES]])
        self.assertEqual([line.split(",")[2:4] for line in told.splitlines()], [["cycles", "."], ["instructions", "/"], ["branches", "/"]])


class Refusals(Case):
    def test_what_can_be_changed_is_told_rather_than_what_the_machine_lacks(self):
        for refusals, told in (({CYCLES: errno.ENOENT, INSTRUCTIONS: errno.EACCES}, "event=0xc0/u: not permitted"),
                               ({CYCLES: errno.EACCES, INSTRUCTIONS: errno.ENOENT}, "event=0x3c/u: not permitted"),
                               ({CYCLES: errno.ENOENT, INSTRUCTIONS: errno.EOPNOTSUPP}, "event=0x3c/: the kernel or the PMU cpu does not support it")):
            machine = self.machine("skylakex")
            machine.refusal = lambda group: refusals.get(group[-1].config, 0)
            text = self.run_evname(machine, "stat", "-e", "cpu/event=0x3c/,cpu/event=0xc0/", "--", "true", code=1)
            self.assertIn(told, text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
