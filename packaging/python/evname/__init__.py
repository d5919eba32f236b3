"""evname: PMU event names to raw codes and back, and the samples of perf.data.

    >>> import evname
    >>> hex(evname.resolve("mem_load_retired.l3_miss", cpu="skylakex")[0].config)
    '0x20d1'
    >>> evname.name(0x20d1, cpu="skylakex")
    'mem_load_retired.l3_miss'

    for sample in evname.open("perf.data"):
        print(sample.comm, sample.event.name, sample.period)

    for sample in evname.open("perf.data").samples(symbols=evname.Symbols()):
        print(*(frame.function or frame.dso for frame in sample.frames))

    frame = evname.open("perf.data").columns().to_pandas()
    table = pyarrow.table(evname.open("perf.data").batches())

    with evname.Sampler("cache-misses:u") as sampler:
        work()
    for sample in sampler.samples(symbols=evname.Symbols()):
        print(*(frame.function for frame in sample.frames))

    with (scope := evname.SampleScope(evname.Sampler("cache-misses:u"))):
        work()
    print(scope.functions())

A failure raises an Error, which has the offset of the fault. A fault of a recording issues a RecordingWarning; the
readable part of the recording is used.
"""

from __future__ import annotations

import atexit
import functools
import os
import tempfile

from ._errors import (CancelledError, CorruptError, Error, InvalidArgumentError, MissingFileError, NoMemoryError, NotFoundError,
                      OutOfRangeError, RecordingWarning, SystemCallError, UnsupportedError)
from ._evname import (FIELDS, Batch, Batches, Column, Counters, Encoding, InstructionReport, Machine, Mask, MetricSet, Names, Records, Report,
                      Sample, SampleScope, Samples, Symbols, TopdownTree, __version__, _Recording, _Sampler, branch, data_source,
                      list_metrics)
from ._records import (Branch, Context, Counter, CounterValue, Cpu, DataSource, Event, Frame, Instruction, InstructionFunction, Losses, Mapping, Metric,
                       MetricEvent, MetricValue, Pmu, Record, RecordedEvent, ReportRow, SampledEvents, SampledFunction, Tally, TopdownNode, TopdownValue)

__all__ = ["Batch", "Batches", "Branch", "CancelledError", "Column", "Context", "CorruptError", "Counter", "CounterValue", "Counters", "Cpu",
           "DEFAULT_FIELDS", "DataSource", "Encoding", "Error", "Event", "FIELDS", "Frame", "Instruction", "InstructionFunction", "InstructionReport", "InvalidArgumentError", "Losses", "Machine", "Mapping",
           "Mask", "Metric", "MetricEvent", "MetricSet", "MetricValue", "MissingFileError", "Names", "NoMemoryError",
           "NotFoundError", "OutOfRangeError", "Pmu", "Record", "RecordedEvent", "Recording", "RecordingWarning", "Records", "Report", "ReportRow",
           "Sample", "SampleScope", "SampledEvents", "SampledFunction", "Sampler", "Samples", "Symbols", "SystemCallError", "Tally", "TopdownNode", "TopdownTree", "TopdownValue",
           "UnsupportedError", "__version__", "branch", "data_source", "list_metrics", "name", "open", "resolve"]

DEFAULT_FIELDS = ("comm", "pid", "tid", "cpu", "time", "event", "period")


class Recording(_Recording):
    """A recording of perf: a file, a directory, a pipe's output, or "-" for standard input. `path` may be the number of
    an open descriptor, which stays the caller's.

    Iterating over it gives its samples in the order of time. A recording that comes through a pipe can be read once.
    """

    def __init__(self, path, *, user_events=True):
        if isinstance(path, int):
            self._path = f"descriptor {path}"
            super().__init__(_Recording._of_descriptor(path, self._path, user_events))
            return
        try:
            super().__init__(os.fspath(path), user_events)
        except NotFoundError as error:
            raise MissingFileError(error.message, error.where, error.hint, error.offset) from None
        self._path = os.fspath(path)

    @classmethod
    def from_bytes(cls, data, *, name="bytes", user_events=True):
        """Opens a recording whose bytes are in memory. `name` is its path in messages."""
        return cls._of(_Recording._of_bytes(bytes(data), name, user_events), name)

    @classmethod
    def _of(cls, recording, path):
        made = cls.__new__(cls)
        _Recording.__init__(made, recording)
        made._path = path
        return made

    def __repr__(self):
        count = len(self.events)
        return f"<Recording {self._path}: {count} {'event' if count == 1 else 'events'}>"

    def __iter__(self):
        return self.samples()

    def annotate(self, file=None, *, fields=None, format="text", limit=0, recorded_names=False, count_periods=False,
                 **filter):
        """Writes the samples to a file that has a descriptor: as text in perf script's layout, csv, jsonl, or folded
        stacks for flame graphs. `fields` is a list or a text as "comm,ip" or "+srcline". The other arguments select
        samples as in Report. Returns the Tally; without a file, returns the text."""
        if file is None:
            with tempfile.TemporaryFile() as file:
                self.annotate(file, fields=fields, format=format, limit=limit, recorded_names=recorded_names,
                              count_periods=count_periods, **filter)
                file.seek(0)
                return file.read().decode("utf-8", "replace")
        if not isinstance(file, int):
            file.flush()
            file = file.fileno()
        if fields is not None and not isinstance(fields, str):
            fields = ",".join(fields)
        return self._annotate(file, fields, format, limit, recorded_names, count_periods, **filter)

    def batches(self, fields=DEFAULT_FIELDS, *, size=65536, file_order=False, salvage=False, progress=None):
        """Returns samples as columns, up to `size` at a time: an iterator of Batch that Arrow reads as a stream. `progress`
        is a function that gets the bytes read and their total (0: unknown), and ends the pass by an exception."""
        return Batches(self, list(fields), size, file_order, salvage, progress)

    def columns(self, fields=DEFAULT_FIELDS, *, file_order=False, salvage=False, progress=None):
        """Returns all samples as columns, in one Batch. `progress` is as for batches()."""
        return Batches(self, list(fields), 2**63, file_order, salvage, progress)._read_all()


class Sampler(_Sampler):
    """Samples events while the program runs: of this thread, of threads, of processes, of `cpus` ([]: all), or of a
    cgroup on them. `events` is a list in the syntax of `perf -e`, which is sampled as `options` of SampledEvents say, or
    a sequence of SampledEvents. `with` enables them, and disables them at its end; samples can still be read then."""

    def __init__(self, events, *, machine=None, tids=None, pids=None, cpus=None, cgroup=None, inherit=False,
                 data_mappings=False, thread=False, user_space_if_refused=True, buffer_pages=0, trace_pages=0, keep=0,
                 **options):
        lists = [SampledEvents(events, **options)] if isinstance(events, str) else list(events)
        super().__init__(machine or _machine(None), lists, tids, pids, cpus, cgroup, inherit, data_mappings,
                         thread, user_space_if_refused, buffer_pages, trace_pages, keep)

    def __repr__(self):
        about = "closed" if self._is_closed else ", ".join(event.name for event in self.events)
        return f"<Sampler {about}>"

    @property
    def events(self):
        """The events that were opened, as RecordedEvent."""
        events = self._recording().events
        return events[:-1] if events[-1].name == "dummy" else events  # events of a trace come after it

    def start(self, fn, *, milliseconds=100, symbols=None):
        """Calls `fn` with each Sample in a thread of the sampler, which is not sampled itself, every `milliseconds` or
        when a buffer is half full, until stop(). Nothing else can read samples meanwhile. Needs `thread=True`."""
        samples = self.samples(symbols=symbols)

        def read():
            for sample in samples:
                fn(sample)

        self._start(read, milliseconds)
        _started.add(self)

    def stop(self):
        try:
            super().stop()
        finally:
            if not self._is_started:
                _started.discard(self)

    def close(self):
        super().close()
        _started.discard(self)

    def take_recording(self):
        """Returns the samples that were read since the last call, up to `keep` bytes of them, as a Recording."""
        return Recording._of(self._take_recording(), "live samples")


_started = set()  # samplers, whose threads must end before the interpreter


@atexit.register
def _stop_threads():
    for sampler in list(_started):
        sampler.close()


os.register_at_fork(after_in_child=_started.clear)


def open(path, *, user_events=True):
    """Opens a recording. Fails only if nothing at all can be read."""
    return Recording(path, user_events=user_events)


@functools.lru_cache(maxsize=8)
def _machine(cpu):
    return Machine(cpu)


def resolve(text, cpu=None):
    """Resolves events in the syntax of `perf -e` to a list of Encoding. `cpu` is as for Machine; None: this machine."""
    return _machine(cpu).resolve(text)


def name(code, cpu=None, pmu=None):
    """Returns the best name of a code: of config, or of a sequence of config words."""
    return _machine(cpu).name(code, pmu)
