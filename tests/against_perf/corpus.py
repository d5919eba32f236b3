#!/usr/bin/env python3
"""Recordings of a folder beside perf: what both print of each, and why they differ.

  corpus.py EVNAME PERF FOLDER [--jobs N] [--timeout SECONDS] [--show CAUSE] [--of RECORDING] [--symfs DIRECTORY]

FOLDER has recordings of any machines. They stay outside of the repository, as they name the people who made them. Both
programs run without the symbols of this machine: in a mount namespace whose /proc/kallsyms and /proc/modules are empty,
below an empty --symfs, without a cache of build ids. --symfs names a tree of files instead.
The exit code is 1 if a line differs for a cause that CAUSES does not have. --show prints lines of a cause, which may
contain personal details.
"""
import argparse
import collections
import concurrent.futures
import difflib
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import text_test

NAMESPACE = 'EVNAME_CORPUS_NAMESPACE'
MOST_TO_ALIGN = 40000  # lines of an output whose number differs

# cause: why evname does otherwise
CAUSES = {
    **text_test.CLASSES,
    'BPF program': 'perf prints addresses and sizes of the functions of BPF programs; evname ids, names and tags',
    'pid 0': 'perf gives processes outside the PID namespace of the recorder the files and names of each other',
    'file of perf only': 'perf follows copies of stacks (--call-graph dwarf) to find files that were hit; evname does not',
    'vdso of perf': 'perf names its own copy of a vdso of 32 bits, which is a new file each time',
    'vdso of evname': 'the same',
    'module': 'perf names a module by its path if the recording has its build id, else by its name',
    'no answer in time': 'one of them needed longer than --timeout',
}
FRAME = re.compile(r'^(.*?\s)?([0-9a-f]{1,16}) (.*) \(([^()]*(?:\([^()]*\))?[^()]*)\)$')
COUNT = re.compile(r'^\s+SAMPLE events:\s+(\d+)')


def enter_namespace():
    """Starts this script again where the kernel's symbols can't be seen."""
    if NAMESPACE in os.environ:
        return
    hide = ': > "$0/empty" && for f in kallsyms modules; do [ ! -e /proc/$f ] || mount --bind "$0/empty" /proc/$f || exit; done'
    with tempfile.TemporaryDirectory() as home:
        os.mkdir(f'{home}/symfs')
        environment = dict(os.environ, HOME=home, PERF_CONFIG='/dev/null', DEBUGINFOD_URLS='', **{NAMESPACE: home})
        command = ['unshare', '--mount', '--map-root-user', 'sh', '-c', f'{hide} && exec "$@"', home, sys.executable]
        sys.exit(subprocess.run(command + sys.argv, env=environment).returncode)


class Programs:
    def __init__(self, options):
        self.evname, self.perf, self.timeout = options.evname, options.perf, options.timeout
        self.symfs = options.symfs or os.environ[NAMESPACE] + '/symfs'

    def run(self, *command):
        """Lines of standard output, text of standard error, exit code (None: too slow)."""
        try:
            done = subprocess.run(command, capture_output=True, timeout=self.timeout, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return [], '', None
        return done.stdout.decode('utf-8', 'replace').splitlines(), done.stderr.decode('utf-8', 'replace'), done.returncode

    def perf_says(self, subcommand, path, *more):
        return self.run(self.perf, subcommand, '-f', '-i', path, *more)

    def evname_says(self, subcommand, path, *more):
        return self.run(self.evname, subcommand, '-i', path, *more)

    def scripts(self, path):
        return (self.perf_says('script', path, '--symfs', self.symfs),
                self.evname_says('script', path, '--symfs', self.symfs))

    def build_ids(self, path):
        return self.perf_says('buildid-list', path), self.evname_says('buildid-list', path)

    def build_ids_with_hits(self, path):
        return self.perf_says('buildid-list', path, '-H'), self.evname_says('buildid-list', path, '-H')

    def headers(self, path):
        theirs, errors, code = self.perf_says('script', path, '--header-only', '-I')
        ours = self.evname_says('info', '-v', path)
        known = {header_line(line) for line in ours[0]}
        told = [line for line in map(header_line, theirs) if line and not NOT_OF_RECORDING.match(line)]
        return (told, errors, code), ([line if line in known else None for line in told], *ours[1:])

    def counts(self, path):
        theirs, ours = self.perf_says('report', path, '--stats'), self.evname_says('report', path, '--json')
        rows = [row for row in map(json.loads, ours[0]) if row.get('event')]
        return (perf_counts(theirs[0]), *theirs[1:]), (sorted(str(r['samples']) for r in rows if r['samples']), *ours[1:])


OUTPUTS = {'script': Programs.scripts, 'buildid-list': Programs.build_ids, 'buildid-list -H': Programs.build_ids_with_hits,
           'header': Programs.headers, 'samples of events': Programs.counts}

# Lines of perf that are about the file system or the reading perf, or of features that the file lacks.
NOT_OF_RECORDING = re.compile(
    r'(#?$|=+$|captured on|header version|feat offset|data (offset|size) +:|missing features|cpu\t|'
    r'contains |.*(not available|: empty$|info empty$)|schedstat|Maximum sched|nr_domains|Domain|cpu :|'
    r'hybrid cpu system|AMD systems uses|node\d+ cpu list : (-1)?$)')


def header_line(line):
    line = line.removeprefix('# ')
    if line.startswith('event : '):
        line = re.sub(r' \([A-Za-z0-9_ |:/-]+\)(?=,|$)', '', line)  # names of numbers: (PERF_TYPE_RAW)
    line = re.sub(r', event = .*?, (id|type) = ', r', \1 = ', line.replace(', , id', ', id').replace(', , type', ', type'))
    return re.sub(r'\s+', ' ', re.sub(r' (type|config) = 0(x0)?,', '', line)).strip()


def perf_counts(lines):
    """The number of samples of each event that has some; script compares their names."""
    counts, of_event = [], False
    for line in lines:
        of_event = of_event or (line.endswith(' stats:') and not line.startswith((' ', 'Aggregated')))
        if of_event and COUNT.match(line):
            counts.append(COUNT.match(line)[1])
    return sorted(counts)


def frame_cause(theirs, ours):
    """The cause of two lines that end with a frame; None: it is not known."""
    a, b = FRAME.match(theirs), FRAME.match(ours)
    if not a or not b or (a[1], a[2]) != (b[1], b[2]):
        return None
    if a[3] == b[3]:
        return 'module' if module_of(a[4]) == module_of(b[4]) else 'file'
    if a[4] == b[4]:
        without = 'perf' if a[3] == '[unknown]' else 'evname' if b[3] == '[unknown]' else None
        return f'no function of {without}' if without else 'other function'
    return 'function and file'


def module_of(name):
    return re.sub(r'\.ko(\.\w+)?$', '', name.strip('[]').rsplit('/', 1)[-1]).replace('-', '_')


def build_id_cause(theirs, ours):
    if theirs is None or ours is None:
        name = (theirs or ours)[41:]
        if name.startswith('/tmp/perf-vdso.so-') or name == '[vdso]':
            return 'vdso of perf' if theirs else 'vdso of evname'
        return f'file of {"perf" if theirs else "evname"} only'
    if theirs[0] != ' ' and ours[0] != ' ':
        return 'other build id'
    return f'build id of {"perf" if ours[0] == " " else "evname"} only'


def line_cause(output, theirs, ours):
    if output.startswith('buildid-list'):
        return build_id_cause(theirs, ours)
    if ours is None and theirs.lstrip().startswith(('bpf_prog_info', 'sub_prog')):
        return 'BPF program'
    if theirs is None or ours is None:
        return 'a line of one only'
    if output != 'script':
        return 'other text'
    if re.search(r'^\s*\S.*\s0\s+\[', theirs) and theirs.split(': ')[1:2] == ours.split(': ')[1:2]:
        return 'pid 0'
    known = frame_cause(theirs, ours) or text_test.class_of_line(['comm', 'cpu', 'trace'], theirs, ours)
    return known or 'other text'


def paired_by_file(theirs, ours):
    """Pairs of lines of build ids that are of the same file."""
    rest = collections.defaultdict(list)
    for line in ours:
        rest[line[41:]].append(line)
    pairs = [(line, rest[line[41:]].pop(0) if rest[line[41:]] else None) for line in theirs]
    return pairs + [(None, line) for lines in rest.values() for line in lines]


def aligned(output, theirs, ours):
    """Pairs of lines; None where only one has it."""
    if output.startswith('buildid-list') and theirs != ours:
        return paired_by_file(theirs, ours)
    if len(theirs) == len(ours) or max(len(theirs), len(ours)) > MOST_TO_ALIGN:
        return itertools.zip_longest(theirs, ours)
    pairs = []
    for _, a, b, c, d in difflib.SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes():
        pairs += itertools.zip_longest(theirs[a:b], ours[c:d])
    return pairs


def cause_of_whole(theirs, ours):
    """The reason why an output as a whole can't be compared; None: it can."""
    (lines, errors, code), (own_lines, own_errors, own_code) = theirs, ours
    if code is None or own_code is None:
        return 'no answer in time'
    if code < 0 or own_code < 0:
        return f'{"perf" if code < 0 else "evname"} crashes'
    if code != 0 and not lines:
        return 'refused file' if own_lines or own_code != 2 else 'refused by both'
    return None


def compare(programs, path):
    """The outputs of a recording: {output: Counter of causes}, and lines of each cause."""
    counts, samples = {}, collections.defaultdict(list)
    for output, ask in OUTPUTS.items():
        theirs, ours = ask(programs, path)
        counter = counts[output] = collections.Counter()
        whole = cause_of_whole(theirs, ours)
        if whole:
            counter[whole] += max(len(ours[0]), 1)
            samples[whole].append((output, theirs[1][-200:], ours[1][-200:]))
            continue
        for a, b in aligned(output, theirs[0], ours[0]):
            cause = 'equal' if a == b else line_cause(output, a, b)
            counter[cause] += 1
            if cause != 'equal' and len(samples[cause]) < 200:
                samples[cause].append((output, a, b))
    return counts, samples


def machine_of(programs, path):
    lines = programs.run(programs.evname, 'info', '--json', path)[0]
    return (json.loads(lines[0])['cpuid'] or 'unknown') if lines else 'unreadable'


def arguments():
    parser = argparse.ArgumentParser()
    for name in ('evname', 'perf', 'folder'):
        parser.add_argument(name)
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--timeout', type=float, default=120)
    parser.add_argument('--show')
    parser.add_argument('--of')
    parser.add_argument('--symfs')
    return parser.parse_args()


def print_table(machines, totals, recordings_of):
    print(f'{sum(machines.values())} recordings of {len(machines)} CPUs')
    for output, counter in totals.items():
        print(f'{output}: {sum(counter.values())} lines, {counter["equal"]} equal')
        for cause, number in counter.most_common():
            if cause != 'equal':
                print(f'{number:9} in {len(recordings_of[output, cause]):3} recordings: {cause}'
                      f' ({CAUSES.get(cause, "NOT DECIDED")})')


def main():
    options = arguments()
    enter_namespace()
    programs = Programs(options)
    paths = sorted(str(p) for p in pathlib.Path(options.folder).iterdir() if not options.of or options.of in p.name)
    machines, totals = collections.Counter(), {output: collections.Counter() for output in OUTPUTS}
    recordings_of = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, machine, (counts, samples) in zip(paths, pool.map(lambda p: machine_of(programs, p), paths),
                                                    pool.map(lambda p: compare(programs, p), paths)):
            machines[machine] += 1
            for output, counter in counts.items():
                totals[output] += counter
                for cause in counter:
                    recordings_of[output, cause].append(path)
            for output, a, b in samples.get(options.show, [])[:int(os.environ.get('EVNAME_SAMPLES', 8))]:
                print(f'{pathlib.Path(path).name} [{output}]\n  perf   {a!r}\n  evname {b!r}')
    print_table(machines, totals, recordings_of)
    sys.exit(any(cause != 'equal' and cause not in CAUSES for counter in totals.values() for cause in counter))


if __name__ == '__main__':
    main()
