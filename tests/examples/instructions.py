"""Prints the instructions with samples of the first event. Usage: instructions.py RECORDING"""
import sys

import evname

recording = evname.open(sys.argv[1] if sys.argv[1:] else "perf.data")
report = evname.InstructionReport()  # arguments select samples, as of Report
report.add(recording)
for function in report.functions():
    for one in function.instructions:
        if count := one.samples[recording.events[0].name]:
            print(f"{function.name}: {count} at {one.address:#x} {one.text}")
