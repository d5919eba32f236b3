"""Recordings with data of Arm's SPE, for tests: packets by the layout of the Arm Architecture Reference Manual (chapter
"Statistical Profiling Extension sample record specification"), in the records that perf writes around them."""

import gzip
import random
import struct
import subprocess
import sys

import perf_file

SPE_PMU, SPE = 10, 4  # the number of the PMU; PERF_AUXTRACE_ARM_SPE
AUX, ITRACE_START, AUXTRACE_INFO, AUXTRACE, TIME_CONV = 11, 12, 70, 71, 79
IP, TID, TIME, ADDR, CPU, PERIOD, IDENTIFIER = 1, 2, 4, 8, 1 << 7, 1 << 8, 1 << 16
SPE_TYPE = IDENTIFIER | IP | TID | TIME | CPU
NEOVERSE_N1, AMPEREONE, HIP12, CORTEX_A57 = 0x410fd0c0, 0xc00fac40, 0x480fd060, 0x410fd070
KERNEL_ADDRESS = 0xffff800080010000
PC, TARGET, DATA, PHYSICAL, PREVIOUS = range(5)
TOTAL, ISSUE, TRANSLATION = range(3)
OTHER, LOAD_STORE, BRANCH = range(3)


def payload(header, value, size):
    """A packet whose header says in two bits how many bytes follow."""
    return bytes([header | (size.bit_length() - 1) << 4]) + value.to_bytes(size, "little")


def address(index, value, el=None):
    """`el`: the exception level of an instruction, not secure; None leaves the upper byte to `value`."""
    value = value if el is None else value & (1 << 56) - 1 | 1 << 63 | el << 61
    return bytes([0xb0 | index]) + struct.pack("<Q", value)


def counter(index, value):
    return bytes([0x98 | index]) + struct.pack("<H", value)


def long_address(index, value):
    """With the extended header, for any index below 32."""
    return bytes([0x20 | index >> 3, 0xb0 | index & 7]) + struct.pack("<Q", value)


def events(bits, size=4):
    return payload(0x42, bits, size)


def source(value, size=1):
    return payload(0x43, value, size)


def operation(kind, value):
    return bytes([0x48 | kind, value])


def context(tid, index=0):
    return bytes([0x64 | index]) + struct.pack("<I", tid)


def timestamp(value):
    return b"\x71" + struct.pack("<Q", value)


PAD, END = b"\0", b"\1"


def alignment(power):
    """Aligns to 2 to the power, from 2 on."""
    return bytes([0x20 | power - 1, 0])


def info(midrs=(NEOVERSE_N1,), filter=(1 << 64) - 1, version=2):
    """AUXTRACE_INFO: of each CPU its MIDR. Version 1 has none."""
    if version == 1:
        return perf_file.record(AUXTRACE_INFO, struct.pack("<IIQQ", SPE, 0, SPE_PMU, 1))
    body = struct.pack("<IIQQQQ", SPE, 0, version, 4, SPE_PMU, len(midrs))
    for cpu, midr in enumerate(midrs):
        body += struct.pack("<7Q", 0x1010101010101010, cpu, 4, midr, SPE_PMU, 1024, filter)
    return perf_file.record(AUXTRACE_INFO, body)


def time_conv(shift=0, mult=1, zero=0, short=None):
    """`short`: the cycles and the mask of a counter that has fewer than 64 bits; TIME_CONV is shorter without."""
    body = struct.pack("<QQQ", shift, mult, zero)
    if short:
        body += struct.pack("<QQBB6x", *short, 1, 1)
    return perf_file.record(TIME_CONV, body)


def auxtrace(data, cpu=0, tid=-1, index=None, offset=0):
    """The record, and the data after it."""
    return perf_file.record(AUXTRACE, struct.pack("<QQQIiiI", len(data), offset, 0, cpu if index is None else index, tid,
                                                  cpu, 0)) + data


def trailer(time, tid, cpu=0):
    """What sample_id_all adds: as many words as SPE_TYPE has of it."""
    return struct.pack("<iiQIIQ", tid, tid, time, cpu, 0, 1)


def comm(tid, name, time=1):
    return perf_file.record(perf_file.COMM, struct.pack("<ii", tid, tid) + perf_file.padded(name) + trailer(time, tid))


def mmap(tid, start, size, name, time=1, offset=0):
    body = struct.pack("<iiQQQ", tid, tid, start, size, offset) + perf_file.padded(name)
    return perf_file.record(perf_file.MMAP, body + trailer(time, tid), 2)


def cycles(time, ip, tid=1, cpu=0):
    """A sample of the event of id 2."""
    return perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQII", 2, ip, tid, tid, time, cpu, 0), 2)


def switch(tid, cpu, time):
    """Thread `tid` comes to a CPU: SWITCH_CPU_WIDE, out."""
    return perf_file.record(15, struct.pack("<ii", tid, tid) + trailer(time, 0, cpu), 1 << 13)


def exit(tid, time):
    return perf_file.record(perf_file.EXIT, struct.pack("<iiiiQ", tid, tid, tid, tid, time) + trailer(time, tid))


def attrs(sample_type=SPE_TYPE):
    """SPE's event, and cycles."""
    return [perf_file.attr(1, SPE_PMU, sample_type), perf_file.attr(0, 0, SPE_TYPE)]


def index_of(data, at):
    """The feature AUXTRACE: where the AUXTRACE records are of data that are at `at` of the file."""
    places, position = [], 0
    while position < len(data):
        type, _, size = struct.unpack_from("<IHH", data, position)
        more = struct.unpack_from("<Q", data, position + 8)[0] if type == AUXTRACE else 0
        if type == AUXTRACE:
            places.append((at + position, size))
        position += size + more
    return struct.pack("<Q", len(places)) + b"".join(struct.pack("<QQ", *one) for one in places)


def file(*records, attrs=None, indexed=True, features=()):
    data = b"".join(records)
    attrs = attrs or globals()["attrs"]()
    at = perf_file.HEADER + len(attrs) * (perf_file.ATTR + 24)
    features = [(6, struct.pack("<I", 8) + b"aarch64\0"), *features]
    return perf_file.file(data, attrs, features + ([(18, index_of(data, at))] if indexed else []))


# Every packet.

def operations():
    """Each operation with each of its bits."""
    for value in (0, 1, 2, 4, 6, 8, 9, 0xa, 0xc, 0xe, 0x18, 0x78, 0x88, 0x8a, 0x8e, 0xfe):
        yield OTHER, value
    for value in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xc, 0xd, 0x0a, 0x0b, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16,
                  0x1e, 0x1f, 0x20, 0x21, 0x25, 0x30, 0x31, 0x40, 0x41, 0x44, 0x45, 0x48, 0x58, 0x59, 0x88, 0x8c, 0x8d, 0xdd,
                  0xff):
        yield LOAD_STORE, value
    for value in range(0x20):
        yield BRANCH, value


def every_packet(time=1000, tid=1):
    """Samples with every packet: each operation, each event with each of the others that it changes, each source, the
    headers of all sizes."""
    out, pc, n = b"", 0x401000, 0

    def add(*packets, end=None):
        nonlocal out, n
        n += 1
        out += b"".join((address(PC, pc + 4 * n, 0), *packets, end if end is not None else timestamp(time + 10 * n)))

    add(context(tid))
    for kind, value in operations():
        add(context(tid), operation(kind, value), counter(TOTAL, n), counter(ISSUE, 3), counter(TRANSLATION, 1),
            *([address(TARGET, 0x402000 + n, 0)] if kind == BRANCH else
              [address(DATA, 0x7000000 + n), address(PHYSICAL, 1 << 63 | 0x80000 + n)]), events(2))
    for op in ((LOAD_STORE, 0), (LOAD_STORE, 1), (BRANCH, 1)):
        for bit in range(32):
            add(operation(*op), events(1 << bit, 8))
        for bits in (0x4 | 0x8, 0x100 | 0x200, 0x80000 | 0x100000, 0x10 | 0x20, 0x800000 | 0x200000, 0x8 | 0x200, 0x8 | 0x80000,
                     0x8 | 0x400000, 0x400, 0x0e, 0xc0, 0x100c0):
            add(operation(*op), events(bits), counter(TOTAL, 7))
        for value in range(20):
            add(operation(*op), source(value), events(0x8c), counter(TOTAL, 0xffff))
    for size in (1, 2, 4, 8):
        add(operation(LOAD_STORE, 0), events(0x16, size), source(8, min(size, 2)))
    add(PAD * 5, operation(BRANCH, 0), address(TARGET, KERNEL_ADDRESS, 1), address(PREVIOUS, 0x401f00, 0))
    add(operation(BRANCH, 2), address(TARGET, 0x402000, 0), long_address(PREVIOUS, 0x401f04), long_address(9, 5))
    add(operation(LOAD_STORE, 1), address(PREVIOUS, 0x401f08, 0), address(DATA, 0xfff0000012345678))
    add(operation(LOAD_STORE, 0), address(DATA, 0x1200000012345678), alignment(3) + bytes(-(len(out) + 22) % 8))
    for el in range(4):
        out += address(PC, 0xff800080010000 & (1 << 56) - 1, el) + address(DATA, 0x10) + operation(LOAD_STORE, 0)
        out += events(0x12) + timestamp(time + 10 * n + 5 + el % 2)
    add(context(tid + 1, 1), operation(OTHER, 0))
    add(operation(LOAD_STORE, 0), events(4), end=END)
    add(operation(LOAD_STORE, 0), events(4))
    return out


def every_recording():
    """Recordings by name; tests/data/spe-NAME.script.gz has perf's output."""
    names = comm(1, b"one") + comm(2, b"two") + mmap(1, 0x400000, 0x10000, b"/bin/none")
    others = [cycles(time, 0x401010) for time in (1500, 2000, 99999)]
    yield "packets", file(time_conv(), info(), names, auxtrace(every_packet()), *others)
    # Four CPUs of four kinds, whose times meet.
    def sources(start, step):
        out = b""
        for n, value in enumerate(range(20)):
            for more, op in enumerate((0, 1, 0x88)):
                out += address(PC, 0x401000 + 16 * n, 0) + operation(OTHER if op > 1 else LOAD_STORE, op) + events(0x2)
                out += source(value) + address(DATA, 0x1000 * value) + timestamp(start + step * (n + more % 2))
        return out
    midrs = (NEOVERSE_N1, AMPEREONE, HIP12, CORTEX_A57)
    switches = [switch(1 + n % 2, n % 4, 1000000 + 700 * n) for n in range(40)]
    clock = time_conv(4, 160, 1000000, (90, (1 << 40) - 1))
    yield "cores", file(clock, info(midrs, 0), names, *[auxtrace(sources(100 + 50 * (cpu == 3), 30), cpu)
                                                        for cpu in range(4)], *switches)
    yield "version-1", file(clock, info(version=1), names, auxtrace(sources(100, 10)), auxtrace(sources(5, 3)),
                            features=[(9, struct.pack("<I", 24) + b"0x00000000410fd0c0".ljust(24, b"\0"))])
    yield "thread", file(clock, info((NEOVERSE_N1, NEOVERSE_N1)), names, auxtrace(sources(100, 10), -1, 1, 0),
                         auxtrace(sources(120, 10), -1, 2, 1), *switches)
    # Zero and earlier times.
    times = b"".join(address(PC, 0x401000 + n, 0) + operation(BRANCH, 1) + timestamp(time)
                     for n, time in enumerate((500, 0, 499, 600, 10, 600, 550, 700)))
    yield "times", file(time_conv(), info(), names, auxtrace(times), cycles(499, 1), cycles(500, 2), cycles(551, 3),
                        cycles(600, 4), cycles(601, 5), cycles(700, 6))


def every_run():
    """Arguments of `perf script` after the recording; its lines are in the same order."""
    yield ["-F", "comm,pid,tid,cpu,time,event,period,ip,sym,dso"]
    yield ["-F", "tid,time,event,ip,addr,weight,data_src,phys_addr"]
    yield ["-F", "pid,brstack", "--itrace=bl"]
    yield ["-F", "tid,event,brstack", "--itrace=i1il1bM"]
    yield ["-F", "tid,time,event,ip", "--itrace=i7ifmta"]
    yield ["-F", "tid,time,event,ip", "--no-itrace"]


def big(megabytes):
    """Loads, stores, branches and others on four CPUs, 64 bytes each, as the hardware writes them."""
    choose = random.Random(1)

    def one():
        kind, code = choose.random(), 0x401000 + 4 * choose.randrange(2000)
        out = address(PC, code, 0) + context(1)
        if kind < 0.5:
            missed = choose.random() < 0.2
            out += operation(LOAD_STORE, kind > 0.35) + events(0x31e if missed else 0x16) + counter(ISSUE, 5)
            out += counter(TOTAL, choose.randrange(4, 300)) + address(DATA, 0x7f0000000000 + choose.randrange(1 << 24))
            out += source(13 if missed else 0)
        elif kind < 0.7:
            out += operation(BRANCH, 1) + events(0x82 if kind < 0.52 else 2) + counter(TOTAL, 9)
            out += address(TARGET, code + 64, 0)
        else:
            out += operation(OTHER, 0) + events(2) + counter(TOTAL, 4)
        return out.ljust(64 - 9, PAD) + b"\x71"
    some, time = [one() for _ in range(20000)], 1000
    cpus = [bytearray() for _ in range(4)]
    for _ in range(int(megabytes * 1e6) // 64):
        time += choose.randrange(10)
        cpus[choose.randrange(4)] += choose.choice(some) + struct.pack("<Q", time)
    pieces = [auxtrace(bytes(data[at:at + (2 << 20)]), cpu, offset=at) for cpu, data in enumerate(cpus)
              for at in range(0, len(data), 2 << 20)]
    return file(time_conv(0, 100), info((NEOVERSE_N1,) * 4), comm(1, b"program"), mmap(1, 0x400000, 0x10000, b"/bin/none"),
                *pieces)


if __name__ == "__main__" and sys.argv[1] == "--big":  # --big MEGABYTES FILE
    with open(sys.argv[3], "wb") as out:
        out.write(big(float(sys.argv[2])))
elif __name__ == "__main__":  # FOLDER PERF: writes the recordings and what perf prints of them
    for name, data in every_recording():
        path = f"{sys.argv[1]}/{name}.data"
        with open(path, "wb") as out:
            out.write(data)
        lines = b""
        for arguments in every_run():
            lines += subprocess.run([sys.argv[2], "script", "-i", path, *arguments], capture_output=True).stdout
        with open(f"{sys.argv[1]}/spe-{name}.script.gz", "wb") as out:
            out.write(gzip.compress(lines, mtime=0))
