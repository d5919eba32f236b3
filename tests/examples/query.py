#!/usr/bin/env python3
"""Samples and periods of each event, by SQLite. Usage: annotate perf.data… | query.py"""

import sqlite3
import sys

database = sqlite3.connect(":memory:")
database.execute("CREATE TABLE samples (sample TEXT)")
database.executemany("INSERT INTO samples VALUES (?)", ((line,) for line in sys.stdin))

QUERY = """
    SELECT json_extract(sample, '$.full_name') AS event, count(*) AS samples,
           sum(json_extract(sample, '$.period')) AS period
    FROM samples GROUP BY event ORDER BY samples DESC, event"""
for event, samples, period in database.execute(QUERY):
    print(f"{samples:>8} {period:>14}  {event}")
