#!/usr/bin/env python3
"""Completion as the shells show it. Usage: complete_test.py EVNAME SOURCE_ROOT"""

import json
import os
import pathlib
import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from terminals import fork_with_terminal

EVNAME, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
SCRIPTS = ROOT / "tools/complete/shell"
PATH = f"{EVNAME.parent}:{os.environ['PATH']}"
ENV = {**os.environ, "PATH": PATH, "TERM": "xterm", "LC_ALL": "C"}


def names_of(model):
    """The names of a model's tables, from their source."""
    files = (ROOT / "arch" / model).glob("*.json")
    return {e["EventName"].lower() for f in files for e in json.loads(f.read_text()) if "EventName" in e}


L3 = sorted(n for n in names_of("x86/skylakex") if n.startswith("mem_load_retired.l3_"))
N1 = ["br_mis_pred", "br_mis_pred_retired"]  # Arm ARM, D13.10: 0x10, 0x22

# A typed line, and all possible last words of it, without quotes. None: some other set, but not
# an empty one.
CASES = [
    ("evname lis", ["list"]),
    ("evname res", ["resolve"]),
    ("evname --ver", ["--version"]),
    ("evname list --sys", ["--sysfs"]),
    ("evname annotate --raw", ["--raw-names", "--raw-order"]),
    ("evname annotate --format ", ["text", "csv", "jsonl", "folded"]),
    ("evname annotate --format=j", ["--format=jsonl"]),
    ("evname emit --format ", ["c", "c++", "rust", "json", "papi-presets", "llvm-td"]),
    ("evname list --color=a", ["--color=always", "--color=auto"]),
    ("evname report --sort event,c", ["event,cgroup", "event,comm", "event,cpu", "event,cycles"]),
    ("evname annotate -F comm,ti", ["comm,tid", "comm,time"]),
    ("evname list --cpu skyl", ["skylake", "skylakex"]),
    ("evname list --cpu=skyl", ["--cpu=skylake", "--cpu=skylakex"]),
    ("evname diff skylakex cascade", ["cascadelakex"]),
    ("evname diff skylakex icelakex mem_load_retired.l3_", L3),
    ("evname resolve --cpu skylakex mem_load_retired.l3_", L3),
    ("evname show --cpu skylakex mem_load_retired.l3_", L3),
    ("evname list --cpu arm/neoverse-n1 br_mis_", N1),
    ("evname emit --cpu 'skylakex*' --events mem_load_retired.l3_", L3),
    ("evname resolve --cpu skylakex MEM_LOAD_RETIRED.L3_", [n.upper() for n in L3]),
    ("evname resolve --cpu skylakex inst_retired.any,mem_load_retired.l3_",
     ["inst_retired.any," + n for n in L3]),
    ("evname resolve --cpu skylakex '{inst_retired.any,mem_load_retired.l3_",
     ["{inst_retired.any," + n for n in L3]),
    ("evname resolve --cpu skylakex cpu/event=1,umask=2/,mem_load_retired.l3_",
     ["cpu/event=1,umask=2/," + n for n in L3]),
    ("evname resolve --cpu skylakex inst_retired.any:", []),
    ("evname resolve --cpu skylakex cpu/ev", []),
    ("evname stat -e context-s", ["context-switches"]),
    ("evname stat -e '{page-faults,task-c", ["{page-faults,task-clock"]),
    ("evname name --cpu alderlake --pmu cpu_", ["cpu_atom", "cpu_core"]),
    ("evname nonsense --", []),
    ("evname list --cpu nonsense inst", []),
]


def bash_word(line):
    """The last word as the reader of COMPREPLY keeps it: what bash holds to be words of its own."""
    word = shlex.split(line + ("'" if line.count("'") % 2 else ""))[-1] if not line.endswith(" ") else ""
    if line.count("'") % 2:
        return ""
    cut = max(word.rfind("="), word.rfind(":")) + 1
    return word[:cut]


class Bash(unittest.TestCase):
    def reply(self, line):
        script = f"""source {SCRIPTS}/evname.bash
COMP_LINE={shlex.quote(line)}; COMP_POINT=${{#COMP_LINE}}; COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
COMP_WORDS=($COMP_LINE); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_evname evname; [ ${{#COMPREPLY[@]}} = 0 ] || printf '%s\\n' "${{COMPREPLY[@]}}" """
        out = subprocess.run(["bash", "-c", script], capture_output=True, encoding="utf-8", env=ENV)
        self.assertEqual(out.stderr, "")
        return out.stdout.splitlines()

    def test_the_reply_is_what_may_follow(self):
        for line, expected in CASES:
            with self.subTest(line):
                self.assertEqual(sorted(bash_word(line) + word for word in self.reply(line)), sorted(expected))

    def test_the_script_registers_itself(self):
        out = subprocess.run(["bash", "-c", f"source {SCRIPTS}/evname.bash; complete -p evname"],
                             capture_output=True, encoding="utf-8", check=True)
        self.assertEqual(out.stdout.split()[-1], "evname")


class Fish(unittest.TestCase):
    def test_the_candidates_are_what_may_follow(self):
        if shutil.which("fish") is None:
            self.skipTest("no fish")
        with tempfile.TemporaryDirectory() as home:
            for line, expected in CASES:
                script = f"source {SCRIPTS}/evname.fish; complete -C {shlex.quote(line)}"
                out = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True,
                                     encoding="utf-8", env={**ENV, "HOME": home}, check=True)
                with self.subTest(line):
                    words = [one.split("\t")[0] for one in out.stdout.splitlines()]
                    self.assertEqual(sorted(words), sorted(expected))


class Terminal:
    """An interactive shell: keys in, what is on the screen out."""

    def __init__(self, argv, env, directory):
        self.pid, self.file = fork_with_terminal()
        if self.pid == 0:
            os.chdir(directory)
            os.execvpe(argv[0], argv, env)

    def type(self, keys, until, seconds=120):
        os.write(self.file, keys.encode())
        seen, end = "", time.monotonic() + seconds
        while until not in seen and time.monotonic() < end:
            if select.select([self.file], [], [], 0.1)[0]:
                try:
                    seen += os.read(self.file, 65536).decode(errors="replace")
                except OSError:
                    break
        return seen

    def close(self):
        os.close(self.file)
        os.waitpid(self.pid, 0)


# Keys, and the arguments that a command typed so gets. Completed by a tab; what follows it shows
# whether there was a space behind the word.
KEYS = [
    ("evname li\t--cpu sky\tx", ["list", "--cpu", "skylakex"]),
    ("evname list --cpu skylakex mem_load_retired.l3_m\t", ["list", "--cpu", "skylakex", "mem_load_retired.l3_miss"]),
    ("evname list --cpu=skylakex mem_load_retired.l3_m\t", ["list", "--cpu=skylakex", "mem_load_retired.l3_miss"]),
    ("evname stat -e page-faults,task-c\t:u", ["stat", "-e", "page-faults,task-clock:u"]),
    ("evname stat -e '{page-faults,task-c\t", ["stat", "-e", "{page-faults,task-clock"]),
    ("evname info some\t", ["info", "some.data"]),
    ("evname import --from di\t", ["import", "--from", "directory"]),
]
# Which shell leaves an open quote to the user, where a list may go on.
CLOSES_QUOTES = {"bash": True, "zsh": False}
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], f"source {SCRIPTS}/evname.bash\n"),
    "zsh": (["zsh", "-f", "-i"],
            "PS1='$ '; fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -d $PWD/dump\n"),
}


class Interactive(unittest.TestCase):
    def check(self, shell):
        if shutil.which(shell) is None:
            self.skipTest(f"no {shell}")
        argv, setup = SHELLS[shell]
        with tempfile.TemporaryDirectory() as home:
            root = pathlib.Path(home)
            (root / "functions").mkdir()
            shutil.copy(SCRIPTS / "_evname", root / "functions")
            (root / "directory").mkdir()
            (root / "some.data").touch()
            for keys, expected in KEYS:
                terminal = Terminal(argv, {**ENV, "HOME": home, "INPUTRC": "/dev/null"}, home)
                terminal.type(setup + "print_them() { printf '<%s>' \"$@\"; echo END; }; echo REA''DY\n", "READY")
                if keys.count("'") % 2 and not CLOSES_QUOTES[shell]:
                    keys += "'"
                seen = terminal.type(keys + "\x01print_them \n", "END\r\n")
                terminal.close()
                with self.subTest(keys):
                    told = seen[seen.rfind("<evname>"):]
                    words = [word.strip("/") for word in told.replace("<evname>", "").split("END")[0][1:-1].split("><")]
                    self.assertEqual(words, expected, seen)

    def test_bash_types_what_is_meant(self):
        self.check("bash")

    def test_zsh_types_what_is_meant(self):
        self.check("zsh")


class Command(unittest.TestCase):
    def run_it(self, *arguments):
        return subprocess.run([EVNAME, "complete", *arguments], capture_output=True, encoding="utf-8")

    def test_every_subcommand_completes_the_options_of_its_help(self):
        for name in self.run_it("fish", "--", "evname", "").stdout.split("\n")[1:-1]:
            name = name.split("\t")[0]
            offered = self.run_it("zsh", "--", "evname", name, "--").stdout
            text = subprocess.run([EVNAME, name, "--help"], capture_output=True, encoding="utf-8").stdout
            for line in text.splitlines():
                if line.startswith("  -"):
                    option = line.split()[0].split(",")[-1].split(":")[0].split("[")[0]
                    if option.startswith("--"):
                        self.assertIn(f"\n{option}", offered, name)

    def test_nothing_odd_gets_to_the_shell(self):
        with tempfile.TemporaryDirectory() as root:
            events = pathlib.Path(root) / "bus/event_source/devices/odd/events"
            events.mkdir(parents=True)
            (events.parent / "type").write_text("77\n")
            for name in ("plain", "with space", "with\nline", "$(id)"):
                (events / name).write_text("event=0x1\n")
            out = self.run_it("bash", "--", f"evname list --cpu skylakex --sysfs {root} with", " ").stdout
            self.assertEqual(out.splitlines()[1:], [])

    def test_damaged_input_is_no_crash(self):
        for arguments in ([], ["bash"], ["bash", "--"], ["bash", "--", ""], ["bash", "--", "'"],
                          ["zsh", "--", ""], ["zsh", "--", "evname"], ["fish", "--", "evname", "list", "--cpu"],
                          ["fish", "--", "evname", "--", "--", "-"], ["fish", "--", "evname", "resolve", "{{{,,/,:"],
                          ["bash", "--", "\\"], ["fish", "--", "evname", "list", "-i", "/nonexistent", "a"]):
            self.assertIn(self.run_it(*arguments).returncode, (0, 2), arguments)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
