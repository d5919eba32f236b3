#!/usr/bin/env python3
"""Events that differ in one part of their identity alone, through every subcommand that prints events to be typed again or
stores their codes. perf's rules and the kernel's driver give the expected values (pairs of tests/c/identity_test.cpp).
Usage: identity_test.py EVNAME"""

import json
import os
import subprocess
import sys
import unittest

EVNAME = os.path.abspath(sys.argv[1])
WORDS = ("config", "config1", "config2", "config3")

# What two events differ in, the CPU, and both as (text, PMU, config, config1).
PAIRS = [
    ("box", "skylakex", ("uncore_cha_0/unc_cha_clockticks/", "uncore_cha_0", 0, 0),
     ("uncore_cha_1/unc_cha_clockticks/", "uncore_cha_1", 0, 0)),
    ("box, spelled out", "skylakex", ("uncore_imc_2/event=4,umask=3/", "uncore_imc_2", 0x304, 0),
     ("imc_5/event=4,umask=3/", "uncore_imc_5", 0x304, 0)),
    ("box or all", "skylakex", ("unc_m_cas_count.rd", "uncore_imc", 0x304, 0),
     ("uncore_imc_3/unc_m_cas_count.rd/", "uncore_imc_3", 0x304, 0)),
    ("box of libpfm4", "skylakex", ("skx_unc_imc3::UNC_M_CAS_COUNT:RD", "uncore_imc_3", 0x304, 0),
     ("skx_unc_imc4::UNC_M_CAS_COUNT:RD", "uncore_imc_4", 0x304, 0)),
    ("umask", "amdzen5", ("cpu/event=0xa9,umask=0x01,name=de_op_queue_empty/", "cpu", 0x1a9, 0),
     ("cpu/event=0xa9,name=de_op_queue_empty/", "cpu", 0xa9, 0)),
    ("event", "skylakex", ("cpu/inst_retired.any_p,name=x/", "cpu", 0xc0, 0),
     ("cpu/br_inst_retired.all_branches,name=x/", "cpu", 0xc4, 0)),
    ("PMU", "alderlake", ("cpu_core/event=0xc0,name=x/", "cpu_core", 0xc0, 0),
     ("cpu_atom/event=0xc0,name=x/", "cpu_atom", 0xc0, 0)),
    ("ldlat", "skylakex", ("cpu/mem-loads,ldlat=30/", "cpu", 0x1cd, 0x1f),
     ("cpu/mem-loads,ldlat=0x80/", "cpu", 0x1cd, 0x83)),
]


def run(*args, status=(0,)):
    done = subprocess.run([EVNAME, *args], capture_output=True, text=True)
    assert done.returncode in status, (args, done.returncode, done.stderr)
    return done.stdout


def rows(*args, status=(0,)):
    return [json.loads(line) for line in run(*args, status=status).splitlines()]


def identity(row):
    return row["pmu"], *[int(row[word], 16) for word in WORDS[:2]]


def resolved(cpu, text):
    return {identity(row) for row in rows("resolve", "--json", "--cpu", cpu, text)}


class Identity(unittest.TestCase):
    @staticmethod
    def each():
        for _, cpu, *both in PAIRS:
            for text, *expected in both:
                yield cpu, text, tuple(expected)

    def test_resolve(self):
        for cpu, text, expected in self.each():
            self.assertEqual(resolved(cpu, text), {expected})
            typed = run("resolve", "--cpu", cpu, text).split("  #")[0].strip()
            self.assertEqual(resolved(cpu, typed), {expected}, typed)

    def test_name(self):
        for cpu, text, expected in self.each():
            answer, = rows("name", "--json", "--cpu", cpu, text, status=(0, 1))  # 1: the code has no name
            self.assertEqual(answer["pmu"], expected[0])
            event = ",".join(filter(None, [answer["names"][0], answer["qualifiers"]])) if answer["names"] else answer["terms"]
            self.assertEqual(resolved(cpu, f"{answer['pmu']}/{event}/"), {expected}, event)

    def test_name_of_libpfm4(self):
        self.assertIn("skx_unc_cha1::UNC_C_CLOCKTICKS",
                      run("name", "--style", "pfm4", "--cpu", "skylakex", "uncore_cha_1/unc_cha_clockticks/"))

    def test_schedule(self):
        for what, cpu, *both in PAIRS:
            with self.subTest(what=what):
                texts = [text for text, *_ in both]
                expected = {tuple(identity) for _, *identity in both}
                typed = run("schedule", "--cpu", cpu, *texts).strip()
                self.assertEqual(resolved(cpu, typed), expected, typed)
                listed = [text for row in rows("schedule", "--json", "--cpu", cpu, *texts) for text in row["events"]]
                self.assertEqual(set().union(*[resolved(cpu, text) for text in listed]), expected)

    def test_emit(self):
        for what, cpu, *both in PAIRS:
            if what == "box of libpfm4":
                continue  # emit takes perf's syntax only
            with self.subTest(what=what):
                events = ",".join(text for text, *_ in both)
                codes = [row for row in rows("emit", "--cpu", cpu, "--events", events, "--format", "json") if row["event"]]
                for text, *expected in both:
                    self.assertEqual({identity(row) for row in codes if row["event"] == text}, {tuple(expected)})

    def test_list(self):
        """Each row of `list --json` has the code that its name resolves to."""
        for cpu, name in [("skylakex", "unc_cha_clockticks"), ("amdzen5", "de_op_queue_empty"), ("skylakex", "mem-loads")]:
            for row in rows("list", "--json", "--cpu", cpu, name):
                self.assertEqual({pmu for pmu, *_ in resolved(cpu, f"{row['pmu']}/{row['name']}/")}, {row["pmu"]})

    def test_given_names_have_no_modifiers(self):
        """perf 7.3 shows xx for faults/name=xx/u."""
        row, = rows("resolve", "--json", "--cpu", "skylakex", "faults/name=xx/u")
        self.assertEqual(row["name"], "xx")
        self.assertTrue(run("resolve", "--cpu", "skylakex", "faults/name=xx/u").startswith("faults/name=xx/u "))


class Texts(unittest.TestCase):
    """What users write although no perf takes it."""

    def test_modifiers_inside_of_slashes(self):
        for text in ("cpu_core/cycles:u/", "{cpu_core/cycles:u/,cpu_core/instructions:uk/}"):
            plain = text.replace(":u/", "/u").replace(":uk/", "/uk")
            self.assertEqual(run("resolve", "--cpu", "13600k", text), run("resolve", "--cpu", "13600k", plain))
        done = subprocess.run([EVNAME, "resolve", "--cpu", "13600k", "cpu_core/cycles:zz/"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)

    def test_split_event_numbers(self):
        done = subprocess.run([EVNAME, "resolve", "--cpu", "zen5", "r1c7"], capture_output=True, text=True)
        self.assertIn("r1000000c7", done.stderr)
        for code in ("rc7", "r1c0"):  # events with that code
            done = subprocess.run([EVNAME, "resolve", "--cpu", "zen5", code], capture_output=True, text=True)
            self.assertNotIn(" is r1", done.stderr)

    def test_intels_names_of_topdown_metrics(self):
        for name, perfs in [("PERF_METRICS.RETIRING", "topdown-retiring"), ("perf_metrics.memory_bound", "topdown-mem-bound")]:
            done = subprocess.run([EVNAME, "resolve", "--cpu", "sapphirerapids", name], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"perf calls it {perfs}", done.stderr)
        done = subprocess.run([EVNAME, "resolve", "--cpu", "skylakex", "PERF_METRICS.RETIRING"], capture_output=True, text=True)
        self.assertNotIn("topdown-retiring", done.stderr)

    def test_codes_that_a_driver_cuts(self):
        """Intel's event 5 with ExtSel; SNBEP_PCU_MSR_PMON_RAW_EVENT_MASK has no bit 21."""
        for cpu, event, code in [("jaketown", "unc_p_core2_transition_cycles", 0x200005),
                                 ("ivytown", "unc_p_pkg_c_exit_latency", 0x200026)]:
            done = subprocess.run([EVNAME, "resolve", "--json", "--cpu", cpu, event], capture_output=True, text=True)
            row = json.loads(done.stdout)
            self.assertEqual(int(row["config"], 16), code)
            self.assertIn("clears 0x200000", row["warnings"][0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
