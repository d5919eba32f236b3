"""sysfs trees of CPUs that are not at hand, from what the kernel's source says of their PMUs.

make(SOURCE, MODEL, DIRECTORY) writes bus/event_source/devices/PMU/{type,format,cpus|cpumask} as Linux does on that
CPU. SOURCE is a kernel's source tree with arch/x86/events: which uncore units there are and what their fields are is
read from its tables, so it is stated independently of the layouts that are tested with it.
"""
import re
from pathlib import Path

# The lists of units in arch/x86/events/intel/uncore_*.c for each event directory.
SPR = ['spr_uncores', 'spr_msr_uncores', 'spr_mmio_uncores', 'spr_pci_uncores']
GNR = ['gnr_uncores', 'spr_msr_uncores']
SKX = ['skx_msr_uncores', 'skx_pci_uncores']
HSX = ['hswep_msr_uncores', 'hswep_pci_uncores']
BDX = ['bdx_msr_uncores', 'bdx_pci_uncores']
SNB = ['snb_msr_uncores', 'snb_pci_uncores']
SKL = ['skl_msr_uncores', 'snb_pci_uncores']
ICL = ['icl_msr_uncores', 'snb_pci_uncores']
ADL = ['adl_msr_uncores', 'adl_mmio_uncores']
MTL = ['mtl_msr_uncores', 'adl_mmio_uncores']
UNCORE = {
    'jaketown': ['snbep_msr_uncores', 'snbep_pci_uncores'], 'ivytown': ['ivbep_msr_uncores', 'ivbep_pci_uncores'],
    'haswellx': HSX, 'broadwellx': BDX, 'broadwellde': BDX, 'skylakex': SKX, 'cascadelakex': SKX,
    'knightslanding': ['knl_msr_uncores', 'knl_pci_uncores'],
    'icelakex': ['icx_msr_uncores', 'icx_pci_uncores', 'icx_mmio_uncores'],
    'snowridgex': ['snr_msr_uncores', 'snr_pci_uncores', 'snr_mmio_uncores'],
    'sapphirerapids': SPR, 'emeraldrapids': SPR,
    'graniterapids': GNR, 'sierraforest': GNR, 'grandridge': GNR, 'clearwaterforest': GNR,
    'diamondrapids': ['dmr_uncores', 'dmr_mmio_uncores'],
    'sandybridge': SNB, 'ivybridge': SNB, 'haswell': SNB, 'broadwell': SNB, 'skylake': SKL, 'icelake': ICL,
    'rocketlake': ICL, 'tigerlake': ['icl_msr_uncores', 'tgl_mmio_uncores'], 'alderlake': ADL, 'alderlaken': ADL,
    'meteorlake': MTL, 'arrowlake': MTL, 'lunarlake': ['lnl_msr_uncores', 'lnl_mmio_uncores'],
    'pantherlake': ['ptl_msr_uncores', 'ptl_uncores', 'ptl_mmio_extra_uncores'],
    'novalake': ['nvl_msr_uncores', 'ptl_uncores', 'ptl_mmio_extra_uncores'],
}

# Core PMUs: intel/core.c, amd/core.c. The fields of CPUs that report them in CPUID leaf 0x23 are V6's.
BASE = 'event=config:0-7 umask=config:8-15 edge=config:18 pc=config:19 inv=config:23 cmask=config:24-31'
ANY = BASE + ' any=config:21'
V6 = BASE.replace('umask=config:8-15', 'umask=config:8-15,40-47') + ' eq=config:36'
ACR = V6 + ' acr_mask=config2:0-63'
OFFCORE, LDLAT, FRONTEND = ' offcore_rsp=config1:0-63', ' ldlat=config1:0-15', ' frontend=config1:0-23'
SNOOP, OMR, TSX = ' snoop_rsp=config1:0-63', ' offmodule_rsp=config1:0-63', ' in_tx=config:32 in_tx_cp=config:33'
NHM, SLM = ANY + OFFCORE + LDLAT, ANY + OFFCORE
HSW, SKL_CORE = NHM + TSX, NHM + TSX + FRONTEND
ICL_CORE = BASE + OFFCORE + LDLAT + TSX + FRONTEND
CMT = BASE + OFFCORE + LDLAT + SNOOP
AMD = 'event=config:0-7,32-35 umask=config:8-15 edge=config:18 inv=config:23 cmask=config:24-31'
CORE = {'bonnell': ANY, 'alderlaken': BASE + OFFCORE + LDLAT}
CORE |= dict.fromkeys(['nehalemep', 'nehalemex', 'westmereep-dp', 'westmereep-sp', 'westmereex', 'sandybridge', 'jaketown',
                       'ivybridge', 'ivytown'], NHM)
CORE |= dict.fromkeys(['silvermont', 'goldmont', 'goldmontplus', 'elkhartlake', 'snowridgex', 'knightslanding'], SLM)
CORE |= dict.fromkeys(['haswell', 'haswellx', 'broadwell', 'broadwellde', 'broadwellx'], HSW)
CORE |= dict.fromkeys(['skylake', 'skylakex', 'cascadelakex'], SKL_CORE)
CORE |= dict.fromkeys(['icelake', 'icelakex', 'tigerlake', 'rocketlake', 'sapphirerapids', 'emeraldrapids', 'graniterapids'],
                      ICL_CORE)
CORE |= dict.fromkeys(['sierraforest', 'grandridge'], CMT)
CORE |= {'clearwaterforest': ACR + OFFCORE + LDLAT + SNOOP, 'diamondrapids': ACR + OMR + LDLAT + FRONTEND}
HYBRID = {
    'alderlake': (BASE + OFFCORE + LDLAT + FRONTEND, BASE + OFFCORE + LDLAT),
    'meteorlake': (BASE + OFFCORE + LDLAT + FRONTEND, CMT),
    'lunarlake': (V6 + OFFCORE + LDLAT + FRONTEND, ACR + OFFCORE + LDLAT + SNOOP),
    'arrowlake': (V6 + OFFCORE + LDLAT + FRONTEND, ACR + OFFCORE + LDLAT + SNOOP),
    'pantherlake': (V6 + OFFCORE + LDLAT + FRONTEND, ACR + OFFCORE + LDLAT + SNOOP),
    'novalake': (ACR + OMR + LDLAT + FRONTEND, ACR + OMR + LDLAT + SNOOP),
}

# amd/uncore.c; DF and L3 by family, as in UMC of PerfMonV2.
L3_17H = 'event=config:0-7 umask=config:8-15 slicemask=config:48-51 threadmask=config:56-63'
L3 = ('event=config:0-7 umask=config:8-15 coreid=config:42-44 enallslices=config:46 enallcores=config:47 '
      'sliceid=config:48-50 threadmask=config:56-57')
DF = 'event=config:0-7,32-35,59-60 umask=config:8-15'
DF_V2 = 'event=config:0-7,32-37 umask=config:8-15,24-27'
UMC = 'event=config:0-7 rdwrmask=config:8-9'
AMD_UNCORE = {f'amdzen{n}': {'amd_l3': L3, 'amd_df': DF_V2, 'amd_umc_0': UMC, 'amd_umc_1': UMC} for n in (4, 5, 6)}
AMD_UNCORE |= {'amdzen1': {'amd_l3': L3_17H, 'amd_df': DF}, 'amdzen2': {'amd_l3': L3_17H, 'amd_df': DF},
               'amdzen3': {'amd_l3': L3, 'amd_df': DF}}

# drivers/perf: arm_pmuv3.c, riscv_pmu_sbi.c, hisilicon, arch/s390/kernel/perf_*.c, arch/powerpc/perf.
ARM = ('event=config:0-15 long=config1:0 rdpmc=config1:1 threshold_count=config1:2 threshold_compare=config1:3-4 '
       'threshold=config1:5-16')
COMPAT = 'event=config:0-19 pmcxsel=config:0-7 pmc=config:16-19'
POWER = ('pmcxsel=config:0-7 mark=config:8 unit=config:12-15 pmc=config:16-19 sample_mode=config:24-28 '
         'thresh_sel=config:29-31 thresh_stop=config:32-35 thresh_start=config:36-39')


class Source:
    """The format groups and uncore units in the C files of arch/x86/events/intel."""

    def __init__(self, root):
        self.types, self.lists = {}, {}
        for path in sorted(Path(root, 'arch/x86/events/intel').glob('uncore_*.c')):
            self.read(re.sub(r'/\*.*?\*/', '', path.read_text(), flags=re.S))

    def read(self, text):
        macros = dict(re.findall(r'#define\s+(\w+)\(\)((?:[^\n]*\\\n)*[^\n]*)', text))
        fields = {variable: f'{name}={place}' for variable, name, place in
                  re.findall(r'UNCORE_FORMAT_ATTR\((\w+),\s*(\w+),\s*"([^"]+)"\)', text)}
        arrays = {name: [fields[f] for f in re.findall(r'&format_attr_(\w+)\.attr', body) if f in fields] for name, body in
                  re.findall(r'struct attribute \*(\w+)\[\]\s*=\s*{(.*?)};', text, re.S)}
        groups = {name: arrays[array] for name, array in
                  re.findall(r'attribute_group (\w+) = {[^}]*?\.attrs\s*=\s*(\w+)', text, re.S) if array in arrays}
        for name, body in re.findall(r'struct intel_uncore_type (\w+) = {(.*?)\n};', text, re.S):
            for _ in range(4):
                body = re.sub(r'\b([A-Z]\w+)\(\)', lambda m: macros.get(m[1], ''), body)
            unit = re.search(r'\.name\s*=\s*"(\w*)"', body)
            group = re.findall(r'\.format_group\s*=\s*&(\w+)', body)
            boxes = re.search(r'\.num_boxes\s*=\s*(\d+)', body)
            self.types[name] = (unit[1] if unit else '', groups[group[-1]] if group else None,
                                int(boxes[1]) if boxes else 2)
        self.lists |= {name: re.findall(r'&(\w+)', body) for name, body in
                       re.findall(r'struct intel_uncore_type \*(\w+)\[[^]]*\]\s*=\s*{(.*?)}', text, re.S)}
        self.generic = groups.get('generic_uncore_format_group', getattr(self, 'generic', None))

    def units(self, model):
        """PMU names of a model, two boxes for what has several, and their fields."""
        out = {}
        for unit, fields, boxes in (self.types[t] for l in UNCORE.get(model, []) for t in self.lists[l]):
            name = f'uncore_{unit}' if unit else 'uncore'
            for pmu in [name] if boxes == 1 else [f'{name}_0', f'{name}_1']:
                out[pmu] = ' '.join(self.generic if fields is None else fields)
        return out


def core_pmus(model, cpuid):
    if model in HYBRID:
        big, small = HYBRID[model]
        third = {'cpu_lowpower': CMT} if model == 'arrowlake' else {}
        return {'cpu_core': big, 'cpu_atom': small} | third
    if model.startswith('amdzen'):
        return {'cpu': AMD}
    return {'cpu': CORE[model]}


def pmus_of(source, arch, model, cpuid):
    """Name -> (is core, fields) of every PMU."""
    if arch == 'x86':
        core, other = core_pmus(model, cpuid), source.units(model) | AMD_UNCORE.get(model, {})
        other |= {'msr': 'event=config:0-63'}
        return {n: (True, f) for n, f in core.items()} | {n: (False, f) for n, f in other.items()}
    return {'arm64': {'armv8_pmuv3_0': (True, ARM)},
            'riscv': {'cpu': (True, 'event=config:0-55 firmware=config:62-63')},
            's390': {'cpum_cf': (True, 'event=config:0-63'), 'pai_crypto': (False, 'event=config:0-63'),
                     'pai_ext': (False, 'event=config:0-63')},
            'powerpc': {'cpu': (True, COMPAT if model == 'compat' else 'event=config:0-59 ' + POWER)}}[arch]


def make(source, arch, model, cpuid, directory):
    """Writes the tree; returns the names of the PMUs."""
    root = Path(directory)
    cpus = root / 'devices/system/cpu'
    cpus.mkdir(parents=True)
    for name in ('online', 'possible', 'present'):
        (cpus / name).write_text('0-2\n')
    types = {'cpu': 4, 'cpu_core': 4}
    pmus = pmus_of(source, arch, model, cpuid)
    several = sum(core for core, _ in pmus.values()) > 1
    for number, (name, (core, fields)) in enumerate(pmus.items(), 10):
        pmu = root / 'bus/event_source/devices' / name
        (pmu / 'format').mkdir(parents=True)
        (pmu / 'type').write_text(f'{types.get(name, number)}\n')
        for field in fields.split():
            (pmu / 'format' / field.split('=')[0]).write_text(field.split('=')[1] + '\n')
        if core and (several or arch in ('arm64', 's390')):
            (pmu / 'cpus').write_text(f'{number - 10}\n' if several else '0-2\n')
        elif not core and name != 'msr' and arch == 'x86':
            (pmu / 'cpumask').write_text('0\n')
    return list(pmus)
