#!/usr/bin/env python3
"""What the programs of docs/library.md print in a language, and that the page has them. Arguments: the source root, the
language (c++, c or python) and, but for Python, the folder of the programs."""

import collections
import json
import pathlib
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT, LANGUAGE, *FOLDER = pathlib.Path(sys.argv[1]), *sys.argv[2:]
HERE = ROOT / "tests" / "examples"
RECORDING = ROOT / "tests" / "data" / "neoverse-n1.data"
sys.path.insert(0, str(ROOT / "tests" / "command"))
import perf_file  # noqa: E402

NAMES = ["open_event", "name_codes", "stacks", "count_function", "cache_misses", "list_events", "metric", "folded", "records", "instructions"]
SUFFIX = {"c++": ".cpp", "c": ".c", "python": ".py"}[LANGUAGE]
TITLES = {"c++": "cpp", "c": "c", "python": "python"}


def command(name):
    if LANGUAGE == "python":
        return [sys.executable, HERE / (name + SUFFIX)]
    return [pathlib.Path(FOLDER[0], f"example-{'c-' if LANGUAGE == 'c' else ''}{name}")]


def run(name, *arguments, text=None):
    return subprocess.run([*command(name), *arguments], input=text, capture_output=True, text=True)


def in_languages(*languages):
    """A test of a program that only these languages have."""
    return lambda test: test if LANGUAGE in languages else None


# Codes: Intel's manual. Counts: perf script's lines.
PRINTED = [
    ("name_codes", ["skylakex", "cpu", "0x20d1", "0x003c", "0xffff", "0x10000c0"],
     ["0x20d1: mem_load_retired.l3_miss", "0x003c: cpu_clk_unhalted.thread_p", "0xffff: event=0xff,umask=0xff",
      "0x10000c0: inst_retired.any_p with cmask=0x1"]),
    ("metric", ["skylakex", "tma_info_thread_ipc"], ["INST_RETIRED.ANY", "CPU_CLK_UNHALTED.THREAD"]),
    ("metric", ["skylakex", "tma_info_thread_ipc", "2000", "1000"], ["tma_info_thread_ipc: 2"]),
    ("list_events", ["skylakex", "mem_load_retired.l3_miss"],
     ["cpu/event=0xd1,period=100007,umask=0x20/ mem_load_retired.l3_miss: Retired loads whose data was in no cache level up "
      "to and including the L3"]),
]
REFUSED = [
    ("name_codes", ["no-such-cpu", "cpu", "1"], "no-such-cpu"),
    ("list_events", ["no-such-cpu"], "no-such-cpu"),
    ("metric", ["skylakex", "no_such_metric"], "no_such_metric"),
    ("stacks", ["/no/such/file"], "No such file|can't be opened|not found"),
    ("folded", ["/no/such/file"], "No such file|can't be opened|not found"),
    ("records", ["/no/such/file"], "No such file|can't be opened|not found"),
    ("instructions", ["/no/such/file"], "No such file|can't be opened|not found"),
    ("open_event", ["no-such-event"], "no-such-event"),
    ("count_function", ["no-such-event"], "no-such-event"),
    ("cache_misses", ["no-such-event"], "no-such-event"),
]


class Programs(unittest.TestCase):
    def test_answers(self):
        for name, arguments, lines in PRINTED:
            with self.subTest(name=name, arguments=arguments):
                done = run(name, *arguments)
                self.assertEqual((done.stderr, done.returncode), ("", 0))
                self.assertEqual(done.stdout.splitlines(), lines)

    def test_failures_are_told(self):
        for name, arguments, text in REFUSED:
            with self.subTest(name=name):
                done = run(name, *arguments)
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr, text)

    def test_stacks_are_of_the_files_that_perf_names(self):
        lines = run("stacks", RECORDING).stdout.splitlines()
        self.assertEqual(sum(not line.startswith("  ") for line in lines), 374)
        files = [re.search(r"\((.*)\)$", line)[1] for line in lines if line.startswith("  ")]
        self.assertGreater(files.count("/usr/bin/busybox"), 221)
        labels = [line.split()[0] for line in lines if line.startswith("  ")]
        self.assertFalse([label for label in labels if not label])

    def test_folded_stacks_are_all_samples_of_the_event(self):
        lines = run("folded", RECORDING, "cpu_cycles").stdout.splitlines()
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in lines), 239)
        self.assertEqual({line.split(";")[0] for line in lines}, {"cpu_cycles"})

    # perf report --stats: 1 MMAP, 2 MMAP2, 4 COMM, 1 FORK, 2 EXIT.
    def test_records_are_those_of_perf(self):
        lines = run("records", RECORDING).stdout.splitlines()
        words = collections.Counter(next(word for word in ("named", "mapped", "began", "ended", "lost") if f" {word}" in line)
                                    for line in lines)
        self.assertEqual(words, {"mapped": 3, "named": 4, "began": 1, "ended": 2})

    # Of a program in assembler. Builds without a decoder print no text.
    def test_instructions_have_their_samples(self):
        arch = {"x86_64": b"x86_64", "aarch64": b"aarch64"}.get(platform.machine())
        missing = [tool for tool in ("c++", "nm", "readelf") if not shutil.which(tool)]
        if missing or not arch:
            self.skipTest(f"no {', '.join(missing) or 'assembler'}")
        with tempfile.TemporaryDirectory() as folder:
            path, source = pathlib.Path(folder, "program"), pathlib.Path(folder, "program.s")
            source.write_text(".globl _start, work\n.type work,%function\n_start: ret\n.balign 4\nwork: nop\nnop\nret\n.size work,.-work\n")
            subprocess.run(["c++", "-nostdlib", "-static", "-o", path, source], check=True)
            start = int(re.search(r"(\w+) T work", subprocess.check_output(["nm", path], text=True))[1], 16)
            code = next(words.split() for words in subprocess.check_output(["readelf", "-lW", path], text=True).splitlines()
                        if re.match(r" *LOAD.* R E ", words))
            offset, address, size = (int(code[i], 16) for i in (1, 2, 4))
            step = 4 if arch == b"aarch64" else 1
            data = perf_file.record(10, struct.pack("<iiQQQQQQII", 1, 1, address, size, offset, 0, 0, 0, 5, 2) +
                                    perf_file.padded(str(path).encode()) + perf_file.trailer(1), 2)
            for at, count in enumerate([2, 0, 3]):
                data += count * perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQ", 1, start + step * at, 1, 1, 10), 2)
            recording = pathlib.Path(folder, "perf.data")
            recording.write_bytes(perf_file.file(data, [perf_file.attr(sample_type=perf_file.TYPE | 1)], [(6, struct.pack("<I64s", 64, arch))]))
            done = run("instructions", recording)
        if "(no name)" in done.stdout:
            self.skipTest("evname is built without elfutils")
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        self.assertRegex(done.stdout, rf"^work: 2 at {start:#x} (nop)?\nwork: 3 at {start + 2 * step:#x} (ret)?\n$")

    # Stacks of all samples, as the program `stacks` prints them.
    @in_languages("c++")
    def test_a_profile_for_firefox_has_all_stacks(self):
        profile = json.loads(run("firefox", RECORDING).stdout)
        self.assertEqual(profile["meta"]["version"], 24)
        found = collections.Counter()
        for thread in profile["threads"]:
            for number, time in thread["samples"]["data"]:
                self.assertGreaterEqual(time, 0)
                stack = []
                while number is not None:
                    number, frame = thread["stackTable"]["data"][number]
                    stack.append(thread["stringTable"][thread["frameTable"]["data"][frame][0]])
                found[thread["name"], *stack] += 1
        expected, stack = collections.Counter(), None
        for line in [*run("stacks", RECORDING).stdout.splitlines(), "end"]:
            if line.startswith("  "):
                stack.append(re.sub(r" \((.*)\)$", r" (in \1)", line.strip()))
                continue
            expected.update([tuple(stack)] if stack else [])
            stack = [line]
        self.assertEqual(sum(found.values()), 374)
        self.assertEqual(collections.Counter(key[1:] for key in found.elements()),
                         collections.Counter(key[1:] for key in expected.elements()))

    def test_events_are_counted_and_sampled(self):
        for name, event, pattern in [("open_event", "cpu-clock:u", r"software: \d+"),
                                     ("count_function", "page-faults:u,cpu-clock:u", r"page-faults(:u)?: [1-9][0-9]*\ncpu-clock(:u)?: [1-9]"),
                                     ("cache_misses", "cpu-clock:u", r"^[1-9][0-9]* .* \(.*\)\n")]:
            with self.subTest(name=name):
                done = run(name, event)
                is_refused = re.search("perf_event_paranoid|not permitted|denied", done.stderr) or (done.returncode == 1 and not done.stderr)
                if is_refused:
                    level = pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text().strip()
                    self.skipTest(f"kernel.perf_event_paranoid is {level}: {done.stderr}")
                self.assertEqual((done.stderr, done.returncode), ("", 0))
                self.assertRegex(done.stdout, pattern)

    # Of 1,000 cycles of a Zen 4, which are 6,000 slots, the front end left 3,000 empty, then 300; as in command/topdown_test.py.
    @in_languages("c++", "python")
    def test_a_fleet_has_one_machine(self):
        with tempfile.TemporaryDirectory() as folder:
            def file(name, front_end, back_end):
                events = {"ls_not_halted_cyc": 1000, "de_no_dispatch_per_slot.no_ops_from_frontend": front_end,
                          "de_no_dispatch_per_slot.backend_stalls": back_end, "de_src_op_disp.all": 1800, "ex_ret_ops": 1500}
                path = pathlib.Path(folder, name)
                path.write_text("".join(f"{count},,{event},1000,100.00,,\n" for event, count in events.items()))
                return path
            paths = [file("a.csv", 3000, 600), file("b.csv", 600, 3000), pathlib.Path(folder, "none.csv")]
            done = run("topdown_fleet", "amdzen4", text="".join(f"{path}\n" for path in paths))
        self.assertEqual(done.stdout, f"{paths[0]}\tfrontend_bound\t50.0\n{paths[1]}\tbackend_bound\t50.0\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(paths[2]), done.stderr)

    def test_the_page_has_the_programs(self):
        page = (ROOT / "docs" / "library.md").read_text()
        for name in NAMES:
            program = (HERE / (name + SUFFIX)).read_text()
            self.assertTrue(f"```{TITLES[LANGUAGE]}\n{program}```\n" in page, f"docs/library.md lacks {name}{SUFFIX}")
            lines = [line for line in program.splitlines() if line.strip() and not re.match(r"\s*(//|/\*|\"\"\")", line)]
            self.assertLess(len(lines), 25, name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
