#!/usr/bin/env python3
"""Event files of the user, as a user has them. Usage: user_events_test.py EVNAME BUILD_DIR"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).parents[1] / "support"))
import vendor_trees

EVNAME, BUILD_DIR = sys.argv[1:3]
# Events of fixed counters, which the kernel encodes in a way of its own (jevents.py, fixed).
FIXED = {"inst_retired.any", "inst_retired.any_p", "cpu_clk_unhalted.ref", "cpu_clk_unhalted.thread",
         "cpu_clk_unhalted.core", "cpu_clk_unhalted.thread_any"}
HEADING = "Family-model,Version,Filename,EventType\n"


def run(*arguments, code=0, **environment):
    result = subprocess.run([EVNAME, *arguments], capture_output=True, encoding="utf-8",
                            env={**os.environ, **environment})
    assert result.returncode == code, f"exit code {result.returncode}, {result.stderr}"
    return result


def number(text):
    """The first of a list of numbers."""
    return int(text.split(",")[0], 0) if text else 0


def core_code(event):
    """Intel SDM volume 3, IA32_PERFEVTSELx, of an event in a maker's file; config1 where the kernel takes an MSR."""
    code = number(event["EventCode"]) | number(event["UMask"]) << 8 | number(event.get("EdgeDetect")) << 18
    code |= number(event.get("Invert")) << 23 | number(event.get("CounterMask")) << 24
    code |= number(event.get("AnyThread")) << 21
    takes_msr = number(event.get("MSRIndex")) in (0x1a6, 0x1a7, 0x3f6, 0x3f7)
    return code, number(event.get("MSRValue")) if takes_msr else 0


class UserEvents(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.home = pathlib.Path(directory.name)
        self.write("evname/events/mine/x86/mapfile.csv", HEADING + "GenuineIntel-6-55-[01234],v9.5,skylakex,core\n")
        self.write("evname/events/mine/x86/skylakex/a.json", '[{"EventName": "MY.EVENT", "EventCode": "0x33"}]')
        self.environment = {"XDG_DATA_HOME": str(self.home), "EVNAME_EVENTS": ":"}

    def write(self, name, text):
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_here(self, *arguments, **more):
        return run(*arguments, **{**self.environment, **more})

    def test_they_serve_every_subcommand_that_names_events(self):
        for arguments in (["resolve", "--cpu", "skylakex", "my.event"], ["name", "--cpu", "skylakex", "0x33"],
                          ["list", "--cpu", "skylakex", "my.*"], ["show", "--cpu", "skylakex", "my.event"]):
            self.assertIn("my.event", self.run_here(*arguments).stdout)
        out = self.run_here("diff", "skylakex", "icelakex", "my.event").stdout
        self.assertIn("my.event", out)

    def test_cpu_tells_what_was_laid_over(self):
        mine = str(self.home / "evname/events/mine")
        self.assertIn(f"laid over     {mine} (v9.5)\n", self.run_here("cpu", "--cpu", "skylakex").stdout)
        row = json.loads(self.run_here("cpu", "--json", "--cpu", "skylakex").stdout)
        self.assertEqual((row["laid_over"], row["laid_versions"]), ([mine], ["v9.5"]))
        self.assertNotIn("laid over", self.run_here("cpu", "--cpu", "icelakex").stdout)

    def test_they_can_be_left_out(self):
        left_out = ["cpu", "--no-user-events", "--cpu", "skylakex"]
        self.assertNotIn("laid over", self.run_here(*left_out).stdout)
        self.assertNotIn("laid over", self.run_here("cpu", "--cpu", "skylakex", EVNAME_EVENTS="").stdout)
        self.run_here("resolve", "--no-user-events", "--cpu", "skylakex", "my.event", code=1)

    def test_a_bad_file_is_a_warning_with_its_place(self):
        self.write("evname/events/mine/x86/skylakex/b.json", '[{"EventName": "B", "EventCode": "1"},\n oops')
        self.write("evname/events/torn/x86/mapfile.csv", HEADING + "one column\n")
        self.write("evname/events/torn/x86/torn/a.json", "[]")
        result = self.run_here("resolve", "--cpu", "skylakex", "my.event", "b", "inst_retired.any")
        self.assertEqual(len(result.stdout.splitlines()), 3)
        self.assertIn("b.json:2: ", result.stderr)
        self.assertIn("torn/x86/mapfile.csv:2: ", result.stderr)

    def test_what_is_no_file_is_told_and_not_opened(self):
        folder = self.home / "evname/events/mine/x86"
        kinds = {"pipe": os.mkfifo, "device": lambda path: path.symlink_to("/dev/zero"), "nothing": lambda path: path.symlink_to("nowhere"),
                 "log": lambda path: path.symlink_to("/proc/kmsg")}  # which is regular, and waits for messages
        for kind, make in kinds.items():
            for name in ("skylakex/b.json", "b.json", "mapfile.csv"):
                with self.subTest(kind=kind, name=name):
                    path = folder / name
                    old = (folder / "mapfile.csv").read_text()
                    path.unlink(missing_ok=True)
                    make(path)
                    told = subprocess.run([EVNAME, "resolve", "cycles", "--cpu", "skylakex"], capture_output=True, text=True, timeout=20,
                                          env={**os.environ, **self.environment}).stderr
                    path.unlink()
                    (folder / "mapfile.csv").write_text(old)
                    if (kind, name) != ("nothing", "mapfile.csv") and kind != "log":
                        self.assertRegex(told, f"{path}(:1: error: not a regular file|:1: error: No such file|: not used)")

    def test_a_bad_tree_is_left_out_alone(self):
        # Larger than any that is read, without taking room on the disk.
        self.write("evname/events/huge/x86/mapfile.csv", HEADING + "GenuineIntel-6-55-[01234],v10,skylakex,core\n")
        self.write("evname/events/huge/x86/skylakex/a.json", "[")
        os.truncate(self.home / "evname/events/huge/x86/skylakex/a.json", 1 << 33)
        result = self.run_here("resolve", "--cpu", "skylakex", "my.event")
        self.assertIn("my.event", result.stdout)
        self.assertIn("evname/events/huge", result.stderr)
        self.assertEqual(len([line for line in result.stderr.splitlines() if "huge" in line]), 1, result.stderr)

    # Of an event that the build has, too, and of one that it has not.
    def test_answers_name_the_files_they_are_from(self):
        self.write("evname/events/mine/x86/skylakex/b.json",
                   '[{"EventName": "MEM_LOAD_RETIRED.L3_MISS", "EventCode": "0x34"}]')
        mine = str(self.home / "evname/events/mine")
        for event, directory in (("my.event", mine), ("mem_load_retired.l3_miss", mine), ("inst_retired.any", None),
                                 ("my.event:u", mine), ("cpu/my.event,cmask=1/", mine), ("cycles", None),
                                 ("r1234", None)):
            with self.subTest(event=event):
                text = self.run_here("resolve", "--cpu", "skylakex", event).stdout
                self.assertEqual(f"  from {mine}\n" in text, directory is not None, text)
                row = json.loads(self.run_here("resolve", "--json", "--cpu", "skylakex", event).stdout)
                self.assertEqual(row.get("directory"), directory)
                if "/" in event or ":" in event or event == "r1234":
                    continue
                text = self.run_here("show", "--cpu", "skylakex", event).stdout
                self.assertEqual(f"  from files  {mine}\n" in text, directory is not None, text)
                for subcommand in ("show", "list"):
                    row = json.loads(self.run_here(subcommand, "--json", "--cpu", "skylakex", event).stdout)
                    self.assertEqual(row.get("directory"), directory, subcommand)
        for code, directory in (("0x33", mine), ("0x1000033", mine), ("0xc0", None), ("0x3c", None), ("0xffff", None)):
            known = code != "0xffff"
            text = self.run_here("name", "--cpu", "skylakex", code, code=not known).stdout
            self.assertEqual(text.endswith(f"  from {mine}\n"), directory is not None, text)
            row = json.loads(self.run_here("name", "--json", "--cpu", "skylakex", code, code=not known).stdout)
            self.assertEqual(row.get("directory"), directory)
        for event, told in (("my.event", f"evname: note: my.event: its code is from {mine}\n"), ("inst_retired.any", "")):
            self.assertEqual(self.run_here("emit", "--cpu", "skylakex", "--events", event, "--format", "c").stderr, told)
        row = json.loads(run("resolve", "--json", "--cpu", "skylakex", "--events", mine, "my.event",
                             EVNAME_EVENTS="").stdout)
        self.assertEqual(row["directory"], mine)

    def test_a_model_in_place_of_the_builds_is_told(self):
        self.write("evname/events/mine/x86/mapfile.csv", HEADING + "GenuineIntel-6-55-[01234],v9.5,mylake,core\n")
        self.write("evname/events/mine/x86/mylake/a.json", '[{"EventName": "MY.EVENT", "EventCode": "0x33"}]')
        result = self.run_here("resolve", "--cpu", "GenuineIntel-6-55-4", "my.event")
        self.assertRegex(result.stderr, r"mine: its model mylake takes the place of skylakex, and (\d+) of the \1 events")
        self.assertEqual(self.run_here("resolve", "--cpu", "mylake", "my.event").stderr, "")
        self.assertEqual(self.run_here("resolve", "--cpu", "icelakex", "inst_retired.any").stderr, "")

    def test_directories_that_others_can_write_are_refused(self):
        mine = self.home / "evname/events/mine"
        places = [mine, mine / "x86", mine / "x86/mapfile.csv", mine / "x86/skylakex", mine / "x86/skylakex/a.json"]
        for place in places:
            mode = place.stat().st_mode
            with self.subTest(place=place.name):
                place.chmod(mode | 0o002)
                result = self.run_here("resolve", "--cpu", "skylakex", "my.event", code=1)
                self.assertIn(f"{place}: not used: everybody can write it", result.stderr)
                given = self.run_here("resolve", "--cpu", "skylakex", "--events", str(mine), "my.event", EVNAME_EVENTS="")
                self.assertIn("my.event", given.stdout)
                if os.geteuid() == 0:
                    place.chmod(mode)
                    os.chown(place, 12345, -1)
                    result = self.run_here("resolve", "--cpu", "skylakex", "my.event", code=1)
                    self.assertIn(f"{place}: not used: it belongs to user 12345", result.stderr)
                    os.chown(place, 0, 12345)
                    place.chmod(mode | 0o020)
                    result = self.run_here("resolve", "--cpu", "skylakex", "my.event", code=1)
                    self.assertIn(f"{place}: not used: group 12345 can write it", result.stderr)
                    os.chown(place, 0, 0)  # root's group is no other's
                    resolved = subprocess.run([EVNAME, "resolve", "--cpu", "skylakex", "my.event"], env={**os.environ, **self.environment},
                                              capture_output=True, text=True, group=12345)
                    self.assertEqual((resolved.returncode, resolved.stderr), (0, ""))
                    os.chown(place, 0, os.getegid())
                place.chmod(mode | 0o020)  # of the user's own group
                self.assertEqual(self.run_here("resolve", "--cpu", "skylakex", "my.event").stderr, "")
                place.chmod(mode)

    def test_a_directory_that_is_no_event_tree_is_told(self):
        self.write("evname/events/readme/README", "nothing")
        self.write("evname/events/other/src/package/x.json", "[]")  # a program's
        self.write("evname/events/deep/x86/skylakex/README", "nothing")
        result = self.run_here("resolve", "--cpu", "skylakex", "my.event", EVNAME_EVENTS=str(self.home / "evname"))
        self.assertIn("my.event", result.stdout)
        for name in ("readme", "other", "deep"):
            self.assertIn(f"evname/events/{name}: no event files: neither ", result.stderr)
        self.assertIn(f"{self.home}/evname: no event files: neither ", result.stderr)
        result = run("resolve", "--cpu", "skylakex", "--events", str(self.home / "evname/events/other"), "my.event", code=2,
                     EVNAME_EVENTS="")
        self.assertIn("no event files", result.stderr)

    # The program of another user runs without that user's environment (secure_getenv(3)).
    def test_a_program_with_more_rights_does_not_look_at_the_environment(self):
        if os.geteuid() != 0:
            self.skipTest("only root can make such a program")
        program = self.home / "evname-as-other"
        shutil.copy(EVNAME, program)
        for path in (self.home, *self.home.rglob("*")):
            path.chmod(path.stat().st_mode | 0o055)
        os.chown(program, 12345, 12345)
        program.chmod(0o6755)
        done = subprocess.run([program, "resolve", "--cpu", "skylakex", "my.event"], capture_output=True, encoding="utf-8",
                              env={**os.environ, **self.environment})
        if "error while loading" in done.stderr:
            self.skipTest("the program needs the environment to find its libraries")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)

    # Codes: the maker's own files.
    def test_a_copy_of_the_makers_repository_is_all_it_takes(self):
        perfmon = vendor_trees.unpacked("intel-perfmon-2026-08", BUILD_DIR)
        if perfmon is None:
            self.skipTest("EVNAME_SHARED has no copy of the repository")
        for cpu, pmu, file in (("GenuineIntel-6-AD-1", "cpu", "GNR/events/graniterapids_core.json"),
                               ("GenuineIntel-6-55-4", "cpu", "SKX/events/skylakex_core.json"),
                               ("GenuineIntel-6-BE-0", "cpu", "ADL/events/alderlake_gracemont_core.json"),
                               ("GenuineIntel-6-C5-0", "cpu_lowpower", "ARL/events/arrowlake_crestmont_core.json")):
            events = {e["EventName"].lower(): core_code(e)
                      for e in json.loads((perfmon / file).read_text())["Events"]
                      if "fixed" not in e.get("Counter", "").lower() and e["EventName"].lower() not in FIXED}
            result = subprocess.run([EVNAME, "resolve", "--json", "--cpu", cpu, "-"], input="\n".join(events),
                                    capture_output=True, encoding="utf-8",
                                    env={**self.environment, "EVNAME_EVENTS": str(perfmon)})
            found = {row["query"]: (int(row["config"], 0), int(row["config1"], 0))
                     for row in map(json.loads, result.stdout.splitlines()) if row.get("pmu") == pmu}
            self.assertEqual(result.stderr, "", cpu)
            self.assertEqual({n: c for n, c in found.items() if events[n] != c}, {}, cpu)
            self.assertEqual(set(events) - set(found), set(), cpu)

    def test_so_it_is_with_arms(self):
        for archive, file in (("arm-data-2025-01", "pmu/neoverse-v3.json"),
                              ("arm-telemetry-2026-04", "data/pmu/cpu/neoverse/neoverse-v3.json")):
            tree = vendor_trees.unpacked(archive, BUILD_DIR)
            if tree is None:
                self.skipTest("EVNAME_SHARED has no copy of the repository")
            events = json.loads((tree / file).read_text())["events"]
            rows = events.items() if isinstance(events, dict) else ((e.get("name"), e) for e in events)
            codes = {name.lower(): int(str(e["code"]), 0) for name, e in rows if name and "code" in e}
            result = subprocess.run([EVNAME, "resolve", "--json", "--cpu", "0x00000000410fd840", "-"],
                                    input="\n".join(codes), capture_output=True, encoding="utf-8",
                                    env={**self.environment, "EVNAME_EVENTS": str(tree)})
            found = {row["query"]: int(row.get("config", "-1"), 0)
                     for row in map(json.loads, result.stdout.splitlines())}
            self.assertGreater(len(codes), 100)
            self.assertEqual(found, codes, archive)
            self.assertEqual(result.stderr, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
