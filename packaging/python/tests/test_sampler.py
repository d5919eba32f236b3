"""Live samples: page faults, one sample each."""

import mmap
import os
import pathlib
import subprocess
import sys

import pytest

import evname

PAGES = 64


def touch():
    """Writes to new pages, whose address is not known."""
    with mmap.mmap(-1, PAGES * mmap.PAGESIZE) as pages:
        if hasattr(mmap, "MADV_NOHUGEPAGE"):
            pages.madvise(mmap.MADV_NOHUGEPAGE)
        for at in range(0, len(pages), mmap.PAGESIZE):
            pages[at] = 1


@pytest.fixture
def faults():
    def opened(**options):
        try:
            return evname.Sampler("page-faults:u", period=1, **options)
        except evname.SystemCallError as error:
            pytest.skip(str(error))

    return opened


def test_samples_come_while_the_program_runs(faults):
    sampler = faults(fields="addr,cpu")
    samples = sampler.samples()
    with sampler:
        for _ in range(2):  # an iterator goes on after its end
            list(samples)
            touch()
            assert sampler.wait(0)
            found = list(samples)
            assert len(found) >= PAGES
            assert {(one.pid, one.event.name, one.period) for one in found} == {(os.getpid(), "page-faults", 1)}
            pages = {one.addr // mmap.PAGESIZE for one in found}
            assert len(pages) >= PAGES and all(one.cpu is not None for one in found)
            assert [one.time for one in found] == sorted(one.time for one in found)
    assert sampler.losses == evname.Losses(0, 0, 0)
    assert [event.name for event in sampler.events] == ["page-faults"] and repr(sampler) == "<Sampler page-faults>"
    sampler.close()
    assert repr(sampler) == "<Sampler closed>"
    with pytest.raises(ValueError):
        sampler.enable()


def test_samples_have_functions(faults):
    with faults() as sampler:
        touch()
    found = list(sampler.samples(symbols=evname.Symbols(lines=False)))
    assert any(frame.dso and "python" in frame.dso or frame.function for one in found for frame in one.frames)


def test_events_with_fields_of_their_own(faults):
    faults().close()
    sampler = evname.Sampler([evname.SampledEvents("page-faults:u", period=1, fields="addr"),
                              evname.SampledEvents("task-clock:u", period=100_000, call_graph="fp")])
    with sampler:
        for _ in range(200):
            touch()
    found = list(sampler.samples())
    assert {one.event.name for one in found} == {"page-faults", "task-clock"}
    assert all((one.addr is None) == (one.event.name == "task-clock") == (one.callchain != ()) for one in found)


def test_kept_samples_are_a_recording(faults):
    with faults(keep=1 << 20) as sampler:
        touch()
        count = len(list(sampler.samples()))
        recording = sampler.take_recording()
    assert isinstance(recording, evname.Recording) and repr(recording) == "<Recording live samples: 2 events>"
    report = evname.Report()
    assert report.add(recording).samples == count >= PAGES
    assert len(recording.columns(["time"])) == count


def test_what_can_not_be(faults):
    with pytest.raises(evname.InvalidArgumentError, match="no field 'adr'"):
        faults(fields="adr")
    with pytest.raises(evname.InvalidArgumentError, match="keeps no samples"):
        faults().take_recording()
    with pytest.raises(ValueError):
        faults(call_graph="large")
    with pytest.raises(evname.Error):
        evname.Sampler("no_such_event")


def test_the_example(faults):
    faults().close()
    example = pathlib.Path(__file__).resolve().parents[1] / "examples" / "sample.py"
    done = subprocess.run([sys.executable, example, "cpu-clock:u"], capture_output=True, text=True, check=True)
    assert int(done.stdout.split()[0]) > 0
