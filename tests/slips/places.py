"""Where a C++ file can have a slip, and what stands there instead."""

import bisect
import collections
import re

LEFT_OUT = collections.Counter()  # places by the rule that leaves them out
# A slip replaces text[start:end]; `line` is where it is, counted from 1.
Place = collections.namedtuple("Place", "path line start end kind text")

TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
  | (?P<string>(?:u8|[uUL])?R"(?P<mark>[^(]*)\(.*?\)(?P=mark)"|(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<number>(?:0[xX][0-9a-fA-F']+|0b[01']+|\d[\d']*(?:\.\d*)?(?:[eE][+-]?\d+)?)[uUlLzZf]*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign><=>|<<=|>>=|\.\.\.|->\*|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w])
""", re.S | re.M | re.X)
Token = collections.namedtuple("Token", "kind text start end")

OPEN, CLOSE = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
# How tightly operators bind; what is not here binds more tightly than a comparison, or ends an operand.
BINDS = {"||": 1, "&&": 2, "|": 3, "^": 4, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<=>": 7.5,
         "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10}
ENDS = {";", ",", "?", ":", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "return", "co_return",
        "throw", "else", "do", "case", "co_yield"}
# Statements that are not evaluated where the program runs, or that are declarations of another kind.
NOT_RUN = {"constexpr", "static_assert", "using", "template", "enum", "case", "requires", "namespace", "typedef", "friend",
           "consteval", "constinit", "asm"}
# Calls that make nothing but room or speed, so that a program without them answers the same.
NO_MATTER = re.compile(r"\b(reserve|shrink_to_fit|madvise|posix_fadvise|prefetch|assume_aligned|resize_and_overwrite|"
                       r"drop_pages|sigaddset|sigemptyset|pthread_sigmask|fallocate|fsync|yield|notify_one|notify_all|fflush|fclose|close|join|munmap|lock|unlock)\s*\(")

# Rules for places that nobody can notice: what the reason is, and what the changed text, or the line, looks like then.
OF_CHANGED = {
    "makes room or speed only": NO_MATTER,
    "how many threads there are: more or fewer write the same": re.compile(r"\b(jobs|core_count)\b"),
    # Behind the end of a cursor nothing can be read: what asks for bytes when there are none fails as it does when there are too few.
    "asks whether a cursor has ended": re.compile(r"\bremaining\(\) (> 0|!= 0)"),
}
OF_LINE = {
    "guards a call that makes room or speed only": re.compile(r"^(else )?if \((?!.*exchange).*\) [\w.:>-]*" + NO_MATTER.pattern + r"[^;]*\);$"),
    "is a number in a call that makes room or speed only": re.compile(r"^[\w.:>()-]*" + NO_MATTER.pattern + r"[^;]*\);"),
    # When a signal comes, or how much of a call the kernel answers, is up to it.
    "asks whether a system call was interrupted": re.compile(r"< 0 && errno [!=]= (EINTR|EAGAIN)\b"),
    # Another factor or another number to begin with spreads keys in another way: the same are found.
    "mixes bits for a hash": re.compile(r"0x9e3779b97f4a7c15|\bhash_\(|^std::uint64_t (hash|random) = \d"),
    # Files of /proc and /sys are far smaller.
    "limits what is read of a system's file": re.compile(r"\b(read|read_head|read_text_file|read_lines|list_directory)\(.*, \d+ << \d+[),]"),
    "is the size of a buffer": re.compile(r"\bbuffer\(\d+ << \d+\b"),
    # Standard input is 0, and so no other file is.
    "compares a file's descriptor with 0": re.compile(r"\b(fd_?|descriptor|source|place\.get\()\)? (<|>=) 0\b"),
}
# "if (a != b) return a > b": they are not equal there.
UNEQUAL = re.compile(r"\b(\w+) != (\w+)\b.*\breturn \1 [<>] \2;")
# Calls that write to a variable before anything reads it, so that its first value is for what fails.
WRITES = re.compile(r"(read|parse|from_chars|dwarf_|elf_|gelf_|dwfl_|strto|unpack|decode)\w*")

OF_A_CALL = re.compile(r"(<|>=) 0$|\bE(INTR|AGAIN)$")  # comparisons of what a system call returned
# The kinds of slips that fall under a rule; without a row, all kinds do.
ONLY = {"is a number in a call that makes room or speed only": ("constant",), "asks whether a system call was interrupted": ("comparison",), "mixes bits for a hash": ("constant", "sum"), "limits what is read of a system's file": ("constant",),
        "is the size of a buffer": ("constant",), "compares a file's descriptor with 0": ("constant", "comparison")}

# Lines that a reader looks at: errors, rare forms, and what a second time, file or row finds there. They are chosen more often.
RARE = re.compile(r"\b(fail|note|warn\w*|fault\w*|damage\w*|lost|throttled|skip\w*)\(|endian|narrow|swap|is_(?:new|first|last|same)|"
                  r"\b(?:i|first|last|before|known|seen)\w* (?:[=!]=|>|<=) |\bstd::exchange\(|\bbegin_file\b|"
                  r"\b(?:clear|reset|empty|has_value|contains|try_emplace|resize)\(|\bif \(!|\? 0 :|UINT\d+_MAX|SIZE_MAX|\+= |\|= ")
RARE_WEIGHT = 3

COMPARED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
WORDS = {"first": "second", "second": "first", "true": "false", "false": "true"}
CALLS = {"front": "back", "back": "front", "min": "max", "max": "min", "lower_bound": "upper_bound",
         "upper_bound": "lower_bound", "any_of": "all_of", "all_of": "any_of"}


def tokens_of(text):
    out, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match.lastgroup == "mark" or match.group("string"):
            out.append(Token("string", match.group(), at, match.end()))
        elif not match.group("skip"):
            out.append(Token(match.lastgroup, match.group(), at, match.end()))
        at = match.end()
    return out


class File:
    """The tokens of a file, which bracket belongs to which, and which of them are in functions."""

    def __init__(self, path, text):
        self.path, self.text, self.tokens = path, text, tokens_of(text)
        self.partner, self.runs = {}, []
        self.lines = [0] + [match.end() for match in re.finditer("\n", text)]
        self.starts = [token.start for token in self.tokens]
        self._match()

    def _match(self):
        stack, statement = [], 0  # of (index of the bracket, whether what is in it runs)
        for i, token in enumerate(self.tokens):
            if token.text in OPEN and token.kind == "sign":
                runs = stack[-1][1] if stack else False
                if token.text == "{":
                    runs = not self._catches(i) and (self._opens_block(i, statement) or runs)
                stack.append((i, runs))
            elif token.text in CLOSE and token.kind == "sign" and stack:
                opened = stack.pop()[0]
                self.partner[opened], self.partner[i] = i, opened
            if token.text in (";", "{", "}"):
                statement = i + 1
            self.runs.append(bool(stack) and stack[-1][1])

    def _catches(self, at):
        """The block of a catch clause, which runs when memory has run out or the system refuses something."""
        before = self.partner.get(at - 1)
        return before is not None and self.at(before - 1, "catch")

    def _opens_block(self, at, statement):
        """A function's or a lambda's body, not a list of values and not a class."""
        before = self.tokens[at - 1].text if at else ""
        words = {token.text for token in self.tokens[statement:at]}
        if words & {"namespace", "struct", "class", "union", "enum"} and before != ")":
            return False
        return before in (")", "const", "noexcept", "override", "else", "do", "try", "mutable", "]") or "->" in words

    def at(self, i, *texts):
        return 0 <= i < len(self.tokens) and self.tokens[i].text in texts

    def line_of(self, start):
        return bisect.bisect_right(self.lines, start)

    def line_text(self, start):
        line = self.line_of(start)
        end = self.lines[line] if line < len(self.lines) else len(self.text)
        return self.text[self.lines[line - 1]:end].strip()

    def statement(self, i):
        """The tokens of the statement that has the token: of the innermost one."""
        first = i
        while first > 0 and not self.at(first - 1, ";", "{", "}"):
            first = self.partner.get(first - 1, first - 1) if self.at(first - 1, ")", "]") else first - 1
        while not self.at(first, "(", "[") and first > 0 and self.at(first - 1, "("):
            break
        last = i
        while last + 1 < len(self.tokens) and not self.at(last, ";", "{", "}"):
            last += 1
        return self.tokens[first:last + 1]

    def left_of(self, at, binds):
        """Index of the first token of the operand that ends before `at`."""
        i = at
        while i > 0:
            token = self.tokens[i - 1]
            if token.text in CLOSE and token.kind == "sign":
                if i - 1 not in self.partner or (token.text == "}" and not self._is_value(i - 1)):
                    return i
                i = self.partner[i - 1]
                continue
            if token.text in OPEN or token.text in ENDS or self._ends(i - 1, binds, True):
                return i
            i -= 1
        return i

    def right_of(self, at, binds):
        """Index after the last token of the operand that begins behind `at`."""
        i = at + 1
        while i < len(self.tokens):
            token = self.tokens[i]
            if token.text in OPEN and token.kind == "sign":
                if i not in self.partner:
                    return None
                i = self.partner[i] + 1
                continue
            if token.text in CLOSE or token.text in ENDS or self._ends(i, binds, False):
                return i
            i += 1
        return None

    def object_of(self, i):
        """Index of the first token of "object.member" or "Scope::name", where the token is the last word."""
        while i > 0:
            before = i - 1
            if self.at(before, ".", "->", "::"):
                i = before
            elif self.at(i, ".", "->", "::", "(", "[") and self.at(before, ")", "]") and before in self.partner:
                i = self.partner[before]
            elif self.at(i, ".", "->", "::", "(", "[") and self.tokens[before].kind == "word" and \
                    self.tokens[before].text not in ("return", "if", "while", "for", "switch", "else", "co_return"):
                i = before
            else:
                break
        return i

    def is_written_next(self, i):
        """The variable is next an argument of a call that writes it."""
        name = self.tokens[i].text
        at = next((j for j in range(i + 1, len(self.tokens)) if self.tokens[j].text == name), None)
        if at is None or not self.at(at - 1, ",", "(", "&") or not self.at(at + 1, ")", ","):
            return False
        at -= 1
        while at > 0 and not self.at(at, "(", ";", "{"):
            at = (self.partner.get(at, at) if self.at(at, ")", "]", "}") else at) - 1
        return self.at(at, "(") and WRITES.fullmatch(self.tokens[at - 1].text) is not None

    def _is_value(self, close):
        """"{…}" behind a name or a lambda's head, not a block of statements."""
        before = self.tokens[self.partner[close] - 1]
        return before.kind == "word" or before.text in (">", "]")

    def _is_binary(self, i):
        """An operator between two operands, which clang-format puts blanks around."""
        token = self.tokens[i]
        if token.kind != "sign" or i == 0 or i + 1 == len(self.tokens):
            return False
        return self.tokens[i - 1].end < token.start and token.end < self.tokens[i + 1].start

    def _ends(self, i, binds, is_left):
        other = BINDS.get(self.tokens[i].text)
        if other is None or not self._is_binary(i):
            return False
        return other < binds or (other == binds and not is_left)

    def span(self, first, after):
        return self.text[self.tokens[first].start:self.tokens[after - 1].end]


def places_of(path, text):
    """All slips that the file can have. %N stands for the number of the slip."""
    file = File(path, text)
    out = []
    for i in range(len(file.tokens)):
        if not file.runs[i]:
            continue
        for kind, start, end, new in at_token(file, i):
            out.append(Place(path, file.line_of(file.tokens[i].start), start, end, kind, new))
    kept = []
    for place in (place for place in out if is_evaluated(file, place)):
        reason = why_not(file, place)
        LEFT_OUT[reason] += reason is not None
        if reason is None:
            kept.append(place)
    return kept


def is_evaluated(file, place):
    at = bisect.bisect_left(file.starts, place.start)
    words = {token.text for token in file.statement(at)}
    if any(word.startswith("__") for word in words):  # what the CPU answers, or the compiler
        return False
    return not words & NOT_RUN


def why_not(file, place):
    """The rule why nobody can notice the slip, or None."""
    changed, line = file.text[place.start:place.end], file.line_text(place.start)
    for rules, text in ((OF_CHANGED, changed), (OF_LINE, line)):
        for reason, pattern in rules.items():
            if pattern.search(text) and place.kind in ONLY.get(reason, [place.kind]) and \
                    (place.kind != "comparison" or reason not in ONLY or OF_A_CALL.search(changed)):
                return reason
    return None


def at_token(file, i):
    token = file.tokens[i]
    if token.kind == "sign" and file._is_binary(i):
        yield from of_condition(file, i) if token.text in ("&&", "||", "?") else of_operator(file, i)
    elif token.kind == "number":
        yield from of_number(file, i)
    elif token.kind == "word":
        yield from of_word(file, i)
    if i and file.at(i - 1, ";", "{", "}") or file.at(i - 1, ")"):
        yield from of_statement(file, i)


def of_operator(file, i):
    sign = file.tokens[i].text
    if sign not in COMPARED and sign not in ("+", "-"):
        return
    first, after = file.left_of(i, BINDS[sign]), file.right_of(i, BINDS[sign])
    if after is None or first >= i or after <= i + 1:
        return
    left, right = file.span(first, i), file.span(i + 1, after)
    if "\n" in left + right and "{" in left + right:
        return  # a lambda's body
    start, end = file.tokens[first].start, file.tokens[after - 1].end
    if sign in COMPARED:
        # (a < b ? a : b) is the same with <=, and so is an order of a.time < b.time.
        if sign not in ("==", "!=") and (file.at(after, "?") or is_order(left, right) or
                                         UNEQUAL.search(file.line_text(file.tokens[i].start))):
            return
        new = COMPARED[sign]
        yield "comparison", start, end, f"(slips::on<%N>() ? ({left} {new} {right}) : ({left} {sign} {right}))"
    elif not any(token.kind == "string" and token.text.endswith('"') for token in file.tokens[first:after]):  # of texts
        new = "-" if sign == "+" else "+"
        yield "sum", start, end, f"(slips::on<%N>() ? ({left} {new} {right}) : ({left} {sign} {right}))"


def of_condition(file, i):
    """An operand of && or || that is as if it were not there, and a choice that is always the same."""
    sign = file.tokens[i].text
    first, after = file.left_of(i, BINDS.get(sign, 0)), file.right_of(i, BINDS[sign]) if sign != "?" else None
    if first >= i or sign != "?" and (after is None or after <= i + 1):
        return
    if sign == "?":
        yield from (("choice", *forced) for way in (True, False) for forced in forced_to(file, first, i, way))
        return
    if not any(file.tokens[at].text == sign for at in range(first, i)):  # else that operator's right one is it
        yield from (("operand", *forced) for forced in forced_to(file, first, i, sign == "&&"))
    yield from (("operand", *forced) for forced in forced_to(file, i + 1, after, sign == "&&"))


def forced_to(file, first, after, value):
    """A condition whose value is the same always, though it is evaluated: (start, end, text)."""
    condition = file.span(first, after)
    if "{" in condition and "\n" in condition or any(token.text in ("=", ";") for token in file.tokens[first:after]):
        return
    new = f"(static_cast<bool>({condition}) || slips::on<%N>())" if value else f"(static_cast<bool>({condition}) && !slips::on<%N>())"
    yield file.tokens[first].start, file.tokens[after - 1].end, new


def is_order(left, right):
    """The same of two things called a and b."""
    one, other = re.findall(r"\w+", left), re.findall(r"\w+", right)
    differ = {(x, y) for x, y in zip(one, other) if x != y}
    return len(one) == len(other) > 1 and len(differ) == 1 and all(len(x) == len(y) == 1 for x, y in differ)


def of_number(file, i):
    token = file.tokens[i]
    match = re.fullmatch(r"(0[xX][0-9a-fA-F']+|\d[\d']*)([uUlLzZ]*)", token.text)
    if not match or (file.at(i - 1, "<") and not file._is_binary(i - 1)) or file.at(i + 1, ">"):
        return
    if file.at(i - 1, "=") and file.at(i + 1, ";", ",") and \
            (file.tokens[i - 3].kind == "word" or file.at(i - 3, ",", ">")) and file.is_written_next(i - 2):
        return
    yield "constant", token.start, token.end, f"(slips::on<%N>() ? {token.text} + 1 : {token.text})"


def of_word(file, i):
    token = file.tokens[i]
    if token.text in ("true", "false"):
        yield "constant", token.start, token.end, f"(slips::on<%N>() != {token.text})"
    if token.text in ("first", "second") and file.at(i - 1, ".", "->") and not file.at(i + 1, "("):
        first = file.object_of(i)
        if file.at(first, ".", "->", "(") or file.at(i - 2, ")") or file.at(i + 1, "=", "+=", "++", ".", "->"):
            return
        of = file.span(first, i)
        new = WORDS[token.text]
        yield "field", file.tokens[first].start, token.end, f"(slips::on<%N>() ? {of}{new} : {of}{token.text})"
    if token.text in CALLS and file.at(i + 1, "(") and i + 1 in file.partner:
        last = file.partner[i + 1]
        first = file.object_of(i)
        if file.at(first, "::") or file.at(last + 1, "=", "+=", ".", "->", "{", "++") or token.text in ("min", "max") and not file.at(i - 1, "::"):
            return
        before, arguments = file.span(first, i) if first < i else "", file.span(i + 1, last + 1)
        if "\n" in arguments and "{" in arguments:
            return
        yield "call", file.tokens[first].start, file.tokens[last].end, \
            f"(slips::on<%N>() ? {before}{CALLS[token.text]}{arguments} : {before}{token.text}{arguments})"


def of_statement(file, i):
    token = file.tokens[i]
    if token.text == "if" and file.at(i + 1, "(") and i + 1 in file.partner:
        last = file.partner[i + 1]
        condition = file.span(i + 2, last) if last > i + 2 else ""
        inside = [t.text for t in file.tokens[i + 2:last]]
        if ";" in inside or "=" in inside or not condition:
            return
        yield from (("condition", *forced) for way in (True, False) for forced in forced_to(file, i + 2, last, way))
        return
    # A statement of one line: an assignment, a call or a jump.
    if not file.at(i - 1, ";", "{", "}") and not file.at(i - 1, ")"):
        return
    if token.kind != "word" and not file.at(i, "++", "--", "*"):
        return
    last = i
    while last < len(file.tokens) and not file.at(last, ";", "{", "}"):
        last = file.partner[last] + 1 if file.at(last, "(", "[") and last in file.partner else last + 1
    if not file.at(last, ";"):
        return
    words = [t.text for t in file.tokens[i:last]]
    if words[0] in ("return", "if", "for", "while", "else", "do", "switch", "case", "const", "auto", "static", "using",
                    "goto", "throw", "default", "public", "private", "struct", "delete"):
        return
    # "Type name = value;" declares, "name = value;" and "name.call(…);" do something.
    if words[0] not in ("continue", "break"):
        j = 1
        while j < len(words) and words[j] in (".", "->", "::", "(", "[", ")", "]") or \
                j < len(words) and words[j - 1] in (".", "->", "::", "++", "--", "*", "(", "["):
            j = (file.partner[i + j] - i + 1) if words[j] in ("(", "[") and i + j in file.partner else j + 1
        if j < len(words) and words[j] not in ("=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "<<=", ">>=", "++", "--"):
            return
    if file.at(i - 1, ")") and (not is_guarded(file, i - 1) or
                                words[0] == "continue" and not file.at(file.partner[i - 1] - 1, "if")):
        return
    start, end = token.start, file.tokens[last].end
    statement = file.text[start:end]
    if "{" in statement and "\n" in statement:
        return
    yield "statement", start, end, f"if (!slips::on<%N>()) {{ {statement} }}"


def is_guarded(file, close):
    """The parenthesis belongs to an "if (…)" without else, or to a loop."""
    opened = file.partner.get(close)
    if opened is None or not file.at(opened - 1, "if", "for", "while"):
        return False
    at = close + 1
    while at < len(file.tokens) and not file.at(at, ";"):
        at = file.partner.get(at, at) + 1 if file.at(at, "(", "[", "{") else at + 1
    return not file.at(at + 1, "else")
