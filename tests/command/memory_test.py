#!/usr/bin/env python3
"""evname report --mem and --c2c: their numbers equal perf mem report's and perf c2c report's for the same recordings,
which memory_recording.py makes. Arguments: the evname command and the source root. `memory_test.py --make PERF ROOT`
writes what perf reports, which is in tests/data/memory-report.txt and c2c-report.txt."""

import collections
import csv
import io
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import memory_recording  # noqa: E402
import spe_file  # noqa: E402

SAMPLES = 700
EVENT = "cpu/event=0xcd,umask=0x1/"
KINDS = ("usual", "latencies", "odd")
KEYS = ("mem", "snoop", "tlb", "locked", "blocked", "local_weight", "dso_daddr", "dcacheline", "phys_daddr", "local_ins_lat",
        "local_p_stage_cyc", "mem,snoop,tlb,locked,blocked")
LATENCIES = {"local_ins_lat", "local_p_stage_cyc"}  # 0 where perf has none
NAMELESS = {"dcacheline", "phys_daddr"}  # whose words differ: numbers alone are compared


def keys_of(kind):
    """perf has address 0 once for the kernel and once for programs."""
    return [keys for keys in KEYS if (kind == "latencies" or keys not in LATENCIES) and (kind, keys) != ("odd", "dcacheline")]


def spe_recording():
    """Loads and stores of two threads as packets of Arm's SPE, which are several samples each."""
    spe, cpus = spe_file, 4

    def packets(start):
        return b"".join(spe.address(spe.PC, 0x401000 + 16 * (n % 5), 0) + spe.operation(spe.LOAD_STORE, n % 2) + spe.events(2)
                        + spe.counter(spe.TOTAL, n + 5) + spe.source(n % 20) + spe.address(spe.DATA, 0x7000 + 0x1000 * (n % 3) + 8 * (n % 9))
                        + spe.timestamp(start + 30 * n) for n in range(60))
    names = [record for tid in (1, 2) for record in (spe.comm(tid, b"one"), spe.mmap(tid, 0x400000, 0x10000, b"/bin/none"))]
    switches = [spe.switch(1 + n % 2, n % cpus, 1000000 + 700 * n) for n in range(40)]
    features = [(7, struct.pack("<II", cpus, cpus)), (14, memory_recording.numa(2, cpus))]
    return spe.file(spe.time_conv(4, 160, 1000000, (90, (1 << 40) - 1)), spe.info((spe.NEOVERSE_N1,) * cpus, 0), *names,
                    *[spe.auxtrace(packets(100 + cpu), cpu) for cpu in range(cpus)], *switches, features=features)


def write(folder, kind):
    path = pathlib.Path(folder, kind + ".data")
    path.write_bytes(spe_recording() if kind == "spe" else memory_recording.recording(SAMPLES, kind))
    return path


def perf_rows(perf, path, keys, env):
    """Rows of the first event: share of the cost, samples, keys."""
    done = subprocess.run([perf, "mem", "report", "--stdio", "-f", "-x", ";", "-i", path, "-s", keys], env=env, check=True,
                          capture_output=True, text=True)
    rows = []
    for line in done.stdout.splitlines():
        if line.startswith("# Samples") and rows:
            break
        if re.match(r" *[0-9.]+% *;", line):
            share, samples, *values = (word.strip() for word in line.split(";"))
            rows.append((share.rstrip("%"), int(samples), () if keys in NAMELESS else tuple(values)))
    return rows


TOTALS = {  # perf's words
    "Total records": "records", "Locked Load/Store Operations": "locked", "Load Operations": "loads",
    "Loads - uncacheable": "load_uncached", "Loads - IO": "load_io", "Loads - Miss": "load_miss",
    "Loads - no mapping": "load_no_address", "Load Fill Buffer Hit": "load_fill_buffer", "Load L1D hit": "load_l1",
    "Load L2D hit": "load_l2", "Load Local HITM": "local_hitm", "Load Remote HITM": "remote_hitm",
    "Load Remote HIT": "remote_hit", "Load Local DRAM": "local_dram", "Load Remote DRAM": "remote_dram",
    "Load MESI State Exclusive": "dram_exclusive", "Load MESI State Shared": "dram_shared",
    "Load access blocked by data": "blocked_data", "Load access blocked by address": "blocked_address",
    "Load HIT Local Peer": "local_peer", "Load HIT Remote Peer": "remote_peer", "Store Operations": "stores",
    "Store - uncacheable": "store_uncached", "Store - no mapping": "store_no_address", "Store L1D Hit": "store_l1_hit",
    "Store L1D Miss": "store_l1_miss", "Store No available memory level": "store_no_level", "No Page Map Rejects": "unmapped",
    "Unable to parse data source": "unparsed", "Load HITs on shared lines": "shared loads",
    "Fill Buffer Hits on shared lines": "shared load_fill_buffer", "L1D hits on shared lines": "shared load_l1",
    "L2D hits on shared lines": "shared load_l2", "Locked Access on shared lines": "shared locked",
    "Store HITs on shared lines": "shared stores", "Store L1D hits on shared lines": "shared store_l1_hit"}
# Of a line, after its index, address, node and physical addresses.
LINE = ["{}", "{}", "local_{}", "remote_{}", "accesses", "answered_loads", "stores", "store_l1_hit", "store_l1_miss",
        "store_no_level", "load_fill_buffer", "load_l1", "load_l2", "load_llc", "local_hitm", "remote_hit", "remote_hitm",
        "local_dram", "remote_dram"]
# Arguments of perf c2c: kind, --display, --coalesce. perf's default display depends on the recording's architecture.
SHARING = [("usual", "", ""), ("usual", "lcl", "iaddr"), ("usual", "rmt", "tid"), ("usual", "tot", "pid,dso"), ("odd", "", "pid"),
           ("arm", "", "tid"), ("latencies", "tot", "dso"), ("spe", "", "")]


def perf_sharing(perf, path, display, coalesce, env):
    """Rows: "total", a line's or an access' numbers."""
    words = [perf, "c2c", "report", "--stdio", "-f", "-i", path]
    words += (["-d", display] if display else []) + (["-c", coalesce] if coalesce else [])
    done = subprocess.run(words, env=env, check=True, capture_output=True, text=True)
    part, line, seen = "", "", set()
    for text in done.stdout.splitlines():
        numbers = text.split()
        if text.startswith("   ") and ("Table" in text or "Pareto" in text):
            part = "line" if "Table" in text else "access"
        elif not part and " : " in text:
            name, value = (word.strip() for word in text.split(" : "))
            if name in TOTALS:  # one name is there twice
                yield ["total", "shared " * (name in seen) + TOTALS[name], value]
            seen.add(name)
        elif part and re.match(r" +\d+ ", text) and "%" not in numbers[0]:
            if part == "line":
                yield ["line", *numbers[1:2], *numbers[4:]]
            line = numbers[-1]
        elif part == "access" and re.match(r" +[0-9.]+% ", text):
            yield ["access", line, *(word.split(":")[0] for word in numbers[:6] + numbers[8:])]


def make_sharing(perf, root):
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "HOME": folder}
        for kind, display, coalesce in SHARING:
            for row in perf_sharing(perf, write(folder, kind), display, coalesce, env):
                if row[0] == "access":  # without function, file, source line and nodes
                    row = row[:2 + ACCESS + len([word for word in coalesce.split(",") if word in ("pid", "tid")])
                              + ("iaddr" in (coalesce or "iaddr"))]
                lines.append("\t".join([kind, display, coalesce, *row]))
    pathlib.Path(root, "tests", "data", "c2c-report.txt").write_text("\n".join(lines) + "\n")


def make(perf, root):
    make_sharing(perf, root)
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "HOME": folder}
        for kind in KINDS:
            path = write(folder, kind)
            for keys in keys_of(kind):
                counts = collections.Counter(perf_rows(perf, path, keys, env))
                for (share, samples, values), count in sorted(counts.items()):
                    lines.append("\t".join([kind, keys, share, str(samples), str(count), *values]))
    pathlib.Path(root, "tests", "data", "memory-report.txt").write_text("\n".join(lines) + "\n")


def expected(root):
    rows = collections.defaultdict(collections.Counter)
    for line in pathlib.Path(root, "tests", "data", "memory-report.txt").read_text().splitlines():
        kind, keys, share, samples, count, *values = line.split("\t")
        rows[kind, keys][share, int(samples), tuple(values)] += int(count)
    return rows


def run(*words, status=0):
    done = subprocess.run([EVNAME, "report", *words], capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done


def word_of(value):
    return {"-": "[unknown]"}.get(value, value[value.rfind("/") + 1:] if value.startswith("/") else value)


def own_rows(path, keys):
    data = csv.DictReader(io.StringIO(run("--mem", "--csv", "--sort", "event," + keys, path).stdout))
    names = [{"local_p_stage_cyc": "local_retire_lat"}.get(key, key) for key in keys.split(",")]
    rows = collections.Counter()
    for row in data:
        if row["event"] == EVENT:
            values = () if keys in NAMELESS else tuple(word_of(row[name] or "-") for name in names)
            rows[f"{100 * float(row['cost_share']):.2f}", int(row["samples"]), values] += 1
    return rows


def by_words(rows):
    """perf has a row for each data source, though several are the same in words."""
    sums = collections.defaultdict(lambda: [0, 0.0, 0])
    for (share, samples, values), count in rows.items():
        sums[values][0] += count * samples
        sums[values][1] += count * float(share)
        sums[values][2] += count
    return sums


def check_rows(path, kind, facts):
    for keys in keys_of(kind):
        wanted, got = facts[kind, keys], own_rows(path, keys)
        if kind == "odd" and keys not in NAMELESS:
            wanted, got = by_words(wanted), by_words(got)
            assert {words: sums[0] for words, sums in got.items()} == {words: sums[0] for words, sums in wanted.items()}, keys
            for words, (_, share, rows) in wanted.items():
                assert abs(got[words][1] - share) < 0.006 * (rows + 1), (keys, words)
        else:
            assert got == wanted, (kind, keys, sorted((got - wanted).items()), sorted((wanted - got).items()))


def check_overview(path):
    """Each table has all samples, and the numbers that --sort has for its key."""
    rows = [json.loads(line) for line in run("--mem", "--json", path).stdout.splitlines()]
    tables = collections.defaultdict(dict)
    for row in rows:
        tables[row["by"]][row["value"]] = row
    assert list(tables) == ["op", "mem", "snoop", "tlb", "locked", "blocked", "latency", "sym", "srcline", "data_sym",
                            "dcacheline"], list(tables)
    for key, table in tables.items():
        assert sum(row["samples"] for row in table.values()) == SAMPLES, key
        for line in run("--mem", "--json", "--sort", key, path).stdout.splitlines():
            row = json.loads(line)
            for name in ("samples", "share", "cost", "cost_share", "mean", "most"):
                assert row[name] == table[row[key]][name], (key, name, row)
    text = run("--mem", path).stdout.splitlines()
    assert sum(line.split()[6] == "dcacheline" for line in text[1:]) == 11 and "more)" in text[-1], text[-1]
    assert sum(line.split()[6] == "dcacheline" for line in run("--mem", "--top", "3", path).stdout.splitlines()[1:]) == 4


def check_order(path):
    """Numbers inside of texts are in order of their values: addresses, offsets, ranges of cycles."""
    for key in ("phys_daddr", "dcacheline", "symbol_daddr", "latency"):
        rows = run("--sort", key, "--order", key, "--json", path).stdout.splitlines()
        values = [row[key] for row in map(json.loads, rows) if row[key] is not None]
        pieces = [[int(piece, 0) if piece[:1].isdigit() else piece
                   for piece in re.split(r"(0x[0-9a-f]+|[0-9]+)", value)] for value in values]
        assert len(values) > 2 and pieces == sorted(pieces), (key, values)


def check_odd(path):
    """Samples without an address, a data source or a weight are counted, and reported."""
    done = run("--mem", "--json", path)
    for what in ("data source", "weight", "address"):
        assert re.search(rf"\d+ of {SAMPLES} samples have no {what}: their event does not sample it", done.stderr), done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert all((row["most"] is None) == (row["mean"] is None) for row in rows)
    assert any(row["most"] is None for row in rows)
    missing = {row["by"]: row["samples"] for row in rows if row["value"] is None}
    assert missing["mem"] == missing["latency"] == missing["dcacheline"] > 30, missing
    assert any(row["by"] == "dcacheline" and row["value"] == "0x0" for row in rows)


ACCESS = 5 + 1 + 3 + 2  # shares, offset, cycles, records, number of CPUs


def mean_of(text):
    """perf writes whole numbers and rounds halves to even."""
    return f"{float(text or 0):.0f}"


def own_sharing(path, kind, display, coalesce):
    words = (["--display", display] if display else []) + (["--coalesce", coalesce] if coalesce else [])
    rows = [json.loads(line) for line in run("--c2c", "--json", *words, path).stdout.splitlines()]
    by = "peer" if "peer" in (display, "peer" if kind in ("arm", "spe") else "") else "hitm"
    by_line = {}
    for row in rows:
        if row["table"] == "totals":
            yield ["total", row["count"], str(row["all"])]
            yield ["total", "shared " + row["count"], str(row["on_shared_lines"])]
        elif row["table"] == "line":
            names = [name.format(by) for name in LINE]
            by_line[row["place"]] = row
            yield ["line", row["address"], f"{100 * row['share']:.2f}%", *(str(row[name]) for name in names[1:])]
        else:
            line = by_line[row["place"]]
            what = {"lcl": "local_hitm", "rmt": "remote_hitm"}.get(display, by)
            if row["stores"] + row[what] == 0:
                continue  # perf does not show them

            def share(name):
                return f"{100 * row[name] / line[name] if line[name] else 0:.2f}%"

            shares = [share(name) for name in (f"remote_{by}", f"local_{by}", "store_l1_hit", "store_l1_miss", "store_no_level")]
            means = [mean_of(row[name]) for name in (f"remote_{by}_mean", f"local_{by}_mean", "load_mean")]
            keys = [str(row[name]) for name in ("pid", "tid", "ip") if name in row]
            assert all(isinstance(row[name], int) for name in ("pid", "tid") if name in row), row
            yield ["access", line["address"], *shares, row["offset"], *keys, *means, str(row["accesses"]),
                   str(len(row["cpus"].split()))]


def check_sharing(folder, root):
    wanted = collections.defaultdict(list)
    for text in pathlib.Path(root, "tests", "data", "c2c-report.txt").read_text().splitlines():
        kind, display, coalesce, *row = text.split("\t")
        wanted[kind, display, coalesce].append(row)
    for how in SHARING:
        got = list(own_sharing(write(folder, how[0]), *how))
        for table in ("total", "line", "access"):
            mine = collections.Counter(tuple(row) for row in got if row[0] == table)
            perfs = collections.Counter(tuple(row) for row in wanted[how] if row[0] == table)
            assert perfs and not perfs - mine, (how, sorted((perfs - mine).elements())[:5], sorted((mine - perfs).elements())[:5])
            assert table == "total" or mine == perfs, (how, sorted((mine - perfs).elements())[:5])
        ranked = {"lcl": 4, "rmt": 5}.get(how[1], 3)
        order = [[row[ranked] for row in rows if row[0] == "line"] for rows in (got, wanted[how])]
        assert order[0] == order[1], (how, order)


def check_older_arm(path):
    """perf c2c is empty if loads say neither HITM nor peer: here are the lines that a thread stores to and others access."""
    done = run("--c2c", "--json", path)
    assert "no load was answered by another cache, which older SPE does not report: " in done.stderr, done.stderr
    intel = path.with_name("intel.data")
    intel.write_bytes(path.read_bytes().replace(b"aarch64\0", b"x86_64\0\0"))
    told = run("--c2c", "--json", intel).stderr
    assert "no load was answered by another cache: " in told and "SPE" not in told, told
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    lines = [row for row in rows if row["table"] == "line"]
    assert lines[0]["place"] == "server+0x10040" and lines[0]["threads"] == 4 and lines[0]["stores"] > 10, lines[0]
    totals = {row["count"]: row["all"] for row in rows if row["table"] == "totals"}
    for line in lines:  # of all accesses
        assert abs(line["share"] - line["accesses"] / (totals["loads"] + totals["stores"])) < 1e-9, line
    assert all(row["threads"] > 1 and row["stores"] > 0 for row in lines), lines


def check_contention(folder, root):
    check_sharing(folder, root)
    check_older_arm(write(folder, "plain"))
    path = write(folder, "usual")
    text = run("--c2c", path).stdout
    assert "8 lines by loads of what another cache had modified" in text and "more)" in text, text
    rows = list(csv.DictReader(io.StringIO(run("--c2c", "--csv", path).stdout)))
    assert {row["table"] for row in rows} == {"access"} and sum(int(row["records"]) for row in rows) > 100
    done = run("--c2c", "--json", write(folder, "odd"))
    totals = {row["count"]: row["all"] for row in map(json.loads, done.stdout.splitlines()) if row["table"] == "totals"}
    assert totals["load_no_address"] > 0 and totals["store_no_address"] > 0, totals
    none = totals["load_no_address"] + totals["store_no_address"]
    assert f" {none} of {totals['records']} samples have no address" in done.stderr and "neither loads nor stores" in done.stderr, done.stderr
    for words in (["--mem"], ["--sort", "sym"], ["--coalesce", "colour"], ["--display", "all"]):
        assert run("--c2c", *words, path, status=2).stderr, words
    assert "need --c2c" in run("--coalesce", "pid", path, status=2).stderr


def check_mistakes(path):
    for words in (["--diff", path, path], ["--html", "page.html", path], ["--metrics", "ipc", path]):
        assert "--mem" in run("--mem", *words, status=2).stderr, words


def main():
    facts = expected(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            path = write(folder, kind)
            check_rows(path, kind, facts)
        check_overview(pathlib.Path(folder, "usual.data"))
        check_order(pathlib.Path(folder, "usual.data"))
        check_odd(pathlib.Path(folder, "odd.data"))
        check_mistakes(pathlib.Path(folder, "usual.data"))
        check_contention(folder, sys.argv[2])


if sys.argv[1] == "--make":
    make(*sys.argv[2:])
else:
    EVNAME = sys.argv[1]
    main()
