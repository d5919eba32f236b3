"""Outputs of evname beside perf's, line by line, for each of some recordings. A test of this kind has the arguments

  EVNAME [--show] [FILE...]

and needs EVNAME_PERF_ORACLE, which names a directory that has this perf. FILEs: by default those in tests/data, and in some
folders of EVNAME_SHARED."""

import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77


def output_of(command):
    return subprocess.run(command, capture_output=True, env=dict(os.environ, PERF_CONFIG='/dev/null', EVNAME_EVENTS='')).stdout


def rewritten(lines, rewrites):
    """Without what differs on purpose. Rewrites are rows of a pattern, what it becomes, and why."""
    for pattern, text, _ in rewrites:
        lines = [pattern.sub(text, line) for line in lines]
    return lines


def told(title, theirs, missing, more, show):
    """Prints how many lines differ. Returns the number of perf's lines, and of those that differ."""
    print(f'{title}: {len(missing)} lines of {len(theirs)} missing, {len(more)} more', flush=True)
    if show:
        print(*[f'  - {line[:180]}' for line in missing[:6]], *[f'  + {line[:180]}' for line in more[:6]], sep='\n')
    return len(theirs), max(len(missing), len(more), 1)


def recordings(shared, patterns, is_known):
    folders = [pathlib.Path(__file__).parents[1] / 'data']
    if 'EVNAME_SHARED' in os.environ:
        folders += [pathlib.Path(os.environ['EVNAME_SHARED'], name) for name in shared]
    files = {file for folder in folders for pattern in patterns for file in folder.glob(pattern)}
    return [file for file in sorted(files) if not is_known(file)]


def main(compare, default_files):
    """`compare(perf, evname, empty, file, show)` yields a pair of told() for each output of a recording; `empty` is a file
    without symbols of a kernel."""
    words = [word for word in sys.argv[1:] if word != '--show']
    oracle = os.environ.get('EVNAME_PERF_ORACLE')
    if not oracle:
        print('skipped: EVNAME_PERF_ORACLE is not set')
        sys.exit(SKIPPED)
    perf, files = str(pathlib.Path(oracle, 'perf')), [pathlib.Path(word) for word in words[1:]] or default_files
    with tempfile.NamedTemporaryFile('w') as empty:
        empty.write('\n')
        empty.flush()
        counts = [count for file in files for count in compare(perf, words[0], empty.name, file, '--show' in sys.argv)]
    differ = sum(count for _, count in counts)
    print(f'{len(files)} recordings, {sum(count for count, _ in counts)} lines, {differ} differ')
    sys.exit(1 if differ else 0)
