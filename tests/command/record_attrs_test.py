#!/usr/bin/env python3
"""The perf_event_attr of each event that evname record opens on a faked kernel (support/fake_traces.py), with many options:
tests/data/record-attrs.txt has them. A row that begins with "$" is what perf record 7.3 opens, too, but for IDENTIFIER in place of ID,
the watermark, which perf sets itself by other means, and the events beside those that were asked for; EVNAME_PERF_ORACLE has that
perf. Usage: record_attrs_test.py EVNAME [--update]"""

import os
import pathlib
import platform
import re
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from record_kernels_test import CORE, EVNAME, TREE, Kernel, fake_counters

EXPECTED = pathlib.Path(__file__).resolve().parents[1] / "data/record-attrs.txt"
PERF = pathlib.Path(os.environ.get("EVNAME_PERF_ORACLE", "/nonexistent"), "perf")
# Bits in the order of include/uapi/linux/perf_event.h.
FIELDS = ("IP TID TIME ADDR READ CALLCHAIN ID CPU PERIOD STREAM_ID RAW BRANCH_STACK REGS_USER STACK_USER WEIGHT DATA_SRC IDENTIFIER "
          "TRANSACTION REGS_INTR PHYS_ADDR AUX CGROUP DATA_PAGE_SIZE CODE_PAGE_SIZE WEIGHT_STRUCT").split()
FLAGS = ("disabled inherit pinned exclusive exclude_user exclude_kernel exclude_hv exclude_idle mmap comm freq inherit_stat "
         "enable_on_exec task watermark precise1 precise2 mmap_data sample_id_all exclude_host exclude_guest exclude_callchain_kernel "
         "exclude_callchain_user mmap2 comm_exec use_clockid context_switch write_backward namespaces ksymbol bpf_event aux_output "
         "cgroup text_poke build_id inherit_thread remove_on_exec sigtrap").split()
FORMATS = "enabled running id group lost".split()
MAPPINGS_ALONE = "1:0x9 "  # PERF_COUNT_SW_DUMMY


def names(bits, of):
    return " ".join(name for at, name in enumerate(of) if bits >> at & 1)


def text_of(attr):
    """An attr in words; numbers that are 0 are left out."""
    kind, _, config, period, sample, form, flags = struct.unpack_from("<IIQQQQQ", attr)
    branches, user_registers, stack, clock, registers, _, most = struct.unpack_from("<QQIiQIH", attr, 72)
    more = {"period": period, "branches": branches, "user_registers": user_registers, "stack": stack, "clock": clock,
            "registers": registers, "max_stack": most}
    numbers = "".join(f" {name}={value:#x}" for name, value in more.items() if value)
    return f"{kind}:{config:#x}{numbers} | {names(sample, FIELDS)} | {names(form, FORMATS)} | {names(flags, FLAGS)}\n"


class Attrs(Kernel):
    """A kernel of today that permits precise events; keeps the bytes of the attrs."""

    def __init__(self, folder):
        super().__init__(folder, 3, ~0, ~0)
        self.attrs = []

    def open(self, asked, number, pid, arguments):
        with open(f"/proc/{pid}/mem", "rb") as memory:
            memory.seek(arguments[0])
            attr = memory.read(136)
        before = len(self.opened)
        super().open(asked, number, pid, arguments)
        if len(self.opened) > before:
            self.attrs.append(attr)


def rows():
    """Each set of options with its kind and its attrs."""
    for part in re.split(r"(?m)^(?=[$>] )", EXPECTED.read_text())[1:]:
        line, _, text = part.partition("\n")
        yield line[0], line[2:], text


def as_of_perf(text):
    """The events that were asked for, without perf's trials."""
    lines = re.sub(r" watermark\b| (IDENTIFIER|ID)\b", "", text).splitlines()
    return [line for line in lines if not line.startswith(MAPPINGS_ALONE) and "|  |" not in line]


@unittest.skipIf(fake_counters.why_not(), fake_counters.why_not())
class RecordAttrs(unittest.TestCase):
    def attrs_of(self, program, options):
        with tempfile.TemporaryDirectory() as folder:
            fake_counters.write_tree(folder, TREE | CORE)
            kernel = Attrs(folder)
            done = kernel.run(program, "record", "-o", os.path.join(folder, "perf.data"), *options.split(), "--", "true",
                              env={**os.environ, "EVNAME_EVENTS": "", "PERF_CPUID": "GenuineIntel-6-55-4"})
            self.assertEqual(done.returncode, 0, done.stderr)
        return "".join(text_of(attr) for attr in kernel.attrs if names(struct.unpack_from("<Q", attr, 24)[0], FIELDS))  # no trials

    def test_attrs_are_as_expected(self):
        for _, options, text in rows():
            if "registers" in text and platform.machine() != "x86_64":
                continue  # each architecture has its own
            with self.subTest(options):
                self.assertEqual(self.attrs_of(EVNAME, options), text)

    @unittest.skipUnless(PERF.exists(), "EVNAME_PERF_ORACLE has no perf")
    def test_they_are_those_of_perf(self):
        for kind, options, text in rows():
            if kind == "$":
                with self.subTest(options):
                    self.assertEqual(as_of_perf(text), as_of_perf(self.attrs_of(PERF, options)))

    def update(self):
        head = EXPECTED.read_text().partition("\n$")[0]
        EXPECTED.write_text(head + "\n" + "".join(f"{kind} {options}\n{self.attrs_of(EVNAME, options)}" for kind, options, _ in list(rows())))


if __name__ == "__main__":
    if "--update" in sys.argv:
        RecordAttrs("update").debug()
    else:
        unittest.main(argv=sys.argv[:1])
