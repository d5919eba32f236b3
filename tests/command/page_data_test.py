#!/usr/bin/env python3
"""The data in the page of evname report --html: its sums equal the recording's, however many threads and however
long. Usage: page_data_test.py EVNAME"""

import collections
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import memory_recording
import page_file
import perf_file
import perf_lines
from page_file import numbers

EVNAME = sys.argv[1]


def data_of(*words):
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "page.html")
        subprocess.run([EVNAME, "report", *words, "--html", page], check=True, capture_output=True)
        return page_file.data_of(page)


def timeline_of(threads, steps):
    """The data of a recording with a sample of each thread at each step, and a lost one."""
    data = [perf_file.comm(tid, b"t%d" % tid) for tid in range(1, threads + 1)]
    for step in range(1, steps + 1):
        data += [perf_file.sample(step * 1000 + tid, tid) for tid in range(1, threads + 1)]
        data.append(perf_file.record(perf_file.LOST, struct.pack("<QQ", 1, 1) + perf_file.trailer(step * 1000 + 500, 1)))
    with tempfile.TemporaryDirectory() as folder:
        recording = pathlib.Path(folder, "perf.data")
        recording.write_bytes(perf_file.file(b"".join(data)))
        return data_of(recording)["files"][0]


def cells_of(file):
    """(event, thread, CPU, bin, samples) of each cell; all samples have the same period."""
    tracks, cells = numbers(file["tracks"]), iter(numbers(file["cells"]))
    for track in range(0, len(tracks), 3):
        node = time = 0
        for _ in range(next(cells)):
            step = next(cells)
            node, time = node + step, 0 if step else time
            flagged = next(cells)
            time += flagged // 2
            yield (*tracks[track:track + 3], time, next(cells) if flagged % 2 else 1)


def instruction_cells_of(function):
    """(track, row, bin, samples) of each cell; all samples have the same period."""
    cells, track, row, time = iter(numbers(function["cells"])), 0, 0, 0
    for step in cells:
        if step:
            track, row, time = track + step, 0, 0
        step = next(cells)
        if step:
            row, time = row + step, 0
        time += next(cells)
        yield track, row, time, next(cells)


def memory_cells_of(memory):
    """(event, bin, the operation, log2 of the latency, samples, sum of weights) of each cell on no shared line."""
    cells, event, time = iter(numbers(memory["cells"])), 0, 0
    for step in cells:
        event, time = event + step, 0 if step else time
        time += next(cells)
        assert next(cells) == 0  # its line
        source, latency, samples, weight = (next(cells) for _ in range(4))
        yield event, time, memory["sources"][source][0], latency, samples, weight


def memory_accesses(rows):
    """A recording of two events: the event's number, the us, the operation and the weight of each sample."""
    kind = 1 << 16 | 1 | 2 | 4 | 128 | 256 | 8 | 1 << 14 | 1 << 15  # with ADDR, WEIGHT, DATA_SRC
    data = [perf_file.record(3, struct.pack("<ii", 1, 1) + perf_file.padded(b"one") + memory_recording.trailer(1, 1)),
            memory_recording.mapping(1, 0x400000, 0x10000, b"/opt/none/one", 0, 11, 5)]
    for number, time, operation, weight in rows:
        what = memory_recording.source(operation, level=2 | 8, number=1)
        body = struct.pack("<QQiiQQIIQQQ", number, 0x400010, 1, 1, 1000 * (1 + time), 0x8000, 0, 0, 1, weight, what)
        data.append(perf_file.record(9, body, 2))
    return perf_file.file(b"".join(data), [memory_recording.attr(4, kind, config) for config in (0x1cd, 0x2cd)],
                          [(6, memory_recording.text(b"x86_64"))])


class PageData(unittest.TestCase):
    def test_accesses_of_each_event_are_in_bins(self):
        load, store = 2, 4  # PERF_MEM_OP_*
        rows = [(1, 0, load, 5), (2, 0, store, 0), (2, 4000, store, 7), (1, 4000, load, 9), (2, 4001, load, 70),
                (1, 9000, load, 5), (1, 9000, load, 6)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "perf.data")
            path.write_bytes(memory_accesses(rows))
            memory = data_of(path)["files"][0]["memory"]
        expected = collections.defaultdict(lambda: [0, 0])
        for number, time, operation, weight in rows:
            cell = expected[number - 1, 1000 * time // memory["width"] + 1, {load: "LOAD", store: "STORE"}[operation], weight.bit_length()]
            cell[0] += 1
            cell[1] += weight
        self.assertEqual([(cell[:4], [*cell[4:]]) for cell in memory_cells_of(memory)], sorted(expected.items()))

    def test_every_thread_and_every_sample_is_there(self):
        for threads, steps in ((1, 1000), (500, 3), (1200, 2)):
            with self.subTest(threads):
                file = timeline_of(threads, steps)
                samples = collections.Counter()
                for _, thread, cpu, time, number in cells_of(file):
                    samples[thread] += number
                    self.assertEqual(cpu, 0)
                    self.assertGreater(time, 0)
                self.assertEqual(sorted(samples.values()), [steps] * threads)
                self.assertEqual((len(file["threads"]), file["folded_threads"]), (threads, 0))
                self.assertEqual(sum(numbers(file["losses"])[2::5]), steps)

    def test_bins_begin_with_the_first_sample(self):
        file = timeline_of(1, 100)
        self.assertEqual(file["first"], "1001")
        self.assertEqual([time for *_, time, _ in cells_of(file)], [step * 1000 // file["width"] + 1 for step in range(100)])

    def test_bins_of_instructions_become_wider_where_there_is_no_room(self):
        """2,000,000 bytes for all files: of ten, each has room for 16,666 cells of six bytes, as half of it is for texts."""
        threads, steps = 20, 1000
        rows = [(1 + 1000 * step + tid, tid) for step in range(steps) for tid in range(1, threads + 1)]
        data = perf_lines.mappings() + b"".join(perf_lines.sample(time, perf_lines.START + 4, tid=tid) for time, tid in rows)
        widths = []
        for others in (0, 9):
            with tempfile.TemporaryDirectory() as folder:
                paths = [pathlib.Path(folder, str(number)) for number in range(1 + others)]
                for path in paths:
                    some = perf_lines.mappings() + perf_lines.sample(1, perf_lines.START + 4)
                    path.write_bytes(perf_file.file(data if path == paths[0] else some, [perf_lines.event(perf_lines.IP)]))
                instructions = data_of(*paths)["files"][0]["instructions"]
            width, cells = instructions["width"], [*instruction_cells_of(instructions["functions"][0])]
            expected = collections.Counter((time - 1 - 1) // width + 1 for time, _ in rows)
            samples = collections.Counter()
            for _, _, time, number in cells:
                samples[time] += number
            self.assertEqual(samples, expected)
            self.assertEqual(len(cells), len(set((tid, (time - 2) // width) for time, tid in rows)))
            widths.append(width)
        self.assertGreater(widths[1], widths[0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
