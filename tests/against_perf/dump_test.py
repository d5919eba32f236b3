#!/usr/bin/env python3
"""evname script -D and report -D beside perf's, line by line and in order: see line_by_line.py.

  dump_test.py EVNAME [--show] [FILE...]

REWRITES leaves out of both what differs on purpose; lines of samples are compared by text_test.py."""

import collections
import re

import line_by_line

OF_DUMPS = re.compile(rb'^(?:\.| \.\.|#|: unhandled|-1 -1 |(?:\d+ ){0,2}(?:0x[0-9a-f]+|0) \[0x|(?:0x[0-9a-f]+|0)@)')

# What differs on purpose: a pattern, what it becomes, and why.
REWRITES = [
    (re.compile(rb'^ \.\.\. thread: .*:(-?\d+)$'), rb' ... thread: \1', 'a thread that ended keeps its name'),
    (re.compile(rb'^( \.\.\.\.\.\. dso: ).*'), rb'\1', 'and its files'),
    (re.compile(rb'^(\.\.\.\. )\S+( +0x)'), rb'\1reg 0x', 'registers have the names of the recorded machine'),
    (re.compile(rb'(, type = \d+) \([^)]*\)'), rb'\1', 'PMUs have the names of the recording'),
    (re.compile(rb'(, config = \S+) \([^)]*\)'), rb'\1', 'and tracepoints'),
    (re.compile(rb'(PERF_RECORD_FEATURE, )# \S+ pmu capabilities.*'), rb'\1', 'both features with capabilities are one'),
    (re.compile(rb'^# (?:\(Tip|\S+ pmu capabilities|Maximum sched|schedstat|sibling|CPU|node\d|event :).*'), b'# feature',
     'features of several records are printed once'),
]
PACKED = (re.compile(rb'(?:(?<= )|^)(?:0x[0-9a-f]+|0)(?=@| \[0x)'), b'at', 'records that were packed have their own offsets')

# Recordings that differ as a whole, and why.
KNOWN = {
    'deferred-switches.data': 'perf prints samples with two callchains at the second one',
    'deferred-zstd.data': 'the same',
    'perf.data.piped.corrupted.zero_size_sample-3.2': 'perf stops at damage',
    'perf.data.piped.header_features-4.16': 'the same',
    'perf.data.piped.hw_and_sw-3.4': 'perf prints CPUs that are not in the header as 0',
    'off-cpu.data': 'the same',
}


def is_known(file):
    """perf prints the bytes of the other byte order after it has swapped a part of them."""
    return file.name in KNOWN or file.name.startswith('s390x')


def lines_of(command, is_packed):
    lines = [line for line in line_by_line.output_of(command).splitlines() if OF_DUMPS.match(line)]
    return [line for line in line_by_line.rewritten(lines, REWRITES + [PACKED] * is_packed) if line != b'# feature']


def lacking(lines, others):
    return [line.decode('utf-8', 'replace') for line in (collections.Counter(lines) - collections.Counter(others)).elements()]


def compare(perf, evname, empty, file, show):
    is_packed = 'zstd' in file.name or 'compressed' in file.name
    for words in ['script'], ['report', '--stdio']:
        options = [*words, '-D', '--kallsyms', empty, '-i', str(file)]
        theirs, ours = (lines_of([tool, *options], is_packed) for tool in (perf, evname))
        if not theirs or theirs == ours:
            yield len(theirs), 0
        else:
            yield line_by_line.told(f'{file.name} {words[0]} -D', theirs, lacking(theirs, ours), lacking(ours, theirs), show)


line_by_line.main(compare, line_by_line.recordings(('recordings', 'corpus', 'lbr'), ('*.data', 'perf.data*', '*.lbr'), is_known))
