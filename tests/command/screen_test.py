#!/usr/bin/env python3
"""What a terminal gets. Usage: screen_test.py EVNAME SOURCE_ROOT"""

import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import unicodedata
import unittest

import perf_file
from terminals import fork_with_terminal

EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
DATA = str(ROOT / "tests" / "data" / "neoverse-n1.data")
LIST = ["list", "--cpu", "skylakex", "mem_load_retired.l3_*"]
ESCAPE = "\x1b["
UNSET = ("NO_COLOR", "EVNAME_PAGER", "PAGER", "LESS")


def environment(**variables):
    kept = {name: value for name, value in os.environ.items() if name not in UNSET}
    return {**kept, "TERM": "xterm", **variables}


def on_terminal(*arguments, **variables):
    """The exit code, and what a terminal of its own gets; no pager unless EVNAME_PAGER names one, or
    is None: not set."""
    env = environment(**{"EVNAME_PAGER": "", **variables})
    env = {name: value for name, value in env.items() if value is not None}
    pid, terminal = fork_with_terminal()
    if pid == 0:
        os.execve(EVNAME, [EVNAME, *arguments], env)
    seen = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), seen.decode().replace("\r\n", "\n")


def in_pipe(*arguments, **variables):
    out = subprocess.run([EVNAME, *arguments], capture_output=True, encoding="utf-8", env=environment(**variables))
    return out.stdout + out.stderr


class Colour(unittest.TestCase):
    # --color, environment, whether a terminal gets colours, whether a pipe does: no-color.org.
    TABLE = [
        ([], {}, True, False),
        (["--color=auto"], {}, True, False),
        (["--color=always"], {}, True, True),
        (["--color=never"], {}, False, False),
        ([], {"NO_COLOR": "1"}, False, False),
        ([], {"NO_COLOR": ""}, True, False),
        (["--color=always"], {"NO_COLOR": "1"}, True, True),
        ([], {"TERM": "dumb"}, False, False),
    ]
    COMMANDS = [
        LIST,
        ["show", "--cpu", "skylakex", "inst_retired.any"],
        ["diff", "skylakex", "icelakex", "mem_load*"],
        ["resolve", "--cpu", "skylakex", "inst_retired.any"],
        ["name", "--cpu", "skylakex", "0x20d1"],
        ["resolve", "--cpu", "skylakex", "no_such_event"],
        ["cpu", "--cpu", "no_such_cpu"],
        ["info", "/nonexistent"],
    ]

    def test_it_is_for_terminals_unless_asked_for(self):
        for command in self.COMMANDS:
            for option, variables, terminal, pipe in self.TABLE:
                with self.subTest(f"{command} {option} {variables}"):
                    self.assertEqual(ESCAPE in on_terminal(*command, *option, **variables)[1], terminal)
                    self.assertEqual(ESCAPE in in_pipe(*command, *option, **variables), pipe)

    def test_without_it_the_text_is_the_same(self):
        for command in self.COMMANDS:
            plain, coloured = in_pipe(*command), in_pipe(*command, "--color=always")
            self.assertEqual(re.sub("\x1b\\[[0-9;]*m", "", coloured), plain)

    def test_json_and_samples_have_none(self):
        for command in ([*LIST, "--json"], ["annotate", DATA], ["report", "--sort", "event", DATA], ["info", DATA]):
            self.assertNotIn(ESCAPE, on_terminal(*command, "--color=always")[1])

    def test_the_option_may_stand_before_the_subcommand(self):
        self.assertIn(ESCAPE, in_pipe("--color=always", *LIST))
        self.assertNotIn(ESCAPE, on_terminal("--color=never", *LIST)[1])


class Bars(unittest.TestCase):
    def test_they_are_in_proportion_and_only_where_they_can_be_seen(self):
        rows = {"busybox": 221, "[kernel.kallsyms]": 18}
        for locale, shown in (({"LC_ALL": "C.UTF-8"}, True), ({"LC_ALL": "", "LANG": "de_DE.utf8"}, True), ({"LC_ALL": "C"}, False),
                              ({"LC_ALL": "", "LC_CTYPE": "C", "LANG": "C.UTF-8"}, False), ({"LC_ALL": "C.UTF-8", "TERM": "dumb"}, False)):
            seen = on_terminal("report", DATA, **locale)[1]
            self.assertEqual("▇" in seen, shown, locale)
            for name, samples in rows.items() if shown else ():
                bar = round(20 * samples / 221) * "▇"
                self.assertRegex(seen, rf"(?m)^ +{samples} +[\d.]+%  {bar:20}  {re.escape(name)} \(no name\)$")
        self.assertNotIn("▇", in_pipe("report", DATA, LC_ALL="C.UTF-8"))


class Progress(unittest.TestCase):
    """A job that is stopped again and again takes long everywhere."""
    LINE = re.compile(r"\revname: [^\r\n]*\x1b\[K")

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "long.data")
        data = b"".join(perf_file.sample(i + 1, tid=1 + i % 50) for i in range(400_000))
        pathlib.Path(cls.path).write_bytes(perf_file.file(data))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def slowly(self, *arguments, **variables):
        """What a terminal gets."""
        pid, terminal = fork_with_terminal()
        if pid == 0:
            os.execve(EVNAME, [EVNAME, *arguments], environment(**variables))
        seen, running, turn = b"", True, 0
        while running:
            turn += 1
            os.kill(pid, signal.SIGSTOP if turn % 2 and turn < 24 else signal.SIGCONT)
            until = time.monotonic() + (0.4 if turn % 2 else 0.01)
            while running and (left := until - time.monotonic()) > 0:
                if select.select([terminal], [], [], left)[0]:
                    try:
                        piece = os.read(terminal, 65536)
                    except OSError:
                        piece = b""
                    seen, running = seen + piece, bool(piece)
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0, seen)
        return seen.decode().replace("\r\n", "\n")

    def test_a_terminal_gets_share_rate_and_time_left_and_then_the_results_alone(self):
        for words in (["report", "--sort", "comm,tid", self.path], ["export", "--format", "firefox", "-o", "/dev/null", self.path],
                      ["report", "--html", "/dev/null", self.path]):
            with self.subTest(words[:2]):
                seen = self.slowly(*words, "--color=never")
                self.assertRegex(seen, r"\revname: +\d+ % of 12 MB, \d+ [kM]B/s, \d+ s left\x1b\[K")
                rest = self.LINE.sub("", seen).replace("\r\x1b[K", "")
                self.assertEqual(sorted(rest.splitlines()), sorted(in_pipe(*words).splitlines()))

    def test_there_is_none_after_the_first_line_of_results(self):
        seen = self.slowly("annotate", "--tid", "7", self.path)
        self.assertNotIn("\r", seen[seen.index("cpu-clock"):])

    def test_only_terminals_that_can_erase_a_line_have_it(self):
        self.assertNotIn("%", self.slowly("report", "--sort", "tid", "--json", self.path, TERM="dumb").replace("100.0%", ""))
        self.assertNotIn("\r", in_pipe("report", "--sort", "tid", self.path))


class Pager(unittest.TestCase):
    MARK = "sed s/^/PAGED/"
    LONG = [LIST, ["show", "--cpu", "skylakex", "inst_retired.any"], ["info", DATA],
            ["diff", "skylakex", "icelakex", "mem_load*"]]

    def test_long_output_goes_through_it(self):
        for command in self.LONG:
            code, seen = on_terminal(*command, EVNAME_PAGER=self.MARK)
            self.assertEqual(code, 0)
            self.assertTrue(all(line.startswith("PAGED") for line in seen.splitlines()), command)

    def test_only_on_a_terminal_and_where_it_is_wanted(self):
        self.assertNotIn("PAGED", in_pipe(*LIST, EVNAME_PAGER=self.MARK))
        for option, variables in ((["--no-pager"], {"EVNAME_PAGER": self.MARK}),
                                  ([], {"EVNAME_PAGER": "", "PAGER": self.MARK}),
                                  ([], {"EVNAME_PAGER": "cat", "PAGER": self.MARK}),
                                  ([], {"EVNAME_PAGER": self.MARK, "TERM": "dumb"})):
            code, seen = on_terminal(*LIST, *option, **variables)
            self.assertEqual((code, "PAGED" in seen), (0, False), f"{option} {variables}")
            self.assertIn("mem_load_retired.l3_miss", seen)

    def test_other_subcommands_have_none(self):
        self.assertNotIn("PAGED", on_terminal("cpu", "--cpu", "skylakex", EVNAME_PAGER=self.MARK)[1])
        self.assertNotIn("PAGED", on_terminal("annotate", DATA, EVNAME_PAGER=self.MARK)[1])

    def test_the_variable_of_all_programs_comes_second(self):
        self.assertIn("PAGED", on_terminal(*LIST, EVNAME_PAGER=None, PAGER=self.MARK)[1])

    def test_its_exit_code_stays_that_of_the_command(self):
        self.assertEqual(on_terminal("list", "--cpu", "skylakex", "zzz*", EVNAME_PAGER=self.MARK)[0], 1)
        self.assertEqual(on_terminal("list", "--cpu", "no_such_cpu", EVNAME_PAGER=self.MARK)[0], 2)
        self.assertEqual(on_terminal(*LIST, EVNAME_PAGER="cat; exit 3")[0], 0)

    def test_a_reader_who_leaves_early_is_no_failure(self):
        code, seen = on_terminal("list", "--cpu", "skylakex", EVNAME_PAGER="head -n 2")
        self.assertEqual((code, len(seen.splitlines())), (0, 2))

    def test_where_none_can_be_started_the_text_still_comes(self):
        whole = in_pipe(*LIST)
        for variables in ({"EVNAME_PAGER": None, "PATH": "/nonexistent"}, {"EVNAME_PAGER": "no-such-pager -x"},
                          {"EVNAME_PAGER": "/dev/null"}, {"EVNAME_PAGER": None, "PAGER": "/nonexistent/less"},
                          {"EVNAME_PAGER": "less", "PATH": "/nonexistent"}):
            code, seen = on_terminal(*LIST, "--color=never", **variables)
            self.assertEqual(code, 0)
            self.assertTrue(seen.endswith(whole), f"{variables}: {seen}")
        self.assertEqual(on_terminal("list", "--cpu", "skylakex", "zzz*", EVNAME_PAGER="no-such-pager")[0], 1)


class Hostile(unittest.TestCase):
    """Names in recordings that would do something to a terminal."""
    NAMES = [b"\x1b[2J\x07", b"\x9b31m", b"\xc2\x9b2J", b"a\nb\tc", b"\x7f\r\x08", b"\x0e\x1b]0;", b"\xff\xfe",
             # the order of letters, line ends, letters of no width, tags: Unicode's Bidi_Control, Zl, Zp, Cf
             *(text.encode() for text in ("\u202e", "\u2028", "\u2029x", "\u200f\u2066", "\u061c", "\ufeff\u00ad", "\U000e0041"))]
    # What it shows: events, hosts, architectures, threads; on standard error, paths.
    COMMANDS = [["info"], ["annotate"], ["annotate", "-F", "+file,+full_name,+pmu,+desc"], ["report"], ["report", "--sort", "comm"],
                ["inject", "-o", "/dev/null"], ["export", "--format", "firefox", "-o", "/dev/null"],
                *(["export", "--format", form, "-o", "-"] for form in ("speedscope", "firefox")),
                ["cpu", "-i"], ["list", "-i"], ["annotate", "--salvage"]]

    def recordings(self):
        content = pathlib.Path(DATA).read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            for name in self.NAMES:
                mutant = content[:-40]  # which is warned of
                for word in (b"md5sum", b"qemu-aarch64", b"6.12.117+deb12-cloud-arm64", b"aarch64", b"armv8_pmuv3", b"r11", b"quickstart"):
                    mutant = mutant.replace(word + b"\0", (name * 9)[:len(word)] + b"\0")
                path = pathlib.Path(os.fsdecode(os.path.join(os.fsencode(folder), name.replace(b"/", b"") + b".data")))
                path.write_bytes(mutant)
                yield name, str(path)

    def test_terminals_are_not_told_what_to_do(self):
        for name, path in self.recordings():
            for command in self.COMMANDS:
                for color in ("auto", "always"):
                    with self.subTest(f"{command} {name} {color}"):
                        seen = on_terminal(*command, path, f"--color={color}")[1]
                        seen = re.sub("\x1b\\[(?:0|1|4|1;4|1;31|3[1-6])m", "", seen)
                        acted_on = {letter for letter in seen if unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp")}
                        self.assertLessEqual(acted_on, {"\n", "\t"})
                        self.assertNotIn("a\nb", seen)

    def test_binary_formats_are_not_shown(self):
        for form in ("pprof", "perfetto", "otlp"):
            code, seen = on_terminal("export", "--format", form, "-o", "-", DATA, "--color=never")
            self.assertEqual((code, seen), (2, f"evname: {form} is binary, and standard output is a terminal: write it to a "
                                               "file, or into a pipe\n"))

    def test_letters_of_other_languages_stay(self):
        # The last byte of a letter and the next letter are no character.
        with tempfile.TemporaryDirectory() as folder:
            for name in ("ĘAĘBĘCĘ\\", "ʘ@łódź", "жΩ漢字😀é", "Ę\u0600x"):
                path = os.path.join(folder, name)
                self.assertIn(name.replace("\u0600", "?"), on_terminal("info", path)[1])

    def test_all_else_gets_them_as_they_are(self):
        for name, path in self.recordings():
            for command in (["annotate"], ["report", "--sort", "comm"], ["info"]):
                out = subprocess.run([EVNAME, *command, path], capture_output=True, env=environment()).stdout
                self.assertIn((name * 9)[:6], out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
