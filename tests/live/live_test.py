#!/usr/bin/env python3
"""evname on machines whose PMU really counts: boots an emulated Neoverse N1 and Cortex-A72, runs a
static aarch64 evname in them (tests/cross says how to build one), and compares with perf in the same
guest. Usage: live_test.py RECORD_IN_GUEST. The environment names EVNAME_AARCH64 (the binary) and
EVNAME_GUEST_WORKDIR (where the guest image is kept); without them it is skipped (exit code 77).
EVNAME_COUNTER_COST, if it is set, is a static aarch64 counter_cost (counter_cost.cpp beside this file)."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

MODELS = {"neoverse-n1": "arm/neoverse-n1", "cortex-a72": "arm/cortex-a57-a72"}
GUEST = """
echo 1 > /proc/sys/kernel/perf_user_access
/in/evname cpu --json > cpu.json
/in/evname resolve --json cpu_cycles inst_retired > resolve.json
WORK="md5sum /usr/bin/perf"
$WORK > /dev/null
/in/evname stat --json -o stat.json -e cpu_cycles,inst_retired,page-faults -- $WORK
perf stat -x, -o perf.csv -e r11,r08,page-faults -- $WORK
/in/evname stat --json -o user.json -e '{cpu_cycles:u,inst_retired:u}' -- $WORK
perf stat -x, -o user.csv -e '{r11:u,r08:u}' -- $WORK
/in/evname stat --json -o cpus.json -a -A -e cpu_cycles -- sleep 0.2
# More events than there are counters: multiplexed, and told so.
/in/evname stat --json -o many.json -e cpu_cycles,inst_retired,r10,r12,r01,r02,r03,r04,r05,r06,r07 -- $WORK
/in/evname stat --json -o group.json -e '{inst_retired,r10,r12,r01,r02,r03,r04,r05,r06,r07}:W' -- $WORK
/in/evname stat -o group.txt -e '{inst_retired,r10,r12,r01,r02,r03,r04,r05,r06,r07}' -- true 2> group.err
/in/evname stat -o precise.txt -e cpu_cycles:pp -- true 2> precise.err
true
"""
COST = """
echo 1 > /proc/sys/kernel/perf_user_access
for events in cpu_cycles:u '{cpu_cycles:u,inst_retired:u}'; do
  echo "$events"
  /in/counter_cost "$events"
done > cost.txt
"""
# Of the guest's clock. A fixed one counts each instruction as 2 ns, as if reading a register took no longer than any
# other; without it the guest has the host's time, and emulating a counter is as slow as it should be.
CLOCKS = {"a clock of instructions": ["--icount", "shift=1"], "the host's clock": []}


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.startswith("{")]


def counts(path):
    return {line.split(",")[2]: float(line.split(",")[0]) for line in path.read_text().splitlines()
            if line and line[0] != "#"}


def compare(ours, theirs, limit):
    """The same program under a fixed clock; interrupts, and so what the kernel does, differ a little."""
    for row, (name, count) in zip(ours, theirs.items(), strict=True):
        value = float(row["counter-value"])
        difference = abs(value - count) / count
        print(f"{row['event']}: evname {value:.0f}, perf {count:.0f}, {difference:.4%} apart")
        few = abs(value - count) <= 2  # page faults: there are some 30
        assert value > 0 and (difference < limit or few), (row, name)


def check(model, out):
    (cpu,) = rows(out / "cpu.json")
    assert (cpu["model"], cpu["matched_by"]) == (MODELS[model], "cpuid"), cpu
    assert [r["config"] for r in rows(out / "resolve.json")] == ["0x11", "0x8"]
    compare(rows(out / "stat.json"), counts(out / "perf.csv"), 0.01)
    compare(rows(out / "user.json"), counts(out / "user.csv"), 0.001)
    (cpus,) = rows(out / "cpus.json")
    assert cpus["cpu"] == "0" and cpus["count"] > 0, cpus
    many = rows(out / "many.json")
    assert any(0 < row["pcnt-running"] < 100 for row in many), many
    once = float(rows(out / "stat.json")[1]["counter-value"])
    for row in many[:2]:
        print(f"{row['event']}: {row['counter-value']} in {row['pcnt-running']} % of the time")
    assert abs(float(many[1]["counter-value"]) - once) / once < 0.3, (many[1], once)
    assert len(rows(out / "group.json")) == 10
    print((out / "group.err").read_text(), (out / "precise.err").read_text(), sep="")
    assert "can't count it together" in (out / "group.err").read_text()


def main(record_in_guest, binary, workdir, counter_cost):
    with tempfile.TemporaryDirectory() as scratch:

        def run(model, script, program, name, options):
            script_file, copy, out = pathlib.Path(scratch, "guest.sh"), pathlib.Path(scratch, name), pathlib.Path(scratch, "out")
            script_file.write_text(script)
            copy.write_bytes(pathlib.Path(program).read_bytes())
            subprocess.run([record_in_guest, "--cpu", model, *options, "--out", out, workdir, script_file, copy], check=True)
            return out

        for model in MODELS:
            print(f"--- {model}")
            check(model, run(model, GUEST, binary, "evname", CLOCKS["a clock of instructions"]))
            for clock, options in CLOCKS.items() if counter_cost else ():
                cost = run(model, COST, counter_cost, "counter_cost", options) / "cost.txt"
                print(f"--- {model}, ns by {clock}\n{cost.read_text()}")


if __name__ == "__main__":
    binary, workdir = os.environ.get("EVNAME_AARCH64"), os.environ.get("EVNAME_GUEST_WORKDIR")
    if not binary or not workdir:
        print("skipped: EVNAME_AARCH64 and EVNAME_GUEST_WORKDIR are not set")
        sys.exit(77)
    main(sys.argv[1], binary, workdir, os.environ.get("EVNAME_COUNTER_COST"))
