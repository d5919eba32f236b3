"""What packaging/compare-abi takes for compatible: abi_test.py ROOT. Exit code 77: there is no abidiff or no compiler."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))

C = """#include <stddef.h>
#include <stdint.h>
enum evname_kind { EVNAME_A, EVNAME_B };
typedef struct evname_options {
  uint32_t size;
  enum evname_kind kind;
  const char* name;
  uint64_t reserved[4];
} evname_options;
int evname_first(const evname_options* options);
int evname_second(const evname_options* options, int count);
"""
CPP = """
namespace evname {
class Machine {
 public:
  int resolve(int event);
  int events;
};
}
"""
C_CODE = """#include "evname/evname.h"
int evname_first(const evname_options* options) { return options != NULL; }
int evname_second(const evname_options* options, int count) { return options ? count : 0; }
"""
CPP_CODE = """#include "evname/evname.hpp"
int evname::Machine::resolve(int event) { return events + event; }
"""
RESERVED = "uint64_t reserved[4];"

# A change of the text, and whether programs go on within a minor version, and across one.
CASES = {
    "nothing": (C, "", "", True, True),
    "reserved words become members": (C, RESERVED, "const uint8_t* id; size_t id_size; uint64_t reserved[2];", True, True),
    "the last of them do": (C, RESERVED, "uint64_t a, b, c, d;", True, True),
    "an enumerator is added": (C, "EVNAME_B }", "EVNAME_B, EVNAME_C }", True, True),
    "a struct grows": (C, RESERVED, "uint64_t a; uint64_t reserved[4];", False, False),
    "it grows in its reserved words": (C, RESERVED, "uint64_t a, b; uint64_t reserved[3];", False, False),
    "members change places": (C, "uint32_t size;\n  enum evname_kind kind;",
                              "enum evname_kind kind;\n  uint32_t size;", False, False),
    "a member comes before others": (C, "const char* name;\n  " + RESERVED,
                                     "uint64_t a;\n  const char* name;\n  uint64_t reserved[3];", False, False),
    "a member is of another type": (C, "const char* name", "const uint32_t* name", False, False),
    "enumerators change places": (C, "EVNAME_A, EVNAME_B", "EVNAME_B, EVNAME_A", False, False),
    "an argument is of another type": (C, "int count", "long count", False, False),
    "a C++ class grows": (CPP, "int events;", "int events, more;", False, True),
}


def has(program):
    return shutil.which(program) is not None


class Compared(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place = pathlib.Path(directory.name)

    def install(self, name, version="0.2.0", c=C, cpp=CPP, c_code=C_CODE, cpp_code=CPP_CODE):
        prefix = self.place / name
        headers = prefix / "include" / "evname"
        headers.mkdir(parents=True)
        (prefix / "lib").mkdir()
        (headers / "evname.h").write_text(c)
        (headers / "evname.hpp").write_text(f'extern "C" {{\n#include "evname.h"\n}}\n{cpp}')
        (prefix / "c.c").write_text(c_code)
        (prefix / "cpp.cpp").write_text(cpp_code)
        flags = ["-g", "-fPIC", f"-I{prefix / 'include'}"]
        subprocess.run(["cc", *flags, "-c", prefix / "c.c", "-o", prefix / "c.o"], check=True)
        subprocess.run(["c++", *flags, "-shared", "-Wl,-soname,libevname.so.0", prefix / "cpp.cpp", prefix / "c.o", "-o",
                        prefix / f"lib/libevname.so.{version}"], check=True)
        (prefix / "lib" / "libevname.so.0").symlink_to(f"libevname.so.{version}")
        return prefix

    def assert_compatible(self, base, now, expected):
        run = subprocess.run([ROOT / "packaging/compare-abi", base, now], capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stderr), (0 if expected else 1, ""), run.stdout)

    def test_each_kind_of_change(self):
        base = self.install("base")
        for number, (name, (text, old, new, within, across)) in enumerate(CASES.items()):
            with self.subTest(name):
                self.assertIn(old, text)
                key = "c" if text is C else "cpp"
                changed = {key: text.replace(old, new)}
                if name.startswith("an argument"):
                    changed["c_code"] = C_CODE.replace(old, new)
                self.assert_compatible(base, self.install(f"now{number}", **changed), within)
                self.assert_compatible(base, self.install(f"next{number}", version="0.3.0", **changed), across)

    def test_each_kind_beside_a_description(self):
        """It has the C interface alone, as it is across minor versions."""
        base = self.place / "base.abi"
        subprocess.run([ROOT / "packaging/compare-abi", "--describe", base, self.install("base")], check=True)
        self.assertNotIn("Machine", base.read_text())
        for number, (name, (text, old, new, _, across)) in enumerate(CASES.items()):
            with self.subTest(name):
                changed = {"c" if text is C else "cpp": text.replace(old, new)}
                if name.startswith("an argument"):
                    changed["c_code"] = C_CODE.replace(old, new)
                self.assert_compatible(base, self.install(f"now{number}", **changed), across)
        less = self.install("less", c=C.replace("int evname_first", "static int evname_first"),
                            c_code=C_CODE.replace("int evname_first", "static int evname_first"))
        self.assert_compatible(base, less, False)

    def test_what_no_header_has_is_free(self):
        cpp = CPP.replace("int events;", "int events;\n  struct State;\n  State* state;")
        code = """#include <optional>
#include <vector>
#include "evname/evname.hpp"
namespace evname::recording { struct Held { int one; MORE }; }
struct evname::Machine::State { std::optional<evname::recording::Held> held; std::vector<evname::recording::Held> all; };
int evname::Machine::resolve(int event) { return state->held ? state->held->one : static_cast<int>(state->all.size()); }
"""
        base = self.install("base", cpp=cpp, cpp_code=code.replace("MORE", ""))
        self.assert_compatible(base, self.install("now", cpp=cpp, cpp_code=code.replace("MORE", "long more;")), True)

    def test_functions_are_added_and_never_removed(self):
        base = self.install("base")
        more = C_CODE + "int evname_third(void) { return 3; }\n"
        self.assert_compatible(base, self.install("more", c=C + "int evname_third(void);\n", c_code=more), True)
        for version in ("0.2.1", "0.3.0"):
            less = {key: text.replace("int evname_first", "static int evname_first")
                    for key, text in {"c": C, "c_code": C_CODE}.items()}
            self.assert_compatible(base, self.install(f"less{version}", version, **less), False)
            other = '#include "evname/evname.hpp"\nint other(evname::Machine* machine) { return machine->events; }\n'
            gone = self.install(f"gone{version}", version, cpp=CPP.replace("int resolve(int event);", ""), cpp_code=other)
            self.assert_compatible(base, gone, version == "0.3.0")

    def test_without_a_library_is_an_error(self):
        base = self.install("base")
        (base / "lib" / "libevname.so.0.2.0").write_bytes(b"no library")
        run = subprocess.run([ROOT / "packaging/compare-abi", base, base], capture_output=True, text=True)
        self.assertNotEqual(run.returncode, 0)


if not all(map(has, ("abidiff", "cc", "c++"))):
    print("skipped: no abidiff or no compiler")
    sys.exit(77)
unittest.main(verbosity=2)
