#!/usr/bin/env python3
"""Recordings with one thing that is unusual: whether perf 7.3 reads them, and whether evname info says so.

  refusals_test.py EVNAME

The verdicts of the table are perf's. If EVNAME_PERF names a perf, it is asked again: perf script must end with an error
for the files that are refused, and only for them.
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'command'))
import perf_file  # noqa: E402

READS, REFUSES = False, True
TRACEPOINT = 2


def u32(*numbers):
    return struct.pack(f'<{len(numbers)}I', *numbers)


def u64(*numbers):
    return struct.pack(f'<{len(numbers)}Q', *numbers)


def text(value, size=64):
    return u32(size) + value.encode().ljust(size, b'\0')


NO_TEXT = u32(0)
NRCPUS = (7, u32(4, 4))
BUILD_ID = struct.pack('<IHHi', 0, 1, 8 + 4 + 24 + 64, -1) + bytes(24) + b'[kernel.kallsyms]'.ljust(64, b'\0')
PROGRAM = u32(232, 8) + u64(0) + bytes(232 + 8)
DOMAIN = u32(0) + text('SMT') + text('00000003') + text('0-1')
RECORDS = [perf_file.comm(1, b'work'), perf_file.sample(1000)]


def topology(threads=1, cpus=4, dies=None):
    lists = u32(1) + text('0-3') + u32(threads) + text('0-3') * threads + u32(0, 0) * cpus
    return lists if dies is None else lists + u32(dies) + text('0-3') * dies + u32(0) * cpus


def domains(version=17, cpus=(0, 1), most=1, domain=DOMAIN):
    return u32(version, most) + b''.join(u32(cpu, 1) + domain for cpu in cpus)


def feature(number, content, *before):
    return {'features': [*before, (number, content)]}


def records(*before):
    return {'data': b''.join([*before, *RECORDS])}


def recording(data=b''.join(RECORDS), attrs=None, features=(), words=(), cut=0, pipe=None):
    """`words`: (offset, value) to write as 64 bits; `cut`: bytes to leave out at the end."""
    if pipe is not None:
        return perf_file.pipe(pipe + data, attrs)
    out = bytearray(perf_file.file(data, attrs, sorted(features)))
    for offset, value in words:
        struct.pack_into('<Q', out, offset, value)
    return bytes(out[:len(out) - cut])


def attr_of_size(size):
    return [perf_file.attr()[:4] + u32(size) + perf_file.attr()[8:]]


def in_pipe(number, content):
    """HEADER_FEATURE"""
    return {'pipe': perf_file.record(80, u64(number) + content)}


ATTR_SIZE, ATTRS_SIZE, DATA_OFFSET, DATA_SIZE, IDS_SIZE, IDS_OFFSET = 16, 32, 40, 48, 104 + 136 + 8, 104 + 136

# The unusual part, the recording, perf's verdict, and a part of evname's reason.
ROWS = [
    ('nothing', {}, READS, ''),
    # Features that are empty: perf 5 to 6 left some behind.
    *[(f'empty feature {number}', feature(number, b'', *([NRCPUS] if number in (13, 32) else [])), REFUSES, 'is empty')
      for number in (3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 16, 17, 18, 20, 21, 22, 23, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34)],
    *[(f'empty feature {number}', feature(number, b''), READS, '') for number in (2, 12, 15, 19)],
    ('empty TRACING_DATA', feature(1, b''), REFUSES, 'TRACING_DATA'),
    ('TRACING_DATA of zeros', feature(1, bytes(64)), REFUSES, 'TRACING_DATA'),
    # Features that perf reads on without.
    ('BUILD_ID', feature(2, BUILD_ID), READS, ''),
    ('BUILD_ID that is cut off', feature(2, BUILD_ID[:50]), READS, ''),
    ('BUILD_ID of an entry without size', feature(2, bytes(100)), READS, ''),
    ('EVENT_DESC that is cut off', feature(12, u32(2, 136)), READS, ''),
    ('EVENT_DESC of other sizes', feature(12, u32(1, 9999, 5, 5)), READS, ''),
    ('a feature that no perf knows', feature(40, b'1'), READS, ''),
    # Texts
    ('HOSTNAME', feature(3, text('host')), READS, ''),
    ('HOSTNAME without padding', feature(3, u32(2) + b'h\0'), READS, ''),
    ('HOSTNAME without NUL', feature(3, u32(2) + b'ho'), READS, ''),
    ('HOSTNAME of no bytes', feature(3, NO_TEXT), REFUSES, 'HOSTNAME'),
    ('CPUDESC of no bytes, as on Armv7', feature(8, NO_TEXT), REFUSES, 'CPUDESC'),
    ('CPUID that is longer than its feature', feature(9, u32(65) + bytes(64)), REFUSES, 'CPUID'),
    ('CMDLINE', feature(11, u32(1) + text('perf')), READS, ''),
    ('CMDLINE without words', feature(11, u32(0)), READS, ''),
    ('CMDLINE with an empty word', feature(11, u32(2) + text('perf') + NO_TEXT), REFUSES, 'CMDLINE'),
    ('CMDLINE of 1048577 words', feature(11, u32(1048577)), REFUSES, 'CMDLINE'),
    # CPUs
    ('NRCPUS', feature(*NRCPUS), READS, ''),
    ('NRCPUS with fewer available', feature(7, u32(2, 3)), REFUSES, 'more CPUs online'),
    ('NRCPUS of 1048577', feature(7, u32(1048577, 1)), REFUSES, 'more CPUs online'),
    ('NRCPUS of 1048576', feature(7, u32(1048576, 1)), READS, ''),
    ('NRCPUS that is cut off', feature(7, u32(4)), REFUSES, 'NRCPUS'),
    ('CPU_TOPOLOGY', feature(13, topology(), NRCPUS), READS, ''),
    ('CPU_TOPOLOGY of lists', feature(13, topology(cpus=0), NRCPUS), READS, ''),
    ('CPU_TOPOLOGY with dies', feature(13, topology(dies=1), NRCPUS), READS, ''),
    ('CPU_TOPOLOGY without NRCPUS', feature(13, topology()), REFUSES, 'without NRCPUS'),
    ('CPU_TOPOLOGY of more threads than CPUs', feature(13, topology(threads=5), NRCPUS), REFUSES, 'CPU_TOPOLOGY'),
    ('CPU_TOPOLOGY of more dies than CPUs', feature(13, topology(dies=5), NRCPUS), REFUSES, 'CPU_TOPOLOGY'),
    ('CPU_TOPOLOGY of fewer CPUs', feature(13, topology(cpus=3), NRCPUS), REFUSES, 'CPU_TOPOLOGY'),
    ('CPU_TOPOLOGY of fewer CPUs with dies', feature(13, topology(dies=1)[:-4], NRCPUS), REFUSES, 'CPU_TOPOLOGY'),
    ('NUMA_TOPOLOGY', feature(14, u32(1, 0) + u64(1, 1) + text('0-3')), READS, ''),
    ('NUMA_TOPOLOGY without CPUs', feature(14, u32(1, 0) + u64(1, 1) + text('')), READS, ''),
    ('NUMA_TOPOLOGY of no CPU list', feature(14, u32(1, 0) + u64(1, 1) + text('none')), REFUSES, 'NUMA_TOPOLOGY'),
    ('NUMA_TOPOLOGY that is cut off', feature(14, u32(2, 0) + u64(1, 1) + text('0-3')), REFUSES, 'NUMA_TOPOLOGY'),
    ('NUMA_TOPOLOGY of 4097 nodes', feature(14, u32(4097)), REFUSES, 'NUMA_TOPOLOGY'),
    ('CPU_DOMAIN_INFO', feature(32, domains(), (7, u32(2, 2))), READS, ''),
    ('CPU_DOMAIN_INFO without names', feature(32, domains(16, domain=u32(0) + text('3') + text('0-1')), (7, u32(2, 2))),
     READS, ''),
    ('CPU_DOMAIN_INFO without NRCPUS', feature(32, domains()), REFUSES, 'without NRCPUS'),
    ('CPU_DOMAIN_INFO with a CPU twice', feature(32, domains(cpus=(0, 0)), (7, u32(2, 2))), REFUSES, 'twice'),
    ('CPU_DOMAIN_INFO with a CPU that is not there', feature(32, domains(cpus=(0, 2)), (7, u32(2, 2))), REFUSES,
     'CPU_DOMAIN_INFO'),
    ('CPU_DOMAIN_INFO of 65 domains', feature(32, domains(most=65), (7, u32(2, 2))), REFUSES, 'CPU_DOMAIN_INFO'),
    ('CPU_DOMAIN_INFO that is cut off', feature(32, domains()[:-8], (7, u32(2, 2))), REFUSES, 'CPU_DOMAIN_INFO'),
    # Lists
    ('PMU_MAPPINGS', feature(16, u32(1, 4) + text('cpu')), READS, ''),
    ('PMU_MAPPINGS without PMUs', feature(16, u32(0)), READS, ''),
    ('PMU_MAPPINGS of 4097 PMUs', feature(16, u32(4097) + (u32(4) + text('a')) * 4097), REFUSES, 'PMU_MAPPINGS'),
    ('GROUP_DESC', {'attrs': [perf_file.attr(), perf_file.attr(1)], **feature(17, u32(1) + text('g') + u32(0, 2))}, READS, ''),
    ('GROUP_DESC of events that are not there', feature(17, u32(1) + text('g') + u32(0, 2)), REFUSES, 'GROUP_DESC'),
    ('GROUP_DESC of no leader', feature(17, u32(1) + text('g') + u32(5, 1)), REFUSES, 'GROUP_DESC'),
    ('GROUP_DESC without members', feature(17, u32(1) + text('g') + u32(0, 0)), REFUSES, 'GROUP_DESC'),
    ('CACHE', feature(20, u32(1, 1, 1, 64, 64, 8) + text('Data') + text('32K') + text('0')), READS, ''),
    ('CACHE of another version', feature(20, u32(2, 0)), REFUSES, 'version'),
    ('CACHE that is cut off', feature(20, u32(1, 1, 1)), REFUSES, 'CACHE'),
    ('MEM_TOPOLOGY', feature(22, u64(1, 4096, 1, 0, 1, 1, 1)), READS, ''),
    ('MEM_TOPOLOGY of another version', feature(22, u64(2, 4096, 0)), REFUSES, 'version'),
    ('MEM_TOPOLOGY without its bits', feature(22, u64(1, 4096, 1, 0, 1, 65, 1)), REFUSES, 'MEM_TOPOLOGY'),
    ('HYBRID_TOPOLOGY', feature(30, u32(1) + text('cpu_core') + text('0')), READS, ''),
    ('HYBRID_TOPOLOGY that is cut off', feature(30, u32(1) + text('cpu_core')), REFUSES, 'HYBRID_TOPOLOGY'),
    ('CPU_PMU_CAPS', feature(28, u32(1) + text('branches') + text('32')), READS, ''),
    ('CPU_PMU_CAPS of 513 caps', feature(28, u32(513) + text('a') * 1026), REFUSES, 'CPU_PMU_CAPS'),
    ('PMU_CAPS', feature(31, u32(1, 1) + text('branches') + text('32') + text('cpu_core')), READS, ''),
    ('PMU_CAPS without its PMU', feature(31, u32(1, 1) + text('branches') + text('32')), REFUSES, 'PMU_CAPS'),
    # BPF
    ('BPF_PROG_INFO', feature(25, u32(1) + PROGRAM), READS, ''),
    ('BPF_PROG_INFO without programs', feature(25, u32(0)), READS, ''),
    ('BPF_PROG_INFO of a newer kernel', feature(25, u32(1) + u32(240, 0) + u64(0) + bytes(240)), REFUSES, 'newer kernel'),
    ('BPF_PROG_INFO of an older kernel', feature(25, u32(1) + u32(104, 0) + u64(0) + bytes(104)), READS, ''),
    ('BPF_PROG_INFO that is cut off', feature(25, u32(2) + PROGRAM), REFUSES, 'BPF_PROG_INFO'),
    ('BPF_BTF', feature(26, u32(1, 7, 8) + bytes(8)), READS, ''),
    ('BPF_BTF that is cut off', feature(26, u32(1, 7, 8)), REFUSES, 'BPF_BTF'),
    # Others
    ('COMPRESSED', feature(27, u32(1, 1, 1, 2, 528384)), READS, ''),
    ('COMPRESSED of perf stat record', feature(27, u32(0, 0, 0, 0, 0)), REFUSES, 'size of blocks'),
    ('COMPRESSED of 5000 bytes', feature(27, u32(1, 1, 1, 2, 5000)), REFUSES, 'size of blocks'),
    ('CLOCK_DATA', feature(29, u32(1, 0) + u64(1, 1)), READS, ''),
    ('CLOCK_DATA of another version', feature(29, u32(2, 0) + u64(1, 1)), REFUSES, 'version'),
    ('DIR_FORMAT in a file', feature(24, u64(1)), REFUSES, 'directory'),
    ('AUXTRACE without entries', feature(18, u64(0)), READS, ''),
    ('AUXTRACE that is cut off', feature(18, u64(1, 8)), REFUSES, 'AUXTRACE'),
    ('SAMPLE_TIME that is cut off', feature(21, u64(1)), REFUSES, 'SAMPLE_TIME'),
    ('E_MACHINE that is cut off', feature(33, u32(62)), REFUSES, 'E_MACHINE'),
    ('a feature with bytes to spare', feature(34, u32(64, 1)), READS, ''),
    ('a feature that reaches past the end', {**feature(3, text('host')), 'cut': 1}, REFUSES, 'HOSTNAME'),
    # Events
    ('an attr of size 0', {'attrs': [perf_file.attr()], 'words': [(108, 136 << 32)]}, READS, ''),
    ('an attr of 63 bytes', {'attrs': attr_of_size(63)}, REFUSES, 'attr 0'),
    ('an attr of 152 bytes', {'attrs': attr_of_size(152)}, REFUSES, 'attr 0'),
    ('ids of 12 bytes', {'words': [(IDS_SIZE, 12)]}, REFUSES, 'ids of attr 0'),
    ('ids past the end', {'words': [(IDS_OFFSET, 1 << 40)]}, REFUSES, 'ids of attr 0'),
    ('a tracepoint without TRACING_DATA', {'attrs': [perf_file.attr(315, TRACEPOINT)]}, REFUSES, 'tracepoint 315'),
    # The header
    ('attrs of no size', {'words': [(ATTR_SIZE, 0)]}, REFUSES, 'size of attrs is 0'),
    ('a data section of no size', {'words': [(DATA_SIZE, 0)]}, REFUSES, 'data section is 0'),
    ('a data section of no size before features', {**feature(3, NO_TEXT), 'words': [(DATA_SIZE, 0)]}, REFUSES,
     'data section is 0'),
    ('a header in the data', {'words': [(DATA_OFFSET, 8)]}, REFUSES, 'overlap'),
    # Records
    ('a CPU_MAP of 38 bytes, of perf 4.17', records(perf_file.record(74, u32(12 << 16) + bytes(26))), REFUSES, 'multiple of 8'),
    ('a CPU_MAP of 40 bytes', records(perf_file.record(74, u32(12 << 16) + bytes(28))), READS, ''),
    ('a COMM of 20 bytes', records(perf_file.record(3, bytes(12))), REFUSES, 'multiple of 8'),
    ('a record that is too short for its type', records(perf_file.record(10, bytes(8))), READS, ''),
    ('a kernel record of type 40', records(perf_file.record(40, bytes(8))), REFUSES, 'does not know'),
    ('a record of perf of type 87', records(perf_file.record(87, bytes(8))), READS, ''),
    ('a THREAD_MAP of too many threads', records(perf_file.record(73, u64(2) + bytes(24))), REFUSES, 'more threads'),
    ('COMPRESSED without its feature', records(perf_file.record(81, bytes(16))), REFUSES, 'without the feature'),
    # Pipes
    ('a pipe', {'pipe': b''}, READS, ''),
    ('a feature in a pipe', in_pipe(3, text('host')), READS, ''),
    ('a text of no bytes in a pipe', in_pipe(3, NO_TEXT), REFUSES, 'HOSTNAME'),
    ('COMPRESSED of no blocks in a pipe', in_pipe(27, bytes(20)), REFUSES, 'size of blocks'),
    ('a tracepoint without TRACING_DATA in a pipe', {'pipe': b'', 'attrs': [perf_file.attr(315, TRACEPOINT)]}, READS, ''),
    ('a CPU_MAP of 38 bytes in a pipe', {'pipe': perf_file.record(74, u32(12 << 16) + bytes(26))}, REFUSES, 'multiple of 8'),
]


def refused_by(evname, path, *more):
    out = subprocess.run([evname, 'info', '--json', *more, path], capture_output=True, text=True)
    return json.loads(out.stdout.splitlines()[0])['refused_by_perf']


def perf_refuses(perf, path):
    done = subprocess.run([perf, 'script', '-f', '-F', 'tid', '-i', path], capture_output=True, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, PERF_CONFIG='/dev/null'))
    return done.returncode != 0


def main():
    evname, perf = sys.argv[1], os.environ.get('EVNAME_PERF')
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'perf.data')
        for what, how, refused, part in ROWS:
            pathlib.Path(path).write_bytes(recording(**how))
            reasons = refused_by(evname, path)
            if bool(reasons) != refused or part not in ' '.join(reasons):
                wrong.append(f'{what}: evname says {reasons}')
            if perf and perf_refuses(perf, path) != refused:
                wrong.append(f'{what}: perf {"reads" if refused else "refuses"} it')
        late = b''.join(RECORDS) + perf_file.record(3, bytes(12))
        pathlib.Path(path).write_bytes(recording(late))
        if refused_by(evname, path) or 'multiple of 8' not in ' '.join(refused_by(evname, path, '--records')):
            wrong.append('records after the first sample are looked at with --records, and only then')
    print(f'{len(ROWS)} recordings{"" if perf else "; EVNAME_PERF names no perf to ask"}', *wrong, sep='\n')
    sys.exit(1 if wrong else 0)


if __name__ == '__main__':
    main()
