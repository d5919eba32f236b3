#!/usr/bin/env python3
"""Finds phrases in comments, string literals and Markdown that readers have to read twice: .ci/phrases.py [--all]
It looks at the lines that were added since the upstream branch, or since the commit before the last one if there is no
upstream branch; with --all, at every line. `.ci/lint` runs it, and tests/phrases_test.py has examples."""

import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]
EXAMPLES = "tests/phrases_test.py"

GAP = r"(?:[ \t]+|[ \t]*\n[ \t]*)"  # a phrase may go on in the next line, but not beyond an empty one
PHRASES = [(advice, re.compile(text.replace(" ", GAP))) for advice, text in (
    ("repeat the noun", r"\b(?:[Tt]hose|[Tt]hat) of\b"),
    ("begin another sentence, or use a verb", r"\b(?:[Oo]f|[Bb]y|[Ii]n|[Ff]or) which\b"),
    ("say what the program gets or does", r"\b(?:is|are|was|were|be) told\b(?! apart)"),
    ("begin with the subject", r"\bWhat [^.?!:;|\n]*(?:\n[^.?!:;|\n]+)?\b(?:is|are|was|were|has|have)\b[^.?!|\n]*(?:\n[^.?!|\n]+)?(?:[.!|]|$)"),
    ("say it without a double negation", r"\bnot un(?!cov|der|ion|iq|it|ivers|less|til)\w+|\bnot (?:without|impossible|infrequent(?:ly)?|inside out)\b"
                                         r"|\b(?:[Nn]obody|[Nn]othing|[Nn]one(?! if\b)|[Nn]ever) [^.,:;?!()|\n]{0,40}\b(?:not|never)\b"))]

# The prose of a file: strings and comments, as the first that begins at a place.
C_PROSE = re.compile(r'R"\((?:.|\n)*?\)"|"(?:[^"\\\n]|\\.)*"|//.*|/\*(?:.|\n)*?\*/')
SCRIPT_PROSE = re.compile(r'"""(?:.|\n)*?"""|' r"'''(?:.|\n)*?'''|" r'"(?:[^"\\\n]|\\.)*"|' r"'(?:[^'\\\n]|\\.)*'|(?<![$\\])#.*")
PROSE = dict.fromkeys((".c", ".cpp", ".def", ".go", ".h", ".hpp", ".js", ".mjs", ".rs", ".ts"), C_PROSE)
PROSE.update(dict.fromkeys((".build", ".py", ".sh", ".txt", ""), SCRIPT_PROSE))
# Markdown's code, targets of links, and headings have no sentences.
MARKDOWN_CODE = re.compile(r"^```.*\n(?:.*\n)*?```|`[^`\n]*(?:\n[^`\n]+)?`|\]\([^)\n]*\)", re.M)
HEADING = re.compile(r"^#+ .*", re.M)
MARKS = re.compile(r"^[ \t]*(?:///?|\*|#+|[-*>]|\d+\.|\"\"\"|\")(?=[ \t])|\"[ \t]*$|\"(?=\n)", re.M)


def filled(letter):
    """Replaces each character of a match by this letter, so that lines keep their numbers."""
    return lambda match: re.sub(r"[^\n]", letter, match[0])


def prose(name, text):
    """The text with blanks for all that is not prose, so that places in it stay the same."""
    if name.endswith(".md"):
        return MARKS.sub(filled(" "), HEADING.sub(filled("|"), MARKDOWN_CODE.sub(filled("x"), text)))
    kept, at = [], 0
    for match in PROSE[pathlib.PurePath(name).suffix].finditer(text):
        kept += [re.sub(r"[^\n]", " ", text[at:match.start()]), match[0]]
        at = match.end()
    return MARKS.sub(filled(" "), "".join(kept))


def findings(name, text, lines=None):
    """The phrases on these lines of a file, or on all: line, phrase, advice."""
    words = prose(name, text)
    for advice, phrase in PHRASES:
        for match in phrase.finditer(words):
            first = words.count("\n", 0, match.start()) + 1
            last = first + match[0].count("\n")
            if lines is None or lines & set(range(first, last + 1)):
                yield first, " ".join(match[0].split()), advice


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=SOURCE, capture_output=True, encoding="utf-8", errors="replace").stdout


def added_lines(diff):
    """The numbers of the lines that a diff without context adds to each file."""
    added, name = {}, None
    for line in diff.splitlines():
        if line.startswith("+++ "):
            name = line[6:] if line.startswith("+++ b/") else None
        if name and (hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)):
            start = int(hunk[1])
            added.setdefault(name, set()).update(range(start, start + int(hunk[2] or 1)))
    return added


def changed_lines():
    base = git("merge-base", "HEAD", "@{upstream}").strip() or git("rev-parse", "--verify", "--quiet", "HEAD~1").strip()
    return added_lines(git("diff", "--unified=0", "--no-color", "--no-ext-diff", base)) if base else {}


def main():
    files = dict.fromkeys(git("ls-files").split("\n"), None) if "--all" in sys.argv[1:] else changed_lines()
    faults = 0
    for name, lines in sorted(files.items()):
        path = SOURCE / name
        if name == EXAMPLES or path.suffix not in (*PROSE, ".md") or not path.is_file():
            continue
        for line, phrase, advice in sorted(findings(name, path.read_text(errors="replace"), lines)):
            print(f"{name}:{line}: \"{phrase}\": {advice}")
            faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
