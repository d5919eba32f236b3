#!/usr/bin/env python3
"""evname report: its orders and forms; --html: its data equal --json's, and nothing of a file gets out of them.
Arguments: the evname command and the source root."""

import csv
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import perf_file

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
HOSTILE = b"</script><b>&amp;\xff"


def page_of(recording, folder):
    out = pathlib.Path(folder, "page.html")
    subprocess.run([EVNAME, "report", "--html", out, recording], check=True, capture_output=True)
    return out.read_text()


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])


def events_of(page):
    return [event for file in data_of(page)["files"] for event in file["events"]]


def check_numbers(page, recording):
    rows = subprocess.run([EVNAME, "report", "--json", recording], check=True, capture_output=True, text=True)
    events = {event["name"]: event for event in events_of(page)}
    for row in map(json.loads, rows.stdout.splitlines()):
        event = events[row["event"]]
        for key in ("samples", "period", "lost", "throttled"):
            assert event[key] == row[key], row
        assert row["first"] is None or abs(event["first"] / 1e9 - row["first"]) < 1e-9, row


def lines_of(*words):
    done = subprocess.run([EVNAME, "report", *words], capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout.splitlines(), done.stderr


def json_of(*words):
    return [json.loads(line) for line in lines_of("--json", *words)[0]]


def check_order(recording):
    """Rows in the order of any column, which is how Python sorts them."""
    rows = json_of("--sort", "tid,comm", recording)
    assert len(rows) > 1, rows
    for column in rows[0]:
        for way, down in (("asc", False), ("desc", True)):
            got = [row[column] for row in json_of("--sort", "tid,comm", "--order", f"{column}:{way}", recording)]
            known = [value for value in got if value is not None]
            assert known == sorted(known, reverse=down) and got[:len(known)] == known, (column, got)
    usual = json_of("--sort", "tid,comm", "--order", "comm,samples", recording)
    assert usual == sorted(rows, key=lambda row: (row["comm"], -row["samples"])), usual
    done = subprocess.run([EVNAME, "report", "--order", "colour", recording], capture_output=True, text=True)
    assert done.returncode == 2 and "no column 'colour'" in done.stderr and "samples" in done.stderr, done


def check_top(recording):
    """The text's total includes the rows that --top leaves out; other formats have a note."""
    every = json_of("--sort", "tid", recording)
    text, _ = lines_of("--sort", "tid", "--top", "1", recording)
    rest = sum(row["samples"] for row in every[1:])
    assert [line.split()[0] for line in text[1:]] == [str(every[0]["samples"]), str(rest), str(rest + every[0]["samples"])], text
    assert f"({len(every) - 1} more)" in text[2] and "(total)" in text[3], text
    data, note = lines_of("--sort", "tid", "--top", "1", "--json", recording)
    assert len(data) == 1 and f"{len(every) - 1} rows are left out" in note, (data, note)


def check_totals(folder):
    """Shares of several events are of the samples of them all, with and without the rows that --top leaves out."""
    recording = pathlib.Path(folder, "events.data")
    counted = {(1, 5): 4, (1, 6): 1, (2, 5): 3, (2, 7): 2, (2, 8): 1}  # samples of each event and thread
    data = b"".join(perf_file.sample(10, tid, event) * samples for (event, tid), samples in counted.items())
    recording.write_bytes(perf_file.file(data, [perf_file.attr(0), perf_file.attr(1)]))
    for top, shares in (([], "50.0 33.3 16.7 100.0 80.0 20.0 100.0 100.0"), (["--top", "1"], "50.0 50.0 100.0 80.0 20.0 100.0 100.0")):
        text, _ = lines_of("--sort", "event,tid", *top, recording)
        assert [line.split()[1] for line in text[1:]] == [share + "%" for share in shares.split()], text


def check_csv(recording):
    rows = json_of("--sort", "event,comm", recording)
    table = list(csv.DictReader(lines_of("--sort", "event,comm", "--csv", recording)[0]))
    assert len(table) == len(rows) and list(table[0]) == list(rows[0]), table
    for got, row in zip(table, rows):
        for key, value in row.items():
            same = got[key] == value if isinstance(value, str) else got[key] == "" if value is None else float(got[key]) == value
            assert same, (key, got, row)


def check_diff(recording):
    """A recording does not differ from itself; one thread of it does from all."""
    for row in json_of("--sort", "event,comm", "--diff", recording, recording):
        assert row["change"] == 0 and row["before"] == row["after"], row
    # Totals equal the two reports' totals in text; shares of different events do not add up.
    one, cpu = ["--cpu", "0"], json_of("--sort", "event,comm", "--cpu", "0", recording)
    events = {row["event"] for row in cpu}
    lines = [re.split(r"  +", line.strip()) for line in lines_of("--sort", "event,comm", "--diff", *one, recording, recording)[0]]
    totals = {line[-2]: line for line in lines if line[-1] == "(total)"}
    assert totals.keys() == events, lines
    for event, line in totals.items():
        samples = str(sum(row["samples"] for row in cpu if row["event"] == event))
        assert line[:2] == [samples] * 2 and (samples == "0" or line[2:4] == ["100.0%"] * 2), line
    assert "-0.0%" not in sum(lines, [])
    assert lines[-1] == [str(sum(row["samples"] for row in cpu))] * 2 + ["-"] * 5 + ["(all)"], lines[-1]
    done = subprocess.run([EVNAME, "report", "--diff", recording], capture_output=True, text=True)
    assert done.returncode == 2 and "two recordings" in done.stderr, done


def check_metrics(recording):
    """Instructions per cycle from the sums of periods that the report itself tells."""
    rows = {(row["comm"], row["event"]): row for row in json_of("--sort", "comm,event", recording)}
    got = json_of("--metrics", "ipc", "--sort", "comm", recording)
    assert got, "no thread has a value"
    for row in got:
        done, cycles = rows[row["comm"], "inst_retired"], rows[row["comm"], "cpu_cycles"]
        assert abs(row["ipc"] - done["period"] / cycles["period"]) < 1e-9, row
        assert row["ipc_samples"] == min(done["samples"], cycles["samples"]), row
        assert row["samples"] == done["samples"] + cycles["samples"], row
    assert abs(sum(row["share"] for row in got) - 1) < 1e-9, got
    # Of several metrics, those that are known and have their events.
    for name, why in (("branch_mpki", "the recording has no samples of"), ("quux", "no metric or group 'quux'")):
        for words, code, rows in ((name, 2, []), ("ipc," + name, 1, got)):
            done = subprocess.run([EVNAME, "report", "--json", "--metrics", words, "--sort", "comm", recording], capture_output=True, text=True)
            assert done.returncode == code and why in done.stderr, done
            assert [json.loads(line) for line in done.stdout.splitlines()] == rows, done


def text_feature(number, text):
    return number, struct.pack("<I", len(text) + 1) + text + b"\0"


def check_generic_metrics(folder):
    """The kernel's cycles and instructions count for the model's metric."""
    counted = {7: (4, 2), 8: (5, 10)}  # cycles and instructions of each thread, one a sample
    data = b"".join(perf_file.sample(10, tid, id + 1) for tid, both in counted.items() for id, n in enumerate(both) for _ in range(n))
    attrs = [perf_file.attr(config, 0) for config in (0, 1)]
    for arch, cpuid in ((b"x86_64", b"GenuineIntel-6-55-4"), (b"x86_64", b"AuthenticAMD-25-17-1"), (b"aarch64", b"0x00000000410fd0c0")):
        recording = pathlib.Path(folder, "generic.data")
        recording.write_bytes(perf_file.file(data, attrs, [text_feature(6, arch), text_feature(9, cpuid)]))
        rows = json_of("--metrics", "ipc", "--sort", "tid", recording)
        assert [(row["tid"], row["samples"], row["share"]) for row in rows] == [(8, 15, 15 / 21), (7, 6, 6 / 21)], rows
        got = {row["tid"]: (row["ipc"], row["ipc_samples"]) for row in rows}
        assert got == {tid: (done / cycles, min(cycles, done)) for tid, (cycles, done) in counted.items()}, (cpuid, got)
    check_folded_metrics(recording)


def check_folded_metrics(recording):
    """Rows that rest on few samples are one line of text, and data has them unless it is asked not to."""
    ask = ("--metrics", "ipc", "--sort", "tid")
    def table(*words):
        return [line.split(None, 4) for line in lines_of(*ask, *words, recording)[0][1:]]
    both, total = [["15", "71.4%", "2.000", "5", "8"], ["6", "28.6%", "0.5000", "2", "7"]], ["21", "100.0%", "1.333", "9", "(total)"]
    for least, few, lines in ((0, 0, both), (2, 0, both), (3, 1, both[:1] + [both[1][:4]]), (6, 2, [total[:4]])):
        if few:
            lines[-1] = lines[-1][:4] + [f"({few} with fewer than {least} samples of an event)"]
        assert table("--min-samples", str(least)) == lines + [total], least
        rows, note = lines_of(*ask, "--json", "--min-samples", str(least), recording)
        assert len(rows) == 2 - few and ("left out" in note) == (few > 0), (least, note)
    assert table() == [total[:4] + ["(2 with fewer than 10 samples of an event)"], total]
    assert table("--min-samples", "1", "--top", "1") == [both[0], both[1][:4] + ["(1 more)"], total]
    assert table("--min-samples", "2", "--order", "ipc:asc") == [both[1], both[0], total]
    for words, why in ((("--metrics", "ipc", "--min-samples", "x"), "'x' is not a number"), (("--min-samples", "1"), "needs --metrics")):
        done = subprocess.run([EVNAME, "report", *words, recording], capture_output=True, text=True)
        assert done.returncode == 2 and why in done.stderr, done


def check_topdown(folder):
    """AMD's pipeline metrics of Zen 4, which has 6 slots a cycle: those whose events were recorded, by hand."""
    events = {"cycles": 0x76, "front": 0x1000001a0, "dispatched": 0x7aa, "retired": 0xc1}
    counted = {7: {"cycles": 10, "front": 12, "dispatched": 30, "retired": 24}, 8: {"cycles": 20, "front": 6, "dispatched": 96, "retired": 96}}
    data = b"".join(perf_file.sample(10, tid, id) for tid, counts in counted.items() for id, event in enumerate(events, 1) for _ in range(counts[event]))
    recording = pathlib.Path(folder, "topdown.data")
    features = [text_feature(6, b"x86_64"), text_feature(9, b"AuthenticAMD-25-17-1")]
    recording.write_bytes(perf_file.file(data, [perf_file.attr(config, 4) for config in events.values()], features))
    done = subprocess.run([EVNAME, "report", "--topdown", "--json", "--sort", "tid", recording], capture_output=True, text=True)
    assert done.returncode == 1 and "--topdown backend_bound: the recording has no samples of de_no_dispatch_per_slot.backend_stalls" in done.stderr, done
    rows = {row["tid"]: row for row in map(json.loads, done.stdout.splitlines())}
    for tid, values in ((7, {"frontend_bound": 20, "bad_speculation": 10, "retiring": 40}), (8, {"frontend_bound": 5, "bad_speculation": 0, "retiring": 80})):
        assert {key: round(rows[tid][key], 9) for key in values} == values, rows[tid]
        assert "frontend_bound_latency" not in rows[tid] and rows[tid]["retiring_samples"] == counted[tid]["cycles"], rows[tid]
    text = subprocess.run([EVNAME, "report", "--topdown", "--sort", "tid", recording], capture_output=True, text=True).stdout.splitlines()
    assert text[0].split() == ["samples", "share", "bad_speculation", "frontend_bound", "retiring", "tid"], text
    assert text[-1].split() == ["294", "100.0%", "3.333", "10.00", "66.67", "(total)"], text
    second = subprocess.run([EVNAME, "report", "--topdown", "--td-level", "2", "--json", "--sort", "tid", recording], capture_output=True, text=True)
    assert second.returncode == 1 and "--topdown frontend_bound_latency" in second.stderr, second
    for words, why in ((("--topdown", "--metrics", "ipc"), "--metrics"), (("--td-level", "2"), "needs --topdown"),
                       (("--topdown", "--td-level", "0"), "not a number above 0"), (("--topdown", "--html", "x"), "--topdown")):
        done = subprocess.run([EVNAME, "report", *words, recording], capture_output=True, text=True)
        assert done.returncode == 2 and why in done.stderr, done
    # A CPU without a tree.
    recording.write_bytes(perf_file.file(data, [perf_file.attr(config, 4) for config in events.values()], [text_feature(6, b"riscv64")]))
    done = subprocess.run([EVNAME, "report", "--topdown", recording], capture_output=True, text=True)
    assert done.returncode == 2 and "--topdown: " in done.stderr, done


def by_numbers(text):
    """Numbers in texts count by their values, and are where their digits would be."""
    return [("0", int(piece, 16 if piece.startswith("0x") else 10)) if piece[0].isdigit() else (piece, 0)
            for piece in re.findall(r"0x[0-9a-f]+|[0-9]+|.", text)]


def check_children(recording):
    """What all stacks begin with counts with all samples; nothing counts less with than without what it calls."""
    rows = json_of("--sort", "sym", "--children", recording)
    samples = sum(row["samples"] for row in rows)
    assert all(row["samples"] <= row["children"] <= samples for row in rows), rows
    assert [row["children"] for row in rows] == sorted((row["children"] for row in rows), reverse=True), rows
    assert [row["sym"] for row in json_of("--sort", "sym", "--children", "--order", "sym", recording)] == \
        sorted((row["sym"] for row in rows), key=by_numbers)
    assert sum(row["samples"] for row in json_of("--sort", "sym", recording)) == samples
    done = subprocess.run([EVNAME, "report", "--children", recording], capture_output=True, text=True)
    assert done.returncode == 2 and "--sort sym" in done.stderr, done


def check_overview(folder):
    """Without options: the sums of events as --sort event has them, and the first functions of the event with most samples that
    has addresses; addresses without a name are one row for each file."""
    recording = pathlib.Path(folder, "overview.data")
    stacks = [(f"/none/lib{name}.so", 0x10000 * (i + 1), count) for i, (name, count) in enumerate((f"f{i:02}", 2 + i) for i in range(12))]
    def sample(time, address):
        return perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQ", 1, address, 1, 1, time), 2)

    data = b"".join(perf_file.record(perf_file.MMAP, struct.pack("<iiQQQ", 1, 1, start, 0x1000, 0) + perf_file.padded(path.encode()) +
                                     perf_file.trailer(0), 2) for path, start, _ in stacks)
    data += b"".join(sample(1000 + i, start + 16 * i) for _, start, count in stacks for i in range(count))
    recording.write_bytes(perf_file.file(data + sample(9000, 0xdead000), [perf_file.attr(sample_type=perf_file.TYPE | 1)]))
    lines, told = lines_of(recording)
    assert lines[:3] == lines_of("--sort", "event", recording)[0] and lines[3] == "", lines
    rows = [line.split(maxsplit=2) for line in lines[5:]]
    shares = [(count, f"{count / 91:.1%}") for count in range(13, 3, -1)]
    assert rows == [["samples", "share", "function"]] + \
        [[str(count), share, f"libf{count - 2:02}.so (no name)"] for count, share in shares] + \
        [["6", "6.6%", "(3 more)"]], rows
    more = re.search(r"more: evname (report .*)", told)[1].split()
    assert more == ["report", str(recording), "--sort", "function", "--top", "50"], more
    assert len(lines_of(*more[1:])[0]) == 1 + 50 + 2, "each address has a row"
    assert lines_of("--sort", "thread,function,library,file:line", recording) == lines_of("--sort", "comm,sym,dso,srcline", recording)
    page = subprocess.run([EVNAME, recording, "-o", pathlib.Path(folder, "o.html")], capture_output=True)
    assert page.returncode == 0 and pathlib.Path(folder, "o.html").read_text() == page_of(recording, folder), page
    for words in ([recording], ["--color=never", "--no-pager", recording]):
        assert subprocess.run([EVNAME, *words], capture_output=True, text=True).stdout.splitlines() == lines, words
    with open(recording, "rb") as pipe:
        assert subprocess.run([EVNAME, "report", "-"], stdin=pipe, capture_output=True, text=True).stdout.splitlines() == lines
    recording.write_bytes(perf_file.file(perf_file.sample(1), [perf_file.attr()]))
    assert lines_of(recording)[0] == lines_of("--sort", "event", recording)[0]


def check_many_stacks(folder):
    """None is cut where the page has room for all."""
    recording, most = pathlib.Path(folder, "many.data"), 100_000
    chains = (struct.pack("<QQQQ", 3, 2**64 - 512, 0x1000 + i, 0x20) for i in range(most))  # PERF_CONTEXT_USER
    data = b"".join(perf_file.sample(i + 1, more=chain) for i, chain in enumerate(chains))
    recording.write_bytes(perf_file.file(data, [perf_file.attr(sample_type=perf_file.TYPE | 1 << 5)]))
    page = page_of(recording, folder)
    assert data_of(page)["files"][0]["cut"] == 0 and len(page) < 10_000_000, len(page)


def check_long_names(folder):
    """Functions whose names begin and end alike for more letters than the page shows are two."""
    symbols, recording = (pathlib.Path(folder, name) for name in ("kallsyms", "long.data"))
    names = [begin + 5000 * "x" + middle + 500 * "y" for begin, middle in (("f", "heavy"), ("f", "light"), ("g", "other"))]
    text = 0xffffffff81000000
    symbols.write_text(f"{text:x} T _text\n" + "".join(f"{text + 16 * i:x} T {name}\n" for i, name in enumerate(names, 1)) + f"{text + 64:x} T end\n")
    kernel = struct.pack("<iiQQQ", -1, 0, text, 0x1000, text) + perf_file.padded(b"[kernel.kallsyms]_text") + perf_file.trailer(0, 0)
    chains = (struct.pack("<QQQ", 2, 2**64 - 128, text + 16 * i + 1) for i in (1, 1, 1, 2, 3))  # PERF_CONTEXT_KERNEL
    data = perf_file.record(perf_file.MMAP, kernel, 1) + b"".join(perf_file.sample(i + 1, more=chain) for i, chain in enumerate(chains))
    recording.write_bytes(perf_file.file(data, [perf_file.attr(sample_type=perf_file.TYPE | 1 << 5)]))
    page = pathlib.Path(folder, "page.html")
    lines_of("--html", page, "--kallsyms", symbols, recording)
    data = data_of(page.read_text())
    shown = [text for text in data["texts"] if "xxx" in text]
    assert len(shown) == len(set(shown)) == 3 and max(map(len, shown)) < 4200, list(map(len, shown))


def check_page_of_changes(before, after, folder):
    """--diff --html has what --diff prints."""
    out = pathlib.Path(folder, "changes.html")
    for words in ((), ("--sort", "event,comm"), ("--sort", "comm", "--order", "after")):
        lines_of("--html", out, "--diff", *words, before, after)
        page = data_of(out.read_text())
        rows = json_of("--diff", *words, before, after)
        assert len(page["changes"]) == len(rows) and page["more_changes"] == 0, words
        for (keys, *numbers), row in zip(page["changes"], rows):
            assert keys == [row[key] or "-" for key in page["keys"]], (keys, row)
            assert numbers == [row[key] for key in ("before", "after", "share_before", "share_after", "period_before", "period_after")], row
    done = subprocess.run([EVNAME, "report", "--html", out, "--order", "colour", before], capture_output=True, text=True)
    assert done.returncode == 2 and "no column 'colour'" in done.stderr, done


FIELDS = {"prev_comm": ("char prev_comm[8]", 8, 8, 0), "prev_pid": ("int prev_pid", 16, 4, 1), "next_comm": ("char next_comm[8]", 24, 8, 0)}


def tracing_data():
    """trace_report of perf's util/trace-event-read.c: two tracepoints; the second has a pid alone."""
    def format_of(name, id, fields):
        rows = "".join(f"\tfield:{text};\toffset:{at};\tsize:{size};\tsigned:{signed};\n" for text, at, size, signed in fields)
        return f"name: {name}\nID: {id}\nformat:\n{rows}\n".encode()

    formats = [format_of("sched_switch", 316, FIELDS.values()), format_of("sched_wakeup", 317, [("int pid", 8, 4, 1)])]
    out = b"\x17\x08\x44tracing0.6\0" + struct.pack("<BBI", 0, 8, 4096)
    out += b"header_page\0" + struct.pack("<Q2s", 2, b"ab") + b"header_event\0" + bytes(8)
    out += struct.pack("<II", 0, 1) + b"sched\0" + struct.pack("<I", len(formats))
    return out + b"".join(struct.pack("<Q", len(text)) + text for text in formats)


def check_fields_of_tracepoints(folder):
    """As perf report -s prev_comm,next_comm; events without a field have none."""
    raw = 1 << 10
    switches = [(b"bash", 7, b"perf"), (b"bash", 7, b"perf"), (b"bash", -8, b"perf"), (b"perf", 9, b"bash")]
    packed = [(1, bytes(8) + a.ljust(8, b"\0") + struct.pack("<iI", pid, 0) + b.ljust(8, b"\0")) for a, pid, b in switches]
    packed.append((2, bytes(8) + struct.pack("<iI", 5, 0)))
    data = b"".join(perf_file.sample(i + 1, id=id, more=struct.pack("<I", len(text) + 4) + text + bytes(4))
                    for i, (id, text) in enumerate(packed))
    attrs = [perf_file.attr(id, 2, perf_file.TYPE | raw) for id in (316, 317)]
    recording = pathlib.Path(folder, "switches.data")
    recording.write_bytes(perf_file.file(data, attrs, [(1, tracing_data())]))

    def samples(sort):
        keys = sort.split(",")
        return {tuple(row[key] for key in keys): row["samples"] for row in json_of("--sort", sort, recording)}

    assert samples("prev_comm,next_comm") == {("bash", "perf"): 3, ("perf", "bash"): 1, (None, None): 1}, samples("prev_comm,next_comm")
    assert samples("prev_pid") == {(7,): 2, (-8,): 1, (9,): 1, (None,): 1}, samples("prev_pid")
    ordered = [row["prev_pid"] for row in json_of("--sort", "prev_pid", "--order", "prev_pid", recording)]
    assert ordered == [-8, 7, 9, None], ordered
    assert samples("pid,prev_comm") == {(1, "bash"): 3, (1, "perf"): 1, (1, None): 1}, samples("pid,prev_comm")
    named = "sched:sched_wakeup.pid"
    assert samples(named) == {(5,): 1, (None,): 4}, samples(named)
    assert samples("sched_switch.prev_comm") == {("bash",): 3, ("perf",): 1, (None,): 1}
    text, _ = lines_of("--sort", "prev_comm,next_comm", recording)
    assert re.search(r"prev_comm +next_comm", text[0]), text
    for sort, code in (("prev_com", 2), ("sched_exit.prev_comm", 2), ("comm,", 2), ("a b", 2), (",".join(f"f{i}" for i in range(9)), 2)):
        done = subprocess.run([EVNAME, "report", "--sort", sort, recording], capture_output=True, text=True)
        assert done.returncode == code and sort.split(",")[-1] in done.stderr, (sort, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for recording in sorted((ROOT / "tests" / "data").glob("*.data")):
            page = page_of(recording, folder)
            check_numbers(page, recording)
            assert "http" not in page, "the page needs the network"
            assert len(page) < 1 << 20, len(page)
        system, plain = (ROOT / "tests" / "data" / name for name in ("cortex-a72-system.data", "neoverse-n1.data"))
        check_order(system)
        check_top(system)
        check_totals(folder)
        check_csv(system)
        check_diff(system)
        check_children(system)
        check_generic_metrics(folder)
        check_topdown(folder)
        check_many_stacks(folder)
        check_overview(folder)
        check_long_names(folder)
        check_fields_of_tracepoints(folder)
        check_page_of_changes(system, plain, folder)
        if shared := os.environ.get("EVNAME_SHARED"):
            check_metrics(pathlib.Path(shared, "recordings", "arm64-n1-icount.data"))
        both = pathlib.Path(folder, "both.html")
        lines_of("--html", both, "--sort", "comm", system, plain)
        files = data_of(both.read_text())["files"]
        assert [file["facts"]["file"] for file in files] == [str(system), str(plain)], files
        for file, recording in zip(files, (system, plain)):
            assert [row[0] for row in file["rows"]] == [[row["comm"]] for row in json_of("--sort", "comm", recording)]
        # The same recording with a hostile name of a user's event.
        original = (ROOT / "tests" / "data" / "cortex-a72-system.data").read_bytes()
        name = b"my_cycles\0" + bytes(len(HOSTILE) - 10 if len(HOSTILE) > 10 else 0)
        assert original.count(name) == 1
        hostile = pathlib.Path(folder, "hostile.data")
        hostile.write_bytes(original.replace(name, HOSTILE.ljust(len(name), b"\0")))
        page = page_of(hostile, folder)
        assert "</script><b>" not in page
        assert any("</script><b>" in event["name"] for event in events_of(page))
    return 0


sys.exit(main())
