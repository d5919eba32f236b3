"""Reports and counters, and what all objects print of themselves."""

import collections
import mmap
import os

import pytest
from conftest import data, script_lines

import evname


def test_rows_are_those_of_perf(recorded):
    path, lines = recorded
    report = evname.Report(["event", "comm", "tid"])
    tally = report.add(evname.open(path))
    assert tally.samples == len(lines)
    # Events of evname's names; perf's are in the recording.
    recorded_names = {(e.name + (":" + e.modifiers if e.modifiers else "")): e.recorded_name for e in evname.open(path).events}
    counts = collections.Counter((line["event"], line["comm"], line["tid"]) for line in lines)
    rows = [row for row in report.rows if row.samples]
    assert {(recorded_names[row.keys["event"]], row.keys["comm"], row.keys["tid"]): row.samples for row in rows} == counts
    for row in rows:
        assert row.share == row.samples / row.of and row.first <= row.last
    report.add(evname.open(path))
    assert sum(row.samples for row in report.rows) == 2 * len(lines)


def test_reports_select_samples():
    report = evname.Report(["comm"], event="inst_*")
    report.add(evname.open(data("neoverse-n1.data")))
    assert sum(row.samples for row in report.rows) == 119
    report = evname.Report(time="0%-50%")
    report.add(evname.open(data("neoverse-n1.data")))
    assert sum(row.samples for row in report.rows) == 192  # of the times that perf script prints
    report = evname.Report(comms=["nobody"])
    report.add(evname.open(data("neoverse-n1.data")))
    assert [row.samples for row in report.rows] == [0, 0, 0] and report.rows[0].first is None
    with pytest.raises(evname.InvalidArgumentError):
        evname.Report(["color"])


def test_counters_count_this_thread():
    try:
        counters = evname.Counters(evname.Machine(), "page-faults:u,task-clock:u")
    except evname.SystemCallError as error:
        pytest.skip(str(error))
    with counters, mmap.mmap(-1, 100 * 4096) as pages:
        for at in range(0, len(pages), 4096):
            pages[at] = 1
    faults, clock = counters.read()
    assert (faults.name, counters.events[0].problem) == ("page-faults", "")
    assert faults.value >= 50 and faults.running == faults.enabled and faults.scaled == faults.value
    assert clock.value > 0
    assert counters.read() == [faults, clock]  # it is disabled
    counters.close()
    with pytest.raises(ValueError):
        counters.read()


def test_counters_that_can_not_be():
    with pytest.raises(evname.Error):
        evname.Counters(evname.Machine(), "no_such_event")
    with pytest.raises(ValueError):
        evname.Counters(evname.Machine(), "page-faults", tids=[os.getpid()], cpus=[0])
    with pytest.raises(ValueError):
        evname.Counters(evname.Machine(), "page-faults", groups="large")


def objects():
    machine = evname.Machine("skylakex")
    metrics = evname.MetricSet(machine)
    metrics.add("ipc")
    recording = evname.open(data("neoverse-n1.data"))
    samples = recording.samples(symbols=evname.Symbols(lines=False))
    batch = recording.columns(["addr", "comm"])
    report = evname.Report()
    report.add(recording)
    yield from (machine, metrics, recording, samples, next(samples), batch, batch["addr"], batch["addr"].valid, report)
    yield evname.InstructionReport()
    yield from (recording.batches(), evname.Symbols(), machine.resolve("cycles")[0], machine.names(0x20d1))
    yield from (next(samples).frames[0], next(samples).mapping, recording.events[0], report.rows[0], evname.Context.PERF_CONTEXT_USER)
    yield from (evname.TopdownTree(machine), recording.records())
    try:
        yield evname.Counters(evname.Machine(), "page-faults:u")
        yield evname.SampleScope(evname.Sampler("page-faults:u"))
    except evname.SystemCallError:
        pass


def test_all_objects_print_themselves():
    seen = {}
    for one in objects():
        seen[type(one).__name__] = repr(one)
        assert "object at 0x" not in repr(one), repr(one)
    assert seen["Machine"] == "<Machine skylakex GenuineIntel-6-55-0>"
    assert seen["Recording"] == f"<Recording {data('neoverse-n1.data')}: 3 events>"
    first = script_lines("neoverse-n1.script")[0]
    assert seen["Sample"].startswith(f"<Sample page-faults comm={first['comm']} tid={first['tid']} time=5774380")
    assert (seen["Batch"], seen["Column"]) == ("<Batch 374 samples: addr comm>", "<Column addr: 374 of uint64>")
    classes = {name for name, one in vars(evname).items() if isinstance(one, type) and one.__module__ == "evname._evname"} - {"_Recording", "_Sampler"}
    assert classes - {"Counters", "SampleScope"} <= seen.keys(), classes - seen.keys()
