#!/usr/bin/env python3
"""evname report --instructions beside perf annotate --stdio: the samples of each address.

  annotate_test.py EVNAME [--top N] [--symfs DIRECTORY] [FILE...]

EVNAME_PERF_ORACLE names a directory that has this perf. FILEs are recordings of programs that are here; by default one that perf
makes of Python. perf shows the functions whose code it finds; of these the N with most samples (20) are compared."""

import argparse
import collections
import csv
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
ENVIRONMENT = dict(os.environ, PERF_CONFIG='/dev/null', EVNAME_EVENTS='')
WORK = 'import json\nfor _ in range(300): json.loads(json.dumps([{"a": i, "b": [i] * 3} for i in range(2000)]))'


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, errors='replace', env=ENVIRONMENT).stdout


def by_evname(evname, path, symfs):
    """The samples of each address of each function, by the last part of the file's path, as perf has it, and the function."""
    text = output_of(evname, 'report', '--instructions', '--all', '--top', '100000', '--csv', *(['--symfs', symfs] if symfs else []), path)
    functions = collections.defaultdict(collections.Counter)
    for row in csv.DictReader(io.StringIO(text)):
        samples = sum(int(value) for name, value in row.items() if name.endswith('_samples') and value)
        if samples and row['bytes']:
            functions[row['dso'].rsplit('/', 1)[-1], row['function']][int(row['address'], 16)] += samples
    return functions


def by_perf(perf, path, symfs, dso, function):
    text = output_of(perf, 'annotate', '--stdio', '-f', '-n', '--skip-missing', *(['--symfs', symfs] if symfs else []), '-i', path, '-d',
                     dso, '-s', function)
    lines = (re.match(r' +(\d+) +: +([0-9a-f]+): ', line) for line in text.splitlines())
    return collections.Counter({int(line[2], 16): int(line[1]) for line in lines if line and int(line[1])})


def compare(evname, perf, path, symfs, top):
    """Prints the functions whose samples differ. Returns how many were compared, their addresses, and how many differ."""
    compared, addresses, different = 0, 0, 0
    functions = sorted(by_evname(evname, path, symfs).items(), key=lambda one: -one[1].total())
    for (dso, function), own in functions:
        if compared == top:
            break
        theirs = by_perf(perf, path, symfs, dso, function)
        if not theirs:
            continue
        compared, addresses = compared + 1, addresses + len(own)
        if own != theirs:
            different += 1
            print(f'{path}: {function} of {dso}: evname has {dict(own - theirs)}, perf {dict(theirs - own)}')
    print(f'{path}: {compared} functions, {addresses} addresses with samples, {different} functions differ')
    return compared, different


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('evname')
    parser.add_argument('files', nargs='*')
    parser.add_argument('--top', type=int, default=20)
    parser.add_argument('--symfs')
    given = parser.parse_intermixed_args()
    if 'EVNAME_PERF_ORACLE' not in os.environ:
        print('skipped: EVNAME_PERF_ORACLE is not set')
        return SKIPPED
    perf = str(pathlib.Path(os.environ['EVNAME_PERF_ORACLE'], 'perf'))
    with tempfile.TemporaryDirectory() as folder:
        if not given.files:
            given.files = [os.path.join(folder, 'perf.data')]
            output_of(perf, 'record', '-q', '-F', '5000', '-e', 'cpu-clock:u', '-o', given.files[0], '--', sys.executable, '-c', WORK)
        results = [compare(given.evname, perf, path, given.symfs, given.top) for path in given.files]
    return int(any(compared == 0 or different > 0 for compared, different in results))


if __name__ == '__main__':
    sys.exit(main())
