#!/usr/bin/env python3
"""perf's own shell tests, with perf and with evname in its place.

  shell_tests.py EVNAME [--only GLOB] [--show] [--subcommands LIST]

EVNAME_PERF_ORACLE names a directory with a built perf and EVNAME_PERF_SOURCE one with its source. Each test of
tools/perf/tests/shell that calls a subcommand of SUBCOMMANDS runs twice: with a `perf` that is perf, and with one that hands these
subcommands on to evname. Prints a line for each test and for each subtest whose result differs. The exit code is 1 if evname fails
where perf passes, unless KNOWN says why. --show: what failing tests print."""

import argparse
import fnmatch
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

SKIPPED = 77
SUBCOMMANDS = ['script', 'report', 'record', 'stat', 'buildid-list']
MOST_SECONDS = 600

# test, or test and subtest: why evname does otherwise
KNOWN = {
    'script_dlfilter.sh': 'evname loads no shared objects, which its static program cannot; it has options that choose samples',
    'script_dlfilter.sh Basic --dlfilter': 'as the test itself',
    'perftool-testsuite_report.sh': "it needs record --latency, and a standard error with perf's own words alone",
    'stat_all_pfm.sh': "an event's row has its name in perf, not in libpfm4",
    'stat_all_metrics.sh': "evname's metrics are its own, some by other names (evname metrics lists them)",
    'stat_all_metricgroups.sh': 'the same',
}

PASSED, SKIP, FAILED = 'passed', 'skipped', 'failed'
RESULTS = {0: PASSED, 2: SKIP}
# Lines that report a subtest: its result, and a pattern whose group is its name.
WAYS = [
    (PASSED, re.compile(r'^(.+?)(?: test)? ?\[(?:Success|SUCCESS|PASS|Passed)\b.*\]')),
    (SKIP, re.compile(r'^(.+?)(?: test)? ?\[(?:Skip|Skipped|SKIP)\b.*\]')),
    (FAILED, re.compile(r'^(.+?)(?: test)? ?\[(?:Fail|Failed|FAIL|FAILED)\b.*\]')),
    (PASSED, re.compile(r'^\S*\[ *PASS *\] -- (.*)')),
    (SKIP, re.compile(r'^\S*\[ *SKIP *\] -- (.*)')),
    (FAILED, re.compile(r'^\S*\[ *FAIL *\] -- (.*)')),
    (FAILED, re.compile(r'^(?:FAIL|Fail|ERROR|Error)[:,]? (.*)')),
    (SKIP, re.compile(r'^(?:SKIP|Skip|\[Skip\])[:,]? (.*)')),
    (PASSED, re.compile(r'^(?:PASS|\[OK\])[:,]? (.*)')),
]


# It calls `report` in scripts of a folder.
OF_A_FOLDER = {'perftool-testsuite_report.sh'}


def calls(text, subcommands):
    return re.search(rf'\bperf(?: (?:-\S+))* (?:{"|".join(subcommands)})\b|\$\{{?CMD_PERF|lib/stat_output', text) is not None


def write_command(path, text):
    path.write_text('#!/bin/bash\n' + text)
    path.chmod(0o755)


def make_places(folder, evname, perf, subcommands):
    """Directories with a command `perf`: perf itself, and evname before it."""
    for name in 'perf', 'evname':
        (folder / name).mkdir(parents=True, exist_ok=True)
    write_command(folder / 'perf' / 'perf', f'exec -a perf {perf} "$@"\n')
    write_command(folder / 'evname' / 'perf',
                  f'case "$1" in\n  {"|".join(subcommands)}) exec -a perf {evname} "$@" ;;\n  *) exec -a perf {perf} "$@" ;;\nesac\n')
    return {name: folder / name for name in ('perf', 'evname')}


def run(test, place, home):
    """The exit code and the output of a test."""
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    environment = {**os.environ, 'PATH': f'{place}:{os.environ["PATH"]}', 'HOME': str(home), 'EVNAME_EVENTS': '', 'LC_ALL': 'C',
                   'PERF_CONFIG': '/dev/null'}
    running = subprocess.Popen(['bash', str(test)], cwd=home, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, _ = running.communicate(timeout=MOST_SECONDS)
        code = running.returncode
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        output, code = running.communicate()[0], None
    try:
        os.killpg(running.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return code, output.decode('utf-8', 'replace')


def subtests(output):
    found = {}
    for line in output.splitlines():
        for result, pattern in WAYS:
            match = pattern.match(line.strip())
            if match:
                found[match[1].strip()] = result
                break
    return found


def compare(test, places, folder, show):
    """Prints how a test went with both. Returns whether evname passes what perf does, unless it is known."""
    results, parts = {}, {}
    for name, place in places.items():
        code, output = run(test, place, folder / 'home')
        results[name] = RESULTS.get(code, FAILED) if code is not None else 'too long'
        parts[name] = subtests(output)
        (folder / f'{test.name}.{name}').write_text(output)
        if show and results[name] != PASSED:
            print(f'--- {test.name} with {name}', output, sep='\n')
    worse = [part for part, result in parts['evname'].items()
             if result == FAILED and parts['perf'].get(part) == PASSED and f'{test.name} {part}' not in KNOWN]
    behind = results['perf'] == PASSED and results['evname'] != PASSED and test.name not in KNOWN
    print(f'{test.name:<42} perf {results["perf"]:<8} evname {results["evname"]:<8} {KNOWN.get(test.name, "")}', flush=True)
    for part in sorted(set(parts['perf']) | set(parts['evname'])):
        both = [parts[name].get(part, '-') for name in ('perf', 'evname')]
        if both[0] != both[1]:
            print(f'    {part}: perf {both[0]}, evname {both[1]} {KNOWN.get(f"{test.name} {part}", "")}', flush=True)
    return not behind and not worse


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('evname')
    parser.add_argument('--only', default='*')
    parser.add_argument('--show', action='store_true')
    parser.add_argument('--subcommands', default=','.join(SUBCOMMANDS))
    parser.add_argument('--keep')
    given = parser.parse_args()
    perf, source = os.environ.get('EVNAME_PERF_ORACLE'), os.environ.get('EVNAME_PERF_SOURCE')
    if not perf or not source:
        print('skipped: EVNAME_PERF_ORACLE or EVNAME_PERF_SOURCE is not set')
        return SKIPPED
    subcommands = given.subcommands.split(',')
    tests = pathlib.Path(source) / 'tools/perf/tests/shell'
    chosen = [test for test in sorted(tests.glob('*.sh'))
              if fnmatch.fnmatch(test.name, given.only)
              and (test.name in OF_A_FOLDER or calls(test.read_text(), subcommands))]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(given.keep or folder)
        places = make_places(folder, pathlib.Path(given.evname).resolve(), pathlib.Path(perf, 'perf').resolve(), subcommands)
        behind = [test.name for test in chosen if not compare(test, places, folder, given.show)]
    print(f'{len(chosen)} tests; evname fails {len(behind)} that perf passes: {", ".join(behind) or "none"}')
    return 1 if behind else 0


sys.exit(main())
