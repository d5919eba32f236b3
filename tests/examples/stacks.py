"""Prints the stack of each sample, the innermost function first. Usage: stacks.py RECORDING"""
import sys

import evname

recording = evname.open(sys.argv[1] if sys.argv[1:] else "perf.data")
for sample in recording.samples(symbols=evname.Symbols()):
    print(sample.comm)
    for frame in sample.frames:  # with those that are inlined
        print(f"  {frame.label} ({frame.dso})")
