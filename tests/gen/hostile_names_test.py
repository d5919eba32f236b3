#!/usr/bin/env python3
"""Names of directories and files of an event tree that C++, Make and Ninja would read as something else.
Usage: hostile_names_test.py EVNAME_GEN RUNTIME_DIR COMPILER…"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

GEN, RUNTIME, *COMPILER = sys.argv[1:]
UNNAMABLE = set("\n\t;?'\"")  # of those below, what no rule can name
HOSTILE = ['q", {}, {}}; } int injected = 1; int f() { return {', 'back\\slash\\', 'a-b', 'a_b', 'tri??!', 'line\nfeed', 'é', 'sp ace',
           '$dollar $$(x)', '#hash #', '%d{}', 'co:lon', "'", 'back\\ slash-blank', 'back\\\\ \\\\#two slashes', 'tab\tulator']


def make_tree(root):
    for arch in HOSTILE:
        model = root / arch / ("m" + arch)
        model.mkdir(parents=True)
        (root / arch / "mapfile.csv").write_text("heading\nid-1,v1,m,core\n")
        (model / f"t {arch}.json").write_text('[{"EventName":"A","EventCode":"0x1"}]')


class HostileNames(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.tree, self.out = pathlib.Path(directory.name) / "tree", pathlib.Path(directory.name) / "out"
        self.tree.mkdir()
        self.out.mkdir()
        make_tree(self.tree)
        subprocess.run([GEN, self.tree, "-o", self.out, "--depfile", self.out / "tables.d"], check=True)

    def test_what_is_generated_compiles_and_keeps_the_names(self):
        # In one unit, since two architectures must not have one function.
        names = ", ".join('"' + "".join(f"\\{byte:03o}" for byte in name.encode()) + '"sv' for name in HOSTILE)
        main = self.out / "main.cpp"
        main.write_text("""#include <cstdio>
            #include "events/tables/registry.hpp"
            #include "events/tables/tables.hpp"
            namespace evname::tables { std::size_t generated_count(); ArchTables generated_tables(std::size_t); }
            using namespace std::literals;
            int main() {
              int found = 0;
              for (const std::string_view name : {""" + names + """})
                for (std::size_t i = 0; i < evname::tables::generated_count(); ++i)
                  found += evname::tables::generated_tables(i).arch == name;
              std::printf("%d", found);
            }""")
        sources = sorted(path for path in self.out.glob("*.cpp") if path != main)
        unit = self.out / "unit.cpp"
        unit.write_text("".join(path.read_text() for path in (*sources, main)))
        program = self.out / "program"
        done = subprocess.run([*COMPILER, "-std=c++20", "-O0", "-I", RUNTIME, "-I", RUNTIME + "/include", unit,
                               "-o", program], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[:2000])
        self.assertEqual(subprocess.run([program], capture_output=True, text=True).stdout, str(len(HOSTILE)))

    def test_ninja_reads_the_rule_as_it_was_meant(self):
        ninja = shutil.which("ninja")
        if ninja is None:
            self.skipTest("there is no ninja")
        (self.out / "build.ninja").write_text("rule make\n  command = touch tables_index.cpp\n  depfile = tables.d\n"
                                              "  deps = gcc\nbuild tables_index.cpp: make\n")
        subprocess.run([ninja], cwd=self.out, check=True, capture_output=True)
        listed = subprocess.run([ninja, "-t", "deps"], cwd=self.out, check=True, capture_output=True, text=True).stdout
        found = {line[4:] for line in listed.split("\n") if line.startswith("    ")}
        files = {str(path) for path in self.tree.rglob("*") if path.is_file() and not UNNAMABLE & set(str(path))}
        self.assertEqual(found, files)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
