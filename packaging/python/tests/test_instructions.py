"""Instructions with their samples, beside what `evname report --instructions --json` prints (EVNAME_COMMAND) and where they were put."""

import json
import os
import platform
import re
import shutil
import struct
import subprocess
import sys

import pytest
from conftest import ROOT

import evname

sys.path.insert(0, str(ROOT / "tests" / "command"))
import perf_file  # noqa: E402

ARCH = {"x86_64": b"x86_64", "aarch64": b"aarch64"}.get(platform.machine())
SOURCE = """
#include <stdlib.h>
static inline __attribute__((always_inline)) int twice(int a) { return a * 2 + abs(a) % 7; }
__attribute__((noinline)) int price(int a) { int b = 1; for (int i = 0; i < a; ++i) b += twice(b ^ i) / 3; return b; }
int main(int count, char** arguments) { return price(count) & 1; }
"""


@pytest.fixture
def recording(tmp_path):
    """A program's recording with i % 5 samples at byte i of price(), of one event, and a sample of another."""
    missing = [tool for tool in ("cc", "nm", "readelf") if not shutil.which(tool)]
    if missing or not ARCH:
        pytest.skip(f"no {', '.join(missing) or 'such machine'}")
    program, source = tmp_path / "program", tmp_path / "program.c"
    source.write_text(SOURCE)
    subprocess.run(["cc", "-O2", "-g", "-o", program, source], check=True)
    symbols = subprocess.check_output(["nm", "-S", program], text=True)
    start, size = (int(word, 16) for word in re.search(r"(\w+) (\w+) T price", symbols).groups())
    segments = subprocess.check_output(["readelf", "-lW", program], text=True).splitlines()
    offset, address, length = next([int(line.split()[i], 16) for i in (1, 2, 4)] for line in segments if re.match(r" *LOAD.* R E ", line))
    data = perf_file.record(10, struct.pack("<iiQQQQQQII", 1, 1, address, length, offset, 0, 0, 0, 5, 2) +
                            perf_file.padded(str(program).encode()) + perf_file.trailer(1), 2)
    for i in range(size):
        for event in [1] * (i % 5) + [2] * (i == 0):
            data += perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQ", event, start + i, 1, 1, 10), 2)
    attrs = [perf_file.attr(config=config, sample_type=perf_file.TYPE | 1) for config in (0, 2)]
    path = tmp_path / "perf.data"
    path.write_bytes(perf_file.file(data, attrs, [(6, struct.pack("<I64s", 64, ARCH))]))
    return path, start, size


def test_instructions_are_those_of_the_command(recording):
    path, start, size = recording
    report = evname.InstructionReport()
    assert report.add(evname.open(path)).samples == sum(i % 5 for i in range(size)) + 1
    function, = report.functions()
    if function.name.endswith("(no name)"):
        pytest.skip("evname is built without elfutils")
    assert (function.name, function.dso) == ("price", str(path.parent / "program"))
    assert function.samples == {"cpu-clock": sum(i % 5 for i in range(size)), "page-faults": 1}
    ends = [*(one.address for one in function.instructions[1:]), start + size]
    if function.problem:
        pytest.skip(function.problem)  # a build without a decoder
    assert function.instructions[0].address == start and function.instructions[0].samples["page-faults"] == 1
    for one, end in zip(function.instructions, ends):
        assert len(one.bytes) == end - one.address
        assert one.samples["cpu-clock"] == sum(i % 5 for i in range(one.address - start, end - start))
        assert one.frames[-1].function == "price" and one.frames[-1].ip == one.address
    assert any(frame.function == "twice" and frame.inlined and frame.line == 3 for one in function.instructions for frame in one.frames)
    assert any(one.is_jump and start <= one.target < start + size for one in function.instructions)
    assert function.outside == {"cpu-clock": 0, "page-faults": 0}
    if command := os.environ.get("EVNAME_COMMAND"):
        printed = subprocess.check_output([command, "report", "--instructions", "--json", path], text=True).splitlines()
        assert [(int(row["address"], 16), bytes.fromhex(row["bytes"]), row["text"], row["symbol"] or "", row["cpu-clock_samples"],
                 row["page-faults_samples"]) for row in map(json.loads, printed)] == \
               [(one.address, one.bytes, one.text, one.symbol, *one.samples.values()) for one in function.instructions]


def test_arguments_select(recording):
    path, start, size = recording
    report = evname.InstructionReport(symbols=evname.Symbols(), event="page-faults")
    report.add(evname.open(path))
    function, = report.functions(syntax="att")
    assert function.samples == {"cpu-clock": 0, "page-faults": 1}
    assert ARCH != b"x86_64" or function.problem or any("%rdi" in one.text or "%edi" in one.text for one in function.instructions)
    assert report.functions(top=0) == []
    with pytest.raises(ValueError, match="att, intel"):
        report.functions(syntax="gas")
    with pytest.raises(TypeError):
        evname.InstructionReport(color="red")
