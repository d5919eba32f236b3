#!/usr/bin/env python3
"""Faults that end or prevent a recording: full disks, limits, rights, signals. The samples up to the fault are kept.
Usage: record_faults_test.py EVNAME"""

import ctypes
import errno
import json
import os
import pathlib
import platform
import resource
import shlex
import shutil
import signal
import stat
import struct
import subprocess
import sys
import time
import unittest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import fake_counters
from interrupts import wait_until
from sanitizers import has_sanitizer
from record_case import EVNAME, MOST, SLEEP, WORK, Case, run


class Faults(Case):
    def test_what_fits_on_a_full_disk_is_kept(self):
        """The limit on sizes of files stands for the disk: writing fails in the middle of records."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (150_001, 150_001))

        work = ["sh", "-c", " ".join([shlex.join(WORK) + ";"] * 20)]  # enough also if it is compressed
        for options in ([], ["-z"]):
            with self.subTest(options):
                result = run("record", *options, "-c", "1", "-e", "page-faults:u", "-o", str(self.file), "--", *work, code=2,
                             preexec_fn=limit)
                self.assertIn("File too large", result.stderr)
                read = run("report", "--json", str(self.file))
                self.assertNotIn("warning", read.stderr)
                kept = json.loads(read.stdout.splitlines()[0])["samples"]
                self.assertGreater(kept, 2000)
                self.assertIn(f" {kept} samples in ", result.stderr)

    def test_what_closing_reports_is_told(self):
        """As NFS does that has no more room: each close(2) fails then."""
        def refuse():
            arch, *_, close, _ = fake_counters.CALLS[platform.machine()]
            load, jump, answer, fails, allow = 0x20, 0x15, 0x06, 0x00050000 | errno.EIO, 0x7FFF0000
            rows = [(load, 0, 0, 4), (jump, 0, 3, arch), (load, 0, 0, 0), (jump, 0, 1, close), (answer, 0, 0, fails), (answer, 0, 0, allow)]
            code = b"".join(struct.pack("HBBI", *row) for row in rows)
            program = ctypes.create_string_buffer(code, len(code))
            head = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(rows), ctypes.addressof(program)))
            ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
            if ctypes.CDLL(None).prctl(22, 2, head, 0, 0) != 0:  # PR_SET_SECCOMP, a filter
                raise OSError("no seccomp")

        if platform.machine() not in fake_counters.CALLS:
            self.skipTest("no numbers of system calls")
        if has_sanitizer(EVNAME, "asan", "tsan"):
            self.skipTest("sanitizers close files of their own")
        child = self.child("print('up', flush=True)\ninput()")
        for options in ([], ["--switch-output=1s"]):
            with self.subTest(options):
                try:
                    result = run("record", *options, "-e", "page-faults:u", "-p", str(child.pid), "-o", str(self.file), "--timeout", "1500",
                                 code=None, preexec_fn=refuse)
                except subprocess.SubprocessError as error:
                    self.skipTest(str(error))
                if "error while loading" in result.stderr:  # the loader closes the libraries' files
                    self.skipTest("evname is not static")
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertRegex(result.stderr, r"perf\.data[.\d]*: Input/output error")
                self.assertNotIn("is complete", result.stderr)

    def test_an_empty_file_stays_if_nothing_is_recorded(self):
        for content in (None, b"", b"no recording"):
            with self.subTest(content):
                self.file.unlink(missing_ok=True)
                if content is not None:
                    self.file.write_bytes(content)
                    self.file.chmod(0o640)
                self.record("-q", command=["/none/x"], code=2)
                self.assertEqual(self.file.read_bytes() if self.file.exists() else None, content)
                if content is not None:
                    self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o640)

    def test_a_closed_pipe_is_told(self):
        recorder = subprocess.Popen([EVNAME, "record", "-c", "1", "-e", "page-faults:u", "-o", "-", "--", *WORK],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        recorder.stdout.read(1000)
        recorder.stdout.close()
        self.assertIn(b"Broken pipe", recorder.stderr.read())
        recorder.stderr.close()
        self.assertEqual(recorder.wait(20), 2)

    def test_the_command_does_not_ignore_closed_pipes(self):
        self.record("-q", command=["sh", "-c", "yes | head -n 1 > /dev/null; kill -PIPE $$"], code=128 + signal.SIGPIPE)

    def test_it_ends_with_the_process(self):
        child = self.child("print('up', flush=True)\ninput()")
        recorder, _ = self.started("-q", "-e", "page-faults:u", "-p", str(child.pid))
        child.stdin.write(b"\n")
        child.wait(20)
        self.assertEqual(recorder.wait(20), 0)
        self.assertIn("hostname", self.info())
        self.assertIn(str(child.pid), run("record", "-e", "page-faults:u", "-p", str(child.pid), code=2).stderr)

    def test_it_goes_on_while_one_process_is_left(self):
        first, second = (self.child("print('up', flush=True)\ninput()\nbytearray(1 << 25)") for _ in range(2))
        recorder, order = self.started("-q", "-e", "page-faults:u", "-c", "1", "-p", f"{first.pid},{second.pid}")
        for child in (first, second):
            child.stdin.write(b"\n")
            child.wait(20)
            if child == first:
                time.sleep(0.3)
                order(b"ping\n")
        self.assertEqual(recorder.wait(20), 0)
        self.assertGreater(len([s for s in self.samples("-F", "pid") if s["pid"] == second.pid]), MOST)

    def test_it_goes_on_while_one_thread_is_left(self):
        child = self.child("import ctypes,os,threading\ndef late():\n os.read(0, 1)\n bytearray(1 << 25)\n"
                           "for _ in range(2): threading.Thread(target=late).start()\n"
                           "print('up', flush=True)\nctypes.CDLL(None).pthread_exit(None)")
        recorder, order = self.started("-q", "-e", "page-faults:u", "-c", "1", "-p", str(child.pid))
        for _ in range(2):
            child.stdin.write(b"-")
            time.sleep(0.5)
        recorder.wait(20)
        self.assertGreater(len(self.samples("-F", "pid")), 2 * MOST)

    def test_limits_of_files_are_named(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (14, 14))

        events = ",".join(["page-faults:u", "minor-faults:u", "major-faults:u", "task-clock:u", "cpu-clock:u"] * 3)
        result = self.record(event=events, command=["true"], code=None)
        self.assertEqual(result.returncode, 0, result.stderr)
        result = run("record", "-e", events, "-o", str(self.file), "--", "true", code=2, preexec_fn=limit)
        self.assertRegex(result.stderr, "may have 14.*ulimit -n")

    def as_nobody(self, *words, code=0):
        """Runs a copy of evname as another user, in a directory of that user."""
        if os.geteuid() != 0:
            self.skipTest("needs root")
        self.folder.chmod(0o777)
        copy = self.folder / "evname"
        if not copy.exists():
            shutil.copy(EVNAME, copy)
            copy.chmod(0o755)
        result = subprocess.run([str(copy), *words], capture_output=True, text=True, timeout=60, user=65534, group=65534,
                                extra_groups=[], cwd=self.folder)
        if "error while loading" in result.stderr or result.returncode == 127:
            self.skipTest(result.stderr)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stderr

    def test_users_are_told_which_setting_forbids_it(self):
        level = int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text())
        if level < 1:
            self.skipTest("nothing is forbidden")
        told = self.as_nobody("record", "-e", "cpu-clock", "-a", "--", "true", code=2)
        for words in (f"cpu-clock: not permitted (kernel.perf_event_paranoid is {level}", "needs 0 or less", "CAP_PERFMON",
                      "sysctl kernel.perf_event_paranoid=0"):
            self.assertIn(words, told)

    def test_counting_that_is_forbidden_runs_nothing(self):
        """As perf 7.3 with `stat -a -e cpu-clock`, which ends with 1."""
        if int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text()) < 1:
            self.skipTest("nothing is forbidden")
        for options in ([], ["-e", "cpu-clock,context-switches"], ["-x,"], ["--json", "-I", "100"]):
            told = self.as_nobody("stat", *options, "-a", "--", "sh", "-c", "echo ran >&2", code=1)
            self.assertEqual(len(told.splitlines()), 1, told)
            self.assertIn("cpu-clock:u: not permitted", told)

    def test_users_are_told_what_others_processes_need(self):
        """perf_check_permission of kernel/events/core.c: CAP_PERFMON or ptrace access, whatever perf_event_paranoid is."""
        for words in (["record", "-o", "other"], ["stat", "--timeout", "100"]):
            with self.subTest(words[0]):
                told = self.as_nobody(*words, "-e", "page-faults:u", "-p", str(os.getpid()), code=2 if words[0] == "record" else 1)
                for part in ("another user's", "CAP_PERFMON", "ptrace access"):
                    self.assertIn(part, told)
                self.assertNotIn("sysctl", told)

    def test_a_program_with_other_rights_is_told_of(self):
        sleeper = self.folder / "sleeper"
        shutil.copy(shutil.which("sleep"), sleeper)
        sleeper.chmod(0o4755)
        told = self.as_nobody("record", "-e", "page-faults:u", "-o", "own.data", "--", "./sleeper", "0.9")
        if "other rights" not in told and os.statvfs(self.folder).f_flag & os.ST_NOSUID:
            self.skipTest("no setuid programs here")
        self.assertIn("./sleeper goes on without being sampled", told)

    def test_an_empty_root_directory_suffices(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")
        root = self.folder / "root"
        root.mkdir()
        shutil.copy(EVNAME, root / "evname")

        def inside(*words):
            return subprocess.run(["/evname", *words], capture_output=True, text=True, timeout=60, cwd="/",
                                  preexec_fn=lambda: os.chroot(root))

        try:
            result = inside("record", "-e", "page-faults", "-c", "1", "--html", "/page.html", "-o", "/perf.data", "--", "/evname",
                            "list", "--help")
        except OSError as error:
            self.skipTest(f"evname is not static: {error}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("samples in /perf.data", result.stderr)
        rows = inside("report", "--json", "-s", "dso", "/perf.data").stdout.splitlines()
        self.assertIn("evname", {(json.loads(row).get("dso") or "").rpartition("/")[2] for row in rows})
        self.assertIn("page-faults", (root / "page.html").read_text())
        result = inside("record", "-e", "cpu-clock", "-c", "1000000", "-a", "-o", "/cpus.data", "--timeout", "100")
        self.assertEqual(result.returncode, 0, result.stderr)


class Endings(Case):
    def test_the_commands_status(self):
        self.record("-q", command=["sh", "-c", "exit 7"], code=7)
        self.record("-q", command=["sh", "-c", "kill -9 $$"], code=137)
        self.assertIn("No such file", self.record(command=["/no/such/command"], code=2).stderr)

    def files(self):
        """Each file of the folder, with where it leads or what is in it."""
        def content(path):
            kind = stat.S_IFMT(path.lstat().st_mode)
            return kind, os.readlink(path) if kind == stat.S_IFLNK else path.read_bytes() if kind == stat.S_IFREG else path.lstat().st_ino
        return {path.name: content(path) for path in self.folder.iterdir()}

    def kept_through(self, *arguments, command, code):
        """Returns standard error of a `record` that replaces no file; it may make new ones."""
        before = self.files()
        result = self.record("-q", *arguments, command=command, code=code)
        self.assertEqual(self.files(), before, result.stderr)
        return result.stderr

    def test_what_can_not_be_recorded_replaces_nothing(self):
        old = self.folder / "perf.data.old"
        for name, make in (("text", lambda path: path.write_text("mine")), ("directory", pathlib.Path.mkdir), ("fifo", os.mkfifo),
                           ("recording", lambda path: path.write_bytes(b"PERFILE2" + bytes(9))), ("none", lambda path: None)):
            with self.subTest(name):
                self.file.write_bytes(b"PERFILE2" + bytes(100))
                make(old)
                self.kept_through(command=["/no/such/command"], code=2)
                if name in ("text", "directory", "fifo"):
                    self.assertIn("is not replaced without --force", self.kept_through(command=["true"], code=2))
                self.record("-q", "--force", command=["true"])
                self.assertEqual(old.read_bytes(), b"PERFILE2" + bytes(100))
                shutil.rmtree(self.folder)
                self.folder.mkdir()

    def test_what_is_no_regular_file_keeps_its_name(self):
        self.folder.joinpath("mine").write_bytes(b"PERFILE2" + bytes(100))
        for make in (os.mkfifo, lambda path: path.symlink_to("/dev/null"), lambda path: path.symlink_to("mine")):
            make(self.file)
            self.kept_through(command=["/no/such/command"], code=2)
            if not self.file.is_file():
                self.assertIn("is not a regular file", self.kept_through("--switch-output", command=["true"], code=2))
                self.assertIn("is not a regular file", self.kept_through("--timestamp-filename", command=["true"], code=2))
            self.file.unlink()
        self.file.symlink_to("mine")
        self.record("-q", command=["true"])
        self.assertTrue(self.file.is_symlink())
        self.assertEqual((self.folder / "mine.old").read_bytes(), b"PERFILE2" + bytes(100))

    def test_any_file_that_is_not_empty_is_kept(self):
        self.file.write_text("mine")
        self.record("-q", command=["true"])
        self.assertEqual((self.folder / "perf.data.old").read_text(), "mine")

    def test_an_earlier_recording_is_kept_and_other_files_are_not_touched(self):
        self.record("-q", "-c", "1")
        first = self.file.read_bytes()
        self.record("-q", "-c", "100")
        self.assertEqual((self.folder / "perf.data.old").read_bytes(), first)
        (self.folder / "loop").symlink_to("loop")
        for name in ("no/folder/file", "loop"):
            result = run("record", "-e", "page-faults:u", "-o", str(self.folder / name), "--", "true", code=2)
            self.assertIn(name, result.stderr)

    def test_what_was_recorded_before_a_kill_can_be_read(self):
        faults = "import mmap\nwhile True:\n with mmap.mmap(-1, 1 << 22) as m: m.write(bytes(1 << 22))"
        worker = subprocess.Popen([sys.executable, "-c", faults])
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)
        recorder = subprocess.Popen([EVNAME, "record", "-q", "-c", "1", "-m", "8", "-e", "page-faults:u", "-o", str(self.file),
                                     "-p", str(worker.pid)])
        self.addCleanup(recorder.kill)
        wait_until(lambda: self.file.exists() and self.file.stat().st_size >= 1 << 20, recorder)
        recorder.kill()
        recorder.wait()
        result = run("report", "--json", "--salvage", str(self.file), code=None)
        self.assertIn("terminated properly?", result.stderr)
        self.assertGreater(json.loads(result.stdout.splitlines()[0])["samples"], 10000)

    def test_a_signal_ends_in_a_whole_file(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            recorder = subprocess.Popen([EVNAME, "record", "-q", "-e", "page-faults:u", "-o", str(self.file), "--", *SLEEP])
            self.addCleanup(recorder.kill)
            wait_until(lambda: self.file.exists() and self.file.stat().st_size > 0, recorder)
            time.sleep(0.2)
            recorder.send_signal(number)
            self.assertEqual(recorder.wait(20), -number)
            self.assertIn("hostname", self.info())

    def test_limits(self):
        self.record("-q", "-c", "1", "--max-size", "100K")
        self.assertLess(self.file.stat().st_size, 1_000_000)  # a buffer more
        self.assertGreater(len(self.samples()), 100)
        begin = time.monotonic()
        run("record", "-q", "-e", "page-faults:u", "-p", str(os.getpid()), "--timeout", "300", "-o", str(self.file))
        self.assertLess(time.monotonic() - begin, 10)

    def test_a_full_device_is_reported(self):
        result = run("record", "-q", "-c", "1", "-e", "page-faults:u", "-o", "/dev/full", "--", *WORK, code=2)
        self.assertIn("No space left on device", result.stderr)

    def test_the_page_is_written(self):
        page = self.folder / "page.html"
        self.record("-q", "-c", "1", "--html", str(page))
        self.assertIn("page-faults:u", page.read_text())

    def test_mistakes(self):
        for arguments, words in [(["-a", "-p", "1"], "not both"), (["-c", "5", "-F", "10"], "exclude"),
                                 (["--call-graph", "dwarf,7"], "multiple of 8"), (["-j", "any,x"], "'x'"),
                                 (["-k", "noon"], "'noon'"), (["-D", "20-10"], "'20-10'"), (["-D", "-2"], "'-2'"),
                                 (["--switch-output=1x"], "'1x'"), (["--switch-output=5"], "'5'"),
                                 (["--switch-max-files", "3"], "--switch-output"), (["--swich-output"], "--switch-output?"),
                                 (["-o", "-", "--switch-output"], "not -o -"), (["--td-level", "2"], "--topdown"), (["-F", "many"], "'many'"), (["--max-size", "1X"], "'1X'")]:
            result = run("record", *arguments, "--", "true", code=2)
            self.assertIn(words, result.stderr)
        self.assertIn("COMMAND is missing", run("record", code=2).stderr)


class Limits(Case):
    def as_user(self, *arguments):
        """Runs evname as a user who may lock no memory but what kernel.perf_event_mlock_kb permits."""
        program = self.folder / "evname"
        shutil.copy(EVNAME, program)
        for path in (program, self.folder):
            path.chmod(0o777)
        no_memory = lambda: resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
        return subprocess.run([program, *arguments], capture_output=True, encoding="utf-8", timeout=60, cwd=self.folder,
                              user=65534, extra_groups=[], preexec_fn=no_memory, env={})

    def test_all_cpus_have_buffers_however_much_is_asked_for(self):
        """64 MiB for the first CPU would leave nothing to the others."""
        if os.geteuid() != 0 or int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text()) not in (0, 1, 2):
            self.skipTest("needs root, and users who may sample but not lock memory")
        done = self.as_user("record", "-m", "16384", "-c", "1", "-e", "page-faults:u", "-o", "own.data", "--", "ls")
        if "error while loading" in done.stderr:
            self.skipTest("evname is not static")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"buffers have \d+ KiB instead of 65536: kernel.perf_event_mlock_kb permits no more")
        self.assertRegex(done.stderr, r"\d\d samples in own.data")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
