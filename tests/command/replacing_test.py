#!/usr/bin/env python3
"""No output takes the place of an input, or of a recording, whichever option names it.
Usage: replacing_test.py EVNAME SOURCE_ROOT"""

import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import unittest

import perf_file
from interrupts import let_interrupts_through

let_interrupts_through()
EVNAME, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
N1 = ROOT / "tests" / "data" / "neoverse-n1.data"
COUNTS = str(ROOT / "tests" / "data" / "topdown-n1.csv")

# Options that name a file or directory, by what becomes of it; each subcommand's help lists them.
READ = {"--symfs", "--vmlinux", "-k", "--kallsyms", "--sysfs", "--events", "--from", "--files-from", "-i"}
TREE = {"arm64/mapfile.csv": "Family-model,Version,Filename,EventType\n0x00000000410fd4f0,v1,arm/n9,core\n",
        "arm64/arm/n9/a.json": '[{"EventName": "A", "EventCode": "0x11"}]\n'}
# What can't take the place of a recording: the words that write to PATH; those that read SOURCE, and those that
# replace another recording if they are forced.
KALLSYMS = tempfile.NamedTemporaryFile("w")
KALLSYMS.write("ffff800080000000 T _text\nffff8000f0000000 T _end\n")
KALLSYMS.flush()
REPLACING = {
    ("report", "--html"): lambda source, path: ["report", "--html", path, source],
    ("export", "-o"): lambda source, path: ["export", source, "--format", "perfetto", "-o", path],
    ("annotate", "--log"): lambda source, path: ["annotate", source, "--log", path],
    ("inject", "-o"): lambda source, path: ["inject", source, "--tid", "149", "-o", path],
    ("pack", "-o"): lambda source, path: ["pack", source, "--kallsyms", KALLSYMS.name, "-o", path],
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


def run(*arguments, **more):
    return subprocess.run([EVNAME, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, **more)


def file_options():
    """Each subcommand with its options that name a file or a directory."""
    for name in re.findall(r"^void add_(\w+)\(", (ROOT / "tools/subcommands.hpp").read_text(), re.M):
        for option in re.findall(r"^  (-[^ ,]+)(?:, \S+)? (?:FILE|DIR|DIRECTORY) ", run(name, "--help").stdout.decode(), re.M):
            yield name, "--html" if (name, option) == ("report", "-o") else option  # the same


def unread(path):
    """The result of lstat(), without the time of the last reading."""
    found = os.lstat(path)
    return found.st_mode, found.st_ino, found.st_nlink, found.st_size, found.st_mtime_ns, found.st_ctime_ns


class Recordings(unittest.TestCase):
    """No output takes the place of an input, or of a recording."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()  # for "-.new"
        self.addCleanup(scratch.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(scratch.name)
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

    def test_a_program_is_replaced_by_force_alone(self):
        program = self.place / "program"
        for option, words in REPLACING.items():
            with self.subTest(option):
                program.write_bytes(b"\x7fELF\2\1\1" + bytes(57))
                name, *rest = words(self.place / "source", program)
                result = run(name, *rest)
                self.assertEqual((result.returncode, program.read_bytes()[:4]), (2, b"\x7fELF"))
                self.assertIn(f"{program}: is a program or library, which is not replaced without --force", result.stderr.decode())
                self.assertEqual(run(name, "--force", *rest).returncode, 0)
                self.assertNotEqual(program.read_bytes(), b"\x7fELF\2\1\1" + bytes(57))

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

    def test_nothing_is_printed_into_other_inputs(self):
        tree = self.tree()
        texts = {"counts": pathlib.Path(COUNTS).read_text(), "list": f"{self.place / 'source'}\n", "kallsyms": "0 T _text\n"}
        for name, text in texts.items():
            (self.place / name).write_text(text)
        topdown = ["topdown", "--cpu", "neoverse-n1", "-l", "1", "--from"]
        of_events = tree / "arm64/arm/neoverse-n1/a.json"
        for words, path, input in (
                (["metrics", "--cpu", "neoverse-n1", "--from", "counts"], "counts", "counts"),
                (["metrics", "--cpu", "neoverse-n1", "--from", "-"], "counts", "standard input"),
                ([*topdown, "counts"], "counts", "counts"),
                ([*topdown, COUNTS, "--events", tree], of_events, tree),
                (["annotate", "--files-from", "list"], "list", "list"),
                (["annotate", "--files-from", "-"], "list", "standard input"),
                (["annotate", "--kallsyms", "kallsyms", "source"], "kallsyms", "kallsyms"),
                (["report", "--vmlinux", "kallsyms", "source"], "kallsyms", "kallsyms"),
                (["list", "--cpu", "neoverse-n1", "--events", tree], of_events, tree),
                (["show", "--cpu", "neoverse-n1", "--events", tree, "A"], of_events, tree),
                (["metrics", "--cpu", "neoverse-n1", "--events", tree], of_events, tree),
                (["schedule", "--cpu", "neoverse-n1", "--events", tree, "A"], of_events, tree)):
            path = self.place / path
            before = path.read_bytes()
            for mode in ("ab", "r+b"):
                with self.subTest(words=words, mode=mode), open(path, mode) as out, open(path if "-" in words else os.devnull) as given:
                    result = subprocess.run([EVNAME, *map(str, words)], stdin=given, stdout=out, stderr=subprocess.PIPE, cwd=self.place)
                    self.assertEqual((result.returncode, path.read_bytes()), (2, before), result.stderr)
                    self.assertIn(f"{input}: is standard output, too".encode(), result.stderr)

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

    def tree(self):
        """A directory with event files of the CPU of most tests here."""
        for name, text in TREE.items():
            path = self.place / "tree" / name.replace("n9", "neoverse-n1")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("410fd4f0", "410fd0c0").replace("n9", "neoverse-n1"))
        return self.place / "tree"

    def test_files_of_the_machine_are_inputs(self):
        tree, devices = self.tree(), self.place / "sysfs/bus/event_source/devices/cpu"
        devices.mkdir(parents=True)
        (devices / "type").write_text("4\n")
        of_events = [tree / "arm64/arm/neoverse-n1/a.json", tree / "arm64/mapfile.csv"]
        for words, paths in ((["-i", self.place / "source"], self.names("source")),
                             (["--cpu", "neoverse-n1", "--events", tree], of_events),
                             (["--cpu", "neoverse-n1", "--sysfs", self.place / "sysfs"], [devices / "type"])):
            for option, path, format in itertools.product(("-o", "--html"), paths, ([], ["--json"])):
                if format and option == "--html":
                    continue
                with self.subTest(words=words, option=option, path=path.name):
                    before = path.read_bytes()
                    result = run("topdown", *words, "-l", "1", "--from", COUNTS, *format, option, path, "--force")
                    self.assertEqual((result.returncode, path.read_bytes()), (2, before), result.stderr)
                    self.assertIn(f"{option} FILE is the output; {path}: is an input", result.stderr.decode())

    def test_two_outputs_are_two_files(self):
        (self.place / "folder").mkdir()
        (self.place / "folder-symbolic").symlink_to("folder")
        (self.place / "folder/link").symlink_to("new")
        for words, rest in ((["topdown", "--cpu", "neoverse-n1", "-l", "1", "--from", COUNTS], []),
                            (RECORD, ["--", "touch", self.place / "run"])):
            for there, name in itertools.product((False, True), ("new", "./new", "link", self.place / "folder/new",
                                                                 self.place / "folder-symbolic/new")):
                with self.subTest(words[0], name=str(name), there=there):
                    new = self.place / "folder/new"
                    if there:
                        new.write_bytes(b"mine")
                    result = run(*words, "-o", "new", "--html", name, "--force", *rest, cwd=self.place / "folder")
                    self.assertEqual(result.returncode, 2, result.stderr)
                    self.assertRegex(result.stderr, b"the same file|is an input")
                    self.assertEqual(new.read_bytes() if there else new.exists(), b"mine" if there else False)
                    self.assertFalse((self.place / "run").exists())
                    new.unlink(missing_ok=True)
        result = run("topdown", "--cpu", "neoverse-n1", "-l", "1", "--from", COUNTS, "-o", "a", "--html", "b", cwd=self.place / "folder")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_event_files_in_use_are_inputs(self):
        tree = self.tree()
        environment = {**os.environ, "EVNAME_EVENTS": str(tree)}
        path = tree / "arm64/arm/neoverse-n1/a.json"
        before = path.read_bytes()
        ways = {**REPLACING, ("inject", "-o all"): lambda source, path: ["inject", source, "-o", path]}
        for option, words in ways.items():
            name, *rest = words(self.place / "source", path)
            for forced in ([], ["--force"]):
                with self.subTest(option, forced=forced):
                    result = run(name, *forced, *rest, env=environment)
                    self.assertEqual((result.returncode, path.read_bytes()), (2, before), result.stderr)
                    self.assertIn(f"{option[1].split()[0 if name == 'inject' else -1]} FILE is the output; {path}: is an input", result.stderr.decode())
            with self.subTest(option, used=False):
                result = run(name, "--no-user-events", *rest, env=environment)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertNotEqual(path.read_bytes(), before)
                path.write_bytes(before)

    def test_files_of_symbols_that_are_found_are_inputs(self):
        tree, home = self.place / "symfs", self.place / "home"
        base, kernel, size = 0x500000, 0xffffffff81000000, 0x1000

        def mapped(name, start, misc, pid, id=b""):
            body = struct.pack("<iiQQQ", pid, pid, start, size, start if id else 0)
            body += struct.pack("<B3x20s", len(id), id) if id else bytes(24)
            return perf_file.record(10, body + struct.pack("<II", 5, 2) + perf_file.padded(name.encode()) + perf_file.trailer(1), misc)

        def recording(*mappings, ip, misc):
            sample = perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQ", 1, ip, 1, 1, 10), misc)
            return perf_file.file(b"".join(mappings) + sample, [perf_file.attr(sample_type=perf_file.TYPE | 1)],
                                  [(6, struct.pack("<I64s", 64, b"x86_64"))])
        name = b"jitted\0"
        load = struct.pack("<IIQIIQQQQ", 0, 56 + len(name), 0, 1, 1, base, base, size, 0) + name
        anon, id = mapped("//anon", base, 2, 1), b"\x5a" * 20
        kinds = {
            tree / "tmp/perf-1.map": (f"{base:x} {size:x} jitted\n".encode(), recording(anon, ip=base + 16, misc=2)),
            tree / "jit-1.dump": (struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 1, 0, 0) + load,
                                  recording(mapped("/jit-1.dump", base, 2, 1), anon, ip=base + 16, misc=2)),
            home / f".debug/[kernel.kallsyms]/{id.hex()}/kallsyms": (f"{kernel:x} T _text\n{kernel:x} T jitted\n".encode(), recording(
                mapped("[kernel.kallsyms]_text", kernel, 1 | 1 << 14, -1, id), ip=kernel + 16, misc=1)),
        }
        ways = {
            "report": lambda path: ["report", "--html", path],
            "export": lambda path: ["export", "--format", "perfetto", "-o", path],
            "annotate": lambda path: ["annotate", "-F", "ip,sym", "--log", path],
            "inject": lambda path: ["inject", "--sym", "jitted", "-o", path],
        }
        for path, (content, data) in kinds.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            (self.place / "jitted.data").write_bytes(data)
            for name, words in ways.items():
                def written_to(out):
                    rest = [self.place / "jitted.data", "--symfs", tree, "--force"]
                    return run(*words(out), *rest, env={**os.environ, "HOME": str(home), "DEBUGINFOD_URLS": ""})
                path.write_bytes(content)
                path.chmod(0o600)
                with self.subTest(name, path=path.name):
                    result = written_to(path)
                    self.assertEqual((result.returncode, path.read_bytes()), (2, content), result.stderr)
                    self.assertIn(f"{path}: is an input".encode(), result.stderr)
                path.write_bytes(content)
                with self.subTest(name, path=path.name, elsewhere=True):
                    new = self.place / "new"
                    result = written_to(new)
                    self.assertEqual(result.returncode, 0, result.stderr)
                    if name != "inject":  # it has no names
                        self.assertEqual(stat.S_IMODE(new.stat().st_mode), 0o600)
                    new.unlink()
            path.unlink()

    def test_the_value_of_html_is_not_forgotten(self):
        result = run("report", "--html", self.place / "other", self.place / "source")
        self.assertEqual((result.returncode, self.state()), (2, self.before))
        self.assertIn(b"--html FILE is the output", result.stderr)

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
                self.assertIn(f"{folder / taken}: the file exists".encode(), result.stderr)
        self.assertEqual(self.state(), self.before)

    def test_split_leaves_nothing_of_what_it_can_not_write_whole(self):
        def limit():
            import resource
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        parts = run("split", self.place / "source", "--by", "comm", "-o", self.place / "parts", "--json")
        sizes = [os.path.getsize(json.loads(line)["file"]) for line in parts.stdout.splitlines()]
        shutil.rmtree(self.place / "parts")
        self.assertLess(sizes[0], max(sizes))
        (self.place / "mine").mkdir()
        for folder, most in itertools.product(("new", "new/inner/most", "mine/new", "mine"), (100, max(sizes) - 1)):
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
