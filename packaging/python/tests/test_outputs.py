"""Text, folded stacks, profiles and smaller recordings, beside what perf script printed."""

import csv
import io

import pytest
from conftest import data, script_lines

import evname


def recording():
    return evname.open(data("neoverse-n1.data"))


def test_text_is_a_line_for_each_sample(recorded):
    path, lines = recorded
    text = evname.open(path).annotate(fields="comm,pid,tid,time,event", recorded_names=True)
    printed = [line.split() for line in text.splitlines()]
    assert [(line[0], line[-1].rstrip(":")) for line in printed] == [(line["comm"], line["event"]) for line in lines]


def test_csv_has_the_fields_in_the_order_asked_for(tmp_path):
    path = tmp_path / "samples.csv"
    with open(path, "w", encoding="utf-8") as file:
        file.write("first\n")
        tally = recording().annotate(file, format="csv", fields=["comm", "tid"], limit=10)
    first, *rows = csv.reader(io.StringIO(path.read_text()))
    expected = [[line["comm"], line["tid"]] for line in script_lines("neoverse-n1.script")[:10]]
    assert first == ["first"] and rows == [["comm", "tid"], *expected] and tally.samples == 10


# 239 samples of cycles: perf script's lines; each stands for its period.
def test_folded_stacks_select_samples():
    lines = recording().annotate(format="folded", event="cpu_cycles").splitlines()
    assert sum(int(line.rsplit(" ", 1)[1]) for line in lines) == 239
    periods = recording().annotate(format="folded", event="cpu_cycles", count_periods=True).splitlines()
    assert len(periods) == len(lines) and periods != lines
    assert recording().annotate(format="folded", comms=["nobody"]) == ""


def test_profiles_are_written_only_with_samples(tmp_path):
    path = str(tmp_path / "profile")
    for form in ("pprof", "firefox", "speedscope", "perfetto", "otlp"):
        assert recording().write_profile(path, form, event="cpu_cycles") == 239
    assert recording().write_profile(str(tmp_path / "none"), comms=["nobody"]) == 0
    assert not (tmp_path / "none").exists()
    with pytest.raises(ValueError, match="speedscope"):
        recording().write_profile(path, "gif")


def test_an_extract_is_a_recording(tmp_path):
    path = str(tmp_path / "part.data")
    assert recording().extract(path, event="cpu_cycles") == 239
    assert [sample.event.name for sample in evname.open(path)] == ["cpu_cycles"] * 239
    with pytest.raises(evname.InvalidArgumentError):
        recording().extract(str(data("neoverse-n1.data")))


def test_a_packed_recording_has_the_same_samples(tmp_path):
    path, asked = str(tmp_path / "packed.data"), []
    symbols = evname.Symbols(symfs=str(tmp_path))  # which has no file
    assert recording().pack(path, symbols=symbols, progress=lambda done, total: asked.append(total)) == 0
    assert max(asked) > 0
    assert len(list(evname.open(path))) == len(list(recording()))
    with pytest.raises(evname.InvalidArgumentError):
        recording().pack(str(data("neoverse-n1.data")))


def test_unknown_arguments_are_refused(tmp_path):
    for call in (recording().annotate, lambda **given: recording().extract(str(tmp_path / "x"), **given), evname.Report):
        with pytest.raises(TypeError, match="colour"):
            call(colour="red")
    with pytest.raises(ValueError, match="folded"):
        recording().annotate(format="flame")
    with pytest.raises(evname.InvalidArgumentError):
        recording().annotate(fields="colour")


# type, size and config of <linux/perf_event.h>; 0x20d1 is Intel's manual's.
def test_an_encoding_is_a_perf_event_attr():
    attr = evname.Machine("skylakex").resolve("page-faults")[0].attr()
    assert int.from_bytes(attr[0:4], "little") == 1 and int.from_bytes(attr[4:8], "little") == len(attr)
    assert int.from_bytes(attr[8:16], "little") == 2
    with pytest.raises(evname.NotFoundError):
        evname.Machine("skylakex").resolve("uncore_imc/event=1/")[0].attr()
