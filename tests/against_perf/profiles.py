"""Machines to ask about: a CPUID and a sysfs tree each, of real machines or written from what their kernels say."""
import pathlib
import tarfile

INTEL_FORMAT = {
    'event': 'config:0-7', 'umask': 'config:8-15', 'edge': 'config:18', 'pc': 'config:19', 'any': 'config:21',
    'inv': 'config:23', 'cmask': 'config:24-31', 'in_tx': 'config:32', 'in_tx_cp': 'config:33',
    'offcore_rsp': 'config1:0-63', 'ldlat': 'config1:0-15', 'frontend': 'config1:0-23'}
INTEL_EVENTS = {
    'branch-instructions': 'event=0xc4', 'branch-misses': 'event=0xc5', 'bus-cycles': 'event=0x3c,umask=0x01',
    'cache-misses': 'event=0x2e,umask=0x41', 'cache-references': 'event=0x2e,umask=0x4f', 'cpu-cycles': 'event=0x3c',
    'instructions': 'event=0xc0', 'ref-cycles': 'event=0x00,umask=0x03',
    'mem-loads': 'event=0xcd,umask=0x1,ldlat=3', 'mem-stores': 'event=0xd0,umask=0x82'}
TOPDOWN = {
    'slots': 'event=0x00,umask=0x4', 'topdown-retiring': 'event=0x00,umask=0x80',
    'topdown-bad-spec': 'event=0x00,umask=0x81', 'topdown-fe-bound': 'event=0x00,umask=0x82',
    'topdown-be-bound': 'event=0x00,umask=0x83'}
ATOM_TOPDOWN = {'topdown-bad-spec': 'event=0x73,umask=0x0', 'topdown-retiring': 'event=0xc2,umask=0x0'}
ARM_FORMAT = {'event': 'config:0-15', 'long': 'config1:0', 'rdpmc': 'config1:1'}
ARM_EVENTS = {'cpu_cycles': 'event=0x0011', 'inst_retired': 'event=0x0008', 'l1d_cache': 'event=0x0004'}
SOFTWARE = {'software': {'type': 1}, 'tracepoint': {'type': 2}, 'breakpoint': {'type': 5}}
KPROBE = {'kprobe': {'type': 6, 'format': {'retprobe': 'config:0'}}}
MSR = {'msr': {'type': 12, 'format': {'event': 'config:0-63'}, 'events': {'tsc': 'event=0x00', 'smi': 'event=0x04'}}}
POWER = {'power': {
    'type': 13, 'format': {'event': 'config:0-7'}, 'cpumask': '0',
    'events': {'energy-pkg': 'event=0x02', 'energy-pkg.scale': '2.3283064365386962890625e-10',
               'energy-pkg.unit': 'Joules', 'energy-ram': 'event=0x03', 'energy-ram.scale': '0'}}}
INTEL_PT = {'intel_pt': {
    'type': 14, 'format': {'pt': 'config:0', 'cyc': 'config:1', 'tsc': 'config:10', 'noretcomp': 'config:11',
                           'branch': 'config:13', 'mtc': 'config:9', 'mtc_period': 'config:14-17',
                           'psb_period': 'config:24-27'},
    'caps': {'mtc': '1', 'psb_cyc': '1', 'psb_periods': '3f', 'mtc_periods': '249'}},
    'intel_bts': {'type': 15}}
UNCORE_FORMAT = {'event': 'config:0-7', 'umask': 'config:8-15', 'edge': 'config:18', 'inv': 'config:23',
                 'thresh': 'config:24-31'}


def uncore(name, first_type, count=2, **more):
    return {f'{name}_{i}': {'type': first_type + i, 'format': UNCORE_FORMAT, 'cpumask': '0', **more}
            for i in range(count)}


def core(type_number, cpus=None, events=None, formats=None, **more):
    return {'type': type_number, 'format': formats or INTEL_FORMAT, 'events': events or INTEL_EVENTS,
            **({'cpus': cpus} if cpus else {}), **more}


# name: CPUID, tree (the name of an archive of real sysfs files, or PMUs)
PROFILES = {
    'skylakex': ('GenuineIntel-6-55-4', 'skylakex'),
    'skylake': ('GenuineIntel-6-9E-9', 'skylake'),
    'amdzen4': ('AuthenticAMD-25-61-2', 'amdzen4'),
    'neoverse-n1': ('0x00000000410fd0c0', 'neoverse-n1'),
    'icelakex': ('GenuineIntel-6-6A-6', {
        'cpu': core(4, events={**INTEL_EVENTS, **TOPDOWN}), **SOFTWARE, **KPROBE, **MSR, **POWER, **INTEL_PT,
        **uncore('uncore_cha', 24), **uncore('uncore_imc', 30)}),
    'alderlake': ('GenuineIntel-6-97-2', {
        'cpu_core': core(4, '0-1', {**INTEL_EVENTS, **TOPDOWN}),
        'cpu_atom': core(10, '2-3', {**INTEL_EVENTS, **ATOM_TOPDOWN}), **SOFTWARE, **MSR, **POWER, **INTEL_PT,
        **uncore('uncore_imc', 30), 'uncore_clock': {'type': 40, 'format': UNCORE_FORMAT, 'cpumask': '0'}}),
    'arrowlake': ('GenuineIntel-6-C5-2', {
        'cpu_core': core(4, '0-1', {**INTEL_EVENTS, **TOPDOWN}),
        'cpu_atom': core(10, '2', {**INTEL_EVENTS, **ATOM_TOPDOWN}),
        'cpu_lowpower': core(11, '3', {**INTEL_EVENTS, **ATOM_TOPDOWN}), **SOFTWARE, **MSR, **INTEL_PT}),
    'big-little': ('0x00000000410fd030', {
        'armv8_cortex_a53': core(8, '0-1', ARM_EVENTS, ARM_FORMAT),
        'armv8_cortex_a72': core(9, '2-3', {**ARM_EVENTS, 'ld_retired': 'event=0x0006'}, ARM_FORMAT), **SOFTWARE}),
}


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + '\n')


def write_pmu(directory, pmu):
    for key, value in pmu.items():
        if isinstance(value, dict):
            for name, text in value.items():
                put(directory / key / name, text)
        else:
            put(directory / key, str(value))


def copy_tracepoints(root):
    """perf asks the kernel that it runs on, whichever tree it is given: the numbers of two systems."""
    for system in ('sched', 'irq'):
        events = pathlib.Path('/sys/kernel/tracing/events') / system
        try:
            for path in sorted(events.glob('*/id')):
                put(root / 'kernel/tracing/events' / system / path.parent.name / 'id', path.read_text().strip())
        except OSError:
            return


def write_tree(name, tree, archives, root):
    """The sysfs tree of a profile under `root`; False if it needs an archive that is not there."""
    root.mkdir(parents=True, exist_ok=True)
    if isinstance(tree, str):
        archive = pathlib.Path(archives) / f'{tree}.tgz'
        if not archive.exists():
            return False
        with tarfile.open(archive) as packed:
            packed.extractall(root)
    else:
        for pmu, files in tree.items():
            write_pmu(root / 'bus/event_source/devices' / pmu, files)
    copy_tracepoints(root)
    for which in ('online', 'possible', 'present'):
        path = root / 'devices/system/cpu' / which
        if not path.exists():
            put(path, '0-3')
    for pmu, number in (('software', 1), ('tracepoint', 2), ('breakpoint', 5)):
        path = root / 'bus/event_source/devices' / pmu / 'type'
        if not path.exists():
            put(path, str(number))
    return True
