"""Opens an event by perf_event_open(2), and counts it in this thread. Usage: open_event.py EVENT"""
import ctypes
import os
import struct
import sys

import evname

event = evname.resolve(sys.argv[1] if sys.argv[1:] else "instructions:u")[0]  # on the first PMU that has it
attr = bytearray(event.attr())  # period, sample_type, … are yours
system_call = ctypes.CDLL(None, use_errno=True).syscall
number = {"x86_64": 298, "aarch64": 241, "riscv64": 241}[os.uname().machine]
file = system_call(number, (ctypes.c_char * len(attr)).from_buffer(attr), 0, -1, -1, 0)
if file < 0:
    sys.exit(os.strerror(ctypes.get_errno()))
print(f"{event.pmu}: {struct.unpack('Q', os.read(file, 8))[0]}")
