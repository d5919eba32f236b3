#!/usr/bin/env python3
"""Files that the command writes: what they replace, whom they are open to, what they leave behind; for each
option that names one. Usage: files_test.py EVNAME SOURCE_ROOT"""

import contextlib
import os
import pathlib
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

    def test_a_limit_on_sizes_of_files_is_told(self):
        """SIGXFSZ has its default action here, as after `ulimit -f`: it ends the process."""
        def limit():
            import resource
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        for name, folder in self.writers():
            out = folder / "out"
            self.assertIn(b"File too large", self.write(name, out, code=2, preexec_fn=limit).stderr)
            self.only(folder)
        with open(self.place / "list", "wb") as stdout:
            result = subprocess.run([EVNAME, "list", "--cpu", "n1"], stdout=stdout, stderr=subprocess.PIPE, preexec_fn=limit)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"File too large", result.stderr)

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
            with self.nothing_else():
                ends = []
                while len(ends) < 10 and -number not in ends:
                    ends.append(self.interrupted(number))
                if not any(ends):
                    self.skipTest("the file system copies too fast")
                self.assertEqual(ends[-1], -number, ends)

    def interrupted(self, number):
        """How a copy ends that a signal finds at work, or too late."""
        before = set(os.listdir(self.place))
        process = subprocess.Popen([EVNAME, "inject", self.source, "-o", self.place / "out"], stderr=subprocess.DEVNULL)
        while set(os.listdir(self.place)) == before and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(number)
        ended = process.wait()
        if ended == 0:
            shutil.rmtree(self.place / "out")
        return ended

    def test_what_is_no_file_is_told(self):
        os.mkfifo(self.source / "pipe")
        with self.nothing_else():
            self.assertIn(b"pipe: not a regular file", self.inject(self.place / "out", code=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
