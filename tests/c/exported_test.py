#!/usr/bin/env python3
"""What libevname.so shows. Usage: exported_test.py LIBRARY EXPORTED_TXT HEADERS"""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

LIBRARY, EXPECTED, HEADERS = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])


def symbols(*options):
    """Names without their version, which is a symbol of its own."""
    lines = subprocess.run(["nm", "-D", "--defined-only", *options, LIBRARY], check=True,
                           capture_output=True, encoding="utf-8").stdout.splitlines()
    found = [re.fullmatch(r"[0-9a-f]* *([A-Za-z]) (.*)", line).groups() for line in lines]
    return sorted({name.split("@@")[0] for kind, name in found if kind != "A"})


@unittest.skipUnless(shutil.which("nm"), "there is no nm")
class Exported(unittest.TestCase):
    def test_the_c_interface_is_the_list(self):
        c = [name for name in symbols() if not name.startswith("_Z")]
        self.assertEqual(c, EXPECTED.read_text().split())

    def test_the_list_is_what_the_headers_declare(self):
        headers = "\n".join(path.read_text() for path in HEADERS.glob("*.h"))
        declared = re.findall(r"^EVNAME_API [^;(]*?(evname_\w+)\(", headers, re.MULTILINE)
        self.assertEqual(sorted(declared), EXPECTED.read_text().split())

    def test_of_cpp_only_what_public_headers_name(self):
        text = " ".join(path.read_text() for path in [*HEADERS.glob("*.hpp"), *HEADERS.glob("*.def")])
        words = set(re.findall(r"\w+", re.sub(r"^( *) private:.*?^\1\};", "", text, flags=re.MULTILINE | re.DOTALL)))
        inner = [name for name in symbols("-C") if "(" in name and not self.is_public(name, words)]
        self.assertEqual(inner, [])
        self.assertIn("evname::Machine::resolve(", "\n".join(symbols("-C")))

    @staticmethod
    def is_public(name, words):
        """Are all parts of the name outside private sections, and all types of the arguments?"""
        path = re.match(r"[\w:~\[\]]*", name.replace("[abi:cxx11]", "")).group().split("::")
        inner = re.search(r"evname::(?!perf_format\b)[a-z]\w*::|::State\b", name)
        return path[0] == "evname" and not inner and {p.lstrip("~") for p in path[1:]} <= words

    def test_all_symbols_have_a_version(self):
        text = subprocess.run(["nm", "-D", "--defined-only", "--with-symbol-versions", LIBRARY],
                              capture_output=True, encoding="utf-8").stdout
        unversioned = [line for line in text.splitlines() if "@@EVNAME_" not in line and " A " not in line]
        self.assertEqual(unversioned, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
