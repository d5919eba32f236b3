"""Prints the threads and files of a recording as they come and go. Usage: records.py RECORDING"""
import sys

import evname

for record in evname.open(sys.argv[1] if sys.argv[1:] else "perf.data").records():
    fields = record.fields
    if record.name == "COMM":
        print(fields["tid"], "is named", fields["name"])
    elif record.name in ("FORK", "EXIT"):
        print(fields["tid"], "began" if record.name == "FORK" else "ended")
    elif record.name in ("MMAP", "MMAP2"):
        print(fields["pid"], "mapped", fields["name"])
    elif record.name == "LOST":
        print(fields["lost"], "records are lost")
