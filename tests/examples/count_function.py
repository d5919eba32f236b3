"""Counts events while a function runs. Usage: count_function.py EVENTS"""
import sys

import evname

events = sys.argv[1] if sys.argv[1:] else "instructions:u"
with evname.Counters(evname.Machine(), events) as counters:
    numbers = [3] * (1 << 20)  # your function
for event in counters.read():
    print(f"{event.name}: {event.scaled:.0f}")
