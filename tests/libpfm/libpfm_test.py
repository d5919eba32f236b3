#!/usr/bin/env python3
"""evname's libpfm.so.4 beside libpfm4's: what both say of PMUs, events, attributes, encodings and wrong arguments; its exports; a CPU
that only evname knows; and the rows of libpfm4's own test suite (EVNAME_SHARED). docs/libpfm4.md lists the differences.
Arguments: evname's library, tests/libpfm/show, its source root."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

OURS, SHOW, ROOT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
THEIRS = os.environ.get("EVNAME_LIBPFM4") or "libpfm.so.4"
FUNCTIONS = """pfm_find_event pfm_get_event_attr_info pfm_get_event_encoding pfm_get_event_info pfm_get_event_next
    pfm_get_os_event_encoding pfm_get_perf_event_encoding pfm_get_pmu_info pfm_get_version pfm_initialize pfm_pmu_validate
    pfm_strerror pfm_terminate""".split()
# PMUs that did not change since libpfm4 4.13, and their numbers.
SAME_PMUS = {"snb": 68, "ivb": 74, "hsw": 104, "skx": 319, "amd64_fam17h_zen1": 444, "amd64_k8_revg": 61, "netburst": 7, "perf": 51,
             "snbep_unc_pcu": 93, "knl": 203}


def show(library, *arguments, **environment):
    env = {name: value for name, value in os.environ.items() if not name.startswith("LIBPFM_") and name != "LD_LIBRARY_PATH"}
    found = subprocess.run([SHOW, "-n", library, *map(str, arguments)], env=env | environment, capture_output=True, text=True, check=False, timeout=60)
    assert found.returncode == 0, (arguments, found.returncode, found.stderr)
    return found.stdout.splitlines()


def without_known(lines):
    """Less what docs/libpfm4.md lists."""
    out = []
    for line in lines:
        if "perf_raw" in line or re.match(r" +\w+ r[0-9a-f]", line):
            continue
        out.append(re.sub(r" size=\d+$", "", line))
    return out


def without_numbers(lines):
    """Less the numbers of the PMU perf's events, which differ if the machine has tracepoints: libpfm4 leaves no gap for events that the
    machine has not."""
    text = "\n".join(lines)
    return re.sub(r"(?m)(idx=0x\w+| size=\d+$|(?<=event) 0x\w+|(?<=attr) 0x\w+|(?<= )0x66\w+$)", "", text).split("\n")


def compare(what, theirs, ours):
    theirs, ours = without_known(theirs), without_known(ours)
    different = [(a, b) for a, b in zip(theirs, ours) if a != b]
    assert len(theirs) == len(ours) and not different, (what, len(theirs), len(ours), different[:3])
    print(f"{what}: {len(ours)} lines are the same")


def test_exports():
    listed = subprocess.run(["nm", "-D", "--defined-only", OURS], capture_output=True, text=True, check=True).stdout
    assert sorted(line.split()[-1] for line in listed.splitlines()) == FUNCTIONS, listed
    soname = subprocess.run(["readelf", "-d", OURS], capture_output=True, text=True, check=True).stdout
    assert "[libpfm.so.4]" in soname, soname
    assert os.stat(OURS).st_size < 6 << 20 or "not stripped" in soname, os.stat(OURS).st_size


def test_beside_libpfm4():
    try:
        theirs = show(THEIRS, "mistakes")
    except AssertionError:
        print("libpfm4 is not installed: not compared with it")
        return
    compare("wrong arguments", theirs, show(OURS, "mistakes"))
    known = [line for line in show(THEIRS, "pmus") if re.match(r"pmu \d+ 0 ", line)]
    ours = {line.split()[1]: line for line in show(OURS, "pmus")}
    facts = re.compile(r"pmu \d+ 0 \S+ id=\d+ type=\d")
    different = [line for line in known if facts.match(line)[0] != facts.match(ours[line.split()[1]])[0]]
    assert len(known) > 300 and not different, different[:3]
    for name, number in SAME_PMUS.items():
        theirs, ours = (show(library, "events", number, LIBPFM_ENCODE_INACTIVE="1") for library in (THEIRS, OURS))
        compare(name, *map(without_numbers if name == "perf" else list, (theirs, ours)))


def test_suite():
    shared = os.environ.get("EVNAME_SHARED")
    if not shared or not pathlib.Path(shared, "libpfm4").is_dir():
        print("EVNAME_SHARED is not set: libpfm4's test suite is skipped")
        return
    numbers = {"PFM_SUCCESS": 0, "PFM_ERR_NOTFOUND": -4, "PFM_ERR_INVAL": -2, "PFM_ERR_FEATCOMB": -5, "PFM_ERR_UMASK": -6,
               "PFM_ERR_ATTR": -8, "PFM_ERR_ATTR_VAL": -9, "PFM_ERR_ATTR_SET": -10, "PFM_ERR_NOTSUPP": -1, "PFM_ERR_TOOMANY": -11}
    rows = [line.rstrip("\n").split("\t") for line in open(f"{shared}/libpfm4/validate.tsv", encoding="utf-8")][1:]
    answers = {}
    for line in show(OURS, "encode", *[row[1] for row in rows], LIBPFM_ENCODE_INACTIVE="1"):
        if line.startswith("  raw "):
            words = line.split(" ")
            answers[words[3]] = words[4:]
    right = 0
    for row in rows:
        _, name, returns, codes, full = (row + [""] * 5)[:5]
        words = answers[name]
        good = int(words[0]) == numbers[returns]
        if good and returns == "PFM_SUCCESS":
            good = [int(word, 0) for word in words[1:] if word.startswith("0") and "::" not in word] == [int(c, 0) for c in codes.split()]
            good = good and full in ("", words[-1])
        right += good
        if not good:
            print("  differs:", row, words)
    print(f"libpfm4's own test suite: {right} of {len(rows)} rows")
    assert right == len(rows)


# A machine of other files: what the kernel of a mainframe shows. Types of machines and versions of the counter facility, and how
# many events libpfm4 4.13 shows (9999: only events of the second version).
MAINFRAMES = {("2097", "1.1"): 46, ("2817", "1.2"): 52, ("2964", "1.5"): 84, ("3906", "3.6"): 81, ("8561", "3.6"): 85, ("3931", "3.7"): 98,
              ("9999", "0.0"): 16}
MAINFRAME = """mount -t tmpfs none /proc && mount -t tmpfs none /sys/bus/event_source/devices || exit 77
mkdir -p /proc/sys/kernel; echo 2 >/proc/sys/kernel/perf_event_paranoid
mkdir /sys/bus/event_source/devices/cpum_cf; echo 8 >/sys/bus/event_source/devices/cpum_cf/type
echo 'Type:                 %s' >/proc/sysinfo
echo 'CPU-MF: Counter facility: version=%s authorization=000f' >/proc/service_levels
"$@" pmus && "$@" encode CPU_CYCLES cpum_cf::L1D_PENALTY_CYCLES cpum_cf::NOPE
"""


def in_namespace(script, library, *arguments, **environment):
    """Runs a script of the shell with mounts of its own; None: this user may not."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("LIBPFM_")} | environment
    try:
        found = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", SHOW, "-n", library, *arguments], env=env, capture_output=True,
                               text=True, check=False)
    except FileNotFoundError:
        return None
    return None if "unshare" in found.stderr or found.returncode == 77 else found.stdout.splitlines()


def test_mainframes(folder):
    cpuinfo = pathlib.Path(folder, "s390")
    cpuinfo.write_text("vendor_id       : IBM/S390\n")
    for (machine, version), count in MAINFRAMES.items():
        lines = in_namespace(MAINFRAME % (machine, version), OURS, LIBPFM_PROC_CPUINFO=str(cpuinfo))
        if not lines:
            print("no mounts of our own: mainframes are skipped")
            return
        assert any(f" cpum_cf id=101 type=1 events={count} " in line and f"fixed={count} present=1" in line for line in lines), lines[:3]
        codes = {line.split()[1]: line.split()[2:] for line in lines if line.startswith("  os1 ")}
        has_cycles = version != "0.0"
        assert codes["cpum_cf::NOPE"] == ["-4"], codes
        assert codes["CPU_CYCLES"][:3] == (["0", "type=8", "config=0,0,0"] if has_cycles else ["-4"]), codes
    print(f"{len(MAINFRAMES)} mainframes have their events")


# Where debugfs is mounted already, it is not mounted again.
TRACEPOINTS = """mount -t debugfs none /sys/kernel/debug 2>/dev/null; ls /sys/kernel/debug/tracing/events/sched >/dev/null || exit 77
"$@" events 51; "$@" encode sched:sched_switch perf::sched:sched_switch:u perf::sched perf::SCHED:SCHED_SWITCH:period=100 \
  sched:sched_switch:sched_waking sched:nope sched:0x1 sched:sched_switch:precise=1 sched.sched_switch sched: sched:sched_switch: \
  sched:sched_switch:u=1:freq=5 perf::nope:x sched:u:sched_switch sched:sched_switch:sched_switch perf::tracepoint slots
"""


def test_tracepoints():
    def lines(library):
        return without_numbers(in_namespace(TRACEPOINTS, library) or [])

    ours = lines(OURS)
    if len(ours) < 100:
        print("no mounts of our own: tracepoints are skipped")
        return
    theirs = lines(THEIRS)
    if len(theirs) > 100:
        compare("tracepoints", theirs, ours)
        forced = [[re.sub(r"0x240\w+", "", line) for line in show(library, "events", 18, LIBPFM_FORCE_PMU="ix86arch")]
                  for library in (THEIRS, OURS)]
        compare("ix86arch", *forced)


CPUS = {
    "lnl_core": "processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 189\nstepping : 1\n",
    "gnr": "processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nmodel : 173\nstepping : 1\n",
    "amd64_fam1ah_zen6": "processor : 0\nvendor_id : AuthenticAMD\ncpu family : 26\nmodel : 80\nstepping : 0\n",
    "arm_c1_ultra": "processor : 0\nCPU implementer : 0x41\nCPU architecture: 8\nCPU variant : 0x1\nCPU part : 0xd8c\nCPU revision : 0\n",
}
# Intel's perfmon for Lunar Lake (event 0xd1, unit mask 0x20), AMD's PPR, Arm's manual.
NAMES = {"lnl_core": ("MEM_LOAD_RETIRED:L3_MISS", "0x5320d1"), "gnr": ("MEM_LOAD_RETIRED:L3_MISS", "0x5320d1"),
         "amd64_fam1ah_zen6": ("RETIRED_INSTRUCTIONS", "0x5300c0"), "arm_c1_ultra": ("CPU_CYCLES", "0x8000011")}


def test_new_cpus(folder):
    for pmu, text in CPUS.items():
        cpuinfo = pathlib.Path(folder, pmu)
        cpuinfo.write_text(text)
        present = [line.split()[3] for line in show(OURS, "pmus", LIBPFM_PROC_CPUINFO=str(cpuinfo)) if "present=1" in line]
        assert pmu in present and len(set(present)) == len(present), present
        name, code = NAMES[pmu]
        lines = show(OURS, "encode", name, LIBPFM_PROC_CPUINFO=str(cpuinfo))
        assert f" {code} " in lines[0] and f"{pmu}::" in lines[0], lines


def test_what_is_no_cpuinfo(folder):
    """A file of no end is read in part; what is not regular is not opened."""
    endless = pathlib.Path(folder, "endless")
    endless.write_text(CPUS["gnr"].replace("stepping", "flags"))
    os.truncate(endless, 8 << 30)
    for path, present in ((endless, True), ("/dev/zero", False), (folder, False)):
        begun = time.monotonic()
        lines = show(OURS, "pmus", LIBPFM_PROC_CPUINFO=str(path))
        assert time.monotonic() - begun < 10, path
        assert any(" gnr " in line and "present=1" in line for line in lines) == present, path


def main():
    test_exports()
    test_beside_libpfm4()
    test_suite()
    with tempfile.TemporaryDirectory() as folder:
        test_new_cpus(folder)
        test_what_is_no_cpuinfo(folder)
        test_mainframes(folder)
    test_tracepoints()


if __name__ == "__main__":
    main()
