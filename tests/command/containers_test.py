#!/usr/bin/env python3
"""Functions of processes that have files of their own, as in a container, while they live and after it; and of code in
files of memory. Usage: containers_test.py EVNAME yes|no (has it elfutils?)"""

import contextlib
import json
import os
import pathlib
import platform
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import perf_file

EVNAME, HAS_ELF = sys.argv[1], sys.argv[2] == "yes"
MMAP2, IP, USER, BUILD_ID_INSIDE = 10, 1, 2, 1 << 14
BASE, MADE = 0x5555_0000_0000, 0x7f00_0000_0000
ID, OTHER_ID = bytes(range(20)), bytes(range(1, 21))
SOURCE = """
#include <stdio.h>
#include <unistd.h>
int work_inside(int a) { return a * 3; }
int main(int argc, char** argv) {
  char name[64];
  sprintf(name, "/tmp/perf-%d.map", (int)getpid());
  FILE* map = fopen(name, "w");
  fprintf(map, "7f0000001000 100 made_inside\\n");
  fclose(map);
  puts("ready");
  fflush(stdout);
  for (;;) sleep(argc + (argv == 0));
}
"""
# The program is nowhere else, and /tmp is another. `link` leads to a program outside, if / is not the container's.
INSIDE = """
mount -t tmpfs none /mnt && cp "$0/server" /mnt/server && ln -s "$0/server" /mnt/link && mkfifo /mnt/fifo &&
mount -t tmpfs none /tmp && exec /mnt/server
"""


def text(value):
    return struct.pack("<I", 64) + value.encode().ljust(64, b"\0")


def mapped(name, pid, id=None, start=BASE, flags=2):
    what = struct.pack("<B3x20s", len(id), id) if id else bytes(24)
    body = struct.pack("<iiQQQ", pid, pid, start, 0x10000, 0) + what + struct.pack("<II", 5, flags)
    return perf_file.record(MMAP2, body + perf_file.padded(name.encode()) + perf_file.trailer(0, pid),
                            USER | (BUILD_ID_INSIDE if id else 0))


def sampled(pid, ip, at):
    return perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQ", 1, ip, pid, pid, at), USER)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def functions(self, records, ips, ago=0, pid=1):
        """What report prints of samples at addresses, and its messages. The recording is from here."""
        now = time.clock_gettime_ns(time.CLOCK_MONOTONIC) - ago
        data = records + b"".join(sampled(pid, ip, now + i) for i, ip in enumerate(ips))
        features = [(3, text(os.uname().nodename)), (4, text(os.uname().release)), (6, text(platform.machine())),
                    (21, struct.pack("<QQ", now, now + len(ips)))]
        path = self.folder / "perf.data"
        path.unlink(missing_ok=True)
        path.write_bytes(perf_file.file(data, [perf_file.attr(sample_type=perf_file.TYPE | IP)], features))
        if ago:
            os.utime(path, ns=(time.time_ns() - ago + 10**9,) * 2)
        environment = dict(os.environ, HOME=str(self.folder))
        environment.pop("DEBUGINFOD_URLS", None)
        done = subprocess.run([EVNAME, "annotate", "--json", "-F", "sym", path], capture_output=True, text=True, env=environment,
                              timeout=60)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return [json.loads(line)["sym"] for line in done.stdout.splitlines()], done.stderr


@unittest.skipUnless(HAS_ELF and all(map(shutil.which, ("cc", "nm", "unshare"))), "no elfutils, or no compiler")
class OfAContainer(Case):
    def setUp(self):
        super().setUp()
        (self.folder / "server.c").write_text(SOURCE)
        server = self.folder / "server"
        subprocess.run(["cc", "-pie", "-fPIE", f"-Wl,--build-id=0x{ID.hex()}", "-o", server, self.folder / "server.c"], check=True)
        nm = subprocess.run(["nm", server], check=True, capture_output=True, text=True).stdout
        self.ip = BASE + next(int(line.split()[0], 16) for line in nm.splitlines() if line.endswith(" work_inside"))
        self.process = subprocess.Popen(["unshare", "-m", "-p", "--fork", "sh", "-c", INSIDE, self.folder],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        if self.process.stdout.readline() != "ready\n":
            self.skipTest("needs namespaces")
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        self.pid = int(children.split()[0])
        self.anonymous = mapped("//anon", self.pid, start=MADE, flags=0x22)

    def end(self):
        for pid in filter(None, [getattr(self, "pid", 0), self.process.pid]):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def all(self, name="/mnt/server", id=ID, **keys):
        return self.functions(mapped(name, self.pid, id) + self.anonymous, [self.ip, MADE + 0x1010], pid=self.pid, **keys)

    def test_while_it_lives_its_files_are_read(self):
        self.assertEqual(self.all()[0], ["work_inside", "made_inside"])
        self.assertEqual(self.all(id=OTHER_ID)[0][1:], ["made_inside"])
        self.assertNotIn("work_inside", self.all(id=OTHER_ID)[0])

    def test_links_do_not_lead_out_and_nothing_but_files_is_opened(self):
        for name in "/mnt/link", "/mnt/fifo", "/mnt":
            with self.subTest(name):
                self.assertNotIn("work_inside", self.all(name, None)[0])

    def test_a_process_that_started_later_is_another(self):
        functions, _ = self.all(ago=3600 * 10**9)
        self.assertFalse({"work_inside", "made_inside"} & set(functions), functions)

    def test_after_its_end_the_build_id_leads_to_the_file(self):
        (self.folder / "copy").write_bytes((self.folder / "server").read_bytes())
        self.end()
        functions, told = self.all()
        self.assertFalse({"work_inside", "made_inside"} & set(functions), functions)
        self.assertIn(f"/mnt/server (build id {ID.hex()}): the file is not here any more", told)
        kept = self.folder / ".debug" / ".build-id" / ID.hex()[:2] / ID.hex()[2:]
        kept.mkdir(parents=True)
        (self.folder / "copy").rename(kept / "elf")
        self.assertIn("work_inside", self.all()[0])


class InMemory(Case):
    """The map has what is in these files; perf 7.3 reads it for memory without a file alone."""

    def test_files_of_memory(self):
        pid = os.getpid()
        map = pathlib.Path(f"/tmp/perf-{pid}.map")
        self.addCleanup(map.unlink)
        map.write_text(f"{MADE + 0x1000:x} 100 made_here\n")
        for name, known in (("/memfd:doublemapper (deleted)", True), ("/dev/shm/jit.1 (deleted)", True), ("//anon", True),
                            ("[anon:v8]", True), ("/dev/zero (deleted)", True), ("/SYSV00000000 (deleted)", True),
                            ("/anon_hugepage (deleted)", True), ("[heap]", True), ("[stack]", True),
                            ("/usr/lib/libwhole.so (deleted)", False), ("/dev/shm/whole.so", False)):
            with self.subTest(name):
                functions, _ = self.functions(mapped(name, pid, start=MADE, flags=1), [MADE + 0x1010, MADE + 0x2000], pid=pid)
                self.assertEqual(functions, ["made_here" if known else None, None])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
