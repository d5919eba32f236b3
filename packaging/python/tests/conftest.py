"""Recordings of the project, and what perf script printed of them."""

import os
import pathlib
import re

import pytest

os.environ["EVNAME_EVENTS"] = ""  # no event files of whoever runs the tests
ROOT = pathlib.Path(__file__).resolve().parents[3]
LINE = re.compile(r"^\s*(?P<comm>.*?)\s+(?P<pid>\d+)/(?P<tid>\d+)\s+(?:\[(?P<cpu>\d+)\]\s+)?"
                  r"(?P<seconds>\d+)\.(?P<fraction>\d+):\s+(?P<event>\S+):")


def data(name):
    return ROOT / "tests" / "data" / name


def script_lines(name):
    """Each line of perf script's as a dict; times in ns; perf printed microseconds."""
    lines = []
    for line in data(name).read_text().splitlines():
        fields = LINE.match(line).groupdict()
        fields["time"] = int(fields["seconds"]) * 10**9 + int(fields["fraction"].ljust(9, "0"))
        lines.append(fields)
    return lines


@pytest.fixture(params=["neoverse-n1", "cortex-a72-system"])
def recorded(request):
    """A recording, and perf's lines of it."""
    return data(request.param + ".data"), script_lines(request.param + ".script")


@pytest.fixture
def damaged(tmp_path):
    """A recording that ends in the middle of a record."""
    path = tmp_path / "damaged.data"
    path.write_bytes(data("neoverse-n1.data").read_bytes()[:9000])
    return path
