import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, Any, overload

from ._errors import CancelledError as CancelledError
from ._errors import CorruptError as CorruptError
from ._errors import Error as Error
from ._errors import InvalidArgumentError as InvalidArgumentError
from ._errors import MissingFileError as MissingFileError
from ._errors import NoMemoryError as NoMemoryError
from ._errors import NotFoundError as NotFoundError
from ._errors import OutOfRangeError as OutOfRangeError
from ._errors import RecordingWarning as RecordingWarning
from ._errors import SystemCallError as SystemCallError
from ._errors import UnsupportedError as UnsupportedError
from ._evname import FIELDS as FIELDS
from ._evname import Batch as Batch
from ._evname import Batches as Batches
from ._evname import Column as Column
from ._evname import Counters as Counters
from ._evname import Encoding as Encoding
from ._evname import InstructionReport as InstructionReport
from ._evname import Machine as Machine
from ._evname import Mask as Mask
from ._evname import MetricSet as MetricSet
from ._evname import Names as Names
from ._evname import Records as Records
from ._evname import Report as Report
from ._evname import Sample as Sample
from ._evname import SampleScope as SampleScope
from ._evname import Samples as Samples
from ._evname import Symbols as Symbols
from ._evname import TopdownTree as TopdownTree
from ._evname import __version__ as __version__
from ._evname import _Recording
from ._evname import _Sampler
from ._evname import branch as branch
from ._evname import data_source as data_source
from ._evname import list_metrics as list_metrics
from ._records import Branch as Branch
from ._records import Context as Context
from ._records import Counter as Counter
from ._records import CounterValue as CounterValue
from ._records import Cpu as Cpu
from ._records import DataSource as DataSource
from ._records import Event as Event
from ._records import Frame as Frame
from ._records import Instruction as Instruction
from ._records import InstructionFunction as InstructionFunction
from ._records import Losses as Losses
from ._records import Mapping as Mapping
from ._records import Metric as Metric
from ._records import MetricEvent as MetricEvent
from ._records import MetricValue as MetricValue
from ._records import Pmu as Pmu
from ._records import Record as Record
from ._records import RecordedEvent as RecordedEvent
from ._records import ReportRow as ReportRow
from ._records import SampledEvents as SampledEvents
from ._records import SampledFunction as SampledFunction
from ._records import Tally as Tally
from ._records import TopdownNode as TopdownNode
from ._records import TopdownValue as TopdownValue

__all__ = ["Batch", "Batches", "Branch", "CancelledError", "Column", "Context", "CorruptError", "Counter", "CounterValue", "Counters", "Cpu",
           "DEFAULT_FIELDS", "DataSource", "Encoding", "Error", "Event", "FIELDS", "Frame", "Instruction", "InstructionFunction", "InstructionReport", "InvalidArgumentError", "Losses", "Machine", "Mapping",
           "Mask", "Metric", "MetricEvent", "MetricSet", "MetricValue", "MissingFileError", "Names", "NoMemoryError",
           "NotFoundError", "OutOfRangeError", "Pmu", "Record", "RecordedEvent", "Recording", "RecordingWarning", "Records", "Report", "ReportRow",
           "Sample", "SampleScope", "SampledEvents", "SampledFunction", "Sampler", "Samples", "Symbols", "SystemCallError", "Tally", "UnsupportedError", "__version__", "branch", "data_source", "list_metrics",
           "name", "open", "resolve"]

DEFAULT_FIELDS: tuple[str, ...]

class Recording(_Recording):
    def __init__(self, path: str | os.PathLike[str] | int, *, user_events: bool = ...) -> None: ...
    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview, *, name: str = ..., user_events: bool = ...) -> Recording: ...
    def __iter__(self) -> Iterator[Sample]: ...
    @overload
    def annotate(self, file: None = ..., *, fields: str | Iterable[str] | None = ..., format: str = ..., limit: int = ...,
                 recorded_names: bool = ..., count_periods: bool = ..., **filter: Any) -> str: ...
    @overload
    def annotate(self, file: int | IO[Any], *, fields: str | Iterable[str] | None = ..., format: str = ...,
                 limit: int = ..., recorded_names: bool = ..., count_periods: bool = ..., **filter: Any) -> Tally: ...
    def batches(self, fields: Iterable[str] = ..., *, size: int = ..., file_order: bool = ..., salvage: bool = ...,
                progress: Callable[[int, int], object] | None = ...) -> Batches: ...
    def columns(self, fields: Iterable[str] = ..., *, file_order: bool = ..., salvage: bool = ...,
                progress: Callable[[int, int], object] | None = ...) -> Batch: ...

class Sampler(_Sampler):
    def __init__(self, events: str | Iterable[SampledEvents], *, machine: Machine | None = ...,
                 tids: Sequence[int] | None = ..., pids: Sequence[int] | None = ..., cpus: Sequence[int] | None = ...,
                 cgroup: str | None = ..., inherit: bool = ..., data_mappings: bool = ..., thread: bool = ...,
                 user_space_if_refused: bool = ..., buffer_pages: int = ..., trace_pages: int = ..., keep: int = ...,
                 **options: Any) -> None: ...
    def __enter__(self) -> Sampler: ...
    @property
    def events(self) -> list[RecordedEvent]: ...
    def start(self, fn: Callable[[Sample], object], *, milliseconds: int = ..., symbols: Symbols | None = ...) -> None: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...
    def take_recording(self) -> Recording: ...

def open(path: str | os.PathLike[str], *, user_events: bool = ...) -> Recording: ...
def resolve(text: str, cpu: str | None = ...) -> list[Encoding]: ...
def name(code: int | Sequence[int], cpu: str | None = ..., pmu: str | None = ...) -> str: ...
