"""A machine whose hardware writes traces: what fake_counters.py opens, with buffers in memory, into which this process writes
records and the bytes of a trace, as the kernel does.

Source of the layout: struct perf_event_mmap_page of include/uapi/linux/perf_event.h."""

import array
import errno
import fcntl
import mmap
import os
import pathlib
import struct
import threading
import time

import fake_counters

PAGE = mmap.PAGESIZE
CAPABILITIES, SHIFT, FACTOR, ZERO, HEAD, TAIL, TRACE_HEAD, TRACE_TAIL, TRACE_OFFSET, TRACE_SIZE = (
    40, 50, 52, 64, 1024, 1032, 1056, 1064, 1072, 1080)
HAS_ZERO = 1 << 4
LARGEST = 64 << 20  # of a file that holds all buffers of an event
AUX = 11
OVERWRITE = 2  # PERF_AUX_FLAG_*


class Buffers:
    """The buffers of an event. `start`: where the counts of bytes begin."""

    def __init__(self, file, start):
        self.memory = mmap.mmap(file, LARGEST)
        self.words = memoryview(self.memory).cast("Q")
        for place in (HEAD, TAIL, TRACE_HEAD, TRACE_TAIL):
            self.words[place // 8] = start
        struct.pack_into("<Q", self.memory, CAPABILITIES, HAS_ZERO)
        struct.pack_into("<HI", self.memory, SHIFT, 0, 1)

    def put(self, data, offset, size, head, tail, more):
        """Waits for room, and writes around the end. Returns the place where the data begin."""
        while (self.words[head // 8] - self.words[tail // 8]) % (1 << 64) + len(data) > size:
            if more():
                raise OSError(errno.EPIPE, "nobody reads")
            time.sleep(0.0005)
        at = self.words[head // 8]
        first = min(len(data), size - at % size)
        self.memory[offset + at % size:offset + at % size + first] = data[:first]
        self.memory[offset:offset + len(data) - first] = data[first:]
        self.words[head // 8] = (at + len(data)) % (1 << 64)
        return at

    def overwrite(self, data, offset, size):
        """Does the same for a reader that frees nothing: the head is a place in the area, as with most hardware."""
        at = self.words[TRACE_HEAD // 8] % size
        for n, byte in enumerate(data):
            self.memory[offset + (at + n) % size] = byte
        self.words[TRACE_HEAD // 8] = (at + len(data)) % size
        return at

    def trace(self, data, trailer, flags, over, is_overwritten=False):
        """Writes some bytes of trace, and their record."""
        offset, size = self.words[TRACE_OFFSET // 8], self.words[TRACE_SIZE // 8]
        if is_overwritten:
            at, flags = self.overwrite(data, offset, size), flags | OVERWRITE
        else:
            at = self.put(data, offset, size, TRACE_HEAD, TRACE_TAIL, over)
        record = struct.pack("<IHHQQQ", AUX, 0, 32 + len(trailer), at, len(data), flags) + trailer
        self.put(record, PAGE, offset - PAGE, HEAD, TAIL, over)


class Machine(fake_counters.Machine):
    """`traces` has the pieces of trace of each CPU, and functions to call between them, which get the process; the command
    ends once the file `done` is there."""

    def __init__(self, folder, kind, traces, start=0, truncated=()):
        super().__init__(folder, lambda events, number: True)
        self.kind, self.traces, self.start, self.truncated = kind, traces, start, truncated
        self.done, self.attrs, self.over = self.folder / "done", [], False
        self.areas = set()  # sizes of the areas for traces

    maps = True

    def run(self, *words, **how):
        self.done.unlink(missing_ok=True)
        self.attrs, self.over, self.writers = [], False, []
        try:
            return super().run(*words, **how)
        finally:
            self.over = True
            for writer in self.writers:
                writer.join()

    def open(self, asked, number, pid, arguments):
        self.pid = pid
        super().open(asked, number, pid, arguments)

    def file_for(self, one):
        file = os.memfd_create("buffers")
        os.ftruncate(file, LARGEST)
        buffers = Buffers(file, self.start)
        if one.type == self.kind:
            writer = threading.Thread(target=self.write, args=[one, buffers, self.pid, os.fstat(file).st_ino])
            self.writers.append(writer)
            writer.start()
        return file

    def is_writable(self, pid, file, offset):
        """Returns whether a process has mapped an area for writing; if not, the kernel overwrites it."""
        while not self.over:
            try:
                lines = pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()
                for words in map(str.split, lines):
                    if words[4] == str(file) and int(words[2], 16) == offset:
                        return words[1][1] == "w"
            except OSError:
                break
            time.sleep(0.001)
        return True

    def write(self, one, buffers, pid, file):
        """Does the work of a CPU's hardware, once there is an area for its trace."""
        while not buffers.words[TRACE_SIZE // 8]:
            if self.over:
                return
            time.sleep(0.001)
        self.areas.add(buffers.words[TRACE_SIZE // 8])
        pieces = self.traces.get(one.cpu, [])
        is_overwritten = not self.is_writable(pid, file, buffers.words[TRACE_OFFSET // 8])
        try:
            for i, (piece, trailer) in enumerate(pieces):
                if callable(piece):
                    piece(pid)
                else:
                    buffers.trace(piece, trailer, 1 if (one.cpu, i) in self.truncated else 0, lambda: self.over, is_overwritten)
        finally:  # the command ends in any case
            self.traces[one.cpu] = []
            if not any(self.traces.values()):
                self.done.touch()
