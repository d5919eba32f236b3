"""Prints the events of a CPU whose names match a glob. Usage: list_events.py CPU GLOB"""
import sys

import evname

for event in evname.Machine(sys.argv[1]).events(*sys.argv[2:]):
    print(f"{event.pmu}/{event.terms}/ {event.name}: {event.desc}")
