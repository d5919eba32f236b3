"""Lines that perf prints, as a file in tests/data keeps them: "== RECORDING: OPTIONS", then the lines. EVNAME_PERF_ORACLE names
a directory with perf 7.3, which is asked again; EVNAME_KEEP_ORACLE names a file to write what it says."""

import os
import pathlib
import struct
import subprocess

import perf_file

ID = bytes(range(1, 21))
TEXT, START = 4096, 0x401000
USER = 2
IP, TID, TIME, CHAIN, CPU, PERIOD, BRANCHES, IDENTIFIER = 1, 2, 4, 1 << 5, 1 << 7, 1 << 8, 1 << 11, 1 << 16
# first: push %rbp; mov %rsp,%rbp; call second; pop %rbp; ret. second, at 16: nop; jmp to the next; xor %eax,%eax; ret.
CODE = bytes.fromhex("55 4889e5 e807000000 5d c3".replace(" ", "")).ljust(16, b"\xcc") + bytes.fromhex("90eb0031c0c3")
FUNCTIONS = ((b"first", 0, 16), (b"second", 16, 16))


def elf():
    """A program at START whose functions have symbols."""
    note = struct.pack("<III4s", 4, len(ID), 3, b"GNU\0") + ID
    names, symbols = b"\0", bytes(24)
    for name, at, size in FUNCTIONS:
        symbols += struct.pack("<IBBHQQ", len(names), 0x12, 0, 1, START + at, size)
        names += name + b"\0"
    sections = b"\0.text\0.symtab\0.strtab\0.shstrtab\0.note.gnu.build-id\0"
    content = bytearray(TEXT) + CODE.ljust(TEXT, b"\xcc")
    content[512:512 + len(note)] = note
    places = []
    for part in (symbols, names, sections):
        places.append((len(content), len(part)))
        content += part
    rows = [(0, 0, 0, 0, 0, 0, 0, 0, 0, 0), (1, 1, 6, START, TEXT, TEXT, 0, 0, 16, 0),
            (7, 2, 0, 0, *places[0], 3, 1, 8, 24), (15, 3, 0, 0, *places[1], 0, 0, 1, 0),
            (23, 3, 0, 0, *places[2], 0, 0, 1, 0), (33, 7, 2, START - TEXT + 512, 512, len(note), 0, 0, 4, 0)]
    table = len(content)
    for row in rows:
        content += struct.pack("<IIQQQQIIQQ", *row)
    header = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, START, 64, table, 0, 64, 56, 3, 64, len(rows), 4)
    for kind, flags, offset, at, size in ((1, 4, 0, START - TEXT, TEXT), (1, 5, TEXT, START, TEXT),
                                          (4, 4, 512, START - TEXT + 512, len(note))):
        header += struct.pack("<IIQQQQQQ", kind, flags, offset, at, at, size, size, TEXT if kind == 1 else 4)
    content[:len(header)] = header
    return bytes(content)


def text(value):
    padded = value + bytes(-len(value) % 64 or 64)
    return struct.pack("<I", len(padded)) + padded


def mappings():
    """Of a program in thread 7, which is called "work"."""
    map = struct.pack("<iiQQQ", 7, 7, START, TEXT, TEXT) + struct.pack("<BBH20s", 20, 0, 0, ID) + struct.pack("<II", 5, 2)
    return perf_file.comm(7, b"work", 1) + perf_file.record(10, map + perf_file.padded(b"/bin/app") + perf_file.trailer(1, 7), USER | 1 << 14)


def event(sample_type, config=0, kind=0, branch_type=0):
    out = bytearray(perf_file.attr(config, kind, sample_type | IDENTIFIER | TID | TIME))
    struct.pack_into("<Q", out, 72, branch_type)
    return bytes(out)


def descriptions(*events):
    return struct.pack("<II", len(events), perf_file.ATTR) + b"".join(
        attr + struct.pack("<I", 1) + text(name) + struct.pack("<Q", i + 1) for i, (attr, name) in enumerate(events))


def sample(time, ip, more=b"", id=1, tid=7):
    return perf_file.record(9, struct.pack("<QQiiQ", id, ip, 7, tid, time) + more, USER)


def branches(*rows):
    return struct.pack("<Q", len(rows)) + b"".join(struct.pack("<QQQ", *row) for row in rows)


def run(*words, folder, code=0):
    environment = {**os.environ, "TZ": "UTC", "LC_ALL": "C", "PERF_CONFIG": "/dev/null", "EVNAME_EVENTS": ""}
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, cwd=folder, env=environment, stdin=subprocess.DEVNULL)
    if code is not None and done.returncode != code:
        raise AssertionError(words, done.returncode, done.stderr)
    return done


def kept(path):
    out = {}
    for line in pathlib.Path(path).read_text().splitlines(keepends=True):
        if line.startswith("== "):
            lines = out.setdefault(line[3:].strip(), [])
        else:
            lines.append(line)
    return {key: "".join(lines) for key, lines in out.items()}


def compare(case, path, rows, words_of, same=lambda lines: lines):
    """Compares a command's lines with perf's. `rows`: options by recording; words_of(recording, options): the words of both
    commands; `same` leaves out what may differ."""
    oracle, keep = os.environ.get("EVNAME_PERF_ORACLE"), os.environ.get("EVNAME_KEEP_ORACLE")
    known = {} if keep else kept(path)
    for name, options in ((name, one) for name, all in rows.items() for one in all):
        key = f"{name}: {options}".strip()
        words = words_of(name, options.split())
        if oracle:
            lines = same(run(f"{oracle}/perf", *words, "-f", folder=case.folder, code=None).stdout)
            if keep:
                known[key] = lines
            case.assertEqual(known.get(key), lines, key)
        with case.subTest(key):
            case.assertEqual(same(run(case.evname, *words, folder=case.folder).stdout), known[key])
    if keep:
        pathlib.Path(keep).write_text("".join(f"== {key}\n{lines}" for key, lines in known.items()))
