#!/usr/bin/env python3
"""`evname record` beside `perf record` on the same loads: samples, functions, mappings, what was lost, CPU time of the
recorder for a million samples, elapsed time of the command, memory. The recordings are read by perf itself.

  record_beside_perf.py EVNAME PERF [--loads NAME,…] [--event EVENT] [--runs N] [--soak SECONDS]

Loads: functions, callers, stacks, faults, forks, threads, cpus, soak. The recorders take turns, and the best run of each is
shown: the machine may be busy with other things. Exit status 1 if samples differ by more than 1 %, if a function, a mapping or
its build id is missing, if evname lost records, or took more than half of perf's CPU time where that can be measured."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
volatile unsigned long sink;
__attribute__((noinline)) void add(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i * 3; }
__attribute__((noinline)) void mix(unsigned n) { for (unsigned i = 0; i < n; i++) sink ^= i; }
__attribute__((noinline)) void both(unsigned n) { add(n); mix(n / 2); sink++; }
static void* thread(void* n) { both((unsigned)(unsigned long)n); return 0; }
int main(int count, char** words) {
  const char* what = words[1];
  unsigned n = atoi(words[2]);
  if (!strcmp(what, "functions")) for (unsigned i = 0; i < n; i++) both(1000000);
  if (!strcmp(what, "faults"))
    for (unsigned i = 0; i < n; i++) {
      char* at = mmap(0, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      for (unsigned page = 0; page < 1024; page++) at[page * 4096] = 1;
      munmap(at, 4 << 20);
    }
  if (!strcmp(what, "forks"))
    for (unsigned i = 0; i < n; i++) {
      pid_t child = fork();
      if (child == 0) { both(10000); _exit(0); }
      waitpid(child, 0, 0);
    }
  if (!strcmp(what, "threads")) {
    pthread_t* all = malloc(n * sizeof *all);
    for (unsigned i = 0; i < n; i++) pthread_create(all + i, 0, thread, (void*)2000000ul);
    for (unsigned i = 0; i < n; i++) pthread_join(all[i], 0);
  }
  if (!strcmp(what, "busy")) for (;;) both(1000000);
  return 0;
}
"""

CLOCK = "task-clock"
# The recorder's options, and the load and its number; "{event}" is a clock, or what --event says.
LOADS = {
    "functions": (["-e", "{event}", "-F", "5000"], ["functions", "1000"]),
    "callers": (["-e", "{event}", "-F", "5000", "-g"], ["functions", "600"]),
    "stacks": (["-e", "{event}", "-F", "2000", "--call-graph", "dwarf"], ["functions", "300"]),
    "faults": (["-e", "page-faults", "-c", "1"], ["faults", "1000"]),
    "forks": (["-e", "{event}", "-F", "5000"], ["forks", "20000"]),
    "threads": (["-e", "{event}", "-F", "5000"], ["threads", "1000"]),
    "cpus": (["-e", "{event}", "-F", "10000", "-a"], None),
}


class Run:
    """A recorder's run: its CPU time, its command's, its memory, and its duration."""

    def __init__(self, command, seconds_between=0.02):
        begin = time.monotonic()
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.memory = []
        self.over = False
        watcher = threading.Thread(target=self.watch, args=(seconds_between,))
        watcher.start()
        self.errors = self.process.stderr.read()
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        self.elapsed = time.monotonic() - begin
        self.over = True
        watcher.join()
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        ticks = os.sysconf("SC_CLK_TCK")
        self.cpu = (int(fields[11]) + int(fields[12])) / ticks
        self.of_command = (int(fields[13]) + int(fields[14])) / ticks
        self.status = self.process.wait()

    def watch(self, pause):
        """Keeps the resident KiB: all, and those that no device or file shares."""
        while not self.over:
            try:
                with open(f"/proc/{self.process.pid}/status") as file:
                    found = dict(re.findall(r"(\w+):\s+(\d+) kB", file.read()))
            except OSError:
                return
            if "VmRSS" in found:
                self.memory.append((int(found["VmRSS"]), int(found["RssAnon"])))
            time.sleep(pause)

    def most(self, which):
        return max((one[which] for one in self.memory), default=0)


class Recording:
    """What perf reads in a file."""

    def __init__(self, perf, path):
        def text(*words):
            return subprocess.run([perf, *words, "-i", path], capture_output=True, text=True).stdout

        stats = dict(re.findall(r"^\s*(\w+) events:\s+(\d+)", text("report", "--stats"), re.M))
        self.samples = int(stats.get("SAMPLE", 0))
        self.lost = int(stats.get("LOST", 0)) + int(stats.get("LOST_SAMPLES", 0))
        shares = text("report", "--stdio", "-g", "none", "--no-children", "-s", "sym", "-F", "overhead,sym")
        self.functions = {name: float(share)
                          for share, name in re.findall(r"^\s*([\d.]+)%\s+\[.\] (\S+)", shares, re.M)}
        self.mappings = {(name, access) for access, name in
                         re.findall(r"^\s*load .* PERF_RECORD_MMAP2? .*: (\S+) (/\S+)$", text("script", "--show-mmap-events"),
                                    re.M)}
        chains = text("script", "-F", "ip,sym") if "CALLCHAIN" in text("evlist", "-v") else ""
        self.chains = {}
        for chain in chains.split("\n\n"):
            names = tuple(line.split()[1] for line in chain.splitlines() if len(line.split()) > 1)
            if names[:1] in (("add",), ("mix",)):
                self.chains[names] = self.chains.get(names, 0) + 1


def compare(perf_run, own_run, theirs, own, on_clock):
    """Returns what is wrong. A command does not take the same time twice: clocks are compared by its CPU time."""
    out = []
    expected = theirs.samples
    if on_clock:
        expected *= own_run.of_command / perf_run.of_command
    if abs(own.samples - expected) > max(0.01 * expected, 3 * theirs.samples ** 0.5 if theirs.samples < 20000 else 0):
        out.append(f"samples: {own.samples}, by perf there would be {expected:.0f}")
    for name, share in theirs.functions.items():
        if name in ("add", "mix", "both") and share > 2 and abs(own.functions.get(name, 0) - share) > 3:
            out.append(f"{name}: {own.functions.get(name, 0)} %, perf has {share} %")
    if theirs.mappings - own.mappings:
        out.append(f"mappings are missing: {sorted(theirs.mappings - own.mappings)[:3]}")
    total, own_total = sum(theirs.chains.values()), max(1, sum(own.chains.values()))
    for chain, count in theirs.chains.items():
        share, own_share = count / total, own.chains.get(chain, 0) / own_total
        if abs(share - own_share) > 0.03:
            out.append(f"callers {chain}: {own_share:.1%}, perf has {share:.1%}")
    if own.lost > theirs.lost:
        out.append(f"lost: {own.lost}, perf {theirs.lost}")
    if own_run.most(1) > 32 << 10:
        out.append(f"memory: {own_run.most(1)} KiB beside the buffers")
    if own_run.cpu > perf_run.cpu / 2 + 0.02:
        out.append("CPU time: more than half of perf's")
    return out


def take_turns(options, name, folder, program):
    recorder_options, load = LOADS[name]
    words = [word.format(event=options.event) for word in recorder_options]
    command = [program, *load] if load else ["sleep", "5"]
    busy = [] if load else [subprocess.Popen([program, "busy", "0"]) for _ in range(os.cpu_count())]
    best = {}
    try:
        for _ in range(options.runs):
            for who, recorder in (("perf", [options.perf, "record", "-q"]), ("evname", [options.evname, "record", "-q"])):
                path = os.path.join(folder, f"{name}.{who}")
                run = Run([*recorder, "-o", path, *words, "--", *command])
                if run.status != 0:
                    sys.exit(f"{who}: {run.errors}")
                if who not in best or run.cpu < best[who][0].cpu:
                    best[who] = (run, Recording(options.perf, path))
    finally:
        for process in busy:
            process.kill()
            process.wait()
    return best


def soak(options, folder, program):
    """Records two busy CPUs for a long time. Memory must not grow after the first tenth."""
    busy = [subprocess.Popen([program, "busy", "0"]) for _ in range(os.cpu_count())]
    try:
        run = Run([options.evname, "record", "-q", "-e", options.event, "-F", "10000", "-a", "-o",
                   os.path.join(folder, "soak"), "--", "sleep", str(options.soak)], 1)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    tenth = max(1, len(run.memory) // 10)
    early, late = max(one[1] for one in run.memory[:tenth]), max(one[1] for one in run.memory[:-1])
    size = os.path.getsize(os.path.join(folder, "soak"))
    print(f"soak       {options.soak} s: {run.cpu:.1f} s of CPU time, {size >> 20} MB written, {early} KiB of memory in the "
          f"first tenth and {late} KiB at most{run.errors and ': ' + run.errors}")
    return late > early + 1024 or "no room" in run.errors


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("evname")
    parser.add_argument("perf")
    parser.add_argument("--loads", default=",".join(LOADS))
    parser.add_argument("--event", default=CLOCK)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--soak", type=int, default=0)
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "load")
        subprocess.run(["cc", "-O1", "-g", "-fno-omit-frame-pointer", "-pthread", "-x", "c", "-o", program, "-"], input=SOURCE,
                       text=True, check=True)
        print(f"{'load':10} {'':7}{'samples':>9}{'lost':>6}{'CPU s':>7}{'s/million':>10}{'elapsed':>9}{'KiB':>8}{'own':>7}")
        for name in filter(None, options.loads.split(",")):
            best = take_turns(options, name, folder, program)
            for who, (run, recording) in best.items():
                per_million = run.cpu * 1e6 / max(1, recording.samples)
                print(f"{name:10} {who:7}{recording.samples:9}{recording.lost:6}{run.cpu:7.2f}{per_million:10.2f}"
                      f"{run.elapsed:9.2f}{run.most(0):8}{run.most(1):7}", flush=True)
            for wrong in compare(best["perf"][0], best["evname"][0], best["perf"][1], best["evname"][1],
                                 LOADS[name][1] and "{event}" in LOADS[name][0]):
                failed = True
                print(f"{'':10} {wrong}")
        if options.soak:
            failed |= soak(options, folder, program)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
