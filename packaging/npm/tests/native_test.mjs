// The package gives the same answers as the native command: about every event and metric of every model, about every
// recording at hand, and about damaged ones. usage: native_test.mjs PACKAGE EVNAME_COMMAND SOURCE_ROOT
// EVNAME_SHARED may name a folder of more recordings.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { recordingAt, segmentsOf } from './recording_at.mjs';

const [folder, command, root] = process.argv.slice(2);
const { load, EvnameError } = await import(pathToFileURL(join(folder, 'index.js')).href);
const place = mkdtempSync(join(tmpdir(), 'evname-npm-'));
process.on('exit', () => rmSync(place, { recursive: true }));

function native(args, input = '') {
  const { stdout, stderr, status } = spawnSync(command, args, {
    input, maxBuffer: 1 << 30, encoding: 'utf8', env: { ...process.env, EVNAME_EVENTS: '', HOME: '/nonexistent' },
  });
  return { lines: stdout.split('\n').filter(Boolean), stdout, stderr, status };
}
const objects = (run) => run.lines.map((line) => JSON.parse(line));
const hex = (word) => '0x' + word.toString(16);

/** Compares long lists, and shows the first rows that differ. */
function same(actual, expected, what) {
  const at = actual.findIndex((row, i) => row !== expected[i]);
  assert.equal(actual[at], expected[at], `${what}, row ${at}`);
  assert.equal(actual.length, expected.length, what);
}

const evname = await load();
const DECODES = evname.tables.some((table) => table.name === 'capstone');

function compareModel(model) {
  const machine = evname.machine(model);
  // The kernel's own events are not in the tables, and so not in the library's list.
  const expected = objects(native(['list', '--cpu', model, '--json'])).filter((row) => row.topic !== 'generic');
  const listed = machine.list();
  const shown = (event) => [event.pmu, event.name, event.topic, event.terms, event.desc, event.unit, event.deprecated, event.errata, event.scale];
  // The command lists by topic, and the library by PMU.
  const sorted = (events) => events.map(shown).map((row) => JSON.stringify(row)).sort();
  same(sorted(listed), sorted(expected), model);

  const names = [...new Set(listed.map((event) => event.name))];
  const codes = new Set(), answers = new Map();
  for (const row of objects(native(['resolve', '--cpu', model, '--json', '-'], names.join('\n') + '\n')))
    answers.set(row.query, [...(answers.get(row.query) ?? []), row]);
  for (const name of names) {
    const rows = answers.get(name);
    try {
      const attrs = machine.resolve(name);
      assert.deepEqual(attrs.map((attr) => [attr.pmu, attr.type, hex(attr.config), hex(attr.config1), hex(attr.config2), hex(attr.config3), Number(attr.period)]),
        rows.map((row) => [row.pmu, row.type, row.config, row.config1, row.config2, row.config3, row.period]), `${model} ${name}`);
      for (const { pmu, config, config1, config2, config3 } of attrs) codes.add(`${pmu}/config=${hex(config)},config1=${hex(config1)},config2=${hex(config2)},config3=${hex(config3)}/`);
    } catch (error) {
      if (!(error instanceof EvnameError)) throw error;
      assert.ok(rows[0].error, `${model} ${name}: ${error.message}`);
      assert.ok(rows[0].error.includes(error.reason), `${rows[0].error}\n${error.reason}`);
    }
  }
  for (const row of objects(native(['name', '--cpu', model, '--json', '-'], [...codes].join('\n') + '\n'))) {
    if (row.error) continue; // a PMU without format fields
    const [, pmu, ...words] = row.query.match(/^([^/]*)\/config=(.*),config1=(.*),config2=(.*),config3=(.*)\/$/);
    const [config, config1, config2, config3] = words.map(BigInt);
    const answer = machine.names({ config, config1, config2, config3 }, { pmu });
    assert.deepEqual([answer.names, answer.exact, answer.qualifiers, answer.terms], [row.names, row.exact, row.qualifiers, row.terms], `${model} ${row.query}`);
  }
  const metrics = machine.metrics();
  const formulas = (all) => all.map((one) => JSON.stringify([one.name, one.pmu, one.desc, one.expr, one.threshold, one.unit])).sort();
  same(formulas(metrics), formulas(objects(native(['metrics', '--cpu', model, '--json']))), model);
  machine.free();
  return { events: listed.length, codes: codes.size, metrics: metrics.length };
}

function compareModels() {
  const sums = { models: 0, events: 0, codes: 0, metrics: 0 };
  const listed = objects(native(['list', '--cpus', '--json']));
  const models = evname.models();
  assert.deepEqual(models.map((one) => `${one.arch} ${one.name} ${one.events}`).sort(), listed.map((one) => `${one.arch} ${one.model} ${one.events}`).sort());
  for (const { name } of models) {
    const counts = compareModel(name);
    ++sums.models;
    for (const key of Object.keys(counts)) sums[key] += counts[key];
  }
  return sums;
}

function compareSchedules() {
  for (const [cpu, events] of [['skylakex', 'cycles,instructions,cache-misses'], ['amdzen4', 'cycles,instructions,ls_dispatch.ld_dispatch'], ['n1', '{cycles,inst_retired},l1d_cache,l1d_cache_refill,ll_cache,ll_cache_miss,br_retired,br_mis_pred']]) {
    const machine = evname.machine(cpu), schedule = machine.schedule(events);
    assert.deepEqual(
      schedule.groups.map((group) => [group.pmus, group.events.map((i) => schedule.events[i].name), group.counters, group.genericCounters, group.fixedCounters, group.grouped, group.smallest, group.why]),
      objects(native(['schedule', '--cpu', cpu, '--json', events])).map((row) => [row.pmus, row.events, row.counters, row.generic_counters, row.fixed_counters, row.grouped, row.smallest, row.why]));
  }
}

function passWarnings(recording) {
  const pass = recording.samples();
  try {
    for (const sample of pass) assert.ok(sample.name !== undefined);
    return pass.warnings;
  } finally {
    pass.free();
  }
}

/** The command and the package say the same about a recording: its samples, warnings, or why it can't be read. */
function compareRecording(path, { full = true } = {}) {
  const told = native(['annotate', '--json', path]);
  let recording;
  try {
    recording = evname.open(path);
  } catch (error) {
    assert.ok(error instanceof EvnameError, String(error));
    assert.equal(told.stdout, '', `${path}: ${error.message}`);
    assert.ok(told.stderr.includes(error.reason), `${told.stderr}\n${error.message}`);
    assert.equal(evname.ended, null, path);
    return 0;
  }
  try {
    let text = '', failed = null;
    try {
      text = recording.annotate({ format: 'jsonl' });
    } catch (error) {
      if (!(error instanceof EvnameError)) throw error;
      assert.equal(evname.ended, null, `${path}: ${error.message}`);
      failed = error;
    }
    // On 32 bits zstd notices damage at another place, so it unpacks more or less of damaged data.
    if (!full && /zstd|unpacked/.test(told.stderr + [...recording.warnings, ...passWarnings(recording)].join())) return 0;
    if (failed) assert.ok(told.stderr.includes(failed.reason), `${path}: ${told.stderr}\n${failed.message}`);
    else assert.equal(text, told.stdout, path);
    for (const warning of recording.warnings) assert.ok(told.stderr.includes(warning), `${path}: ${warning}\n${told.stderr}`);
    if (failed) return 0;
    const pass = recording.samples();
    let count = 0;
    const rows = told.lines.map((line) => JSON.parse(line));
    for (const sample of pass) {
      const row = rows[count++];
      assert.equal(sample.comm, row.comm, path);
      assert.equal(sample.name, row.event, path);
      assert.deepEqual([sample.pid ?? null, sample.tid ?? null, sample.cpu ?? null, sample.event], [row.pid, row.tid, row.cpu, row.attr], path);
      assert.equal(sample.time === undefined, row.time === null, path);
      if (row.time !== null) assert.ok(Math.abs(Number(sample.time) / 1e9 - row.time) <= row.time * 1e-15, path);  // doubles, both
    }
    assert.equal(count, rows.length, path);
    for (const warning of pass.warnings) assert.ok(told.stderr.includes(warning), `${path}: ${warning}\n${told.stderr}`);
    pass.free();
    if (full) {
      const report = objects(native(['report', '--json', '--sort', 'event,comm', path]));
      assert.deepEqual(recording.report('event,comm').map((row) => [...row.keys, row.samples, Number(row.period), row.of]),
        report.map((row) => [row.event ?? '-', row.comm ?? '-', row.samples, row.period, row.of]), path);
    }
    return count;
  } finally {
    recording.free();
  }
}

/** The page of a recording has the same bytes. */
function comparePages() {
  const directory = join(root, 'tests/data'), page = join(place, 'page.html');
  const names = readdirSync(directory).filter((name) => name.endsWith('.data'));
  for (const name of names) {
    const path = resolve(directory, name), recording = evname.open(path);
    native(['report', '--html', page, '--force', path]);
    assert.ok(readFileSync(page).equals(recording.page({ symbols: evname.symbols() })), path);
    recording.free();
  }
  assert.ok(names.length > 3);
  return names.length;
}

// LLVM's demangler writes some names of C++ in other ways than GNU's; where they begin is the same.
const plainName = (name) => (/^_[ZR]|[<(:]/.test(name ?? '') ? 'C++' : name);
const plainFrames = (row) => row.frames?.map((frame) => ({ ...frame, sym: plainName(frame.sym) }));
// Of an instruction that names a function, its mnemonic.
const codeLines = (text) => text.split('\n').map((line) => (line.includes('+0x') ? line.trim().split(/\s+/, 2).join(' ') : line));
const rowsOf = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line));

/** Functions, stubs, lines, inlined calls and instructions of ELF files equal the command's; damaged files end nothing. */
function compareSymbols() {
  let state = 7, compared = 0, lines = 0, damaged = 0;
  const random = (below) => (state = (state * 48271) % 0x7fffffff) % below;
  const path = join(place, 'at.data'), made = join(root, 'tests/fuzz/elf');
  const programs = [resolve(command), process.execPath, '/usr/bin/python3', '/bin/sh', ...readdirSync(made).filter((name) => name.endsWith('.so')).map((name) => resolve(made, name))];
  for (const program of programs) {
    const file = readFileSync(program);
    if (file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1) continue;
    const segments = segmentsOf(file), ips = [];
    for (const { address, size } of segments) for (let i = 0; i < 500; ++i) ips.push(address + random(size));
    writeFileSync(path, recordingAt(program, segments, ips));
    const fields = 'ip,sym,symoff,srcline,frames', recording = evname.open(path);
    const expected = rowsOf(native(['annotate', '--json', '--fields', fields, path]).stdout);
    const actual = rowsOf(recording.annotate({ format: 'jsonl', fields }));
    assert.equal(actual.length, ips.length);
    actual.forEach((row, i) => {
      const what = (one) => [one.ip, plainName(one.sym), one.symoff, one.srcline, plainFrames(one)];
      assert.deepEqual(what(row), what(expected[i]), `${program} ${row.ip}`);
      if (row.srcline) ++lines;
      ++compared;
    });
    if (DECODES) same(codeLines(recording.annotate({ fields: 'ip,disasm' })), codeLines(native(['annotate', '--fields', 'ip,disasm', path]).stdout), program);
    recording.free();
    for (let i = 0; i < 40 && file.length < 2 << 20; ++i, ++damaged) {
      const changed = Uint8Array.from(file), sections = Number(file.readBigUInt64LE(40));
      for (let j = 0; j < 6; ++j) changed[j % 2 ? random(64) + (j > 3 ? sections : 16) : sections + random(file.length - sections)] = random(256);
      evname.addBeside(changed, { name: 'damaged' });
      const one = evname.open(recordingAt('/somewhere/damaged', segments, ips));
      assert.equal(rowsOf(one.annotate({ format: 'jsonl', fields })).length, ips.length);
      one.free();
      evname.removeBeside('damaged');
    }
  }
  assert.ok(compared > 500 && lines > 100 && damaged > 0);
  return `${compared} addresses, ${lines} with lines; ${damaged} damaged files`;
}

/** Stacks that were recorded as copies are unwound as the command does. */
function compareUnwound() {
  const path = join(place, 'stacks.data');
  const made = spawnSync(command, ['record', '-q', '-e', 'cpu-clock:u', '-c', '500000', '--call-graph', 'dwarf', '-o', path, '--', command, 'list', '--cpu', 'skylakex'],
    { maxBuffer: 1 << 28 });
  if (made.status !== 0) return 'not recorded: ' + made.stderr;
  const fields = 'ip,sym,frames', recording = evname.open(path);
  const expected = rowsOf(native(['annotate', '--json', '--fields', fields, path]).stdout);
  const actual = rowsOf(recording.annotate({ format: 'jsonl', fields }));
  assert.deepEqual(actual.map(plainFrames), expected.map(plainFrames));
  recording.free();
  return `${actual.length} stacks, ${Math.max(...actual.map((row) => row.frames?.length ?? 0))} frames at most`;
}

function recordings() {
  const found = [];
  const look = (directory) => {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      if (statSync(path).isDirectory()) continue;
      if (/^(PERFILE2|2ELIFREP)/.test(readFileSync(path).toString('latin1', 0, 8))) found.push(path);
    }
  };
  look(join(root, 'tests/data'));
  const shared = process.env.EVNAME_SHARED;
  if (shared) for (const name of ['corpus', 'recordings']) look(join(shared, name));
  return found;
}

/** Cuts a recording off at places and changes bytes of it, by a generator that begins the same each time. */
function compareDamaged(paths) {
  let state = 1, tried = 0;
  const random = (below) => (state = (state * 48271) % 0x7fffffff) % below;
  const path = join(place, 'damaged.data');
  for (const from of paths) {
    const whole = readFileSync(from);
    if (whole.length > 300000) continue;
    for (let i = 0; i < 3; ++i) {
      writeFileSync(path, whole.subarray(0, random(whole.length)));
      compareRecording(path, { full: false });
      const changed = Buffer.from(whole);
      for (let j = 0; j < 8; ++j) changed[j % 2 ? random(whole.length) : random(Math.min(whole.length, 1024))] = random(256);
      writeFileSync(path, changed);
      compareRecording(path, { full: false });
      tried += 2;
    }
  }
  return tried;
}

const steps = {
  schedules: () => compareSchedules() ?? 'the same',
  recordings: () => {
    const all = recordings();
    const samples = all.map((path) => compareRecording(path)).reduce((a, b) => a + b, 0);
    assert.ok(samples > 500);
    return `${all.length} with ${samples} samples`;
  },
  symbols: () => compareSymbols(),
  unwound: () => compareUnwound(),
  pages: () => comparePages(),
  damaged: () => `${compareDamaged(recordings())} files`,
  models: () => JSON.stringify(compareModels()),
};
for (const [name, step] of Object.entries(steps)) {
  const start = performance.now();
  console.log(`${name}: ${step()}, ${((performance.now() - start) / 1000).toFixed(1)} s`);
}
