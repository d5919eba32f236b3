#!/usr/bin/env python3
"""evname.h from Python, with nothing but ctypes. Usage: ctypes_test.py LIBRARY SOURCE_ROOT VERSION"""

import collections
import concurrent.futures
import ctypes as c
import csv
import gzip
import os
import pathlib
import re
import sys
import tarfile
import tempfile
import unittest

LIB, ROOT, VERSION = c.CDLL(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
DATA = ROOT / "tests" / "data"
SHARED = os.environ.get("EVNAME_SHARED")
OK = 0
WORDS = ("config", "config1", "config2", "sample_period")


def struct(title, /, **fields):
    return type(title, (c.Structure,), {"_fields_": list(fields.items())})


TEXT, U64, U32, I32 = c.c_char_p, c.c_uint64, c.c_uint32, c.c_int32
Error = struct("Error", status=I32, padding=U32, offset=U64, message=c.c_char * 320,
               where=c.c_char * 256, hint=c.c_char * 256)
Model = struct("Model", arch=TEXT, name=TEXT, events=U64, reserved=U64 * 5)
MachineOptions = struct("MachineOptions", sysfs=TEXT, procfs=TEXT, events=TEXT, flags=U32, padding=U32, reserved=U64 * 4)
Code = struct("Code", config=U64 * 5, type=U32, has_type=U32)
Attr = struct("Attr", pmu=TEXT, code=Code, period=U64, bp_type=U32, flags=U32, precise_ip=U32,
              leader=U32, aux_action=U32, padding=U32, reserved=U64 * 3)
RecordedEvent = struct("RecordedEvent", name=TEXT, recorded_name=TEXT, modifiers=TEXT, pmu=TEXT,
                       ids=c.POINTER(U64), ids_count=c.c_size_t, code=Code, sample_type=U64,
                       exact=I32, named_by=U32, user_register_mask=U64, interrupt_register_mask=U64,
                       reserved=U64 * 2)


def sample_members():
    """The numbers and lists of struct evname_sample."""
    types = {"int32_t": I32, "uint32_t": U32, "uint64_t": U64, "size_t": c.c_size_t, "const uint64_t*": c.POINTER(U64)}
    header = (ROOT / "runtime/include/evname/recordings.h").read_text()
    members, = re.findall(r"size_t raw_size;(.*?)uint64_t reserved", header, re.S)
    for type, name in re.findall(r"^ +([\w* ]+) (\w+);", members, re.M):
        yield name, types[type]


Sample = struct("Sample", event=U64, fields=U64, comm=TEXT, cgroup_path=TEXT, raw=c.c_void_p, raw_size=c.c_size_t,
                **dict(sample_members()), reserved=U64 * 8)
Tally = struct("Tally", samples=U64, unknown_ids=U64, malformed=U64, lost=U64, reserved=U64 * 4)

for function in ("evname_version", "evname_exact_name", "evname_samples_warning"):
    getattr(LIB, function).restype = TEXT
LIB.evname_model_count.restype = c.c_size_t
LIB.evname_recorded_event_count.restype = c.c_size_t
for function in ("evname_machine_free", "evname_recording_free", "evname_samples_free"):
    getattr(LIB, function).argtypes = [c.c_void_p]
    getattr(LIB, function).restype = None


class Failure(Exception):
    def __init__(self, error):
        super().__init__(error.message.decode())
        self.status, self.offset, self.hint = error.status, error.offset, error.hint.decode()


def opened(function, *arguments):
    handle, error = c.c_void_p(), Error()
    if function(*arguments, c.byref(handle), c.byref(error)) != OK:
        raise Failure(error)
    return handle


class Machine:
    def __init__(self, cpu, sysfs=None):
        options = MachineOptions(sysfs=sysfs and str(sysfs).encode())
        self.handle = opened(LIB.evname_machine_open, cpu.encode(), c.byref(options))

    def __del__(self):
        if hasattr(self, "handle"):
            LIB.evname_machine_free(self.handle)

    def resolve(self, text, room=64):
        attrs, count, error = (Attr * room)(), c.c_size_t(), Error()
        if LIB.evname_resolve(self.handle, text.encode(), attrs, c.c_size_t(room), c.byref(count),
                              c.byref(error)) != OK:
            raise Failure(error)
        return attrs[:min(room, count.value)]

    def exact_name(self, type, config):
        code = Code(config=(config,), type=type, has_type=1)
        return LIB.evname_exact_name(self.handle, None, c.byref(code)).decode()


def samples_of(path):
    """(comm, pid, tid, time, recorded name) of each."""
    recording = opened(LIB.evname_recording_open, str(path).encode())
    names = []
    for i in range(LIB.evname_recorded_event_count(recording)):
        event = RecordedEvent()
        assert LIB.evname_recorded_event_at(recording, c.c_size_t(i), c.byref(event)) == OK
        names.append(event.recorded_name.decode())
    samples, sample = opened(LIB.evname_samples_open, recording, U32(0)), Sample()
    while LIB.evname_samples_next(samples, c.byref(sample)) == 1:
        yield sample.comm.decode(), sample.pid, sample.tid, sample.time, names[sample.event]
    LIB.evname_samples_free(samples)
    LIB.evname_recording_free(recording)


def records_of(path):
    """How many sample records there are."""
    recording, tally, sample = opened(LIB.evname_recording_open, path.encode()), Tally(), Sample()
    samples = opened(LIB.evname_samples_open, recording, U32(0))
    LIB.evname_recording_free(recording)
    while LIB.evname_samples_next(samples, c.byref(sample)) == 1:
        pass
    LIB.evname_samples_tally(samples, c.byref(tally))
    LIB.evname_samples_free(samples)
    return tally.samples + tally.unknown_ids + tally.malformed


def add_memory_controllers(tree, count):
    for i in range(count):
        pmu = tree / "bus" / "event_source" / "devices" / f"uncore_imc_{i}"
        (pmu / "format").mkdir(parents=True)
        (pmu / "type").write_text(f"{20 + i}\n")
        (pmu / "cpumask").write_text("0\n")
        (pmu / "format" / "event").write_text("config:0-7\n")
        (pmu / "format" / "umask").write_text("config:8-15\n")


class Library(unittest.TestCase):
    def test_the_version_is_the_projects(self):
        self.assertEqual(LIB.evname_version().decode(), VERSION)

    def test_models_are_in_order(self):
        models = []
        for i in range(LIB.evname_model_count()):
            model = Model()
            self.assertEqual(LIB.evname_model_at(c.c_size_t(i), c.byref(model)), OK)
            models.append((model.arch, model.name))
        self.assertEqual(models, sorted(models))
        self.assertIn((b"x86", b"skylakex"), models)


class Resolve(unittest.TestCase):
    # Codes: Intel SDM, volume 3 (D1H/20H).
    def test_names_and_codes(self):
        machine = Machine("skylakex")
        (attr,) = machine.resolve("mem_load_retired.l3_miss")
        self.assertEqual((attr.pmu, attr.code.type, attr.code.has_type, attr.code.config[0], attr.period),
                         (b"cpu", 4, 1, 0x20D1, 100007))
        self.assertEqual(machine.exact_name(type=4, config=0x20D1), "mem_load_retired.l3_miss")

    def test_errors_are_structs(self):
        with self.assertRaises(Failure) as caught:
            Machine("skylakex").resolve("cycles,cpu/zork=1/")
        self.assertEqual(caught.exception.offset, 11)
        self.assertIn("zork", str(caught.exception))

    def test_threads_share_a_machine(self):
        machine = Machine("skylakex")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            found = pool.map(lambda _: machine.resolve("mem_load_retired.l3_miss")[0].code.config[0], range(400))
        self.assertEqual(set(found), {0x20D1})

    def test_a_name_stands_for_every_instance_of_its_pmu(self):
        # Intel's uncore manual: CAS_COUNT is 04H, its reads 03H.
        with tempfile.TemporaryDirectory() as tree:
            add_memory_controllers(pathlib.Path(tree), 100)
            machine = Machine("skylakex", tree)
            attrs = machine.resolve("unc_m_cas_count.rd", 200)
            self.assertEqual({a.pmu.decode() for a in attrs}, {f"uncore_imc_{i}" for i in range(100)})
            self.assertEqual({(a.code.config[0], a.code.type - 20) for a in attrs}, {(0x304, i) for i in range(100)})
            self.assertEqual(len(machine.resolve("unc_m_cas_count.rd", 70)), 70)
            self.assertEqual(len(machine.resolve("unc_m_cas_count.rd", 3)), 3)

    def test_core_pmus_name_their_cpu(self):
        (attr,) = Machine("armv8_neoverse_n1").resolve("cpu_cycles")
        self.assertEqual(attr.code.config[0], 0x11)


class Recordings(unittest.TestCase):
    def test_samples_are_those_that_perf_script_prints(self):
        for script in sorted(DATA.glob("*.script")):
            ours = [f"{comm} {pid}/{tid} {ns // 10**9}.{ns // 1000 % 10**6:06}: {name}:"
                    for comm, pid, tid, ns, name in samples_of(script.with_suffix(".data"))]
            perfs = [" ".join(line.split()) for line in script.read_text().splitlines()]
            self.assertEqual(ours, perfs, script.name)

    @unittest.skipUnless(SHARED, "EVNAME_SHARED is not set")
    def test_every_sample_record_that_perf_counts_is_met(self):
        with open(f"{SHARED}/corpus/truth.tsv") as table:
            for row in csv.DictReader(table, delimiter="\t"):
                if int(row["raw_sample_records"]) > 0:  # does not tell of packed ones
                    with self.subTest(row["file"]):
                        self.assertEqual(records_of(f"{SHARED}/corpus/{row['file']}"),
                                         int(row["raw_sample_records"]))


@unittest.skipUnless(SHARED, "EVNAME_SHARED is not set")
class Oracle(unittest.TestCase):
    """Each event of a model as perf itself encodes it on that sysfs tree, without events of Skylake-SP whose facts have
    changed since perf 6.12; tests/events/machine/oracle_test.cpp has these."""

    CHANGED = ("unc_cha_tor_", "unc_upi_txl_hdr_match.", "upi_data_bandwidth_tx")

    CPUS = {"skylakex": "GenuineIntel-6-55-4", "amdzen4": "AuthenticAMD-25-61-2",
            "neoverse-n1": "0x00000000410fd0c0"}

    def test_codes_are_those_of_perf(self):
        for model, cpuid in self.CPUS.items():
            with self.subTest(model), tempfile.TemporaryDirectory() as tree:
                with tarfile.open(f"{SHARED}/sysfs/{model}.tgz") as archive:
                    archive.extractall(tree)
                self.compare(Machine(cpuid, tree), f"{SHARED}/oracle/{model}.tsv.gz")

    def compare(self, machine, oracle):
        wanted = collections.defaultdict(set)
        with gzip.open(oracle, "rt") as table:
            for row in csv.DictReader(table, delimiter="\t"):
                wanted[row["event"]].add((row["pmu"], *(int(row[k], 0) for k in WORDS)))
        compared = {event: codes for event, codes in wanted.items() if not event.startswith(self.CHANGED)}
        self.assertGreater(len(compared), len(wanted) * 0.8)
        for event, codes in compared.items():
            found = {(a.pmu.decode(), *a.code.config[:3], a.period)
                     for a in machine.resolve(event)}
            self.assertEqual(found, codes, event)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
