#!/usr/bin/env python3
"""evname on a machine whose PMU really counts: boots the emulated Neoverse N1, runs a static aarch64
evname in it (tests/cross says how to build one), and compares with perf in the same guest.
Usage: live_test.py RECORD_IN_GUEST. The environment names EVNAME_AARCH64 (the binary) and
EVNAME_GUEST_WORKDIR (where the guest image is kept); without them it is skipped (exit code 77)."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

GUEST = """
/in/evname cpu --json > cpu.json
/in/evname resolve --json cpu_cycles inst_retired > resolve.json
/in/evname stat --json -e cpu_cycles,inst_retired -- md5sum /usr/bin/perf > stat.json
perf stat -e r11,r08 -- md5sum /usr/bin/perf 2> perf.txt
"""


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.startswith("{")]


def main(record_in_guest, binary, workdir):
    with tempfile.TemporaryDirectory() as scratch:
        script, out = pathlib.Path(scratch, "guest.sh"), pathlib.Path(scratch, "out")
        script.write_text(GUEST)
        evname = pathlib.Path(scratch, "evname")
        evname.write_bytes(pathlib.Path(binary).read_bytes())
        subprocess.run([record_in_guest, "--cpu", "neoverse-n1", "--icount", "shift=1", "--out", out,
                        workdir, script, evname], check=True)
        (cpu,) = rows(out / "cpu.json")
        assert (cpu["model"], cpu["matched_by"]) == ("arm/neoverse-n1", "cpuid"), cpu
        assert [r["config"] for r in rows(out / "resolve.json")] == ["0x11", "0x8"]
        perf = {name: int(count.replace(",", "")) for count, name in
                re.findall(r"^\s*([\d,]+)\s+(r11|r08)\b", (out / "perf.txt").read_text(), re.M)}
        for row, name in zip(rows(out / "stat.json"), ("r11", "r08"), strict=True):
            # The same program under a fixed clock; page faults and interrupts differ a little.
            difference = abs(row["count"] - perf[name]) / perf[name]
            print(f"{row['name']}: evname {row['count']}, perf {perf[name]}, {difference:.4%} apart")
            assert row["count"] > 0 and difference < 0.01


if __name__ == "__main__":
    binary, workdir = os.environ.get("EVNAME_AARCH64"), os.environ.get("EVNAME_GUEST_WORKDIR")
    if not binary or not workdir:
        print("skipped: EVNAME_AARCH64 and EVNAME_GUEST_WORKDIR are not set")
        sys.exit(77)
    main(sys.argv[1], binary, workdir)
