#!/usr/bin/env python3
"""Makes the viewer, one file that needs no other: build.py PACKAGE OUTPUT.html"""
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
    package, out = map(pathlib.Path, sys.argv[1:])
    worker = script(package, "layouts.js", "host.js", "index.js", "worker.js") + "\nserve(load);\n"
    viewer = script(package, "worker.js") + (HERE / "viewer.js").read_text(encoding="utf-8").replace('"use strict";', "")
    module = base64.b64encode(gzip.compress((package / "evname.wasm").read_bytes(), 9, mtime=0)).decode()
    parts = {"MODULE": module, "WORKER": inside(worker), "VIEWER": inside('"use strict";\n' + viewer)}
    page = (HERE / "viewer.html").read_text(encoding="utf-8")
    page = re.sub(r"@(MODULE|WORKER|VIEWER)@", lambda match: parts[match.group(1)], page)
    out.write_text(page, encoding="utf-8")


main()
