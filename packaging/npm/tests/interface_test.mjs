// The parts that only the package has: files that are read piece by piece, errors, handles, and objects made of recordings.
// usage: interface_test.mjs PACKAGE SOURCE_ROOT
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { recordingAt, segmentsOf } from './recording_at.mjs';

const [folder, root] = process.argv.slice(2);
const { load, EvnameError } = await import(pathToFileURL(join(folder, 'index.js')).href);
const { answers } = await import(pathToFileURL(join(folder, 'worker.js')).href);
const N1 = join(root, 'tests/data/neoverse-n1.data');
const bytes = new Uint8Array(readFileSync(N1));
const DECODES = existsSync(join(folder, 'tables/capstone.bin'));
const evname = await load();
const text = (page) => new TextDecoder().decode(page);
const fails = (kind, call) => {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof EvnameError, String(error));
    assert.equal(error.kind, kind);
    return error;
  }
  return assert.fail('it did not fail');
};

/** An instance that cannot read without waiting, as on the main thread of a page. */
async function waiting(options) {
  const one = await load(options);
  one._module.tables.readNow = null;
  return one;
}
const loaded = (one) => one.tables.filter((table) => table.loaded).map((table) => table.name);

const wordsText = (words) => words.slice(0, 1 + Math.max(0, words.findLastIndex((word) => word))).map((word) => `0x${word.toString(16)}`).join(',');
function answerOf(question, cpu, pmu, argument) {
  const machine = evname.machine(cpu);
  if (question === 'name') {
    const [config, config1 = 0n, config2 = 0n] = argument.split(',').map(BigInt);
    return machine.name({ config, config1, config2 }, { pmu: pmu || null });
  }
  if (question === 'events') return String(machine.list(argument).length);
  try {
    return machine.resolve(argument).map((one) => wordsText([one.config, one.config1, one.config2, one.config3, one.config4])).join(' ');
  } catch (error) {
    return `error ${error.offset}`;
  }
}

const tests = {
  'answers are the same in each language': () => {
    const lines = readFileSync(join(root, 'tests/c/cases.tsv'), 'utf8').trimEnd().split('\n').filter((line) => !line.startsWith('#'));
    for (const line of lines) {
      const [question, cpu, pmu, argument, answer] = line.split('\t');
      assert.equal(answerOf(question, cpu, pmu, argument), answer, line);
    }
  },
  'the module is small without its tables': () => { // Capstone's code has 0.12 MB
    assert.ok(gzipSync(readFileSync(join(folder, 'evname.wasm')), { level: 9 }).length <= (DECODES ? 1.65e6 : 1.5e6));
  },
  'tables are loaded when a call needs them': async () => {
    const one = await load();
    assert.deepEqual(one.tables.map((table) => table.name).sort(), ['arm', 'arm64', ...(DECODES ? ['capstone'] : []), 'libpfm4', 'powerpc', 'riscv', 's390', 'x86']);
    assert.ok(one.models().length > 100);
    assert.deepEqual(loaded(one), []);
    assert.equal(one.open(N1).report()[0].samples, 239);
    assert.deepEqual(loaded(one), ['arm64']);
    const machine = one.machine('GenuineIntel-6-55-4');
    assert.equal(machine.resolve('mem_load_retired.l3_miss')[0].config, 0x20d1n);
    assert.deepEqual(loaded(one), ['arm64', 'x86']);
    assert.equal(machine.resolve('skx::MEM_LOAD_RETIRED:L3_MISS')[0].config, 0x20d1n);
    assert.deepEqual(loaded(one), ['arm64', 'libpfm4', 'x86']);
  },
  'tables that would have to be awaited are an error that says so': async () => {
    const one = await waiting({ tables: 's390' });
    assert.deepEqual(loaded(one), ['s390']);
    const error = fails('not found', () => one.machine('skylakex'));
    assert.equal(error.reason, 'tables of x86 are not loaded');
    assert.equal(error.hint, "await evname.loadTables('x86')");
    assert.equal(error.tables, 'x86');
    assert.equal(fails('not found', () => one.open(N1)).tables, 'arm64');
    assert.equal(one.machine('z16').cpu.arch, 's390');
    fails('not found', () => one.machine('no such cpu')); // the names of all are known
    const recording = await one.withTables(() => one.open(N1));
    assert.deepEqual(recording.events, evname.open(N1).events);
    assert.deepEqual(recording.report(), evname.open(N1).report());
    await one.loadTables(['x86']);
    const machine = one.machine('skylakex');
    assert.equal(fails('not found', () => machine.resolve('skx::MEM_LOAD_RETIRED:L3_MISS')).tables, 'libpfm4');
    assert.equal((await one.withTables(() => machine.resolve('skx::MEM_LOAD_RETIRED:L3_MISS')))[0].config, 0x20d1n);
    assert.match(fails('not found', () => machine.resolve('mem_load_retired.l3_mis')).hint, /mem_load_retired\.l3_miss/);
    await assert.rejects(() => one.withTables(() => machine.resolve('no_such_event')), { kind: 'not found', tables: null });
  },
  'a call that lacks tables leaves nothing behind': async () => {
    const one = await waiting(), miss = (times) => {
      for (let i = 0; i < times; ++i) for (const call of [() => one.machine('skylakex'), () => one.open(bytes), () => one.open(N1)]) fails('not found', call);
    };
    miss(20);
    const before = one.memory;
    miss(300);
    assert.equal(one.memory, before);
  },
  'all tables are loaded at once': async () => {
    const one = await waiting({ tables: 'all' });
    assert.ok(one.tables.every((table) => table.loaded));
    assert.deepEqual(one.models(), (await load()).models());
    assert.equal(one.machine('skx').exactName(0x20d1), 'mem_load_retired.l3_miss');
    await assert.rejects(() => one.loadTables('x68'), /there are no tables of x68 \(there are .*x86/);
  },
  'files of other tables are refused': async () => {
    const place = mkdtempSync(join(tmpdir(), 'evname-tables-'));
    try {
      const at = (name) => join(place, name + '.bin');
      cpSync(join(folder, 'tables'), place, { recursive: true });
      const x86 = readFileSync(at('x86'));
      writeFileSync(at('x86'), x86.subarray(0, -1));
      writeFileSync(at('riscv'), readFileSync(at('s390')));
      writeFileSync(at('arm64'), '');
      rmSync(at('powerpc'));
      const one = await load({ tablesAt: place });
      for (const [cpu, why] of [['skx', /is not of this module/], ['sifive/p550', /is not of this module/], ['neoverse-n1', /is not of this module/], ['power9', /ENOENT/]])
        assert.match(fails('io', () => one.machine(cpu)).message, why);
      await assert.rejects(() => one.loadTables('x86'), { kind: 'io', tables: 'x86' });
      assert.deepEqual(loaded(one), []);
      writeFileSync(at('x86'), x86);
      assert.equal(one.machine('skx').exactName(0x20d1), 'mem_load_retired.l3_miss');
    } finally {
      rmSync(place, { recursive: true });
    }
  },
  'a file is read by slices, each byte once': () => {
    const pieces = [];
    const source = { size: bytes.length, name: 'sliced.data', read: (offset, target) => {
      const part = bytes.subarray(offset, offset + Math.min(target.length, 5000));
      target.set(part);
      pieces.push([offset, part.length]);
      return part.length;
    } };
    const recording = evname.open(source);
    assert.equal(recording.report()[0].samples, 239);
    assert.equal(recording.name, 'sliced.data');
    const inOrder = pieces.filter(([offset], i) => i === 0 || offset > pieces[i - 1][0]);
    assert.ok(pieces.length - inOrder.length <= 2); // its magic is looked at before
    recording.free();
  },
  'a large file takes as much memory as it has bytes, once': () => {
    const before = evname.memory, size = 64 << 20;
    let most = 0;
    const source = { size, read: (offset, target) => {
      most = Math.max(most, target.length);
      const part = bytes.subarray(offset, Math.min(bytes.length, offset + target.length));
      target.set(part);
      if (part.length < target.length) target.fill(0, part.length);
      return target.length;
    } };
    const recording = evname.open(source);
    assert.equal(recording.report()[0].samples, 239);
    assert.ok(most <= 8 << 20, String(most));
    assert.ok(evname.memory - before < size * 1.2, String(evname.memory - before));
    recording.free();
    const again = evname.memory;
    evname.open(source).free();
    assert.equal(evname.memory, again);
  },
  'a source that fails is an error': () => {
    const error = fails('io', () => evname.open({ size: 1000, read: () => { throw new Error('gone'); } }));
    assert.match(error.where, /perf\.data/);
    assert.equal(evname.ended, null);
  },
  'errors have a kind, a place and a hint': () => {
    const machine = evname.machine('skylakex');
    const error = fails('not found', () => machine.resolve('mem_load_retired.l3_mis'));
    assert.match(error.hint, /mem_load_retired\.l3_miss/);
    assert.equal(fails('invalid argument', () => machine.resolve('cycles,cpu/event=zz/')).offset, 11);
    fails('not found', () => evname.machine('no such cpu'));
    fails('corrupt', () => evname.open(new Uint8Array([...bytes.subarray(0, 8), ...new Uint8Array(500)])));
    fails('invalid argument', () => evname.open(N1).annotate({ format: 'xml' }));
    fails('invalid argument', () => evname.open(N1).report('no_such_key'));
    fails('invalid argument', () => machine.resolve('a\0b'));
    fails('not found', () => evname.open('/no/such/file'));
    fails('not found', () => evname.open(root));
    machine.free();
    fails('invalid argument', () => machine.resolve('cycles'));
  },
  'nothing of this machine is read': () => {
    fails('not found', () => evname.open('/proc/self/maps'));
    fails('not found', () => evname.open('/dev/null'));
  },
  'codes are words': () => {
    const machine = evname.machine('skx');
    assert.equal(machine.resolve('mem_load_retired.l3_miss:u')[0].config, 0x20d1n);
    assert.equal(machine.resolve('offcore_response.demand_data_rd.any_response')[0].config1, 0x10001n);
    assert.equal(machine.name(0xffff), 'cpu/event=0xff,umask=0xff/');
    assert.deepEqual(machine.names(0x20d1).names, ['mem_load_retired.l3_miss']);
    assert.equal(machine.exactName(0x20d1n), 'mem_load_retired.l3_miss');
    assert.equal(machine.names({ config: 0x10020d1n }).exact, false);
    assert.equal(machine.names({ config: 0x10020d1n }).qualifiers, 'cmask=0x1');
    const several = machine.resolve('{cycles,instructions},llc_misses.mem_read');
    assert.deepEqual(several.map((one) => one.leader), [0, 0, 2]);
    assert.equal(machine.show('mem_load_retired.l3_miss')[0].attrs[0].config, 0x20d1n);
    assert.equal(machine.list('MEM_LOAD_RETIRED.L3_*').length, 2);
  },
  'metrics are computed': () => {
    const machine = evname.machine('skx');
    const set = machine.metricSet(['ipc'], { expressions: { half: 'instructions / 2' } });
    assert.deepEqual(set.evaluate([300, 200, 50]).map((one) => one.value), [1.5, 25]);
    assert.equal(set.evaluate([300])[0].value, null);
  },
  'samples have what they sampled': () => {
    const samples = [...evname.open(N1).samples()];
    assert.equal(samples.length, 374);
    assert.deepEqual(samples[0], { event: 2, name: 'page-faults', comm: 'sh', misc: 2, period: 5n, pid: 149, tid: 149, time: 5774380128n, id: 6n, ip: 4614240n });
  },
  'a pass can be left early': () => {
    const recording = evname.open(N1);
    for (const sample of recording.samples()) if (sample.name === 'cpu_cycles') break;
    const pass = recording.samples();
    pass.next();
    const frames = pass.stack(evname.symbols());
    assert.equal(frames[0].dso, '/usr/bin/busybox');
    pass.free();
    assert.throws(() => pass.next(), EvnameError);
    const { machine } = recording;
    assert.equal(machine.cpu.model, 'arm/neoverse-n1');
    recording.free();
    fails('invalid argument', () => machine.resolve('cycles'));
  },
  'filters select': () => {
    const recording = evname.open(N1);
    assert.equal(recording.report('event', { event: 'cpu_*' }).reduce((sum, row) => sum + row.samples, 0), 239);
    assert.equal(recording.report('comm', { comms: ['md5sum'], event: 'cpu_cycles' })[0].samples, 214);
    const half = recording.report('event', { times: '0%-50%' }).reduce((sum, row) => sum + row.samples, 0);
    assert.ok(half > 0 && half < 374);
  },
  'text comes in pieces': () => {
    const parts = [];
    const recording = evname.open(N1);
    assert.equal(recording.annotate({ format: 'csv' }, (part) => parts.push(part)), '');
    assert.equal(parts.join(''), recording.annotate({ format: 'csv' }));
    assert.throws(() => recording.annotate({}, () => { throw new RangeError('enough'); }), /enough/);
    assert.equal(evname.ended, null);
  },
  'every format of profiles is written': () => {
    const recording = evname.open(N1);
    for (const format of ['pprof', 'firefox', 'speedscope', 'perfetto', 'otlp', 'otlp-json']) assert.ok(recording.export(format).length > 1000, format);
    assert.equal(JSON.parse(text(recording.export('speedscope'))).exporter, 'evname');
    assert.deepEqual([...recording.export('firefox', { gzip: true }).subarray(0, 2)], [0x1f, 0x8b]);
    assert.ok(evname.export([recording, recording], 'speedscope').length > 1000);
  },
  'a page is of all recordings': () => {
    const page = text(evname.page([evname.open(N1), evname.open(bytes, { name: 'other.data' })]));
    assert.match(page, /other\.data/);
    assert.match(page, /<html/);
  },
  'instructions have texts where their program is': async () => { // the texts are objdump's
    const one = await waiting(), program = readFileSync(join(root, 'tests/fuzz/elf/x86.so'));
    const recording = one.open(recordingAt('/somewhere/x86.so', segmentsOf(program), [0x1000041d]));
    const texts = (page) => JSON.parse(text(page).match(/"text":(\["[^\]]*\])/)[1]);
    assert.deepEqual(texts(recording.page({ symbols: one.symbols() })), ['(unknown)']);
    one.addBeside(program, { name: 'x86.so' });
    const page = () => texts(recording.page({ symbols: one.symbols() }));
    if (!DECODES) return;
    assert.equal(fails('not found', page).tables, 'capstone');
    assert.deepEqual((await one.withTables(page)).slice(0, 5), ['push rbp', 'push rbx', 'sub rsp, 8', 'mov ebp, edi', 'call 0x340 <first@plt>']);
  },
  'a file that is missing is a problem, with its build id': () => {
    const symbols = evname.symbols(), recording = evname.open(readFileSync(N1), { name: 'perf.data' });
    recording.page({ symbols });
    assert.ok(symbols.problems.some((one) => one.includes('busybox') && one.includes('2d0361f90c8817f80eb486e1ccf7f5177cdd2883')), symbols.problems);
  },
  'what ends the module is an error, and a worker goes on with a new one': async () => {
    const one = await load(), recording = one.open(N1);
    one._module.exports = { ...one._module.exports, evname_report_new: () => { throw new WebAssembly.RuntimeError('unreachable'); } };
    fails('internal', () => recording.report());
    assert.equal(one.ended, 'unreachable');
    fails('internal', () => one.models());
    let loads = 0;
    const table = answers(async () => (++loads, load()));
    await table.load({ module: null });
    assert.equal((await table.report([bytes], 'event', {}))[0].samples, 239);
    const { page, warnings } = await table.page([bytes]);
    assert.match(text(page), /cpu_cycles/);
    assert.deepEqual(warnings, []);
    assert.equal(await table.machine('skx', 'name', 0x20d1), 'mem_load_retired.l3_miss');
    await assert.rejects(() => table.machine('skx', 'free'), TypeError);
    assert.equal(loads, 1);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  try {
    await test();
    console.log('ok   ' + name);
  } catch (error) {
    ++failed;
    console.log(`FAIL ${name}: ${error.stack}`);
  }
}
process.exitCode = failed > 0 ? 1 : 0;
