#!/usr/bin/env python3
"""Every event of every model of a kernel's event tree: what evname makes of it on that CPU's PMUs, and without them,
against perf's own parser. Usage: perf_oracle_test.py EVNAME BUILD_DIR [MODEL…]

EVNAME_PERF_ORACLE names the folder of a perf-parse program with the kernel's source beside it (a folder linux-source-*,
with arch/x86/events), EVNAME_SHARED the folder of perf-oracle/parse.py and of the kernel's event tree. Where one is
unset, the test is skipped (exit code 77)."""
import collections
import csv
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import kernel_sysfs

sys.path.append(str(Path(__file__).parents[2] / 'support'))
import vendor_trees

# CPUIDs of the mapfile's rows whose expression does not give one, or whose CPUID an earlier row has.
EXAMPLES = {'amdzen2': 'AuthenticAMD-23-31-0', 'amdzen4': 'AuthenticAMD-25-61-2', 'amdzen6': 'AuthenticAMD-26-50-0',
            'cf_z10': 'IBM,2097,701,E12,1.4,002f', 'cf_z196': 'IBM,2817,701,M32,1.4,002f',
            'cf_zec12': 'IBM,2827,701,H43,1.4,002f', 'cf_z13': 'IBM,2964,400,N96,1.4,002f',
            'cf_z14': 'IBM,3906,400,M01,3.5,226f', 'cf_z15': 'IBM,8561,703,T01,3.6,002f',
            'cf_z16': 'IBM,3931,704,A01,3.7,002f', 'cf_z17': 'IBM,9175,704,ME1,3.8,002f'}

# perf's own names, which a CPU's table may have as well: tests/events/machine.
GENERIC = {'instructions', 'cycles'}

# Events that perf itself can't encode on such a machine, and why: (models, events). evname resolves them.
PERF_FAILS = [
    ('arrowlake', '*', 'Unit cpu_lowpower means a PMU uncore_cpu_lowpower to perf'),
    ('novalake', '*', 'MSR 0x3e0 is a term offcore_rsp to perf, the PMU calls it offmodule_rsp'),
    ('arrowlake', 'unc_hac_cbo_*', 'the PMU is uncore_hac_cbox'), ('meteorlake', 'unc_hac_cbo_*', 'likewise'),
    ('graniterapids', 'unc_mdf_*', 'the PMU is uncore_mdf_sbo'), ('sierraforest', 'unc_mdf_*', 'likewise'),
    ('clearwaterforest', 'unc_mdf_*', 'likewise'),
    ('knightslanding', 'unc_m_*', 'Unit iMC_DCLK is the PMU uncore_imc'),
    ('nehalem*', '*latency_above_threshold_0', 'no MSRValue: ldlat=None'),
    ('westmere*', '*latency_above_threshold_0', 'likewise'),
    ('sifive/p650', '*', "an x86 perf reads a stepping after the hyphen in the row's expression"),
]
# Units without a driver of that name: only the code without the machine can be asked for.
NO_PMU = [
    ('*', 'unc_chacms_*'), ('sapphirerapids', 'unc_m2hbm_*'), ('emeraldrapids', 'unc_m2hbm_*'),
    ('sapphirerapids', 'unc_u_*'), ('emeraldrapids', 'unc_u_*'),
    ('sapphirerapids', 'unc_mchbm_*'), ('emeraldrapids', 'unc_mchbm_*'), ('jaketown', 'unc_i_*'),
    ('lunarlake', 'unc_clock.socket'), ('hisilicon/hip08', '*'),
]


def example(pattern):
    """A CPUID string that the expression matches."""
    text = pattern.lstrip('^').rstrip('$').replace('\\', '')
    text = re.sub(r'\(([^|()]*)\|?[^()]*\)', r'\1', text)
    text = re.sub(r'\[\[:xdigit:\]\](?:{(\d)}|\+)?', lambda m: '1' * int(m[1] or 1), text)
    text = re.sub(r'\[([^]])[^]]*\]\+?', r'\1', text)
    return text.replace('.*', '').replace('.+', '')


def models(tree):
    """(architecture, model, CPUID) of each directory that a mapfile leads to."""
    for arch in ('x86', 'arm64', 'riscv', 's390', 'powerpc'):
        first = {}
        for row in list(csv.reader((tree / arch / 'mapfile.csv').read_text().splitlines()))[1:]:
            if row and not row[0].startswith('#'):
                first.setdefault(row[2], row[0])
        for model, pattern in first.items():
            if (tree / arch / model).is_dir():
                cpuid = EXAMPLES.get(model, example(pattern))
                yield arch, model, cpuid + '-4' if arch == 'x86' and cpuid.count('-') == 2 else cpuid


def names_of(directory):
    """Of events; a standard event may be a metric."""
    metrics = {event['MetricName'].lower() for path in directory.parents[1].glob('*.json')
               for event in json.loads(path.read_text()) if 'MetricName' in event}
    names = set()
    for path in directory.glob('*.json'):
        if not path.name.endswith('metricgroups.json'):
            for event in json.loads(path.read_text()):
                if name := event.get('EventName') or event.get('ArchStdEvent'):
                    names.add(name.lower())
    return sorted(names - metrics - GENERIC)


def perf_answers(oracle, cpuid, sysfs, names):
    """Name -> the set of (PMU, config, config1, config2), or a text why not."""
    answers = oracle.perf(os.environ['EVNAME_PERF_ORACLE'], cpuid, sysfs, names)
    out = {}
    for name, answer in zip(names, answers):
        out[name] = {(e['pmu'], *(int(e['attr'][w], 16) for w in ('config', 'config1', 'config2')))
                     for e in answer.get('events', [])} or str(answer.get('msg', 'crash'))
    return out


def evname_answers(evname, arguments, names):
    done = subprocess.run([evname, 'resolve', '--json', *arguments, '-'], input='\n'.join(names) + '\n', text=True,
                          capture_output=True, check=False)
    out = {name: set() for name in names}
    for line in done.stdout.splitlines():
        row = json.loads(line)
        if 'error' in row:
            out[row['query']] = row['error']
        else:
            out[row['query']].add((row['pmu'], *(int(row.get(w, '0'), 16) for w in ('config', 'config1', 'config2'))))
    return out


def without_instance(answer):
    """PMUs without the number of their box: offline there is one for all."""
    return answer if isinstance(answer, str) else {(re.sub(r'_\d+$', '', pmu), *words) for pmu, *words in answer}


def is_in(rows, model, name):
    return any(fnmatch.fnmatch(model, row[0]) and fnmatch.fnmatch(name, row[1]) for row in rows)


def fault(model, name, perf, live, offline):
    """Why evname is wrong about an event; None: it is right."""
    if is_in(NO_PMU, model, name) and isinstance(perf, str):
        return offline if isinstance(offline, str) else None
    if isinstance(perf, str):
        if not is_in(PERF_FAILS, model, name):
            return f'perf fails ({perf})'
        perf = live
    if live != perf:
        if not (is_in(PERF_FAILS, model, name) and not isinstance(live, str) and perf < live):
            return f'with sysfs {live}, perf {perf}'
    if without_instance(offline) != without_instance(live):
        return f'without sysfs {without_instance(offline)}, with it {without_instance(live)}'
    return live if isinstance(live, str) else None


def main(evname, build_dir, wanted):
    needed = ('EVNAME_PERF_ORACLE', 'EVNAME_SHARED')
    if missing := [name for name in needed if not os.environ.get(name)]:
        print(f'skipped: {", ".join(missing)} not set')
        return 77
    sys.path.append(os.environ['EVNAME_SHARED'] + '/perf-oracle')
    import parse as oracle
    source = kernel_sysfs.Source(next(Path(os.environ['EVNAME_PERF_ORACLE']).glob('linux-source-*')))
    tree = vendor_trees.unpacked('linux-7.3-pmu-events', build_dir) / 'pmu-events/arch'
    events = faults = 0
    for arch, model, cpuid in models(tree):
        if wanted and model not in wanted:
            continue
        names = names_of(tree / arch / model)
        with tempfile.TemporaryDirectory() as sysfs:
            kernel_sysfs.make(source, arch, model, cpuid, sysfs)
            perf = perf_answers(oracle, cpuid, sysfs, names)
            live = evname_answers(evname, ['--cpu', cpuid, '--events', tree, '--sysfs', sysfs], names)
        offline = evname_answers(evname, ['--cpu', cpuid, '--events', tree], names)
        found = [(name, why) for name in names if (why := fault(model, name, perf[name], live[name], offline[name]))]
        failed = sum(isinstance(answer, str) for answer in perf.values())
        print(f'{arch}/{model} {cpuid}: {len(names)} events, perf encodes {len(names) - failed}, {len(found)} differ', flush=True)
        for name, why in found[:8]:
            print(f'  {name}: {why}')
        events, faults = events + len(names), faults + len(found)
    print(f'{events} events, {faults} differ')
    return 1 if faults or not events else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
