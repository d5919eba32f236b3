#!/usr/bin/env python3
"""Samples of Arm's SPE: the lines of perf 7.3 on recordings with every packet (tests/data/spe-*.script.gz, which
`python3 spe_file.py FOLDER PERF` makes), the other formats, filters, profiles for compilers, and damaged data.
Arguments: the evname command, the root of the sources."""

import csv
import gzip
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import spe_file as spe  # noqa: E402

ROOT = pathlib.Path(sys.argv.pop())
EVNAME = os.path.abspath(sys.argv.pop(1))
NAMES = spe.comm(1, b"one") + spe.comm(2, b"two") + spe.mmap(1, 0x400000, 0x10000, b"/bin/none")


def operation(n, time, *packets):
    """A load at 0x401000 + n that hit the first level, or another operation."""
    more = packets or (spe.operation(spe.LOAD_STORE, 0), spe.events(4), spe.counter(spe.TOTAL, n))
    return spe.address(spe.PC, 0x401000 + n, 0) + b"".join(more) + spe.timestamp(time)


class Spe(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.place.name)
        self.addCleanup(self.place.cleanup)

    def path(self, content, name="perf.data"):
        path = self.folder / name
        path.write_bytes(content)
        return str(path)

    def run_it(self, *arguments, code=0, **how):
        done = subprocess.run([EVNAME, *arguments], capture_output=True, text=True, **how)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def lines(self, content, *arguments, code=0, fields="time,event,ip"):
        done = self.run_it("annotate", self.path(content), "-F", fields, *arguments, code=code)
        return [" ".join(line.split()) for line in done.stdout.splitlines()], done.stderr

    def test_lines_are_those_of_perf(self):
        for name, content in spe.every_recording():
            expected = gzip.decompress((ROOT / f"tests/data/spe-{name}.script.gz").read_bytes()).decode()
            path, found = self.path(content), ""
            for arguments in spe.every_run():
                found += self.run_it("script", "-i", path, *arguments).stdout
            with self.subTest(name):
                self.assertEqual(found.splitlines(), expected.splitlines())

    def test_other_subcommands_leave_the_traces_alone(self):
        path = self.path(spe.file(spe.time_conv(), spe.info(), NAMES, spe.auxtrace(operation(0, 5))))
        self.assertNotIn("memory", self.run_it("info", path).stdout)
        out = str(self.folder / "copy")
        self.run_it("split", path, "--by", "event", "-o", out, code=1)
        self.assertIn("memory", self.run_it("annotate", path).stdout)
        self.assertEqual("", self.run_it("annotate", path, "--no-itrace").stdout)

    def test_bytes_that_are_no_packet_are_told_with_their_place(self):
        """The operation that they are in is left out, wherever they are; the others are as without them."""
        whole = [operation(n, 100 + n) for n in range(5)]
        size = len(whole[2])
        expected = self.lines(spe.file(spe.time_conv(), spe.info(), NAMES,
                                       spe.auxtrace(whole[0] + whole[1] + whole[3] + whole[4])))[0]
        self.assertEqual(len(expected), 12)
        # Between packets; 0x40 is no header.
        for at in (0, 9, 11, 16, 19):
            broken = whole[2][:at] + b"\x40" + whole[2][at:]
            content = spe.file(spe.time_conv(), spe.info(), NAMES, spe.auxtrace(b"".join(whole[:2]) + broken +
                                                                               b"".join(whole[3:])))
            found, told = self.lines(content, code=1)
            place = content.index(whole[0]) + 2 * size + at
            with self.subTest(at):
                self.assertEqual(found, expected)
                self.assertIn(f"offset {place:#x}: SPE's data have 1 byte that is not a packet, and 1 operation is left out",
                              told)

    def test_a_cut_off_end_is_told(self):
        whole = operation(1, 101) + operation(2, 102)
        for end in range(len(whole) // 2 + 1, len(whole)):
            found, told = self.lines(spe.file(spe.time_conv(), spe.info(), NAMES, spe.auxtrace(whole[:end])), code=1)
            with self.subTest(end):
                self.assertEqual([line.split()[-1] for line in found], ["401001"] * 3)
                self.assertIn("1 operation is left out", told)

    def test_a_packet_may_go_on_in_the_next_piece(self):
        """Only if the hardware wrote that next; pieces of other places are reported."""
        whole = b"".join(operation(n, 100 + n) for n in range(3))
        head = (spe.time_conv(), spe.info(), NAMES)
        expected = self.lines(spe.file(*head, spe.auxtrace(whole, offset=4096)))[0]
        for cut in range(len(whole)):
            for other in (0, 12):
                pieces = spe.auxtrace(whole[:cut], offset=4096), spe.auxtrace(whole[cut:cut + other], offset=4096 + cut)
                last = spe.auxtrace(whole[cut + other:], offset=4096 + cut + other)
                with self.subTest((cut, other)):
                    self.assertEqual(self.lines(spe.file(*head, *pieces, last))[0], expected)
        apart, told = self.lines(spe.file(*head, spe.auxtrace(whole[:40], offset=4096),
                                          spe.auxtrace(whole[40:], offset=9000)), code=1)
        self.assertLess(len(apart), len(expected))
        self.assertIn("packet", told)

    def test_pieces_that_overlap_are_told(self):
        data = operation(0, 100)
        content = spe.file(spe.time_conv(), spe.info(), NAMES, spe.auxtrace(data, offset=4096),
                           spe.auxtrace(data, offset=4097))
        found, told = self.lines(content, code=1)
        self.assertEqual(len(found), 6)
        self.assertIn("1 piece of trace data overlaps an earlier one", told)

    def test_index_of_other_places(self):
        """Entries past the file, and twice the same: the records are found without it."""
        head = spe.time_conv() + spe.info() + NAMES
        good = spe.file(head, spe.auxtrace(operation(0, 5)))
        for entries, sentence in (([(1 << 40, 48)], "leads to no AUXTRACE record"), ([None, None], "that another has")):
            at = spe.perf_file.HEADER + 2 * (spe.perf_file.ATTR + 24) + len(head)
            index = len(entries).to_bytes(8, "little")
            for entry in entries:
                place, size = entry or (at, 48)
                index += place.to_bytes(8, "little") + size.to_bytes(8, "little")
            content = spe.file(head, spe.auxtrace(operation(0, 5)), indexed=False, features=[(18, index)])
            found, told = self.lines(content, code=1)
            with self.subTest(sentence):
                self.assertEqual(found, self.lines(good)[0])
                self.assertIn(sentence, told)

    def test_a_file_that_ends_in_its_trace_data(self):
        whole = spe.file(spe.time_conv(), spe.info(), NAMES, spe.auxtrace(operation(0, 5) + operation(1, 6)), indexed=False)
        cut = whole[:whole.index(operation(1, 6)) + 12]
        found, told = self.lines(cut, code=1)
        self.assertEqual([line.split()[-1] for line in found], ["401000"] * 3)
        self.assertIn("data that follow a record are longer than what is left", told)
        self.assertIn("1 operation is left out", told)

    def test_without_a_clock_or_times(self):
        data = operation(0, 123456) + operation(1, 123000)
        found, told = self.lines(spe.file(spe.info(), NAMES, spe.auxtrace(data)), code=1)
        self.assertEqual(found[0].split()[0], "0.000123:")
        self.assertIn("no TIME_CONV record", told)
        timeless = [spe.perf_file.attr(1, spe.SPE_PMU, spe.SPE_TYPE & ~spe.TIME)]
        found, _ = self.lines(spe.file(spe.info(), spe.auxtrace(data), attrs=timeless), fields="event,ip")
        self.assertEqual([line.split()[-1] for line in found], ["401000"] * 3 + ["401001"] * 3)

    def test_hostile_descriptions(self):
        """Numbers of CPUs, sizes and queues that the file does not have."""
        data = spe.auxtrace(operation(0, 5), index=0xffffffff) + spe.auxtrace(b"", 1) + spe.auxtrace(b"\0" * 99, 0x7fffffff)
        good = spe.info()
        for at in range(8, len(good), 8):
            for number in (0, 1, 5, 1 << 31, (1 << 64) - 1):
                info = good[:at] + number.to_bytes(8, "little") + good[at + 8:]
                for records in ((spe.time_conv(), info), (spe.time_conv(63, 0xffffffff, 5, (1, 3)), info), (info,)):
                    done = subprocess.run([EVNAME, "annotate", self.path(spe.file(*records, data))], capture_output=True)
                    self.assertIn(done.returncode, (0, 1), (at, number, done.stderr))

    def test_gaps_that_the_recorder_knows_of(self):
        def aux(flags):
            body = (0).to_bytes(8, "little") + (64).to_bytes(8, "little") + flags.to_bytes(8, "little")
            return spe.perf_file.record(spe.AUX, body + spe.trailer(3, 1))
        content = spe.file(spe.time_conv(), spe.info(), NAMES, aux(0), aux(1), aux(9), aux(4), aux(2),
                           spe.auxtrace(operation(0, 5)))
        found, told = self.lines(content)
        self.assertEqual(len(found), 3)
        self.assertIn("2 AUX records say that trace data were lost, as the buffer was full", told)
        self.assertIn("1 AUX record says that samples were lost", told)
        self.assertIn("1 AUX record says that trace data have gaps", told)

    def test_flags_of_branches(self):
        """perf's words for what the packets say (sample_flags_to_name of trace-event-scripting.c, arm_spe__sample_flags); of a
        transaction perf's text has lost the letter, and aligns the rest by the length of the last part."""
        for payload, events, value, text in (
                (0, 0, "jmp", "jmp"), (1, 0x40, "jcc/not_taken/", "jcc/not_taken/"), (1, 0x80, "jcc/miss/", "jcc/miss/"),
                (0, 0xc0, "jmp/miss,not_taken/", "jmp/miss,not_taken/"), (8, 0, "call", "call"), (0x10, 0, "return", "return"),
                (2, 0, "return", "return"), (0x18, 0, "jmp", "jmp"), (9, 0, "bco", "bco"), (9, 0x80, "/miss/", "/miss/"),
                (1, 0x10000, "jcc(x)", "jcc" + "()".rjust(18)), (1, 0x10040, "jcc/not_taken/(x)", "jcc/not_taken/" + "()".rjust(20))):
            data = operation(0, 5, spe.operation(spe.BRANCH, payload), spe.events(events), spe.address(spe.TARGET, 0x401234, 0))
            path = self.path(spe.file(spe.time_conv(), spe.info(), NAMES, spe.auxtrace(data)))
            with self.subTest((payload, events)):
                for kinds in ("b", "i1i"):
                    printed = self.run_it("script", "-i", path, f"--itrace={kinds}", "-F", "misc,flags").stdout
                    self.assertEqual(printed, f"        {text.ljust(21)} \n")
                    found = self.run_it("annotate", "--json", path, f"--itrace={kinds}", "-F", "flags").stdout
                    self.assertEqual(json.loads(found), {"flags": value})
        load = self.path(spe.file(spe.time_conv(), spe.info(), NAMES, spe.auxtrace(operation(0, 5))))
        found = self.run_it("annotate", "--json", load, "--itrace=M", "-F", "flags").stdout
        self.assertEqual(json.loads(found), {"flags": None})

    def test_vector_instructions(self):
        """The key simd, in perf's words (arm_spe__synth_simd_flags of arm-spe.c); "-" where perf has nothing."""
        for packet, events, expected in (
                ((spe.OTHER, 0x08), 0, "[d] SVE"), ((spe.OTHER, 0x0c), 0, "[f] SVE"), ((spe.OTHER, 0x0c), 1 << 17, "[p] SVE"),
                ((spe.OTHER, 0x0c), 1 << 18, "[e] SVE"), ((spe.OTHER, 0x08), 1 << 17, "[d] SVE"), ((spe.OTHER, 0x88), 0, "[.] SME"),
                ((spe.OTHER, 0x88), 1 << 17, "[p] SME"), ((spe.OTHER, 0x04), 0, "[.] ASE"), ((spe.LOAD_STORE, 0x04), 0, "[.] ASE"),
                ((spe.LOAD_STORE, 0x08), 0, "[d] SVE"), ((spe.LOAD_STORE, 0x0c), 0, "[f] SVE"), ((spe.LOAD_STORE, 0), 1 << 18, None),
                ((spe.BRANCH, 0x10), 0, "[d] SVE"), ((spe.BRANCH, 0x08), 0, "[.] ASE"), ((spe.OTHER, 0), 0, None)):
            data = spe.auxtrace(operation(0, 5, spe.operation(*packet), spe.events(events)))
            path = self.path(spe.file(spe.time_conv(), spe.info(), NAMES, data))
            with self.subTest((packet, events)):
                rows = self.run_it("report", "--json", "--itrace=i1i", "--sort", "simd", path).stdout.splitlines()
                self.assertEqual([json.loads(row)["simd"] for row in rows], [expected])

    def test_traces_of_other_hardware(self):
        """PERF_AUXTRACE_*. Each subcommand reports them, of a file and of what perf writes to a pipe."""
        def info(kind):
            return spe.perf_file.record(spe.AUXTRACE_INFO, kind.to_bytes(4, "little") + bytes(28))
        def told_by(*words):  # with whatever exit code: there are no samples
            return subprocess.run([EVNAME, *words], capture_output=True, text=True).stderr
        data = spe.auxtrace(operation(0, 5))
        outputs = pathlib.Path(self.path(b"")).parent
        subcommands = (["script", "-i"], ["annotate"], ["report"], ["info"], ["info", "--records"], ["buildid-list", "-i"],
                       ["export", "--format", "speedscope", "-o", "-"],
                       ["split", "--by", "event", "-o", outputs / "parts"], ["inject", "-o", outputs / "copy.data", "--force"])
        for kind, name in ((1, "Intel PT"), (2, "Intel BTS"), (3, "CoreSight"), (5, "s390's CPU-MF"), (6, "HiSilicon PTT"),
                           (7, "POWER's dispatch trace log"), (99, "unknown hardware")):
            content = spe.file(info(kind), data)
            pipe = spe.perf_file.pipe(info(kind) + data, [spe.perf_file.attr(0, 0, spe.SPE_TYPE)])
            for path in (self.path(content), self.path(pipe)):
                for words in subcommands if kind == 1 else subcommands[:1]:
                    with self.subTest((kind, words)):
                        told = told_by(*words, path)
                        self.assertEqual(told.count(f"the trace data of {name} are not decoded"), 1, told)
                for words in subcommands[0], subcommands[1], subcommands[2], subcommands[6]:
                    with self.subTest((kind, words, "--itrace")):
                        told = self.run_it(*words, path, "--itrace=bl", code=2).stderr
                        self.assertIn(f"has trace data of {name}, which evname does not decode", told)
                        self.assertNotIn("trace data", told_by(*words, path, "--no-itrace"))
        nothing = spe.perf_file.pipe(b"", [spe.perf_file.attr(0, 0, spe.SPE_TYPE)])
        for content in (spe.file(spe.time_conv(), spe.info(), data), nothing):
            for words in subcommands:
                self.assertNotIn("not decoded", told_by(*words, self.path(content)))

    def test_a_later_conversion_of_times(self):
        """A TIME_CONV record counts wherever it is: it says that a tick is 3 ns."""
        for records in ([spe.time_conv(mult=3), spe.info()], [spe.info(), spe.time_conv(mult=3)]):
            found, told = self.lines(spe.file(*records, NAMES, spe.auxtrace(operation(0, 1000))))
            self.assertIn("0.000003:", found[0])
            self.assertNotIn("TIME_CONV", told)
        found, told = self.lines(spe.file(spe.info(), NAMES, spe.auxtrace(operation(0, 1000)), spe.time_conv(mult=3)))
        self.assertIn("0.000003:", found[0])
        self.assertNotIn("TIME_CONV", told)

    def test_mistakes_in_letters(self):
        path = self.path(spe.file(spe.info()))
        for letters in ("v", "i10us", "l0", "l9999", "s", "e+1", "bk"):
            with self.subTest(letters):
                self.assertIn(letters, self.run_it("annotate", path, "--itrace=" + letters, code=2).stderr)

    # Other uses of samples.

    def test_formats_and_keys(self):
        ops = b"".join(operation(n, 100 + n) for n in range(4)) + operation(9, 109, spe.operation(spe.BRANCH, 1),
                                                                            spe.address(spe.TARGET, 0x402000, 0))
        content = spe.file(spe.time_conv(), spe.info(), NAMES, spe.auxtrace(spe.context(1) + ops),
                           spe.cycles(102, 0x401500))
        path = self.path(content)
        rows = [json.loads(line) for line in self.run_it("annotate", path, "--json").stdout.splitlines()]
        self.assertEqual([row["event"] for row in rows], ["l1d-access", "memory", "instructions"] * 2 + ["cycles"] +
                         ["l1d-access", "memory", "instructions"] * 2 + ["branch", "instructions"])
        table = list(csv.DictReader(io.StringIO(self.run_it("annotate", path, "--format", "csv").stdout)))
        self.assertEqual([row["event"] for row in table], [row["event"] for row in rows])
        folded = self.run_it("annotate", path, "--format", "folded").stdout
        self.assertEqual(sum(int(line.split()[-1]) for line in folded.splitlines()), len(rows))
        counts = {}
        for line in self.run_it("report", path, "--json").stdout.splitlines():
            row = json.loads(line)
            if row.get("samples"):
                counts[row["event"]] = row["samples"]
        self.assertEqual(counts, {"l1d-access": 4, "memory": 4, "instructions": 5, "branch": 1, "cycles": 1})
        for format in ("pprof", "speedscope", "firefox", "otlp", "perfetto"):
            out = self.folder / ("out." + format)
            self.run_it("export", path, "--format", format, "-o", str(out))
            written = out.read_bytes()
            if written.startswith(b"\x1f\x8b"):
                written = gzip.decompress(written)
            self.assertIn(b"l1d-access", written, format)

    def test_filters(self):
        kinds = [(spe.LOAD_STORE, 0), (spe.LOAD_STORE, 1), (spe.BRANCH, 0), (spe.OTHER, 0)]
        data = b"".join(operation(n, 100 + n, spe.operation(*kind), spe.counter(spe.TOTAL, 10 * n))
                        for n, kind in enumerate(kinds))
        content = spe.file(spe.time_conv(), spe.info(), NAMES, spe.auxtrace(data))
        for arguments, expected in ((["--min-latency", "20"], ["branch 401002", "instructions 401002", "instructions 401003"]),
                                    (["--op", "load"], ["memory 401000", "instructions 401000"]),
                                    (["--op", "store", "--event", "memory"], ["memory 401001"]),
                                    (["--op", "branch,load", "--event", "[mb]*"], ["memory 401000", "branch 401002"])):
            found = self.lines(content, *arguments, fields="event,ip")[0]
            with self.subTest(arguments):
                self.assertEqual([line.replace(":", "") for line in found], expected)
                rows = self.run_it("report", self.path(content), "--json", *arguments).stdout.splitlines()
                self.assertEqual(sum(json.loads(row).get("samples", 0) for row in rows
                                     if json.loads(row).get("event")), len(expected))
        self.lines(content, "--op", "prefetch", code=1)
        self.run_it("annotate", self.path(content), "--op", "jump", code=2)
        self.run_it("annotate", self.path(content), "--min-latency", "much", code=2)

    def test_memory_accesses_count_once(self):
        data = b"".join(operation(n, 100 + n, spe.operation(spe.LOAD_STORE, n % 2), spe.events(0x14), spe.counter(spe.TOTAL, 64),
                                  spe.address(spe.DATA, 0x5000 + 8 * (n % 3))) for n in range(6))
        path = self.path(spe.file(spe.time_conv(), spe.info(), NAMES, spe.auxtrace(data)))
        rows = [json.loads(line) for line in self.run_it("report", path, "--sort", "op", "--json").stdout.splitlines()]
        self.assertEqual(sum(row.get("samples", 0) for row in rows), 6 * 4)  # l1d-access, tlb-access, memory, instructions
        rows = [json.loads(line) for line in self.run_it("report", path, "--mem", "--sort", "op", "--json").stdout.splitlines()]
        self.assertEqual({row["op"]: row["samples"] for row in rows if row.get("op")}, {"LOAD": 3, "STORE": 3})
        self.run_it("report", path, "--c2c")

    def test_standard_input(self):
        """The data come after records of later times, and after more than a buffer of them."""
        head = spe.time_conv() + spe.info() + NAMES
        later = b"".join(spe.cycles(200 + n, 0x401000) for n in range(5000))
        records = head + later + spe.auxtrace(operation(0, 100) + operation(1, 2000))
        pipe = spe.perf_file.pipe(records, spe.attrs())
        with open(self.path(pipe), "rb") as stream:
            done = self.run_it("annotate", "-", "-F", "time,event", stdin=stream)
        events = [line.split()[-1] for line in done.stdout.splitlines()]
        self.assertEqual(events[:3], ["l1d-access:", "memory:", "instructions:"])
        self.assertEqual([i for i, event in enumerate(events) if event == "memory:"], [1, 1805])


if __name__ == "__main__":
    unittest.main()
