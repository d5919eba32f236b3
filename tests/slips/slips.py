#!/usr/bin/env python3
"""Would the tests notice a slip? Puts small faults into the library, one at a time, and runs the tests that reach
them. Usage: slips.py BUILD_DIR [--seed N] [--count N] [--at-least PERCENT] [--jobs N] [--units N]

The places and what stands there instead are found in the sources (places.py): another comparison, a constant that is off by
one, a sum that is a difference, a condition or a part of it that is always met or never, another field or call, a statement left out. The seed chooses, and
chooses errors, rare forms and second times (places.RARE) more often; without one it is the date's, so that each day has fresh
ones. All slips of a run are compiled in at once, each behind slips::on<NUMBER>(), and the environment variable EVNAME_SLIP turns one of them on: a run needs one build, which compiles each unit with slips
once. A first run of the tests with all slips off finds out which test reaches which slip. Each slip then gets only the tests
that reach it, beginning with tests of its own room and the fastest, and the first failure ends it. If the unit tests notice
nothing, the commands whose output is known (tests/command/outputs_test.py) run one by one, and then the other tests of the
build directory: scripts that run the command, the generator or the libraries, and programs in C. Each test of a slip
ends after some seconds. Undefined behaviour that UndefinedBehaviorSanitizer traps is noticed as well. With --units only some units of
the library, which the seed chooses, get slips, and those other tests are left out: it takes less than half of the time.

Slips without a visible effect are left out: the rules for that are in places.py, and the file
`equivalent` lists single ones with the reason. Exit code: 0 enough were noticed, 1 too few, 2 nothing could be run."""

import argparse
import concurrent.futures
import datetime
import fnmatch
import hashlib
import itertools
import json
import os
import pathlib
import random
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time

import places

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "tests/command"))
import outputs_test  # noqa: E402
# Not runtime/counting and sampling: which of their paths run is decided by the kernel and the rights of whoever runs the
# tests. Not runtime/libpfm: it is a library of its own.
ROOMS = ("runtime/base/", "runtime/events/", "runtime/perf_format/", "runtime/recordings/")
PROGRAM_ROOMS = ("runtime/c/", "gen/", "tools/")  # tested by programs in C and scripts that run the command, not by unit tests
UNIT_TESTS = "tests/unit-tests"
SKIPPED = 77
SPARE = 1.25  # some of the chosen places do not compile, or only where another system is meant
MEMORY = 4 << 30


def fail(message):
    print(f"slips: {message}", file=sys.stderr)
    sys.exit(2)


def equivalents():
    """(path, line's text) of places whose slips change nothing."""
    rows = [line.split("\t") for line in (HERE / "equivalent").read_text().splitlines()
            if line and not line.startswith("#")]
    for row in rows:
        if len(row) != 3:
            fail(f"equivalent: not three columns: {row}")
        if row[1] not in [line.strip() for line in (ROOT / row[0]).read_text().splitlines()]:
            fail(f"equivalent: {row[0]} has no line '{row[1]}'")
    return {(row[0], row[1]) for row in rows}


def choose(files, seed, count):
    """Places in random order, none within another; what a reader would look at comes sooner."""
    left_out, draw = equivalents(), random.Random(seed)
    all_places, weights = [], {}
    for path in sorted(files):
        text = (ROOT / path).read_text()
        lines = text.splitlines()
        for place in places.places_of(path, text):
            if (path, lines[place.line - 1].strip()) not in left_out:
                all_places.append(place)
                weights[place] = places.RARE_WEIGHT if places.RARE.search(lines[place.line - 1]) else 1
    # The least of as many random numbers as the weight has the same chances.
    all_places.sort(key=lambda place: min(draw.random() for _ in range(weights[place])))
    chosen = []
    for place in all_places:
        if len(chosen) == int(count * SPARE):
            break
        if all(place.path != other.path or place.end <= other.start or other.end <= place.start for other in chosen):
            chosen.append(place)
    print(f"{len(all_places)} places in {len(files)} files; seed {seed}; left out: " +
          ", ".join(f"{count} ({reason})" for reason, count in places.LEFT_OUT.most_common() if reason))
    return chosen


def with_slips(path, slips):
    """The text of a file with its slips. Lines keep their numbers."""
    text = (ROOT / path).read_text()
    for number, place in sorted(slips.items(), key=lambda one: -one[1].start):
        feeds = "\n" * text[place.start:place.end].count("\n")
        new = place.text.replace("%N", str(number)).replace("\n", " ")
        text = text[:place.start] + new + feeds + text[place.end:]
    return f'#include "slip.hpp"\n#line 1 "{path}"\n{text}'


class Unit:
    """A unit that the compiler compiles: a file, or several that Meson joins."""

    def __init__(self, entry):
        self.directory, self.output = pathlib.Path(entry["directory"]), entry["output"]
        self.command = shlex.split(entry["command"])
        self.source = self.directory / entry["file"]
        self.files = {}
        joined = re.findall(r'#include\s*[<"]([^>"]+)[>"]', self.source.read_text()) if "unity" in self.source.name else []
        for name in joined or [self.source]:
            path = os.path.relpath(os.path.realpath(self.directory / name), ROOT)
            self.files[path] = name

    def write(self, slips, work):
        """Writes the sources with slips. Returns the file to compile."""
        changed = {}
        for path in self.files:
            own = {number: place for number, place in slips.items() if place.path == path}
            target = work / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(with_slips(path, own) if own else (ROOT / path).read_text())
            changed[path] = target
        if len(changed) == 1:
            return next(iter(changed.values()))
        joined = work / self.source.name
        joined.write_text("".join(f'#include "{target}"\n' for target in changed.values()))
        return joined

    def compile(self, slips, work):
        """Returns the object, and the slips that can't be compiled."""
        own = {number: place for number, place in slips.items() if place.path in self.files}
        text = "".join(with_slips(path, {n: p for n, p in own.items() if p.path == path}) for path in self.files)
        target = work / (hashlib.sha256(text.encode()).hexdigest() + ".o")  # as an earlier run with --keep left it
        left = target.with_suffix(".dropped")
        if left.exists():
            return target if target.exists() else None, set(json.loads(left.read_text()))
        dropped = set()
        for _ in range(12):
            live = {number: place for number, place in own.items() if number not in dropped}
            if not live:
                left.write_text(json.dumps(sorted(dropped)))
                return None, dropped
            source = self.write(live, work)
            done = subprocess.run(self._command(source, target), cwd=self.directory, capture_output=True, text=True)
            if done.returncode == 0:
                symbols = subprocess.run(["nm", target], capture_output=True, text=True, check=True).stdout
                dropped |= set(own) - {int(number) for number in re.findall(r"slips2onILi(\d+)E", symbols)}
                left.write_text(json.dumps(sorted(dropped)))
                return target, dropped
            bad = self._slips_at(done.stderr, live)
            if not bad:
                fail(f"{self.source}: {done.stderr[:3000]}")
            dropped |= bad
        return None, set(own)

    def _command(self, source, target):
        words = iter(word for word in self.command if word != "ccache")
        out = []
        for word in words:
            if word in ("-MQ", "-MF", "-o", "-c"):
                next(words)
            elif word not in ("-MD", "-Winvalid-pch") and not word.startswith(("-O", "-g", "-W", "-fdiagnostics")):
                out.append(word)
        return [*out, "-O0", "-D_GLIBCXX_ASSERTIONS", "-fsanitize=undefined", "-fno-sanitize=vptr",
                "-fsanitize-undefined-trap-on-error", "-w", "-fmax-errors=200", f"-I{HERE}", "-o", str(target), "-c", str(source)]

    @staticmethod
    def _slips_at(errors, slips):
        """The slips on lines with errors; if there are none, the slips of the files."""
        found = re.findall(r"^((?:gen|runtime|tools)/[^:\n]+):(\d+):(?:\d+:)? (?:fatal )?error", errors, re.M)
        on_lines = {number for number, place in slips.items() for path, line in found
                    if place.path == path and 0 <= int(line) - place.line <= 3}
        named = re.findall(r"^(?:In file included from )?((?:gen|runtime|tools)/[^:\n]+):(\d+)", errors, re.M)
        near = {number for number, place in slips.items() for path, line in named
                if place.path == path and 0 <= int(line) - place.line <= 3}
        return on_lines or near or {number for number, place in slips.items() if place.path in {p for p, _ in named}}


def units_of(build_dir):
    """The units of the library: other systems' files are in none."""
    entries = json.loads((build_dir / "compile_commands.json").read_text())
    return [Unit(entry) for entry in entries if re.match(r"(gen|runtime|tools)/.*libevname-[\w-]+\.a\.p/", entry["output"])
            and "tables.a.p" not in entry["output"]]


def build(build_dir, units, slips, jobs, work):
    """Builds the unit tests and the command with the slips. Returns those that could be compiled."""
    chosen = {place.path for place in slips.values()}
    units = [unit for unit in units if chosen & set(unit.files)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        done = list(pool.map(lambda unit: unit.compile(slips, work), units))
    dropped = set().union(*(bad for _, bad in done))
    for name in ("slip", "reached"):
        subprocess.run(["c++", "-std=c++20", "-O1", "-c", HERE / (name + ".cpp"), "-o", work / (name + ".o")], check=True)
    replaced = {unit.output: str(target) for unit, (target, _) in zip(units, done) if target}
    for target in programs_of(build_dir):
        more = ["slip", "reached"] if target == UNIT_TESTS else ["slip"]
        link(build_dir, target, [str(work / f"{name}.o") for name in more], replaced, work / pathlib.Path(target).name)
    return {number: place for number, place in slips.items() if number not in dropped}


def link(build_dir, target, more, replaced, program):
    """Links a target of the build directory with other objects in place of some of its libraries' own, and with more."""
    command = subprocess.run(["ninja", "-C", build_dir, "-t", "commands", target], capture_output=True, text=True,
                             check=True).stdout.splitlines()[-1]
    words = shlex.split(command)
    out = []
    for i, word in enumerate(words):
        members = members_of(build_dir, word) if word.endswith(".a") and not word.startswith("/") else []
        if i and words[i - 1] == "-o":
            out += [str(program), *more]
        elif set(replaced) & set(members):
            out += [replaced.get(member, member) for member in members]
        else:
            out.append(word)
    done = subprocess.run(out, cwd=build_dir, capture_output=True, text=True)
    if done.returncode != 0:
        fail(done.stderr[-3000:])


def shared_library(build_dir, name):
    """The file of the shared library, if there is one."""
    return next((path for path in sorted(build_dir.glob(f"runtime/lib{name}.so.*.*")) if path.is_file()), None)


def programs_of(build_dir):
    """The targets that are linked with slips."""
    libraries = [shared_library(build_dir, name) for name in ("evname", "pfm")]
    return [UNIT_TESTS, "tools/evname", "gen/evname-gen", *(f"runtime/{path.name}" for path in libraries if path)]


def members_of(build_dir, archive):
    """The objects that Meson's archives, which are thin, stand for."""
    done = subprocess.run(["ar", "t", archive], cwd=build_dir, capture_output=True, text=True)
    return done.stdout.split()


def cpu_time(line):
    """The ms of CPU time that the shell's `times` has of its children: "0m0.250s 0m0.030s"."""
    return int(sum(60_000 * int(m) + 1000 * float(s) for m, s in re.findall(r"(\d+)m([\d.]+)s", line)))


class Tests:
    """Which tests reach a slip, and whether they notice it."""

    def __init__(self, build_dir, work, jobs, slips):
        self.build_dir, self.work, self.jobs, self.slips = build_dir, work, jobs, slips
        self.environment = {**os.environ, "EVNAME_SOURCE_ROOT": str(ROOT), "EVNAME_EVENTS": ""}
        self.reaching, self.took = {}, {}

    def run(self, command, took, **more):
        """Runs a command that took so many ms without a slip; returns None if it takes far longer."""
        return self.limited(command, self.work, {**self.environment, **more}, stderr=subprocess.STDOUT, took=took)

    @staticmethod
    def limited(command, cwd, env, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, took=0):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (3 + 4 * took // 1000, 4 + 4 * took // 1000))
        try:
            return subprocess.run(command, env=env, timeout=20 + 5 * took / 1000, preexec_fn=limit, cwd=cwd,
                                  stdin=stdin, stdout=subprocess.PIPE, stderr=stderr)
        except subprocess.TimeoutExpired:
            return None

    def likeliest_first(self, slip):
        return sorted(self.reaching.get(slip, []), key=self.took.get)

    def notices(self, slip):
        for batch in self.batches(self.likeliest_first(slip)):
            done = self.run(self.command(batch), sum(map(self.took.get, batch)), EVNAME_SLIP=str(slip))
            if done is None or done.returncode != 0:
                return True
        return False


class UnitTests(Tests):
    NAME = "unit"
    BATCHES_MS = (200, 2000)  # of CPU time; what takes longer in all is not run
    # These go through all names, or look for crashes, hangs and leaks in many inputs: they take longer than all others.
    LEFT_OUT = ("Corruption.OfAn*", "Corruption.OfTheRec*", "CountersTest.FilesAre*", "Glob.TakesTime*", "Jobs.ChangeNothing*",
                "Namer.EveryAnswer*", "Stacks.FunctionsCount*")

    def __init__(self, build_dir, work, jobs, slips):
        super().__init__(build_dir, work, jobs, slips)
        self.rooms = {}  # of each test: "events/machine"
        for path in sorted((ROOT / "tests").rglob("*_test.cpp")):
            for suite, name in re.findall(r"^TEST(?:_[FP])?\((\w+), (\w+)\)", path.read_text(), re.M):
                self.rooms[f"{suite}.{name}"] = str(path.parent.relative_to(ROOT / "tests"))

    def likeliest_first(self, slip):
        """Tests of the slip's own room come before tests that only pass through it, and the fastest first."""
        room = re.sub("^tools.*", "command", str(pathlib.PurePath(self.slips[slip].path).parent)).removeprefix("runtime/")
        return sorted(self.reaching.get(slip, []), key=lambda test: (self.rooms.get(test) != room, self.took[test]))

    def batches(self, tests):
        """Few tests that take little time first: starting a process takes as long as some of them."""
        spent = 0
        for most in self.BATCHES_MS:
            batch, later = [], []
            for test in tests:
                fits = spent + self.took[test] <= most
                (batch if fits else later).append(test)
                spent += self.took[test] if fits else 0
            tests = later
            if batch:
                yield batch

    def command(self, tests):
        return [self.work / "unit-tests", "--gtest_brief=1", "--gtest_fail_fast", "--gtest_filter=" + ":".join(tests)]

    def record(self):
        """Runs all tests with all slips off."""
        def part(index):
            out = self.work / f"reached.{index}"
            done = self.run([self.work / "unit-tests", "--gtest_brief=1", "--gtest_filter=-" + ":".join(self.LEFT_OUT)], 300_000,
                            GTEST_TOTAL_SHARDS=str(self.jobs), GTEST_SHARD_INDEX=str(index), EVNAME_SLIPS_OF_TESTS=str(out))
            if done is None or done.returncode != 0:
                fail("the tests fail without a slip:\n" + (done.stdout[-3000:].decode(errors="replace") if done else "time"))
            return out.read_text().splitlines()
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for line in (line for lines in pool.map(part, range(self.jobs)) for line in lines):
                name, took, *reached = line.split()
                self.took[name] = int(took)
                for slip in reached:
                    self.reaching.setdefault(int(slip), []).append(name)


class Programs(Tests):
    """The other tests of the build directory that run something with slips in it: scripts and programs in C."""
    NAME = "other"
    BUDGET_MS = 6000  # of CPU time; what takes longer in all is not run
    SUITES = ("evname", "evname:command", "evname:c", "evname:libpfm", "evname:against-perf")
    # These run the class Outputs' commands again, need a browser or other programs, or take longer than all others, as what
    # goes through all places where memory can run out does.
    LEFT_OUT = ("c-no-memory", "command-hostile", "command-output", "command-outputs-*", "command-page", "command-page_model",
                "command-planted", "command-record*", "command-screen", "command-strict", "viewer-*", "libpfm-consumers",
                "hostile-names")

    def __init__(self, build_dir, work, jobs, slips):
        super().__init__(build_dir, work, jobs, slips)
        self.commands = {}
        listed = subprocess.run(["meson", "introspect", "--tests", build_dir], capture_output=True, text=True, check=True)
        made = {str(build_dir / target): str(work / pathlib.Path(target).name) for target in programs_of(build_dir)}
        preloaded = made.get(str(shared_library(build_dir, "evname")))
        for test in json.loads(listed.stdout):
            # Some versions of Meson name what they build by its place in the build directory.
            test["cmd"] = [str(build_dir / word) if (build_dir / word).is_file() else word for word in test["cmd"]]
            in_c = preloaded and test["suite"] == ["evname:c"]
            if not set(test["suite"]) & set(self.SUITES) or not in_c and not set(test["cmd"]) & set(made) or \
                    any(fnmatch.fnmatch(test["name"], pattern) for pattern in self.LEFT_OUT):
                continue
            words = [f"{name}={value}" for name, value in test["env"].items() if name not in self.environment]
            words += [f"LD_PRELOAD={preloaded}"] if in_c else []
            self.commands[test["name"]] = ["env", *words, *(made.get(word, word) for word in test["cmd"])]

    def batches(self, tests):
        spent = 0
        for test in tests:
            spent += self.took[test]
            if spent < self.BUDGET_MS:
                yield [test]

    def command(self, tests):
        return self.commands[tests[0]]

    def record(self):
        def program(name):
            out = self.work / f"reached.{name}"
            out.unlink(missing_ok=True)
            shell = ["sh", "-c", '"$@"; status=$?; times; exit $status', "sh", *self.commands[name]]
            done = self.run(shell, 60_000, EVNAME_SLIPS_REACHED=str(out))
            took = 0 if done is None else cpu_time(done.stdout.decode(errors="replace").splitlines()[-1])
            if done is None or done.returncode != 0:
                if done is None or done.returncode != SKIPPED:
                    print(f"left out: '{name}' does not pass without a slip", flush=True)
                return name, took, set()
            return name, took, {int(line) for line in out.read_text().split()} if out.exists() else set()
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for name, took, reached in pool.map(program, self.commands):
                self.took[name] = took
                for slip in reached:
                    self.reaching.setdefault(slip, []).append(name)


def kind_of(line):
    """The subcommand, the options without their values, and the format."""
    return tuple(re.findall(r"^[\w-]+|(?<= )--format \S+|(?<= )--?[\w-]+", line))


class Outputs(Tests):
    """Commands whose output is known, each by itself."""
    NAME = "outputs"
    BUDGET_MS = 4000  # of CPU time; what takes longer in all is not run

    def __init__(self, build_dir, work, jobs, slips):
        super().__init__(build_dir, work, jobs, slips)
        place = pathlib.Path(tempfile.mkdtemp(dir=work))
        self.outputs = outputs_test.Outputs(place, ROOT, build_dir / "tests/fuzz/seeds")
        self.expected = outputs_test.expected()

    def record(self):
        """Runs all commands with all slips off."""
        def row(numbered):
            number, (_, line) = numbered
            out = self.work / f"reached.row-{number}"
            began = time.monotonic()
            digest = self.outputs.digest(self.work / "evname", line, EVNAME_SLIPS_REACHED=str(out))
            took = 1000 * (time.monotonic() - began)
            reached = {int(slip) for slip in out.read_text().split()} if out.exists() else set()
            out.unlink(missing_ok=True)
            return line, took, reached, digest == self.expected.get(line)
        rows = self.outputs.rows(outputs_test.SUBJECTS)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for line, took, reached, is_right in pool.map(row, enumerate(rows)):
                if not is_right:
                    print(f"left out: the output of '{line}' is another without a slip", flush=True)
                    continue
                self.took[line] = took
                for slip in reached:
                    self.reaching.setdefault(slip, []).append(line)

    def fastest_of_each(self, lines):
        """The fastest first, from each subcommand and format by turns."""
        groups = {}
        for line in sorted(lines, key=self.took.get):
            groups.setdefault(kind_of(line), []).append(line)
        return [line for turn in itertools.zip_longest(*groups.values()) for line in turn if line]

    def notices(self, slip):
        spent = 0
        for line in self.fastest_of_each(self.reaching.get(slip, [])):
            spent += self.took[line]
            if spent > self.BUDGET_MS:
                return False
            if self.outputs.digest(self.work / "evname", line, self.limited, EVNAME_SLIP=str(slip)) != self.expected[line]:
                return True
        return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--at-least", type=float, default=85)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path, help="a directory for objects and what was noticed, which a later run uses again")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--check", action="store_true", help="only look whether the list of equivalent slips is right")
    parser.add_argument("--only", default="", help="files whose path has this in it; a path of runtime/: any room")
    parser.add_argument("--only-unit-tests", action="store_true", help="neither scripts nor programs, nor commands whose output is known")
    parser.add_argument("--units", type=int, help="in how many units there are slips; without scripts and programs in C")
    options = parser.parse_args()
    if options.check:
        equivalents()
        return 0
    rooms = ROOMS if options.units else (*ROOMS, *PROGRAM_ROOMS)
    if options.only.startswith("runtime/"):
        rooms = (options.only,)
    files_of = {unit: [path for path in unit.files if path.startswith(rooms) and options.only in path]
                for unit in units_of(options.build.resolve())}
    units = [unit for unit, files in files_of.items() if files]
    if options.units:
        units = random.Random(options.seed).sample(units, min(options.units, len(units)))
    files = {path for unit in units for path in files_of[unit]}
    slips = dict(enumerate(choose(files, options.seed, options.count)))
    reached = set()
    with tempfile.TemporaryDirectory(prefix="evname-slips-") as directory:
        work = (options.keep or pathlib.Path(directory)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        slips = build(options.build.resolve(), units, slips, options.jobs, work)
        slips = dict(list(slips.items())[:options.count])
        if options.build_only:
            return 0
        chosen = [(number, place, (ROOT / place.path).read_text()) for number, place in slips.items()]
        memory = work / f"noticed-{hashlib.sha256(repr(chosen).encode()).hexdigest()}.json"  # of these slips only
        noticed = {n: True for n in json.loads(memory.read_text()) if n in slips} if memory.exists() else {}
        for kind in (UnitTests, Outputs, Programs)[:1 if options.only_unit_tests else 2 if options.units else 3]:
            tests = kind(options.build.resolve(), work, options.jobs, slips)
            tests.record()
            left = [number for number in slips if not noticed.get(number)]
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                noticed.update(zip(left, pool.map(tests.notices, left)))
            reached |= set(tests.reaching)
            memory.write_text(json.dumps([number for number in noticed if noticed[number]]))
            print(f"{sum(noticed.values())} of {len(slips)} after the {tests.NAME} tests", flush=True)
    for number, place in sorted(slips.items(), key=lambda one: one[1]):
        if not noticed[number]:
            text = (ROOT / place.path).read_text()
            unreached = "" if number in reached else " (no test reaches it)"
            print(f"not noticed: {place.path}:{place.line}: {place.kind}{unreached}: "
                  f"{' '.join(text[place.start:place.end].split())}")
    count = sum(noticed.values())
    print(f"{count} of {len(slips)} slips were noticed")
    return 0 if count >= len(slips) * options.at_least / 100 else 1


if __name__ == "__main__":
    sys.exit(main())
