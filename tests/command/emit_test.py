#!/usr/bin/env python3
"""evname emit as a user runs it: its output is compiled, run and held against known codes.
Usage: emit_test.py EVNAME"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

EVNAME = sys.argv[1]
HEADERS = pathlib.Path(__file__).resolve().parents[2] / "runtime" / "include"
KEYS = ["arch", "cpuid", "model", "event", "pmu", "type", "config", "config1", "config2", "config3"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]

ARGUMENTS = ["--cpu", "skylake*", "--cpu", "zen2", "--cpu", "alderlake", "--cpu", "neoverse-n1", "--events",
             "MEM_LOAD_RETIRED.L3_MISS,offcore_response.demand_data_rd.any_response", "--events",
             "br_inst_retired.all_branches,unc_m_cas_count.all,ls_dispatch.ld_dispatch,l1d_cache",
             "--events", "page-faults"]

# Codes: Intel SDM vol. 3 and perfmon (D1H/20H; B7H/01H with OFFCORE_RSP 10001H; C4H/00H; CAS_COUNT 04H/0FH), AMD
# PPR of family 17h (PMCx029), Arm Neoverse N1 TRM (L1D_CACHE 0x04), perf_event.h (software event 2).
L3_MISS, OFFCORE, BRANCHES, CAS, LOADS, L1D_CACHE, FAULTS = (
    "MEM_LOAD_RETIRED.L3_MISS", "offcore_response.demand_data_rd.any_response", "br_inst_retired.all_branches",
    "unc_m_cas_count.all", "ls_dispatch.ld_dispatch", "l1d_cache", "page-faults")
EVENTS = [L3_MISS, OFFCORE, BRANCHES, CAS, LOADS, L1D_CACHE, FAULTS]
SKYLAKE = {L3_MISS: [("cpu", 4, 0x20d1, 0)], OFFCORE: [("cpu", 4, 0x1b7, 0x10001)], BRANCHES: [("cpu", 4, 0xc4, 0)]}
CODES = {
    "arm/neoverse-n1": {L1D_CACHE: [("armv8_pmuv3_0", -1, 0x4, 0)]},
    "alderlake": {L3_MISS: [("cpu_core", 4, 0x20d1, 0)],
                  BRANCHES: [("cpu_atom", -1, 0xc4, 0), ("cpu_core", 4, 0xc4, 0)]},
    "skylake": SKYLAKE,
    "skylakex": SKYLAKE | {CAS: [("uncore_imc", -1, 0xf04, 0)]},
    "amdzen2": {LOADS: [("cpu", 4, 0x129, 0)]},
}
# perf's mapfiles; the Zen 1 row is there because the next one would match those CPUs, too.
CPUS = [
    ("arm64", "0x00000000410fd0c0", "arm/neoverse-n1"),
    ("x86", "GenuineIntel-6-(97|9A|B7|BA|BF)", "alderlake"),
    ("x86", "GenuineIntel-6-(4E|5E|8E|9E|A5|A6)", "skylake"),
    ("x86", "GenuineIntel-6-55-[01234]", "skylakex"),
    ("x86", "AuthenticAMD-23-([12][0-9A-F]|[0-9A-F])", "amdzen1"),
    ("x86", "AuthenticAMD-23-[[:xdigit:]]+", "amdzen2"),
]


def expected_rows():
    """ARCH CPUID MODEL EVENT PMU TYPE CONFIG CONFIG1 CONFIG2 CONFIG3; "-" for what is not there."""
    for cpu in CPUS:
        if cpu[2] not in CODES:
            yield (*cpu, "-", "-", -1, 0, 0, 0, 0)
            continue
        for event in EVENTS:
            codes = [("software", 1, 2, 0)] if event == FAULTS else CODES[cpu[2]].get(event, [("-", -1, 0, 0)])
            for code in codes:
                yield (*cpu, event, *code, 0, 0)


EXPECTED = ["\t".join(map(str, row)) for row in expected_rows()]

C_MAIN = """
#include <evname/evname.h>
#include "codes.inc"
#include <inttypes.h>
#include <stdio.h>
int main(void) {
  for (const struct evname_emitted_cpu *cpu = evname_cpus; cpu->cpuid; ++cpu) {
    if (!cpu->codes) printf("%s\\t%s\\t%s\\t-\\t-\\t-1\\t0\\t0\\t0\\t0\\n", cpu->arch, cpu->cpuid, cpu->model);
    for (size_t i = 0; i < cpu->count; ++i) {
      const struct evname_emitted_code *c = &cpu->codes[i];
      printf("%s\\t%s\\t%s\\t%s\\t%s\\t%" PRId64 "\\t%" PRIu64 "\\t%" PRIu64 "\\t%" PRIu64 "\\t%" PRIu64 "\\n",
             cpu->arch, cpu->cpuid, cpu->model, c->event, c->pmu ? c->pmu : "-", c->type, c->config, c->config1,
             c->config2, c->config3);
    }
  }
  return 0;
}
"""
CPP_MAIN = """
#include "codes.inc"
#include <iostream>
int main() {
  for (const auto &cpu : evname_codes::cpus) {
    const auto head = [&]() -> std::ostream & { return std::cout << cpu.arch << '\\t' << cpu.cpuid << '\\t' << cpu.model; };
    if (!cpu.codes) head() << "\\t-\\t-\\t-1\\t0\\t0\\t0\\t0\\n";
    for (std::size_t i = 0; i < cpu.count; ++i) {
      const auto &c = cpu.codes[i];
      head() << '\\t' << c.event << '\\t' << (c.pmu.empty() ? "-" : c.pmu) << '\\t' << c.type << '\\t' << c.config
             << '\\t' << c.config1 << '\\t' << c.config2 << '\\t' << c.config3 << '\\n';
    }
  }
}
"""
RUST_MAIN = """
mod codes;
fn main() {
    for cpu in codes::CPUS {
        let head = format!("{}\\t{}\\t{}", cpu.arch, cpu.cpuid, cpu.model);
        if cpu.codes.is_empty() { println!("{head}\\t-\\t-\\t-1\\t0\\t0\\t0\\t0"); }
        for c in cpu.codes {
            let [config, config1, config2, config3] = c.config;
            println!("{head}\\t{}\\t{}\\t{}\\t{config}\\t{config1}\\t{config2}\\t{config3}", c.event,
                     c.pmu.unwrap_or("-"), c.type_.map_or(-1, i64::from));
        }
    }
}
"""


def run(*arguments, code=0, text=None):
    result = subprocess.run([EVNAME, "emit", *arguments], capture_output=True, input=text, encoding="utf-8")
    assert result.returncode == code, f"exit code {result.returncode}, {result.stderr}"
    return result


def rows(*arguments, code=0, text=None):
    return [json.loads(line) for line in run(*arguments, "--format", "json", code=code, text=text).stdout.splitlines()]


class Compiled(unittest.TestCase):
    """(format, file of the codes, main file and its text, compilers, their options)"""

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.at = pathlib.Path(self.directory.name)
        self.addCleanup(self.directory.cleanup)

    def compile_and_run(self, kind, codes, main, text, compilers, options, alone):
        # rustup installs a rustc that may have no compiler behind it, as under another HOME.
        compilers = [found for found in map(shutil.which, compilers)
                     if found and subprocess.run([found, "--version"], capture_output=True).returncode == 0]
        if not compilers:
            self.skipTest("no compiler of " + kind)
        emitted = run(*ARGUMENTS, "--format", kind, "-o", str(self.at / codes), code=1)
        self.assertEqual(emitted.stdout, "")
        (self.at / main).write_text(text)
        for compiler in compilers:
            for arguments in ([*alone, codes, "-o", "alone"], [main, "-o", "program"]):
                built = subprocess.run([compiler, *options, *arguments], cwd=self.at, capture_output=True, text=True)
                self.assertEqual((built.returncode, built.stdout + built.stderr), (0, ""), compiler)
            out = subprocess.run([self.at / "program"], capture_output=True, text=True, check=True).stdout
            self.assertEqual(out.splitlines(), EXPECTED)

    def test_c99(self):
        self.compile_and_run("c", "codes.inc", "main.c", C_MAIN, ["gcc", "clang"], ["-std=c99", f"-I{HEADERS}", *WARNINGS],
                             ["-c", "-x", "c"])

    def test_cpp17(self):
        self.compile_and_run("c++", "codes.inc", "main.cpp", CPP_MAIN, ["g++", "clang++"],
                             ["-std=c++17", *WARNINGS], ["-c", "-x", "c++"])

    def test_rust_2021(self):
        self.compile_and_run("rust", "codes.rs", "main.rs", RUST_MAIN, ["rustc"],
                             ["--edition", "2021", "-D", "warnings"], ["--crate-type", "lib"])


class Emit(unittest.TestCase):
    def test_a_long_glob_takes_no_time(self):
        """It is read once, not for each name of each CPU: that took 3 to 6 s."""
        for piece in ("[", "[a", "*a", "?", "[!", "x"):
            before = os.times().children_user
            run("--cpu", piece * (120_000 // len(piece)), "--events", "cycles", "--format", "c", code=2)
            self.assertLess(os.times().children_user - before, 2, piece)

    def test_json_says_the_same_with_the_documented_keys(self):
        out = rows(*ARGUMENTS, code=1)
        told = [[row["arch"], row["cpuid"], row["model"], row["event"] or "-", row["pmu"] or "-",
                 -1 if row["type"] is None else row["type"], *(int(row[k] or "0", 16) for k in KEYS[6:])]
                for row in out]
        self.assertEqual(["\t".join(map(str, row)) for row in told], EXPECTED)
        for row in out:
            missing = row["event"] is not None and row["pmu"] is None
            self.assertEqual(list(row), KEYS + (["error"] if missing else []))

    def test_what_a_model_lacks_is_told_and_the_rest_is_written(self):
        result = run("--cpu", "skylakex", "--events", "no_such_event,cycles", "--format", "c", code=1)
        self.assertIn("evname: skylakex: no_such_event: no event 'no_such_event'", result.stderr)
        self.assertIn('{"no_such_event", NULL, -1, 0x0, 0x0, 0x0, 0x0},  // no such event\n', result.stdout)
        self.assertIn('{"cycles", "hardware", 0, 0x0, 0x0, 0x0, 0x0},\n', result.stdout)

    def test_what_a_row_has_no_place_for_is_told(self):
        for term, word in ("config4=5", "config4"), ("aux-action=pause", "aux_action"):
            (row,) = rows("--cpu", "skylakex", "--events", f"cpu/event=0x3c,{term}/", code=1)
            self.assertEqual((row["config"], row["error"]), (None, f"{word} has no place in a table of codes"))

    def test_a_code_that_only_the_machine_knows_is_left_out(self):
        # perf_event.h, PERF_PMU_TYPE_SHIFT: the type of cpu_atom is given out when the machine starts
        for event in "cpu_atom/LLC-loads/", "cpu_atom/dTLB-loads/":
            (row,) = rows("--cpu", "alderlake", "--events", event, code=1)
            self.assertEqual([row[k] for k in ["pmu", "type", *KEYS[6:]]], ["cpu_atom", None, None, None, None, None])
            self.assertIn("only the machine knows", row["error"])
            for form, empty in ("c", "NULL, -1"), ("c++", '"", -1'), ("rust", "pmu: None, type_: None"):
                result = run("--cpu", "alderlake", "--events", event, "--format", form, code=1)
                self.assertIn(empty, result.stdout)
                self.assertIn("only the machine knows\n", result.stdout)
                self.assertIn(f"alderlake: {event}: ", result.stderr)

    def test_a_complete_answer_exits_with_0(self):
        (row,) = rows("--cpu", "skylakex", "--events", "mem_load_retired.l3_miss")
        self.assertEqual((row["pmu"], row["config"]), ("cpu", "0x20d1"))

    def test_every_spelling_of_a_cpu_leads_to_its_rows(self):
        for cpu in ("GenuineIntel-6-55-4", "GenuineIntel,6,85,4", "skylakex", "SKYLAKEX", "x86/skylake[x]"):
            self.assertEqual([row["model"] for row in rows("--cpu", cpu, "--events", "cycles")], ["skylakex"])

    def test_a_model_of_several_rows_has_them_all(self):
        # MIDR part numbers: Arm's TRMs of Neoverse N2 (D49) and V2 (D4F).
        out = rows("--cpu", "arm/neoverse-n2*", "--events", "cycles")
        cpuids = [row["cpuid"] for row in out]
        self.assertEqual(cpuids[:2], ["0x00000000410fd490", "0x00000000410fd4f0"])
        self.assertIn(cpuids[2:], ([], ["0x000000006d0fd490"]))  # Cobalt 100, which Linux's mapfile lacks

    def test_events_come_from_standard_input_and_each_once(self):
        out = rows("--cpu", "skylakex", "--events", "-", text="cycles,inst_retired.any\n\ncycles\n")
        self.assertEqual([row["event"] for row in out], ["cycles", "inst_retired.any"])

    def test_no_text_of_the_user_leaves_its_comment_or_string(self):
        text = run("--cpu", "skylake[x\n]", "--events", "cpu/event=1,name=a??/", "--format", "c").stdout
        self.assertIn("--cpu 'skylake[x?]'", text)
        self.assertIn('{"cpu/event=1,name=a\\?\\?/", "cpu", 4, 0x1,', text)

    def test_what_can_not_be_emitted_is_unusable(self):
        for cpu, events, message in (("skylakex", "{cycles,instructions}", "groups"), ("skylakex", "cycles:u", "modifiers"),
                                     ("skylakex", "mem:0x1000:w", "breakpoint"), ("skylakex", "duration_time", "perf"),
                                     ("skylakex", "cycles,,", "column 8"), ("skylakex", "cpu/event=1,\tumask=2/", "ASCII"),
                                     ("no-such-*", "cycles", "no-such-*"), ("", "cycles", "--cpu: its value is empty"),
                                     ("GenuineIntel-6-FF-1", "cycles", "no event table")):
            self.assertIn(message, run("--cpu", cpu, "--events", events, "--format", "c", code=2).stderr)
        self.assertIn("no event", run("--cpu", "skylakex", "--events", "-", "--format", "c", code=2, text="\n").stderr)
        run("--cpu", "skylakex", "--events", "cycles", "--format", "pascal", code=2)
        run("--cpu", "skylakex", "--events", "cycles", "--format", "c", "-o", "/nonexistent/x", code=2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
