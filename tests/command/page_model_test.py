#!/usr/bin/env python3
"""What the page of evname report --html computes is what the command prints, to the last sample: functions alone and with
what they call, and source lines, of the whole recording and of parts of its time, threads and CPUs; also if stacks were
cut to keep the page small. Names are shortened as they should be. Needs node. Arguments: the evname command, the
source root, and yes or no: can it decode instructions?"""

import collections
import itertools
import json
import os
import pathlib
import random
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import memory_recording  # noqa: E402
import perf_file
from npm_modules import skip

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
DECODES = sys.argv[3] == "yes"
NODE = shutil.which("node")
DATA = ROOT / "tests" / "data"
SHARED = os.environ.get("EVNAME_SHARED")
MODEL = ROOT / "tests" / "command" / "page_model.js"
IP, CALLCHAIN, PERIOD = 1, 1 << 5, 1 << 8
PARTS = ROOT / "tools" / "report" / "page"

NAMES = {
    "main": "main",
    "libc.so.6+0x1234": "libc.so.6+0x1234",
    "[kernel.kallsyms]": "[kernel.kallsyms]",
    "void f<int>(char) const": "f<int>",
    "std::map<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >, int>::operator[](std::string const&)":
        "std::map<…>::operator[]",
    "f(int)::{lambda(int)#1}::operator()(int) const": "f::{lambda#1}::operator()",
    "(anonymous namespace)::g(int)": "(anonymous namespace)::g",
    "operator<<(std::ostream&, A<b> const&)": "operator<<",
    "bool operator< <int, std::allocator<int>, char>(std::vector<int> const&)": "operator< <…>",
    "__gnu_cxx::iterator<char*>::type __gnu_cxx::operator-<char const*, std::vector<char> >(A const&)": "__gnu_cxx::operator-<…>",
    "std::unique_ptr<Foo, std::default_delete<Foo> >::operator->() const": "std::unique_ptr<…>::operator->",
    "A::operator unsigned long() const": "A::operator unsigned long",
    "operator new(unsigned long)": "operator new",
    "main.(*T).Method": "main.(*T).Method",
    "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop": "<Vec as Drop>::drop",
    "void (*f(int))(char)": "void (*f(int))(char)",
    "broken<(": "broken<(",
}


def model_of(*words):
    done = subprocess.run([NODE, MODEL, PARTS, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def rows_of(recording, *words):
    done = subprocess.run([EVNAME, "report", "--json", *words, recording], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def many_stacks(samples, deep=12, threads=5):
    """Hardly two stacks are alike if they are deep; functions call themselves, too."""
    pick, data = random.Random(5), []
    for i in range(samples):
        chain, tid = [pick.randrange(1, 200) * 16 for _ in range(deep)], i % threads + 1
        body = struct.pack("<QQiiQQ", 1, chain[0], tid, tid, 1000 + i * 1000, len(chain) + 1)
        data.append(perf_file.record(perf_file.SAMPLE, body + struct.pack(f"<{deep + 1}q", -512, *chain), 2))
    return perf_file.file(b"".join(data), [perf_file.attr(sample_type=perf_file.TYPE | IP | CALLCHAIN)])


def metrics_of(cpu):
    """The metrics that the tables have: Linux's own lack most."""
    listed = subprocess.run([EVNAME, "metrics", "--cpu", cpu], capture_output=True, encoding="utf-8").stdout  # or none
    return {line.split()[0] for line in listed.splitlines()}


class PageModel(unittest.TestCase):
    def check(self, recording, copies=1, is_cut=False, is_coarse=False):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.html")
            done = subprocess.run([EVNAME, "report", "--html", page, *[recording] * copies], capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            file = model_of(page)[-1]
        self.assertEqual(file["cut"] > 0, is_cut)
        self.assertEqual(file["stackWidth"] > file["width"], is_coarse)
        for selection in file["selections"]:
            with self.subTest(recording=recording.name, words=selection["words"]):
                self.check_selection(recording, selection)
        self.assertEqual(file["timed"] is not None, is_coarse and not is_cut)
        if file["timed"]:
            self.check_timed(recording, **file["timed"])

    def check_timed(self, recording, words, functions):
        """The busiest functions are exact; one row has the samples of the others."""
        rows = {row["sym"]: [row["samples"], row["children"]] for row in rows_of(recording, "--sort", "sym", "--children", *words)}
        rest = functions.pop("", [0, 0])[0]
        self.assertGreater(len(functions), 1)
        self.assertEqual(functions, {name: rows[name] for name in functions})
        self.assertEqual(rest, sum(own for name, (own, _) in rows.items() if name not in functions))

    def check_selection(self, recording, selection):
        functions, lines = collections.defaultdict(dict), collections.defaultdict(dict)
        for row in rows_of(recording, "--sort", "event,sym", "--children", *selection["words"]):
            if row["samples"] or row["children"]:
                functions[row["event"]][row["sym"]] = [row["samples"], row["children"], row["period"]]
        for row in rows_of(recording, "--sort", "event,srcline", *selection["words"]):
            if row["samples"] and row.get("srcline") not in (None, "-"):
                lines[row["event"]][row["srcline"]] = row["samples"]
        for event in selection["events"]:
            shown = {name: sums[:3] for name, sums in event["functions"].items() if any(sums)}
            self.assertEqual(shown, functions[event["name"]])
            self.assertEqual(event["lines"], lines[event["name"]])
            self.assertEqual(event["samples"], sum(row[0] for row in functions[event["name"]].values()))
            self.assertEqual((event["tree"], event["inverted"]), (event["samples"], event["samples"]))
            if event["around"]:
                callers, callees, whole = event["around"]
                self.assertEqual((callers, callees), (whole, whole))

        if DECODES:
            self.check_instructions(recording, selection)

    def check_instructions(self, recording, selection):
        addresses = collections.defaultdict(lambda: collections.defaultdict(dict))
        for row in rows_of(recording, "--instructions", "--top", "100000", *selection["words"]):
            for event in selection["events"]:
                if samples := row.get(event["name"] + "_samples"):
                    of = addresses[event["name"]][f"{row['function']} in {row['dso']}"]
                    of[(row.get("address") or "0x")[2:]] = samples
        for event in selection["events"]:
            shown = event["instructions"]
            functions = {name: rows for name, rows in shown["functions"].items() if rows} if shown else {}
            self.assertEqual(functions, {name: rows for name, rows in addresses[event["name"]].items() if name in functions})
            if shown and not shown["more"]:
                self.assertEqual(sum(sum(rows.values()) for rows in functions.values()),
                                 sum(sum(rows.values()) for rows in addresses[event["name"]].values()))

    def check_memory(self, recording, selection, shown):
        rows = rows_of(recording, "--mem", *selection["words"])
        for key, values in shown["by"].items():
            wanted = {row["value"]: [row["samples"], row["cost"]] for row in rows if row["by"] == key and row["value"] is not None}
            if key == "latency":
                values = {("0" if bits == "0" else "1" if bits == "1" else f"{2 ** (int(bits) - 1)}-{2 ** int(bits) - 1}"): sums
                          for bits, sums in values.items()}
            self.assertEqual({value: sums[:2] for value, sums in values.items()}, wanted, key)
        names = ("records", "local_hitm", "remote_hitm", "local_peer", "remote_peer", "loads", "stores")
        lines = {row["place"]: [row[name] for name in names] for row in rows_of(recording, "--c2c", *selection["words"])
                 if row["table"] == "line"}
        self.assertGreater(len(lines), 3)
        for place, counts in lines.items():
            self.assertEqual(shown["lines"][place], counts, place)

    def test_memory_accesses_are_those_of_the_command(self):
        for kind in ("usual", "arm", "plain"):
            with tempfile.TemporaryDirectory() as folder:
                recording, page = pathlib.Path(folder, "perf.data"), pathlib.Path(folder, "page.html")
                recording.write_bytes(memory_recording.recording(3000, kind))
                subprocess.run([EVNAME, "report", "--html", page, recording], check=True, capture_output=True)
                file = model_of(page)[-1]
                of_memory = [one for one in file["selections"] if one["events"][0]["memory"]]
                self.assertEqual(len(of_memory), 2)
                for selection in of_memory:
                    with self.subTest(kind=kind, words=selection["words"]):
                        self.check_memory(recording, selection, selection["events"][0]["memory"])

    def check_metrics(self, recording, known):
        """The page computes each metric whose events were recorded, as the command does."""
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.html")
            subprocess.run([EVNAME, "report", "--html", page, recording], check=True, capture_output=True)
            file = model_of(page)[-1]
        for selection in file["selections"]:
            values = selection["metrics"]["values"]
            self.assertLessEqual(known, set(values))
            rows = rows_of(recording, "--metrics", ",".join(values), "--sort", "sym", *selection["words"])
            self.assertTrue(rows)
            for row, (name, of) in itertools.product(rows, values.items()):
                with self.subTest(recording=recording.name, words=selection["words"], metric=name, sym=row["sym"]):
                    value, samples = of.get(row["sym"], (None, 0))
                    self.assertEqual(samples, row[name + "_samples"])
                    self.assertEqual(value is None, row[name] is None)
                    if value is not None:
                        self.assertAlmostEqual(value, row[name], delta=abs(row[name]) * 1e-9)
        return file

    def test_metrics_of_captures_are_those_of_the_command(self):
        if not SHARED:
            self.skipTest("EVNAME_SHARED is not set")
        for name, cpu, metrics in (("arm64-n1-icount", "n1", {"ipc", "cpi", "insn_per_cycle"}),
                                   ("arm64-cortex-a72-named", "a72", {"branch_mpki", "cpi", "ipc", "l2_mpki", "insn_per_cycle"})):
            known = metrics & metrics_of(cpu)
            if known:
                self.check_metrics(pathlib.Path(SHARED, "recordings", name + ".data"), known)

    def test_metrics_and_nodes_are_those_of_the_command(self):
        """Zen 4's pipeline: eight functions with few samples and none of some events."""
        events = {1: 0x76, 2: 0x1000001a0, 3: 0x7aa, 4: 0xc1, 5: 0xc0}
        pick = random.Random(8)
        data = []
        for i in range(400):
            event, tid, address = pick.randrange(1, 6), pick.randrange(1, 4), pick.randrange(1, 9) * 16
            data.append(perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQQ", event, address, tid, tid, 1000 + 10 * i, 100 + i % 7), 2))
        with tempfile.TemporaryDirectory() as folder:
            recording = pathlib.Path(folder, "perf.data")
            features = [(number, struct.pack("<I", len(text) + 1) + text + b"\0") for number, text in ((6, b"x86_64"), (9, b"AuthenticAMD-25-17-1"))]
            recording.write_bytes(perf_file.file(b"".join(data), [perf_file.attr(config, 4, sample_type=perf_file.TYPE | IP | PERIOD) for config in events.values()], features))
            file = self.check_metrics(recording, {"frontend_bound", "retiring"})
            nodes = dict(file["selections"][0]["metrics"]["tree"])
            self.assertEqual({name: level for name, level in nodes.items() if level == 1}, {"bad_speculation": 1, "frontend_bound": 1, "retiring": 1})
            values = file["selections"][0]["metrics"]["values"]
            for row, name in itertools.product(rows_of(recording, "--topdown", "--sort", "sym"), ("frontend_bound", "retiring")):
                if row[name] is not None:
                    self.assertAlmostEqual(values[name][row["sym"]][0], row[name])

    def test_functions_of_recordings_are_those_of_the_command(self):
        for name in ("cortex-a72-system.data", "neoverse-n1.data"):
            self.check(DATA / name)

    def test_functions_of_captures_are_those_of_the_command(self):
        if not SHARED:
            self.skipTest("EVNAME_SHARED is not set")
        for name in ("arm64-n1-smp2-fp-callgraph", "sim-amdzen4", "s390x-all", "arm64-n1-switch-events"):
            self.check(pathlib.Path(SHARED, "recordings", name + ".data"))

    def test_functions_count_samples_of_cut_stacks(self):
        """A page has room for half a million nodes, of all its recordings."""
        with tempfile.TemporaryDirectory() as folder:
            recording = pathlib.Path(folder, "perf.data")
            recording.write_bytes(many_stacks(5000))
            self.check(recording, copies=12, is_cut=True)

    def test_functions_of_large_recordings_are_those_of_longer_times(self):
        """A page has room for a million cells, of all its recordings."""
        with tempfile.TemporaryDirectory() as folder:
            recording = pathlib.Path(folder, "perf.data")
            recording.write_bytes(many_stacks(30000, 1, 40))
            self.check(recording, copies=40, is_coarse=True)

    def test_times_are_cut(self):
        self.assertEqual(model_of("seconds", "0", "1999", "999999999", "1000000000"), ["0.000000", "0.000001", "0.999999", "1.000000"])

    def test_texts_are_in_the_order_of_their_numbers(self):
        for texts in (["CPU 2", "CPU 10"], ["1", "2\u20133", "16\u201331", "128\u2013255"], ["f+0x9", "f+0x10", "f+0xff9abc", "f+0xff12abc"], ["a", "B", "c"]):
            self.assertEqual(model_of("sorted", *reversed(texts)), texts)

    def link_of(self, address):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.html")
            subprocess.run([EVNAME, "report", "--html", page, DATA / "neoverse-n1.data"], check=True, capture_output=True)
            return model_of("link", page, address)

    def test_commands_select_the_threads_of_the_page(self):
        """Thread 1 changes its name to one that thread 2 has as well, and then to one with a comma."""
        names = (b"a", b"b", b"c,d")
        data = [perf_file.comm(2, b"b"), perf_file.sample(1, 2)]
        for i, name in enumerate(names):
            data += [perf_file.comm(1, name, 10 * i + 10), *(perf_file.sample(10 * i + 11 + n, 1) for n in range(i + 2))]
        with tempfile.TemporaryDirectory() as folder:
            recording, page = pathlib.Path(folder, "perf.data"), pathlib.Path(folder, "page.html")
            recording.write_bytes(perf_file.file(b"".join(data)))
            subprocess.run([EVNAME, "report", "--html", page, recording], check=True, capture_output=True)
            links = {threads: model_of("link", page, "#th=" + urllib.parse.quote(threads))
                     for threads in ("a 1", "b 1", "b 2", "b 1,b 2", "a 1,b 1", "a 1,b 2", "c%2Cd 1", "a 1,b 1,c%2Cd 1")}
            self.assertEqual([link["samples"] for link in links.values()], [2, 3, 1, 4, 5, 3, 4, 9])
            self.assertEqual([threads for threads, link in links.items() if link["command"] is None], ["a 1,b 2", "c%2Cd 1"])
            for threads, link in links.items():
                if link["command"]:
                    words = shlex.split(link["command"])[2:]
                    done = subprocess.run([EVNAME, "report", "--json", *words], capture_output=True, text=True, check=True)
                    self.assertEqual(sum(json.loads(row)["samples"] for row in done.stdout.splitlines()), link["samples"], threads)

    def opened(self, data, *more):
        with tempfile.TemporaryDirectory() as folder:
            recordings, page = [pathlib.Path(folder, str(i)) for i in range(1 + len(more))], pathlib.Path(folder, "page.html")
            for recording, content in zip(recordings, (data, *more)):
                recording.write_bytes(content)
            subprocess.run([EVNAME, "report", "--html", page, *recordings], check=True, capture_output=True)
            return model_of("link", page, "")

    def test_durations_are_from_the_first_sample_to_the_last(self):
        """Bins that hold both samples are longer."""
        def samples(*times):
            return perf_file.file(b"".join(perf_file.sample(time, 1) for time in times))
        seen = self.opened(samples(10, 1_000_000_010))
        self.assertEqual((seen["duration"], seen["all"]), (1_000_000_000, 1_000_000_000))
        seen = self.opened(samples(10, 1_000_000_010), samples(500_000_000, 3_000_000_001))
        self.assertEqual((seen["duration"], seen["all"]), (1_000_000_000, 2_999_999_991))

    def test_recordings_without_callers_open_on_functions(self):
        self.assertEqual(self.opened(perf_file.file(perf_file.sample(1, 1)))["view"], "functions")
        self.assertEqual(self.opened(many_stacks(3))["view"], "flame")

    def test_links_have_names_with_commas(self):
        link = self.link_of("#th=" + urllib.parse.quote("a%2Cb 1,100%25 2,c 3") + "&c=0,2&m=")
        self.assertEqual((link["threads"], link["cpus"], link["metrics"]), (["a,b 1", "100% 2", "c 3"], [0, 2], []))
        self.assertEqual(self.link_of(link["address"]), link)

    def test_links_to_times_after_the_recording_select_all(self):
        self.assertIsNone(self.link_of("#t=1e6,2e6")["time"])
        self.assertIsNotNone(self.link_of("#t=0,0.000001")["time"])

    def test_names_are_shortened(self):
        shown = model_of("names", *NAMES)
        self.assertEqual(dict(zip(NAMES, (short for short, _ in shown))), NAMES)
        self.assertEqual(model_of("names", "void f<int>(std::vector<int, std::allocator<int> > const&)")[0][1], "f<int>(std::vector<…> const&)")


if __name__ == "__main__":
    if not NODE:
        skip("no node")
    unittest.main(argv=sys.argv[:1], verbosity=2)
