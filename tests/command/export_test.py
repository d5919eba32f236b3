#!/usr/bin/env python3
"""evname export: what others read of its profiles. A reader of protobuf's wire format, and go tool pprof where
it is installed, read pprof and Perfetto; the shape of the JSON formats is checked against what their viewers
need. Numbers come from perf script: of tests/data, and of EVNAME_SHARED where it is set.
Arguments: the evname command and the source root."""

import collections
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
DATA = ROOT / "tests" / "data"
# perf script has a line for each value of a group read at once, and none for counters that stood still.
UNLIKE_LINES = ("group-read", "stat", "threads")


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True)


def export(form, path, *recordings, options=()):
    done = run(EVNAME, "export", "--format", form, *options, *recordings, "-o", path)
    assert done.returncode < 2, (recordings, done.stderr)
    return pathlib.Path(path).read_bytes()


# The wire format of protobuf.

def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """Number -> values: integers, or bytes."""
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 2:
            size, at = varint(data, at)
            assert at + size <= len(data), "cut off"
            value, at = data[at:at + size], at + size
        else:
            assert key & 7 == 0, key
            value, at = varint(data, at)
        found[key >> 3].append(value)
    return found


def packed(values):
    out = []
    for value in values:
        at = 0
        while at < len(value):
            number, at = varint(value, at)
            out.append(number)
    return out


def one(message, number, default=0):
    return message[number][0] if number in message else default


class Pprof:
    """profile.proto: sample_type 1, sample 2, mapping 3, location 4, function 5, string_table 6, comment 13."""

    def __init__(self, data):
        top = fields(gzip.decompress(data))
        self.strings = [text.decode() for text in top[6]]
        assert self.strings[0] == ""
        self.types = [(self.strings[one(t, 1)], self.strings[one(t, 2)]) for t in map(fields, top[1])]
        self.comments = [self.strings[at] for at in packed(v for v in top[13] if isinstance(v, bytes))
                         + [v for v in top[13] if isinstance(v, int)]]
        self.mappings = {one(m, 1): m for m in map(fields, top[3])}
        self.functions = {one(f, 1): f for f in map(fields, top[5])}
        self.locations = {one(place, 1): place for place in map(fields, top[4])}
        self.samples = [fields(sample) for sample in top[2]]
        self.check()

    def check(self):
        for place in self.locations.values():
            assert one(place, 2) in self.mappings or 2 not in place
            for line in map(fields, place[4]):
                assert one(line, 1) in self.functions
        for sample in self.samples:
            assert len(packed(sample[2])) == len(self.types)
            assert all(at in self.locations for at in packed(sample[1]))

    def sums(self):
        values = [packed(sample[2]) for sample in self.samples]
        return {name: sum(column) for (name, _), column in zip(self.types, zip(*values))}

    def labels(self, key):
        """How many samples of all events a label's values have."""
        found = collections.Counter()
        for sample in self.samples:
            for label in map(fields, sample[3]):
                if self.strings[one(label, 1)] == key:
                    found[self.strings[one(label, 2)]] += sum(packed(sample[2])[::2])
        return found


def perf_counts(script):
    """Samples and threads by the lines of perf script: "comm pid/tid [cpu] time: period event: …"."""
    events, threads = collections.Counter(), collections.Counter()
    for line in script.splitlines():
        if found := re.match(r" *(\S.*?) +(-?\d+)/(-?\d+) +(?:\[\d+\] +)?[\d.]+: +(?:\d+ +)?(\S+): ", line):
            events[found[4]] += 1
            threads[found[3]] += 1
    return events, threads


def recordings_with_scripts():
    for path in sorted(DATA.glob("*.data")):
        if (script := path.with_suffix(".script")).exists():
            yield path, script.read_text()
    if shared := os.environ.get("EVNAME_SHARED"):
        for path in sorted(pathlib.Path(shared, "recordings").glob("*.data")):
            script = path.with_suffix(".script.txt.gz")
            if script.exists() and not any(word in path.name for word in UNLIKE_LINES):
                yield path, gzip.open(script, "rt", errors="replace").read()


def recorded_names(path):
    """Recorded name of each event -> the names evname gives."""
    info = run(EVNAME, "info", "--json", path).stdout.decode(errors="replace")
    rows = [json.loads(line) for line in info.splitlines() if line.startswith('{"attr"')]
    names = collections.defaultdict(set)
    for row in rows:
        names[row["recorded_name"]].add(row["event"] + (":" + row["modifiers"] if row["modifiers"] else ""))
    return names


def check_against_perf(folder):
    compared = 0
    for path, script in recordings_with_scripts():
        profile = Pprof(export("pprof", folder / "out.pb.gz", path))
        sums = profile.sums()
        events, threads = perf_counts(script)
        if not events:
            continue
        compared += 1
        assert sum(v for k, v in sums.items() if k.endswith("_samples")) == sum(events.values()), path
        named, expected = recorded_names(path), collections.Counter()
        for name, count in events.items():
            assert len(named[name]) == 1, (path, name, named)
            expected[next(iter(named[name]))] += count
        for name, count in expected.items():
            ours = sum(v for k, v in sums.items() if k == name + "_samples" or k.endswith(f"/{name}/_samples"))
            assert ours == count or sum(map(len, named.values())) < len(profile.types) // 2, (path, name, sums)
        assert profile.labels("tid") == threads, (path, profile.labels("tid"), threads)
    assert compared >= 2, compared


def check_pprof(folder):
    path = DATA / "neoverse-n1.data"
    profile = Pprof(export("pprof", folder / "p.pb.gz", path))
    rows = [json.loads(line) for line in run(EVNAME, "report", "--json", "--sort", "event,pmu", path).stdout.splitlines()]
    for row in rows:
        assert profile.sums()[row["event"]] == row["period"], row
        assert any(c.startswith(f"{row['event']}: PMU {row['pmu']}, code 0x") for c in profile.comments), row
    assert any(len(profile.strings[one(m, 6)]) == 40 for m in profile.mappings.values()), "no build ids"
    # The filters of annotate.
    tid = max(profile.labels("tid"), key=profile.labels("tid").get)
    part = Pprof(export("pprof", folder / "q.pb.gz", path, options=("--tid", tid)))
    assert set(part.labels("tid")) == {tid}
    # Two recordings: events of one name are one, samples tell where they are from.
    other = shutil.copy(path, folder / "other.data")
    both = Pprof(export("pprof", folder / "b.pb.gz", path, other))
    assert both.types == profile.types
    assert both.sums() == {name: 2 * value for name, value in profile.sums().items()}
    halves = both.labels("recording")
    assert set(halves) == {path.name, "other.data"} and len(set(halves.values())) == 1
    # Files with the same name are distinguished by their folders, also the first one.
    alike = [folder / where / "perf.data" for where in ("before", "after")]
    for copy in alike:
        copy.parent.mkdir()
        shutil.copy(path, copy)
    assert set(Pprof(export("pprof", folder / "b.pb.gz", *alike)).labels("recording")) == set(map(str, alike))
    if shutil.which("go"):
        top = run("go", "tool", "pprof", "-top", f"-sample_index={profile.types[1][0]}", folder / "p.pb.gz")
        if b"no such tool" not in top.stderr:
            assert top.returncode == 0 and f"Type: {profile.types[1][0]}".encode() in top.stdout, top


def check_speedscope(folder):
    for path in sorted(DATA.glob("*.data")):
        page = json.loads(export("speedscope", folder / "s.json", path))
        assert page["$schema"].endswith("file-format-schema.json")
        rows = {row["event"]: row for row in map(json.loads, run(EVNAME, "report", "--json", path).stdout.splitlines())}
        frames = page["shared"]["frames"]
        assert all(isinstance(frame["name"], str) for frame in frames)
        assert len(page["profiles"]) == sum(row["samples"] > 0 for row in rows.values())
        for profile in page["profiles"]:
            assert profile["type"] == "sampled" and profile["unit"] in ("none", "nanoseconds")
            row = rows[profile["name"].split(" (PMU ")[0]]
            assert len(profile["samples"]) == len(profile["weights"]) == row["samples"]
            assert sum(profile["weights"]) == profile["endValue"] == row["period"]
            assert all(0 <= at < len(frames) for stack in profile["samples"] for at in stack)


def check_table(table):
    for name, column in table.items():
        assert name == "length" or len(column) == table["length"], name
    return table["length"]


def check_firefox(folder):
    for path in sorted(DATA.glob("*.data")):
        profile = json.loads(export("firefox", folder / "f.json", path))
        assert profile["meta"]["preprocessedProfileVersion"] == 63
        # Firefox's own numbers: GeckoProcessType_Default, and stacks that were walked.
        assert [profile["meta"][key] for key in ("processType", "stackwalk", "debug", "symbolicated")] == [0, 1, False, True]
        shared = profile["shared"]
        sizes = {name: check_table(shared[name]) for name in
                 ("stackTable", "frameTable", "funcTable", "resourceTable", "sources", "nativeSymbols")}
        for at, prefix in enumerate(shared["stackTable"]["prefix"]):
            assert prefix is None or prefix < at, "a caller comes after what it calls"
        assert all(at < sizes["frameTable"] for at in shared["stackTable"]["frame"])
        assert all(at < sizes["funcTable"] for at in shared["frameTable"]["func"])
        assert all(at < len(shared["stringArray"]) for at in shared["funcTable"]["name"])
        weights, samples = collections.Counter(), collections.Counter()
        for thread in profile["threads"]:
            event = thread["name"].rsplit(" (", 1)[0]
            size = check_table({k: v for k, v in thread["samples"].items() if k != "weightType"})
            assert size == check_table(thread["markers"])
            assert all(at is None or at < sizes["stackTable"] for at in thread["samples"]["stack"])
            assert min(thread["samples"]["time"]) >= 0
            samples[event] += size
            weights[event] += sum(data["period"] for data in thread["markers"]["data"])
        for row in map(json.loads, run(EVNAME, "report", "--json", path).stdout.splitlines()):
            assert samples[row["event"]] == row["samples"] and weights[row["event"]] == row["period"], row
        schemas = {schema["name"]: schema["description"] for schema in profile["meta"]["markerSchema"]}
        assert all(schemas[event].startswith("PMU ") for event in samples)


def check_perfetto(folder):
    """packet 1: perf_sample 66, defaults 59, interned_data 12, sequence 10."""
    for path in sorted(DATA.glob("*.data")):
        data = export("perfetto", folder / "t.pftrace", path)
        names, counts, last, known = {}, collections.Counter(), {}, collections.defaultdict(set)
        for packet in map(fields, fields(data)[1]):
            sequence = one(packet, 10)
            if 59 in packet:
                timebase = fields(one(fields(one(fields(one(packet, 59)), 12)), 1))
                names[sequence] = one(timebase, 10).decode()
                assert one(fields(one(timebase, 5)), 5), "no PMU"
            if 12 in packet:
                known[sequence] |= {one(fields(stack), 1) for stack in fields(one(packet, 12))[7]}
            if 66 in packet:
                sample = fields(one(packet, 66))
                assert one(sample, 4) in known[sequence] or 4 not in sample
                counts[names[sequence]] += 1
                last[sequence, one(sample, 1)] = one(sample, 6)
        for row in map(json.loads, run(EVNAME, "report", "--json", path).stdout.splitlines()):
            assert counts[row["event"]] == row["samples"], row
            total = sum(value for (sequence, _), value in last.items() if names[sequence] == row["event"])
            assert total == row["period"], row


def check_mistakes(folder):
    path = DATA / "neoverse-n1.data"
    none = run(EVNAME, "export", "--format", "speedscope", "--comm", "nobody", path, "-o", folder / "none")
    assert none.returncode == 1 and none.stderr and not (folder / "none").exists()
    bad = run(EVNAME, "export", "--format", "flame", path, "-o", folder / "none")
    assert bad.returncode == 2 and b"pprof" in bad.stderr
    gone = run(EVNAME, "export", "--format", "pprof", folder / "missing", "-o", folder / "none")
    assert gone.returncode == 2 and not (folder / "none").exists()
    packed = export("speedscope", folder / "s.json.gz", path)
    assert gzip.decompress(packed) == export("speedscope", folder / "s.json", path)


def main():
    missing = re.findall(r"(\w+) .*not built", run(EVNAME, "help", "export").stdout.decode())
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        if "pprof" not in missing:
            check_pprof(folder)
            check_against_perf(folder)
            check_mistakes(folder)
        if "perfetto" not in missing:
            check_perfetto(folder)
        check_speedscope(folder)
        check_firefox(folder)
    return 0


sys.exit(main())
