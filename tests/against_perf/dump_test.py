#!/usr/bin/env python3
"""evname script -D and report -D beside perf's, line by line and in order.

  dump_test.py EVNAME [--show] [FILE...]

EVNAME_PERF_ORACLE names a directory that has this perf. FILEs: by default those in tests/data, and in recordings/, corpus/ and lbr/
of EVNAME_SHARED. REWRITES leaves out of both what differs on purpose; lines of samples are compared by text_test.py."""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
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
    done = subprocess.run(command, capture_output=True, env=dict(os.environ, PERF_CONFIG='/dev/null', EVNAME_EVENTS=''))
    lines = [line for line in done.stdout.splitlines() if OF_DUMPS.match(line)]
    for pattern, text, _ in REWRITES + ([PACKED] if is_packed else []):
        lines = [pattern.sub(text, line) for line in lines]
    return [line for line in lines if line != b'# feature']


def compare(perf, evname, empty, file, show):
    counts = [0, 0]
    for words in ['script'], ['report', '--stdio']:
        options = [*words, '-D', '--kallsyms', empty, '-i', str(file)]
        theirs, ours = (lines_of([tool, *options], 'zstd' in file.name or 'compressed' in file.name) for tool in (perf, evname))
        counts[0] += len(theirs)
        if not theirs or theirs == ours:
            continue
        missing, more = ([b'-+'[i:i + 1] + line for line in (collections.Counter(a) - collections.Counter(b)).elements()]
                         for i, (a, b) in enumerate(((theirs, ours), (ours, theirs))))
        counts[1] += max(len(missing), len(more), 1)
        print(f'{file.name} {words[0]} -D: {len(missing)} lines of {len(theirs)} missing, {len(more)} more', flush=True)
        if show:
            print(*[line.decode('utf-8', 'replace')[:180] for line in [*missing[:6], *more[:6]]], sep='\n')
    return counts


def recordings():
    folders = [pathlib.Path(__file__).parents[1] / 'data']
    if 'EVNAME_SHARED' in os.environ:
        folders += [pathlib.Path(os.environ['EVNAME_SHARED'], name) for name in ('recordings', 'corpus', 'lbr')]
    files = [file for folder in folders for pattern in ('*.data', 'perf.data*', '*.lbr') for file in folder.glob(pattern)]
    return [file for file in sorted(set(files)) if not is_known(file)]


def main():
    words = [word for word in sys.argv[1:] if word != '--show']
    oracle = os.environ.get('EVNAME_PERF_ORACLE')
    if not oracle:
        print('skipped: EVNAME_PERF_ORACLE is not set')
        return SKIPPED
    perf, files = str(pathlib.Path(oracle, 'perf')), [pathlib.Path(word) for word in words[1:]] or recordings()
    with tempfile.NamedTemporaryFile('w') as empty:
        empty.write('\n')
        empty.flush()
        counts = [compare(perf, words[0], empty.name, file, '--show' in sys.argv) for file in files]
    print(f'{len(files)} recordings, {sum(count for count, _ in counts)} lines, {sum(count for _, count in counts)} differ')
    return 1 if any(differ for _, differ in counts) else 0


sys.exit(main())
