"""Samples one by one and as columns, beside what perf script printed of the same recordings."""

import collections
import pickle
import struct
import threading

import numpy
import pandas
import pytest
from conftest import data

import evname

OF_EVENTS = {"event": "name", "modifiers": "modifiers", "recorded_name": "recorded_name", "pmu": "pmu"}
COLUMNS = [name for name in evname.FIELDS if name != "event_index"]


def test_samples_are_those_of_perf(recorded):
    path, lines = recorded
    samples = list(evname.open(path))
    assert len(samples) == len(lines)
    for sample, line in zip(samples, lines):
        assert (sample.comm, sample.pid, sample.tid) == (line["comm"], int(line["pid"]), int(line["tid"]))
        assert sample.time // 1000 == line["time"] // 1000
        assert sample.event.recorded_name == line["event"]
        assert line["cpu"] is None or sample.cpu == int(line["cpu"])


@pytest.mark.parametrize("size", [1, 7, 100, 2**20])
def test_batches_are_the_samples(recorded, size):
    path, _ = recorded
    samples = list(evname.open(path))
    batches = list(evname.open(path).batches(COLUMNS, size=size))
    assert [len(batch) for batch in batches[:-1]] == [size] * (len(batches) - 1)
    for name in COLUMNS:
        values = [batch[name][i] for batch in batches for i in range(len(batch))]
        expected = [getattr(s.event, OF_EVENTS[name]) if name in OF_EVENTS else getattr(s, name) for s in samples]
        assert values == expected, name


def test_bytes_and_descriptors_are_as_files():
    path = data("neoverse-n1.data")
    with open(path, "rb") as file:
        content = file.read()
        for recording in (evname.Recording.from_bytes(content), evname.Recording.from_bytes(memoryview(content)),
                          evname.open(file.fileno())):
            assert [sample.ip for sample in recording] == [sample.ip for sample in evname.open(path)]
    with pytest.raises(evname.Error, match="box"):
        evname.Recording.from_bytes(b"", name="box")


def test_columns_are_read_in_place():
    batch = evname.open(data("neoverse-n1.data")).columns()
    for name, kind in {"time": numpy.uint64, "pid": numpy.int64, "comm": numpy.int32}.items():
        one, other = numpy.asarray(batch[name]), numpy.asarray(batch[name])
        assert one.dtype == kind and len(one) == len(batch)
        assert one.__array_interface__["data"] == other.__array_interface__["data"]
        assert not one.flags.owndata and not one.flags.writeable
    times = numpy.asarray(batch["time"])
    del batch
    assert (numpy.diff(times.astype(numpy.int64)) >= 0).all()  # kept alive by the array


def test_pandas(recorded):
    path, lines = recorded
    frame = evname.open(path).columns(["comm", "recorded_name", "time", "period"]).to_pandas()
    counts = collections.Counter((line["comm"], line["event"]) for line in lines)
    assert frame.groupby(["comm", "recorded_name"], observed=True).size().to_dict() == dict(counts)
    assert isinstance(frame["comm"].dtype, pandas.CategoricalDtype)


def test_missing_values():
    batch = evname.open(data("neoverse-n1.data")).columns(["addr", "cpu", "period"])
    assert batch["addr"].null_count == len(batch) and batch["addr"][0] is None
    assert not numpy.asarray(batch["addr"].valid).any()
    assert batch["period"].valid is None and batch["period"].dictionary is None
    assert batch.to_pandas()["addr"].isna().all()


def test_wrong_fields():
    recording = evname.open(data("neoverse-n1.data"))
    for fields in (["nothing"], ["pid", "pid"]):
        with pytest.raises(ValueError):
            recording.batches(fields)
    with pytest.raises(ValueError):
        recording.batches(size=0)
    with pytest.raises(KeyError):
        recording.columns(["pid"])["tid"]
    with pytest.raises(IndexError):
        recording.columns(["pid"])["pid"][374]


def test_missing_and_foreign_files(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        evname.open(tmp_path / "none.data")
    assert isinstance(caught.value, evname.NotFoundError)
    foreign = tmp_path / "foreign.data"
    foreign.write_bytes(b"no recording, but long enough to be one" * 10)
    with pytest.raises(evname.Error) as caught:
        evname.open(foreign)
    assert str(foreign) in str(caught.value)


@pytest.mark.parametrize("read", [list, lambda r: r.columns(), lambda r: list(r.batches())])
def test_damage_is_told(damaged, read):
    with pytest.warns(evname.RecordingWarning):
        assert 0 < len(read(evname.open(damaged)))
    samples = evname.open(damaged).samples()
    with pytest.warns(evname.RecordingWarning):
        count = sum(1 for _ in samples)
    assert samples.warnings and samples.tally.samples == count < 374
    assert next(samples, None) is None  # and warns once


def test_errors_pickle():
    error = evname.InvalidArgumentError("wrong", "here", "try", 7)
    again = pickle.loads(pickle.dumps(error))
    assert (again.message, again.where, again.hint, again.offset) == ("wrong", "here", "try", 7)
    assert str(again) == "here: wrong (try)"


def test_the_machine_outlives_its_recording():
    machine = evname.open(data("neoverse-n1.data")).machine
    assert machine.name(0x11) == "cpu_cycles"
    events = evname.open(data("neoverse-n1.data")).events
    assert [(e.name, e.recorded_name) for e in events[:2]] == [("cpu_cycles", "r11"), ("inst_retired", "r08")]


def test_a_pass_shared_by_threads():
    samples, seen = evname.open(data("neoverse-n1.data")).samples(), []
    threads = [threading.Thread(target=lambda: seen.extend(samples)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 374 and len({(s.time, s.event.name, s.tid) for s in seen}) > 300


def test_records_are_those_of_perf():
    records = list(evname.open(data("neoverse-n1.data")).records())
    # perf report --stats
    assert collections.Counter(record.name for record in records) == {
        "MMAP": 1, "MMAP2": 2, "COMM": 4, "FORK": 1, "EXIT": 2, "SAMPLE": 374, "FINISHED_ROUND": 2, "ID_INDEX": 1,
        "THREAD_MAP": 1, "CPU_MAP": 1, "TIME_CONV": 1, "FINISHED_INIT": 1}
    assert [record.fields["name"] for record in records if record.name == "COMM"] == ["perf-exec", "sh", "ls", "md5sum"]
    fork = next(record for record in records if record.name == "FORK")
    assert (fork.fields["pid"], fork.fields["other_pid"], fork.fields["is_exec"]) == (151, 149, False)
    assert (fork.time, fork.fields["time"], fork.sample) == (5786781856, 5786782464, None)  # perf script -D, and the bytes
    samples = [record.sample for record in records if record.sample]
    assert [sample.ip for sample in samples] == [sample.ip for sample in evname.open(data("neoverse-n1.data"))]
    assert [record.time for record in records if record.sample] == [sample.time for sample in samples]
    with_symbols = evname.open(data("neoverse-n1.data")).records(symbols=evname.Symbols())
    assert any(record.sample.frames for record in with_symbols if record.sample)


def mapped(record):
    fields = record.fields
    offset = "0" if record.name == "MMAP2" and fields["offset"] == 0 else hex(fields["offset"])
    head = f"{fields['pid']}/{fields['tid']}: [{fields['address']:#x}({fields['size']:#x}) @ {offset}"
    if record.name == "MMAP":
        return f" {head}]: {'r' if fields['is_data'] else 'x'} {fields['name']}"
    letters = "".join(letter if fields["protection"] & 1 << bit else "-" for bit, letter in enumerate("rwx"))
    file = (f"<{fields['build_id'].hex()}>" if "build_id" in fields else
            "{device_major:02x}:{device_minor:02x} {inode} {generation}".format(**fields))
    return f" {head} {file}]: {letters}{'s' if fields['flags'] & 1 else 'p'} {fields['name']}"


AS_PERF = {
    "MMAP": mapped, "MMAP2": mapped,
    "COMM": lambda record: (" exec" if record.fields["is_exec"] else "") + ": {name}:{pid}/{tid}".format(**record.fields),
    "FORK": lambda record: "({pid}:{tid}):({other_pid}:{other_tid})".format(**record.fields),
    "EXIT": lambda record: "({pid}:{tid}):({other_pid}:{other_tid})".format(**record.fields),
    "KSYMBOL": lambda record: " addr {address:x} len {size} type {kind} flags {flags:#x} name {name}".format(**record.fields),
    "BPF_EVENT": lambda record: " type {kind}, flags {flags}, id {id}".format(**record.fields),
    "CGROUP": lambda record: " cgroup: {id} {name}".format(**record.fields)}


def test_records_print_as_perf_prints_them():
    for block in data("records.txt").read_text().split("== ")[1:]:
        name, *lines = block.splitlines()
        printed = [f"{record.time // 10**9}.{record.time % 10**9:09}: PERF_RECORD_{record.name}{AS_PERF[record.name](record)}"
                   for record in evname.open(data(name)).records() if record.name in AS_PERF]
        assert printed == lines


def traced():
    """A recording of one sample of a tracepoint: tools/perf/Documentation/perf.data-file-format.txt."""
    text = ("name: switch\nID: 7\nformat:\n\tfield:int prio;\toffset:0;\tsize:4;\tsigned:1;\n"
            "\tfield:char comm[8];\toffset:4;\tsize:8;\tsigned:0;\n"
            "\tfield:s16 pair[2];\toffset:12;\tsize:4;\tsigned:1;\n"
            "\tfield:unsigned long state;\toffset:16;\tsize:8;\tsigned:0;\n").encode()
    tracing = (b"\x17\x08\x44tracing0.6\0\0\x08" + struct.pack("<I", 4096) + b"header_page\0" + struct.pack("<Q", 0) +
               b"header_event\0" + struct.pack("<Q", 0) + struct.pack("<II", 0, 1) + b"sched\0" +
               struct.pack("<IQ", 1, len(text)) + text)
    raw = struct.pack("<i8shhQ", -20, b"work", -1, 2, 2**63)
    sample = struct.pack("<IHHI", 9, 0, 8 + 4 + len(raw), len(raw)) + raw
    attr = struct.pack("<IIQQQ", 2, 136, 7, 0, 1 << 10) + bytes(136 - 32)
    data_at = 104 + len(attr) + 16
    header = struct.pack("<8s4Q2Q2QQ24x", b"PERFILE2", 104, 152, 104, 152, data_at, len(sample), 0, 0, 1 << 1)
    section = struct.pack("<QQ", data_at + len(sample) + 16, len(tracing))
    return header + attr + struct.pack("<QQ", 104, 0) + sample + section + tracing


def test_fields_of_tracepoints_have_types():
    sample, = evname.Recording.from_bytes(traced())
    assert sample.field("prio") == -20
    assert sample.field("comm") == "work"
    assert sample.field("pair") == (-1, 2)
    assert sample.field("state") == 2**63
    assert sample.field("other") is None


def lines_of_perf(test):
    """What perf script printed for a test of the library."""
    text = data("perf-script.txt").read_text()
    return text.split(f"== {test}\n")[1].split("\n== ")[0].splitlines()


def sampled(sample_type, body):
    """A recording of one sample with this body; of branches the attr asks for PERF_SAMPLE_BRANCH_ANY."""
    attr = struct.pack("<IIQQQQQQIIQQQ", 0, 136, 0, 0, sample_type, 0, 0, 0, 0, 0, 0, 0, 1 << 3) + bytes(136 - 88)
    sample = struct.pack("<IHH", 9, 0, 8 + len(body)) + body
    header = struct.pack("<8s4Q2Q2QQ24x", b"PERFILE2", 104, 152, 104, 152, 104 + 152, len(sample), 0, 0, 0)
    return header + attr + struct.pack("<QQ", 104, 0) + sample


def test_sources_of_data_have_the_texts_of_perf():
    lines = lines_of_perf("DataSourcesAreSpelledAlike: time,event,data_src,weight")
    for line in lines:
        word, text = line.split(maxsplit=2)[2].rsplit(maxsplit=1)[0].split(maxsplit=1)
        source = evname.data_source(int(word, 16))
        assert source.text == text
        texts = [source.op_text, source.level_text, source.snoop_text, source.tlb_text, source.lock_text, source.blocked_text]
        assert [part.split(" ", 1)[1] for part in text[1:].split("|")] == texts
    assert len(lines) == 72
    # PERF_MEM_OP_LOAD, a hit in LVL_L1, SNOOP_NONE, a hit in TLB_L1 and TLB_L2
    sample, = evname.Recording.from_bytes(sampled(1 << 15, struct.pack("<Q", 0x68100142)))
    source = sample.data_source
    assert source == evname.data_source(sample.data_src) and source.text.startswith("|OP LOAD|LVL L1 hit|")
    assert (source.op, source.level, source.snoop, source.tlb, source.remote) == (2, 0xa, 2, 0x1a, False)
    assert next(iter(evname.open(data("neoverse-n1.data")))).data_source is None


def test_branches_have_the_texts_of_perf():
    texts = [line.split()[3].split("0x2000")[1] for line in lines_of_perf("BranchesAreSpelledAlike: pid,time,event,brstack")]
    rows = []  # the words of that test
    for flags in range(16):
        rows += [flags | (flags < 15) * flags << 20, flags | 1 << 33]
        rows += [15 << 20 | flags << 26] * (flags < 8) + [flags << 24] * (flags < 4)
    assert [evname.branch((0x1000, 0x2000, flags | 70 << 4)).text for flags in rows] == texts
    words = (1, 2, 0x2 | 7 << 4 | 4 << 20 | 3 << 24 | 2 << 30, 3, 4, 15 << 20 | 5 << 26)
    sample, = evname.Recording.from_bytes(sampled(1 << 11, struct.pack("<7Q", 2, *words)))
    call, other = sample.decoded_branches
    assert sample.branches == words and call == evname.branch(words[:3])
    assert (call.from_, call.to, call.predicted, call.mispredicted, call.cycles, call.type) == (1, 2, True, False, 7, 4)
    assert (call.type_text, call.speculation_text, call.privilege_text) == ("CALL", "SPEC_CORRECT_PATH", "kernel")
    assert other.type_text == "ARCH_3" and evname.branch(words[3:], "aarch64").type_text == "ARM64_DEBUG_EXIT"
    with pytest.raises(TypeError):
        evname.branch((1, 2))


def test_an_exception_in_progress_cancels(tmp_path):
    class Enough(Exception):
        pass

    def stop(done, total):
        assert 0 <= done <= total
        raise Enough

    recording = evname.open(data("neoverse-n1.data"))
    report = evname.Report(["event"], progress=stop)
    with pytest.raises(Enough):
        report.add(recording)
    assert report.rows == []
    for call in (lambda: recording.annotate(progress=stop),
                 lambda: recording.write_profile(str(tmp_path / "profile"), "speedscope", progress=stop),
                 lambda: recording.extract(str(tmp_path / "part"), progress=stop)):
        with pytest.raises(Enough):
            call()
    assert list(tmp_path.iterdir()) == []
    calls = []
    recording.annotate(progress=lambda done, total: calls.append((done, total)))
    assert calls


@pytest.mark.parametrize("read", [lambda r, **how: r.columns(**how), lambda r, **how: next(r.batches(size=1, **how))])
def test_an_exception_in_progress_cancels_columns(read):
    class Enough(Exception):
        pass

    def stop(done, total):
        assert 0 <= done <= total
        raise Enough

    recording, seen = evname.open(data("neoverse-n1.data")), []
    with pytest.raises(Enough):
        read(recording, progress=stop)
    batch = read(recording, progress=lambda done, total: seen.append((done, total)))
    assert seen and 0 <= seen[0][0] < seen[0][1]
    assert [batch["time"][i] for i in range(len(batch))] == [read(recording)["time"][i] for i in range(len(batch))]


def test_a_progress_function_cannot_use_its_own_pass():
    def look(done, total):
        return batches.warnings

    batches = evname.open(data("neoverse-n1.data")).batches(progress=look)
    with pytest.raises(ValueError, match="its own pass"):
        next(batches)
