"""Prints the functions of this program that miss the cache. Usage: cache_misses.py EVENT"""
import sys

import evname

scope = evname.SampleScope(evname.Sampler(sys.argv[1] if sys.argv[1:] else "cache-misses:u"))
with scope:
    numbers = {number: str(number) for number in range(1 << 20)}  # your function
for one in scope.functions():
    print(f"{one.samples} {one.function} ({one.dso})")
