"""Functions of samples, beside what perf script printed: files, counts and callers."""

import collections

import pytest
from conftest import data

import evname

# A kernel of one function; addresses of a recording are relative to its _text.
KALLSYMS = "ffff800008000000 T _text\nffff800008000010 t whole_kernel\nffff80000a000000 T _end\n"


@pytest.fixture
def kallsyms(tmp_path):
    path = tmp_path / "kallsyms"
    path.write_text(KALLSYMS)
    return str(path)


# perf script -F event,dso of it.
def test_frames_have_the_files_that_perf_names():
    counts = collections.Counter()
    for sample in evname.open(data("neoverse-n1.data")).samples(symbols=evname.Symbols(lines=False)):
        frame = sample.frames[0]
        assert frame.ip == sample.ip and frame.kernel == (frame.dso == "[kernel.kallsyms]")
        assert sample.mapping.start <= sample.ip < sample.mapping.end and sample.mapping.kernel == frame.kernel
        assert frame.kernel or sample.mapping.file == frame.dso
        counts[sample.event.name, frame.dso] += 1
    assert counts["cpu_cycles", "/usr/bin/busybox"] == 221 and counts["cpu_cycles", "[kernel.kallsyms]"] == 18


def test_the_kernel_has_functions(kallsyms):
    symbols = evname.Symbols(kallsyms=kallsyms)
    names = collections.Counter(sample.frames[0].function for sample in evname.open(data("neoverse-n1.data")).samples(symbols=symbols)
                                if sample.event.name == "cpu_cycles")
    assert names["whole_kernel"] == 18 and symbols.problems == []


def test_without_symbols_there_are_no_frames():
    sample = next(evname.open(data("neoverse-n1.data")).samples())
    assert sample.frames == () and sample.mapping is None


def chains_of_perf(name):
    """Addresses of each sample's callchain, as perf script printed them."""
    for block in data(name).read_text().strip().split("\n\n"):
        yield [int(line.split()[0], 16) for line in block.splitlines()[1:]]


def test_stacks_are_the_chains_of_perf():
    samples = list(evname.open(data("deferred-zstd.data")).samples(symbols=evname.Symbols()))
    expected = list(chains_of_perf("deferred-zstd.chains"))
    assert len(samples) == len(expected)
    for sample, chain in zip(samples, expected):
        assert [frame.ip for frame in sample.frames] == chain


# enum perf_callchain_context of include/uapi/linux/perf_event.h.
def test_markers_of_callchains_have_names():
    chains = [sample.callchain for sample in evname.open(data("deferred-zstd.data"))]
    markers = {word for chain in chains for word in chain if word > 2**64 - 4096}
    assert {int(marker): str(marker) for marker in markers} == {2**64 - 128: "PERF_CONTEXT_KERNEL", 2**64 - 640: "PERF_CONTEXT_USER_DEFERRED"}
    assert repr(evname.Context(2**64 - 512)) == "PERF_CONTEXT_USER"
    for chain in chains:
        assert all(type(word) is evname.Context for word in chain if word > 2**64 - 4096), chain
        assert "18446744073709" not in repr(chain), chain
