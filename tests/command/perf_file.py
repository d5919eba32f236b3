"""Small perf.data files, for tests: what perf writes, in the layout of perf.data-file-format.txt, and what it does
not."""

import struct

IDENTIFIER, TID, TIME = 1 << 16, 1 << 1, 1 << 2
TYPE = IDENTIFIER | TID | TIME
SAMPLE_ID_ALL = 1 << 18
USE_CLOCKID = 1 << 25
SAMPLE, COMM, MMAP, FORK, EXIT, LOST = 9, 3, 1, 7, 4, 2
FINISHED_ROUND, COMPRESSED = 68, 81
HEADER, ATTR = 104, 136
DIR_FORMAT = 24


def record(type, body=b"", misc=0, size=None):
    return struct.pack("<IHH", type, misc, 8 + len(body) if size is None else size) + body


def sample(time, tid=1, id=1, more=b"", size=None):
    return record(SAMPLE, struct.pack("<QiiQ", id, tid, tid, time) + more, 2, size)


def trailer(time, tid=1, id=1):
    return struct.pack("<iiQQ", tid, tid, time, id)


def padded(text):
    return text + bytes(8 - len(text) % 8)


def comm(tid, name, time=0):
    return record(COMM, struct.pack("<ii", tid, tid) + padded(name) + trailer(time, tid))


def attr(config=0, type=1, sample_type=TYPE, clockid=None):
    """PERF_TYPE_SOFTWARE by default."""
    out = bytearray(ATTR)
    flags = SAMPLE_ID_ALL | (USE_CLOCKID if clockid is not None else 0)
    struct.pack_into("<IIQQQQQ", out, 0, type, ATTR, config, 1, sample_type, 0, flags)
    struct.pack_into("<I", out, 92, clockid or 0)
    return bytes(out)


def file(data, attrs=None, features=()):
    """`attrs` by default is one, of id 1; of several each has its number, from 1, as id. `features`: (number, bytes)."""
    attrs = [attr()] if attrs is None else attrs
    ids = HEADER + len(attrs) * (ATTR + 16)
    table = b"".join(one + struct.pack("<QQ", ids + 8 * i, 8) for i, one in enumerate(attrs))
    numbers = b"".join(struct.pack("<Q", i + 1) for i in range(len(attrs)))
    at = ids + len(numbers)
    end = at + len(data) + 16 * len(features)
    sections, contents = b"", b""
    for number, content in features:
        sections += struct.pack("<QQ", end + len(contents), len(content))
        contents += content
    bits = sum(1 << number for number, _ in features)
    header = b"PERFILE2" + struct.pack("<9Q4Q", HEADER, ATTR + 16, HEADER, len(table), at, len(data), 0, 0, bits, 0, 0,
                                       0, 0)[:HEADER - 8]
    return header + table + numbers + data + sections + contents


def pipe(data, attrs=None):
    attrs = [attr()] if attrs is None else attrs
    out = b"PERFILE2" + struct.pack("<Q", 16)
    for i, one in enumerate(attrs):
        out += record(64, one + struct.pack("<Q", i + 1))
    return out + data
