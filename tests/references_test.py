#!/usr/bin/env python3
"""Everything of the public C++ headers that refers to something it does not own is in the table of docs/library.md, and
structs of the C headers say how long their pointers are valid. Usage: references_test.py ROOT"""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv[1])
HEADERS = ROOT / "runtime" / "include" / "evname"
# Types that are views themselves.
VIEWS = "string_view|span|SampleWords|Frame|Mapping|NamedLocation|CodeLine|Iterator"
REFERS = re.compile(rf"\b(?:{VIEWS})\b(?!\w*\()|[*&]")
LIFE = re.compile(r"\b(?:lives?|valid|static|belongs|buffer)\b", re.IGNORECASE)


def code_of(path):
    text = re.sub(r"//[^\n]*|/\*.*?\*/|^\s*#.*?(?<!\\)$|\[\[.*?\]\]|\b(?:EVNAME_(?:API|HIDDEN)|friend|static|constexpr|inline|explicit)\b",
                  "", path.read_text(), flags=re.S | re.M)
    return re.sub(r"\s*=\s*\{[^{}]*\}", "", re.sub(r'"(?:\\.|[^"])*"', '""', text))


def without_bodies(text):
    """Declarations with their scopes: bodies of functions and lists of enums are left out."""
    scopes, start, public, skipping = [], 0, [True], 0
    for at, letter in enumerate(text):
        if skipping:
            skipping += {"{": 1, "}": -1}.get(letter, 0)
            start = at + 1
        elif letter == "{":
            head = text[start:at].strip()
            opens = re.match(r"(?:template\s*<.*?>\s*)?(?:struct|class|namespace)\s*([\w:]*)[^()=]*$|extern", head)
            if not opens:
                if "enum" not in head and public[-1]:
                    yield scopes, head
                skipping = 1
            else:
                scopes = scopes + [opens[1] or ""]
                public.append(not head.startswith("class"))
                start = at + 1
        elif letter == "}":
            scopes = scopes[:-1]
            public.pop()
            start = at + 1
        elif letter == ":" and re.fullmatch(r"\s*(?:public|private|protected)", text[start:at]):
            public[-1] = "public" in text[start:at]
            start = at + 1
        elif letter == ";":
            if public[-1]:
                yield scopes, text[start:at].strip()
            start = at + 1


def referring(path):
    """What refers to something: names of members, functions and, for arguments that are kept, constructors."""
    for scopes, declaration in without_bodies(code_of(path)):
        declaration = re.sub(r"^template\s*<.*?>\s*|\s+", " ", declaration).strip()
        if "(" not in declaration:
            declaration = re.sub(r" = [^,]*", "", declaration)
        if re.match(r"(?:using|struct|class|enum|requires|namespace|operator)\b|$", declaration) or "operator" in declaration:
            continue
        inside = [one for one in scopes if one and not one.startswith("evname")]
        head, is_call, arguments = declaration.partition("(")
        kind, _, names = head.strip().rpartition("> ") if "," in head and not is_call else head.strip().rpartition(" ")
        if is_call and inside and head.strip() == inside[-1]:
            arguments = re.sub(rf"const {inside[-1]}\s*&|{inside[-1]}\s*&&|const Sample\s*&", "", arguments.rpartition(")")[0])
            kind = re.sub(r"const std::(?:string|vector<[^>]*>)\s*&", "", arguments)
            names = head
        kept = re.search(r"\b[A-Z]\w+\*", arguments)  # by whom it makes
        for name in names.split(","):
            if kept or REFERS.search(kind + (name if name.strip()[:1] in "*&" else "")):
                yield "::".join(inside + [name.strip(" *&")])


def rows():
    """The table's first column: "`Class`: `member`, `member`", or functions alone."""
    page = (ROOT / "docs" / "library.md").read_text()
    section = page.partition("## What refers to what\n")[2].partition("\n## ")[0]
    for line in section.splitlines():
        if line.startswith("| `"):
            owner, has_members, names = line.split("|")[1].strip().partition(": ")
            listed = re.findall(r"`([\w:~]+)", names if has_members else owner)
            yield from (f"{owner.strip('`')}::{name}" if has_members else name for name in listed)


def c_pointers():
    """Structs of C with pointers that the library sets, and functions that return one, each with its comment."""
    taken = set(re.findall(r"const (evname_\w+)\*", "".join(path.read_text() for path in HEADERS.glob("*.h"))))
    for path in sorted(HEADERS.glob("*.h")):
        text = path.read_text()
        for comment, body, name in re.findall(r"/\*\*((?:(?!\*/).)*)\*/\s*typedef struct \w+ \{(.*?)\n\} (\w+);", text, re.S):
            if name not in taken and "*" in re.sub(r"/\*.*?\*/", "", body, flags=re.S):
                yield name, comment + body
        for comment, name in re.findall(
                r"/\*\*((?:(?!\*/).)*)\*/\s*EVNAME_API const [\w ]+\*\s*(\w+)\(", text, re.S):
            yield name, comment


class References(unittest.TestCase):
    def test_the_table_has_all_that_refer(self):
        found = {name for path in HEADERS.glob("*.hpp") for name in referring(path)}
        self.assertGreater(len(found), 80)
        self.assertEqual(sorted(found - set(rows())), [], "lacks a row in docs/library.md")
        self.assertEqual(sorted(set(rows()) - found), [], "is in docs/library.md, but refers to nothing")

    def test_comments_of_c_say_how_long_pointers_are_valid(self):
        found = dict(c_pointers())
        self.assertGreater(len(found), 25)
        self.assertEqual([name for name, comment in found.items() if not LIFE.search(comment)], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
