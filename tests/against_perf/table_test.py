#!/usr/bin/env python3
"""evname report --stdio beside perf report --stdio, line by line: see line_by_line.py.

  table_test.py EVNAME [--show] [FILE...]

REWRITES leaves out of both what differs on purpose."""

import re

import line_by_line

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


def all_options(perf, file):
    more = CHAINS if b'CALLCHAIN' in line_by_line.output_of([perf, 'evlist', '-v', '-i', str(file)]) else []
    return [['-g', 'none', *options] for options in OPTIONS] + [one for one in more if one not in SKIPPED_CHAINS.get(file.name, [])]


def lines_of(command):
    return sorted(line_by_line.rewritten(line_by_line.output_of(command).decode('utf-8', 'replace').splitlines(), REWRITES))


def compare(perf, evname, empty, file, show):
    for options in all_options(perf, file):
        theirs, ours = (lines_of([tool, 'report', '--stdio', '--kallsyms', empty, *options, '-i', str(file)]) for tool in (perf, evname))
        if not theirs or theirs == ours:  # perf refuses the file, if it says nothing
            yield len(theirs), 0
        else:
            missing, more = ([line for line in a if line not in b] for a, b in ((theirs, ours), (ours, theirs)))
            yield line_by_line.told(f'{file.name} {" ".join(options)}', theirs, missing, more, show)


line_by_line.main(compare, line_by_line.recordings(('recordings',), ('*.data',), lambda file: file.name in KNOWN))
