#!/usr/bin/env python3
"""Makes a recording of memory accesses: threads of two processes on four NUMA nodes that load and store on shared lines,
hit and miss caches and TLBs, and lock. The same arguments make the same file.
Arguments: the file, the number of samples, and kinds: "arm" (peer snoops in place of HITM), "plain" (an older Arm, without
either), "latencies" (PERF_SAMPLE_WEIGHT_STRUCT), "odd" (addresses and data sources of 0, and an event without any)."""

import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "command"))
import perf_file  # noqa: E402

IP, TID, TIME, ADDR, CPU, PERIOD = 1, 2, 4, 8, 128, 256
WEIGHT, DATA_SRC, IDENTIFIER, PHYS_ADDR, WEIGHT_STRUCT = 1 << 14, 1 << 15, 1 << 16, 1 << 19, 1 << 24
HIT, MISS = 2, 4


def source(op=2, level=0, snoop=1, lock=0, tlb=HIT | 8, number=15, remote=0, peer=0, block=1, hops=0):
    """union perf_mem_data_src of include/uapi/linux/perf_event.h."""
    return (op | level << 5 | snoop << 19 | lock << 24 | tlb << 26 | number << 33 | remote << 37 | peer << 38 | block << 40
            | hops << 43)


L1, LFB, L2, L3, RAM, FAR_RAM, FAR_CACHE, UNCACHED = 8, 16, 32, 64, 128, 256, 1024, 8192
NONE, SHARED, MODIFIED = 2, 4, 16
# The frequency in 64, the data source and the least latency.
PRIVATE = [(30, source(level=HIT | L1, snoop=NONE, number=1), 5), (8, source(level=HIT | LFB, snoop=NONE, number=12), 30),
           (6, source(level=HIT | L2, snoop=NONE, number=2), 14), (4, source(level=HIT | L3, snoop=SHARED, number=3), 45),
           (3, source(level=HIT | RAM, snoop=SHARED, tlb=MISS | 32, number=13), 220),
           (2, source(level=HIT | FAR_RAM, snoop=NONE, tlb=MISS | 64, number=13, remote=1), 450),
           (1, source(level=HIT | UNCACHED), 700), (1, source(level=MISS | L3), 90),
           (6, source(op=4, level=HIT | L1, number=1), 0), (2, source(op=4, level=MISS | L1, number=1), 0),
           (1, source(op=4, level=1), 0)]
CONTENDED = [(20, source(level=HIT | L1, snoop=NONE, number=1), 5),
             (14, source(level=HIT | L3, snoop=MODIFIED, tlb=HIT | 16, number=3), 90),
             (6, source(level=HIT | FAR_CACHE, snoop=MODIFIED, number=11, remote=1), 310),
             (4, source(level=HIT | FAR_CACHE, snoop=SHARED, number=11, remote=1), 260),
             (4, source(level=HIT | L3, snoop=MODIFIED, lock=2, number=3, block=2), 120),
             (10, source(op=4, level=HIT | L1, number=1), 0), (4, source(op=4, level=MISS | L1, number=1), 0),
             (2, source(op=4, level=HIT | L1, lock=2, number=1, block=4), 0)]
PEERS = [(24, source(level=HIT | L1, snoop=NONE, number=1), 4), (14, source(level=HIT | L3, peer=2, number=3), 60),
         (8, source(level=HIT | FAR_CACHE, peer=2, number=11, remote=1), 240),
         (18, source(op=4, level=HIT | L1, number=1), 3)]
PLAIN = [(44, source(level=HIT | L1, number=1), 4), (20, source(op=4, level=HIT | L1, number=1), 3)]

SERVER, CLIENT = 100, 200
TEXT, DATA, HEAP, SHARED_MEMORY = 0x400000, 0x600000, 0x1c00000, 0x7f0000000000
KERNEL = 0xffff888000000000


class Numbers:
    """Numbers that seem random: a linear congruential generator."""

    def __init__(self, seed):
        self.state = seed

    def below(self, end):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2 ** 64
        return (self.state >> 33) % end

    def of(self, table):
        left = self.below(64)
        for often, *rest in table:
            left -= often
            if left < 0:
                return rest
        return table[0][1:]


def text(value):
    padded = value + bytes(8 - len(value) % 8)
    return struct.pack("<I", len(padded)) + padded


def numa(nodes, cpus):
    each = cpus // nodes
    out = struct.pack("<I", nodes)
    for node in range(nodes):
        out += struct.pack("<IQQ", node, 1 << 20, 1 << 19) + text(b"%d-%d" % (node * each, node * each + each - 1))
    return out


def mapping(pid, start, size, path, offset=0, inode=0, protection=3, flags=2, time=1):
    body = struct.pack("<iiQQQIIQQII", pid, pid, start, size, offset, 8 if inode else 0, inode and 1, inode, 0, protection, flags)
    return perf_file.record(10, body + perf_file.padded(path) + trailer(time, pid), 2)


def trailer(time, tid):
    """The fields at the end of records other than samples: TID, TIME, CPU, IDENTIFIER."""
    return struct.pack("<iiQIIQ", tid, tid, time, 0, 0, 1)


def attr(event, sample_type, config):
    out = bytearray(perf_file.attr(config, event, sample_type))
    struct.pack_into("<Q", out, 40, 1 << 18 | 1 << 8 | 1 << 23)  # sample_id_all, mmap, mmap2
    return bytes(out)


def records(count, kinds):
    out = [perf_file.record(3, struct.pack("<ii", pid, pid) + perf_file.padded(name) + trailer(1, pid))
           for pid, name in ((SERVER, b"server"), (CLIENT, b"client"))]
    for pid, path, inode in ((SERVER, b"/opt/none/server", 11), (CLIENT, b"/opt/none/client", 12)):
        out += [mapping(pid, TEXT, 0x10000, path, 0, inode, 5), mapping(pid, DATA, 0x20000, path, 0x10000, inode),
                mapping(pid, HEAP, 0x4000000, b"[heap]"), mapping(pid, SHARED_MEMORY, 0x10000, b"/SYSV00001234", 0, 13, flags=1)]
    numbers, odd = Numbers(7), "odd" in kinds
    contended = PEERS if "arm" in kinds else PLAIN if "plain" in kinds else CONTENDED
    time = 1_000_000_000
    for _ in range(count):
        time += 1000 + numbers.below(500)
        who = numbers.below(6)
        pid, tid, cpu = (SERVER, SERVER + who, who * 2 + numbers.below(2)) if who < 4 else (CLIENT, CLIENT + who - 4, 4 + who * 2)
        mode, ip = 2, TEXT + 0x1000 + 16 * numbers.below(40)
        place = numbers.below(16)
        if place < 3:  # a few variables of the program, on two lines
            (what, least), addr = numbers.of(contended), DATA + 0x40 + 8 * numbers.below(12)
        elif place == 3:  # memory of both processes
            (what, least), addr = numbers.of(contended), SHARED_MEMORY + 0x1000 + 16 * numbers.below(8)
        elif place == 4:  # the heap of either, at the same addresses
            (what, least), addr = numbers.of(contended), HEAP + 0x80 + 8 * numbers.below(8)
        elif place == 5:  # in the kernel
            (what, least), addr = numbers.of(PRIVATE), KERNEL + 64 * numbers.below(100)
            mode, ip = 1, 0xffffffff81000000 + 16 * numbers.below(20)
        elif place == 6:  # nothing is known to be mapped
            (what, least), addr = numbers.of(PRIVATE), 0x7ffc00000000 + 8 * numbers.below(1000)
        else:
            (what, least), addr = numbers.of(PRIVATE), HEAP + 0x1000 + 8 * numbers.below(400_000)
        weight = least and least + numbers.below(least)
        number = 1
        if odd:
            kind = numbers.below(12)
            addr, what = (0, what) if kind == 0 else (addr, 0) if kind == 1 else (addr, what)
            number = 2 if kind == 2 else 1
        body = struct.pack("<QQiiQ", number, ip, pid, tid, time)
        if number == 1:
            body += struct.pack("<Q", addr)
        body += struct.pack("<IIQ", cpu, 0, 1)
        if "latencies" in kinds:
            weight |= (weight // 2 & 0xffff) << 32 | numbers.below(20) << 48
        if number == 1:
            body += struct.pack("<QQQ", weight, what, addr & 0xfffff if place != 6 else 0)
        out.append(perf_file.record(9, body, mode))
    return b"".join(out)


def recording(count=1000, *kinds):
    common = IDENTIFIER | IP | TID | TIME | CPU | PERIOD
    weight = WEIGHT_STRUCT if "latencies" in kinds else WEIGHT
    attrs = [attr(4, common | ADDR | weight | DATA_SRC | PHYS_ADDR, 0x1cd)]
    if "odd" in kinds:
        attrs.append(attr(4, common, 0x3c))
    arch = b"aarch64" if "arm" in kinds or "plain" in kinds else b"x86_64"
    features = [(6, text(arch)), (7, struct.pack("<II", 16, 16)), (14, numa(4, 16))]
    return perf_file.file(records(count, kinds), attrs, features)


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_bytes(recording(int(sys.argv[2]), *sys.argv[3:]))
