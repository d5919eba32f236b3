#!/usr/bin/env python3
"""The stack of each sample as a line "event;comm;caller;…;function": input for flame graph tools after `sort | uniq -c`.
A function without a name is written as the file and the place in it. Usage: stacks.py perf.data [KALLSYMS]"""

import sys

import evname


def name_of(frame, sample):
    if frame.function:
        return frame.function
    mapping = sample.mapping
    if mapping and mapping.start <= frame.ip < mapping.end:
        return f"{frame.dso}+{frame.ip - mapping.start + mapping.offset:#x}"
    return f"{frame.dso}+{frame.address:#x}"


def main(path, kallsyms=None):
    symbols = evname.Symbols(kallsyms=kallsyms, lines=False)
    for sample in evname.open(path).samples(symbols=symbols):
        callers = [name_of(frame, sample) for frame in reversed(sample.frames)]
        print(";".join([sample.event.name, sample.comm, *callers]))


if __name__ == "__main__":
    main(*sys.argv[1:])
