#!/usr/bin/env python3
"""evname report --html: its data are those of --json, and nothing of a file gets out of them.
Arguments: the evname command and the source root."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
HOSTILE = b"</script><b>&amp;\xff"


def page_of(recording, folder):
    out = pathlib.Path(folder, "page.html")
    subprocess.run([EVNAME, "report", "--html", out, recording], check=True, capture_output=True)
    return out.read_text()


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])


def check_numbers(page, recording):
    rows = subprocess.run([EVNAME, "report", "--json", recording], check=True, capture_output=True, text=True)
    events = {event["name"]: event for event in data_of(page)["events"]}
    data = data_of(page)
    for row in map(json.loads, rows.stdout.splitlines()):
        event = events[row["event"]]
        assert event["samples"] == row["samples"] and event["period"] == row["period"], row
        index = data["events"].index(event)
        assert sum(data["samples"][index]) == row["samples"], row
        assert sum(data["periods"][index]) == row["period"], row
        assert row["first"] is None or abs(event["first"] / 1e9 - row["first"]) < 1e-9, row


def main():
    with tempfile.TemporaryDirectory() as folder:
        for recording in sorted((ROOT / "tests" / "data").glob("*.data")):
            page = page_of(recording, folder)
            check_numbers(page, recording)
            assert "http" not in page, "the page needs the network"
            assert len(page) < 1 << 20, len(page)
        # The same recording with a hostile name of a user's event.
        original = (ROOT / "tests" / "data" / "cortex-a72-system.data").read_bytes()
        name = b"my_cycles\0" + bytes(len(HOSTILE) - 10 if len(HOSTILE) > 10 else 0)
        assert original.count(name) == 1
        hostile = pathlib.Path(folder, "hostile.data")
        hostile.write_bytes(original.replace(name, HOSTILE.ljust(len(name), b"\0")))
        page = page_of(hostile, folder)
        assert "</script><b>" not in page
        assert any("</script><b>" in event["name"] for event in data_of(page)["events"])
    return 0


sys.exit(main())
