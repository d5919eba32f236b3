#!/usr/bin/env python3
"""The identity of a count, in evname metrics and evname topdown: number, unit, event with its PMU and box, CPUs and interval.
Each case has rows that differ in one of these; values are worked out by hand beside them. Usage: counts_test.py EVNAME"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import perf_file
from perf_lines import descriptions, text

EVNAME = sys.argv[1]
SECOND = "1000000000,ns,duration_time,1000000000,100.00,,\n"


def run(*arguments, text, code=0):
    result = subprocess.run([EVNAME, *arguments], capture_output=True, input=text, encoding="utf-8", timeout=60)
    assert code in (None, result.returncode), f"exit code {result.returncode}, {result.stdout}{result.stderr}"
    return result


def values(cpu, text, *arguments, code=0):
    """{(time, place, metric): value}"""
    result = run("metrics", "--cpu", cpu, "--from", "-", "--json", *arguments, text=text, code=code)
    rows = map(json.loads, result.stdout.splitlines())
    return {(row.get("time"), row.get("place", ""), row["metric"]): row["value"] for row in rows}


def line(value, event, unit="", separator=",", before="", running="100.00"):
    return before + separator.join([str(value), unit, event, "1000000000", running, "", ""]) + "\n"


def json_line(value, event, unit="", **more):
    return json.dumps({**more, "counter-value": str(value), "unit": unit, "event": event, "event-runtime": 1,
                       "pcnt-running": 100.0}) + "\n"


def text_line(value, event, unit=""):
    return f"{value:>18} {unit + ' ' if unit else '     '} {event}\n"


class Units(unittest.TestCase):
    # 1,000,000 reads and 1,000,000 writes of 64 bytes in a second are 0.128 GB/s. The scale of the drivers' aliases is
    # 64 / 2^20 (arch/x86/events/intel/uncore_snbep.c): 61.03515625 MiB.
    MODELS = {model: ("uncore_imc/cas_count_read/", "uncore_imc/cas_count_write/")
              for model in ("jaketown", "ivytown", "haswellx", "broadwellx", "broadwellde", "skylakex", "cascadelakex",
                            "icelakex", "snowridgex", "sapphirerapids", "emeraldrapids")}

    def bandwidth(self, cpu, text, *arguments):
        return values(cpu, text, "--show", "memory_bandwidth", *arguments)[None, "", "memory_bandwidth"]

    def test_a_count_in_mib_is_not_a_number_of_events(self):
        for cpu, (read, write) in self.MODELS.items():
            text = line(61.03515625, read, "MiB") + line(61.03515625, write, "MiB") + SECOND
            self.assertAlmostEqual(self.bandwidth(cpu, text), 0.128, msg=cpu)
            plain = line(1000000, read) + line(1000000, write) + SECOND
            self.assertAlmostEqual(self.bandwidth(cpu, plain), 0.128, msg=cpu)

    def test_every_format_has_the_unit(self):
        read, write = self.MODELS["skylakex"]
        for separator in (",", ";", "\t", "|", "@@"):
            text = line(61.03515625, read, "MiB", separator) + line(61.03515625, write, "MiB", separator)
            time = separator.join(["1000000000", "ns", "duration_time", "1000000000", "100.00", "", ""])
            self.assertAlmostEqual(self.bandwidth("skylakex", text + time + "\n", "-x", separator), 0.128, msg=separator)
        text = json_line(61.03515625, read, "MiB") + json_line(61.03515625, write, "MiB") + json_line(10**9, "duration_time", "ns")
        self.assertAlmostEqual(self.bandwidth("skylakex", text), 0.128)
        text = (" Performance counter stats for 'system wide':\n\n" + text_line(61.04, read, "MiB") + text_line(61.04, write, "MiB")
                + "\n       1.000000000 seconds time elapsed\n")
        self.assertAlmostEqual(self.bandwidth("skylakex", text), 0.128, places=4)

    def test_joules_are_not_a_number_of_events(self):
        # RAPL counts 2^-32 J (arch/x86/events/rapl.c).
        text = line(0.5, "power/energy-pkg/", "Joules")
        got = values("skylakex", text, "--expr", "e=power@energy\\-pkg@")
        self.assertAlmostEqual(got[None, "", "e"], 2**31)

    def test_another_unit_is_said(self):
        read, write = self.MODELS["skylakex"]
        text = line(1, read, "GB") + line(1, write, "GB") + SECOND
        result = run("metrics", "--cpu", "skylakex", "--from", "-", "--show", "memory_bandwidth", text=text, code=1)
        self.assertNotIn("GB/s", result.stdout.replace("nan GB/s", ""))
        self.assertIn(f"{read} is counted in 'GB'", result.stderr)


class Boxes(unittest.TestCase):
    # (1 + 2 + 0.5 + 0.5) million transfers of 64 bytes in a second are 0.256 GB/s, 3 million reads 0.192.
    CASES = [("skylakex", "uncore_imc_{}/unc_m_cas_count.rd/", "uncore_imc_{}/unc_m_cas_count.wr/"),
             ("skylakex", "unc_m_cas_count.rd [uncore_imc_{}]", "unc_m_cas_count.wr [uncore_imc_{}]"),
             ("skylakex", "uncore_imc_{}/event=4,umask=3/", "uncore_imc_{}/event=4,umask=0xc/"),
             ("sapphirerapids", "uncore_imc_{}/unc_m_cas_count.rd/", "uncore_imc_{}/unc_m_cas_count.wr/"),
             ("amdzen4", "amd_umc_{}/umc_cas_cmd.rd/", "amd_umc_{}/umc_cas_cmd.wr/")]

    def rows(self, read, write, boxes=(0, 1), before=""):
        one = {0: 1000000, 1: 2000000}
        return "".join(line(one[box], read.format(box), before=before) + line(500000, write.format(box), before=before)
                       for box in boxes)

    def bandwidth(self, cpu, text, place="", time=None):
        got = values(cpu, text, "--show", "memory_read_bandwidth", "--show", "memory_bandwidth", code=None)
        return [got[time, place, name] for name in ("memory_read_bandwidth", "memory_bandwidth")]

    def check(self, got, wanted, what):
        for one, other in zip(got, wanted):
            self.assertAlmostEqual(one, other, msg=what)

    def test_boxes_of_an_event_add_up(self):
        for cpu, read, write in self.CASES:
            self.check(self.bandwidth(cpu, self.rows(read, write) + SECOND), [0.192, 0.256], read)

    def test_the_same_box_again_does_not(self):
        for cpu, read, write in self.CASES:
            text = self.rows(read, write) + self.rows(read, write)
            self.check(self.bandwidth(cpu, text + SECOND), [0.192, 0.256], read)

    def test_each_interval_and_place_has_its_own(self):
        for cpu, read, write in self.CASES:
            text = "".join(self.rows(read, write, before=f"     {time}.000000000,") for time in (1, 2))
            for time in (1, 2):
                self.check(self.bandwidth(cpu, text, time=time), [0.192, 0.256], read)
            text = "".join(self.rows(read, write, before=f"{place},1,") + SECOND.replace("1000000000,ns", f"{place},1,1000000000,ns", 1)
                           for place in ("S0", "S1"))
            for place in ("S0", "S1"):
                self.check(self.bandwidth(cpu, text, place=place), [0.192, 0.256], read)

    def test_boxes_in_json_add_up(self):
        cpu, read, write = self.CASES[0]
        text = "".join(json_line(n, name.format(box)) for name in (read, write) for box, n in ((0, 1000000), (1, 2000000)))
        self.check(self.bandwidth(cpu, text + json_line(10**9, "duration_time", "ns")), [0.192, 0.384], "json")

    def test_boxes_whose_kind_only_the_driver_names_add_up(self):
        text = "".join(line(n, f"arm_cmn_{box}/{event}/") for box, event, n in
                       ((0, "hns_cache_miss_all", 1000), (0, "hns_slc_sf_cache_access_all", 10000),
                        (1, "hns_cache_miss_all", 4000), (1, "hns_slc_sf_cache_access_all", 10000)))
        got = values("neoverse-v3", text, "--expr", "slc=hns_cache_miss_all/hns_slc_sf_cache_access_all")
        self.assertAlmostEqual(got[None, "", "slc"], 0.25)


class Pmus(unittest.TestCase):
    # perf before 7 puts the PMU of a hybrid CPU around the name with its modifiers.
    def test_rows_of_each_core_pmu_are_its_own(self):
        for before, after in (("/", ":u/"), ("/", "/u"), ("/", "/")):
            text = "".join(line(n, f"{pmu}{before}{event}{after}") for pmu, event, n in
                           (("cpu_core", "instructions", 3000), ("cpu_core", "cycles", 1000),
                            ("cpu_atom", "instructions", 500), ("cpu_atom", "cycles", 1000)))
            result = run("metrics", "--cpu", "13900k", "--from", "-", "--json", "--show", "ipc", text=text)
            rows = [json.loads(row) for row in result.stdout.splitlines()]
            self.assertEqual({row["pmu"]: row["value"] for row in rows}, {"cpu_core": 3, "cpu_atom": 0.5}, after)


    # perf before 7 wrote "cycles" for both, with the PMU in the upper half of the config (PERF_PMU_TYPE_SHIFT).
    def test_counts_of_a_recording_are_those_of_their_pmu(self):
        attrs = [perf_file.attr(pmu << 32, 0) for pmu in (4, 10)]
        counts = b"".join(perf_file.record(76, struct.pack("<QIIQQQ", event, cpu, 0, value, 100, 100))
                          for event, cpu, value in ((1, 0, 5), (1, 1, 6), (2, 0, 50), (2, 1, 51)))
        data = perf_file.record(73, struct.pack("<QQ16s", 1, 7, b"work")) + counts + perf_file.record(77, struct.pack("<QQ", 1, 19))
        features = [(6, text(b"x86_64")), (7, struct.pack("<II", 2, 2)), (9, text(b"GenuineIntel-6-97-2")),
                    (12, descriptions(*((attr, b"cycles") for attr in attrs))),
                    (16, struct.pack("<II", 2, 4) + text(b"cpu_core") + struct.pack("<I", 10) + text(b"cpu_atom")), (19, b"")]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "counts")
            path.write_bytes(perf_file.file(data, attrs, features))
            shown = subprocess.run([EVNAME, "stat", "report", "--json", "-i", path], capture_output=True, text=True, check=True).stderr
        rows = [json.loads(row) for row in shown.splitlines()]
        self.assertEqual([(row["event"], row["pmu"], row["count"]) for row in rows],
                         [("cpu_core/cycles/", "cpu_core", 11), ("cpu_atom/cycles/", "cpu_atom", 101)])


class Percent(unittest.TestCase):
    """A tree of one core, whose metrics have no ScaleUnit, as Linux has them for hip08 and XuanTie."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        (self.tree / "riscv/maker/core").mkdir(parents=True)
        (self.tree / "riscv/mapfile.csv").write_text(
            "#MVENDORID-MARCHID-MIMPID,Version,Filename,EventType\n0x5b8-0x1-0x[[:xdigit:]]+,v1,maker/core,core\n")
        (self.tree / "riscv/maker/core/basic.json").write_text(json.dumps(
            [{"EventName": name, "EventCode": code, "BriefDescription": "x"} for name, code in (("slots", "0x1"), ("retired", "0x2"))]))
        (self.tree / "riscv/maker/core/metrics.json").write_text(json.dumps(
            [{"MetricName": "retiring", "MetricExpr": "retired / slots", "MetricGroup": "TopdownL1", "BriefDescription": "x"},
             {"MetricName": "lost", "MetricExpr": "1 - retiring", "MetricGroup": "TopdownL1", "BriefDescription": "x"}]))

    def test_fractions_are_shown_in_percent(self):
        result = run("topdown", "--events", str(self.tree), "--cpu", "core", "--from", "-", "--json", text=line(4000, "slots") + line(1000, "retired"))
        rows = [json.loads(row) for row in result.stdout.splitlines()]
        self.assertEqual({row["node"]: row["value"] for row in rows}, {"retiring": 25, "lost": 75})


class Cpus(unittest.TestCase):
    # Arm's formulas. N2: 5 slots a cycle; up to r0p2 one stall of the front end too many each cycle, and so does the one of
    # Microsoft, which is based on r0p0 (cputype.h). V2: 8 slots. Of 1,000 cycles with 10 mispredictions and 1,500 stalls of
    # the front end that is (1,500 - 1,000) / 5,000 - 0.01 = 9 % and 1,500 / 8,000 - 0.01 = 17.75 %.
    ROWS = "".join(line(n, event) for event, n in (("cpu_cycles", 1000), ("stall_slot", 2000), ("stall_slot_frontend", 1500),
                                                   ("stall_slot_backend", 500), ("op_retired", 2400), ("op_spec", 3000), ("br_mis_pred", 10)))
    FRONTEND = {"n2": 9, "neoverse-n2": 9, "yitian710": 9, "cobalt100": 9, "Azure Cobalt 100": 9, "0x000000006d0fd490": 9,
                "0x00000000410fd493": 29, "v2": 17.75, "neoverse-v2": 17.75, "grace": 17.75, "NVIDIA Grace": 17.75,
                "gh200": 17.75, "graviton4": 17.75, "google axion": 17.75, "0x00000000410fd4f1": 17.75}

    def test_a_name_has_the_formulas_of_its_own_core(self):
        for cpu, share in self.FRONTEND.items():
            result = run("topdown", "--cpu", cpu, "--from", "-", "--json", text=self.ROWS)
            rows = [json.loads(row) for row in result.stdout.splitlines()]
            got = {row["node"]: row["value"] for row in rows}
            self.assertAlmostEqual(got["frontend_bound"], share, msg=cpu)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
