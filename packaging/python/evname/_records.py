"""The items of evname's lists: plain tuples with names."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Cpu(NamedTuple):
    """The CPU of a machine, and how its model was found."""

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
    """The value of a metric; None: there is none, and `problem` says why, such as an event that was not counted.
    `beyond`: whether its threshold is exceeded; None: it has none."""

    value: float | None
    unit: str
    beyond: bool | None
    problem: str


class TopdownNode(NamedTuple):
    """A node of a top-down tree. `parent` is an index of TopdownTree.nodes, None at level 1, `events` are indexes of
    TopdownTree.events. `share` is what its value is a share of: "slots", "clocks", "operations", "parent" or ""."""

    name: str
    desc: str
    level: int
    parent: int | None
    share: str
    threshold: str
    samples: tuple[str, ...]
    events: tuple[int, ...]
    problem: str


class TopdownValue(NamedTuple):
    """The value of a node in percent; None: it has none. `flagged`: it and all nodes above it are beyond their thresholds."""

    value: float | None
    flagged: bool


class RecordedEvent(NamedTuple):
    """An event of a recording. `name` is symbolic, without `modifiers`; it has the PMU ("cpu_core/cycles/") if another PMU
    of the recording or its machine has the name. `recorded_name` is perf's."""

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


class Record(NamedTuple):
    """A record. `name` is perf's of its `type`, such as "MMAP2". `pid`, `tid`, `time` (in ns), `cpu`, `id` and `event` are
    where and when the kernel wrote it, or None. `sample` is None if it is another record, whose `fields` are by the names
    of record_fields.def, without "own_"."""

    name: str
    type: int
    misc: int
    pid: int | None
    tid: int | None
    time: int | None
    cpu: int | None
    id: int | None
    event: RecordedEvent | None
    sample: object
    fields: dict[str, int | bool | str | bytes | tuple[int, ...]]


class Tally(NamedTuple):
    """The numbers that a pass over samples has counted so far."""

    samples: int
    unknown_ids: int
    malformed: int
    lost: int


class Context(enum.IntEnum):
    """A marker in Sample.callchain: the addresses after it are in that part of the machine. It is an int, and prints
    as its name."""

    PERF_CONTEXT_HV = 2**64 - 32
    PERF_CONTEXT_KERNEL = 2**64 - 128
    PERF_CONTEXT_USER = 2**64 - 512
    PERF_CONTEXT_USER_DEFERRED = 2**64 - 640
    PERF_CONTEXT_GUEST = 2**64 - 2048
    PERF_CONTEXT_GUEST_KERNEL = 2**64 - 2176
    PERF_CONTEXT_GUEST_USER = 2**64 - 2560

    def __repr__(self) -> str:
        return self.name

    def __str__(self) -> str:
        return self.name


class DataSource(NamedTuple):
    """Where the data of an access came from: the parts of Sample.data_src. `level_number`, `hops` and `region` are numbers,
    the others bits, with the meanings of struct evname_data_source (evname/decoded.h). Texts are perf's: "LOAD", "L1 hit",
    "HitM"; `text` has all parts."""

    op: int
    level: int
    level_number: int
    snoop: int
    snoop_more: int
    lock: int
    tlb: int
    blocked: int
    hops: int
    remote: bool
    region: int
    op_text: str
    level_text: str
    snoop_text: str
    tlb_text: str
    lock_text: str
    blocked_text: str
    text: str


class Branch(NamedTuple):
    """A branch of Sample.branches. `mispredicted` and `predicted` are both False if it is not known; `cycles` are since the
    branch before, 0: unknown. `type_text` and the others are perf's: "CALL", "SPEC_CORRECT_PATH", "user", "P", or "" if it
    is not known; `text` is "/P/-/-/0/CALL/-"."""

    from_: int
    to: int
    mispredicted: bool
    predicted: bool
    in_transaction: bool
    abort: bool
    not_taken: bool
    cycles: int
    type: int
    extended_type: int
    speculation: int
    privilege: int
    type_text: str
    speculation_text: str
    privilege_text: str
    prediction_text: str
    text: str


class Mapping(NamedTuple):
    """A file that is mapped into a process or the kernel. `build_id` is hexadecimal; "": unknown."""

    file: str
    build_id: str
    start: int
    end: int
    offset: int
    pid: int
    kernel: bool


class Frame(NamedTuple):
    """A function in a stack. `function` and `source` are "" and `line` is None if they are not known. `ip` is the
    address in the process, `address` the same in the file's own addresses, `offset` the one from the function's
    start. The caller of a frame that is `inlined` is the frame after it. `label` is the function; if it is unknown,
    "libc.so.6+0x1234" or the address."""

    function: str
    offset: int
    dso: str
    source: str
    line: int | None
    ip: int
    address: int
    inlined: bool
    kernel: bool
    label: str


class Counter(NamedTuple):
    """An event of Counters. `problem` is the reason why it is not counted, or ""."""

    name: str
    pmu: str
    problem: str


class CounterValue(NamedTuple):
    """The count of an event. `enabled` and `running` are in ns; `scaled` is None if it never had a counter."""

    name: str
    value: int
    enabled: int
    running: int
    scaled: float | None


class ReportRow(NamedTuple):
    """A row of a Report: samples that are equal in all keys. `keys` has the value of each, None: not sampled. `first`
    and `last` are times in ns, None if there are none; `of` is the number of samples that `share` is a share of."""

    keys: dict[str, str | None]
    samples: int
    period: int
    share: float
    of: int
    first: int | None
    last: int | None
    lost: int
    throttled: int


class Instruction(NamedTuple):
    """An instruction with its samples by event. `address` is in the file's own addresses; `bytes` and `text` are empty if
    they are unknown. `target` is where a direct jump or call continues, `symbol` names it or data at an address relative to
    the instruction. `frames` are inlined calls, innermost first, then the function; their `ip` is the address."""

    address: int
    bytes: bytes
    text: str
    is_jump: bool
    is_call: bool
    target: int | None
    symbol: str
    frames: tuple[Frame, ...]
    samples: dict[str, int]


class InstructionFunction(NamedTuple):
    """A function of an InstructionReport, with its samples by event. The samples of its instructions and `outside` add up
    to them. `problem` says why bytes are unknown, or is ""."""

    name: str
    dso: str
    build_id: str
    samples: dict[str, int]
    instructions: list[Instruction]
    outside: dict[str, int]
    problem: str


class SampledEvents(NamedTuple):
    """Events that are sampled alike: a list in the syntax of `perf -e`. A sample is taken each `period` events, else
    `frequency` times a second, else as the event suggests. `fields`: what samples have beside ip, pid, tid and time
    ("cpu,addr"). `call_graph`: fp, dwarf (with copies of `stack_size` bytes), lbr or nothing."""

    events: str
    period: int = 0
    frequency: int = 0
    fields: str = ""
    call_graph: str = ""
    stack_size: int = 8192


class SampledFunction(NamedTuple):
    """A function, and its part of the samples: those taken in it, not in what it calls, and the events that they stand
    for."""

    function: str
    dso: str
    samples: int
    period: int


class Losses(NamedTuple):
    """The losses of a sampler: samples that found no room, how often the rest of a buffer made no sense, records
    beyond `keep`."""

    lost: int
    damaged: int
    not_kept: int
