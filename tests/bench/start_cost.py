#!/usr/bin/env python3
"""The cost of a process of the command: page faults more than /bin/true, and
instructions as valgrind counts them, which vary little between machines. Fails if a count is above its limit.

  tests/bench/start_cost.py EVNAME"""

import os
import re
import shutil
import subprocess
import sys

RESOLVE = ["resolve", "--cpu", "skylakex", "mem_load_retired.l3_miss"]
# Arguments; the most page faults beyond /bin/true's, and the most millions of instructions. /bin/true has 46 to 50.
# `resolve` has 96 in all if the binary was just linked, and some more once its pages were written and read again: the
# kernel then maps fewer of them at once.
JOBS = [(RESOLVE, 60, 1.6), (["--version"], 18, 0.3)]


def page_faults(command):
    """The fewest of ten runs: which pages the kernel maps together depends on what is in its cache."""
    counts = []
    for _ in range(10):
        pid = os.posix_spawnp(command[0], command, {},
                              file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
        counts.append(os.wait4(pid, 0)[2].ru_minflt)
    return min(counts)


def instructions(command):
    run = subprocess.run(["valgrind", "--tool=lackey", "--basic-counts=yes", *command],
                         check=True, capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    return int(re.search(r"guest instrs:\s+([\d,]+)", run.stderr)[1].replace(",", ""))


def main(evname):
    failed = False
    true = page_faults(["/bin/true"])
    print(f"{'/bin/true':60} {true:6} page faults")
    for arguments, most_faults, most_millions in JOBS:
        faults = page_faults([evname, *arguments]) - true
        line = f"{'evname ' + ' '.join(arguments):60} {faults:+6} (at most {most_faults:+})"
        failed |= faults > most_faults
        if shutil.which("valgrind"):
            millions = instructions([evname, *arguments]) / 1e6
            line += f", {millions:.2f} million instructions (at most {most_millions})"
            failed |= millions > most_millions
        print(line)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
