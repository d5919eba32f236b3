#!/usr/bin/env python3
"""What the pages tell to type: each command's subcommand and options are in --help, commands that need neither a PMU nor files
of the reader's print what is shown, and files are where they are said to be. Arguments: evname, the source root."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from cookbook_test import commands as shown, pattern_of

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("packaging/**/*.md")])
INSTALLED = pathlib.Path(EVNAME).resolve().parents[1] / "meson-info" / "intro-installed.json"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
# The start of code that has options of other programs, and options of perf that evname is said not to have or to replace.
OTHERS = r"(?:perf|meson|pkg-config|evname-gen|(?:packaging|tests)/\S+|chmod .*) "
OF_PERF = set("--aio --aux-sample --bpf-counters --double-cl --header --ignore-stack-samples --kcore --inline --line-buffer --mmaps "
              "--no-csv-summary --off-cpu --stdio2 --tui --hybrid-merge --overwrite --pfm-events --pmu-filter --smi-cost --threads -N -T -f".split())
# These subcommands need a PMU, and these pages another recording than neoverse-n1.data as their perf.data.
PROGRAMS = set("cat cd evname find grep head jq ln mkdir perf python3 sed sort".split())
LIVE = {"record", "stat", "topdown"}
RECORDINGS = {"memory.md": ["memory_recording.py", "perf.data", "600"]}


def help_of(name):
    return subprocess.run([EVNAME, *name, "--help"], capture_output=True, text=True).stdout


SUBCOMMANDS = re.search(r"^Subcommands:\n(.*?)\n\n", help_of([]), re.S | re.M).group(1)
SUBCOMMANDS = re.findall(r"(?m)^  (\w[\w-]*)", SUBCOMMANDS)
OPTIONS = {name: set(re.findall(r"(?m)(?:^  |, ?)(--?[\w-]+)", help_of([name]))) | {"--help", "-h"} for name in SUBCOMMANDS}


def commands(text):
    """The command lines of a page: in blocks and in `…`."""
    for _, block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            yield from re.findall(r"(?:^|[\s$(|;&])evname ([a-z][^|;&)#`]*)", line)
    for code in re.findall(r"`([^`\n]+)`", BLOCK.sub("", text)):
        yield from re.findall(r"^(?:sudo )?evname ([a-z][^|;&)#]*)", code)


def words_of(command):
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    return words[:words.index("--")] if "--" in words else words


def can_run(command, folder):
    """Whether the programs and files of a command are there, and it needs no PMU."""
    programs = re.findall(r"(?:^|[|&;] *)((?:\w+=\S+ )*)([\w.-]+) ?([\w-]*)", command)
    for variables, program, subcommand in programs:
        if program == "evname" and subcommand in LIVE or program == "perf" and "/bin:" not in variables:
            return False
        if program not in PROGRAMS or program == "jq" and not shutil.which("jq"):
            return False
    written = set(re.findall(r"(?:-o|>) *(\S+)", command))
    return all((folder / name).exists() or name in written for name in re.findall(r"[\w./-]+\.(?:data|csv|jsonl?)\b", command))


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

    def test_options_in_sentences_are_in_help(self):
        known, seen = set().union(*OPTIONS.values()) | {"--version"} | OF_PERF, 0
        for page in PAGES:
            for code in re.findall(r"`([^`\n]+)`", BLOCK.sub("", page.read_text())):
                for option in re.findall(r"(?:^|[ /\[])(--[a-z][\w-]*|-[A-Za-z])(?=$|[ =\]/])", code):
                    seen += 1
                    with self.subTest(page=page.name, code=code):
                        self.assertTrue(option in known or re.match(OTHERS, code), f"nothing has {option}")
        self.assertGreater(seen, 250)

    def test_commands_print_what_is_shown(self):
        ran = alike = 0
        for page in PAGES:
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                self.fill(folder, page)
                for _, block in BLOCK.findall(page.read_text()) if page.name != "cookbook.md" else []:
                    for command, output in shown(block) if block.startswith("$ ") else []:
                        if "…" in command:
                            break
                        if not can_run(command, folder):
                            (folder / "perf.data").unlink() if "-o perf.data" in command else None
                            continue
                        output = output[:-1] if output[-1:] == [""] else output
                        ran, alike = ran + 1, alike + bool(output)
                        with self.subTest(page=page.name, command=command):
                            self.check(command, output, folder)
        self.assertGreater(ran, 45)
        self.assertGreater(alike, 33)

    def fill(self, folder, page):
        """What the commands of a page find where they run."""
        for name in ("docs", "tests"):
            (folder / name).symlink_to(ROOT / name)
        (folder / "programs").mkdir()
        (folder / "programs" / "evname").symlink_to(pathlib.Path(EVNAME).resolve())
        (folder / "recordings").mkdir()
        shutil.copy(ROOT / "tests" / "data" / "neoverse-n1.data", folder / "perf.data")
        shutil.copy(folder / "perf.data", folder / "recordings" / "a.data")
        (folder / "recordings" / "b.data").write_bytes((folder / "perf.data").read_bytes()[:9_000])
        if page.name in RECORDINGS:
            program, *arguments = RECORDINGS[page.name]
            subprocess.run([sys.executable, ROOT / "tests" / "support" / program, *arguments], cwd=folder, check=True)

    def check(self, command, output, folder):
        path = f"{folder}/programs{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(["sh", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=30,
                              encoding="utf-8", env={**os.environ, "PATH": path})
        is_fault = "$(cat list)" in command or any(re.match(r"evname: .*: event text, column", line) for line in output)
        self.assertIn(done.returncode, {1} if is_fault else {0, 1} if any(word in command for word in ("--log log", "evname pack")) else {0}, done.stderr)
        if output:
            text = done.stderr + done.stdout if output[0].startswith("evname: ") else done.stdout
            self.assertRegex(text, r"\A" + pattern_of(output) + r"\Z")

    def test_links_and_paths_lead_somewhere(self):
        for page in PAGES:
            text = page.read_text()
            for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)", text):
                with self.subTest(page=page.name, target=target, anchor=anchor):
                    file = (page.parent / target).resolve() if target else page
                    self.assertTrue(file.exists())
                    titles = re.findall(r"^#+ (.*)", BLOCK.sub("", file.read_text()), re.M) if anchor else []
                    slugs = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
                    self.assertIn(anchor, slugs | {""})
            for path in re.findall(r"`((?:docs|tests|arch|runtime|packaging|tools|\.ci)/[\w./-]*\w)`", text):
                with self.subTest(page=page.name, path=path):
                    self.assertTrue((ROOT / path).exists() or "/ARCH/" in path or path.startswith("tools/perf/"))

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
