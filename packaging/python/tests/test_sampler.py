"""Live samples: page faults, one sample each."""

import mmap
import os
import subprocess
import sys
import threading
import time

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


def comes_true(once):
    """Repeats `once` until it returns true, as the kernel may throttle samples."""
    end = time.monotonic() + 20
    while not once():
        assert time.monotonic() < end
    return True


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
            found = []

            def touch_and_read():
                touch()
                assert sampler.wait(0)
                found.extend(samples)
                return found

            comes_true(touch_and_read)
            assert {(one.pid, one.event.name, one.period) for one in found} == {(os.getpid(), "page-faults", 1)}
            assert all(one.addr is not None and one.cpu is not None for one in found)
            assert [one.time for one in found] == sorted(one.time for one in found)
    assert sampler.losses._replace(lost=0) == evname.Losses(0, 0, 0)
    assert [event.name for event in sampler.events] == ["page-faults"] and repr(sampler) == "<Sampler page-faults>"
    sampler.close()
    assert repr(sampler) == "<Sampler closed>"
    with pytest.raises(ValueError):
        sampler.enable()


def test_samples_have_functions(faults):
    sampler = faults()
    samples = sampler.samples(symbols=evname.Symbols(lines=False))

    def touch_and_read():
        touch()
        return any(frame.dso and "python" in frame.dso or frame.function for one in samples for frame in one.frames)

    with sampler:
        comes_true(touch_and_read)


def test_events_with_fields_of_their_own(faults):
    faults().close()
    sampler = evname.Sampler([evname.SampledEvents("page-faults:u", period=1, fields="addr"),
                              evname.SampledEvents("task-clock:u", period=100_000, call_graph="fp")])
    found = []

    def touch_and_read():
        touch()
        found.extend(sampler.samples())
        return {one.event.name for one in found} == {"page-faults", "task-clock"}

    with sampler:
        comes_true(touch_and_read)
    assert all((one.addr is None) == (one.event.name == "task-clock") == (one.callchain != ()) for one in found)


def test_a_thread_reads_samples(faults):
    sampler = faults(thread=True)
    found = []
    sampler.start(lambda sample: found.append((sample.tid, threading.get_native_id())), milliseconds=1)
    with pytest.raises(evname.InvalidArgumentError):
        sampler.start(print)

    def touch_on():
        touch()
        return found

    with sampler:
        comes_true(touch_on)
        for one_reader in (lambda: sampler.wait(0), lambda: list(sampler.samples()), evname.SampleScope(sampler).start):
            with pytest.raises(evname.InvalidArgumentError):
                one_reader()
    sampler.stop()
    assert {of for of, by in found} == {threading.get_native_id()} and threading.get_native_id() not in {by for of, by in found}
    assert sampler.wait(0)


@pytest.mark.parametrize("wrong, told", [(lambda sampler: 1 / 0, ZeroDivisionError), (lambda sampler: sampler.stop(), evname.InvalidArgumentError),
                                         (lambda sampler: sampler.close(), evname.InvalidArgumentError)])
def test_stop_raises_what_ended_the_thread(faults, wrong, told):
    sampler = faults(thread=True)
    called = []

    def fail(sample):
        called.append(sample)
        wrong(sampler)

    def touch_on():
        touch()
        return called

    sampler.start(fail, milliseconds=1)
    with sampler:
        comes_true(touch_on)
    with pytest.raises(told):
        sampler.stop()
    assert len(called) == 1
    sampler.stop()
    sampler.start(fail)
    sampler.close()  # stops it
    with pytest.raises(evname.InvalidArgumentError, match="has no thread"):
        faults().start(fail)


def test_threads_end_with_the_program(faults):
    faults().close()
    program = """
import evname
sampler = evname.Sampler("page-faults:u", period=1, thread=True)
sampler.start(lambda sample: None, milliseconds=1)
sampler.enable()
del sampler
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_a_scope_names_the_functions_of_its_blocks(faults):
    sampler = faults()
    scope = evname.SampleScope(sampler, evname.Symbols(lines=False))
    assert scope.functions() == []
    sampler.close()  # the scope keeps it open
    total = 0

    def touch_in_a_block():
        with scope:
            touch()
        return sum(one.samples for one in scope.functions()) > total

    for _ in range(2):  # they add up
        comes_true(touch_in_a_block)
        total = sum(one.samples for one in scope.functions())
    periods = [one.period for one in scope.functions()]
    assert sum(periods) == total and periods == sorted(periods, reverse=True)
    assert all(one.function and one.dso for one in scope.functions())
    assert scope.functions(1) == []


def test_kept_samples_are_a_recording(faults):
    with faults(keep=1 << 20) as sampler:
        count = 0

        def touch_and_read():
            nonlocal count
            touch()
            count += len(list(sampler.samples()))
            return count

        comes_true(touch_and_read)
        recording = sampler.take_recording()
    assert isinstance(recording, evname.Recording) and repr(recording) == "<Recording live samples: 2 events>"
    report = evname.Report()
    assert report.add(recording).samples == count
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
