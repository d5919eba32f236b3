#!/usr/bin/env python3
"""Programs that speak libpfm4, as Debian and their makers built them, with evname's libpfm.so.4 and nothing else: PAPI's tools,
llvm-exegesis, PCP's agent perfevent, perf --pfm-events and google/benchmark. They run on this machine, and on CPUs that their
libpfm4 doesn't know (a cpuinfo and a sysfs of those in a namespace); what they pass to perf_event_open is compared with what the
CPUs' makers say. tests/libpfm/task_clock.c counts in place of the PMU that this machine may lack. Beside libpfm4, they print the same.
Programs that are not installed are skipped. EVNAME_PERF_ORACLE: a folder with a perf that has libpfm4; EVNAME_BENCHMARK: a program of
google/benchmark with libpfm4. Arguments: evname's library, task_clock.so, evname, tests/libpfm/show."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

OURS, TASK_CLOCK, EVNAME, SHOW = (os.path.abspath(argument) for argument in sys.argv[1:5])
AGENT = "/var/lib/pcp/pmdas/perfevent/pmda_perfevent.so"


class Cpu:
    def __init__(self, pmu, model, cpuinfo, sysfs, events, mcpu=None):
        self.pmu, self.model, self.cpuinfo, self.sysfs, self.events, self.mcpu = pmu, model, cpuinfo, sysfs, events, mcpu


def x86(vendor, family, model):
    return f"processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: x\nstepping\t: 1\ncpu MHz\t\t: 1000\n\n"


# An event, and the type and config that opens it: Intel's perfmon (GNR, LNL; of fixed counters Linux's jevents.py), AMD's PPR of family 1Ah, Arm's TRM of the C1-Ultra.
CPUS = [
    Cpu("gnr", "graniterapids", x86("GenuineIntel", 6, 173), {"cpu": 4},
        {"MEM_LOAD_RETIRED:L3_MISS": "4 0x20d1", "CYCLE_ACTIVITY:STALLS_TOTAL": "4 0x40004a3", "INST_RETIRED:ANY_P": "4 0xc0"}, "sapphirerapids"),
    Cpu("lnl_core", "lunarlake", x86("GenuineIntel", 6, 189), {"cpu_core": 4, "cpu_atom": 10},
        {"MEM_LOAD_RETIRED:L3_MISS": "4 0x20d1", "lnl_core::ARITH:FPDIV_ACTIVE": "4 0x10001b0", "INST_RETIRED:ANY": "4 0xc0"}, "lunarlake"),
    Cpu("amd64_fam1ah_zen6", "amdzen6", x86("AuthenticAMD", 26, 80), {"cpu": 4},
        {"RETIRED_INSTRUCTIONS": "4 0xc0", "CYCLES_NOT_IN_HALT": "4 0x76"}, "znver5"),
    Cpu("arm_c1_ultra", "c1-ultra",
        "processor\t: 0\nBogoMIPS\t: 2000.00\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd8c\nCPU revision\t: 0\n\n",
        {"armv9_c1_ultra": 8}, {"CPU_CYCLES": "4 0x11", "L1D_CACHE_REFILL": "4 0x3"}),
]


class Runner:
    """Runs programs as on one CPU."""

    def __init__(self, folder, library, cpu=None, **environment):
        self.folder = pathlib.Path(folder)
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(("LIBPFM_", "PAPI_", "PFM_"))}
        self.env.pop("LD_LIBRARY_PATH", None)
        self.env |= environment
        if library:
            self.env["LD_LIBRARY_PATH"] = os.path.dirname(library)
        self.opened = self.folder / "opened"
        self.wrapper = []
        if cpu:
            (self.folder / "cpuinfo").write_text(cpu.cpuinfo)
            self.env["LIBPFM_PROC_CPUINFO"] = str(self.folder / "cpuinfo")
            self.wrapper = namespace(self.folder, cpu.sysfs)

    def run(self, *command, **environment):
        """What the program prints, and what it opened as "type config"."""
        self.opened.unlink(missing_ok=True)
        env = self.env | {"LD_PRELOAD": TASK_CLOCK, "PFM_OPENED": str(self.opened)} | environment
        found = subprocess.run([*self.wrapper, *command], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                               check=False)
        opened = self.opened.read_text().splitlines() if self.opened.exists() else []
        return found.stdout + found.stderr, {" ".join(line.split()[:2]) for line in opened}


def namespace(folder, pmus):
    """The start of a command that sees another CPU's sysfs and cpuinfo; nothing if that can't be."""
    sysfs = folder / "sysfs"
    for name, number in ({"software": 1, "tracepoint": 2} | pmus).items():
        (sysfs / name / "format").mkdir(parents=True)
        (sysfs / name / "type").write_text(f"{number}\n")
        (sysfs / name / "cpus").write_text("0\n")
    start = ["unshare", "--mount"] + (["--map-root-user"] if os.getuid() else []) + ["sh", "-c", (
        'mount --bind "$0/sysfs" /sys/bus/event_source/devices && mount --bind "$0/cpuinfo" /proc/cpuinfo && exec "$@"'), str(folder)]
    if shutil.which("unshare") and subprocess.run([*start, "true"], capture_output=True, check=False).returncode == 0:
        return start
    print("needs namespaces: programs see this machine's sysfs")
    return []


def newest_exegesis():
    names = [f"llvm-exegesis-{number}" for number in range(40, 12, -1)] + ["llvm-exegesis"]
    return next((name for name in names if shutil.which(name)), "llvm-exegesis-22")


def perf_with_libpfm():
    """Debian's perf has no libpfm4."""
    path = os.path.join(os.environ.get("EVNAME_PERF_ORACLE") or "/nowhere", "perf")
    return path if os.path.exists(path) else None


def may_count():
    counted = subprocess.run([EVNAME, "stat", "-e", "task-clock:u", "--", "true"], capture_output=True, text=True, check=False)
    return counted.returncode == 0 and "<not" not in counted.stdout + counted.stderr


def has_agent():
    """PCP's agent counts whole CPUs, which the kernel permits root."""
    return os.geteuid() == 0 and is_there("dbpmda") and is_there(AGENT)


def is_there(program, why=""):
    if program and (shutil.which(program) or (program.endswith(".so") and os.path.exists(program))):
        return True
    print(f"{program or why}: skipped, not here")
    return False


def test_papi(runner, cpu):
    if not is_there("papi_command_line"):
        return
    natives, _ = runner.run("papi_native_avail")
    for event in cpu.events:
        assert event.rpartition("::")[2].partition(":")[0] in natives, (event, natives[-500:])
    added, opened = runner.run("papi_command_line", *cpu.events)
    for event, code in cpu.events.items():
        assert f"Successfully added: {event}\n" in added and code in opened, (event, code, added, opened)
    presets = subprocess.run([EVNAME, "emit", "--cpu", cpu.model, "--format", "papi-presets"], capture_output=True, text=True, check=True)
    table = runner.folder / "papi_events.csv"
    table.write_text(presets.stdout)
    own = presets.stdout.split(f"CPU,{cpu.pmu}\n")[1].split("CPU,")[0].splitlines()
    rows = [line.split(",") for line in own if line.startswith("PRESET,")]
    told, _ = runner.run("papi_avail", PAPI_CSV_EVENT_FILE=str(table))
    known = {row[1] for row in rows if re.search(rf"^{row[1]} ", told, re.M)}
    derived = sum(row[1] in known and row[2] != "NOT_DERIVED" for row in rows)
    assert f"{len(known)} are available, " in told and f" {derived} are derived" in told and len(known) > 10, (cpu.pmu, len(known), derived, told[-300:])
    print(f"{cpu.pmu}: PAPI adds {len(cpu.events)} events and has {len(known)} presets")


def test_exegesis(runner, cpu):
    program = newest_exegesis()
    if not is_there(program) or not cpu.mcpu or os.uname().machine != "x86_64":
        return
    told, opened = runner.run(program, "--mode=latency", "--opcode-name=ADD64rr", f"-mcpu={cpu.mcpu}")
    if any(words in told for words in ("does not define a cycle counter", "unknown CPU", "is not a recognized processor")):
        print(f"{program} has no counters for {cpu.mcpu}")
        return
    assert "key: latency" in told and opened in ({"4 0x3c"}, {"4 0x76"}), (cpu.pmu, told, opened)
    print(f"{cpu.pmu}: {program} measures")


def agent_output(runner, pmu, events):
    """What PCP's agent prints as dbpmda starts it, and what it opened."""
    folder = runner.folder / "pcp"
    (folder / "perfevent").mkdir(parents=True, exist_ok=True)
    (folder / "perfevent" / "perfevent.conf").write_text(f"[{pmu}]\n" + "".join(f"{event}\n" for event in events))
    (folder / "root").write_text("root {\n perfevent\n}\nperfevent {\n version 127:0:0\n active 127:0:1\n hwcounters 127:*:*\n derived 127:*:*\n}\n")
    metric = "perfevent.hwcounters." + re.sub(r"[:.]+", "_", events[0]) + ".value"
    (folder / "commands").write_text(f"open dso {AGENT} perfevent_init 127\ntraverse perfevent\nfetch {metric}\nquit\n")
    return runner.run("sh", "-c", f"dbpmda -f -n {folder}/root < {folder}/commands", PCP_PMDAS_DIR=str(folder))


def test_agent(runner, cpu):
    if not has_agent():
        return
    events = [event.rpartition("::")[2] for event in cpu.events]
    told, opened = agent_output(runner, cpu.pmu, events)
    assert set(cpu.events.values()) <= opened and "cannot get" not in told and "numval: 0" not in told, (cpu.pmu, told[-2000:], opened)
    print(f"{cpu.pmu}: PCP's perfevent counts {len(events)} events")


def test_perf(runner, cpu):
    perf = perf_with_libpfm()
    if not is_there(perf, "perf with libpfm4 (EVNAME_PERF_ORACLE)"):
        return
    told, opened = runner.run(perf, "stat", "-x,", "--pfm-events", ",".join(cpu.events), "true")
    assert set(cpu.events.values()) <= opened and "not supported" not in told and "not counted" not in told, (cpu.pmu, told, opened)
    listed, _ = runner.run(perf, "list", "pfm")
    assert f"pfm {cpu.pmu}:" in listed and "lnl_atom" in listed or cpu.pmu != "lnl_core", listed[-1000:]
    print(f"{cpu.pmu}: perf --pfm-events counts {len(cpu.events)} events")


def test_benchmark(runner, cpu):
    program = os.environ.get("EVNAME_BENCHMARK")
    if not is_there(program, "google/benchmark with libpfm4 (EVNAME_BENCHMARK)"):
        return
    told, opened = runner.run(program, f"--benchmark_perf_counters={','.join(cpu.events)}", "--benchmark_min_time=0.01")
    assert opened == set(cpu.events.values()) and all(f"{event}=" in told for event in cpu.events), (cpu.pmu, told, opened)
    print(f"{cpu.pmu}: google/benchmark counts {len(cpu.events)} events")


def test_presets_have_names():
    """All events of the presets are names of the library: also on CPUs whose PMUs have names in sysfs, and of deprecated events."""
    cpus = ["lunarlake", "arrowlake", "sierraforest", "amdzen6", "c1-ultra", "cortex-a76", "ampereone", "power9"]
    presets = subprocess.run([EVNAME, "emit", *(word for cpu in cpus for word in ("--cpu", cpu)), "--format", "papi-presets"],
                             capture_output=True, text=True, check=True).stdout
    names, pmus = set(), []
    for kind, first, *rest in (line.split(",") for line in presets.splitlines() if line[0] != "#"):
        if kind == "CPU":
            pmus.append(first)
        else:
            names |= {f"{pmus[-1]}::{event}" for event in rest[1:]}
    shown = subprocess.run([SHOW, OURS, "encode", *sorted(names)], env=os.environ | {"LIBPFM_ENCODE_INACTIVE": "1"}, capture_output=True,
                           text=True, check=True).stdout
    answers = dict(re.findall(r"^  raw (\S+) (-?\d+)", shown, re.M))
    wrong = {name: answers.get(name) for name in names if answers.get(name) != "0"}
    assert not wrong and len(pmus) == 11 and len(names) > 250, (wrong, pmus, len(names))
    print(f"{len(names)} events of the presets of {len(pmus)} PMUs are names of the library")


def test_beside_libpfm4(folder):
    """On a CPU that both know, the programs print and open the same."""
    theirs, ours = ((lambda library: Runner(folder, library, LIBPFM_FORCE_PMU="skx"))(library) for library in (None, OURS))
    presets = subprocess.run([EVNAME, "emit", "--cpu", "skylakex", "--format", "papi-presets"], capture_output=True, text=True, check=True)
    table = pathlib.Path(folder, "papi_events.csv")
    table.write_text(presets.stdout)
    commands = [["papi_avail"], ["papi_native_avail"],
                ["papi_command_line", "MEM_LOAD_RETIRED:L3_MISS", "skx::UOPS_ISSUED:ANY:c=1:i=1"],
                [newest_exegesis(), "--mode=latency", "--opcode-name=ADD64rr", "-mcpu=skylake-avx512"],
                [perf_with_libpfm() or "perf-with-libpfm4", "list", "pfm"]]
    for command in commands:
        if not is_there(command[0]):
            continue
        (one, opened), (other, own_opened) = (runner.run(*command, PAPI_CSV_EVENT_FILE=str(table)) for runner in (theirs, ours))
        one, other = (sorted(set(re.findall(pattern_of(command), text, re.M))) for text in (one, other))
        assert one == other and opened == own_opened and len(one) + len(opened) > 1, (command, set(one) ^ set(other), opened ^ own_opened)
        print(f"{' '.join([os.path.basename(command[0])] + command[1:])}: {len(one)} lines and {len(opened)} events are the same")
    if has_agent():
        events = ["MEM_LOAD_RETIRED:L3_MISS", "INST_RETIRED:ANY_P"]
        (one, opened), (other, own_opened) = (agent_output(runner, "skx", events) for runner in (theirs, ours))
        one, other = (re.findall(r"^\w+::.*|^Found PMU.*", text, re.M) for text in (one, other))
        assert one == other and opened == own_opened and len(one) > 80, (set(one) ^ set(other), opened ^ own_opened)
        print(f"PCP's perfevent: {len(one)} lines and {len(opened)} events are the same")


def pattern_of(command):
    """The compared part of a program's lines: descriptions are libpfm4's own, and times differ."""
    return {"papi_native_avail": r"^\| {5}:[\w=]+|^\| \w+::\w+|^Total.*", "papi_command_line": r"^Successfully.*"}.get(
        command[0], r"^PAPI_\w+ .*|^Of .*|cpu_name:.*|^  \w+::[\w:]+")


def main():
    test_presets_have_names()
    if not may_count():
        print("the programs are skipped: perf_event_open is not permitted here")
        return
    with tempfile.TemporaryDirectory() as folder:
        test_beside_libpfm4(folder)
    for cpu in CPUS:
        with tempfile.TemporaryDirectory() as folder:
            runner = Runner(folder, OURS, cpu)
            test_papi(runner, cpu)
            test_exegesis(runner, cpu)
            test_agent(runner, cpu)
            test_perf(runner, cpu)
            test_benchmark(runner, cpu)


if __name__ == "__main__":
    main()
