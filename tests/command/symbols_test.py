#!/usr/bin/env python3
"""Functions and source lines of samples: of a program that is compiled here, compared with what nm and addr2line
say of it, from every place where its symbols can be. Usage: symbols_test.py EVNAME yes|no yes|no (has it elfutils, and zstd?)"""

import gzip
import json
import lzma
import os
import pathlib
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import page_file
import perf_file
import sanitizers

EVNAME, HAS_ELF, HAS_ZSTD = sys.argv[1], sys.argv[2] == "yes", sys.argv[3] == "yes"
TOOLS = ("c++", "nm", "addr2line", "readelf", "objcopy", "strip")
MMAP2, IP, CALLCHAIN = 10, 1, 1 << 5
BASE, KERNEL = 0x500000, 0xffffffff81000000
SOURCE = """
static inline __attribute__((always_inline)) int fee(int a) {
  for (int i = 0; i < a; ++i) a ^= i * 7;
  return a;
}
namespace shop {
__attribute__((noinline)) int price(int a) {
  int b = fee(a);
  return b * 3 + 1;
}
}  // namespace shop
int main(int count, char**) { return shop::price(count) & 1; }
namespace shop { int shelf[32] = {1}; }
"""


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Program:
    """A program, and what other tools say of it."""

    def __init__(self, folder):
        self.path = folder / "program"
        source = folder / "program.cpp"
        source.write_text(SOURCE)
        subprocess.run(["c++", "-O2", "-g", "-Wl,--build-id=sha1", "-o", self.path, source], check=True)
        for line in output_of("readelf", "-lW", self.path).splitlines():
            words = line.split()
            if words[:1] == ["LOAD"] and "E" in words[6:-1]:
                self.offset, self.address, self.size = (int(words[i], 16) for i in (1, 2, 4))
            elif words[:1] == ["LOAD"] and "RW" in words:
                self.data = [int(words[i], 16) for i in (1, 2, 5)]  # offset, address, size in memory
        notes = output_of("readelf", "-n", self.path)
        self.build_id = notes.split("Build ID: ")[1].split()[0]
        for line in output_of("nm", "-S", "-C", self.path).splitlines():
            if line.endswith("shop::price(int)"):
                self.start, self.length = (int(word, 16) for word in line.split()[:2])
            elif line.endswith("shop::shelf"):
                self.shelf = int(line.split()[0], 16)
        self.addresses = list(range(self.start, self.start + self.length))
        lines = output_of("addr2line", "-afiC", "-e", self.path, *map(hex, self.addresses)).splitlines()
        places = {}  # of addresses: the line of the innermost call
        for line in lines:
            if line.startswith("0x"):
                address = int(line, 16)
            elif ":" in line and "(int)" not in line:
                places.setdefault(address, line.split(" (discriminator")[0])
        self.places = [places[address] for address in self.addresses]
        # A line of fee(), which is static and so has no mangled name, is in the call inlined on line 8.
        self.inlined = [place.rsplit(":", 1)[1] in "2345" for place in self.places]

    def ip(self, address):
        """Where an address of the file is in the process."""
        return BASE + address - self.address


def mapped(program, build_id=None, name=None):
    build_id = bytes.fromhex(build_id or program.build_id)
    body = struct.pack("<iiQQQ", 1, 1, BASE, program.size, program.offset)
    body += struct.pack("<B3x20sII", len(build_id), build_id, 5, 2)
    return perf_file.record(MMAP2, body + perf_file.padded(str(name or program.path).encode()) + perf_file.trailer(1),
                            2 | 1 << 14)


def sampled(ips, chains=False, misc=2):
    """A sample of each address, as PERF_SAMPLE_IDENTIFIER, IP, TID, TIME and maybe CALLCHAIN."""
    out = b""
    for time, ip in enumerate(ips):
        body = struct.pack("<QQiiQ", 1, ip, 1, 1, 10 + time)
        if chains:
            body += struct.pack("<QQQ", 2, 2**64 - 512, ip)  # PERF_CONTEXT_USER
        out += perf_file.record(perf_file.SAMPLE, body, misc)
    return out


def recording(data, chains=False, machine=b"x86_64"):
    arch = struct.pack("<I64s", 64, machine)
    return perf_file.file(data, [perf_file.attr(sample_type=perf_file.TYPE | IP | (CALLCHAIN if chains else 0))],
                          [(6, arch)])


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        missing = [tool for tool in TOOLS if not shutil.which(tool)]
        if missing:
            raise unittest.SkipTest(f"no {', '.join(missing)}")
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.program = Program(cls.folder)

    def run_on(self, data, *arguments, chains=False, home=None, machine=b"x86_64"):
        path = self.folder / "perf.data"
        path.write_bytes(recording(data, chains, machine))
        environment = dict(os.environ, HOME=str(home or self.folder / "nobody"))
        environment.pop("DEBUGINFOD_URLS", None)
        for name in ("XDG_CACHE_HOME", "DEBUGINFOD_CACHE_PATH"):
            environment.pop(name, None)
        return subprocess.run([EVNAME, *arguments, path], capture_output=True, text=True, env=environment)

    def samples(self, **keys):
        return mapped(self.program, **keys) + sampled(map(self.program.ip, self.program.addresses))

    def functions(self, *arguments, home=None, **keys):
        """The set of functions, and standard error."""
        done = self.run_on(self.samples(**keys), "annotate", "--json", "-F", "sym", "-v", *arguments, home=home)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {json.loads(line)["sym"] for line in done.stdout.splitlines()}, done.stderr


@unittest.skipUnless(HAS_ELF, "evname is built without elfutils")
class OfAProgram(Case):
    def test_frames_are_those_of_addr2line(self):
        done = self.run_on(self.samples(), "annotate", "--json", "-F", "frames,dso,build_id,symoff,srcline")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("warning", done.stderr)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(rows), len(self.program.addresses))
        self.assertTrue(any(self.program.inlined) and not all(self.program.inlined))
        source = str(self.folder / "program.cpp")
        for address, row, place, inlined in zip(self.program.addresses, rows, self.program.places,
                                                self.program.inlined):
            with self.subTest(hex(address)):
                frames = [("fee", place, True), ("shop::price(int)", source + ":8", False)]
                expected = frames if inlined else [("shop::price(int)", place, False)]
                self.assertEqual([(frame["sym"], frame["srcline"], frame["inlined"]) for frame in row["frames"]],
                                 expected)
                self.assertEqual((row["dso"], row["build_id"]), (str(self.program.path), self.program.build_id))
                self.assertEqual((row["symoff"], row["srcline"]), (address - self.program.start, place))

    def test_a_file_of_another_machine_has_no_functions(self):
        """Numbers of e_machine: 22 is S390, 183 AARCH64 (the ELF gABI)."""
        for machine, number in ((b"s390x", 22), (b"aarch64", 183)):
            with self.subTest(machine):
                done = self.run_on(self.samples(), "annotate", "--json", "-F", "sym", "-v", machine=machine)
                self.assertRegex(done.stderr, f"{self.program.path} is for another machine .*not {number}\\): not used")
                self.assertEqual({json.loads(line).get("sym") for line in done.stdout.splitlines()} & {"shop::price(int)", "fee"}, set())

    def test_files_that_are_more_than_a_process_may_open_by_itself(self):
        """Each stays open; the limit that a shell sets can be raised."""
        copies, data = [self.folder / f"copy{i}" for i in range(60)], b""
        for copy in copies:
            shutil.copy(self.program.path, copy)
        for i, copy in enumerate(copies):
            body = struct.pack("<iiQQQIIQQII", 1, 1, BASE + (i << 32), self.program.size, self.program.offset, 8, 1, 0, 0, 5, 2)
            data += perf_file.record(MMAP2, body + perf_file.padded(str(copy).encode()) + perf_file.trailer(1), 2)
            data += sampled([self.program.ip(self.program.addresses[0]) + (i << 32)])
        (self.folder / "copies.data").write_bytes(recording(data))
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        done = subprocess.run([EVNAME, "report", "--json", "--sort", "dso,sym", self.folder / "copies.data"], capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, most)))
        names = [json.loads(line)["sym"] for line in done.stdout.splitlines()]
        self.assertEqual(len(names), 60)
        self.assertFalse([name for name in names if "+0x" in name], done.stderr)

    def test_data_has_its_symbol(self):
        program, data_at = self.program, 0x700000
        offset, address, size = program.data
        body = struct.pack("<iiQQQIIQQII", 1, 1, data_at + (address & 0xfff), size, offset, 8, 1, 5, 0, 3, 2)
        mapping = perf_file.record(MMAP2, body + perf_file.padded(str(program.path).encode()) + perf_file.trailer(1), 2)
        place = data_at + program.shelf - (address & ~0xfff)
        samples = b"".join(perf_file.record(perf_file.SAMPLE, struct.pack("<QQiiQQ", 1, 0x10, 1, 1, 10 + i, place + i), 2) for i in (0, 4, 4))
        path = self.folder / "data.data"
        path.write_bytes(perf_file.file(mapping + samples, [perf_file.attr(sample_type=perf_file.TYPE | IP | 8)]))
        done = subprocess.run([EVNAME, "report", "--json", "--sort", "data_sym,symbol_daddr,dso_daddr", path], capture_output=True, text=True)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([(row["data_sym"], row["symbol_daddr"], row["dso_daddr"], row["samples"]) for row in rows],
                         [("shop::shelf", "shop::shelf+0x4", str(program.path), 2), ("shop::shelf", "shop::shelf+0x0", str(program.path), 1)])

    # Layout: sample__fprintf_sym of perf 7.3.
    def test_text_is_laid_out_as_by_perf_script(self):
        fields = ["annotate", "-F", "ip,sym,symoff,dso,srcline"]
        plain, chains = "", ""
        for address, place, inlined in zip(self.program.addresses, self.program.places, self.program.inlined):
            ip, offset, line = f"{self.program.ip(address):16x}", address - self.program.start, place.split("/")[-1]
            function = f"shop::price(int)+{offset:#x} ({self.program.path})\n  "
            plain += f" {ip} {function}{line}\n"
            chains += f"\n\t{ip} fee+{offset:#x}\n  {line} (inlined)\n" if inlined else "\n"
            chains += f"\t{ip} {function}{'program.cpp:8' if inlined else line}\n\n"
        self.assertEqual(self.run_on(self.samples(), *fields).stdout, plain)
        data = mapped(self.program) + sampled(map(self.program.ip, self.program.addresses), chains=True)
        self.assertEqual(self.run_on(data, *fields, chains=True).stdout, chains)

    # The first is the sample's own instruction, as resolve_lbr_callchain_sample of perf 7.3 has it; of samples in the
    # kernel, where the last call went.
    def test_calls_that_the_processor_kept(self):
        ips = [self.program.ip(address) for address in self.program.addresses]
        data = mapped(self.program)
        for time, (ip, misc) in enumerate([(ips[0], 2), (KERNEL, 1)]):
            body = struct.pack("<QQiiQ", 1, ip, 1, 1, 10 + time)
            body += struct.pack("<QQQ", 2, 2**64 - 512, ips[1])
            body += struct.pack("<Q6Q", 2, ips[2], ips[3], 0, ips[4], ips[5], 0)
            data += perf_file.record(perf_file.SAMPLE, body, misc)
        attr = bytearray(perf_file.attr(sample_type=perf_file.TYPE | IP | CALLCHAIN | 1 << 11))
        struct.pack_into("<Q", attr, 72, 1 | 1 << 11)  # PERF_SAMPLE_BRANCH_USER, _CALL_STACK
        path = self.folder / "calls.data"
        path.write_bytes(perf_file.file(data, [bytes(attr)]))
        done = subprocess.run([EVNAME, "annotate", "-F", "ip,sym", "--no-inline", path], capture_output=True, text=True)
        lines = [[f"\t{ip:16x} shop::price(int)" for ip in (first, ips[2], ips[4])] for first in (ips[0], ips[3])]
        self.assertEqual(done.stdout.split("\n\n")[:2], ["\n" + "\n".join(lines[0]), "\n".join([""] + lines[1])])

    def test_damaged_debug_information(self):
        whole = self.program.path.read_bytes()
        damaged = self.folder / "damaged"
        data = mapped(self.program, name=damaged) + sampled(map(self.program.ip, self.program.addresses[:4]))
        for name in ".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_rnglists":
            header = [line for line in output_of("readelf", "-SW", self.program.path).splitlines() if f" {name} " in line]
            if not header:
                continue
            offset, size = (int(word, 16) for word in header[0].split("]")[1].split()[3:5])
            for step in range(12):
                broken = bytearray(whole)
                at = offset + size * step // 12
                broken[at:at + 1 + step] = bytes([0xff - step]) * (1 + step)
                damaged.write_bytes(broken)
                with self.subTest(f"{name} {step}"):
                    done = self.run_on(data, "annotate", "--json", "-F", "frames")
                    self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 4), done.stderr)
                    self.assertIn("shop::price(int)", done.stdout)

    def test_another_build_id_is_not_used_in_silence(self):
        names, told = self.functions(build_id="12" * 20)
        self.assertEqual(names, {None})
        self.assertIn(f"{self.program.path} has build id {self.program.build_id}, not {'12' * 20}", told)
        folded = self.run_on(self.samples(build_id="12" * 20), "annotate", "--format", "folded")
        first = self.program.start - self.program.address + self.program.offset
        self.assertIn(f";program+{first:#x} 1\n", folded.stdout)
        self.assertIn("-v", folded.stderr)

    def test_files_without_names_come_with_their_share_and_the_remedy(self):
        data = self.samples(build_id="12" * 20)
        by_build_id = "files with a build id: --debuginfod (packages of distributions), --symfs DIRECTORY"
        for words, left in ((("--sort", "sym"), ""), (("--html", self.folder / "page.html"), "1 file could not be used (-v tells which); ")):
            told = self.run_on(data, "report", *words).stderr
            self.assertIn(f"note: functions may lack names: {left}most samples are in {self.program.path.name} 100.0%\n", told)
            self.assertIn(f"note: names for {by_build_id}", told)
            self.assertNotIn("--vmlinux", told)
        told = self.run_on(data, "annotate", "--format", "folded").stderr  # which does not count samples by file
        self.assertIn("note: functions may lack names: 1 file could not be used (-v tells which)\n", told)
        for remedy in by_build_id, "the kernel: --vmlinux FILE or --kallsyms FILE", "code made at run time: /tmp/perf-PID.map":
            self.assertIn(remedy, told)

    def test_folded_stacks_are_by_function(self):
        folded = self.run_on(self.samples(), "annotate", "--format", "folded")
        inlined = sum(self.program.inlined)
        self.assertEqual(folded.returncode, 0)
        self.assertNotIn("-v", folded.stderr)
        self.assertEqual({line.split(";", 2)[2] for line in folded.stdout.splitlines()},
                         {f"shop::price(int) {len(self.program.places) - inlined}",
                          f"shop::price(int);fee {inlined}"})

    def test_filters_and_keys(self):
        inlined, all = sum(self.program.inlined), len(self.program.places)
        for options, count in (["--sym", "fee*"], inlined), (["--sym", "shop::*"], all), (["--dso", "prog*"], all), \
                (["--dso", str(self.program.path), "--sym", "x"], 0):
            with self.subTest(options):
                done = self.run_on(self.samples(), "annotate", *options)
                self.assertEqual((len(done.stdout.splitlines()), done.returncode), (count, 0 if count else 1))
                done = self.run_on(self.samples(), "report", "--json", *options)
                rows = [json.loads(line) for line in done.stdout.splitlines()]
                self.assertEqual(sum(row["samples"] for row in rows), count)
        done = self.run_on(self.samples(), "report", "--json", "--sort", "sym,dso,srcfile")
        rows = {row["sym"]: row for row in map(json.loads, done.stdout.splitlines())}
        self.assertEqual({name: row["samples"] for name, row in rows.items()},
                         {"fee": inlined, "shop::price(int)": all - inlined})
        self.assertEqual(rows["fee"]["srcfile"], str(self.folder / "program.cpp"))
        self.assertEqual(rows["shop::price(int)"]["dso"], str(self.program.path))
        done = self.run_on(self.samples(), "report", "--json", "--sort", "srcline")
        places = self.program.places
        self.assertEqual({(row["srcline"], row["samples"]) for row in map(json.loads, done.stdout.splitlines())},
                         {(place, places.count(place)) for place in places})

    def test_a_page_has_the_text_of_the_lines(self):
        source, page = self.folder / "program.cpp", self.folder / "page.html"
        self.run_on(self.samples(), "report", "--html", page)
        flat = page_file.data_of(page)["sources"][str(source)]
        shown, text = dict(zip(flat[::2], flat[1::2])), source.read_text().splitlines()
        self.assertEqual(shown, {number: text[number - 1] for number in shown})
        self.assertLessEqual({int(place.rsplit(":", 1)[1]) for place in self.program.places}, set(shown))

    def test_who_may_not_read_what_a_page_is_made_from_may_not_read_the_page(self):
        source, page, kallsyms = (self.folder / name for name in ("program.cpp", "page.html", "list"))
        kallsyms.write_text("ffffffff81000000 T _text\n")
        self.addCleanup(source.chmod, 0o644)
        self.addCleanup(os.umask, os.umask(0o022))
        for modes, more, expected in (((0o644, 0o644), (), 0o644), ((0o600, 0o644), (), 0o600),
                                      ((0o644, 0o600), (), 0o644), ((0o644, 0o600), ("--kallsyms", str(kallsyms)), 0o600)):
            for way in (("report", "--html"), ("export", "--format", "pprof", "-o")):
                source.chmod(modes[0])
                kallsyms.chmod(modes[1])
                page.unlink(missing_ok=True)
                done = self.run_on(self.samples(), *way, page, *more)
                self.assertEqual(done.returncode, 0, done.stderr)
                # A profile has no lines of the source.
                own = expected if way[0] == "report" or more else 0o644
                self.assertEqual(oct(page.stat().st_mode & 0o777), oct(own), (way, modes, more))


@unittest.skipUnless(HAS_ELF, "evname is built without elfutils")
class Places(Case):
    """A stripped copy of the program, whose symbols are elsewhere."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.debug = cls.folder / "debug"
        cls.stripped = cls.folder / "stripped"
        subprocess.run(["objcopy", "--only-keep-debug", cls.program.path, cls.debug], check=True)
        subprocess.run(["strip", "-o", cls.stripped, cls.program.path], check=True)

    def tree(self, *files):
        """A directory with the stripped program, and copies of files at some places."""
        root = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for source, place in [(self.stripped, "bin/program"), *files]:
            (root / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, root / place)
        return root

    def test_places(self):
        id = self.program.build_id
        split = f"{id[:2]}/{id[2:]}"
        for place, what in (f"usr/lib/debug/.build-id/{split}.debug", "build id"), \
                ("usr/lib/debug/bin/program.debug", "debug files"), ("usr/lib/debug/bin/program", "debug files"), \
                ("bin/.debug/program", "debug files"), (f".debug/.build-id/{split}/debug", "cache of perf"), \
                (f".cache/debuginfod_client/{id}/debuginfo", "debuginfod"):
            with self.subTest(place):
                root = self.tree((self.debug, place))
                names, told = self.functions("--symfs", str(root), name="/bin/program", home=root)
                self.assertEqual(names, {"shop::price(int)"}, told)
                self.assertIn(str(root / place), told)
                self.assertIn(what, told)

    def test_nothing_is_found(self):
        names, told = self.functions("--symfs", str(self.tree()), name="/bin/program")
        self.assertEqual(names, {None})

    def test_debuglink(self):
        root = self.tree((self.debug, "bin/other.name"))
        subprocess.run(["objcopy", "--add-gnu-debuglink=other.name", "program"], check=True, cwd=root / "bin")
        names, told = self.functions("--symfs", str(root), name="/bin/program")
        self.assertEqual(names, {"shop::price(int)"})
        self.assertIn(".gnu_debuglink", told)

    def test_debug_data_inside(self):
        if not shutil.which("xz"):
            self.skipTest("no xz")
        root = self.tree((self.debug, "mini"))
        subprocess.run(["xz", "mini"], check=True, cwd=root)
        subprocess.run(["objcopy", "--add-section=.gnu_debugdata=../mini.xz", "program"], check=True, cwd=root / "bin")
        names, told = self.functions("--symfs", str(root), name="/bin/program")
        self.assertEqual(names, {"shop::price(int)"})
        self.assertIn(".gnu_debugdata", told)

    def test_a_program_that_is_gone_is_in_the_cache_of_perf(self):
        id = self.program.build_id
        root = self.tree((self.program.path, f".debug/.build-id/{id[:2]}/{id[2:]}/elf"))
        names, told = self.functions(name="/gone/program", home=root)
        self.assertEqual(names, {"shop::price(int)"})


# Prints its registers in the order of PERF_REG_X86_*, its stack, and its mappings.
WALKED = """
#include <cstdio>
#include <ucontext.h>
extern "C" __attribute__((noinline)) int leaf(int a) {
  ucontext_t state;
  getcontext(&state);
  const int order[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_RIP,
                       REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  for (int i : order) printf("%llx ", static_cast<unsigned long long>(state.uc_mcontext.gregs[i]));
  puts("");
  const auto* from = reinterpret_cast<const unsigned char*>(state.uc_mcontext.gregs[REG_RSP]);
  for (int i = 0; i < 8000; ++i) printf("%02x", from[i]);
  puts("");
  if (FILE* maps = fopen("/proc/self/maps", "r"))
    for (int c; (c = fgetc(maps)) != EOF;) putchar(c);
  return a;
}
extern "C" __attribute__((noinline)) int middle(int a) { return leaf(a + 1) + 1; }
int main(int count, char**) {
  char room[8192];  // so that there is so much of a stack
  asm volatile("" : : "r"(room) : "memory");
  return middle(count) == 0;
}
"""


@unittest.skipUnless(HAS_ELF and os.uname().machine == "x86_64", "for x86-64, with elfutils")
class Unwound(Case):
    def test_a_copy_of_the_stack_is_unwound(self):
        source, path = self.folder / "walked.cpp", self.folder / "walked"
        source.write_text(WALKED)
        subprocess.run(["c++", "-O2", "-fomit-frame-pointer", "-o", path, source], check=True, capture_output=True)
        registers, stack, *maps = output_of(path).splitlines()
        registers, stack = [int(word, 16) for word in registers.split()], bytes.fromhex(stack)
        data = b""
        for line in maps:
            place, rights, offset, _, _, *name = line.split()
            if "x" not in rights or not name:
                continue
            start, end = (int(word, 16) for word in place.split("-"))
            body = struct.pack("<iiQQQ", 1, 1, start, end - start, int(offset, 16)) + struct.pack("<24xII", 5, 2)
            data += perf_file.record(MMAP2, body + perf_file.padded(name[0].encode()) + perf_file.trailer(1), 2)
        body = struct.pack("<QQiiQQQ", 1, registers[8], 1, 1, 10, 0, 2) + struct.pack("<17Q", *registers)
        data += perf_file.record(perf_file.SAMPLE, body + struct.pack("<Q", len(stack)) + stack +
                                 struct.pack("<Q", len(stack)), 2)
        attr = bytearray(perf_file.attr(sample_type=perf_file.TYPE | IP | CALLCHAIN | 1 << 12 | 1 << 13))
        struct.pack_into("<QI", attr, 80, 0x1ff | 0xff << 16, len(stack))
        file = self.folder / "unwound.data"
        file.write_bytes(perf_file.file(data, [bytes(attr)], [(6, struct.pack("<I64s", 64, b"x86_64"))]))
        done = subprocess.run([EVNAME, "annotate", "--json", "-F", "frames", file], capture_output=True, text=True)
        names = [frame["sym"] for frame in json.loads(done.stdout)["frames"]]
        self.assertEqual(names[:3], ["leaf", "middle", "main"])
        folded = subprocess.run([EVNAME, "annotate", "--format", "folded", file], capture_output=True, text=True)
        self.assertTrue(folded.stdout.endswith(";main;middle;leaf 1\n"), folded.stdout)


    @unittest.skipIf(sanitizers.has_sanitizer(EVNAME, "asan", "tsan"), "a sanitizer takes terabytes of addresses")
    def test_too_little_memory(self):
        """libdw uses memory that it did not get: with some limits it ended the process with a signal."""
        self.run_on(self.samples(), "report", "-s", "srcline")
        report = ("report", "--jobs", "1", "-s", "srcline", self.folder / "perf.data")

        def status(limit, *arguments):
            return subprocess.run([EVNAME, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))).returncode

        def least(*arguments):
            few, enough = 1 << 20, 1 << 32
            self.assertEqual(status(enough, *arguments), 0)
            while enough - few > 1 << 16:
                middle = (few + enough) // 2
                few, enough = (few, middle) if status(middle, *arguments) == 0 else (middle, enough)
            return enough

        for limit in range(least("--version"), least(*report), 1 << 15):
            self.assertIn(status(limit, *report), (0, 1, 2), limit)


class WithoutElf(Case):
    def test_code_of_a_jit_compiler(self):
        root = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (root / "tmp").mkdir()
        (root / "tmp/perf-1.map").write_text("600000 40 LazyCompile:~one\n600040 10 two words\n")
        body = struct.pack("<iiQQQ", 1, 1, 0x600000, 0x1000, 0) + struct.pack("<IIQQII", 0, 0, 0, 0, 7, 2)
        data = perf_file.record(MMAP2, body + perf_file.padded(b"//anon") + perf_file.trailer(1), 2)
        data += sampled([0x600010, 0x600041, 0x600050])
        done = self.run_on(data, "annotate", "--symfs", str(root), "-F", "ip,sym,symoff,dso")
        self.assertEqual(done.stdout, "           600010 LazyCompile:~one+0x10 (/tmp/perf-1.map)\n"
                                      "           600041 two words+0x1 (/tmp/perf-1.map)\n"
                                      "           600050 [unknown] (/tmp/perf-1.map)\n")
        for way in ("inject", "-o", str(root / "one")), ("split", "--by", "comm", "-o", str(root / "parts")):
            done = self.run_on(data, *way, "--symfs", str(root), "--sym", "two words")
            self.assertEqual(done.returncode, 0, done.stderr)
        for path in root / "one", *(root / "parts").iterdir():
            chosen = subprocess.run([EVNAME, "annotate", "-F", "ip", path], capture_output=True, text=True)
            self.assertEqual(chosen.stdout, "           600041\n")

    # perf names only anonymous memory by the map: a compiler that maps its code twice needs a file that is in memory.
    def test_code_in_files_that_are_in_memory(self):
        root = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (root / "tmp").mkdir()
        (root / "tmp/perf-1.map").write_text("600000 40 one\n")
        for name, build_id, expected in ((b"/memfd:doublemapper (deleted)", None, "one"), (b"/dev/shm/jit.X1 (deleted)", None, "one"),
                                         (b"[anon:v8 code]", None, "one"), (b"[anon_shmem:code]", None, "one"),
                                         (b"/dev/shm/code", None, "[unknown]"), (b"/memfd:a.out (deleted)", b"i" * 20, "[unknown]")):
            how = struct.pack("<IIQQII", 0, 1, 7, 8, 5, 1)
            if build_id:  # PERF_RECORD_MISC_MMAP_BUILD_ID
                how = struct.pack("<B3x20sII", len(build_id), build_id, 5, 1)
            body = struct.pack("<iiQQQ", 1, 1, 0x600000, 0x1000, 0) + how
            data = perf_file.record(MMAP2, body + perf_file.padded(name) + perf_file.trailer(1), 2 | (1 << 14 if build_id else 0))
            with self.subTest(name):
                done = self.run_on(data + sampled([0x600010]), "annotate", "--symfs", str(root), "-F", "ip,sym,dso")
                self.assertEqual(done.stdout, f"           600010 {expected} ({name.decode()})\n", done.stderr)

    # As compilers do it that have memory before they begin their dump.
    def test_a_jitdump_that_is_mapped_after_the_code(self):
        root = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (root / "tmp").mkdir()
        load = struct.pack("<IIQIIQQQQ", 0, 56 + 4 + 1, 3, 1, 1, 0x600040, 0x600040, 1, 1) + b"one\0" + b"\xc3"
        (root / "tmp/jit-1.dump").write_bytes(struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 62, 0, 1, 2, 0) + load)
        data = b""
        for start, name in (0x600000, b"//anon"), (0x700000, b"/tmp/jit-1.dump"):
            body = struct.pack("<iiQQQ", 1, 1, start, 0x1000, 0) + struct.pack("<IIQQII", 0, 0, 0, 0, 5, 2)
            data += perf_file.record(MMAP2, body + perf_file.padded(name) + perf_file.trailer(1), 2)
        done = self.run_on(data + sampled([0x600040, 0x600041]), "annotate", "--symfs", str(root), "-F", "ip,sym,symoff")
        self.assertEqual(done.stdout, "           600040 one+0x0\n           600041 [unknown]\n")

    def test_the_kernel(self):
        kallsyms = self.folder / "kallsyms"
        # This kernel is 0x100000 below the recorded one, whose modules are elsewhere.
        kallsyms.write_text("ffffffff80f00000 T _text\nffffffff80f00010 W alias\nffffffff80f00010 t do_work\n"
                            "ffffffff80f00100 D data\nffffffffc0000000 t ext4_read\t[ext4]\n")
        body = struct.pack("<iiQQQ", -1, 0, KERNEL, 0x100000, KERNEL)
        data = perf_file.record(perf_file.MMAP, body + perf_file.padded(b"[kernel.kallsyms]_text") +
                                perf_file.trailer(1), 1)
        data += sampled([KERNEL + 0x18, KERNEL + 0x200000], misc=1)
        done = self.run_on(data, "annotate", "--kallsyms", str(kallsyms), "-F", "ip,sym,symoff,dso")
        self.assertEqual(done.stdout, " ffffffff81000018 do_work+0x8 ([kernel.kallsyms])\n"
                                      " ffffffff81200000 [unknown] ([unknown])\n")
        # A requested file without symbols is reported, even if another one is used.
        kallsyms.write_text("no symbols\n")
        done = self.run_on(data, "annotate", "--kallsyms", str(kallsyms), "-F", "ip,sym")
        self.assertIn(f"kernel: no symbols in {kallsyms}\n", done.stderr)
        done = self.run_on(data, "annotate", "--vmlinux", str(kallsyms), "-F", "ip,sym")
        self.assertIn(f"kernel: {kallsyms} is not an ELF file: not used\n" if HAS_ELF else "kernel: ", done.stderr)
        done = self.run_on(data, "annotate", "--debuginfod", "-F", "ip,sym")
        self.assertIn("--debuginfod: $DEBUGINFOD_URLS names no server", done.stderr)

    # A module that gcc and ld make, packed as distributions pack theirs.
    @unittest.skipUnless(HAS_ELF and all(map(shutil.which, ("cc", "ld", "nm", "readelf"))), "no elfutils, or no compiler")
    def test_files_of_modules(self):
        root = self.folder / "modules"
        root.mkdir()
        (root / "shop.c").write_text("int price(int a) { return a * 3; }\nint sale(int a) { return a / 2; }\n")
        subprocess.run(["cc", "-O1", "-g0", "-c", "-o", root / "shop.o", root / "shop.c"], check=True)
        plain = root / "shop.ko"
        subprocess.run(["ld", "-r", "--build-id=sha1", "-o", plain, root / "shop.o"], check=True)
        build_id = output_of("readelf", "-n", plain).split("Build ID: ")[1].split()[0]
        sale = int(next(line for line in output_of("nm", plain).splitlines() if line.endswith(" sale")).split()[0], 16)
        start, module = 0xffffffffc0000000, plain.read_bytes()
        packed = {"": module, ".gz": gzip.compress(module), ".xz": lzma.compress(module)}
        if HAS_ZSTD and shutil.which("zstd"):
            packed[".zst"] = subprocess.run(["zstd"], input=module, capture_output=True, check=True).stdout
        for suffix, content in packed.items():
            with self.subTest(suffix):
                path = pathlib.Path(f"{plain}{suffix}")
                path.write_bytes(content)
                data = b""
                for name, at, known in ((b"[kernel.kallsyms]_text", KERNEL, "22" * 20),
                                        (str(path).encode(), start, build_id)):
                    body = struct.pack("<iiQQQ", -1, 0, at, 0x1000, KERNEL if known != build_id else 0)
                    body += struct.pack("<B3x20sII", 20, bytes.fromhex(known), 5, 2)
                    data += perf_file.record(MMAP2, body + perf_file.padded(name) + perf_file.trailer(1), 1 | 1 << 14)
                done = self.run_on(data + sampled([start, start + sale + 1], misc=1), "annotate", "-F",
                                   "ip,sym,symoff,dso")
                self.assertEqual(done.stdout, f" {start:x} price+0x0 ([shop])\n {start + sale + 1:x} sale+0x1 ([shop])\n",
                                 done.stderr)

    def test_text_needs_addresses(self):
        done = self.run_on(b"", "annotate", "-F", "comm,sym")
        self.assertEqual(done.returncode, 2)
        self.assertIn("ask for ip", done.stderr)


unittest.main(argv=sys.argv[:1], verbosity=2)
