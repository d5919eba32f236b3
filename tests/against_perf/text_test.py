#!/usr/bin/env python3
"""Recordings as text, beside perf script: every field, line by line.

  text_test.py EVNAME [--show CLASS] [FILE...]

EVNAME_PERF_ORACLE names a directory that has this perf. FILEs: by default those in tests/data, and in recordings/ and
corpus/ of EVNAME_SHARED. Each line that differs has to be of a class that is decided (CLASSES). --show prints lines of a
class.
"""
import collections
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
# All fields that both have, alone and together as they may get in each other's way.
FIELDS = ['comm,pid,tid,cpu,time,period,event', 'comm,tid,time,event,ip', 'comm,pid,tid,time,event', 'comm,ip',
          'misc,event', 'pid', 'tid', 'event,cpu', 'addr', 'ip,event,addr', 'data_src', 'weight', 'ins_lat',
          'retire_lat', 'cgroup,event', 'iregs', 'event,time,uregs', 'brstack,event', 'phys_addr', 'data_page_size',
          'code_page_size', 'event,time,addr,data_src,weight,phys_addr', 'comm,pid,tid,time,event,trace', 'brstacksym',
          'brstacksym,dso,ip', 'brstackoff', 'ip,dsoff,dso', 'event,insnlen,insn']

# class: why evname does otherwise
CLASSES = {
    'thread that ended': 'perf forgets what a thread was called when it ends, before its last samples; evname knows',
    'CPU': 'perf takes a CPU number that its own machine would not have for 0; evname says what the recording says',
    'registers': 'perf reads registers as registers of the machine it runs on, unless it finds the file of the program, and '
                 'a mask of another byte order bit by bit; evname goes by the recording',
    'recorded name': 'perf finds the names of a pipe by the ids of its events only, and computes one where there is no id; '
                     'evname finds them by the attr, too',
    'tracepoint': 'perf prints what libtraceevent makes of a print format; evname what C does, or the fields by name',
    'refused file': 'perf refuses the whole file for what is wrong in one place; evname reads on and says so',
}
VALUE = re.compile(r':0x([0-9a-f]+)')
COMM = 17  # columns


def run(*command):
    done = subprocess.run(command, capture_output=True, env=dict(os.environ, PERF_CONFIG='/dev/null'))
    return done.stdout.decode('utf-8', 'replace').splitlines(), done.stderr.decode('utf-8', 'replace')


def class_of_line(fields, theirs, ours):
    """The class of two lines that differ; None: it is not decided."""
    if theirs is None or ours is None:
        return None
    if 'comm' in fields and re.match(r' *:-?\d+ ', theirs):
        aligned = theirs[0] == ' '
        rest, own_rest = (line[COMM:] if aligned else line.split(' ', 1)[1] for line in (theirs, ours))
        return 'thread that ended' if rest == own_rest else class_of_line(fields[1:], rest, own_rest)
    if theirs.replace(':H: ', ': ', 1) == ours:
        return 'recorded name'
    if 'cpu' in fields and re.sub(r'\[\d+\]', '[000]', ours) == theirs:
        return 'CPU'
    if 'iregs' in fields or 'uregs' in fields:
        return 'registers' if has_registers_of(theirs, ours) else None
    if 'trace' in fields and len(os.path.commonprefix([theirs, ours])) >= theirs.find(': ', 24):
        return 'tracepoint'
    return None


def has_registers_of(theirs, ours):
    """All values that perf prints, if it names them otherwise or knows fewer by a mask that it got wrong."""
    own = collections.Counter(VALUE.findall(ours))
    return bool(own) and not collections.Counter(VALUE.findall(theirs)) - own


def class_of_empty(perf_says, theirs):
    """The class of two texts if one is empty."""
    refusals = 'incompatible file format|piped event processing failed|corrupt'
    return 'refused file' if not theirs and re.search(refusals, perf_says) else None


def compare(perf, evname, path, fields, counts, samples):
    # perf takes this machine's kernel for the recorded one, unless it may look nowhere.
    with tempfile.TemporaryDirectory() as empty:
        theirs, their_errors = run(perf, 'script', '-f', '-F', fields, '-i', str(path), '--symfs', empty)
        ours, our_errors = run(evname, 'annotate', '--raw-names', '-F', fields, str(path), '--symfs', empty)
    if not theirs and not ours:
        return
    if not theirs or not ours:
        kind = class_of_empty(their_errors, theirs)
        counts[kind] += 1
        samples[kind].append((path.name, fields, their_errors[-200:], our_errors[-200:]))
        return
    for a, b in itertools.zip_longest(theirs, ours):
        kind = 'equal' if a == b else class_of_line(fields.split(','), a, b)
        counts[kind] += 1
        if kind != 'equal' and len(samples[kind]) < 2000:
            samples[kind].append((path.name, fields, a, b))


def recordings():
    root = pathlib.Path(os.environ['EVNAME_SOURCE_ROOT'])
    found = sorted((root / 'tests/data').glob('*.data'))
    shared = os.environ.get('EVNAME_SHARED')
    if shared:
        found += sorted(pathlib.Path(shared, 'recordings').glob('*.data'))
        found += sorted(p for p in pathlib.Path(shared, 'corpus').iterdir() if p.suffix != '.tsv')
    return found


def main():
    evname, arguments = sys.argv[1], sys.argv[2:]
    show = arguments.pop(1) if arguments[:1] == ['--show'] else None
    files = [pathlib.Path(a) for a in arguments[1 if show else 0:]]
    perf = os.path.join(os.environ.get('EVNAME_PERF_ORACLE', ''), 'perf')
    if not os.environ.get('EVNAME_PERF_ORACLE') or not os.path.exists(perf):
        print('skipped: EVNAME_PERF_ORACLE names no directory with perf')
        sys.exit(SKIPPED)
    counts, samples = collections.Counter(), collections.defaultdict(list)
    for path in files or recordings():
        for fields in FIELDS:
            compare(perf, evname, path, fields, counts, samples)
    print(f'{sum(counts.values())} lines, {counts["equal"]} equal')
    for kind, number in counts.most_common():
        if kind != 'equal':
            print(f'{number:7} {kind}: {CLASSES.get(kind, "NOT DECIDED")}')
    undecided = [kind for kind in counts if kind != 'equal' and kind not in CLASSES]
    for kind in undecided + [show] * bool(show):
        for name, fields, a, b in samples[kind][:int(os.environ.get('EVNAME_SAMPLES', 40))]:
            print(f'{name} [{fields}]\n  perf   {a!r}\n  evname {b!r}')
    sys.exit(1 if undecided else 0)


if __name__ == '__main__':
    main()
