#!/usr/bin/env python3
"""JSON of all subcommands: one convention for keys and for what a key holds.
Usage: json_test.py EVNAME SOURCE_ROOT"""

import json
import pathlib
import re
import subprocess
import sys
import unittest

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
N1, A72 = (str(ROOT / "tests/data" / f"{name}.data") for name in ("neoverse-n1", "cortex-a72-system"))
COUNTS = "100,,cycles,50,100.00,,\n0,,instructions,50,100.00,,\n"
COMMANDS = [
    (["resolve", "--cpu", "skx", "inst_retired.any", "{cycles,faults}", "nonsense", "mem:0x10/4:w"], None),
    (["resolve", "--cpu", "n1", "inst_retired"], None),
    (["name", "--cpu", "skl", "r01c2", "0x20d1", "nonsense"], None),
    (["list", "--cpu", "skx"], None),
    (["list", "--cpus"], None),
    (["show", "--cpu", "skx", "mem_load_retired.*"], None),
    (["show", "--cpu", "skx", "r20d1"], None),
    (["cpu", "--cpu", "skx"], None),
    (["diff", "skx", "icx", "mem_load*"], None),
    (["emit", "--cpu", "skylake*", "--events", "inst_retired.any", "--format", "json"], None),
    *[(["info", "--records", file], None) for file in (N1, A72)],
    *[(["annotate", "-F", "+period,+ip,+misc,+file,+full_name", file], None) for file in (N1, A72)],
    *[(["report", "--sort", keys, file], None) for keys in ("event", "event,comm,pid,tid,cpu", "file,pmu")
      for file in (N1, A72)],
    (["metrics", "--cpu", "skx"], None),
    (["metrics", "--cpu", "skx", "--show", "ipc"], None),
    (["metrics", "--cpu", "skx", "--groups"], None),
    (["metrics", "--cpu", "skx", "--from", "-", "--expr", "a=cycles / instructions", "--expr", "b=r1"], COUNTS),
    (["schedule", "--cpu", "skx", "inst_retired.any", "cycles"], None),
]
# By key, wherever it stands: what it holds where it is not null.
SECONDS, CODE, NUMBER, TEXT = r"\d+\.\d+", r'"0x[0-9a-f]+"', r"-?\d+", r'".*"'
KINDS = {"time": SECONDS, "first": SECONDS, "last": SECONDS, "code": rf"{CODE}|\"\"", "config": CODE, "config1": CODE,
         "config2": CODE, "config3": CODE, "ip": CODE, "addr": CODE, "pid": NUMBER, "tid": NUMBER, "cpu": NUMBER,
         "type": NUMBER, "samples": NUMBER, "period": NUMBER, "lost": NUMBER, "attr": NUMBER, "size": NUMBER,
         "sample_freq": NUMBER, "sample_period": NUMBER, "disabled": "true", "comm": TEXT, "event": TEXT, "pmu": TEXT}


class Number(str):
    """A number as it is spelled."""


def objects(value):
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from objects(inner)


class Json(unittest.TestCase):
    def rows(self, command, text):
        options = [] if command[0] == "emit" else ["--json"]
        out = subprocess.run([EVNAME, command[0], *options, *command[1:]], capture_output=True, input=text,
                             encoding="utf-8").stdout
        self.assertTrue(out, command)
        return [json.loads(line, parse_float=Number, parse_int=Number) for line in out.splitlines()]

    def test_keys_are_words_and_a_key_holds_one_kind_of_value(self):
        for command, text in COMMANDS:
            with self.subTest(" ".join(command)):
                for row in self.rows(command, text):
                    feature = row.get("feature", "")
                    for one in objects({key: value for key, value in row.items() if key != "near"}):
                        if feature not in ("PMU_CAPS", "CPU_PMU_CAPS", "HYBRID_TOPOLOGY"):
                            self.check(one, feature)

    def check(self, one, feature):
        for key, value in one.items():
            self.assertRegex(key, r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$")
            if key not in KINDS or value is None or feature or (key == "comm" and "sample_type" in one):
                continue  # a flag of perf_event_attr is called comm, too
            spelled = value if isinstance(value, Number) else json.dumps(value)
            self.assertRegex(spelled, rf"^({KINDS[key]})$", f"{key} of {one}")

    def test_the_times_of_report_are_those_of_annotate_and_info(self):
        for file in N1, A72:
            times = {}
            for row in self.rows(["annotate", "-F", "time,full_name", file], None):
                times.setdefault(row["full_name"], []).append(row["time"])
            for row in self.rows(["report", file], None):
                own = sorted(times.get(row["event"], []), key=float)
                self.assertEqual((row["first"], row["last"]), (own[0], own[-1]) if own else (None, None))
            everything = sorted((t for own in times.values() for t in own), key=float)
            for row in self.rows(["info", file], None):
                if row.get("feature") == "SAMPLE_TIME":
                    self.assertEqual(row["value"], {"first": everything[0], "last": everything[-1]})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
