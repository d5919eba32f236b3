#!/usr/bin/env python3
"""Writes calls of all functions of the C interface with NULL, with numbers and texts that mean nothing, and with structs that
have such members, for bad_calls.c. Usage: make_bad_calls.py C_INTERFACE_TXT OUTPUT"""

import pathlib
import re
import sys

LINES = pathlib.Path(sys.argv[1]).read_text().splitlines()
# Arguments that may be NULL by the headers' comments, by their index. Texts in the middle: see evname_machine_open.
NULLABLE = {
    "evname_machine_open": {0, 1}, "evname_resolve_batch": {7}, "evname_exact_name": {1}, "evname_name_of": {1},
    "evname_names_of": {1, 6}, "evname_events_list": {1}, "evname_schedule_options_live": {0, 1}, "evname_schedule_new": {2},
    "evname_schedule_event_at": {3}, "evname_counters_event_at": {3}, "evname_metrics_list": {1, 2},
    "evname_metrics_explain": {6}, "evname_topdown_explain": {6}, "evname_topdown_new": {1}, "evname_topdown_evaluate": {4},
    "evname_annotate": {1, 2, 4}, "evname_report_new": {0, 1}, "evname_report_add": {2}, "evname_symbols_new": {0},
    "evname_profile_write": {2, 3, 5, 6}, "evname_inject": {1, 2}, "evname_extract": {1, 3, 4}, "evname_split": {2, 5},
    "evname_counters_open": {2}, "evname_sampler_open": {3, 4}, "evname_sampler_wait": {2}, "evname_sampler_start": {2},
    "evname_scope_new": {1}, "evname_branch_of": {1},
    "evname_inject_with": {1, 3, 4}, "evname_instruction_report_new": {0, 1}, "evname_instruction_report_add": {2}, "evname_pack": {1, 4, 5}, "evname_samples_open_with": {3},
}
TEXTS = ["", "{", "long_text", "braces", "parentheses", "not_utf8"]
HANDLES = set(re.findall(r"evname_(\w+)_free\(", "\n".join(LINES)))
MEMBERS = {}
for struct, member, kind, place in re.findall(r"^(evname_\w+)\.(\w+): (.*) at (\d+)$", "\n".join(LINES), re.M):
    MEMBERS.setdefault(struct, []).append((member, kind, int(place)))


class Function:
    def __init__(self, result, name, types):
        self.result, self.name = result.strip(), name
        self.types = [kind for kind in types.split(", ") if kind not in ("", "void")]
        self.values = [value_of(kind, at) for at, kind in enumerate(self.types)]
        self.made = [kind[len("evname_"):-2] for kind in self.types if kind.startswith("evname_") and kind.endswith("**")]
        handle = self.values[0] if self.values else ""
        self.works = handle not in ("sampler", "scope")  # whatever the machine counts

    def call(self, changed, check, before=""):
        """A call with other arguments, by their index; `check` is for its result."""
        values = [changed.get(at, value) for at, value in enumerate(self.values)]
        what = ", ".join(values).replace('"', "'")
        freed = "".join(f" evname_{one}_free(made_{one}); made_{one} = NULL;" for one in self.made)
        print(f'  begin("{self.name}({what}) {before}"); {before}{check}({self.name}({", ".join(values)}));{freed}', file=OUT)

    def refuses(self):
        """The check of a call that does nothing."""
        if self.name == "evname_topdown_next":
            return "IS_NO_NODE"
        return {"int": "IS_REFUSED", "size_t": "IS_ZERO", "uint64_t": "IS_ZERO", "const char*": "IS_EMPTY", "void": ""}.get(self.result, "IS_NULL")

    def passes(self):
        return {"int": "IS_STATUS", "void": ""}.get(self.result, "(void)")


def value_of(kind, at):
    base = re.sub(r"^const |\*+$", "", kind)
    if kind.endswith("**") and base.startswith("evname_"):
        return f"&made_{base[len('evname_'):]}"
    if base.startswith("evname_") and base[len("evname_"):] in HANDLES:
        return base[len("evname_"):]
    if kind in ("int", "double", "uint32_t", "uint64_t", "size_t"):
        return {"int": "-1", "size_t": "1"}.get(kind, "0")
    named = {"const char*": "text", "char*": "buffer", "const char**": "&name", "const char* const*": "texts",
             "const evname_recording* const*": "recordings", "evname_sample_reader": "reader", "evname_progress": "NULL", "evname_error*": "&error"}
    return named.get(kind, f"(void*)room[{at}]")


def write_calls(function):
    pointers = [at for at, kind in enumerate(function.types) if "*" in kind or kind == "evname_sample_reader"]
    nullable = NULLABLE.get(function.name, set())
    for at in pointers:
        if function.types[at] == "evname_error*" and at == len(function.types) - 1 and function.name != "evname_resolve_batch":
            continue
        if at not in nullable and (function.works or at == 0):
            function.call({at: "NULL"}, function.refuses())
    if pointers and not set(pointers[:1]) & nullable:
        function.call({at: "NULL" for at in pointers}, function.refuses())
    if not function.works:
        return
    function.call({at: "NULL" for at in nullable}, function.passes())
    for at, kind in enumerate(function.types):
        if kind in ("uint32_t", "int") and function.name != "evname_recording_open_descriptor":
            function.call({at: "-1"}, function.passes())
        if kind == "size_t" and re.search(r"_at$|_warning$|_note$|_problem$|_explain$", function.name) and at == 1:
            function.call({at: "SIZE_MAX"}, "IS_EMPTY" if function.result == "const char*" else function.passes())
        for text in TEXTS if kind == "const char*" else []:
            function.call({at: text if len(text) > 1 else f'"{text}"'}, function.passes())
        if kind.startswith("const evname_") and kind[len("const "):-1] in MEMBERS:
            write_members(function, at, kind[len("const "):-1])


def write_members(function, at, struct):
    """Inputs: reserved words that are not 0, lists without elements, and numbers that are too large."""
    if struct in ("evname_attr", "evname_code", "evname_error", "evname_event_count"):
        return
    for member, kind, place in MEMBERS[struct]:
        if member.startswith("reserved") or member.endswith("s_count"):
            function.call({}, "IS_REFUSED", f"room[{at}][{place}] = 1; ")
        elif kind in ("uint32_t", "int32_t"):
            function.call({}, function.passes(), f"memset(&room[{at}][{place}], 255, 4); ")


with open(sys.argv[2], "w") as OUT:
    for line in LINES:
        found = re.fullmatch(r"([^(]*?)(evname_\w+)\((.*)\)", line)
        if found and not line.startswith("typedef") and not found[2].endswith("_free"):
            write_calls(Function(*found.groups()))
