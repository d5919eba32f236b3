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

Failures are exceptions: an Error, which has the offset of the fault. What is wrong with a recording is issued as
RecordingWarning, and what could be read is used.
"""

from __future__ import annotations

import functools
import os

from ._errors import (CorruptError, Error, InvalidArgumentError, MissingFileError, NoMemoryError, NotFoundError,
                      OutOfRangeError, RecordingWarning, SystemCallError, UnsupportedError)
from ._evname import (FIELDS, Batch, Batches, Column, Counters, Encoding, Machine, Mask, MetricSet, Names, Report,
                      Sample, Samples, Symbols, TopdownTree, __version__, _Recording, list_metrics)
from ._records import (Context, Counter, CounterValue, Cpu, Event, Frame, Mapping, Metric, MetricEvent, MetricValue, Pmu,
                       RecordedEvent, ReportRow, Tally, TopdownNode, TopdownValue)

__all__ = ["Batch", "Batches", "Column", "Context", "CorruptError", "Counter", "CounterValue", "Counters", "Cpu",
           "DEFAULT_FIELDS", "Encoding", "Error", "Event", "FIELDS", "Frame", "InvalidArgumentError", "Machine", "Mapping",
           "Mask", "Metric", "MetricEvent", "MetricSet", "MetricValue", "MissingFileError", "Names", "NoMemoryError",
           "NotFoundError", "OutOfRangeError", "Pmu", "RecordedEvent", "Recording", "RecordingWarning", "Report", "ReportRow",
           "Sample", "Samples", "Symbols", "SystemCallError", "Tally", "TopdownNode", "TopdownTree", "TopdownValue",
           "UnsupportedError", "__version__", "list_metrics", "name", "open", "resolve"]

DEFAULT_FIELDS = ("comm", "pid", "tid", "cpu", "time", "event", "period")


class Recording(_Recording):
    """A recording of perf: a file, a directory, a pipe's output, or "-" for standard input.

    Iterating over it gives its samples in the order of time. A recording that comes through a pipe can be read once.
    """

    def __init__(self, path, *, user_events=True):
        try:
            super().__init__(os.fspath(path), user_events)
        except NotFoundError as error:
            raise MissingFileError(error.message, error.where, error.hint, error.offset) from None
        self._path = os.fspath(path)

    def __repr__(self):
        count = len(self.events)
        return f"<Recording {self._path}: {count} {'event' if count == 1 else 'events'}>"

    def __iter__(self):
        return self.samples()

    def batches(self, fields=DEFAULT_FIELDS, *, size=65536, file_order=False, salvage=False):
        """Returns samples as columns, up to `size` at a time: an iterator of Batch that Arrow reads as a stream."""
        return Batches(self, list(fields), size, file_order, salvage)

    def columns(self, fields=DEFAULT_FIELDS, *, file_order=False, salvage=False):
        """Returns all samples as columns, in one Batch."""
        return Batches(self, list(fields), 2**63, file_order, salvage)._read_all()


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
