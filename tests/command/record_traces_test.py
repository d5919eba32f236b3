#!/usr/bin/env python3
"""evname record with events whose hardware writes a trace (AUX), on a faked kernel (support/fake_traces.py): the trace that
the file has is the one that was written, however often its area wrapped. Where EVNAME_PERF_ORACLE has a perf 7.3, it reads the
files, too. Usage: record_traces_test.py EVNAME"""

import functools
import json
import mmap
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import fake_counters
import fake_traces
import spe_file as spe

EVNAME = sys.argv[1]
PERF = pathlib.Path(os.environ.get("EVNAME_PERF_ORACLE", "/nonexistent"), "perf")
SPE, PT, BTS, PTT = 9, 8, 7, 11
MIDR = 0x410FD0C0
DEVICES = "sys/bus/event_source/devices/"
FIELDS = {  # as the drivers have them
    "arm_spe_0": {"ts_enable": "config:0", "pa_enable": "config:1", "load_filter": "config:33", "min_latency": "config2:0-11"},
    "intel_pt": {"pt": "config:0", "cyc": "config:1", "mtc": "config:9", "tsc": "config:10", "noretcomp": "config:11",
                 "branch": "config:13", "mtc_period": "config:14-17", "psb_period": "config:24-27"},
    "intel_bts": {},
    "hisi_ptt2_0": {"type": "config:0-3"},
    "cs_etm": {"timestamp": "config:28"},
}
NUMBERS = {"arm_spe_0": SPE, "intel_pt": PT, "intel_bts": BTS, "hisi_ptt2_0": PTT, "cs_etm": 12}

MEMORY = ["--json", "--event", "memory", "-F", "ip,tid,cpu"]


def tree():
    files = {"sys/devices/system/cpu/online": "0-1", "sys/devices/system/cpu/possible": "0-1", "cpuinfo": "processor : 0",
             DEVICES + "software/type": "1", DEVICES + "arm_spe_0/cpumask": "0-1", DEVICES + "arm_spe_0/caps/min_interval": "1024",
             DEVICES + "arm_spe_0/caps/event_filter": "0xfe", DEVICES + "intel_pt/max_nonturbo_ratio": "36",
             DEVICES + "intel_pt/caps/event_trace": "1", DEVICES + "hisi_ptt2_0/cpumask": "0"}
    for cpu in (0, 1):
        files[f"sys/devices/system/cpu/cpu{cpu}/regs/identification/midr_el1"] = f"{MIDR + cpu:#018x}"
    for pmu, number in NUMBERS.items():
        files[f"{DEVICES}{pmu}/type"] = str(number)
        files |= {f"{DEVICES}{pmu}/format/{name}": bits for name, bits in FIELDS[pmu].items()}
    return files


def trailer(time):
    """sample_id_all of IDENTIFIER, TID, TIME and CPU."""
    return struct.pack("<iiQIIQ", 1, 1, time, 0, 0, fake_counters.FIRST_FILE)


def load(n, time):
    return spe.address(spe.PC, 0x401000 + n, 0) + spe.operation(spe.LOAD_STORE, 0) + spe.events(4) + spe.timestamp(time)


def loads(cpu, count, each=200):
    """Pieces of some operations, each with its own address."""
    numbers = range(cpu * 0x100000, cpu * 0x100000 + count)
    return [(spe.context(77) + b"".join(load(n, 1000 + 2 * (n & 0xFFFFF) + cpu) for n in numbers[at:at + each]),
             trailer(1000 + 2 * at)) for at in range(0, count, each)]


def records(path):
    """The records of the file, and the trace after each."""
    content = path.read_bytes()
    at, end = struct.unpack_from("<QQ", content, 40)
    end += at
    while at < end:
        kind, misc, size = struct.unpack_from("<IHH", content, at)
        more = struct.unpack_from("<Q", content, at + 8)[0] if kind == spe.AUXTRACE else 0
        yield kind, at, content[at + 8:at + size], content[at + size:at + size + more]
        at += size + more


def words(data):
    return struct.unpack(f"<{len(data) // 8}Q", data)


@unittest.skipIf(fake_counters.why_not(), fake_counters.why_not())
class Traces(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.file = self.folder / "perf.data"
        fake_counters.write_tree(self.folder, tree())

    def record(self, pieces, *arguments, kind=SPE, event="arm_spe_0//", code=0, **machine):
        faked = fake_traces.Machine(self.folder, kind, dict(pieces), **machine)
        waits = ["sh", "-c", f"until [ -e {self.folder}/done ]; do sleep 0.02; done"]
        done = faked.run(EVNAME, "record", "-e", event, "-o", str(self.file), *arguments, "--", *waits)
        self.assertEqual(done.returncode, code, done.stderr)
        self.opened = faked.opened
        return done.stderr

    def lines(self, program, *arguments):
        done = subprocess.run([program, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def samples(self):
        lines = self.lines(EVNAME, "annotate", str(self.file), *MEMORY)
        return [json.loads(line) for line in lines]

    def test_every_operation_is_a_sample_however_often_the_area_wraps(self):
        told = self.record({0: loads(0, 6000), 1: loads(1, 3000)}, "-m", "8,2")
        found = self.samples()
        expected = sorted([0x401000 + n for n in range(6000)] + [0x501000 + n for n in range(3000)])
        self.assertEqual(sorted(int(row["ip"], 16) for row in found), expected)
        self.assertEqual({row["tid"] for row in found}, {77})
        traces = [(body, data) for kind, _, body, data in records(self.file) if kind == spe.AUXTRACE]
        self.assertGreater(len(traces), 20)  # 170 KB through areas of 8 KB
        size = sum(len(data) for pieces in (loads(0, 6000), loads(1, 3000)) for data, _ in pieces)
        self.assertIn(f"and {size / 1e6:.2f} MB of traces", told)
        for cpu in (0, 1):
            own = [struct.unpack_from("<QQQIii", body)[:2] for body, _ in traces if struct.unpack_from("<i", body, 32)[0] == cpu]
            for (size, offset), (_, following) in zip(own, own[1:]):
                self.assertIn(offset + size - following, range(8))  # filled up to a multiple of 8

    def test_the_description_is_perfs(self):
        """AUXTRACE_INFO and TIME_CONV; the attr that perf opens; the index of the trace."""
        self.record({0: loads(0, 10)}, event="arm_spe_0/load_filter=1/")
        kinds = {kind: body for kind, _, body, _ in records(self.file)}
        self.assertEqual(words(kinds[spe.TIME_CONV]), (0, 1, 0, 0, 0, 1))
        one = lambda cpu: (0x1010101010101010, cpu, 4, MIDR + cpu, SPE, 1024, 0xFE)
        self.assertEqual(words(kinds[spe.AUXTRACE_INFO]), (spe.SPE, 2, 4, SPE, 2, *one(0), *one(1)))
        event = next(one for one in self.opened if one.type == SPE)
        self.assertEqual(event.config, 1 << 33 | 1)
        self.assertGreater(event.thread, 0)  # the command's, not whatever runs on the CPUs of the PMU
        info = self.lines(EVNAME, "info", "-v", str(self.file))
        attr = next(line for line in info if line.startswith("event : name = arm_spe_0"))
        for part in ("{ sample_period, sample_freq } = 1024", "DATA_SRC", "CPU", "inherit = 1"):
            self.assertIn(part, attr)
        self.assertNotIn("freq = 1", attr)
        self.assertNotIn("exclude_guest", attr)
        tracker = next(line for line in info if line.startswith("event : name = dummy:u"))
        for part in ("context_switch = 1", "mmap2 = 1", "sample_id_all = 1"):
            self.assertIn(part, tracker)

    def test_a_pmu_without_a_list_of_cpus_has_all(self):
        (self.folder / DEVICES / "arm_spe_0/cpumask").unlink()
        self.record({0: loads(0, 10)})
        (body,) = (body for kind, _, body, _ in records(self.file) if kind == spe.AUXTRACE_INFO)
        self.assertEqual(words(body)[5 + 4::7], (SPE, SPE))

    def test_terms_of_the_user_stay(self):
        self.record({0: loads(0, 10)}, event="arm_spe_0/ts_enable=0,pa_enable=1,period=4096/")
        self.assertEqual(next(one for one in self.opened if one.type == SPE).config, 2)
        attr = next(line for line in self.lines(EVNAME, "info", "-v", str(self.file)) if "name = arm_spe_0" in line)
        self.assertIn("{ sample_period, sample_freq } = 4096", attr)
        self.assertIn("PHYS_ADDR", attr)

    def test_the_event_with_the_trace_is_first(self):
        """Its buffer is the CPU's; other events keep their groups and their rates."""
        self.record({0: loads(0, 10)}, event="{cpu-clock:u,page-faults:u}:S,arm_spe_0//")
        names = [line.split(",")[0] for line in self.lines(EVNAME, "info", "-v", str(self.file)) if line.startswith("event :")]
        self.assertEqual([name.split(" = ")[1] for name in names],
                         ["arm_spe_0//", "cpu-clock:u", "page-faults:u", "dummy:u"])
        self.assertIn("group: {cpu-clock:u,page-faults:u}", "\n".join(self.lines(EVNAME, "info", "-v", str(self.file))))

    def test_a_group_that_a_trace_leads_is_sampled_by_the_next_event(self):
        """evsel__read_sampler of perf's util/record.c; the rate is perf's own."""
        self.record({0: [(bytes(64), b"")]}, kind=PT, event="{intel_pt//,page-faults:u,cpu-clock:u}:S")
        rates = {(one.type, one.config): one.period for one in self.opened}
        self.assertEqual((rates[1, 2], rates[1, 0]), (4000, 0))
        self.assertEqual([one.period for one in self.opened if one.type == PT], [0, 0])

    def test_what_the_kernel_truncated_is_told(self):
        told = self.record({0: loads(0, 600), 1: loads(1, 10)}, truncated={(0, 1), (1, 0)})
        self.assertIn("2 pieces of traces found no room; -m ,PAGES gives them more pages", told)

    def test_a_pipe_and_compressed_records(self):
        self.record({0: loads(0, 1000)}, "-z")
        self.assertEqual(len(self.samples()), 1000)
        faked = fake_traces.Machine(self.folder, SPE, {0: loads(0, 1000)})
        shell = f"{EVNAME} record -q -e arm_spe_0// -o - -- sh -c 'until [ -e {self.folder}/done ]; do sleep 0.02; done' > {self.file}"
        done = faked.run("sh", "-c", shell)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.samples()), 1000)

    def test_what_fits_on_a_full_disk_is_whole(self):
        """The limit on sizes of files stands for the disk: writing fails in the middle of a trace."""
        faked = fake_traces.Machine(self.folder, SPE, {0: loads(0, 6000)})
        waits = f"until [ -e {self.folder}/done ]; do sleep 0.02; done"
        shell = f"trap '' XFSZ; ulimit -f 100; exec {EVNAME} record -m 8,4 -e arm_spe_0// -o {self.file} -- sh -c '{waits}'"
        done = faked.run("bash", "-c", shell)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("File too large", done.stderr)
        traces = [(struct.unpack_from("<Q", body)[0], data) for kind, _, body, data in records(self.file) if kind == spe.AUXTRACE]
        self.assertGreater(len(traces), 1)
        self.assertEqual([size for size, _ in traces], [len(data) for _, data in traces])
        self.assertGreater(len(self.samples()), 1000)

    def test_each_of_several_files_is_complete(self):
        told = self.record({0: loads(0, 20000)}, "-m", "8,8", "--switch-output=128K", "-q")
        self.assertEqual(told, "")
        files = sorted(self.folder.glob("perf.data.*"))
        self.assertGreater(len(files), 2)
        found = []
        for self.file in files:
            # A file that begins when the last of the trace was written has none of it.
            if "recording has no samples" in subprocess.run([EVNAME, "annotate", self.file, *MEMORY], capture_output=True, text=True).stderr:
                continue
            found += [int(row["ip"], 16) for row in self.samples()]
        self.assertEqual(sorted(found), [0x401000 + n for n in range(20000)])

    def wait_for(self, trace):
        """Until the file has the end of a piece of trace; the recorder may not even have begun the file."""
        late = time.monotonic() + 30
        while not self.file.exists() or trace[-400:] not in self.file.read_bytes():
            self.assertLess(time.monotonic(), late)
            time.sleep(0.001)

    def snapshots(self, pieces, *arguments, **machine):
        """Records with a snapshot by SIGUSR2 wherever `pieces` of CPU 0 has None, and returns their bytes in order."""
        def ask(at, pid):
            os.kill(pid, signal.SIGUSR2)
            self.wait_for(pieces[at - 1][0])
        self.file.unlink(missing_ok=True)  # an earlier one has the same traces
        self.told = self.record({0: [(functools.partial(ask, at), b"") if piece is None else piece for at, piece in enumerate(pieces)]},
                                *arguments, **machine)
        return [(struct.unpack_from("<Q", body, 8)[0], data[:struct.unpack_from("<Q", body)[0]])
                for kind, _, body, data in records(self.file) if kind == spe.AUXTRACE]

    def test_snapshots_have_the_newest_part(self):
        whole = b"".join(data for data, _ in loads(0, 4000))
        size, page = len(loads(0, 200)[0][0]), mmap.PAGESIZE
        for arguments, pieces, expected in [
                (["-Se"], loads(0, 400), [whole[:2 * size]]),  # at the end alone
                (["-S"], loads(0, 400), []),
                (["-S"], [*loads(0, 400), None, *loads(0, 600)[2:]], [whole[:2 * size]]),
                (["-Se"], [*loads(0, 400), None, *loads(0, 600)[2:]], [whole[:2 * size], whole[2 * size:3 * size]]),
                (["-Se1K"], loads(0, 400), [whole[2 * size - 1024:2 * size]]),
                (["-Se0x400", "-m", "8,4"], loads(0, 4000), [whole[-1024:]]),
                (["-Se", "-m", "8,4"], loads(0, 4000), [whole[-4 * page:]]),  # the area has wrapped
                (["-Se", "-m", "8,4"], [*loads(0, 3000), None, *loads(0, 4000)[15:]], [whole[:15 * size][-4 * page:], whole[-4 * page:]])]:
            with self.subTest(arguments=arguments):
                found = self.snapshots(pieces, *arguments)
                self.assertEqual([data.rstrip(b"\0") for _, data in found], [data.rstrip(b"\0") for data in expected])
                self.assertEqual("no snapshot was taken: SIGUSR2 asks for one, and -Se takes one at the end" in self.told,
                                 not expected)
                for _, data in found:
                    self.assertEqual(len(data) % 8, 0)
        self.assertNotIn("warning", self.told)

    def test_snapshots_are_read_as_samples(self):
        """Also those that begin inside an operation."""
        self.snapshots(loads(0, 4000), "-Se", "-m", "8,4")
        found = [int(row["ip"], 16) - 0x401000 for row in self.samples()]
        whole = 4 * mmap.PAGESIZE // len(load(0, 1000))
        self.assertIn(len(found), range(whole - 8, whole + 1))
        self.assertEqual(found, list(range(4000 - len(found), 4000)))
        told = subprocess.run([EVNAME, "report", str(self.file)], capture_output=True, text=True).stderr
        self.assertIn("20 AUX records say that older trace data were overwritten", told)
        self.assertNotIn("warning", told)

    @unittest.skipUnless(PERF.exists(), "no perf")
    def test_perf_reads_snapshots(self):
        """Also two that share operations."""
        for pieces in (loads(0, 400), [*loads(0, 400), None, *loads(0, 600)[2:]], loads(0, 4000),
                       [*loads(0, 3000), None, *loads(0, 4000)[15:]]):
            self.snapshots(pieces, "-Se", "-m", "8,4")
            fields = "--itrace=M", "-F", "tid,time,ip"
            script = self.lines(PERF, "script", "-i", str(self.file), *fields)
            self.assertGreater(len(script), 390)
            # perf makes a sample of what is left of an operation, too, here one without its address.
            self.assertEqual([line.split() for line in script if not line.endswith(" 0")],
                             [line.split() for line in self.lines(EVNAME, "script", "-i", str(self.file), *fields)])

    def test_orders_ask_for_snapshots(self):
        orders = self.folder / "orders"
        os.mkfifo(orders)
        def ask(_):
            with open(orders, "w") as to:
                to.write("snapshot\n")
            self.wait_for(loads(0, 200)[0][0])
        self.record({0: [*loads(0, 200), (ask, b""), *loads(0, 400)[1:]]}, "-S", "--control", f"fifo:{orders}")
        self.assertEqual(len(self.samples()), 200)

    def test_intel_pt_and_others_are_described(self):
        data = [(bytes(range(200)), b"")]
        cases = [
            ("intel_pt//", PT, 0, [], (1, PT, 0, 1, 0, 1, 1 << 10, 1 << 11, 2, 0, 1, 1 << 9, 15 << 14, None, None, 2, 36, 0, 1)),
            ("intel_pt//", PT, -1, ["--per-thread"],
             (1, PT, 0, 1, 0, 1, 1 << 10, 1 << 11, 0, 0, 0, 1 << 9, 15 << 14, None, None, 2, 36, 0, 1)),
            ("intel_pt//", PT, 0, ["-Se"], (1, PT, 0, 1, 0, 1, 1 << 10, 1 << 11, 2, 1, 1, 1 << 9, 15 << 14, None, None, 2, 36, 0, 1)),
            ("intel_bts//", BTS, -1, ["--per-thread"], (2, BTS, 0, 1, 0, 1, 0)),
            ("intel_bts//", BTS, -1, ["--per-thread", "-Se"], (2, BTS, 0, 1, 0, 1, 1)),
            ("hisi_ptt2_0/type=1/", PTT, 0, ["-a"], (6, PTT)),
        ]
        for event, kind, cpu, arguments, expected in cases:
            with self.subTest(event=event, arguments=arguments):
                self.record({cpu: list(data)}, *arguments, kind=kind, event=event)
                found = [(number, body, data) for number, _, body, data in records(self.file)
                         if number in (spe.AUXTRACE_INFO, spe.AUXTRACE)]
                info = words(found[0][1])
                self.assertEqual(len(info), len(expected))
                for got, wanted in zip(info, expected):
                    self.assertIn(wanted, (got, None))
                self.assertEqual(found[1][2], data[0][0])
                size, offset, _, _, _, its_cpu = struct.unpack_from("<QQQIii", found[1][1])
                self.assertEqual((size, offset, its_cpu), (200, 0, cpu))

    def test_what_cant_be_recorded_is_told(self):
        for arguments, event, told in [
                (["-k", "monotonic"], "arm_spe_0//", "a trace can't have times of another clock"),
                ([], "cs_etm/@tmc_etr0/u", "perf record -e cs_etm/@tmc_etr0/ does, and a perf with libopencsd decodes it"),
                (["-S"], "hisi_ptt2_0//", "has no snapshots"),
                (["-S"], "page-faults", "no event has a trace to take snapshots of"),
                (["-S64K", "-m", ",8"], "arm_spe_0//", "snapshots of 65536 bytes are larger than the area, which has 32768"),
                (["-Sx"], "arm_spe_0//", "'x' is not a size up to 4G"),
                (["-S4G"], "page-faults", "no event has a trace to take snapshots of"),
                (["-S4294967297"], "arm_spe_0//", "'4294967297' is not a size up to 4G"),
                ([], "{intel_pt//,page-faults/aux-sample-size=4096/}", "does not record with aux-sample-size"),
                ([], "{intel_pt//,page-faults/aux-output/}", "does not record with aux-output"),
                ([], "page-faults/overwrite/", "does not record with overwrite"),
                (["--aux-sample"], "intel_pt//", "perf record has --aux-sample"),
                ([], "intel_bts//", "traces threads, not CPUs"),
                ([], "intel_pt//,arm_spe_0//", "one kind of trace at a time"),
                (["-m", "8,x"], "arm_spe_0//", "is not a number of pages")]:
            with self.subTest(told):
                self.assertIn(told, self.record({}, *arguments, event=event, code=2))

    @unittest.skipUnless(PERF.exists(), "no perf")
    def test_perf_reads_the_same_samples(self):
        self.record({0: loads(0, 3000), 1: loads(1, 3000)}, "-m", "8,4")
        script = self.lines(PERF, "script", "-i", str(self.file), "--itrace=M", "-F", "tid,time,ip")
        self.assertEqual([line.split() for line in script],
                         [line.split() for line in self.lines(EVNAME, "script", "-i", str(self.file), "--itrace=M", "-F",
                                                              "tid,time,ip")])
        self.assertEqual(len(script), 6000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
