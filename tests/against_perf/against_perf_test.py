#!/usr/bin/env python3
"""Event texts made at random, beside perf's own parser: what both make of each, attribute by attribute.

  against_perf_test.py RESOLVE_TEXTS [PROFILE...]

EVNAME_PERF_ORACLE names a directory with perf-parse and accept.so, which are perf's parser and a kernel that opens
everything, and EVNAME_SHARED one with perf-oracle/parse.py and sysfs/. Without them the test is skipped.
EVNAME_TEXTS: how many texts per profile (20,000). --show CLASS prints texts of a class.
"""
import collections
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import grammar
import profiles
from differences import CLASSES, class_of

SKIPPED = 77
TEXTS = int(os.environ.get('EVNAME_TEXTS', 20000))
BITS = ['eu', 'ek', 'ehv', 'eho', 'eg', 'ei', 'pinned', 'exclusive']


def skip(why):
    print('skipped:', why)
    sys.exit(SKIPPED)


def load_perf():
    directory = os.environ.get('EVNAME_PERF_ORACLE')
    if not directory:
        skip('EVNAME_PERF_ORACLE is not set: it names a directory with perf-parse')
    shared = pathlib.Path(os.environ.get('EVNAME_SHARED', ''))
    script = shared / 'perf-oracle/parse.py'
    if not (pathlib.Path(directory) / 'perf-parse').exists() or not script.exists():
        skip('no perf-parse in EVNAME_PERF_ORACLE, or no perf-oracle/parse.py in EVNAME_SHARED')
    spec = importlib.util.spec_from_file_location('parse', script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda cpuid, sysfs, texts: module.perf(directory, cpuid, sysfs, texts), shared / 'sysfs'


def perf_event(event):
    attr = event['attr']
    periods = [value for kind, value, _ in event['terms'] if kind == 0]
    return {'type': attr['type'],
            'config': [int(attr[k], 16) for k in ('config', 'config1', 'config2', 'config3', 'config4')],
            'period': periods[-1] if periods else attr['sample_period'], 'bp_type': attr['bp_type'],
            'bits': [attr[k] for k in BITS] + [3 if event['pmax'] else attr['precise']], 'leader': event['leader']}


def own_event(event):
    return {k: event[k] for k in ('type', 'config', 'period', 'bp_type', 'bits', 'leader')}


def comparable(perf, own):
    """The same shape for both; None: refused."""
    theirs = [perf_event(e) for e in perf['events']] if perf.get('events') else None
    ours = [own_event(e) for e in own['events']] if own.get('events') else None
    return theirs, ours


def names_in(directory):
    return sorted(p.name for p in directory.iterdir()) if directory.is_dir() else []


def make_grammar(seed, sysfs, tables):
    devices = sysfs / 'bus/event_source/devices'
    pmus = names_in(devices)
    events = {p: [e for e in names_in(devices / p / 'events') if not e.endswith(('.unit', '.scale', '.per-pkg', '.snapshot'))]
              for p in pmus}
    systems = sysfs / 'kernel/tracing/events'
    tracepoints = [f'{s}:{e}' for s in names_in(systems) for e in names_in(systems / s)]
    tracepoints += ['sched:sched_wak*', 'sched:sched_sw?tch', 'sched:sched_switc[h]'] if tracepoints else []
    return grammar.Grammar(seed, pmus + ['tool'], {p: names_in(devices / p / 'format') for p in pmus}, events, tables,
                           tracepoints)


def run(program, cpuid, sysfs, texts):
    lines = ''.join(t.encode('utf-8', 'surrogateescape').hex() + '\n' for t in texts)
    out = subprocess.run([program, cpuid, str(sysfs)], input=lines, text=True, capture_output=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def names_that_differ(program, perf, cpuid, sysfs, names, profile):
    """Names of the tables that already alone mean something else: name to class."""
    differ = {}
    for name, theirs, ours in zip(names, perf(cpuid, sysfs, names), run(program, cpuid, sysfs, names)):
        perf_says, we_say = comparable(theirs, ours)
        if perf_says != we_say:
            differ[name] = class_of(name, perf_says, we_say, ours, profile, None)
    kinds = collections.Counter(differ.values())
    print(f'{profile}: {len(names) - len(differ)} of {len(names)} names of the tables are equal', dict(kinds) or '')
    return differ


def compare_profile(program, perf, name, sysfs, counts, samples):
    cpuid = profiles.PROFILES[name][0]
    tables = subprocess.run([program, cpuid, str(sysfs), '--names'], text=True, capture_output=True,
                            check=True).stdout.split()
    made = make_grammar(name, sysfs, tables)
    other_data = names_that_differ(program, perf, cpuid, sysfs, sorted(set(tables)), name)
    texts = [made.text() for _ in range(TEXTS)]
    for text, theirs, ours in zip(texts, perf(cpuid, sysfs, texts), run(program, cpuid, sysfs, texts)):
        perf_says, we_say = comparable(theirs, ours)
        if perf_says == we_say:
            counts['equal'] += 1
            continue
        kind = class_of(text, perf_says, we_say, ours, name, other_data)
        counts[kind] += 1
        if len(samples[kind]) < 400:
            samples[kind].append((name, text, theirs, ours))


def print_table(counts):
    total = sum(counts.values())
    print(f'{total} texts, {counts["equal"]} equal')
    for kind, number in sorted(counts.items(), key=lambda c: -c[1]):
        if kind != 'equal':
            print(f'{number:7} {kind}: {CLASSES.get(kind, "NOT DECIDED")}')


def main():
    program, wanted = sys.argv[1], [a for a in sys.argv[2:] if not a.startswith('--')]
    perf, archives = load_perf()
    counts, samples = collections.Counter(), collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as root:
        for name, (_, tree) in profiles.PROFILES.items():
            if wanted and name not in wanted:
                continue
            sysfs = pathlib.Path(root) / name
            if profiles.write_tree(name, tree, archives, sysfs):
                compare_profile(program, perf, name, sysfs, counts, samples)
            else:
                print(f'left out: {name}, whose sysfs tree is not in {archives}')
    print_table(counts)
    unknown = [kind for kind in counts if kind != 'equal' and kind not in CLASSES]
    for kind in unknown:
        for name, text, theirs, ours in samples[kind][:int(os.environ.get('EVNAME_SAMPLES', 5))]:
            print(f'{kind} {name} {text!r}\n    perf {json.dumps(comparable(theirs, ours)[0] or theirs)}\n'
                  f'    own  {json.dumps(comparable(theirs, ours)[1] or ours)}')
    sys.exit(1 if unknown else 0)


if __name__ == '__main__':
    main()
