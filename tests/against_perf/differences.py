"""What differs between perf and evname, and why it may."""

# class: why evname does otherwise
CLASSES = {
}


def class_of(text, perf, own, perf_raw, own_raw, profile):
    """The class of a difference; one that is not in CLASSES fails the test."""
    if perf is None:
        return 'only evname takes it'
    if own is None:
        return 'only perf takes it'
    if len(perf) != len(own):
        return 'number of events'
    for key in ('type', 'config', 'period', 'bp_type', 'bits', 'leader'):
        if any(a[key] != b[key] for a, b in zip(perf, own)):
            return f'other {key}'
    return 'other'
