#!/usr/bin/env python3
"""evname report --stdio beside perf report --stdio, line by line.

  table_test.py EVNAME [--show] [FILE...]

EVNAME_PERF_ORACLE names a directory that has this perf. FILEs: by default those in tests/data, and in recordings/ of
EVNAME_SHARED. REWRITES leaves out of both what differs on purpose."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
OPTIONS = [['-s', 'comm'], ['--no-children'], ['--no-children', '-n', '--show-total-period'], ['--no-children', '-t', ','],
           ['--no-children', '-s', 'pid,cpu'], ['--no-children', '-F', 'comm,overhead,dso'], ['--no-children', '-s', 'dso,comm', '-F', 'overhead'],
           ['--no-children', '--hierarchy', '--percent-limit', '5'], ['--no-children', '--showcpuutilization'],
           ['--no-children', '-q', '-s', 'comm'], ['--no-children', '-F', '+period'], ['--tasks'], ['--stats']]

# Of recordings with callchains, beside -g none. With callees and without functions, perf has two rows of an address: of samples in
# the file, of callers in memory.
CHAINS = [['--no-children'], ['-g', 'fractal', '--no-children'], ['-g', 'flat', '--no-children'], ['-g', 'folded,count', '--no-children'],
          ['-G', '--no-children'], ['-s', 'dso'], ['-g', 'graph,5,callee', '-s', 'dso'], ['-g', 'fractal', '-s', 'comm,dso'],
          ['--max-stack', '3', '--no-children'], ['--no-children', '--hierarchy', '-s', 'comm,dso'],
          ['-g', 'graph,0,2,period', '-q', '--no-children']]

# What differs on purpose: a pattern, what it becomes, and why.
REWRITES = [
    (re.compile(r"^(# Samples: .* of events?) '.*'"), r"\1", 'events have names instead of codes'),
    (re.compile(r'^\S.* stats:$'), 'stats:', 'the same'),
    (re.compile(r'\[[.k]\] '), '[x] ', 'in perf, functions that call others are of the mode of the sampled one'),
    (re.compile(r'^# \((?:Tip|Cannot).*'), '# (tip)', 'tips are of the own program'),
    (re.compile(r'\bperf-exec\b'), 'perf-ex', "perf's widths are of the first event, and cut names of threads"),
    (re.compile(r' +,'), ',', 'the same'),
    (re.compile(r'^ *\S+ +\S+% +\S+%( .*\[unknown\])'), r'\1', 'the share of the kernel is by the file in evname'),
    (re.compile(r'[ .]{2,}'), '  ', "widths of columns"),
    (re.compile(r'[ .]+$'), '', 'the same'),
    (re.compile(r'^(?:# )?[ .]+'), '', 'the same'),
    (re.compile(r'^[ |]+(?=[|\-0-9a-z]|$)'), '', 'callchains with equal shares have no order'),
    (re.compile(r'kernel\.(?:vmlinux|kallsyms)'), 'kernel', 'the name of the kernel is of the table of build ids in perf'),
]

# Recordings that differ as a whole, and why.
KNOWN = {
    'arm64-n1-icount-multiplex.data': 'events of one name and code are one in evname',
    'arm64-n1-uprobe.data': 'perf has rows by the text of tracepoints if there are no other events',
    'ppc64el-power9-branch.data': 'no sample has branches, so that perf prints nothing',
}


# Of some options, too.
SKIPPED_CHAINS = {
    'off-cpu.data': CHAINS,  # perf forgets the maps of a thread that ended
    'arm64-n1-aux-attrs.data': CHAINS[5:8],  # perf gives samples without a callchain the one of the sample before
}


def lines_of(command):
    done = subprocess.run(command, capture_output=True, env=dict(os.environ, PERF_CONFIG='/dev/null', EVNAME_EVENTS=''))
    return done.stdout.decode('utf-8', 'replace').splitlines()


def rewritten(lines):
    for pattern, text, _ in REWRITES:
        lines = [pattern.sub(text, line) for line in lines]
    return lines


def recordings():
    folders = [pathlib.Path(__file__).parents[1] / 'data']
    if 'EVNAME_SHARED' in os.environ:
        folders.append(pathlib.Path(os.environ['EVNAME_SHARED'], 'recordings'))
    return [file for folder in folders for file in sorted(folder.glob('*.data'))
            if file.name not in KNOWN]


def all_options(perf, file):
    chains = subprocess.run([perf, 'evlist', '-v', '-i', str(file)], capture_output=True, env=dict(os.environ, PERF_CONFIG='/dev/null'))
    more = CHAINS if b'CALLCHAIN' in chains.stdout else []
    return [['-g', 'none', *options] for options in OPTIONS] + [one for one in more if one not in SKIPPED_CHAINS.get(file.name, [])]


def compare(tools, empty, file, options, show):
    """Returns the number of lines, and of those that differ."""
    perf, evname = (rewritten(lines_of([*tool, '--stdio', '--kallsyms', empty, *options, '-i', str(file)]))
                    for tool in tools)
    if not perf:  # perf refuses the file
        return 0, 0
    theirs, ours = sorted(perf), sorted(evname)
    if theirs == ours:
        return len(perf), 0
    missing, more = ([line for line in a if line not in b] for a, b in ((theirs, ours), (ours, theirs)))
    print(f'{file.name} {" ".join(options)}: {len(missing)} lines of {len(perf)} missing, {len(more)} more', flush=True)
    if show:
        print(*[f'  - {line}' for line in missing[:6]], *[f'  + {line}' for line in more[:6]], sep='\n')
    return len(perf), max(len(missing), len(more), 1)


def main():
    words = [word for word in sys.argv[1:] if word != '--show']
    oracle = os.environ.get('EVNAME_PERF_ORACLE')
    if not oracle:
        print('skipped: EVNAME_PERF_ORACLE is not set')
        return SKIPPED
    tools = [str(pathlib.Path(oracle, 'perf')), 'report'], [words[0], 'report']
    files = [pathlib.Path(word) for word in words[1:]] or recordings()
    with tempfile.NamedTemporaryFile('w') as empty:
        empty.write('\n')
        empty.flush()
        counts = [compare(tools, empty.name, file, options, '--show' in sys.argv)
                  for file in files for options in all_options(tools[0][0], file)]
    print(f'{len(files)} recordings, {sum(count for count, _ in counts)} lines, {sum(count for _, count in counts)} differ')
    return 1 if any(differ for _, differ in counts) else 0


sys.exit(main())
