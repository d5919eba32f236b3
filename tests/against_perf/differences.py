"""What differs between perf and evname, and why it may."""
import re

# class: why evname does otherwise
CLASSES = {
    'tracefs': 'the tree holds no tracefs, and perf asked the system it ran on',
    'perf for x86': 'this perf was built for x86 and takes its own tool events and breakpoint length; evname goes by the CPU',
    'order of PMUs': 'the same events: perf sorts PMUs one of whose names begins another as their directory has them',
    'architecture': 'events that the architecture itself defines, which perf lists for some of its CPUs only',
    'wide type': 'perf cuts a type of more than 32 bits; evname refuses it',
    'CPU list': 'perf drops an event if none of its CPUs is left, or reads the beginning of a list; evname says so',
    'two events': 'perf takes two of the power PMU in one term list and counts what their codes make together; evname refuses them',
    'ratio': 'perf applies ratio-to-prev when it records, evname when it reads the text (tests/events/machine/record_terms_test.cpp)',
    'event data': 'evname was built with other tables than this perf',
}

X86_ONLY = re.compile(r'slots|system_tsc_freq|mem:.*:x', re.IGNORECASE)


def without_leaders(events):
    return sorted(str({k: v for k, v in e.items() if k != 'leader'}) for e in events)


def without_ratio(events):
    return [dict(e, period=0, config=e['config'][:2] + e['config'][3:]) for e in events]


def class_of(text, perf, own, own_raw, profile, other_data):
    """The class of a difference; one that is not in CLASSES fails the test. other_data: class by name of an event that
    differs alone; None: `text` is such a name."""
    why = own_raw.get('error', '')
    arm = profile in ('neoverse-n1', 'big-little')
    if 'only the live machine or a recording knows its number' in why:
        return 'tracefs'
    if 'has more than 32 bits' in why:
        return 'wide type'
    if 'neither a PMU nor a list of CPUs' in why or 'counts on CPUs' in why or re.search(r'[/,]cpu\b', text) and (
            perf is None or own is None or len(perf) != len(own)):
        return 'CPU list'
    if arm and X86_ONLY.search(text):
        return 'perf for x86'
    if perf and own and without_leaders(perf) == without_leaders(own):
        return 'order of PMUs'
    if other_data is None:
        return 'architecture' if arm and (perf is None or own and len(own) > len(perf)) else 'event data'
    for word in re.findall(r'[\w.][\w.\-]*', text.lower()):
        if word in other_data:
            return other_data[word]
    if perf is None:
        return 'only evname takes it'
    if own is None:
        return 'two events' if 'are both events' in str(own_raw) else 'only perf takes it'
    if len(perf) != len(own):
        return 'number of events'
    if 'ratio-to-prev' in text and without_ratio(perf) == without_ratio(own):
        return 'ratio'
    for key in ('type', 'config', 'period', 'bp_type', 'bits', 'leader'):
        if any(a[key] != b[key] for a, b in zip(perf, own)):
            return f'other {key}'
    return 'other'
