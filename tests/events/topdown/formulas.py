"""Metric expressions of Linux, Intel and Arm: parsed and computed apart from evname's own code."""

import hashlib
import math
import re

TOKEN = re.compile(r"""\s*(?:(?P<number>0x[0-9a-fA-F]+(?![\w.@])|\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.@\\]))
    |(?P<name>\#?[A-Za-z_](?:[\w.]|\\.)*(?::[A-Za-z0-9_=]+)*(?:@[^@]*@[A-Za-z]*)?)|(?P<mark>>=|[-+*/%|&^<>(),]))""", re.X)
LEVELS = [["|"], ["^"], ["&"], ["<", ">", ">="], ["+", "-"], ["*", "/", "%"]]
FUNCTIONS = {"min", "max", "d_ratio", "strcmp_cpuid_str"}
NAN = float("nan")


class Parser:
    def __init__(self, text):
        self.tokens, self.at, place = [], 0, 0
        while text[place:].strip():
            match = TOKEN.match(text, place)
            assert match, f"{text[place:place + 40]} in {text}"
            self.tokens.append((match.lastgroup, match[match.lastgroup]))
            place = match.end()

    def peek(self):
        return self.tokens[self.at][1] if self.at < len(self.tokens) else None

    def take(self, text=None):
        kind, found = self.tokens[self.at]
        assert text in (None, found), f"{found} instead of {text}"
        self.at += 1
        return kind, found

    def choice(self):
        yes = self.binary(0)
        if self.peek() != "if":
            return yes
        self.take()
        condition = self.binary(0)
        self.take("else")
        return "if", yes, condition, self.choice()

    def binary(self, level):
        if level == len(LEVELS):
            return self.operand()
        left = self.binary(level + 1)
        while self.peek() in LEVELS[level]:
            left = (self.take()[1], left, self.binary(level + 1))
        return left

    def operand(self):
        kind, text = self.take()
        if text == "-":
            return "negate", self.operand()
        if text == "(" or text in FUNCTIONS:
            if text != "(":
                self.take("(")
            parts = [self.choice()]
            while self.peek() == ",":
                self.take()
                parts.append(self.choice())
            self.take(")")
            return parts[0] if text == "(" else (text, *parts)
        return kind, text


def parse(text):
    parser = Parser(text)
    tree = parser.choice()
    assert parser.peek() is None, f"{parser.peek()} in {text}"
    return tree


def canonical(name):
    """An event in one spelling: "msr tsc", "uops_executed.core,cmask=1", "mem_inst_retired.lock_loads:R"."""
    name = name.replace("\\-", "-").replace("\\", "")
    name = re.sub(r"^(OCR[^@]*)@(offcore_rsp=\w+)@$", r"cpu@\1,\2@", name)
    name = re.sub(r"^r([0-9a-f]{2,16})$", r"cpu@event=0x\1@", name)
    match = re.match(r"(\w+)@(.*)@(\w*)$", name)
    if not match:
        return re.sub(r"^[^:]*", lambda event: event[0].lower(), name)
    event, *terms = match[2].split(",")
    terms = [term if "=" in term else term + "=1" for term in terms if not term.startswith("cpu=")]
    terms = [re.sub(r"=(\w+)$", lambda value: f"={int(value[1], 0)}", term) for term in terms]
    prefix = "msr " if match[1] == "msr" else ""
    return prefix + ",".join([event.lower(), *sorted(terms)]) + (":" + match[3] if match[3] else "")


def count(seed, event):
    """Any number, the same for an event of that name."""
    event = {"topdown.slots": "slots"}.get(event, event)
    share = int(hashlib.md5(f"{seed}{event}".encode()).hexdigest()[:12], 16) / 16**12
    if event == "duration_time":
        return 0.5 + share
    return 1 + 20 * share if event.endswith(":R") else 1000 * (1 + 999 * share)


BINARY = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if b else NAN, "d_ratio": lambda a, b: a / b if b else 0,
    "%": lambda a, b: math.fmod(a, b), "min": min, "max": max,
    "<": lambda a, b: a < b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "|": lambda a, b: bool(a) or bool(b), "&": lambda a, b: bool(a) and bool(b), "^": lambda a, b: bool(a) != bool(b),
}


class Values:
    """The values of metrics, {name: expression}, for one seed of counts."""

    def __init__(self, metrics, seed, literals, named=None):
        self.metrics = {name.lower(): text for name, text in metrics.items()}
        self.seed, self.literals, self.named, self.known = seed, literals, named or {}, {}

    def metric(self, name):
        name = name.lower()
        if name not in self.known:
            self.known[name] = NAN
            self.known[name] = float(self.of(parse(self.metrics[name])))
        return self.known[name]

    def of(self, tree):
        kind = tree[0]
        if kind == "number":
            return float(int(tree[1], 16)) if tree[1].startswith("0x") else float(tree[1])
        if kind == "name":
            return self.name(tree[1])
        if kind == "if":
            return self.of(tree[1]) if self.of(tree[2]) else self.of(tree[3])
        if kind == "negate":
            return -self.of(tree[1])
        if kind == "strcmp_cpuid_str":
            return tree[1][1] in self.literals.get("cpuids", ())
        return BINARY[kind](self.of(tree[1]), self.of(tree[2]))

    def name(self, name):
        if name in self.named:
            return self.named[name]
        if name.startswith("#"):
            return self.literals[name.lower()]
        if name.lower() in self.metrics and "@" not in name:
            return self.metric(name)
        return count(self.seed, canonical(name))
