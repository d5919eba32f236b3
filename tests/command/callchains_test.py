#!/usr/bin/env python3
"""Callchains of a program that is compiled and recorded here, in evname report --stdio: its calls are known, and inlined ones
are apart, as perf has them. Usage: callchains_test.py EVNAME yes|no (has it elfutils?)"""

import shutil
import subprocess
import sys
import unittest

from record_case import Case, run

HAS_SYMBOLS = sys.argv[2] == "yes"
PAGES = 300
# Pages are touched in an inlined call only; outer() calls nothing else, and is no tail call.
SOURCE = f"""
#include <sys/mman.h>
static inline __attribute__((always_inline)) int touch(volatile char *at) {{
  int sum = 0;
  for (int i = 0; i < {PAGES}; ++i) sum += at[i * 65536L] = 1;
  return sum;
}}
__attribute__((noinline)) int inner(char *at) {{ return touch(at) + 1; }}
__attribute__((noinline)) int outer(char *at) {{ return inner(at) + 1; }}
int main(void) {{
  char *at = mmap(0, {PAGES} * 65536L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return outer(at) & 0;
}}
"""
CHAIN = "main\n               outer\n               inner\n"


@unittest.skipUnless(HAS_SYMBOLS and shutil.which("cc"), "no elfutils, or no cc")
class Callchains(Case):
    def setUp(self):
        super().setUp()
        self.program = self.folder / "program"
        subprocess.run(["cc", "-O1", "-g", "-fno-optimize-sibling-calls", "-x", "c", "-", "-o", self.program],
                       check=True, input=SOURCE, text=True)
        self.record("-c", "1", "--call-graph", "dwarf,4096", command=[self.program])

    def table(self, *options):
        """Rows of the program as (share, own share, function), and the whole text."""
        text = run("report", "--stdio", "--percent-limit", "20", *options, "-i", str(self.file)).stdout
        rows = [line.split(maxsplit=5) for line in text.splitlines() if "[.]" in line]
        return [(row[0], row[1], row[5].strip()) for row in rows if row[3] == "program"], text

    # The function that has the samples comes first, as its callchain is the longest; of the others, callers come first.
    def test_an_inlined_call_is_a_row_apart(self):
        rows, text = self.table()
        share = next(all for all, _, name in rows if name == "inner")
        self.assertEqual([row for row in rows if row[0] == share and row[2] != "_start"],
                         [(share, share, "inner"), (share, "0.00%", "main"), (share, "0.00%", "outer"),
                          (share, "0.00%", "touch (inlined)")], text)
        self.assertGreater(float(share[:-1]), 50)
        self.assertIn(f"            ---{CHAIN}               touch (inlined)\n", text)

    def test_without_inlined_calls(self):
        rows, text = self.table("--no-inline")
        self.assertIn("inner", [name for _, _, name in rows])
        self.assertIn(f"            ---{CHAIN}\n", text)
        self.assertNotIn("touch", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
