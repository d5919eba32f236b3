#!/usr/bin/env python3
"""What the hardware sampled, by name: registers of AMD's IBS, by the lines that perf script -D of perf 7.3 prints for the
same made-up recordings (tests/data/sampled.txt). With EVNAME_PERF_ORACLE, a folder that has this perf, they are
compared with what it prints now, and for many more samples; EVNAME_KEEP_ORACLE names the file to write then.
Arguments: the evname command, the source directory."""

import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import perf_file  # noqa: E402

EVNAME, ROOT = os.path.abspath(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
PERF = pathlib.Path(os.environ.get("EVNAME_PERF_ORACLE", "/nonexistent"), "perf")
KEEP = os.environ.get("EVNAME_KEEP_ORACLE")
EXPECTED = ROOT / "tests/data/sampled.txt"
IDENTIFIER, IP, TID, TIME, RAW = 1 << 16, 1, 2, 4, 1 << 10
ARCH, CPUID, PMU_MAPPINGS, PMU_CAPS = 6, 9, 16, 31
OP, FETCH = 11, 12  # types of the PMUs
OP_VALID, FETCH_VALID = 3 << 17, 3 << 48

# CPUs by family and model, and what the kernel says that their IBS can do (arch/x86/events/amd/ibs.c).
ZEN4, ZEN5 = ["zen4_ibs_extensions"], ["zen4_ibs_extensions", "ldlat"]
CPUS = {
    "zen1": (0x17, 0x01, []),
    "zen2": (0x17, 0x31, []),
    "zen3": (0x19, 0x01, []),  # with errata
    "zen3-later": (0x19, 0x21, []),
    "zen4": (0x19, 0x61, ZEN4),
    "zen5": (0x1a, 0x02, ZEN5 + ["dtlb_pgsize"]),
    "zen6": (0x1a, 0x50, ZEN5 + ["dtlb_pgsize", "rmtsocket", "strmst"]),
    "next": (0x1b, 0x00, ZEN5 + ["dtlb_pgsize", "rmtsocket", "strmst", "a_cap_of_later"]),
}


def text(words):
    data = words.encode(errors="surrogateescape") + b"\0"
    data += bytes(-len(data) % 64)
    return struct.pack("<I", len(data)) + data


def features(cpu, caps=True):
    family, model, names = CPUS[cpu]
    pmus = struct.pack("<I", 3) + b"".join(struct.pack("<I", type) + text(name)
                                           for type, name in ((4, "cpu"), (OP, "ibs_op"), (FETCH, "ibs_fetch")))
    found = [(ARCH, text("x86_64")), (CPUID, text(f"AuthenticAMD,{family},{model},1")), (PMU_MAPPINGS, pmus)]
    if caps:
        values = b"".join(text(name) + text("1") for name in names)
        found.append((PMU_CAPS, struct.pack("<II", 1, len(names)) + values + text("ibs_op")))
    return found


def sample(number, id, raw):
    raw += bytes(-(len(raw) + 4) % 8)
    body = struct.pack("<QQiiQI", id, 0x401000, 7, 7, number, len(raw)) + raw
    return perf_file.record(9, body, 2)


def registers(words, caps=0x1bff):
    return struct.pack(f"<I{len(words)}Q", caps, *words)


def ibs_recording(cpu, pairs, caps=True):
    """Samples of op and fetch with random registers; the two of a pair have opposite bits."""
    chance = random.Random(cpu)
    records = []

    def add(id, count, valid):
        words = [chance.getrandbits(64) for _ in range(count)]
        for mask in (0, 2**64 - 1):
            own = [word ^ mask for word in words]
            records.append(sample(len(records) + 1, id, registers([own[0] | valid] + own[1:])))
    for _ in range(pairs):
        add(1, 8, OP_VALID)
        add(2, 4, FETCH_VALID)
    kind = IDENTIFIER | IP | TID | TIME | RAW
    return perf_file.file(b"".join(records), [perf_file.attr(0, OP, kind), perf_file.attr(0, FETCH, kind)], features(cpu, caps))


def is_register(line):
    return line.startswith(("ibs_", "Ibs", "ic_ibs"))


class Sampled(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.path = pathlib.Path(place.name, "perf.data")

    def evname(self, *arguments, code=0):
        result = subprocess.run([EVNAME, *arguments, "-i", self.path], capture_output=True, encoding="utf-8", errors="surrogateescape")
        self.assertEqual(result.returncode, code, result.stderr)
        self.warnings = result.stderr
        return result.stdout

    def perf(self, *arguments):
        result = subprocess.run([PERF, "script", "-f", "-i", self.path, *arguments], capture_output=True, encoding="utf-8",
                                errors="surrogateescape")
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def rows(self, fields, code=0):
        return [json.loads(line) for line in self.evname("annotate", "--json", "-F", fields, code=code).splitlines()]

    def expected(self, name, lines):
        """The lines of perf 7.3: those that were kept, which are what perf prints now if it is there."""
        if not PERF.exists():
            return KEPT[name]
        found = lines()
        if KEEP:
            KEPT[name] = found
        self.assertEqual(found, KEPT[name])
        return found

    def registers_of_perf(self):
        return [line for line in self.perf("-D").splitlines() if is_register(line)]


class Ibs(Sampled):
    def test_registers_are_those_of_perf(self):
        for cpu in CPUS:
            self.path.write_bytes(ibs_recording(cpu, 3))
            with self.subTest(cpu):
                found = self.evname("annotate", "-F", "ibs").splitlines()
                self.assertEqual(found, self.expected(cpu, self.registers_of_perf))

    @unittest.skipUnless(PERF.exists(), "EVNAME_PERF_ORACLE has no perf")
    def test_many_registers_are_those_of_perf(self):
        for cpu in CPUS:
            self.path.write_bytes(ibs_recording(cpu, 300))
            with self.subTest(cpu):
                found = [line for line in self.evname("script", "-F", "+ibs").splitlines() if is_register(line)]
                self.assertEqual(found, self.registers_of_perf())

    def test_columns_have_the_values_of_the_lines(self):
        # Each word of a line, by its column: "DcMissLat   123" is ibs_dc_miss_lat.
        names = [line.split()[0] for line in self.evname_help().splitlines() if line.startswith("  ibs_")]
        table = (ROOT / "runtime/recordings/perf_data/ibs.def").read_text()
        self.assertEqual(names, re.findall(r"^EVNAME_IBS_(?:REGISTER|PART)\((\w+)", table, re.M))
        for cpu in CPUS:
            self.path.write_bytes(ibs_recording(cpu, 3))
            lines = iter(self.evname("annotate", "-F", "ibs").splitlines())
            for row, columns in zip(self.rows("ibs"), self.rows(",".join(names))):
                values = {key: value for key, value in columns.items() if value is not None}
                self.assertEqual(list(values.values()), list(row["ibs"].values()))
                for key, value in row["ibs"].items():
                    if is_register(key) and key != "IbsItlbRefillLat":
                        label, rest = next(lines).split(":\t")
                        self.assertEqual((label, int(rest[:16], 16)), (key, int(value, 16)))
                        words = " ".join(rest[16:].split()) + " "
                    else:
                        self.assertTrue(words.startswith(f"{key} {value} "), f"{key} {value}: {words}")
                        words = words[len(f"{key} {value} "):].removeprefix("bytes ")
            self.assertEqual(list(lines), [])

    # MaxCnt and CntCtl: bits 0 to 15, 20 to 26 and 19 of MSR C0011033H (AMD's PPR).
    def test_registers_are_keys_of_reports(self):
        self.path.write_bytes(ibs_recording("zen5", 20))
        chance, found = random.Random("zen5"), {}
        for _ in range(20):
            ctl = [chance.getrandbits(64) for _ in range(8)][0]
            [chance.getrandbits(64) for _ in range(4)]
            for word in (ctl, ctl ^ 2**64 - 1):
                unit = ("0=cycles", "1=uOps")[word >> 19 & 1]
                found[unit] = found.get(unit, 0) + 1
                key = (unit, ((word & 0xffff) | (word >> 20 & 0x7f) << 16) << 4)
                found[key] = found.get(key, 0) + 1
        rows = [json.loads(line) for line in self.evname("report", "--json", "--sort", "ibs_cnt_ctl").splitlines()]
        self.assertEqual({row["ibs_cnt_ctl"]: row["samples"] for row in rows if "ibs_cnt_ctl" in row},
                         {"0=cycles": found["0=cycles"], "1=uOps": found["1=uOps"], None: 40})
        rows = [json.loads(line) for line in self.evname("report", "--json", "--sort", "ibs_cnt_ctl,ibs_op_max_cnt").splitlines()]
        self.assertEqual({(row["ibs_cnt_ctl"], row["ibs_op_max_cnt"]): row["samples"] for row in rows},
                         {(None, None): 40, **{key: count for key, count in found.items() if isinstance(key, tuple)}})

    def test_keys_have_the_values_of_fields(self):
        self.path.write_bytes(ibs_recording("zen5", 20))
        table = (ROOT / "runtime/recordings/perf_data/ibs.def").read_text()
        names = re.findall(r"^EVNAME_IBS_(?:REGISTER|PART)\((\w+),", table, re.M)
        samples = [json.loads(line) for line in self.evname("annotate", "--json", "--fields", ",".join(names)).splitlines()]
        for name in names:
            output = self.evname("report", "--json", "--sort", name, "--order", name).splitlines()
            values = [row[name] for row in map(json.loads, output) if name in row]
            self.assertEqual(sorted(values, key=str), sorted({sample[name] for sample in samples}, key=str), name)
            numbers = [value for value in values if isinstance(value, int)]
            self.assertEqual(numbers, sorted(numbers) if len(numbers) > 1 else numbers, name)
            registers = [int(value, 16) for value in values if str(value).startswith("0x")]
            self.assertEqual(registers, sorted(registers), name)

    def evname_help(self):
        return subprocess.run([EVNAME, "annotate", "--help"], capture_output=True, encoding="utf-8", check=True).stdout

    # IBS_CAPS_ZEN4 of arch/x86/include/asm/perf_event.h: bit 11.
    def test_caps_of_samples_count_if_the_recording_has_none(self):
        kind = IDENTIFIER | IP | TID | TIME | RAW
        words = [OP_VALID, 0x401000, 0, 0x40, 1, 0, 0, 0]  # DataSrc: 0 of the lower bits, 1 of the upper
        for caps, source in ((0x7ff, None), (0xfff, "8=Extension Memory")):
            record = sample(1, 1, registers(words, caps))
            self.path.write_bytes(perf_file.file(record, [perf_file.attr(0, OP, kind)], features("zen4", caps=False)))
            self.assertEqual(self.rows("ibs_data_src"), [{"ibs_data_src": source}])

    def test_short_and_invalid_raw_data_is_told(self):
        kind = IDENTIFIER | IP | TID | TIME | RAW
        whole = registers([OP_VALID, 0x401000, 1 << 37, 0, 1, 0, 0, 0x402000])
        for size in range(4, len(whole) + 1, 8):  # others are padded
            data = sample(1, 1, whole) + sample(2, 1, whole[:size])
            self.path.write_bytes(perf_file.file(data, [perf_file.attr(0, OP, kind)], features("zen4")))
            rows = self.rows("time,ibs_op_rip,ibs_brn_ret,ibs_br_target", 1 if size < len(whole) else 0)
            self.assertEqual(rows[0]["ibs_br_target"], "0x402000")
            self.assertEqual(len(rows), 2)
            self.assertEqual(rows[1]["ibs_op_rip"], "0x401000" if size >= 20 else None, size)
            self.assertEqual(rows[1]["ibs_brn_ret"], 1 if size >= 28 else None, size)
            self.assertEqual(rows[1]["ibs_br_target"], None if size < len(whole) else "0x402000", size)
            if size < len(whole):
                offset = len(perf_file.file(b"", [perf_file.attr(0, OP, kind)])) + len(sample(1, 1, whole))
                self.assertIn("1 IBS sample has raw data that is not a valid sample or too short for all registers", self.warnings)
                self.assertIn(f"at {offset:#x}, of {size} bytes", self.warnings)

    def test_samples_of_other_events_have_no_registers(self):
        kind = IDENTIFIER | IP | TID | TIME | RAW
        self.path.write_bytes(perf_file.file(sample(1, 1, registers([OP_VALID] * 8)), [perf_file.attr(0, 4, kind)],
                                             features("zen4")))
        self.assertEqual(self.rows("ibs,ibs_op_rip"), [{"ibs": None, "ibs_op_rip": None}])


ANY, COUNTERS = 1 << 3, 1 << 19  # PERF_SAMPLE_BRANCH_*
READ, BRANCH_STACK = 1 << 4, 1 << 11
EVENT_DESC, GROUP_DESC, CPU_PMU_CAPS = 12, 17, 28


def attr(config, branches=0, kind=IDENTIFIER | IP | TID | TIME, read_format=0):
    out = bytearray(perf_file.attr(config, 0, kind))
    struct.pack_into("<Q", out, 32, read_format)
    struct.pack_into("<Q", out, 72, branches)
    return bytes(out)


def described(names, attrs, groups, caps):
    """The features of a recording of Intel's with these events; groups are (leader, members)."""
    events = struct.pack("<II", len(attrs), len(attrs[0]))
    for i, (name, one) in enumerate(zip(names, attrs)):
        events += one + struct.pack("<I", 1) + text(name) + struct.pack("<Q", i + 1)
    lists = struct.pack("<I", len(groups)) + b"".join(text("{anon_group}") + struct.pack("<II", *one) for one in groups)
    values = struct.pack("<I", len(caps)) + b"".join(text(name) + text(value) for name, value in caps)
    return [(ARCH, text("x86_64")), (CPUID, text("GenuineIntel-6-AF-3")), (EVENT_DESC, events), (GROUP_DESC, lists),
            (CPU_PMU_CAPS, values)]


class BranchCounters(Sampled):
    # Two bits for each event of the group, the first lowest: arch/x86/events/intel/lbr.c.
    CAPS = [("branches", "32"), ("branch_counter_nr", "4"), ("branch_counter_width", "2")]
    WORDS = [0, 1, 2, 3, 4, 0b1001, 0b1111, 0b0110]

    def write(self, caps, names=("cycles", "branch-misses:u"), words=WORDS, groups=((0, 2),), id=1):
        kind = IDENTIFIER | IP | TID | TIME | BRANCH_STACK
        attrs = [attr(i, ANY | COUNTERS, kind) for i in range(len(names))]
        records = []
        for number, count in enumerate((len(words), 0, 1)):
            body = struct.pack("<QQiiQQ", id, 0x401000, 7, 7, number + 1, count)
            body += b"".join(struct.pack("<QQQ", 0x1000 + i, 0x2000, 2 | 4 << 20) for i in range(count))
            body += b"".join(struct.pack("<Q", word) for word in words[:count])
            records.append(perf_file.record(9, body, 2))
        self.path.write_bytes(perf_file.file(b"".join(records), attrs, described(names, attrs, groups, caps)))

    def test_letters_are_those_of_perf(self):
        for title, names, groups in (("letters", ("cycles", "branch-misses:u"), [(0, 2)]),
                                     ("letters of equal names", ("cycles", "branches", "cycles"), [(0, 3)]),
                                     ("many letters", tuple(f"e{i}" for i in range(60)), [(0, 4)])):
            self.write(self.CAPS, names, groups=groups)
            with self.subTest(title):
                found = self.evname("script", "-F", "comm,pid,time,event,brstack,brcntr").splitlines()
                self.assertEqual(found, self.expected(title, lambda: self.perf(
                    "-F", "comm,pid,time,event,brstack,brcntr").splitlines()))

    # The letters of a branch: ip__fprintf_jump of tools/perf/builtin-script.c.
    def test_counts_of_each_branch(self):
        self.write(self.CAPS)
        self.assertEqual(self.evname("annotate", "-F", "brcounts"), " -/A/AA/AAA+/B/ABB/AAA+BBB+/AAB \n\n - \n")
        rows = self.rows("brcntr")
        pairs = [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 2), (3, 3), (2, 1)]
        self.assertEqual(rows[0]["brcntr"], [{"cycles": a, "branch-misses:u": b} for a, b in pairs])
        self.assertEqual(rows[1:], [{"brcntr": []}, {"brcntr": [{"cycles": 0, "branch-misses:u": 0}]}])
        csv = self.evname("annotate", "--format", "csv", "-F", "brcounts")
        self.assertEqual(csv, "brcounts\n-;A;AA;AAA+;B;ABB;AAA+BBB+;AAB\n\n-\n")

    def test_counters_are_those_of_the_events_group(self):
        names = [f"e{i}" for i in range(4)]
        for groups, id, letters in (([(0, 2), (2, 2)], 1, "ABB"), ([(0, 2), (2, 2)], 3, "CDD"), ([], 2, "B"),
                                    ([(1, 2)], 3, "BCC"), ([(1, 2)], 4, "D"), ([(0, 2**32 - 1), (1, 2**32 - 1)], 4, "ABB"),
                                    ([(9, 2), (2**32 - 1, 2**32 - 1), (2, 2)], 4, "CDD"), ([(0, 0), (0, 4)], 2, "ABB")):
            self.write(self.CAPS, names, [0b1001], groups, id)
            self.assertEqual(self.evname("annotate", "-F", "brcounts").splitlines()[0], f" {letters} ", groups)

    def test_counters_of_unknown_width_are_one_number(self):
        for caps in (self.CAPS[:2], [("branch_counter_width", "0")], [("branch_counter_width", "65")],
                     [("branch_counter_width", "x")]):
            self.write(caps)
            self.assertEqual(self.rows("brcntr")[0]["brcntr"], [f"{word:#x}" for word in self.WORDS])
        self.write([("branch_counter_width", "64")], words=[2**64 - 1, 2**20])
        self.assertEqual(self.evname("annotate", "-F", "brcounts").splitlines()[0],
                         f" {2**64 - 1}A+/{2**20}A ")

    # PERF_BR_PRIV_* in bits 30 to 32 of a branch's flags: include/uapi/linux/perf_event.h.
    def test_branches_have_the_mode_that_was_recorded(self):
        kind = IDENTIFIER | IP | TID | TIME | BRANCH_STACK
        body = struct.pack("<QQiiQQ", 1, 0x401000, 7, 7, 1, 5)
        body += b"".join(struct.pack("<QQQ", 0x1000, 0x2000, 2 | mode << 30 | 1 << 33) for mode in range(5))
        self.path.write_bytes(perf_file.file(perf_file.record(9, body, 2), [attr(0, ANY, kind)]))
        branches = self.rows("brstack")[0]["brstack"]
        self.assertEqual([one.get("priv") for one in branches], [None, "user", "kernel", "hypervisor", None])
        self.assertEqual([one["not_taken"] for one in branches], [True] * 5)

    def test_a_stack_that_claims_more_than_its_record_has_is_told(self):
        for claimed in (3, 2**20, 2**61, 2**64 - 1):
            self.write(self.CAPS, words=[1, 2])
            data = bytearray(self.path.read_bytes())
            at = data.index(struct.pack("<QQQ", 1, 2, 0x1000)) + 8  # the count of the first sample, after its time
            struct.pack_into("<Q", data, at, claimed)
            self.path.write_bytes(data)
            text = self.evname("annotate", "-F", "time,brstack,brcounts", code=1)
            self.assertEqual(len(text.splitlines()), 2)
            self.assertIn("branch stack", self.warnings)
            self.assertIn(f"{at - 40:#x}", self.warnings)

    def test_names_stay_in_their_lines(self):
        self.write(self.CAPS, names=("a\x1b[31m\nb", 'c"\udcff'))
        rows = self.rows("brcntr")
        self.assertEqual(list(rows[0]["brcntr"][0]), ["a\x1b[31m\nb", 'c"\ufffd'])


class Values(Sampled):
    def test_values_of_the_group_have_names(self):
        # PERF_FORMAT_TOTAL_TIME_ENABLED, _RUNNING, _ID, _GROUP and _LOST.
        for read_format, lost in ((15, b""), (31, bytes(8))):
            kind = IDENTIFIER | IP | TID | TIME | READ
            attrs = [attr(i, 0, kind, read_format) for i in range(2)]
            body = struct.pack("<QQiiQ", 1, 0x401000, 7, 7, 1) + struct.pack("<QQQ", 2, 500, 400)
            body += struct.pack("<QQ", 1000, 1) + lost + struct.pack("<QQ", 70, 2) + lost
            data = perf_file.record(9, body, 2)
            names = ["cycles", "branch-misses:u"]
            self.path.write_bytes(perf_file.file(data, attrs, described(names, attrs, [(0, 2)], [])))
            values = {"cycles": 1000, "branch-misses:u": 70, "time_enabled": 500, "time_running": 400}
            self.assertEqual(self.rows("counters")[0], {"counters": values})
            self.assertEqual(self.evname("annotate", "-F", "counters").splitlines()[0],
                             " " + " ".join(f"{name}={value}" for name, value in values.items()))


def kept():
    """Sections "== NAME" of lines."""
    sections = {}
    for line in EXPECTED.read_text().splitlines() if EXPECTED.exists() else []:
        if line.startswith("== "):
            sections[line[3:]] = []
        elif sections:
            sections[list(sections)[-1]].append(line)
    return sections


KEPT = kept()

if __name__ == "__main__":
    try:
        unittest.main(verbosity=2)
    finally:
        if KEEP and PERF.exists():
            pathlib.Path(KEEP).write_text("".join(f"== {name}\n" + "".join(line + "\n" for line in lines)
                                                  for name, lines in KEPT.items()))
