#!/usr/bin/env python3
"""evname export: the viewers themselves open the profiles, and what they find in them are the sums of the samples.
Each is skipped where it is not installed: `go tool pprof`; speedscope in Chromium (npm: speedscope, playwright-core);
Firefox Profiler's own reader (npm: @firefox-devtools/profiler-cli); for Perfetto, protoc with the schema that
EVNAME_PERFETTO_PROTO names (protos/perfetto/trace/perfetto_trace.proto of github.com/google/perfetto).
Uses the recordings of EVNAME_SHARED with several events, too, where it is set.
Arguments: the evname command, the source root, and the viewer."""

import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from npm_modules import modules, place_of, skip

EVNAME, ROOT, VIEWER = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
# Several events, call chains, inlined calls, tracepoints; big-endian, 32 bits, a pipe.
SHARED = ["sim-skylake", "arm64-n1-smp2-fp-callgraph", "arm64-n1-tracepoints-mixed", "arm64-perf72-names",
          "arm64-n1-pipe-trace", "arm64-n1-smp2-group-read", "ppc64el-power9-swclock", "s390x-all", "armhf-all"]


def run(*command, **how):
    done = subprocess.run([str(word) for word in command], capture_output=True, **how)
    assert done.returncode == 0, (command, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout.decode()


def recordings(most=len(SHARED)):
    files = sorted((ROOT / "tests" / "data").glob("*.data"))
    if shared := os.environ.get("EVNAME_SHARED"):
        files += [pathlib.Path(shared, "recordings", name + ".data") for name in SHARED[:most]]
    return [[path] for path in files] + [files[:2]]


def events_of(files):
    """Event -> samples, sum of periods. The same as perf's: export_test.py, report_test.py."""
    done = subprocess.run([EVNAME, "report", "--json", *files], capture_output=True)
    rows = map(json.loads, done.stdout.decode().splitlines())
    return {row["event"]: (row["samples"], row["period"]) for row in rows if row["samples"]}


def without_pmu(events):
    """Sums by name alone: in a profile, those that are called alike in two PMUs have their PMU in the name."""
    sums = collections.defaultdict(lambda: [0, 0])
    for name, values in events:
        short = re.sub(r"^\w+/([^/]*)/", r"\1", name)
        sums[short] = [total + value for total, value in zip(sums[short], values)]
    return dict(sums)


def export(form, files, path):
    done = subprocess.run([EVNAME, "export", "--format", form, "--addresses", *files, "-o", path], capture_output=True)
    assert done.returncode < 2, (files, done.stderr)
    return path


def same(files, found, expected):
    assert without_pmu(found.items()) == without_pmu(expected.items()), (files, found, expected)


# go tool pprof

def pprof(folder):
    go = shutil.which("go")
    if not go or subprocess.run([go, "tool", "pprof", "-h"], capture_output=True).returncode not in (0, 2):
        skip("no go tool pprof")
    env = {**os.environ, "HOME": str(folder), "PPROF_TMPDIR": str(folder)}
    for files in recordings():
        path = export("pprof", files, folder / "p.pb.gz")
        lines = run(go, "tool", "pprof", "-symbolize=none", "-raw", path, env=env).splitlines()
        types = [word.removesuffix("[dflt]") for word in lines[lines.index("Samples:") + 1].split()]
        rows = [re.match(r"((?: +\d+)+): ", line) for line in lines[:lines.index("Locations")]]
        columns = zip(*[map(int, row[1].split()) for row in rows if row])
        sums = {name.rsplit("/", 1)[0]: sum(column) for name, column in zip(types, columns, strict=True)}
        found = {name.removesuffix("_samples"): (count, sums[name.removesuffix("_samples")])
                 for name, count in sums.items() if name.endswith("_samples") and count}
        same(files, found, events_of(files))
        # What a user reads of the event with most samples.
        busiest = max(found, key=lambda name: found[name][0])
        top = run(go, "tool", "pprof", "-symbolize=none", "-top", f"-sample_index={busiest}_samples", path, env=env)
        assert f"of {found[busiest][0]} total" in top or f"{found[busiest][0]} total" in top, top[:500]


# speedscope

def speedscope(folder):
    node, chromium = shutil.which("node"), shutil.which("chromium") or shutil.which("chromium-browser")
    if not node or not chromium:
        skip("no node or no chromium")
    env = modules(node, "playwright-core")
    page = place_of(node, env, "speedscope") / "dist" / "release" / "index.html"
    groups = recordings()
    paths = [export("speedscope", files, folder / f"{number}.json") for number, files in enumerate(groups)]
    seen = run(node, ROOT / "tests" / "command" / "speedscope.js", chromium, page,
               os.environ.get("EVNAME_SCREENSHOTS", ""), *paths, env=env)
    for files, found in zip(groups, json.loads(seen), strict=True):
        assert found["errors"] == [], (files, found)
        # Each recording has profiles of its own, called by it where there are several.
        sums = without_pmu((profile["name"].split(" (PMU ")[0].split(".data: ")[-1], [profile["sum"]])
                           for profile in found["profiles"])
        expected = [(name, [period]) for path in files for name, (_, period) in events_of([path]).items()]
        assert sums == without_pmu(expected), (files, sums, expected)
        assert len(found["profiles"]) >= len(expected), (files, found)


# Firefox Profiler

def firefox(folder):
    node = shutil.which("node")
    if not node:
        skip("no node")
    program = place_of(node, modules(node), "@firefox-devtools/profiler-cli") / "dist" / "profiler-cli.js"
    env = {**os.environ, "PROFILER_CLI_SESSION_DIR": str(folder / "sessions")}

    def load(words, tries=20):
        """It gives a process of its own half a second to start; a busy machine takes longer."""
        done = subprocess.run([node, program, *map(str, words)], capture_output=True, env=env)
        if done.returncode != 0:
            assert tries and b"still starting" in done.stderr, done.stderr
            time.sleep(1)
            load(["status", *words[2:]], tries - 1)

    def ask(*words):
        return json.loads(run(node, program, *words, "--json", env=env))

    for number, files in enumerate(recordings(most=4)):
        path, session = export("firefox", files, folder / f"{number}.json"), f"s{number}"
        load(["load", path, "--session", session])
        try:
            found = collections.Counter(), collections.Counter()
            for thread in ask("thread", "list", "--limit", "0", "--session", session)["threads"]:
                event, chosen = thread["name"].rsplit(" (", 1)[0], ["--thread", thread["threadHandle"], "--session", session]
                functions = ask("thread", "functions", "--limit", "0", *chosen)
                own = sum(function["selfSamples"] for function in functions["functions"])
                found[0][event] += thread["markerCount"]
                found[1][event] += round(own * 1e6 if functions["weightType"] == "tracing-ms" else own)
            sums = {event: (found[0][event], found[1][event]) for event in found[0]}
            # A sample without an address is in no function.
            expected = {event: (samples, sums[event][1] if sums.get(event, (0, -1))[1] == 0 else period)
                        for event, (samples, period) in events_of(files).items()}
            assert any(period for _, period in sums.values()), files
            same(files, sums, expected)
            told = [entry["label"] for part in ask("profile", "meta", "--session", session)["extra"]
                    if part["label"] == "Events" for entry in part["entries"]]
            assert set(told) >= set(sums), (told, sums)
        finally:
            run(node, program, "stop", session, env=env)


# Perfetto

def perfetto(folder):
    protoc, schema = shutil.which("protoc"), os.environ.get("EVNAME_PERFETTO_PROTO")
    if not protoc or not schema:
        skip("no protoc, or EVNAME_PERFETTO_PROTO is not set")
    schema = pathlib.Path(schema)
    for files in recordings():
        path = export("perfetto", files, folder / "t.pftrace")
        with open(path, "rb") as trace:
            text = run(protoc, f"--proto_path={schema.parent}", "--decode=perfetto.protos.Trace", schema.name, stdin=trace)
        names, samples, latest, tracks = {}, collections.Counter(), {}, {}
        for packet in re.split(r"^packet ", text, flags=re.M)[1:]:
            # protoc prints what the schema doesn't have as a number.
            assert not re.search(r"^ *\d+[:{ ]", packet, re.M), packet
            sequence = re.search(r"^  trusted_packet_sequence_id: (\d+)", packet, re.M)[1]
            if name := re.search(r'timebase \{(?:.|\n)*?^ {8}name: "(.*)"', packet, re.M):
                names[sequence] = name[1]
            if track := re.search(r'track_descriptor \{\n    uuid: (\d+)\n    name: "(.*)"', packet):
                tracks[track[1]] = track[2]
            if count := re.search(r"timebase_count: (\d+)", packet):
                cpu = re.search(r"perf_sample \{\n    cpu: (\d+)", packet)
                samples[sequence] += 1
                latest[sequence, cpu and cpu[1]] = int(count[1])
        found = collections.Counter(), collections.Counter()
        own = {sequence: name.split(".data: ")[-1] for sequence, name in names.items()}
        for sequence, count in samples.items():
            found[0][own[sequence]] += count
        for (sequence, _), count in latest.items():
            found[1][own[sequence]] += count
        assert sorted(tracks.values()) == sorted(names.values()), (tracks, names)
        same(files, {name: (found[0][name], found[1][name]) for name in found[0]}, events_of(files))


with tempfile.TemporaryDirectory() as place:
    {"pprof": pprof, "speedscope": speedscope, "firefox": firefox, "perfetto": perfetto}[VIEWER](pathlib.Path(place))
