"""The items of evname's lists: plain tuples with names."""

from __future__ import annotations

from typing import NamedTuple


class Cpu(NamedTuple):
    """The CPU of a machine, and the way in which its model was found."""

    arch: str
    cpuid: str
    model: str
    matched_by: str
    note: str


class Pmu(NamedTuple):
    """A PMU of a machine."""

    name: str
    type: int | None
    is_core: bool
    is_present: bool
    cpus: str


class Event(NamedTuple):
    """An event of a machine. `precise` is "possible" or "required" if precise samples can be taken;
    `precise_address`: they have the address of their data."""

    name: str
    pmu: str
    topic: str
    terms: str
    desc: str
    long_desc: str
    unit: str
    scale: float
    is_deprecated: bool
    precise: str
    precise_address: bool
    errata: str


class Metric(NamedTuple):
    """A metric. `events` are indexes of MetricSet.events; a list has none."""

    name: str
    desc: str
    long_desc: str
    expr: str
    threshold: str
    unit: str
    pmu: str
    model: str
    groups: tuple[str, ...]
    events: tuple[int, ...]


class MetricEvent(NamedTuple):
    """An event that metrics need. `problem` is the reason why it can't be counted, or ""."""

    text: str
    problem: str
    is_tool: bool
    for_threshold: bool


class MetricValue(NamedTuple):
    """The value of a metric; None: there is none, or an event was not counted. `beyond`: whether its threshold is
    exceeded; None: it has none."""

    value: float | None
    unit: str
    beyond: bool | None


class RecordedEvent(NamedTuple):
    """An event of a recording. `name` is symbolic, without `modifiers`; `recorded_name` is perf's."""

    name: str
    recorded_name: str
    modifiers: str
    pmu: str
    type: int
    words: tuple[int, int, int, int, int]
    exact: bool
    named_by: str
    ids: tuple[int, ...]
    user_register_mask: int
    interrupt_register_mask: int


class Tally(NamedTuple):
    """The numbers that a pass over samples has counted so far."""

    samples: int
    unknown_ids: int
    malformed: int
    lost: int
