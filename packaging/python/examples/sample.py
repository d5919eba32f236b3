"""Prints in which functions of this program an event happens: sample.py [EVENT]. By default cycles; take cpu-clock if the
machine has no core PMU."""

import collections
import sys

import evname


def work():
    return sum(number * number for number in range(2_000_000))


def main(event):
    sampler = evname.Sampler(event, frequency=2000)
    for note in sampler.notes:
        print(note, file=sys.stderr)
    with sampler:
        work()
    functions = collections.Counter()
    for sample in sampler.samples(symbols=evname.Symbols(lines=False)):
        functions[sample.frames[0].function or sample.frames[0].dso if sample.frames else "unknown"] += 1
    for function, count in functions.most_common(10):
        print(f"{count:6}  {function}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "cycles:u")
