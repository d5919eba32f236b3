#!/usr/bin/env python3
"""What hostile servers of debuginfod can do: evname ends, and says what was wrong. Usage: debuginfod_test.py EVNAME yes|no
(has it elfutils?)"""

import ctypes
import gzip
import http.server
import os
import pathlib
import socketserver
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

import perf_file

EVNAME, HAS_ELF = sys.argv[1], sys.argv[2] == "yes"
FILES = 20  # each asks for two files


def has_client():
    try:
        return bool(ctypes.CDLL("libdebuginfod.so.1"))
    except OSError:
        return False


def recording():
    data, start = b"", 0x500000
    for number in range(FILES):
        body = struct.pack("<iiQQQ", 1, 1, start + number * 4096, 4096, 0)
        body += struct.pack("<B3x20sII", 20, struct.pack("<20xI", number + 1)[4:], 5, 2)
        data += perf_file.record(10, body + perf_file.padded(b"/nonexistent/%d" % number) + perf_file.trailer(1),
                                 2 | 1 << 14)  # PERF_RECORD_MISC_MMAP_BUILD_ID
    for number in range(FILES):
        data += perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQ", 1, start + number * 4096, 1, 1, 10 + number), 2)
    return perf_file.file(data, [perf_file.attr(sample_type=perf_file.TYPE | 1)],
                          [(6, struct.pack("<I64s", 64, b"x86_64"))])


class Server(http.server.BaseHTTPRequestHandler):
    answer = (404, {}, b"")
    asked = 0

    def do_GET(self):
        Server.asked += 1
        if self.answer is None:  # a server that says nothing
            self.rfile.read(1)
            return
        code, headers, content = self.answer
        self.send_response(code)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@unittest.skipUnless(HAS_ELF and has_client(), "no elfutils, or no libdebuginfod.so.1")
class HostileServers(unittest.TestCase):
    def ask(self, answer, folder, **variables):
        Server.answer, Server.asked = answer, 0
        path = pathlib.Path(folder, "perf.data")
        path.write_bytes(recording())
        with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Server) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            environment = dict(os.environ, HOME=folder, DEBUGINFOD_CACHE_PATH=f"{folder}/cache",
                               DEBUGINFOD_URLS=f"http://127.0.0.1:{server.server_address[1]}", no_proxy="127.0.0.1", **variables)
            done = subprocess.run([EVNAME, "annotate", "--debuginfod", "-F", "ip,sym", path], capture_output=True,
                                  text=True, env=environment, timeout=60)
            server.shutdown()
        self.assertEqual(done.stdout.count("[unknown]"), FILES, done.stderr)
        if "static evname" in done.stderr:
            self.skipTest("a static evname loads no library")
        return done

    def test_answers(self):
        for answer, warning in (
            ((404, {}, b""), ""),
            ((500, {}, b"\x1b[31m"), ""),
            ((200, {}, b"text"), ""),
            ((200, {}, b"\x7fELF"), ""),
            ((302, {"Location": "file:///etc/passwd"}, b""), ""),
            ((200, {"Content-Length": str(1 << 62)}, b"\x7fELF"), "debuginfod: a file of more than 8 GB is not fetched"),
        ):
            with self.subTest(answer), tempfile.TemporaryDirectory() as folder:
                done = self.ask(answer, folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(warning, done.stderr)
                self.assertNotIn("\x1b", done.stderr)

    def test_a_silent_server_is_asked_once(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.ask(None, folder, DEBUGINFOD_TIMEOUT="1", DEBUGINFOD_RETRY_LIMIT="0")
            self.assertEqual((done.returncode, Server.asked), (0, 1), done.stderr)
            self.assertIn("debuginfod: no server answered in time", done.stderr)

    def test_what_is_compressed_counts_as_it_is_written(self):
        """The folder of one file has what a server's 9 MB were before they were compressed; no disk has room for them."""
        with tempfile.TemporaryDirectory() as folder:
            written = pathlib.Path(folder, f"cache/{struct.pack('<20xI', 1)[4:].hex()}/debuginfo.Tx3bLm")
            written.parent.mkdir(parents=True)
            with written.open("wb") as out:
                out.truncate(9 << 30)
            done = self.ask((200, {"Content-Encoding": "gzip"}, gzip.compress(bytes(1 << 20))), folder)
            self.assertEqual(done.stderr.count("a file of more than 8 GB is not fetched"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
