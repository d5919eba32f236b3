#!/usr/bin/env python3
"""The data in the page of evname report --html: its sums are those of the recording, however many threads and however
long. Usage: page_data_test.py EVNAME"""

import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import perf_file

EVNAME = sys.argv[1]
MOST_THREADS = 256  # lanes of threads that a page has


def timeline_of(threads, steps):
    """Of a recording in which each thread has a sample at each step, and one is lost."""
    data = [perf_file.comm(tid, b"t%d" % tid) for tid in range(1, threads + 1)]
    for step in range(1, steps + 1):
        data += [perf_file.sample(step * 1000 + tid, tid) for tid in range(1, threads + 1)]
        data.append(perf_file.record(perf_file.LOST, struct.pack("<QQ", 1, 1) + perf_file.trailer(step * 1000 + 500, 1)))
    with tempfile.TemporaryDirectory() as folder:
        recording, page = pathlib.Path(folder, "perf.data"), pathlib.Path(folder, "page.html")
        recording.write_bytes(perf_file.file(b"".join(data)))
        subprocess.run([EVNAME, "report", recording, "--html", page], check=True, capture_output=True)
        data = json.loads(re.search('id="data">(.*?)</script>', page.read_text(), re.S)[1])
    return data["files"][0]


def lost_of(lane):
    return sum(lane["cells"][3::4])


class PageData(unittest.TestCase):
    def check(self, file, threads, steps):
        whole, *lanes = file["lanes"]
        self.assertEqual((whole["samples"], lost_of(whole)), (threads * steps, steps))
        for lane in file["lanes"]:
            self.assertEqual((sum(lane["cells"][1::4]), sum(lane["cells"][2::4])), (lane["samples"], lane["period"]))
        self.assertEqual(sum(lane["samples"] for lane in lanes), threads * steps)

    def test_threads_beyond_the_limit_are_one_lane(self):
        for threads, lanes in ((MOST_THREADS - 1, 0), (MOST_THREADS, 0), (MOST_THREADS + 44, 45)):
            with self.subTest(threads):
                file = timeline_of(threads, 3)
                self.check(file, threads, 3)
                self.assertEqual(len(file["lanes"]), 1 + min(threads, MOST_THREADS))
                self.assertEqual(file["lanes"][-1]["folded"], lanes)
                self.assertEqual(file["lanes"][-1]["samples"], 3 * max(lanes, 1))

    def test_wider_bins_have_the_same_sums(self):
        narrow, wide = timeline_of(2, 1000), timeline_of(200, 1000)  # 200,000 cells are too many for a page
        self.check(narrow, 2, 1000)
        self.check(wide, 200, 1000)
        self.assertGreater(wide["width"], narrow["width"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
