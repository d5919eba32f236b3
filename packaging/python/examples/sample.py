"""Prints the functions of this program where the CPU misses its caches, or spends its time if there is no core PMU; a
thread counts page faults meanwhile. Usage: sample.py [EVENT]."""

import collections
import sys

import evname


def work():
    return len({number: str(number) for number in range(500_000)})


def open_sampler(event):
    if event:
        return evname.Sampler(event, frequency=2000)
    try:
        return evname.Sampler("cache-misses:u", frequency=2000)
    except evname.Error as error:
        print(error, file=sys.stderr)
        return evname.Sampler("cpu-clock:u", frequency=2000)


def main(event=None):
    sampler = open_sampler(event)
    scope = evname.SampleScope(sampler, evname.Symbols(lines=False))
    faults = evname.Sampler("page-faults:u", period=1, thread=True)
    counts = collections.Counter()
    faults.start(lambda sample: counts.update(sample.event.name.split()), milliseconds=10)
    with faults, scope:
        work()
    faults.stop()
    print(f"{sampler.events[0].name} takes place in, beside {counts['page-faults']} page faults:")
    for one in scope.functions()[:10]:
        print(f"{one.samples:6}  {one.function} ({one.dso})")


if __name__ == "__main__":
    main(*sys.argv[1:2])
