#!/usr/bin/env python3
"""Files that the command writes: what they replace, whom they are open to, what they leave behind; for each
option that names one. Usage: files_test.py EVNAME SOURCE_ROOT"""

import contextlib
import hashlib
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from interrupts import let_interrupts_through
from sanitizers import has_sanitizer

let_interrupts_through()
EVNAME, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
N1 = ROOT / "tests" / "data" / "neoverse-n1.data"
COUNTS = str(ROOT / "tests" / "data" / "topdown-n1.csv")
IS_ROOT = os.geteuid() == 0

# Each option that names an output file: what is written from a recording, or without one, to PATH.
WRITERS = {
    "inject -o": lambda source, path: ["inject", source, "-o", path],
    "inject --tid": lambda source, path: ["inject", source, "--tid", "149", "-o", path],
    "export -o": lambda source, path: ["export", source, "--format", "speedscope", "-o", path],
    "report --html": lambda source, path: ["report", source, "--html", path],
    "emit -o": lambda source, path: ["emit", "--cpu", "skylakex", "--events", "inst_retired.any", "--format", "c", "-o", path],
}
FROM_RECORDINGS = ["inject -o", "inject --tid", "export -o", "report --html"]


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def can_unshare():
    return IS_ROOT and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


def run(*arguments, **more):
    return subprocess.run([EVNAME, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, **more)


class Written(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place = pathlib.Path(directory.name)
        self.source = self.place / "perf.data"
        shutil.copyfile(N1, self.source)
        self.source.chmod(0o644)
        self.content = {}
        for name, words in WRITERS.items():
            fresh = self.place / "fresh"
            self.assertEqual(run(*words(self.source, fresh)).returncode, 0)
            self.content[name] = fresh.read_bytes()
            fresh.unlink()
        self.umask = os.umask(0o022)
        self.addCleanup(os.umask, self.umask)

    def write(self, name, path, code=0, source=None, **more):
        result = run(*WRITERS[name](source or self.source, path), **more)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def writers(self, names=WRITERS):
        """Each with a directory of its own, which has nothing else in it in the end."""
        for name in names:
            with self.subTest(name):
                folder = pathlib.Path(tempfile.mkdtemp(dir=self.place))
                yield name, folder
                shutil.rmtree(folder)

    def only(self, folder, *names):
        self.assertEqual(sorted(os.listdir(folder)), sorted(names))

    def test_a_file_keeps_mode_and_owner(self):
        for name, folder in self.writers():
            for mode in (0o600, 0o640, 0o644, 0o755, 0o666):
                out = folder / "out"
                out.write_bytes(b"old" * 1000000)
                out.chmod(mode)
                if IS_ROOT:
                    os.chown(out, 1234, 4321)
                self.write(name, out)
                self.assertEqual(out.read_bytes(), self.content[name])
                # A file is executable only for those who may read what it was made from: all, here.
                self.assertEqual(oct(mode_of(out)), oct(mode & 0o755 if name != "emit -o" else mode))
                if IS_ROOT:
                    self.assertEqual((out.stat().st_uid, out.stat().st_gid), (1234, 4321))
            self.only(folder, "out")

    def test_a_new_file_has_the_umask(self):
        for name, folder in self.writers():
            for mask in (0o022, 0o077, 0o027):
                out = folder / f"out{mask}"
                os.umask(mask)
                self.write(name, out)
                self.assertEqual(oct(mode_of(out)), oct(0o666 & ~mask))

    def test_links_are_followed(self):
        for name, folder in self.writers():
            (folder / "inner").mkdir()
            target, first, second, dangling = folder / "inner/target", folder / "first", folder / "second", folder / "dangling"
            target.write_bytes(b"old")
            first.symlink_to("inner/target")
            second.symlink_to(first)
            dangling.symlink_to("inner/new")
            for link in (first, second):
                target.write_bytes(b"old")
                self.write(name, link)
                self.assertEqual((link.is_symlink(), target.is_symlink(), target.read_bytes()), (True, False, self.content[name]))
            self.write(name, dangling)
            self.assertEqual((dangling.is_symlink(), (folder / "inner/new").read_bytes()), (True, self.content[name]))
            self.only(folder / "inner", "target", "new")
            (folder / "loop").symlink_to("loop")
            self.assertIn(b"symbolic links", self.write(name, folder / "loop", code=2).stderr)

    def test_a_pipe_stays_one(self):
        for name, folder in self.writers():
            pipe = folder / "pipe"
            os.mkfifo(pipe)
            got = []
            reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
            reader.start()
            self.write(name, pipe)
            reader.join()
            self.assertEqual((got, stat.S_ISFIFO(pipe.stat().st_mode)), ([self.content[name]], True))
            self.only(folder, "pipe")

    def test_a_device_stays_one(self):
        def make_null(path):
            os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
            path.write_bytes(b"")

        try:
            make_null(self.place / "null")
        except PermissionError:
            self.skipTest("no devices here")
        for name, folder in self.writers():
            device = folder / "null"
            make_null(device)
            self.write(name, device)
            full = folder / "full"
            os.mknod(full, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
            self.assertIn(f"{full}: No space left".encode(), self.write(name, full, code=2).stderr)
            self.assertTrue(stat.S_ISCHR(device.stat().st_mode) and stat.S_ISCHR(full.stat().st_mode))

    def test_descriptors_are_written_to_where_they_are(self):
        for name, folder in self.writers():
            words = " ".join(f"'{word}'" for word in [EVNAME, *map(str, WRITERS[name](self.source, "PLACE"))])
            for place in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-"):
                log = folder / "log"
                script = f"{{ echo a; {words.replace('PLACE', place)}; echo b; }}"
                log.write_bytes(b"0\n")
                subprocess.run(["bash", "-c", f"{script} >> '{log}' 2>/dev/null"], check=True)
                self.assertEqual(log.read_bytes(), b"0\na\n" + self.content[name] + b"b\n", place)
                piped = subprocess.run(["bash", "-c", f"{script} 2>/dev/null | cat"], check=True, capture_output=True).stdout
                self.assertEqual(piped, b"a\n" + self.content[name] + b"b\n", place)
            substituted = folder / "substituted"
            subprocess.run(["bash", "-c", f"{words.replace(chr(39) + 'PLACE' + chr(39), f'>(cat > {substituted})')}; wait $!"],
                           check=True, stderr=subprocess.DEVNULL)
            self.assertEqual(substituted.read_bytes(), self.content[name])

    def test_what_is_read_only_or_a_directory_stays(self):
        for name, folder in self.writers():
            out = folder / "out"
            out.write_bytes(b"old")
            out.chmod(0o444)
            self.assertIn(b"read-only", self.write(name, out, code=2).stderr)
            self.assertEqual((out.read_bytes(), mode_of(out)), (b"old", 0o444))
            (folder / "directory").mkdir()
            self.write(name, folder / "directory", code=2)
            self.write(name, folder / "missing" / "out", code=2)
            self.only(folder, "out", "directory")

    def test_a_target_that_can_not_be_written_whole_stays(self):
        for name, folder in self.writers():
            out = folder / "out"
            out.write_bytes(b"old")

            def limit():
                import resource
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
            self.assertIn(b"File too large", self.write(name, out, code=2, preexec_fn=limit, restore_signals=False).stderr)
            self.assertEqual(out.read_bytes(), b"old")
            self.only(folder, "out")

    def test_private_stays_private(self):
        self.source.chmod(0o600)
        for name, folder in self.writers(FROM_RECORDINGS):
            for mode in (None, 0o644, 0o666, 0o755, 0o600):
                out = folder / f"out{mode}"
                if mode is not None:
                    out.write_bytes(b"old")
                    out.chmod(mode)
                self.write(name, out)
                self.assertEqual(oct(mode_of(out) & 0o77), oct(0), mode)
            with open(self.source, "rb") as private:
                piped = subprocess.run([EVNAME, *map(str, WRITERS[name]("-", folder / "from-stdin"))], stdin=private,
                                       capture_output=True)
            self.assertEqual((piped.returncode, oct(mode_of(folder / "from-stdin") & 0o77)), (0, oct(0)))

    def test_a_group_that_may_not_read_gets_nothing(self):
        if not IS_ROOT:
            self.skipTest("only root has files of other groups")
        self.source.chmod(0o640)
        for group, expected in ((0, 0o640), (4321, 0o600)):
            os.chown(self.source, 0, group)
            for name, folder in self.writers(FROM_RECORDINGS):
                self.write(name, folder / "out")
                self.assertEqual(oct(mode_of(folder / "out")), oct(expected), group)

    def test_every_recording_of_a_report_counts(self):
        private = self.place / "private.data"
        shutil.copyfile(N1, private)
        private.chmod(0o600)
        self.assertEqual(run("report", self.source, private, "--html", self.place / "page").returncode, 0)
        self.assertEqual(oct(mode_of(self.place / "page")), oct(0o600))

    def test_a_file_of_another_owner_stays_theirs(self):
        other = {"user": 1234, "group": 1234, "extra_groups": []} if IS_ROOT else {}
        self.place.chmod(0o755)
        with contextlib.suppress(PermissionError):
            if IS_ROOT and run("--version", **other).returncode == 0:
                for name, folder in self.writers():
                    out = folder / "out"
                    folder.chmod(0o777)
                    for old in (b"old", b"old" * 1000000):
                        out.write_bytes(old)
                        out.chmod(0o666)
                        inode = out.stat().st_ino
                        self.write(name, out, **other)
                        self.assertEqual((out.read_bytes(), out.stat().st_uid, out.stat().st_ino), (self.content[name], 0, inode))
                    out.chmod(0o644)
                    out.write_bytes(b"old")
                    self.assertIn(b"Permission denied", self.write(name, out, code=2, **other).stderr)
                    self.assertEqual(out.read_bytes(), b"old")
                    self.only(folder, "out")
                return
        self.skipTest("only root can be another")

    def test_a_file_that_is_mounted_by_itself_is_written_to(self):
        if not can_unshare():
            self.skipTest("needs namespaces")
        for name, folder in self.writers():
            out, inner = folder / "out", folder / "inner"
            out.write_bytes(b"")
            inner.write_bytes(b"old" * 1000000)
            words = [EVNAME, *map(str, WRITERS[name](self.source, out))]
            mounted = subprocess.run(["unshare", "-m", "sh", "-c", f"mount --bind '{inner}' '{out}' && exec \"$@\"", "sh", *words],
                                     capture_output=True)
            self.assertEqual((mounted.returncode, inner.read_bytes(), out.read_bytes()), (0, self.content[name], b""))
            self.only(folder, "inner", "out")

    def test_without_proc_it_works_as_well(self):
        if has_sanitizer(EVNAME, "asan", "tsan"):
            self.skipTest("sanitizers need /proc")
        if not can_unshare():
            self.skipTest("needs namespaces")
        for name, folder in self.writers():
            for mode in (None, 0o640):
                out = folder / f"out{mode}"
                if mode is not None:
                    out.write_bytes(b"old")
                    out.chmod(mode)
                words = [EVNAME, *map(str, WRITERS[name](self.source, out))]
                hidden = subprocess.run(["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh", *words],
                                        capture_output=True)
                self.assertEqual(hidden.returncode, 0, hidden.stderr)
                self.assertEqual((out.read_bytes(), oct(mode_of(out))), (self.content[name], oct(mode or 0o644)))
            self.only(folder, "outNone", f"out{0o640}")


class Directories(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place = pathlib.Path(directory.name)
        self.source = self.place / "perf.data"
        (self.source / "more").mkdir(parents=True)
        shutil.copyfile(N1, self.source / "data")
        for name in ("data.0", "more/other"):
            (self.source / name).write_bytes(b"x" * 5000)

    def inject(self, out, code=0):
        result = run("inject", self.source, "-o", out)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def files(self, folder):
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    @contextlib.contextmanager
    def nothing_else(self, *names):
        before = set(os.listdir(self.place))
        yield
        self.assertEqual(set(os.listdir(self.place)) - before, set(names))

    def test_what_a_user_has_beside_it_stays(self):
        mine = self.place / "out.tmp"
        mine.mkdir()
        (mine / "mine").write_text("mine")
        with self.nothing_else("out"):
            self.inject(self.place / "out")
        self.assertEqual((mine / "mine").read_text(), "mine")
        self.assertEqual(set(self.files(self.place / "out")), {"data", "data.0", "more/other"})
        with self.nothing_else():
            self.assertIn(b"File exists", self.inject(self.place / "out", code=2).stderr)
            self.assertIn(b"File exists", self.inject(mine, code=2).stderr)
        with self.nothing_else("slash"):
            self.inject(str(self.place / "slash") + "/")

    def test_private_stays_private(self):
        modes = {".": 0o700, "data": 0o600, "data.0": 0o640, "more": 0o750, "more/other": 0o604}
        for name, mode in modes.items():
            (self.source / name).chmod(mode)
        self.inject(self.place / "out")
        for name, mode in modes.items():
            self.assertEqual(oct(mode_of(self.place / "out" / name) & ~mode), oct(0), name)
        for mode, data in ((0o700, 0o644), (0o755, 0o600)):
            self.source.chmod(mode)
            (self.source / "data").chmod(data)
            self.assertLess(run("report", self.source, "--html", self.place / "page").returncode, 2)
            self.assertEqual(oct(mode_of(self.place / "page")), oct(0o600))
            (self.place / "page").unlink()

    def test_runs_at_once_do_not_meet(self):
        with self.nothing_else(*(f"out{i}" for i in range(6)), "same"):
            runs = [subprocess.Popen([EVNAME, "inject", self.source, "-o", self.place / name], stderr=subprocess.DEVNULL)
                    for name in [*(f"out{i}" for i in range(6)), "same", "same", "same"]]
            codes = [one.wait() for one in runs]
        self.assertEqual(codes[:6], [0] * 6)
        self.assertIn(0, codes[6:])
        whole = self.files(self.place / "out0")
        for name in ("out1", "out5", "same"):
            self.assertEqual(self.files(self.place / name), whole)

    def test_what_is_cut_short_leaves_nothing(self):
        with open(self.source / "data.1", "wb") as large:
            os.posix_fallocate(large.fileno(), 0, 200 << 20)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            before = set(os.listdir(self.place))
            with self.nothing_else():
                process = subprocess.Popen([EVNAME, "inject", self.source, "-o", self.place / "out"], stderr=subprocess.DEVNULL)
                while set(os.listdir(self.place)) == before and process.poll() is None:
                    time.sleep(0.001)
                process.send_signal(number)
                self.assertEqual(process.wait(), -number)

    def test_what_is_no_file_is_told(self):
        os.mkfifo(self.source / "pipe")
        with self.nothing_else():
            self.assertIn(b"pipe: not a regular file", self.inject(self.place / "out", code=2).stderr)


# Options that name a file or directory, by what becomes of it; each subcommand's help lists them.
READ = {"--symfs", "--vmlinux", "--kallsyms", "--sysfs", "--events", "--from", "-i"}
TREE = {"arm64/mapfile.csv": "Family-model,Version,Filename,EventType\n0x00000000410fd4f0,v1,arm/n9,core\n",
        "arm64/arm/n9/a.json": '[{"EventName": "A", "EventCode": "0x11"}]\n'}
# What can't take the place of a recording: the words that write to PATH; those that read SOURCE, and those that
# replace another recording if they are forced.
REPLACING = {
    ("report", "--html"): lambda source, path: ["report", "--html", path, source],
    ("export", "-o"): lambda source, path: ["export", source, "--format", "perfetto", "-o", path],
    ("inject", "-o"): lambda source, path: ["inject", source, "--tid", "149", "-o", path],
    ("emit", "-o"): lambda source, path: ["emit", "--cpu", "skylakex", "--events", "inst_retired.any", "--format", "c", "-o", path],
    ("stat", "-o"): lambda source, path: ["stat", "-e", "duration_time", "-o", path, "--", "true"],
    ("stat", "--append -o"): lambda source, path: ["stat", "-e", "duration_time", "--append", "-o", path, "--", "true"],
    ("topdown", "-o"): lambda source, path: ["topdown", "--cpu", "neoverse-n1", "-l", "1", "--from", COUNTS, "-o", path],
    ("topdown", "--html"): lambda source, path: ["topdown", "--cpu", "neoverse-n1", "-l", "1", "--from", COUNTS, "--html", path],
    ("stat", "--openmetrics -o"): lambda source, path: ["stat", "-e", "duration_time", "--openmetrics", "-o", path, "--", "true"],
}
RECORD = ["record", "-q", "-e", "page-faults:u"]
REPLACING["record", "--html"] = lambda source, path: [*RECORD, "-o", f"{path}.new", "--html", path, "--", "true"]
INTO_DIRECTORIES = {("split", "-o"), ("import", "--into")}
RENAMING = {("record", "-o")}  # what was there is FILE.old then: record_test.py


def file_options():
    """Each subcommand with its options that name a file or a directory."""
    for name in re.findall(r"^void add_(\w+)\(", (ROOT / "tools/subcommands.hpp").read_text(), re.M):
        for option in re.findall(r"^  (-[^ ,]+)\S* (?:FILE|DIR|DIRECTORY) ", run(name, "--help").stdout.decode(), re.M):
            yield name, option


def unread(path):
    """What lstat() says of a file, but for when it was read."""
    found = os.lstat(path)
    return found.st_mode, found.st_ino, found.st_nlink, found.st_size, found.st_mtime_ns, found.st_ctime_ns


class Recordings(unittest.TestCase):
    """No output takes the place of an input, or of a recording."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.place = pathlib.Path(directory.name)
        self.bytes = N1.read_bytes()
        self.fill()

    def fill(self):
        for path in self.place.iterdir():
            path.unlink()
        for name in ("source", "other"):
            (self.place / name).write_bytes(self.bytes)
            (self.place / f"{name}-symbolic").symlink_to(name)
            os.link(self.place / name, self.place / f"{name}-hard")
        (self.place / "old").write_bytes(b"PERFFILE" + bytes(100))
        (self.place / "swapped").write_bytes(b"2ELIFREP" + bytes(100))
        self.before = self.state()

    def state(self):
        return {path.name: (path.is_symlink(), hashlib.sha256(path.read_bytes()).digest()) for path in self.place.iterdir() if path.is_file()}

    def names(self, start):
        return [self.place / name for name in sorted(self.before) if name.startswith(start)]

    def test_every_option_is_here(self):
        written = {option for option in file_options() if option[1] not in READ}
        self.assertEqual(written, {(name, words.split()[-1]) for name, words in REPLACING} | INTO_DIRECTORIES | RENAMING)

    def test_an_input_is_never_replaced(self):
        for option, words in REPLACING.items():
            for path in self.names("source"):
                for forced in ([], ["--force"]) if option[0] not in ("emit", "record", "stat", "topdown") else ([],):
                    with self.subTest(option, path=path.name, forced=forced):
                        name, *rest = words(self.place / "source", path)
                        result = run(name, *forced, *rest)
                        self.assertEqual((result.returncode, self.state()), (2, self.before))
                        self.assertRegex(result.stderr.decode(), f"{option[1].split()[-1]} .*{path}: is (an input|a recording)")

    def test_another_recording_is_replaced_by_force_alone(self):
        for option, words in REPLACING.items():
            for path in self.names("o") + self.names("swapped"):
                with self.subTest(option, path=path.name):
                    name, *rest = words(self.place / "source", path)
                    result = run(name, *rest)
                    self.assertEqual((result.returncode, self.state()), (2, self.before))
                    self.assertIn(f"{path}: is a recording, which is not replaced without --force", result.stderr.decode())
                    self.assertEqual(run(name, "--force", *rest).returncode, 0)
                    self.assertNotEqual(self.state()[path.name], self.before[path.name])
                    self.assertEqual((self.place / "source").read_bytes(), self.bytes)
                    self.fill()

    def test_standard_input_is_an_input(self):
        for option, words in REPLACING.items():
            name, *rest = words("-", self.place / "list")
            (self.place / "list").write_bytes(b"cycles\n")
            with self.subTest(option), open(self.place / "list", "rb") as given:
                result = subprocess.run([EVNAME, name, *map(str, rest)], stdin=given, capture_output=True)
                self.assertEqual((result.returncode, (self.place / "list").read_bytes()), (2, b"cycles\n"))
                self.assertIn(b"is an input", result.stderr)

    def test_descriptors_are_looked_at(self):
        for option, words in REPLACING.items():
            for place, redirection in (("-", "1<>"), ("-", "1>>"), ("/dev/stdout", "1<>"), ("/dev/fd/3", "3<>")):
                for path in ("source", "other"):
                    with self.subTest(option, place=place, path=path):
                        quoted = " ".join(f"'{word}'" for word in [EVNAME, *map(str, words(self.place / "source", place))])
                        result = subprocess.run(["sh", "-c", f"{quoted} {redirection}'{self.place / path}'"], capture_output=True)
                        self.assertEqual((result.returncode, self.state()), (2, self.before), result.stderr)

    def test_nothing_is_printed_into_what_is_read(self):
        source = self.place / "source"
        for words in (["annotate"], ["annotate", "--json"], ["report"], ["info"], ["info", "--records"], ["inject", "-o", self.place / "new"],
                      ["export", "--format", "pprof", "-o", self.place / "new"], ["split", "--by", "cpu", "-o", self.place / "new"],
                      ["cpu"], ["list"], ["resolve", "cycles"], ["name", "0x11"], ["show", "cycles"], ["metrics"]):
            for mode in ("ab", "r+b"):
                with self.subTest(words[0], mode=mode), open(source, mode) as out:
                    result = subprocess.run([EVNAME, *map(str, words), "-i", source], stdout=out, stderr=subprocess.PIPE)
                    self.assertEqual((result.returncode, self.state()), (2, self.before), result.stderr)
                    self.assertIn(f"{source}: is standard output, too".encode(), result.stderr)

    def test_a_file_of_a_directory_that_is_read_stays(self):
        folder = self.place / "directory"
        (folder / "kcore_dir").mkdir(parents=True)
        for name in ("data", "data.0", "kcore_dir/kallsyms"):
            (folder / name).write_bytes(self.bytes if name == "data" else b"x")
        for option in (("report", "--html"), ("export", "-o")):
            for name in ("data", "data.0", "kcore_dir/kallsyms"):
                before = (folder / name).read_bytes()
                result = run(*REPLACING[option](folder, folder / name))
                self.assertEqual((result.returncode, (folder / name).read_bytes()), (2, before))
                self.assertIn(b"is an input", result.stderr)

    def test_files_of_symbols_are_inputs(self):
        (self.place / "symbols").write_bytes(b"0 T _text\n")
        for option in (("report", "--html"), ("export", "-o"), ("inject", "-o")):
            for given in ("--vmlinux", "--kallsyms"):
                name, *rest = REPLACING[option](self.place / "source", self.place / "symbols")
                result = run(name, given, self.place / "symbols", *rest)
                self.assertEqual((result.returncode, (self.place / "symbols").read_bytes()), (2, b"0 T _text\n"))

    def test_the_value_of_html_is_not_forgotten(self):
        result = run("report", "--html", self.place / "other", self.place / "source")
        self.assertEqual((result.returncode, self.state()), (2, self.before))
        self.assertIn(b"--html names the file to write", result.stderr)

    def test_inject_may_replace_its_input_if_it_keeps_everything(self):
        self.assertEqual(run("inject", self.place / "source", "-o", self.place / "named").returncode, 0)
        for path in self.names("source") + self.names("o"):
            self.assertEqual(run("inject", self.place / "source", "-o", path).returncode, 0)
            self.assertEqual(path.read_bytes(), (self.place / "named").read_bytes())

    def test_split_takes_only_free_names(self):
        parts = run("split", self.place / "source", "--by", "comm", "-o", self.place / "parts")
        names = sorted(path.name for path in (self.place / "parts").iterdir())
        self.assertEqual((parts.returncode, names), (0, ["ls.data", "md5sum.data", "sh.data"]))
        for taken in names:
            for make in (lambda path: path.write_bytes(b"mine"), lambda path: path.symlink_to("nowhere"), os.mkfifo,
                         lambda path: os.link(self.place / "source", path), lambda path: path.mkdir()):
                folder = pathlib.Path(tempfile.mkdtemp(dir=self.place))
                make(folder / taken)
                before = unread(folder / taken)
                result = run("split", self.place / "source", "--by", "comm", "-o", folder)
                self.assertEqual((result.returncode, os.listdir(folder)), (2, [taken]))
                self.assertEqual(unread(folder / taken), before)
                self.assertIn(f"{folder / taken}: is there already".encode(), result.stderr)
        self.assertEqual(self.state(), self.before)

    def test_split_leaves_no_empty_directory(self):
        def limit():
            import resource
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        (self.place / "mine").mkdir()
        for folder in ("new", "new/inner/most", "mine/new", "mine"):
            result = run("split", self.place / "source", "--by", "comm", "-o", self.place / folder, preexec_fn=limit,
                         restore_signals=False)
            self.assertEqual((result.returncode, self.state()), (2, self.before), result.stderr)
            self.assertIn(b"File too large", result.stderr)
            self.assertFalse((self.place / "new").exists())
            self.assertEqual(os.listdir(self.place / "mine"), [])
        self.assertEqual(run("split", self.place / "source", "--by", "cpu", "--comm", "nobody", "-o", self.place / "new").returncode, 1)
        self.assertFalse((self.place / "new").exists())

    def test_import_writes_through_no_link(self):
        for tree in ("from", "into"):
            (self.place / tree / "arm64/arm/n9").mkdir(parents=True)
            (self.place / tree / "arm64/mapfile.csv").write_text(TREE["arm64/mapfile.csv"].splitlines(True)[0])
        for name, text in TREE.items():
            (self.place / "from" / name).write_text(text)
        mine = self.place / "mine.json"
        for link in (os.link, lambda target, path: path.symlink_to(target)):
            for name in TREE:
                path = self.place / "into" / name
                mine.write_text("[]\n")
                path.unlink(missing_ok=True)
                link(mine, path)
                run("import", "--from", self.place / "from", "--into", self.place / "into")
                self.assertEqual(mine.read_text(), "[]\n")
        path.unlink()
        path.write_bytes(self.bytes)
        result = run("import", "--from", self.place / "from", "--into", self.place / "into")
        self.assertEqual((result.returncode != 0, path.read_bytes()), (True, self.bytes), result.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
