#!/usr/bin/env python3
"""Cuts the tables of each architecture, libpfm4's and Capstone's out of a module that was linked with all of them, into files of their own.
usage: cut_tables.py IN.wasm IN.map OUT.wasm DIRECTORY

DIRECTORY gets ARCH.bin: an id of 16 bytes, then the bytes that were cut out, one range of addresses after the other. The section
evname.tables of OUT.wasm has the id and the ranges of each; whoever writes these bytes to their addresses in the module's
memory has the module as it was linked. The module keeps all that a model is found by: models, their rows of mapfile.csv, their
names, and the tables of what every CPU has."""
import hashlib
import json
import pathlib
import re
import sys

ARRAY = re.compile(r"\s*([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)\s+evname::(?:tables::of_(\w+)|pfm4)::k(\w+)$")
KEPT_ARCHITECTURES = {"common", "cpus"}
PFM4, PFM4_ARRAYS = "libpfm4", {"Pmus", "Cpus", "Tables", "Events", "Slots", "PmuSlots", "Masks", "Traits", "Presets", "Strings"}
CAPSTONE = "capstone"
CAPSTONE_ARRAY = re.compile(r"\s*([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)\s+\S*/libcapstone\.a\((\S+)\):\(\.(?:ro)?data\.(\S+)\)$")
LEAST_OF_CAPSTONE = 1 << 10  # bytes: these 85 arrays of 1,118 are 96% of them
KEPT_ARRAYS = {"Models", "MapRows", "MapOverlaps", "Pmus"}
CUSTOM, DATA, DATA_COUNT = 0, 11, 12
I32_CONST, END = 0x41, 0x0b
MOST_KEPT_TEXTS = 1 << 16


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def number(self, signed=False):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7f) << shift
            shift += 7
            if not byte & 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value

    def take(self, size):
        self.at += size
        return self.data[self.at - size:self.at]


def number(value, signed=False):
    out = bytearray()
    while True:
        byte, value = value & 0x7f, value >> 7
        done = value == (-1 if byte & 0x40 else 0) if signed else value == 0
        out.append(byte if done else byte | 0x80)
        if done:
            return bytes(out)


def sections(module):
    """Yields (id, contents)."""
    reader = Reader(module)
    if reader.take(8) != b"\0asm\1\0\0\0":
        sys.exit("no WebAssembly of version 1")
    while reader.at < len(module):
        kind = reader.byte()
        yield kind, reader.take(reader.number())


def segments(section):
    """Returns [(address, bytes)] of the data."""
    reader, out = Reader(section), []
    for _ in range(reader.number()):
        if reader.number() != 0 or reader.byte() != I32_CONST:
            sys.exit("a segment of data has no constant address")
        address = reader.number(signed=True) & 0xffffffff
        if reader.byte() != END:
            sys.exit("a segment of data has no constant address")
        out.append((address, reader.take(reader.number())))
    return out


def data_section(parts):
    out = [number(len(parts))]
    for address, data in parts:
        signed = address - (1 << 32) if address >> 31 else address
        out += [number(0), bytes([I32_CONST]), number(signed, signed=True), bytes([END]), number(len(data)), data]
    return b"".join(out)


def arrays(text):
    """Returns {architecture, PFM4 or CAPSTONE: {array: (address, size)}} of a linker's map."""
    out = {}
    for line in text.splitlines():
        if match := ARRAY.match(line):
            address, size, arch, name = match.groups()
            if arch or name in PFM4_ARRAYS:
                out.setdefault(arch or PFM4, {})[name] = int(address, 16), int(size, 16)
        elif (match := CAPSTONE_ARRAY.match(line)) and int(match[2], 16) >= LEAST_OF_CAPSTONE:
            out.setdefault(CAPSTONE, {})[match[3] + match[4]] = int(match[1], 16), int(match[2], 16)
    return out


def bytes_at(parts, address, size):
    for start, data in parts:
        if start <= address and address + size <= start + len(data):
            return data[address - start:address - start + size]
    sys.exit("no segment of data has {} bytes at {}".format(size, address))


def texts_of_models(known, parts):
    """Returns where kept texts begin: with the name of the first model, whose offset is the first number of the models."""
    address, size = known["Strings"]
    first = int.from_bytes(bytes_at(parts, known["Models"][0], 4), "little")
    if not 0 < size - first <= MOST_KEPT_TEXTS:
        sys.exit("the texts of models are not the last ones")
    return address, first


def ranges_of(arch, known, parts):
    """Returns the ranges of addresses that go, in order."""
    if arch not in (PFM4, CAPSTONE):
        known = {**known, "Strings": texts_of_models(known, parts)}
        known = {name: place for name, place in known.items() if name not in KEPT_ARRAYS}
    joined = []
    for start, size in sorted(known.values()):
        if joined and sum(joined[-1]) == start:
            start, size = joined[-1][0], joined.pop()[1] + size
        joined.append((start, size))
    return joined


def without(parts, ranges):
    """Returns the segments of data without these ranges of addresses."""
    out = []
    for start, data in parts:
        at = start
        for address, size in ranges:
            if start <= address < start + len(data):
                out.append((at, data[at - start:address - start]))
                at = address + size
        out.append((at, data[at - start:]))
    return [(address, data) for address, data in out if data]


def main():
    module, link_map, out, folder = map(pathlib.Path, sys.argv[1:])
    parts, tables, cut = [], {}, []
    all_sections = list(sections(module.read_bytes()))
    for kind, contents in all_sections:
        if kind == DATA:
            parts = segments(contents)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.bin"):
        old.unlink()
    for arch, known in sorted(arrays(link_map.read_text(encoding="utf-8")).items()):
        if arch in KEPT_ARCHITECTURES:
            continue
        ranges = ranges_of(arch, known, parts)
        data = b"".join(bytes_at(parts, *place) for place in ranges)
        tag = hashlib.sha256(json.dumps(ranges).encode() + data).digest()[:16]
        tables[arch] = {"id": tag.hex(), "ranges": ranges}
        (folder / (arch + ".bin")).write_bytes(tag + data)
        cut += ranges
    if not tables:
        sys.exit("{}: the map has no tables".format(link_map))
    parts = without(parts, sorted(cut))
    result = [b"\0asm\1\0\0\0"]
    name, index = b"evname.tables", json.dumps(tables, separators=(",", ":")).encode()
    for kind, contents in all_sections + [(CUSTOM, number(len(name)) + name + index)]:
        contents = {DATA: lambda: data_section(parts), DATA_COUNT: lambda: number(len(parts))}.get(kind, lambda: contents)()
        result += [bytes([kind]), number(len(contents)), contents]
    out.write_bytes(b"".join(result))


main()
