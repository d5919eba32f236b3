// evname for JavaScript: PMU event names to codes and back, and recordings of perf, by the C interface of libevname compiled
// to WebAssembly. index.d.ts documents it.

import { Ended, Host } from './host.js';
import { constants, structs } from './layouts.js';
import { Tables } from './tables.js';

const NO_OFFSET = 0xffffffffffffffffn;
const KINDS = ['ok', 'invalid argument', 'not found', 'out of range', 'corrupt', 'io', 'unsupported', 'no memory', 'internal'];
/** Members of 64 bits that are numbers, as nobody counts beyond 2^53. Others are BigInts. */
const COUNTS = new Set(['events', 'event', 'samples', 'of', 'lost', 'throttled', 'unknown_ids', 'malformed', 'selected', 'encodings']);
const camel = (name) => name.replace(/_(\w)/g, (all, letter) => letter.toUpperCase());

/** Why something can't be done. `kind` is one of KINDS. */
export class EvnameError extends Error {
  constructor(kind, message, { where = '', hint = '', offset = null, tables = null } = {}) {
    super((where ? where + ': ' : '') + message + (hint ? ` (${hint})` : ''));
    this.name = 'EvnameError';
    this.kind = kind;
    this.reason = message;
    this.where = where;
    this.hint = hint;
    this.offset = offset;
    this.tables = tables;
  }
}

/** Returns the error of a call that needs tables which are not in memory. */
function notLoaded({ name, why }) {
  const hint = why ? '' : `await evname.loadTables('${name}')`;
  return new EvnameError(why ? 'io' : 'not found', `tables of ${name} are not loaded${why && ': ' + why}`, { hint, tables: name });
}

/** An instance of the module, its memory, and calls of the C interface. */
class Module {
  constructor(compiled, fs, tables) {
    this.tables = tables;
    this.host = new Host(fs, tables);
    this.exports = new WebAssembly.Instance(compiled, this.host.imports()).exports;
    this.host.memory = tables.memory = this.exports.memory;
    this.ended = null;
    this.exports._initialize();
    this.error = this.exports.malloc(structs.error.size);
  }

  /** Calls a function; whatever ends the module becomes an error. */
  raw(name, ...args) {
    if (this.ended) throw new EvnameError('internal', 'the module has ended: ' + this.ended, { hint: 'open it again' });
    try {
      return this.exports['evname_' + name](...args);
    } catch (error) {
      if (error instanceof EvnameError) throw error;
      const full = this.exports.memory.buffer.byteLength > 0xf0000000;
      this.ended = full ? 'there is not enough memory' : error instanceof Ended ? error.message : String(error.message);
      throw new EvnameError(full ? 'no memory' : 'internal', this.ended, { hint: this.host.stderr.trim() });
    }
  }
  /** Calls a function that takes an evname_error. */
  call(name, ...args) {
    const status = this.raw(name, ...args, this.error);
    const missing = this.tables.takeMissing();
    if (missing) throw notLoaded(missing);
    if (status !== 0) this.fail();
  }
  fail() {
    const { status, message, where, hint, offset } = this.read('error', this.error);
    throw new EvnameError(KINDS[status] ?? 'internal', message, { where: where.replace(/^\/in\/\d+\//, ''), hint, offset: offset === NO_OFFSET ? null : Number(offset) });
  }

  // Reading.

  get bytes() { return new Uint8Array(this.exports.memory.buffer); }
  get view() { return new DataView(this.exports.memory.buffer); }
  text(at) {
    if (at === 0) return '';
    const bytes = this.bytes, end = bytes.indexOf(0, at);
    return decoder.decode(bytes.subarray(at, end));
  }
  words(at, count) { return count === 0 ? [] : Array.from(new BigUint64Array(this.exports.memory.buffer, at, count)); }
  sizes(at, count) { return count === 0 ? [] : Array.from(new Uint32Array(this.exports.memory.buffer, at, count)); }
  texts(at, count) { return this.sizes(at, count).map((one) => this.text(one)); }
  /** Reads a struct as an object, with lists for members that have a NAME_count beside them. */
  read(name, at) {
    const view = this.view, out = {}, { members } = structs[name];
    const counts = new Map();
    for (const [member, how, offset] of members)
      if (member.endsWith('_count') || member.endsWith('_size')) counts.set(member.replace(/_(count|size)$/, ''), view.getUint32(at + offset, true));
    for (const [member, how, offset, times] of members) {
      if (counts.has(member.replace(/_(count|size)$/, '')) && /_(count|size)$/.test(member)) continue;
      const place = at + offset;
      const count = counts.get(member) ?? 0;
      let value;
      switch (how) {
        case 'u64': value = times ? this.words(place, times) : COUNTS.has(member) ? Number(view.getBigUint64(place, true)) : view.getBigUint64(place, true); break;
        case 'u32': value = counts.has(member) ? this.bytes.slice(view.getUint32(place, true), view.getUint32(place, true) + count) : view.getUint32(place, true); break;
        case 'i32': value = view.getInt32(place, true); break;
        case 'f64': value = view.getFloat64(place, true); break;
        case 'text': value = this.text(view.getUint32(place, true)); break;
        case 'chars': value = this.text(place); break;
        case 'words': value = this.words(view.getUint32(place, true), count); break;
        case 'sizes': value = this.sizes(view.getUint32(place, true), count); break;
        case 'texts': value = this.texts(view.getUint32(place, true), count); break;
        default: value = this.read(how, place);
      }
      out[camel(member)] = value;
    }
    return out;
  }

  // Writing.

  /** Calls `work` with a function that makes room, which is given back afterwards. */
  within(work) {
    const made = [];
    const room = (size) => {
      const at = this.exports.malloc(Math.max(size, 8));
      if (at === 0) throw new EvnameError('no memory', 'there is not enough memory');
      this.bytes.fill(0, at, at + size);
      made.push(at);
      return at;
    };
    room.text = (text) => {
      if (text === null || text === undefined) return 0;
      const bytes = encoder.encode(text);
      if (bytes.includes(0)) throw new EvnameError('invalid argument', 'a text has a NUL');
      const at = room(bytes.length + 1);
      this.bytes.set(bytes, at);
      return at;
    };
    room.numbers = (list) => {
      const at = room(4 * list.length);
      list.forEach((number, i) => this.view.setUint32(at + 4 * i, number >>> 0, true));
      return at;
    };
    room.struct = (name, values) => {
      const at = room(structs[name].size);
      for (const [member, how, offset] of structs[name].members) {
        const value = values[member];
        if (value === undefined || value === null) continue;
        if (how === 'u64') this.view.setBigUint64(at + offset, BigInt.asUintN(64, BigInt(value)), true);
        else if (how === 'f64') this.view.setFloat64(at + offset, value, true);
        else if (how === 'text') this.view.setUint32(at + offset, room.text(value), true);
        else this.view.setUint32(at + offset, value, true);
      }
      return at;
    };
    try {
      return work(room);
    } finally {
      if (!this.ended) for (const at of made) this.exports.free(at);
    }
  }
  /** Calls a function that makes a handle, which it writes to the place before the error. */
  make(name, ...args) {
    return this.within((room) => {
      const out = room(4);
      try {
        this.call(name, ...args, out);
      } catch (error) {
        const made = this.ended ? 0 : this.view.getUint32(out, true);
        if (made !== 0) this.raw(name.replace(/_.*/, '_free'), made); // from incomplete tables
        throw error;
      }
      return this.view.getUint32(out, true);
    });
  }
  /** Reads a list by the functions NAME_count and NAME_at. */
  list(name, struct, handle, ...before) {
    return this.within((room) => {
      const out = room(structs[struct].size), all = [];
      const count = this.raw(name + '_count', ...handle);
      for (let i = 0; i < count; ++i) {
        this.raw(name + '_at', ...handle, i, out, ...before);
        all.push(this.read(struct, out));
      }
      return all;
    });
  }
  /** Reads texts up to the first empty one. */
  until_empty(name, handle) {
    const all = [];
    for (let i = 0, text; (text = this.text(this.raw(name, handle, i))) !== ''; ++i) all.push(text);
    return all;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Frees what programs forget. A handle is freed at once by its method free(). */
const forgotten = new FinalizationRegistry(({ module, free, handle }) => {
  if (!module.ended) module.raw(free, handle);
});

/** An object with a handle of the C interface. */
class Held {
  constructor(module, handle, free) {
    this._module = module;
    this._handle = handle;
    this._free = free;
    if (free) forgotten.register(this, { module, free, handle }, this);
  }
  get handle() {
    if (this._handle === 0) throw new EvnameError('invalid argument', 'it has been freed');
    return this._handle;
  }
  free() {
    if (this._handle === 0 || !this._free) return;
    forgotten.unregister(this);
    if (!this._module.ended) this._module.raw(this._free, this._handle);
    this._handle = 0;
  }
  [Symbol.dispose ?? Symbol.for('dispose')]() { this.free(); }
}

/** An attr as an object: the words of its code beside its other members. */
function attrOf({ code, ...rest }) {
  const [config, config1, config2, config3, config4] = code.config;
  const { pmu, ...others } = rest;
  return { pmu, type: code.hasType ? code.type : null, config, config1, config2, config3, config4, ...others };
}

/** A code from a number, or from {config, config1, …, type}. */
function codeOf(room, module, code) {
  const words = typeof code === 'object' ? code : { config: code };
  const at = room(structs.code.size);
  [words.config, words.config1, words.config2, words.config3, words.config4].forEach((word, i) =>
    module.view.setBigUint64(at + 8 * i, BigInt.asUintN(64, BigInt(word ?? 0)), true));
  module.view.setUint32(at + 40, words.type ?? 0, true);
  module.view.setUint32(at + 44, words.type === undefined || words.type === null ? 0 : 1, true);
  return at;
}

export class Machine extends Held {
  constructor(module, handle, owner = null) {
    super(module, handle, owner ? null : 'machine_free');
    this._owner = owner; // a recording, to which it belongs
  }
  get handle() {
    this._owner?.handle; // which fails if the recording has been freed
    return super.handle;
  }
  get cpu() {
    return this._module.within((room) => {
      const out = room(structs.cpu.size);
      this._module.raw('machine_cpu', this.handle, out);
      return this._module.read('cpu', out);
    });
  }
  get warnings() { return this._module.until_empty('machine_warning', this.handle); }
  get pmus() {
    return this._module.list('pmu', 'pmu', [this.handle]).map(({ flags, type, ...rest }) => ({
      ...rest, type: flags & constants.PMU_HAS_TYPE ? type : null, core: (flags & constants.PMU_CORE) !== 0, uncore: (flags & constants.PMU_UNCORE) !== 0,
    }));
  }
  resolve(events) {
    const module = this._module;
    return module.within((room) => {
      const text = room.text(events), count = room(4);
      let size = 8;
      for (;;) {
        const out = room(size * structs.attr.size);
        module.call('resolve', this.handle, text, out, size, count);
        const needed = module.view.getUint32(count, true);
        if (needed <= size)
          return Array.from({ length: needed }, (_, i) => attrOf(module.read('attr', out + i * structs.attr.size)));
        size = needed;
      }
    });
  }
  name(code, { pmu = null } = {}) {
    const module = this._module;
    return module.within((room) => {
      const asked = codeOf(room, module, code), on = room.text(pmu);
      const size = module.raw('name_of', this.handle, on, asked, 0, 0) + 1, buffer = room(size);
      module.raw('name_of', this.handle, on, asked, buffer, size);
      return module.text(buffer);
    });
  }
  names(code, { pmu = null } = {}) {
    const module = this._module;
    return module.within((room) => {
      const out = room(structs.names.size), needed = room(4), asked = codeOf(room, module, code), on = room.text(pmu);
      module.call('names_of', this.handle, on, asked, out, 0, 0, needed);
      const size = module.view.getUint32(needed, true), buffer = room(size);
      module.call('names_of', this.handle, on, asked, out, buffer, size, needed);
      const { names, count, exact, ...rest } = module.read('names', out);
      const texts = [];
      for (let at = module.view.getUint32(out, true); texts.length < count; at += encoder.encode(texts.at(-1)).length + 1) texts.push(module.text(at));
      return { names: texts, exact: exact === 1, ...rest };
    });
  }
  exactName(code, { pmu = null } = {}) {
    return this._module.within((room) => this._module.text(this._module.raw('exact_name', this.handle, room.text(pmu), codeOf(room, this._module, code))));
  }
  list(glob = null) {
    const module = this._module;
    return module.within((room) => {
      const events = module.make('events_list', this.handle, room.text(glob));
      try {
        return module.list('events', 'event', [events]).map(({ flags, ...rest }) => ({
          ...rest, deprecated: (flags & constants.EVENT_DEPRECATED) !== 0, flags,
        }));
      } finally {
        module.raw('events_free', events);
      }
    });
  }
  show(name) {
    const found = this.list(name.replace(/[[\\*?]/g, '\\$&'));
    if (found.length === 0) this.resolve(name); // which says why not
    return found.map((event) => {
      try {
        return { ...event, attrs: this.resolve(`${event.pmu}/${event.name}/`) };
      } catch {
        return { ...event, attrs: this.resolve(event.name) };
      }
    });
  }
  metrics(glob = null, { group = null } = {}) {
    const module = this._module;
    return module.within((room) => {
      const metrics = module.make('metrics_list', this.handle, room.text(glob), room.text(group));
      try {
        return module.list('metrics', 'metric', [metrics]).map(({ events, ...rest }) => rest);
      } finally {
        module.raw('metrics_free', metrics);
      }
    });
  }
  metricSet(names = [], { facts = {}, expressions = {} } = {}) {
    const set = new MetricSet(this._module, this._module.make('metrics_new', this.handle, 0));
    this._module.within((room) => {
      for (const [fact, value] of Object.entries(facts)) this._module.call('metrics_set_fact', set.handle, room.text(fact), value);
      for (const name of names) this._module.call('metrics_add', set.handle, room.text(name));
      for (const [name, text] of Object.entries(expressions)) this._module.call('metrics_add_expression', set.handle, room.text(name), room.text(text));
    });
    return set;
  }
  schedule(events, { constraint = 0, nmiWatchdog = false, smt = true, genericCounters = 0 } = {}) {
    const module = this._module;
    return module.within((room) => {
      const options = room.struct('schedule_options', { constraint, nmi_watchdog: nmiWatchdog ? 1 : 0, smt: smt ? 1 : 0, generic_counters: genericCounters });
      const schedule = module.make('schedule_new', this.handle, room.text(events), options);
      try {
        const out = room(structs.attr.size), name = room(4), all = [];
        for (let i = 0; i < module.raw('schedule_event_count', schedule); ++i) {
          module.raw('schedule_event_at', schedule, i, out, name);
          all.push({ name: module.text(module.view.getUint32(name, true)), attr: attrOf(module.read('attr', out)) });
        }
        const groupAt = room(structs.scheduled_group.size), groups = [];
        for (let i = 0; i < module.raw('schedule_group_count', schedule); ++i) {
          module.raw('schedule_group_at', schedule, i, groupAt);
          const { grouped, smallest, counters, ...rest } = module.read('scheduled_group', groupAt);
          const [, , at] = structs.scheduled_group.members.find(([member]) => member === 'counters');
          groups.push({ ...rest, counters: module.texts(module.view.getUint32(groupAt + at, true), rest.events.length), grouped: grouped !== 0, smallest: smallest !== 0 });
        }
        return { events: all, groups, warnings: module.until_empty('schedule_warning', schedule) };
      } finally {
        module.raw('schedule_free', schedule);
      }
    });
  }
}

export class MetricSet extends Held {
  constructor(module, handle) { super(module, handle, 'metrics_free'); }
  get metrics() { return this._module.list('metrics', 'metric', [this.handle]); }
  get events() {
    return this._module.list('metrics_event', 'metric_event', [this.handle]).map(({ isTool, forThreshold, ...rest }) => ({ ...rest, isTool: isTool === 1, forThreshold: forThreshold === 1 }));
  }
  get warnings() { return this._module.until_empty('metrics_warning', this.handle); }
  evaluate(counts) {
    const module = this._module;
    return module.within((room) => {
      const size = structs.event_count.size, list = room(size * counts.length);
      counts.forEach((count, i) => {
        const { value, sources = 0 } = typeof count === 'object' && count !== null ? count : { value: count ?? NaN };
        module.view.setFloat64(list + size * i, value, true);
        module.view.setUint32(list + size * i + 8, sources, true);
      });
      const metrics = module.raw('metrics_count', this.handle), out = room(metrics * structs.metric_value.size);
      module.call('metrics_evaluate', this.handle, list, counts.length, out, metrics);
      return Array.from({ length: metrics }, (_, i) => {
        const { value, hasValue, beyond } = module.read('metric_value', out + i * structs.metric_value.size);
        return { value: hasValue && !Number.isNaN(value) ? value : null, beyond: beyond < 0 ? null : beyond === 1 };
      });
    });
  }
}

const FORMATS = { text: 'TEXT', csv: 'CSV', jsonl: 'JSONL', folded: 'FOLDED' };
// profile_formats.def: names
const PROFILES = { 'pprof': 'PPROF', 'firefox': 'FIREFOX', 'speedscope': 'SPEEDSCOPE', 'perfetto': 'PERFETTO', 'otlp': 'OTLP', 'otlp-json': 'OTLP_JSON' };
// profile_formats.def: end

function chosen(table, prefix, name, what) {
  if (!Object.hasOwn(table, name)) throw new EvnameError('invalid argument', `there is no ${what} ${name}`, { hint: 'there are ' + Object.keys(table).join(', ') });
  return constants[prefix + table[name]];
}

/** A filter of samples as the C interface has it. */
function filterOf(room, module, recording, { event, cpus = [], pids = [], tids = [], comms = [], times, sym, dso, fileOrder, salvage } = {}) {
  let ranges = 0, count = 0;
  if (times !== undefined && recording) {
    const size = room(4), text = room.text(times);
    module.call('parse_times', recording, text, 0, 0, size);
    count = module.view.getUint32(size, true);
    ranges = room(count * structs.time_range.size);
    module.call('parse_times', recording, text, ranges, count, size);
  }
  return room.struct('filter', {
    event, sym, dso, cpus: room.numbers(cpus), cpus_count: cpus.length, pids: room.numbers(pids), pids_count: pids.length,
    tids: room.numbers(tids), tids_count: tids.length, comms: room.numbers(comms.map(room.text)), comms_count: comms.length,
    times: ranges, times_count: count, samples_flags: passFlags({ fileOrder, salvage }),
  });
}

const passFlags = ({ fileOrder = false, salvage = false } = {}) =>
  (fileOrder ? constants.SAMPLES_FILE_ORDER : 0) | (salvage ? constants.SAMPLES_SALVAGE : 0);

export class Recording extends Held {
  constructor(module, handle, path) {
    super(module, handle, 'recording_free');
    this.path = path;
    this.name = path.slice(path.lastIndexOf('/') + 1);
    this.machine = new Machine(module, module.raw('recording_machine', handle), this);
    this.warnings = module.until_empty('recording_warning', handle);
    this.events = module.list('recorded_event', 'recorded_event', [handle]).map(({ code, exact, namedBy, ...rest }) => ({
      ...rest, type: code.type, config: code.config[0], config1: code.config[1], config2: code.config[2], config3: code.config[3], config4: code.config[4],
      exact: exact !== 0, namedBy: ['recording', 'kernel', 'tables', 'code'][namedBy],
    }));
  }
  /** Iterates over the samples. The returned object counts records in `tally` and collects `warnings`. */
  samples(options = {}) { return new Samples(this, options); }
  annotate({ fields = null, format = 'text', limit = 0, recordedNames = false, countPeriods = false, filter = {} } = {}, take = null) {
    const module = this._module, parts = [];
    return module.within((room) => {
      const options = room.struct('annotate_options', {
        fields, limit, format: chosen(FORMATS, 'FORMAT_', format, 'format'),
        flags: (recordedNames ? constants.ANNOTATE_RECORDED_NAMES : 0) | (countPeriods ? constants.ANNOTATE_COUNT_PERIODS : 0),
      });
      const streaming = new TextDecoder();
      const fd = module.host.output((bytes) => (take ? take(streaming.decode(bytes, { stream: true })) : parts.push(bytes)));
      let failed = null;
      try {
        module.call('annotate', this.handle, options, filterOf(room, module, this.handle, filter), fd, 0);
      } catch (error) {
        failed = error;
      }
      module.host.closeOutput(fd); // throws what `take` threw
      if (failed) throw failed;
      return take ? '' : new TextDecoder().decode(joined(parts));
    });
  }
  report(keys = 'event', filter = {}) { return report([this], keys, filter); }
  export(format, options = {}) { return exportProfile([this], format, options); }
  page(options = {}) { return page([this], options); }
}

function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) all.set(part, at), at += part.length;
  return all;
}

/** A pass over the samples of a recording. */
class Samples extends Held {
  constructor(recording, options) {
    super(recording._module, recording._module.make('samples_open', recording.handle, passFlags(options)), 'samples_free');
    this._recording = recording;
    this._out = this._module.exports.malloc(structs.sample.size);
    this._fields = structs.sample.members.filter(([name]) => constants['SAMPLE_' + name.toUpperCase()] !== undefined);
    this._names = recording.events.map((event) => event.name);
    this._frames = 0;
  }
  get tally() {
    return this._module.within((room) => {
      const out = room(structs.tally.size);
      this._module.raw('samples_tally', this.handle, out);
      return this._module.read('tally', out);
    });
  }
  get warnings() { return this._module.until_empty('samples_warning', this.handle); }
  next() {
    const module = this._module, got = module.raw('samples_next', this.handle, this._out);
    if (got < 0) throw new EvnameError(KINDS[-got] ?? 'internal', this.warnings.at(-1) ?? 'the samples can\'t be read');
    return got === 0 ? { done: true, value: undefined } : { done: false, value: this._sample() };
  }
  _sample() {
    const module = this._module, all = module.read('sample', this._out);
    const { event, fields, comm, cgroupPath, raw, misc, period } = all;
    const sample = { event, name: this._names[event], comm, misc, period };
    if (cgroupPath) sample.cgroupPath = cgroupPath;
    if (raw.length > 0) sample.raw = raw;
    const has = Number(fields);
    for (const [name] of this._fields) if (has & constants['SAMPLE_' + name.toUpperCase()]) sample[camel(name)] = all[camel(name)];
    return sample;
  }
  /** The frames of the stack of the sample that came last. */
  stack(symbols) {
    const module = this._module;
    if (this._frames === 0) this._frames = module.make('frames_new');
    module.call('samples_stack', this.handle, symbols.handle, this._frames);
    return module.list('frames', 'frame', [this._frames]).map(({ flags, ...rest }) => ({
      ...rest, inlined: (flags & constants.FRAME_INLINED) !== 0, kernel: (flags & constants.FRAME_KERNEL) !== 0,
    }));
  }
  return() {
    this.free();
    return { done: true, value: undefined };
  }
  free() {
    if (this._frames && !this._module.ended) this._module.raw('frames_free', this._frames);
    if (this._out && !this._module.ended) this._module.exports.free(this._out);
    this._frames = this._out = 0;
    super.free();
  }
  [Symbol.iterator]() { return this; }
}

export class Symbols extends Held {
  constructor(module, handle) { super(module, handle, 'symbols_free'); }
  get problems() {
    const module = this._module, all = [];
    return module.within((room) => {
      const needed = room(4), buffer = room(1024);
      for (let i = 0; ; ++i) {
        module.call('symbols_problem', this.handle, i, buffer, 1024, needed);
        if (module.view.getUint32(needed, true) === 0) return all;
        all.push(module.text(buffer));
      }
    });
  }
}

function handles(room, recordings) {
  if (recordings.length === 0) throw new EvnameError('invalid argument', 'there is no recording');
  return room.numbers(recordings.map((one) => one.handle));
}

function report(recordings, keys, filter) {
  const module = recordings[0]._module;
  return module.within((room) => {
    const report = module.make('report_new', room.text(keys), filterOf(room, module, recordings[0].handle, filter));
    try {
      for (const recording of recordings) module.call('report_add', report, recording.handle, 0);
      return module.list('report_row', 'report_row', [report]);
    } finally {
      module.raw('report_free', report);
    }
  });
}

function exportProfile(recordings, format, { symbols = null, gzip = false, filter = {} } = {}) {
  const module = recordings[0]._module, path = '/out/profile';
  return module.within((room) => {
    const options = room.struct('profile_options', { symbols: symbols?.handle ?? 0, format: chosen(PROFILES, 'PROFILE_', format, 'format'), flags: gzip ? constants.PROFILE_GZIP : 0 });
    try {
      module.call('profile_write', handles(room, recordings), recordings.length, options, filterOf(room, module, recordings[0].handle, filter), room.text(path), 0, 0);
      return module.host.take(path).slice();
    } finally {
      module.host.remove(path);
    }
  });
}

function page(recordings, { symbols = null, filter = {} } = {}) {
  const module = recordings[0]._module, path = '/out/page.html';
  return module.within((room) => {
    try {
      module.call('page_write', handles(room, recordings), recordings.length, symbols?.handle ?? 0, filterOf(room, module, recordings[0].handle, filter), room.text(path));
      return module.host.take(path).slice();
    } finally {
      module.host.remove(path);
    }
  });
}

/** All of evname: an instance of the module, which works on one thread. */
export class Evname {
  constructor(compiled, fs, tables = new Tables(compiled)) {
    this._module = new Module(compiled, fs, tables);
    this._files = 0;
  }
  get version() { return this._module.text(this._module.raw('version')); }
  /** Bytes of the module's memory. */
  get memory() { return this._module.exports.memory.buffer.byteLength; }
  /** The tables outside of the module: of architectures, of libpfm4's names, and Capstone's. */
  get tables() {
    const { tables } = this._module;
    return tables.names.map((name) => ({ name, bytes: tables.sizeOf(name), loaded: tables.has(name) }));
  }
  /** Brings tables into memory: one name, several, or all. */
  async loadTables(names = 'all') {
    const { tables } = this._module;
    const wanted = names === 'all' ? tables.names : [names].flat(), unknown = wanted.find((name) => !tables.names.includes(name));
    if (unknown !== undefined && tables.names.length > 0)
      throw new EvnameError('invalid argument', `there are no tables of ${unknown}`, { hint: 'there are ' + tables.names.join(', ') });
    await Promise.all(wanted.map(async (name) => {
      try {
        await tables.load(name);
      } catch (error) {
        throw notLoaded({ name, why: error.message });
      }
    }));
  }
  /** Calls `work`, and again after tables that it needed have been loaded. */
  async withTables(work) {
    for (;;) {
      try {
        return await work(this);
      } catch (error) {
        if (!error?.tables || this._module.tables.has(error.tables)) throw error;
        await this.loadTables(error.tables);
      }
    }
  }
  models() { return this._module.list('model', 'model', []); }
  machine(cpu, { sysfs = null, events = null } = {}) {
    if (typeof cpu !== 'string') throw new EvnameError('invalid argument', 'a machine is named by a text');
    return this._module.within((room) => new Machine(this._module, this._module.make('machine_open', room.text(cpu), room.struct('machine_options', { sysfs: this._place(sysfs), events: this._place(events), flags: constants.NO_USER_EVENTS }))));
  }
  /** Makes a file readable for recordings and symbols. */
  add(path, content) { return this._module.host.add(this._place(path), content); }
  remove(path) { this._module.host.remove(this._place(path)); }
  /** The module has no working directory. */
  _place(path) {
    const relative = typeof path === 'string' && !path.startsWith('/') && this._module.host.fs !== null;
    return relative ? `${process.cwd()}/${path}` : path;
  }
  /** Makes a file readable under every path that ends with its name: a program or a jitdump of a recording, from wherever it was.
   * A program with another build id than the recorded one is not used. */
  addBeside(file, { name = file.name } = {}) { this._module.host.addBeside(name, file); }
  removeBeside(name) { this._module.host.beside.delete(name); }
  /** Why the module has ended, so that nothing more can be asked of it; null: it has not. */
  get ended() { return this._module.ended; }
  open(file, { name = null } = {}) {
    const isPath = typeof file === 'string';
    const path = isPath ? this._place(file) : this.add(`/in/${++this._files}/${(name ?? file.name ?? 'perf.data').replace(/^.*\//, '')}`, file);
    return this._module.within((room) => {
      try {
        return new Recording(this._module, this._module.make('recording_open_with', room.text(path), constants.NO_USER_EVENTS), path);
      } finally {
        if (!isPath) this.remove(path);
      }
    });
  }
  symbols({ symfs = null, vmlinux = null, kallsyms = null, cache = '/nonexistent', lines = true, inlines = true, demangle = true } = {}) {
    const flags = (lines ? 0 : constants.SYMBOLS_NO_LINES) | (inlines ? 0 : constants.SYMBOLS_NO_INLINES) | (demangle ? 0 : constants.SYMBOLS_MANGLED);
    const places = { symfs: this._place(symfs), vmlinux: this._place(vmlinux), kallsyms: this._place(kallsyms), cache: this._place(cache) };
    return this._module.within((room) => new Symbols(this._module, this._module.make('symbols_new', room.struct('symbol_options', { ...places, flags }))));
  }
  report(recordings, keys = 'event', filter = {}) { return report(recordings, keys, filter); }
  export(recordings, format, options = {}) { return exportProfile(recordings, format, options); }
  page(recordings, options = {}) { return page(recordings, options); }
}

/** The bytes of the module, beside this file. */
async function ownModule() {
  const place = new URL('./evname.wasm', import.meta.url);
  if (place.protocol === 'file:' && typeof process !== 'undefined' && process.versions?.node) {
    const { readFile } = await import('node:fs/promises');
    return WebAssembly.compile(await readFile(place));
  }
  return WebAssembly.compileStreaming(fetch(place));
}

/** Makes an instance. `module`: a compiled module or its bytes; by default it is beside this file. `fs`: Node's, so that paths
 * lead to files, which are only read; false: none. `tables`: those that are loaded at once, by their names, or 'all'. `tablesAt`:
 * their folder; by default tables/ beside this file. */
export async function load({ module = null, fs = undefined, tables = [], tablesAt = null } = {}) {
  const compiled = module === null ? await ownModule() : module instanceof WebAssembly.Module ? module : await WebAssembly.compile(module);
  if (fs === undefined && typeof process !== 'undefined' && process.versions?.node) fs = await import('node:fs');
  const evname = new Evname(compiled, fs || null, await Tables.of(compiled, tablesAt));
  await evname.loadTables(tables);
  return evname;
}
