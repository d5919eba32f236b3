#!/usr/bin/env python3
"""--waiting shows how long threads were off their CPU and why, as a table, a page and stacks. The expected times are
differences of the times in a recording that the test makes. Arguments: the evname command and the source root."""

import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import page_file
import perf_file  # noqa: E402

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
IP, CALLCHAIN, RAW = 1, 1 << 5, 1 << 10
S, D, PREEMPTED = 1, 2, 0x100
MILLISECOND = 1_000_000
KERNEL = 0xffffffff81000000


def tracing_data():
    """trace_report of perf's util/trace-event-read.c."""
    fields = ("pid_t prev_pid", 8, 4), ("long prev_state", 16, 8), ("pid_t next_pid", 24, 4)
    rows = "".join(f"\tfield:{text};\toffset:{at};\tsize:{size};\tsigned:1;\n" for text, at, size in fields)
    text = f"name: sched_switch\nID: 316\nformat:\n{rows}\n".encode()
    out = b"\x17\x08\x44tracing0.6\0" + struct.pack("<BBI", 0, 8, 4096)
    out += b"header_page\0" + struct.pack("<Q2s", 2, b"ab") + b"header_event\0" + bytes(8)
    return out + struct.pack("<II", 0, 1) + b"sched\0" + struct.pack("<IQ", 1, len(text)) + text


def switch(ms, prev, state, next, ip):
    raw = bytes(8) + struct.pack("<iIqi", prev, 0, state, next)
    body = struct.pack("<QQiiQ", 1, KERNEL + ip, prev, prev, ms * MILLISECOND)
    chain = struct.pack("<4Q", 3, 2**64 - 128, KERNEL + ip, KERNEL + 0x100)
    return perf_file.record(perf_file.SAMPLE, body + chain + struct.pack("<I", len(raw)) + raw, 1)


# reader waits 300 ms for a disk, and 50 ms for the CPU that another thread has; worker sleeps 250 ms.
SWITCHES = [(100, 7, D, 8, 0x20), (150, 8, S, 0, 0x30), (400, 0, 0, 8, 0x30), (400, 0, 0, 7, 0x30), (500, 7, PREEMPTED, 9, 0x20),
            (550, 9, 0x10, 7, 0x30), (560, 8, 0x10, 0, 0x30), (600, 7, 0x10, 0, 0x20)]
NAMES = "ffffffff81000000 T start\nffffffff81000020 T read_disk\nffffffff81000030 T take_lock\nffffffff81000100 T do_syscall_64\nffffffff81000200 T end\n"


class Waiting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.directory.name)
        cls.recording = cls.folder / "switches.data"
        # "[kernel.kallsyms]_text" ties the recorded addresses to the symbols.
        kernel = struct.pack("<iiQQQ", -1, 0, KERNEL, 0x200, KERNEL) + perf_file.padded(b"[kernel.kallsyms]_text") + perf_file.trailer(0)
        data = perf_file.record(perf_file.MMAP, kernel, 1) + perf_file.comm(7, b"reader") + perf_file.comm(8, b"worker")
        data += b"".join(switch(*one) for one in SWITCHES)
        attr = perf_file.attr(316, 2, perf_file.TYPE | IP | CALLCHAIN | RAW)
        cls.recording.write_bytes(perf_file.file(data, [attr], [(1, tracing_data())]))
        cls.kallsyms = cls.folder / "kallsyms"
        cls.kallsyms.write_text(NAMES)

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def run_on(self, *words, recording=None, code=0):
        done = subprocess.run([EVNAME, *words, recording or self.recording], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_a_table_has_seconds(self):
        done = self.run_on("report", "--waiting", "--sort", "comm,state")
        rows = [line.split(None, 4) for line in done.stdout.splitlines()[1:]]
        self.assertEqual([(row[0], row[1], row[2]) for row in rows],
                         [("0.300000", "50.0%", "1"), ("0.250000", "41.7%", "1"), ("0.050000", "8.3%", "1"), ("0.600000", "100.0%", "3")])
        self.assertEqual(re.findall(r"(reader|worker) +(.*)", done.stdout),
                         [("reader", "D (disk sleep)"), ("worker", "S (sleeping)"), ("reader", "R+ (preempted)")])
        self.assertIn("2 waits are left out: the recording lacks their beginning", done.stderr)

    def test_json_has_seconds(self):
        rows = [json.loads(line) for line in self.run_on("report", "--waiting", "--sort", "state", "--json").stdout.splitlines()]
        self.assertEqual([(row["state"], row["waited"], row["of"], row["samples"]) for row in rows],
                         [("D (disk sleep)", 0.3, 0.6, 1), ("S (sleeping)", 0.25, 0.6, 1), ("R+ (preempted)", 0.05, 0.6, 1)])
        self.assertNotIn("period", rows[0])

    def test_times_select_the_waits_that_end_in_them(self):
        done = self.run_on("report", "--waiting", "--sort", "comm", "--time", "0.5,0.56", "--json")
        self.assertEqual([(row["comm"], row["waited"]) for row in map(json.loads, done.stdout.splitlines())], [("reader", 0.05)])

    def test_functions_have_what_they_wait_below_them(self):
        done = self.run_on("report", "--waiting", "--sort", "sym", "--children", "--json", "--kallsyms", self.kallsyms)
        found = {row["sym"]: (row["waited"], row["children_waited"]) for row in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(found, {"do_syscall_64": (0, 0.6), "read_disk": (0.35, 0.35), "take_lock": (0.25, 0.25)})

    def test_folded_stacks_have_nanoseconds(self):
        done = self.run_on("annotate", "--waiting", "--format", "folded", "--kallsyms", self.kallsyms)
        self.assertEqual(done.stdout.splitlines(), ["sched:sched_switch;reader;do_syscall_64;read_disk 350000000",
                                                    "sched:sched_switch;worker;do_syscall_64;take_lock 250000000"])

    def test_profiles_have_nanoseconds(self):
        done = self.run_on("export", "--waiting", "--format", "speedscope", "-o", "-")
        weights = [weight for one in json.loads(done.stdout)["profiles"] for weight in one["weights"]]
        self.assertEqual(sum(weights) % (50 * MILLISECOND), 0, weights)
        self.assertEqual(sum(weights), 600 * MILLISECOND, weights)

    def test_the_page_knows_that_periods_are_times(self):
        page = self.folder / "page.html"
        self.run_on("report", "--waiting", "--html", page)
        data = page_file.data_of(page)
        self.assertEqual(data["waits"], 1)
        self.assertEqual([(event["ns"], event["samples"], event["period"]) for event in data["files"][0]["events"]],
                         [(1, 3, 600 * MILLISECOND)])

    def test_what_was_not_recorded_is_said(self):
        plain = self.folder / "plain.data"
        plain.write_bytes(perf_file.file(perf_file.sample(1)))
        for words in (("report",), ("annotate",), ("export", "--format", "pprof", "-o", self.folder / "out.pb.gz")):
            done = self.run_on(*words, "--waiting", recording=plain, code=2)
            self.assertIn("no event says how long threads waited: record -e sched:sched_switch -a, or", done.stderr)
        done = self.run_on("report", "--sort", "state", code=2)
        self.assertIn("--sort state needs --waiting", done.stderr)
        done = self.run_on("report", "--waiting", "--mem", code=2)
        self.assertIn("--waiting takes neither --mem", done.stderr)

    def test_periods_of_off_cpu_events_are_times(self):
        done = self.run_on("report", recording=ROOT / "tests" / "data" / "off-cpu.data")
        self.assertRegex(done.stdout, r"\n +2 +33\.3% +0\.761544 s +12\.635026 +12\.635026 +offcpu-time\n")
        done = self.run_on("report", "--waiting", "--json", recording=ROOT / "tests" / "data" / "off-cpu.data")
        rows = {row["event"]: row for row in map(json.loads, done.stdout.splitlines())}
        # perf script -F period of the two samples: tests/data/off-cpu.chains.
        self.assertEqual(rows["offcpu-time"]["waited"], 0.700318624 + 0.061225831)
        self.assertEqual(rows["cpu-clock"]["samples"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
