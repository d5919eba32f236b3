#!/usr/bin/env python3
"""libpfm4's names in resolve, list, name, show and emit, and PAPI reading what emit writes.
Usage: pfm4_test.py EVNAME"""

import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

EVNAME = sys.argv[1]
SKX = ["--cpu", "skx"]


def run(*arguments, code=0):
    result = subprocess.run([EVNAME, *arguments], capture_output=True, encoding="utf-8")
    assert code in (None, result.returncode), f"{arguments}: exit code {result.returncode}, {result.stderr}"
    return result.stdout


def rows(*arguments, code=0):
    return [json.loads(line) for line in run(*arguments, "--json", code=code).splitlines()]


class Pfm4(unittest.TestCase):
    # Codes: libpfm4's tests/validate_x86.c, without the bits that the kernel sets.
    def test_names_of_libpfm4_are_resolved(self):
        for text, config, modifiers in [("skx::MEM_LOAD_RETIRED:L3_MISS:u", "0x20d1", "u"),
                                        ("MEM_LOAD_RETIRED:L3_MISS", "0x20d1", ""),
                                        ("UOPS_ISSUED:ANY:c=0x3:i", "0x380010e", "")]:
            row, = rows("resolve", *SKX, text)
            self.assertEqual(int(row["config"], 16) if isinstance(row["config"], str) else row["config"],
                             int(config, 16), text)
            self.assertIn("/" + modifiers, run("resolve", *SKX, text).split()[0])

    def test_list_has_the_names_of_libpfm4(self):
        names = {row["name"]: row for row in rows("list", *SKX, "--style", "pfm4")}
        self.assertEqual(names["skx::MEM_LOAD_RETIRED:L3_MISS"]["terms"], "event=0xd1,umask=0x20")
        self.assertIn("L3", names["skx::MEM_LOAD_RETIRED:L3_MISS"]["desc"])
        self.assertIn("perf::PERF_COUNT_HW_CPU_CYCLES", names)
        self.assertIn("skx_unc_cha0::UNC_C_CLOCKTICKS", names)
        for name in ("srf::LONGEST_LAT_CACHE:MISS", "srf_unc_cha::UNC_CHA_CLOCKTICKS"):  # not libpfm4's own
            self.assertEqual([row["name"] for row in rows("list", "--cpu", "srf", "--style", "pfm4", name)], [name])
            run("resolve", "--cpu", "srf", name)

    def test_what_is_listed_has_its_name_and_resolves(self):
        for cpu in ("skx", "zen4", "n1", "lnl", "power9"):
            names = [row["name"] for row in rows("list", "--cpu", cpu, "--style", "pfm4")]
            answers = [json.loads(line) for line in subprocess.run(
                [EVNAME, "resolve", "--cpu", cpu, "--json", "-"], input="\n".join(names), capture_output=True,
                encoding="utf-8").stdout.splitlines()]
            self.assertEqual({row["query"]: row["error"] for row in answers if "error" in row}, {}, cpu)
            self.assertEqual({row["query"] for row in answers}, set(names), cpu)

    def test_codes_have_names_of_libpfm4(self):
        for code, name in [("0x20d1", "skx::MEM_LOAD_RETIRED:L3_MISS"), ("mem_load_retired.l3_miss:u", "skx::MEM_LOAD_RETIRED:L3_MISS:u"),
                           ("0x3010e", "skx::UOPS_ISSUED:ANY"), ("0:1", "perf::PERF_COUNT_HW_INSTRUCTIONS")]:
            row = rows("name", *SKX, "--style", "pfm4", code, code=None)[0]
            if code != "0x3010e":  # has bits of the kernel's, which libpfm4 cannot say
                self.assertEqual(row["names"][0], name)
        self.assertEqual(rows("name", *SKX, "--style", "pfm4", "0x380010e")[0]["names"][0], "skx::UOPS_ISSUED:ANY:c=3:i=1")

    # libpfm4 has the mask 1, Intel (SKX 1.37) the mask 2.
    def test_show_has_both_codes_if_they_differ(self):
        text = run("show", *SKX, "skx::UOPS_RETIRED:STALL_CYCLES")
        self.assertIn("cpu/config=0x18002c2/", text)
        self.assertIn("0x18001c2 is libpfm4's code of skx::UOPS_RETIRED:STALL_CYCLES", text)
        self.assertIn("libpfm4     skx::MEM_LOAD_RETIRED:L3_MISS\n", run("show", *SKX, "mem_load_retired.l3_miss"))

    # Cortex-A8 TRM: cycles are event 0x11; 0xff is libpfm4's number for the cycle counter.
    def test_import_reports_the_names_that_differ(self):
        with tempfile.TemporaryDirectory() as directory:
            text = run("import", "--report", "--arch", "arm", "--into", directory)
        self.assertEqual(text.splitlines(), [
            "libpfm4 and the tables disagree on 1 names:",
            "  arm/cortex-a8 arm_ac8::CPU_CYCLES: libpfm4 0xff, tables 0x11 (cpu_cycles; Arm data Cortex-A8 2024-02-08)"])


class Emit(unittest.TestCase):
    def test_presets_are_lines_of_papi(self):
        lines = run("emit", "--cpu", "skylakex", "--cpu", "lunarlake", "--format", "papi-presets").splitlines()
        self.assertEqual([line for line in lines if line.startswith("CPU,")], ["CPU,lnl_atom", "CPU,lnl_core", "CPU,skx"])
        self.assertIn("PRESET,PAPI_L3_TCM,NOT_DERIVED,LONGEST_LAT_CACHE:MISS", lines)
        self.assertIn("PRESET,PAPI_BR_UCN,DERIVED_SUB,BR_INST_RETIRED:ALL_BRANCHES,BR_INST_RETIRED:CONDITIONAL", lines)
        for line in lines:
            kind, *cells = line.split(",")
            if kind == "PRESET":
                self.assertEqual(len(cells) == 3, cells[1] == "NOT_DERIVED", line)

    def test_papi_reads_them(self):
        if shutil.which("papi_avail") is None:
            self.skipTest("papi_avail is not installed")
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write(run("emit", "--cpu", "skylakex", "--format", "papi-presets"))
            file.flush()
            text = subprocess.run(["papi_avail"], capture_output=True, encoding="utf-8", errors="replace",
                                  env={**os.environ, "PAPI_CSV_EVENT_FILE": file.name, "LIBPFM_FORCE_PMU": "skx",
                                       "LIBPFM_ENCODE_INACTIVE": "1"}).stdout
        available = {line.split()[0]: line.split()[2] for line in text.splitlines() if line.startswith("PAPI_")}
        if "Yes" not in available.values():
            self.skipTest("PAPI counts nothing on this machine")
        self.assertEqual((available["PAPI_L3_TCM"], available["PAPI_BR_UCN"]), ("Yes", "Yes"))

    def test_counters_of_scheduling_models(self):
        text = run("emit", "--cpu", "skylakex", "--format", "llvm-td")
        self.assertIn("def SkxPfmCounters : ProcPfmCounters {", text)
        self.assertIn('  let UopsCounter = PfmCounter<"UOPS_ISSUED:ANY">;', text)
        self.assertIn('    PfmIssueCounter<"SkxPort0", "UOPS_DISPATCHED_PORT:PORT_0">,', text)
        self.assertIn('    PfmValidationCounter<BranchPredictionMiss, "BR_MISP_RETIRED:ALL_BRANCHES">,', text)
        self.assertEqual(text.count("{"), text.count("}"))
        # libpfm4 has PORT_0 to PORT_7 of Haswell, and PORT_0_CORE to PORT_7_CORE, which count both threads.
        ports = re.findall(r'PfmIssueCounter<"(\w+)", "UOPS_EXECUTED_PORT:(\w+)">', run("emit", "--cpu", "haswell", "--format", "llvm-td"))
        self.assertEqual(ports, [(f"HswPort{i}", f"PORT_{i}") for i in range(8)])

    # libpfm4 has one PMU for Ice Lake and Rocket Lake, and one for all Broadwell servers.
    def test_models_with_one_pmu_have_one_table(self):
        cpus = [word for cpu in ("icelake", "rocketlake", "broadwellx", "broadwellde") for word in ("--cpu", cpu)]
        presets = run("emit", *cpus, "--format", "papi-presets").splitlines()
        self.assertEqual(sorted(line for line in presets if line.startswith("CPU,")), ["CPU,bdw_ep", "CPU,icl"])
        counters = run("emit", *cpus, "--format", "llvm-td").splitlines()
        self.assertEqual([line.split()[1] for line in counters if line.startswith("def ")], ["BdwEpPfmCounters", "IclPfmCounters"])

    # EVNAME_LLVM_INCLUDE: the folder of llvm/Target/Target.td if it is not where Debian has it.
    def test_llvm_compiles_its_table(self):
        folders = [os.environ.get("EVNAME_LLVM_INCLUDE") or "", *glob.glob("/usr/include/llvm-[0-9]*")]
        texts = ((folder, pathlib.Path(folder, "llvm/Target/TargetPfmCounters.td")) for folder in folders if folder)
        include = next((folder for folder, file in texts if file.exists() and "PfmValidationCounter" in file.read_text()), None)
        program = next((name for name in [f"llvm-tblgen-{number}" for number in range(40, 18, -1)] if shutil.which(name)), None)
        if include is None or program is None:
            self.skipTest("no llvm-tblgen with TargetPfmCounters.td here")
        table = run("emit", *[word for cpu in ("skylakex", "lunarlake", "zen5", "c1-ultra", "power10") for word in ("--cpu", cpu)],
                    "--format", "llvm-td")
        with tempfile.NamedTemporaryFile("w", suffix=".td") as file:
            file.write('include "llvm/Target/Target.td"\n' + table)
            file.flush()
            result = subprocess.run([program, "-I", include, "--print-records", file.name], capture_output=True, encoding="utf-8")
        self.assertEqual((result.stderr, result.returncode), ("", 0))
        self.assertEqual(len(re.findall(r"^def \w+ {\s*// (?:ProcPfmCounters)", result.stdout, re.M)), table.count("\ndef "))

    def test_tables_have_their_own_events(self):
        for arguments in (["--format", "llvm-td", "--events", "cycles"], ["--format", "c"]):
            run("emit", "--cpu", "skx", *arguments, code=2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
