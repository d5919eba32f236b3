#!/usr/bin/env python3
"""Writes where the members of the C interface's structs are in WebAssembly, from the headers themselves: layouts.js for the
package, and layouts.hpp for the compiler, which checks every offset.
usage: layouts.py COMPILER INCLUDE_DIRECTORY layouts.js layouts.hpp
       layouts.py --functions COMPILER INCLUDE_DIRECTORY    (prints those that the module exports)"""
import json
import re
import subprocess
import sys

# Size and the way to read a member, by its type. Pointers are 4 bytes.
TYPES = {"uint64_t": (8, "u64"), "int64_t": (8, "i64"), "uint32_t": (4, "u32"), "int32_t": (4, "i32"), "int": (4, "i32"),
         "size_t": (4, "u32"), "double": (8, "f64"), "char": (1, "chars"), "uint8_t": (1, "bytes"), "evname_progress": (4, "u32")}
POINTERS = {"const char*": "text", "const uint64_t*": "words", "const size_t*": "sizes", "const char* const*": "texts"}
# The live machine's, which the module has not, and what the package has no call for: whatever is exported is linked, and what it uses.
NOT_HERE = re.compile(r"evname_(counters|sampler|scope|recorder|count_target)|_live$|evname_sampled_|"
                      r"evname_(extract|inject|pack|parts|records_|renames|split|topdown)")


def members(body):
    for declaration in filter(None, (part.strip() for part in body.split(";"))):
        match = re.fullmatch(r"(.*?[\s*])(\w+)((?:\[\d+\])?)", re.sub(r"\s+", " ", declaration))
        kind, name, count = match.group(1).strip(), match.group(2), int(match.group(3)[1:-1] or 0)
        yield kind.replace(" *", "*"), name, count


def lay_out(body, known):
    """Returns (size, alignment, [[name, how to read it, offset, count]])."""
    at, widest, rows = 0, 1, []
    for kind, name, count in members(body):
        if kind in known:
            size, alignment, how = known[kind][0], known[kind][1], kind
        elif kind.endswith("*"):
            size = alignment = 4
            how = POINTERS.get(kind, "u32")
        else:
            size, how = TYPES[kind]
            alignment = size
        at = (at + alignment - 1) // alignment * alignment
        if name not in ("reserved", "padding"):
            rows.append([name, how, at] + ([count] if count else []))
        at += size * max(count, 1)
        widest = max(widest, alignment)
    return (at + widest - 1) // widest * widest, widest, rows


def preprocessed(compiler, include):
    return subprocess.run([compiler, "-x", "c", "--target=wasm32-wasi", "-E", "-P", "-I", include, "-"],
                          input='#include "evname/evname.h"\n', stdout=subprocess.PIPE, universal_newlines=True,
                          check=True).stdout


def structs_of(text):
    structs = {}
    for match in re.finditer(r"typedef struct (evname_\w+) \{(.*?)\} \1;", text, re.S):
        structs[match.group(1)] = lay_out(match.group(2), structs)
    return structs


def constants_of(text):
    constants = {}
    for match in re.finditer(r"enum evname_\w+ \{(.*?)\}", text, re.S):
        value = -1
        for row in filter(None, (part.strip() for part in match.group(1).split(","))):
            name, _, given = (part.strip() for part in row.partition("="))
            value = eval(given, {"__builtins__": {}}) if given else value + 1  # "1 << 3"
            constants[name] = value
    return constants


def write_script(path, structs, constants):
    shown = {name.replace("evname_", "", 1): {"size": size, "members": rows}
             for name, (size, _, rows) in structs.items() if not NOT_HERE.search(name)}
    numbers = {name.replace("EVNAME_", "", 1): value for name, value in constants.items()}
    with open(path, "w", encoding="utf-8") as out:
        out.write("// Made by layouts.py from the headers of the C interface.\n")
        out.write("export const structs = {};\n".format(json.dumps(shown).replace("evname_code", "code")))
        out.write("export const constants = {};\n".format(json.dumps(numbers)))


def write_header(path, structs):
    with open(path, "w", encoding="utf-8") as out:
        out.write('#include <cstddef>\n#include "evname/evname.h"\n')
        for name, (size, _, rows) in structs.items():
            out.write("static_assert(sizeof({}) == {});\n".format(name, size))
            for member, _, offset, *_ in rows:
                out.write("static_assert(offsetof({}, {}) == {});\n".format(name, member, offset))


def main():
    if sys.argv[1] == "--functions":
        functions = re.findall(r"\b(evname_\w+)\(", preprocessed(*sys.argv[2:]))
        print("\n".join(sorted({name for name in functions if not NOT_HERE.search(name)} | {"malloc", "free"})))
        return
    compiler, include, script, header = sys.argv[1:]
    text = preprocessed(compiler, include)
    structs = structs_of(text)
    write_script(script, structs, constants_of(text))
    write_header(header, structs)


main()
