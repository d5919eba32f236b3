#!/usr/bin/env python3
"""What the pages tell to type: each command's subcommand and options are in --help, and installed files are where they are said
to be. Arguments: evname, the source root."""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("packaging/**/*.md")])
INSTALLED = pathlib.Path(EVNAME).resolve().parents[1] / "meson-info" / "intro-installed.json"


def help_of(name):
    return subprocess.run([EVNAME, *name, "--help"], capture_output=True, text=True).stdout


SUBCOMMANDS = re.search(r"^Subcommands:\n(.*?)\n\n", help_of([]), re.S | re.M).group(1)
SUBCOMMANDS = re.findall(r"(?m)^  (\w[\w-]*)", SUBCOMMANDS)
OPTIONS = {name: set(re.findall(r"(?m)(?:^  |, ?)(--?[\w-]+)", help_of([name]))) | {"--help", "-h"} for name in SUBCOMMANDS}


def commands(text):
    """The command lines of a page: in blocks and in `…`."""
    for block in re.findall(r"(?s)^```\w*\n(.*?)^```", text, re.M):
        for line in block.replace("\\\n", " ").splitlines():
            yield from re.findall(r"(?:^|[\s$(|;&])evname ([a-z][^|;&)#`]*)", line)
    for code in re.findall(r"`([^`\n]+)`", re.sub(r"(?s)^```.*?^```", "", text, flags=re.M)):
        yield from re.findall(r"^(?:sudo )?evname ([a-z][^|;&)#]*)", code)


def words_of(command):
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    return words[:words.index("--")] if "--" in words else words


class Pages(unittest.TestCase):
    def test_commands_have_their_subcommands_and_options(self):
        seen = 0
        for page in PAGES:
            for command in commands(page.read_text()):
                name, *words = words_of(command)
                with self.subTest(page=page.name, command=command):
                    if name not in OPTIONS:
                        self.assertTrue(name == "help" or re.search(r"[./]|^[A-Z]+$", name), "no such subcommand")
                        continue
                    for word in words:
                        option = re.match(r"--[\w-]+|-\w", word)
                        if option is None:
                            continue
                        seen += 1
                        self.assertIn(option.group(), OPTIONS[name])
        self.assertGreater(seen, 150)

    def test_libpfm_is_in_a_directory_that_its_page_names(self):
        page = (ROOT / "docs" / "libpfm4.md").read_text()
        multiarch = subprocess.run(["gcc", "-print-multiarch"], capture_output=True, text=True).stdout.strip()
        named = re.search(r"LD_LIBRARY_PATH=/usr/local/(\S+ \S+)\n", page).group(1).replace("$(gcc -print-multiarch)", multiarch)
        named = [named, *re.findall(r"`(lib\w*/evname/libpfm4)`", page)]
        self.assertEqual(len(named), 2)
        installed = json.loads(INSTALLED.read_text()).values() if INSTALLED.exists() else []
        for place in installed:
            if place.endswith("/libpfm.so.4"):
                self.assertTrue(any(place == f"{prefix}/{one}/libpfm.so.4" for one in named for prefix in ("/usr/local", "/usr")), place)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
