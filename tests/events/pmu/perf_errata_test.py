#!/usr/bin/env python3
"""Checks that docs/perf-errata.md and perf-errata.csv list the events of Intel's CPUs whose code in perf 7.3 differs from
Intel's. Usage: perf_errata_test.py EVNAME BUILD_DIR PAGE [--write]

With --write it writes both first. It needs EVNAME_PERF_ORACLE and EVNAME_SHARED, as perf_oracle_test.py does; if
either is unset, the test is skipped (exit code 77)."""
import collections
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import kernel_sysfs
import perf_oracle_test
from perf_oracle_test import vendor_trees

# What perf's tables lack, by the first letters of the PMU's name: the key of Intel's files, and its place in config.
LOST = {'uncore_qpi': ('ExtSel', 21), 'uncore_pcu': ('ExtSel', 21), 'uncore_': ('UMaskExt', 32), 'cpu': ('UMaskExt', 40)}

START = """# Events that perf 7.3 encodes wrongly
Read this page if perf's count of an event of an Intel CPU looks wrong, or if evname has another code for a name than perf.

perf 7.3 opens another code than Intel documents for {total} events of Intel's CPUs. It reports no error, and counts another
event: on Lunar Lake's `cpu_core`, `br_inst_retired.cond_taken_fwd` counts every branch. evname has Intel's codes, and perf
takes them if you write the code in place of the name:
```console
$ evname resolve --cpu lunarlake br_inst_retired.cond_taken_fwd
cpu_core/event=0xc4,umask=0x100/  # br_inst_retired.cond_taken_fwd  type=4 config=0x100000000c4 period=400009
$ grep br_inst_retired.cond_taken_fwd docs/perf-errata.csv
cpu_core,br_inst_retired.cond_taken_fwd,0xc4,0x100000000c4,arrowlake lunarlake
$ perf stat -e cpu_core/event=0xc4,umask=0x100/ -- ./program
```
[perf-errata.csv](perf-errata.csv) lists each event with its PMU, both codes, and the models that have it. perf's tables have lost
one of two parts of the code: `ExtSel` in Intel's files, bit 21, which extends the event number of QPI units and of the PCU; or
`UMaskExt`, which extends the unit mask, if the mask itself is zero.

| PMU | lost | events of each model |
| --- | --- | --- |
{rows}
{without_driver} of the events belong to the unit `M2HBM`. Linux 7.3 has no driver for it, so perf does not open them at all.
{cleared} belong to the PCU of Jaketown and Ivytown, whose driver clears bit 21 without an error: the kernel counts the event of the
shorter code, and evname warns.

`tests/events/pmu/perf_errata_test.py … --write` makes this page and the CSV: it compares `config` of perf's own parser with Intel's
files of August 2026, for every event of every Intel model in Linux 7.3. [PMUs that are not at hand](pmus.md#where-perf-differs) lists events that perf can't encode at all.
"""


def lost_by(pmu):
    return next(value for start, value in LOST.items() if pmu.startswith(start))


def add_hbm(sysfs):
    """Gives the machine a PMU for the unit M2HBM, with the fields of M2M, if it has that."""
    devices = Path(sysfs, 'bus/event_source/devices')
    for pmu in list(devices.glob('uncore_m2m_*')):
        shutil.copytree(pmu, devices / pmu.name.replace('m2m', 'm2hbm'))


def configs(answer):
    """PMU without the number of its box -> its config words."""
    out = collections.defaultdict(set)
    for pmu, config, *_ in [] if isinstance(answer, str) else answer:
        out[re.sub(r'_\d+$', '', pmu)].add(config)
    return out


def documented(perfmon, cpuid):
    """Event -> (EventCode and UMask as config, entry) for each entry in Intel's files for the CPU."""
    out = collections.defaultdict(list)
    rows = (row.split(',') for row in (perfmon / 'mapfile.csv').read_text().splitlines()[1:])
    for path in sorted({row[2] for row in rows if re.match(row[0] + '(-|$)', cpuid)}):
        text = json.loads((perfmon / path.lstrip('/')).read_text(encoding='utf-8-sig'))
        for entry in text.get('Events', []) if isinstance(text, dict) else text:
            if 'EventName' in entry:
                event, mask = (int((entry.get(key) or '0').split(',')[0], 16) for key in ('EventCode', 'UMask'))
                out[entry['EventName'].lower()].append((event | mask << 8, entry))
    return out


def wrong_events(evname, build_dir):
    """(model, PMU, event, perf's config, Intel's) for each event that perf encodes wrongly."""
    import parse as oracle
    source = kernel_sysfs.Source(next(Path(os.environ['EVNAME_PERF_ORACLE']).glob('linux-source-*')))
    tree = vendor_trees.unpacked('linux-7.3-pmu-events', build_dir) / 'pmu-events/arch'
    perfmon = vendor_trees.unpacked('intel-perfmon-2026-08', build_dir)
    for arch, model, cpuid in perf_oracle_test.models(tree):
        if not cpuid.startswith('GenuineIntel'):
            continue
        names = perf_oracle_test.names_of(tree / arch / model)
        with tempfile.TemporaryDirectory() as sysfs:
            kernel_sysfs.make(source, arch, model, cpuid, sysfs)
            add_hbm(sysfs)
            perf = perf_oracle_test.perf_answers(oracle, cpuid, sysfs, names)
            ours = perf_oracle_test.evname_answers(evname, ['--cpu', cpuid, '--sysfs', sysfs, '--no-user-events'], names)
        intel = documented(perfmon, cpuid)
        for name in names:
            theirs, right = configs(perf[name]), configs(ours[name])
            for pmu in sorted(theirs.keys() & right.keys()):
                if theirs[pmu] != right[pmu]:
                    key, place = lost_by(pmu)
                    (wrong,), (config,) = theirs[pmu], right[pmu]
                    stated = {number | int(entry.get(key) or '0', 16) << place for number, entry in intel[name]}
                    if config not in stated:
                        sys.exit(f'{model} {pmu} {name}: {config:#x}, Intel says {[hex(n) for n in stated]}')
                    yield model, pmu, name, wrong, config


def page_of(events):
    counts = collections.Counter((model, pmu) for model, pmu, *_ in events)
    without_driver = sum(count for (_, pmu), count in counts.items() if pmu == 'uncore_m2hbm')
    cleared = sum(count for (_, pmu), count in counts.items() if pmu == 'uncore_pcu')
    by_pmu = collections.defaultdict(list)
    for (model, pmu), count in sorted(counts.items()):
        by_pmu[pmu].append(f'{model} {count}')
    rows = ''.join(f'| `{pmu}` | `{lost_by(pmu)[0]}` | {", ".join(models)} |\n' for pmu, models in sorted(by_pmu.items()))
    return START.format(total=len(events), without_driver=without_driver, cleared=cleared, rows=rows)


def table_of(events):
    """The page's CSV: a row for each event of a PMU and pair of codes, with the models that have them."""
    rows = collections.defaultdict(list)
    for model, pmu, name, wrong, right in events:
        rows[pmu, name, wrong, right].append(model)
    out = ['PMU,event,perf 7.3,Intel,models\n']
    out += [f'{pmu},{name},{wrong:#x},{right:#x},{" ".join(sorted(models))}\n'
            for (pmu, name, wrong, right), models in sorted(rows.items())]
    return ''.join(out)


def main(evname, build_dir, page, write=''):
    if missing := [name for name in ('EVNAME_PERF_ORACLE', 'EVNAME_SHARED') if not os.environ.get(name)]:
        print(f'skipped: {", ".join(missing)} not set')
        return 77
    sys.path.append(os.environ['EVNAME_SHARED'] + '/perf-oracle')
    events = list(wrong_events(evname, build_dir))
    made = {Path(page): page_of(events), Path(page).with_suffix('.csv'): table_of(events)}
    if write:
        for path, text in made.items():
            path.write_text(text)
    current = all(path.read_text() == text for path, text in made.items())
    print(f'{len(events)} events, the page and its table are {"" if current else "not "}current')
    return 0 if current and events else 1


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
