"""Event texts made at random: mostly right ones, some broken."""
import random

HARDWARE = ['cycles', 'cpu-cycles', 'instructions', 'cache-references', 'cache-misses', 'branches',
            'branch-instructions', 'branch-misses', 'bus-cycles', 'stalled-cycles-frontend', 'idle-cycles-frontend',
            'stalled-cycles-backend', 'idle-cycles-backend', 'ref-cycles', 'Cycles', 'INSTRUCTIONS']
SOFTWARE = ['cpu-clock', 'task-clock', 'page-faults', 'faults', 'context-switches', 'cs', 'cpu-migrations',
            'migrations', 'minor-faults', 'major-faults', 'alignment-faults', 'emulation-faults', 'dummy',
            'bpf-output', 'cgroup-switches', 'Page-Faults']
TOOL = ['duration_time', 'user_time', 'system_time', 'has_pmem', 'num_cores', 'num_cpus', 'num_cpus_online',
        'num_dies', 'num_packages', 'slots', 'smt_on', 'system_tsc_freq', 'core_wide', 'target_cpu']
CACHE = ['L1-dcache', 'l1-d', 'l1d', 'L1-data', 'L1-icache', 'l1-i', 'l1i', 'L1-instruction', 'LLC', 'L2', 'dTLB',
         'd-tlb', 'Data-TLB', 'iTLB', 'i-tlb', 'Instruction-TLB', 'branch', 'branches', 'bpu', 'btb', 'bpc', 'node']
CACHE_OP = ['load', 'loads', 'read', 'store', 'stores', 'write', 'prefetch', 'prefetches', 'speculative-read',
            'speculative-load']
CACHE_RESULT = ['refs', 'Reference', 'ops', 'access', 'misses', 'miss']
MODIFIERS = 'ukhpPGHSDIWebRX'
OWN_NUMBERS = ['config', 'config1', 'config2', 'config3', 'config4', 'period', 'freq', 'time', 'stack-size', 'max-stack',
               'nr', 'inherit', 'no-inherit', 'overwrite', 'no-overwrite', 'percore', 'aux-output', 'aux-sample-size',
               'cpu', 'legacy-hardware-config', 'legacy-cache-config']
OWN_TEXTS = {'name': ['foo', "'a:b,c=d'", 'r1', '5', 'config'], 'branch_type': ['any', 'no', 'u', 'foo', '1', 'ANY_CALL'],
             'call-graph': ['fp', 'dwarf', 'lbr', '1'], 'metric-id': ['x', '7'], 'aux-action': ['pause', 'resume'],
             'ratio-to-prev': ['2.0', '0.5', '2', '0.0', 'x'], 'cpu': ['0-1', 'cpu', 'cpu_atom', 'nothing', '0-1x', '3-1'],
             'event': ['0x3c', 'foo', '?', 'cycles', 'instructions'], 'umask': ['?', 'foo', 'period']}
BREAKAGE = list('/:,{}=\'@ -[]*?!.;') + ['0x', 'r', 'mem:', '//', '::', '%', '\t']


class Grammar:
    def __init__(self, seed, pmus, formats, events, tables, tracepoints=()):
        self.r = random.Random(seed)
        self.pmus = pmus              # names
        self.formats = formats        # PMU: names of fields
        self.events = events          # PMU: names of sysfs events
        self.tables = tables          # names of events
        self.tracepoints = list(tracepoints)

    def pick(self, *choices):
        """One of (weight, function) pairs."""
        return self.r.choices([c[1] for c in choices], [c[0] for c in choices])[0]()

    def number(self):
        r = self.r
        return self.pick((6, lambda: hex(r.randrange(256))), (3, lambda: str(r.randrange(10))),
                         (2, lambda: str(r.randrange(300))), (1, lambda: hex(r.getrandbits(r.randrange(1, 65)))),
                         (0.3, lambda: str(r.getrandbits(70))), (0.2, lambda: '0x' + 'f' * 17))

    def cache(self):
        r = self.r
        words = [r.choice(CACHE)]
        if r.random() < .8:
            words.append(r.choice(CACHE_OP))
        if r.random() < .6:
            words.append(r.choice(CACHE_RESULT))
        if r.random() < .05:
            r.shuffle(words)
        text = '-'.join(words)
        return text.upper() if r.random() < .1 else text

    def name(self):
        r = self.r
        sysfs = [e for names in self.events.values() for e in names]
        text = self.pick((4, lambda: r.choice(HARDWARE)), (3, lambda: r.choice(SOFTWARE)), (1, lambda: r.choice(TOOL)),
                         (3, self.cache), (4, lambda: r.choice(self.tables)),
                         (2, lambda: r.choice(sysfs) if sysfs else 'cycles'), (.3, lambda: r.choice(MODIFIERS) * 2),
                         (.2, lambda: 'no_such_event'))
        return text.swapcase() if r.random() < .05 else text

    def term(self, pmu):
        r = self.r
        fields = self.formats.get(pmu) or ['event', 'umask']
        return self.pick(
            (8, lambda: f'{r.choice(fields)}={self.number()}'), (1, lambda: r.choice(fields)),
            (3, lambda: f'{r.choice(OWN_NUMBERS)}={self.number()}'), (.7, lambda: r.choice(OWN_NUMBERS)),
            (1.5, lambda: (lambda k: f'{k}={r.choice(OWN_TEXTS[k])}')(r.choice(list(OWN_TEXTS)))),
            (2, lambda: r.choice(self.events.get(pmu) or HARDWARE)), (1.5, self.name),
            (.7, lambda: f'r{r.randrange(1 << 16):x}'), (.3, lambda: f'r0x{r.randrange(1 << 16):x}'),
            (.3, lambda: '@' + r.choice(['foo', 'foo=bar'])), (.2, lambda: r.choice(list(OWN_TEXTS))),
            (.2, lambda: 'nosuchterm=1'))

    def terms(self, pmu):
        return ','.join(self.term(pmu) for _ in range(self.r.choice([0, 1, 1, 1, 2, 2, 3, 4])))

    def pmu(self):
        r = self.r
        name = r.choice(self.pmus)
        stem = name.rstrip('0123456789').rstrip('_')
        return self.pick((6, lambda: (name, name)), (1, lambda: (stem, name)),
                         (.5, lambda: (stem.removeprefix('uncore_'), name)), (.5, lambda: (stem[:-1] + '*', name)),
                         (.5, lambda: ('default_core', name)), (.5, lambda: (self.name(), name)),
                         (.1, lambda: ('nosuchpmu', name)))

    def breakpoint(self):
        r = self.r
        text = f'mem:{hex(r.randrange(1 << 20))}'
        if r.random() < .4:
            text += f'/{r.choice([1, 2, 4, 8, 9])}'
        if r.random() < .5:
            text += ':' + ''.join(r.choice('rwx') for _ in range(r.choice([1, 1, 2, 2, 3])))
        if r.random() < .3:
            text += '/' + r.choice(['config2=8', 'config1=5', 'period=7', 'name=x', 'event=1', 'percore']) + '/'
        return text

    def event(self):
        r = self.r

        def with_terms():
            shown, pmu = self.pmu()
            return f'{shown}/{self.terms(pmu)}/'

        def tracepoint():
            name = r.choice(self.tracepoints) if self.tracepoints else 'sched:sched_switch'
            return name + (f'/{self.terms("")}/' if r.random() < .2 else '')

        core = self.pick(
            (8, self.name), (8, with_terms), (1, lambda: f'r{r.getrandbits(r.randrange(1, 70)):x}'),
            (1.5, lambda: f'{r.choice([0, 0, 1, 2, 3, 3, 4, 5, 8, 9, 10, 77, 4294967294])}:{self.number()}'),
            (.5, lambda: f'{r.choice([0, 4])}:{self.number()}/{self.terms("")}/'), (1, self.breakpoint), (.7, tracepoint))
        if r.random() < .35:
            core += ('' if core.endswith('/') else ':') + self.modifiers()
        return core

    def modifiers(self):
        r = self.r
        return ''.join(r.choice('uuukkhpppPGHSDIebRX' if r.random() < .95 else MODIFIERS)
                       for _ in range(r.choice([1, 1, 1, 2, 2, 3])))

    def group(self):
        r = self.r
        text = '{' + ','.join(self.event() for _ in range(r.choice([1, 2, 2, 3, 4]))) + '}'
        if r.random() < .1:
            text = r.choice(['g', 'foo', 'u', 'my-name']) + text
        return text + (':' + self.modifiers() if r.random() < .3 else '')

    def text(self):
        r = self.r
        parts = [self.group() if r.random() < .25 else self.event() for _ in range(r.choice([1, 1, 1, 1, 2, 3]))]
        text = ','.join(parts)
        while r.random() < .12:
            at = r.randrange(len(text) + 1)
            text = self.pick((2, lambda: text[:at] + r.choice(BREAKAGE) + text[at:]),
                             (1, lambda: text[:at] + text[at + 1:]), (1, lambda: text[:at] + ' ' + text[at:]))
        return text or 'cycles'
