#!/usr/bin/env python3
"""evname's libpfm.so.4 beside libpfm4's: what both say of PMUs, events, attributes, encodings and wrong arguments; its exports; a CPU
that only evname knows; and the rows of libpfm4's own test suite (EVNAME_SHARED). What differs is in docs/libpfm4.md.
Arguments: evname's library, tests/libpfm/show, its source root."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

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
    found = subprocess.run([SHOW, "-n", library, *map(str, arguments)], env=env | environment, capture_output=True, text=True, check=False)
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
        compare(name, show(THEIRS, "events", number, LIBPFM_ENCODE_INACTIVE="1"), show(OURS, "events", number, LIBPFM_ENCODE_INACTIVE="1"))


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


def main():
    test_exports()
    test_beside_libpfm4()
    test_suite()
    with tempfile.TemporaryDirectory() as folder:
        test_new_cpus(folder)


if __name__ == "__main__":
    main()
