"""Writes folded stacks, input for flame graphs. Usage: folded.py RECORDING EVENT"""
import sys

import evname

path, *event = sys.argv[1:] or ["perf.data"]
sys.stdout.flush()
evname.open(path).annotate(sys.stdout, format="folded", event=event[0] if event else None)  # or by time, function, …
