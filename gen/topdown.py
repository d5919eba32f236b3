#!/usr/bin/env python3
"""Writes the top-down trees of all models as event trees, OUT/ARCH/MODEL/topdown-metrics.json, from ARCH_TREE/topdown/.
Each node is defined once there, with a form for each core that differs (arch/README.md describes the files).
Usage: topdown.py ARCH_TREE OUT [--report] [--stamp FILE] [--depfile FILE]
With --report, prints the nodes that a core lacks, with reasons."""

import argparse
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import own_metrics  # noqa: E402

FILE = "topdown-metrics.json"
MOST_NESTED = 60  # brackets and quantities in an expression
MODIFIERS = {"c": "cmask", "e": "edge", "i": "inv", "u": "umask", "eq": "eq"}

TOKEN = re.compile(r"""\s*(?:(?P<number>0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.]))|(?P<quantity>\{[\w:]+\})
    |(?P<name>\#?[A-Za-z_](?:[\w.]|\\-)*(?::[\w=]+)*(?:@(?:[^@])*@)?)|(?P<mark>[-+*/%|&^<>(),]))""", re.X)
RAW_EVENT = re.compile(r"r[0-9a-f]{2,16}")
LEVELS = [["|"], ["^"], ["&"], ["<", ">"], ["+", "-"], ["*", "/", "%"]]
FUNCTIONS = {"min": 2, "max": 2, "d_ratio": 2, "strcmp_cpuid_str": 1}


class Fault(Exception):
    """Something is wrong with the data."""


class Missing(Exception):
    """A core lacks an event of a form."""


class Parser:
    """Expressions as nested tuples: (operator, operand…), ("number", text), ("name", text), ("quantity", name)."""

    def __init__(self, text):
        self.text, self.tokens, self.at, self.depth = text, [], 0, 0
        place = 0
        while text[place:].strip():
            match = TOKEN.match(text, place)
            if not match:
                raise Fault(f"'{text}': column {place + 1} is not understood")
            self.tokens.append((match.lastgroup, match[match.lastgroup]))
            place = match.end()

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else (None, None)

    def take(self, text=None):
        kind, found = self.peek()
        if kind is None or text not in (None, found):
            raise Fault(f"'{self.text}': '{text or 'an operand'}' is missing")
        self.at += 1
        return kind, found

    def whole(self):
        tree = self.choice()
        if self.at < len(self.tokens):
            raise Fault(f"'{self.text}': '{self.peek()[1]}' is not expected")
        return tree

    def enter(self):
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise Fault(f"'{self.text[:40]}…': nested more than {MOST_NESTED} deep")

    def choice(self):
        self.enter()
        yes = self.binary(0)
        if self.peek()[1] == "if":
            self.take()
            condition = self.binary(0)
            self.take("else")
            yes = ("if", yes, condition, self.choice())
        self.depth -= 1
        return yes

    def binary(self, level):
        if level == len(LEVELS):
            return self.operand()
        left = self.binary(level + 1)
        while self.peek()[1] in LEVELS[level]:
            mark = self.take()[1]
            left = (mark, left, self.binary(level + 1))
        return left

    def operand(self):
        kind, text = self.take()
        if text == "-":
            self.enter()
            inner = self.operand()
            self.depth -= 1
            return ("negate", inner)
        if text == "(":
            inner = self.choice()
            self.take(")")
            return inner
        if kind == "quantity":
            return (kind, text[1:-1])
        if kind == "name" and text in FUNCTIONS:
            self.take("(")
            operands = [self.choice()]
            for _ in range(FUNCTIONS[text] - 1):
                self.take(",")
                operands.append(self.choice())
            self.take(")")
            return (text, *operands)
        if kind == "mark" or text in ("if", "else"):
            raise Fault(f"'{self.text}': '{text}' is not expected")
        return (kind, text)


def parse(text):
    return Parser(text).whole()


def number_of(tree):
    return float(tree[1]) if tree[0] == "number" and not tree[1].startswith("0x") else None


def folded(tree):
    """Simplifies constants: conditions that are numbers, and products and sums of numbers."""
    if tree[0] in ("number", "name", "quantity"):
        return tree
    tree = (tree[0], *map(folded, tree[1:]))
    if tree[0] == "if" and number_of(tree[2]) is not None:
        return tree[1] if number_of(tree[2]) else tree[3]
    if tree[0] in "+-*/" and len(tree) == 3:
        left, right = map(number_of, tree[1:])
        if left is not None and right is not None and (tree[0] != "/" or right):
            value = {"+": left + right, "-": left - right, "*": left * right}.get(tree[0])
            return ("number", f"{left / right if value is None else value:.12g}")
        if tree[0] == "*" and left == 1:
            return tree[2]
    if tree[0] == "-" and tree[1][0] == "*" and tree[2][0] == "*" and tree[1][2] == tree[2][2]:
        return folded(("*", ("-", tree[1][1], tree[2][1]), tree[1][2]))  # a * c - b * c
    return tree


def written(tree, level=-1):
    """The expression as text, with the fewest brackets."""
    if tree[0] in ("number", "name"):
        return tree[1]
    if tree[0] == "quantity":
        return "{" + tree[1] + "}"
    if tree[0] in FUNCTIONS:
        return f"{tree[0]}({', '.join(map(written, tree[1:]))})"
    if tree[0] == "negate":
        return f"-{written(tree[1], len(LEVELS))}"
    if tree[0] == "if":
        text = f"{written(tree[1], 0)} if {written(tree[2], 0)} else {written(tree[3])}"
        return f"({text})" if level >= 0 else text
    own = next(i for i, marks in enumerate(LEVELS) if tree[0] in marks)
    text = f"{written(tree[1], own)} {tree[0]} {written(tree[2], own + 1)}"
    return f"({text})" if own < level else text


def names_in(tree):
    if tree[0] == "name":
        yield tree[1]
    elif tree[0] != "number":
        for part in tree[1:]:
            yield from names_in(part)


class Data:
    """The rows of ARCH_TREE/topdown."""

    def __init__(self, directory):
        self.cores, self.nodes, self.quantities = [], {}, {}
        for path in sorted(directory.glob("*.json")):
            for row in self.read(path):
                row["File"] = path.name
                if "Core" in row:
                    self.cores.append(row)
                elif "Quantity" in row:
                    self.add(self.quantities, row, "Quantity", path)
                else:
                    self.add(self.nodes, row, "Node", path)
        self.check()

    @staticmethod
    def read(path):
        try:
            rows = json.loads(path.read_text())
        except ValueError as error:
            raise Fault(f"{path.name}: {error}") from error
        if not isinstance(rows, list) or not all(isinstance(row, dict) and "Tree" in row for row in rows):
            raise Fault(f"{path.name}: an array of objects that have a Tree is expected")
        return rows

    @staticmethod
    def add(rows, row, kind, path):
        if kind not in row or "Forms" not in row:
            raise Fault(f"{path.name}: a row is neither Core, nor Quantity or Node with Forms: {json.dumps(row)[:60]}")
        if (row["Tree"], row[kind]) in rows:
            raise Fault(f"{path.name}: two rows are called '{row[kind]}' in the tree '{row['Tree']}'")
        rows[row["Tree"], row[kind]] = row

    def check(self):
        known = {core["Core"] for core in self.cores}
        for (tree, name), row in [*self.nodes.items(), *self.quantities.items()]:
            for column in ("Forms", "Flag", "Sample", "Below", "ShareOf"):
                columns = row.get(column)
                unknown = set(columns) - known if isinstance(columns, dict) else ()
                if unknown:
                    raise Fault(f"{row['File']}: '{name}': there is no core called {', '.join(sorted(unknown))}")
        for (tree, name), row in self.nodes.items():
            self.check_parents(tree, name)

    def check_parents(self, tree, name):
        chain = [name]
        below = self.nodes[tree, name].get("Below")
        for parents in [[below] if isinstance(below, str) else (below or {}).values()]:
            for parent in parents:
                while parent:
                    if parent in chain:
                        raise Fault(f"{self.nodes[tree, name]['File']}: '{name}' is below itself: {' -> '.join([*chain, parent])}")
                    chain.append(parent)
                    if (tree, parent) not in self.nodes:
                        raise Fault(f"{self.nodes[tree, name]['File']}: '{chain[-2]}' is below '{parent}', which is not a node of the tree '{tree}'")
                    above = self.nodes[tree, parent].get("Below")
                    parent = above if isinstance(above, str) else next(iter((above or {}).values()), None)
                del chain[1:]


class CoreTree:
    """The tree of a core in a model."""

    def __init__(self, data, core, model, unit):
        self.data, self.core, self.model, self.unit = data, core, model, unit
        self.line = [core["Core"], *core.get("Line", "").split()]
        self.events = model.core.get(unit, set()) | set(core.get("Events", "").split())
        self.absent = {}  # name -> the reason
        self.trees = {}  # name -> its expression, parsed
        for tree, name in data.nodes:
            if tree == core["Tree"]:
                try:
                    self.formula(name, ())
                except Missing as missing:
                    self.absent[name] = str(missing)

    def pick(self, value):
        """Of alternatives by core, the one for the first core in the line that has one."""
        if not isinstance(value, dict):
            return value
        return next((value[core] for core in self.line if core in value), None)

    def formula(self, name, chain):
        """The expression of a node. Missing if the core does not have it."""
        if name in self.absent:
            raise Missing(f"{name}, which has no value: {self.absent[name]}")
        if name not in self.trees:
            row = self.data.nodes[self.core["Tree"], name]
            if name in chain:
                raise Fault(f"{row['File']}: '{name}' needs itself: {' -> '.join([*chain, name])}")
            text = self.pick(row["Forms"])
            if not text:
                self.absent[name] = "it has no form"
                raise Missing(self.absent[name])
            try:
                self.trees[name] = self.checked(folded(self.expand(self.parsed(text, row), (*chain, name))), (*chain, name))
            except Missing as missing:
                self.absent[name] = str(missing)
                raise
        return self.trees[name]

    def parsed(self, text, row):
        try:
            return parse(text)
        except Fault as fault:
            raise Fault(f"{row['File']}: {row.get('Node') or row['Quantity']} of {self.core['Core']}: {fault}") from fault

    def expand(self, tree, chain):
        """With quantities written out."""
        if tree[0] != "quantity":
            return tree if tree[0] in ("number", "name") else (tree[0], *(self.expand(t, chain) for t in tree[1:]))
        if tree[1].startswith("below:"):
            return self.sum_below(tree[1][6:], chain)
        if "{" + tree[1] + "}" in chain or len(chain) > MOST_NESTED:
            raise Fault(f"quantity '{tree[1]}' needs itself: {' -> '.join(chain)}")
        row = self.data.quantities.get((self.core["Tree"], tree[1]))
        if row is None:
            raise Fault(f"'{chain[-1]}' needs the quantity '{tree[1]}', which is not defined")
        text = self.pick(row["Forms"])
        if not text:
            raise Missing(f"the core has no {tree[1]}")
        return folded(self.expand(self.parsed(text, row), (*chain, "{" + tree[1] + "}")))

    def sum_below(self, parent, chain):
        """The sum of the nodes right below one."""
        terms = []
        for (tree, name), row in self.data.nodes.items():
            if tree != self.core["Tree"] or self.pick(row.get("Below")) != parent or name in chain:
                continue
            try:
                self.formula(name, chain)
                terms.append(("name", name))
            except Missing:
                continue
        if not terms:
            raise Missing(f"the core has no node below {parent}")
        total = terms[0]
        for term in terms[1:]:
            total = ("+", total, term)
        return total

    def checked(self, tree, chain):
        """With names as metric expressions have them. Missing if the model does not have them all."""
        if tree[0] == "name":
            return ("name", self.name(tree[1], chain))
        return tree if tree[0] == "number" else (tree[0], *(self.checked(part, chain) for part in tree[1:]))

    def name(self, name, chain):
        if name.startswith("#") or name == "duration_time":
            return name
        if (self.core["Tree"], name) in self.data.nodes:
            self.formula(name, chain)
            return name
        if RAW_EVENT.fullmatch(name):
            return name
        if name.startswith("msr@"):
            return name[:-1] + f"\\,cpu={self.unit}@" if self.unit else name
        event, *modifiers = name.split(":")
        plain = event.replace("\\", "").lower()
        if plain in self.model.others and plain not in self.events:
            return event
        if plain not in self.events:
            raise Missing(f"the model has no event {event}")
        return self.event(event, modifiers)

    def event(self, event, modifiers):
        terms, letters = "", ""
        for modifier in modifiers:
            match = re.fullmatch(r"([A-Za-z_]+?)=?(0x[0-9a-fA-F]+|\d+)?", modifier)
            if not match:
                raise Fault(f"'{event}': the modifier '{modifier}' is not understood")
            key, value = match.groups()
            if value:
                terms += f"\\,{MODIFIERS.get(key, key)}\\={value}"
            else:
                letters += modifier
        if self.unit or terms:
            return f"{self.unit or 'cpu'}@{event}{terms}@{letters}"
        return f"{event}:{letters}" if letters else event

    def threshold(self, name):
        """The condition for flagging a node: its own and the conditions of all nodes above it."""
        conditions = []
        while name:
            row = self.data.nodes[self.core["Tree"], name]
            flag = self.pick(row.get("Flag"))
            if flag:
                conditions.append(self.condition(name, flag))
            name = self.pick(row.get("Below"))
        text = ""
        for condition in reversed(conditions):
            text = f"{condition} & ({text})" if "&" in text else f"{condition} & {text}" if text else condition
        return text

    def condition(self, name, flag):
        """ "> 0.2" or "> 0.7 | tma_other > 0.1", without parts that the core lacks."""
        parts = []
        for part in flag.split("|"):
            other = part.strip().split(" ")[0]
            if other in "<>":
                parts.append(f"{name} {part.strip()}")
            elif other in self.trees:
                parts.append(part.strip())
        return f"({' | '.join(parts)})" if len(parts) > 1 else parts[0]

    def level(self, name):
        """The number of nodes from the top to this one; 0 for a metric outside the tree."""
        row = self.data.nodes[self.core["Tree"], name]
        below = self.pick(row.get("Below"))
        if below is None:
            return 0
        return 1 + (self.level(below) if below else 0)

    def is_kept(self, name):
        """A node needs all nodes above it."""
        below = self.pick(self.data.nodes[self.core["Tree"], name].get("Below"))
        levels = self.core.get("Levels", sys.maxsize)
        is_left_out = self.level(name) > levels or (below is None and levels < sys.maxsize)
        return name in self.trees and not is_left_out and (not below or self.is_kept(below))

    def groups(self, name, row):
        level, below = self.level(name), self.pick(row.get("Below"))
        place = [f"TopdownL{level}", *([f"tma_L{level}_group"] if name.startswith("tma_") else [])] if level else []
        return ";".join([*filter(None, row.get("Groups", "").split(";")), *place, *([f"{below}_group"] if below else [])])

    def samples(self, row):
        events = (self.pick(row.get("Sample")) or "").split()
        return ";".join(f"{self.unit}/{event}/" if self.unit else event for event in events if event.lower() in self.events)

    def needed(self):
        """The nodes, and the metrics that are kept for their own sake or that these need."""
        pending = [name for name in self.trees if self.is_kept(name)]
        kept = set()
        while pending:
            name = pending.pop()
            if name not in kept:
                kept.add(name)
                pending += [other for other in names_in(self.trees[name]) if other in self.trees]
        return [name for name in self.trees if name in kept]

    def metrics(self):
        for name in sorted(self.needed()):
            row = self.data.nodes[self.core["Tree"], name]
            out = {"MetricName": name, "MetricExpr": written(self.trees[name]), "MetricGroup": self.groups(name, row),
                   "MetricThreshold": self.threshold(name), "ScaleUnit": row.get("ScaleUnit", ""),
                   "ShareOf": self.pick(row.get("ShareOf")) or "", "SampleEvents": self.samples(row),
                   "BriefDescription": row.get("BriefDescription", ""), "Unit": self.unit}
            if self.level(name) == 0:
                out["MetricThreshold"] = ""
            yield {key: value for key, value in out.items() if value}


def trees_of(arch_tree):
    """The (directory, tree) of each core of each model."""
    data = Data(arch_tree / "topdown")
    for directory, model in own_metrics.Writer(arch_tree).models():
        for core in data.cores:
            if own_metrics.is_for(core, model.name):
                yield directory, CoreTree(data, core, model, core.get("Unit", ""))


def write_if_changed(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main(arch_tree, out, report):
    files = {}
    for directory, tree in trees_of(arch_tree):
        files.setdefault(directory.relative_to(arch_tree), []).extend(tree.metrics())
        for name, why in tree.absent.items() if report else ():
            print(f"{tree.model.name} {tree.unit}: {name}: {why}")
    for directory, metrics in files.items():
        lines = [json.dumps(metric, separators=(",", ":")) for metric in metrics]
        write_if_changed(out / directory / FILE, "[\n" + ",\n".join(lines) + "\n]\n")
    for old in out.rglob(FILE):
        if old.parent.relative_to(out) not in files:
            old.unlink()


def write_depfile(path, target, arch_tree):
    """A rule for Make: the trees depend on every file that says what a model has."""
    files = [pathlib.Path(own_metrics.__file__), pathlib.Path(__file__), *sorted(arch_tree.rglob("*.json"))]
    path.write_text(f"{target}: " + " ".join(str(file.resolve()).replace(" ", "\\ ") for file in files) + "\n")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("arch_tree", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--report", action="store_true")
    arguments.add_argument("--stamp", type=pathlib.Path)
    arguments.add_argument("--depfile", type=pathlib.Path)
    chosen = arguments.parse_args()
    try:
        main(chosen.arch_tree, chosen.out, chosen.report)
    except Fault as fault:
        sys.exit(f"topdown: {fault}")
    if chosen.depfile:
        write_depfile(chosen.depfile, chosen.stamp, chosen.arch_tree)
    if chosen.stamp:
        chosen.stamp.write_text("")
