"""Computes a metric from counts, or prints the events to count. Usage: metric.py CPU NAME COUNT…"""
import sys

import evname

cpu, name, *counts = sys.argv[1:]
metrics = evname.MetricSet(evname.Machine(cpu))
metrics.add(name)
texts = [event.text for event in metrics.events]
if counts:
    value = metrics.evaluate(dict(zip(texts, map(float, counts))))[name]
    print(f"{name}: {value.value:g}")
else:
    print(*texts, sep="\n")
