#!/usr/bin/env python3
"""Recordings that perf did not finish, or that have no samples: each subcommand says so, and ends with 1 if something is
missing.

  unfinished_test.py EVNAME
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import perf_file

EVNAME = sys.argv.pop(1)
QUESTION = 'was `perf record` terminated properly?'
ATTR_SIZE, DATA_SIZE = 16, 48
NAME = (3, struct.pack('<I', 8) + b'host\0\0\0\0')
RECORDS = perf_file.comm(1, b'work') + perf_file.record(perf_file.SAMPLE, struct.pack('<QQiiQ', 1, 0x1000, 1, 1, 1000), 2)
STAT = perf_file.record(76, struct.pack('<QIIQQQ', 1, 0, 0, 5, 1, 1))

# Subcommands that go through a recording; OUT is a new file or directory.
SUBCOMMANDS = [
    'report FILE', 'report --sort event,comm FILE', 'report --json FILE', 'report --children --sort sym FILE', 'report --html OUT FILE',
    'script -i FILE', 'script -F comm,tid -i FILE', 'annotate FILE', 'annotate --format folded FILE', 'annotate --format csv FILE',
    'export --format firefox -o OUT FILE', 'export --format pprof -o OUT FILE', 'info FILE', 'info --json FILE',
    'info --records FILE', 'buildid-list -i FILE', 'buildid-list -H -i FILE', 'split --by event -o OUT FILE', 'inject -o OUT FILE']
WITH_SAMPLES = [line for line in SUBCOMMANDS if not line.startswith(('info', 'buildid-list', 'inject'))]


def header_of_perf_2(size):
    """A header without features, and one attr of 64 bytes, as perf before 3.0 wrote them."""
    out = struct.pack('<8s8Q', b'PERFFILE', 72, 80, 80, 80, 160, size, 160, 0).ljust(80, b'\0')
    return out + struct.pack('<IIQQQQQ', 0, 64, 0, 1000, 3, 0, 0).ljust(64, b'\0') + struct.pack('<QQ', 72, 8)


def recording(records, features=()):
    ip = 1
    return perf_file.file(records, [perf_file.attr(sample_type=perf_file.TYPE | ip)], features)


def with_size_0(content, at=DATA_SIZE):
    return content[:at] + bytes(8) + content[at + 8:]


UNFINISHED = {
    'of perf 2, without a record': header_of_perf_2(0),
    'without a record': recording(b''),
    'without a record, but with features': recording(b'', features=[NAME]),
    'with records': with_size_0(recording(RECORDS)),
    'with records, but no size of attrs': with_size_0(recording(RECORDS), ATTR_SIZE),
    'with records, and bits of features': with_size_0(recording(RECORDS, features=[NAME])),
}


class Unfinished(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.made = pathlib.Path(folder.name), 0

    def run_line(self, line, content):
        self.made += 1
        path = self.folder / f'{self.made}.data'
        path.write_bytes(content)
        words = [str(path) if word == 'FILE' else f'{path}.out' if word == 'OUT' else word for word in line.split()]
        return subprocess.run([EVNAME, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)

    def test_each_subcommand_asks_whether_record_was_terminated(self):
        for what, content in UNFINISHED.items():
            for line in SUBCOMMANDS:
                with self.subTest(what=what, line=line):
                    done = self.run_line(line, content)
                    self.assertEqual(done.stderr.count(QUESTION), 1, done.stderr)
                    self.assertEqual(done.returncode, 1, done.stderr)

    def test_a_finished_recording_is_not_asked_about(self):
        for line in SUBCOMMANDS:
            with self.subTest(line=line):
                done = self.run_line(line, recording(RECORDS))
                self.assertNotIn(QUESTION, done.stderr)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_records_are_read(self):
        done = self.run_line('report --json FILE', UNFINISHED['with records'])
        self.assertEqual(json.loads(done.stdout.splitlines()[0])['samples'], 1)

    def test_counts_of_perf_stat_are_pointed_to(self):
        for line in WITH_SAMPLES:
            for content, has_note in ((recording(STAT), True), (recording(RECORDS), False),
                                      (recording(RECORDS + STAT), False)):
                with self.subTest(line=line, has_note=has_note):
                    done = self.run_line(line, content)
                    self.assertEqual('evname metrics --from' in done.stderr, has_note, done.stderr)


class OfflineCpus(unittest.TestCase):
    """CPU_TOPOLOGY has -1 for what the kernel does not know of a CPU."""

    def test_have_ids_of_minus_1(self):
        text = struct.pack('<I4s', 4, b'0')
        topology = struct.pack('<I', 1) + text + struct.pack('<I', 1) + text + struct.pack('<iiii', 0, 0, -1, -1)
        topology += struct.pack('<I', 1) + text + struct.pack('<ii', 0, -1)
        with tempfile.NamedTemporaryFile(suffix='.data') as file:
            file.write(recording(RECORDS, features=[(7, struct.pack('<II', 2, 1)), (13, topology)]))
            file.flush()
            shown, lines = (subprocess.run([EVNAME, 'info', *more, file.name], capture_output=True, text=True).stdout
                            for more in (['-v'], ['--json']))
        self.assertIn('CPU 1: Core ID -1, Die ID -1, Socket ID -1\n', shown)
        self.assertIn('{"core":-1,"socket":-1,"die":-1}', lines)


if __name__ == '__main__':
    unittest.main()
