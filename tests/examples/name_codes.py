"""Prints the names of codes. Usage: name_codes.py CPU PMU CONFIG…: name_codes.py skylakex cpu 0x20d1"""
import sys

import evname

cpu, pmu, *configs = sys.argv[1:]
machine = evname.Machine(cpu)
for config in configs:
    found = machine.names(int(config, 0), pmu)
    name = found.names[0] if found.names else found.terms
    print(f"{config}: {name}" + (f" with {found.qualifiers}" if found.names and not found.exact else ""))
