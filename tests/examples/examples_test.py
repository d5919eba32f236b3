#!/usr/bin/env python3
"""What the examples print of a recording, and of themselves. Arguments: the source root, and the programs count, scope,
events, annotate, functions, sample, topdown_fleet and, if there is a C compiler, stacks and sample in C."""

import collections
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT, COUNT, SCOPE, EVENTS, ANNOTATE, FUNCTIONS, SAMPLE, FLEET, *IN_C = pathlib.Path(sys.argv[1]), *sys.argv[2:]
RECORDING = str(ROOT / "tests" / "data" / "neoverse-n1.data")


def lines(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


class Examples(unittest.TestCase):
    # Both add up 2^20 times 3, in pages that are new.
    def test_page_faults_are_counted(self):
        for program, name in ((COUNT, "software page-faults"), (SCOPE, "page-faults")):
            done = subprocess.run([program, "page-faults:u"], capture_output=True, text=True)
            if done.returncode == 77:
                self.skipTest(done.stderr)
            event, rest = done.stdout.rsplit(": ", 1)
            self.assertEqual((event, rest.split()[1:]), (name, "for a sum of 3145728".split()))
            self.assertGreater(int(rest.split()[0]), 0)

    # r11 and r08 are CPU_CYCLES and INST_RETIRED of the Arm architecture.
    def test_events_are_named(self):
        first, *rows = lines(EVENTS, RECORDING)
        self.assertEqual(first, "# arm/neoverse-n1")
        self.assertEqual([row.split()[:2] for row in rows],
                         [["r11", "cpu_cycles"], ["r08", "inst_retired"],
                          ["page-faults/period=5/", "page-faults"]])

    # Nearly all of its time is in one function; nothing else has as many samples.
    def test_a_program_finds_where_it_spends_its_time(self):
        titles = ["^cpu-clock:u ends at place 5242880$", "^[1-9][0-9]* page faults until place 5242880$"]
        for program, title in zip((SAMPLE, *IN_C[1:]), titles):
            done = subprocess.run([program, "cpu-clock:u"], capture_output=True, text=True)
            if done.returncode == 77:
                self.skipTest(done.stderr)
            first, *functions = done.stdout.splitlines()
            self.assertRegex(first, title)
            self.assertGreater(int(functions[0].split()[0]), 0)
            self.assertRegex(done.stdout, r"chase|\[unknown\]|example-")

    # Counts: twice perf script's.
    def test_samples_are_counted_by_sqlite(self):
        samples = "\n".join(lines(ANNOTATE, RECORDING, RECORDING))
        rows = lines(sys.executable, ROOT / "tests" / "examples" / "query.py", text=samples)
        self.assertEqual([(row.split()[0], row.split()[2]) for row in rows],
                         [("478", "cpu_cycles"), ("238", "inst_retired"), ("32", "page-faults")])

    # The files and counts are perf script -F event,dso's; the functions depend on the files of this machine.
    def test_functions_are_of_the_files_that_perf_names(self):
        samples = {}
        for row in lines(FUNCTIONS, RECORDING, "cpu_cycles"):
            count, file = row.split()[0], row.split()[-1]
            samples[file] = samples.get(file, 0) + int(count)
        self.assertEqual(samples, {"/usr/bin/busybox": 221, "[kernel.kallsyms]": 18})

    # Of 1,000 cycles of a Zen 4, which are 6,000 slots, the front end left 3,000 empty, then 300; as in command/topdown_test.py.
    def test_a_fleet_has_one_machine(self):
        with tempfile.TemporaryDirectory() as folder:
            def file(name, front_end, back_end):
                events = {"ls_not_halted_cyc": 1000, "de_no_dispatch_per_slot.no_ops_from_frontend": front_end,
                          "de_no_dispatch_per_slot.backend_stalls": back_end, "de_src_op_disp.all": 1800, "ex_ret_ops": 1500}
                path = pathlib.Path(folder, name)
                path.write_text("".join(f"{count},,{event},1000,100.00,,\n" for event, count in events.items()))
                return path
            paths = [file("a.csv", 3000, 600), file("b.csv", 600, 3000), pathlib.Path(folder, "none.csv")]
            done = subprocess.run([FLEET, "amdzen4"], input="".join(f"{path}\n" for path in paths), capture_output=True, text=True)
        self.assertEqual(done.stdout, f"{paths[0]}\tfrontend_bound\t50.0\n{paths[1]}\tbackend_bound\t50.0\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{paths[2]}: ", done.stderr)

    # As above; an address in the kernel is its own place there.
    @unittest.skipUnless(IN_C, "no C compiler")
    def test_stacks_in_c(self):
        files = collections.Counter(row.split(";")[0] + " " + row.rsplit(";", 1)[1].split("+")[0] for row in lines(IN_C[0], RECORDING))
        self.assertEqual({key: files[key] for key in ("cpu_cycles /usr/bin/busybox", "cpu_cycles [kernel.kallsyms]")},
                         {"cpu_cycles /usr/bin/busybox": 221, "cpu_cycles [kernel.kallsyms]": 18})
        self.assertEqual(sum(files.values()), 374)
        with tempfile.NamedTemporaryFile("w", suffix="kallsyms") as symbols:
            symbols.write("ffff800008000000 T _text\nffff800008000010 t whole_kernel\nffff80000a000000 T _end\n")
            symbols.flush()
            names = collections.Counter(row.rsplit(";", 1)[1] for row in lines(IN_C[0], RECORDING, symbols.name) if row.startswith("cpu_cycles"))
        self.assertEqual(names["whole_kernel"], 18)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
