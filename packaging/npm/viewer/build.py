#!/usr/bin/env python3
"""Makes the viewer, one file that needs no other: build.py PACKAGE MODULE OUTPUT.html"""
import base64
import gzip
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent


def script(package, *names):
    """Modules as one script: each may be in the same scope as those before it."""
    text = "\n".join((package / name).read_text(encoding="utf-8") for name in names)
    text = re.sub(r"^import .* from '\./.*';\n", "", text, flags=re.M)
    return re.sub(r"^export ", "", text, flags=re.M).replace("import.meta.url", "''")


def inside(text):
    """Text of a <script> element, which ends at its first end tag."""
    return re.sub(r"</(script)", r"<\\/\1", text)


def main():
    package, module, out = map(pathlib.Path, sys.argv[1:])
    worker = script(package, "layouts.js", "host.js", "tables.js", "index.js", "worker.js") + "\nserve(load);\n"
    viewer = script(package, "worker.js") + (HERE / "viewer.js").read_text(encoding="utf-8").replace('"use strict";', "")
    packed = base64.b64encode(gzip.compress(module.read_bytes(), 9, mtime=0)).decode()
    parts = {"MODULE": packed, "WORKER": inside(worker), "VIEWER": inside('"use strict";\n' + viewer)}
    page = (HERE / "viewer.html").read_text(encoding="utf-8")
    page = re.sub(r"@(MODULE|WORKER|VIEWER)@", lambda match: parts[match.group(1)], page)
    out.write_text(page, encoding="utf-8")


main()
