#!/usr/bin/env python3
"""evname diff as a user runs it. Usage: diff_test.py EVNAME"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

EVNAME = sys.argv[1]
KEYS = ["kind", "pmu", "name", "a", "b", "pmu_b", "name_b", "kept", "desc", "desc_b"]


def run(*arguments, code=0):
    result = subprocess.run([EVNAME, *arguments], capture_output=True, encoding="utf-8")
    assert result.returncode == code, f"exit code {result.returncode}, {result.stderr}"
    return result


def rows(*arguments):
    return [json.loads(line) for line in run("diff", "--json", *arguments).stdout.splitlines()]


def names(cpu):
    """(PMU, name) of the CPU's core events."""
    lines = run("list", "--json", "--cpu", cpu).stdout.splitlines()
    return {(e["pmu"], e["name"]) for e in map(json.loads, lines) if e["pmu"] == "cpu" and e["model"]}


class Diff(unittest.TestCase):
    # Codes: Intel's perfmon event lists of Skylake-SP and Ice Lake-SP.
    EXPECTED = {
        "mem_load_retired.local_pmm": ("only_b", None, "event=0xd1,umask=0x80", "mem_load_retired.local_pmm"),
        "hle_retired.aborted_timer": ("only_a", "event=0xc8,umask=0x10", None, None),
        "exe_activity.bound_on_stores": ("code", "event=0xa6,umask=0x40", "event=0xa6,umask=0x40,cmask=0x2",
                                         "exe_activity.bound_on_stores"),
        "mem_load_l3_hit_retired.xsnp_hitm": ("name", "event=0xd2,umask=0x4", "event=0xd2,umask=0x4",
                                              "mem_load_l3_hit_retired.xsnp_fwd"),
        "offcore_response.demand_data_rd.any_response": (
            "name", "event=0xb7,umask=0x1,offcore_rsp=0x10001", "event=0xb7,umask=0x1,offcore_rsp=0x10001",
            "ocr.demand_data_rd.any_response"),
    }

    def test_every_kind_of_difference_is_told_with_its_codes(self):
        by_name = {row["name"]: row for row in rows("skylakex", "icelakex")}
        for name, expected in self.EXPECTED.items():
            row = by_name[name]
            self.assertEqual((row["kind"], row["a"], row["b"], row["name_b"]), expected)
            self.assertEqual((list(row), row["pmu"]), (KEYS, "cpu"))
        self.assertNotIn("mem_load_retired.l3_miss", by_name)  # D1H/20H on both

    def test_a_period_is_no_difference(self):
        # The after-value of MEM_LOAD_RETIRED.L3_MISS is 100007 on Skylake-SP, 50021 on Ice Lake-SP.
        periods = [json.loads(run("resolve", "--json", "--cpu", cpu, "mem_load_retired.l3_miss").stdout)["period"]
                   for cpu in ("skylakex", "icelakex")]
        self.assertEqual(periods, [100007, 50021])
        self.assertEqual(rows("skylakex", "icelakex", "mem_load_retired.l3_miss"), [])

    def test_every_name_that_one_side_lacks_is_told(self):
        a, b = names("skylakex"), names("icelakex")
        out = [row for row in rows("skylakex", "icelakex") if row["pmu"] == "cpu"]
        told_a = {("cpu", row["name"]) for row in out if row["kind"] in ("only_a", "name")}
        told_b = {("cpu", row["name_b"]) for row in out if row["kind"] in ("only_b", "name")}
        self.assertEqual((a - b - told_a, b - a - told_b), (set(), set()))
        self.assertEqual({("cpu", r["name"]) for r in out if r["kind"] == "only_a"} & b, set())
        self.assertEqual({("cpu", r["name"]) for r in out if r["kind"] == "code"} - (a & b), set())
        self.assertEqual([r for r in out if r["kept"] != (("cpu", r["name"]) in b)], [])

    def test_a_cpu_does_not_differ_from_itself(self):
        for cpu in ("skylakex", "amdzen4", "arm/neoverse-n1", "power9", "cf_z14"):
            self.assertEqual(rows(cpu, cpu), [])

    def test_the_other_way_round_what_is_only_in_one_changes_sides(self):
        there, back = rows("amdzen3", "amdzen4"), rows("amdzen4", "amdzen3")

        def of(out, kind):
            return [(row["pmu"], row["name"], row["a"] or row["b"]) for row in out if row["kind"] == kind]
        self.assertEqual(of(there, "only_a"), of(back, "only_b"))
        self.assertEqual(of(there, "only_b"), of(back, "only_a"))
        self.assertGreater(len(of(there, "only_a")), 0)

    def test_a_single_core_pmu_is_compared_with_both_of_a_hybrid_cpu(self):
        # BR_INST_RETIRED.COND: C4H/01H on Skylake, C4H/11H on Golden Cove, C4H/7EH on Gracemont.
        out = rows("skylake", "alderlake", "br_inst_retired.cond")
        self.assertEqual({row["pmu_b"]: row["b"] for row in out},
                         {"cpu_core": "event=0xc4,umask=0x11", "cpu_atom": "event=0xc4,umask=0x7e"})

    def test_text_has_four_sections_with_their_counts(self):
        out = run("diff", "skylakex", "icelakex", "MEM_LOAD*").stdout
        heads = [line for line in out.splitlines() if line and not line.startswith(" ")]
        kinds = [row["kind"] for row in rows("skylakex", "icelakex", "mem_load*")]
        self.assertEqual(heads, [f"Only in skylakex: {kinds.count('only_a')}",
                                 f"Only in icelakex: {kinds.count('only_b')}",
                                 f"Same name, another code in icelakex: {kinds.count('code')}",
                                 f"Same code, another name in icelakex: {kinds.count('name')}"])
        self.assertIn("cpu/event=0xd1,umask=0x80/", out)

    def test_columns_are_aligned_in_each_section(self):
        events = {"skylakex": {"OWN.ONLY_WITHOUT_WORDS": (0x70, ""), "OWN.ONLY": (0x71, "Words of it"), "OWN.CODE": (0x72, "a"),
                               "OWN.OTHER_CODE": (0x73, ""), "OWN.NAME": (0x74, "b"), "OWN.LONGER_NAME": (0x75, "")},
                  "icelakex": {"OWN.ADDED": (0x76, "More words"), "OWN.CODE": (0x77, ""), "OWN.OTHER_CODE": (0x78, "c"),
                               "OWN.RENAMED": (0x74, ""), "OWN.ALSO_RENAMED": (0x75, "d")}}
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder, "x86")
            for model, rows_of in events.items():
                (tree / model).mkdir(parents=True)
                (tree / model / "own.json").write_text(json.dumps([
                    {"EventName": name, "EventCode": "0x1", "UMask": hex(umask), **({"BriefDescription": words} if words else {})}
                    for name, (umask, words) in rows_of.items()]))
            (tree / "mapfile.csv").write_text("Family-model,Version,Filename,EventType\nGenuineIntel-6-55-[01234],v1,skylakex,core\n"
                                              "GenuineIntel-6-6[AC],v1,icelakex,core\n")
            done = subprocess.run([EVNAME, "diff", "skylakex", "icelakex", "own.*"], capture_output=True, encoding="utf-8",
                                  env={**os.environ, "EVNAME_EVENTS": folder}, check=True)
        self.assertEqual(done.stdout, """\
Only in skylakex: 2
  own.only                cpu/event=0x1,umask=0x71/  Words of it
  own.only_without_words  cpu/event=0x1,umask=0x70/

Only in icelakex: 1
  own.added  cpu/event=0x1,umask=0x76/  More words

Same name, another code in icelakex: 2
  own.code        cpu/event=0x1,umask=0x72/  ->  cpu/event=0x1,umask=0x77/
  own.other_code  cpu/event=0x1,umask=0x73/  ->  cpu/event=0x1,umask=0x78/

Same code, another name in icelakex: 2
  own.longer_name  ->  own.also_renamed  cpu/event=0x1,umask=0x75/
  own.name         ->  own.renamed       cpu/event=0x1,umask=0x74/
""")

    def test_a_glob_leaves_a_row_whichever_of_its_names_is_like_it(self):
        for glob in ("offcore_response.demand_data_rd.any_response", "ocr.demand_data_rd.any_response"):
            self.assertEqual([row["kind"] for row in rows("skylakex", "icelakex", glob)], ["name"])

    def test_what_can_not_be_compared_is_unusable(self):
        for arguments, message in ((["skylakex", "no-such-cpu"], "no-such-cpu"),
                                   (["skylakex", ""], "neither a CPUID string nor a model"),
                                   (["skylakex", "arm/neoverse-n1"], "nothing in common"),
                                   (["skylakex", "AuthenticAMD-99-1"], "no events"),
                                   (["skylakex"], "CPU_B")):
            self.assertIn(message, run("diff", *arguments, code=2).stderr)

    def test_no_match_is_a_partial_answer(self):
        self.assertIn("zzz*", run("diff", "skylakex", "icelakex", "zzz*", code=1).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
