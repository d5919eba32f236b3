"""A table whose rows do not match its enum does not compile (base/enum_table.hpp)."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = """
#include "base/enum_table.hpp"
namespace {{
enum class Fruit : unsigned char {{ apple, pear, fig }};
struct Row {{ Fruit fruit; int seeds; }};
constexpr auto kRows = evname::enum_table<&Row::fruit>({{{}}});
}}
static_assert(kRows[Fruit::pear].seeds == 10 && kRows.size() == 3);
"""
APPLE, PEAR, FIG = "{Fruit::apple, 5}", "{Fruit::pear, 10}", "{Fruit::fig, 1000}"
# The rows, and a text of the compiler's message; none: they compile.
CASES = [
    ([APPLE, PEAR, FIG], ""),
    ([PEAR, APPLE, FIG], "a_row_is_in_the_wrong_place"),
    ([APPLE, PEAR, PEAR], "a_row_is_in_the_wrong_place"),
    ([APPLE, FIG], "the last enumerators have no rows"),
    ([APPLE, PEAR], "the last enumerators have no rows"),
    ([APPLE, PEAR, FIG, FIG], "a_row_is_in_the_wrong_place"),
]

for rows, message in CASES:
    command = [*sys.argv[1:], "-std=c++20", "-fsyntax-only", f"-I{ROOT}/runtime", "-x", "c++", "-"]
    done = subprocess.run(command, input=PROGRAM.format(", ".join(rows)), capture_output=True, text=True)
    assert (done.returncode == 0) == (not message) and message in done.stderr, (rows, done.stderr)
