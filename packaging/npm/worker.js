// evname in a Web Worker, so that a page stays alive and a File is read piece by piece, without a copy of it:
//
//   import { start } from 'evname/worker';
//   const evname = await start();
//   const { page, notes } = await evname.page([file], { beside: [program, dump] });
//
// This file is both sides: a page imports it, and the worker that start() makes runs it.

const isWorker = typeof WorkerGlobalScope !== 'undefined' && globalThis instanceof WorkerGlobalScope;

/** Makes the worker. `module`: a compiled module, which is posted to it; by default it is beside this file, as is the
 * folder of its tables (`tablesAt`). The worker loads those that it needs, and `tables` at once. */
export async function start({ module = null, worker = null, tables = [], tablesAt = null } = {}) {
  const one = worker ?? new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  const waiting = new Map();
  let last = 0;
  one.onmessage = ({ data: { id, value, error } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error) reject(Object.assign(new Error(error.message), error));
    else resolve(value);
  };
  one.onerror = (event) => {
    for (const { reject } of waiting.values()) reject(new Error(event.message ?? 'the worker can\'t be started'));
    waiting.clear();
  };
  const call = (name, ...args) => new Promise((resolve, reject) => {
    const id = ++last;
    waiting.set(id, { resolve, reject });
    one.postMessage({ id, name, args });
  });
  await call('load', { module, tables, tablesAt: tablesAt && new URL(tablesAt, globalThis.location?.href).href });
  return {
    page: (files, options) => call('page', files, options),
    export: (files, format, options) => call('export', files, format, options),
    report: (files, keys, options) => call('report', files, keys, options),
    annotate: (file, options) => call('annotate', file, options),
    events: (file) => call('events', file),
    machine: (cpu, method, ...args) => call('machine', cpu, method, ...args),
    end: () => one.terminate(),
  };
}

/** Methods of machines that a page can call: they take and return what can be posted. */
const MACHINE = ['resolve', 'name', 'names', 'exactName', 'list', 'show', 'metrics', 'schedule'];

/** What the worker does, by the name of a message. */
export function answers(load) {
  let loading = null, evname = null;
  /** After a call that ended the module, the next one has a new one. */
  const fresh = async () => {
    if (evname === null || evname.ended) evname = await loading();
    return evname;
  };
  const opened = async (files, beside, work) => {
    const ev = await fresh(), recordings = [];
    try {
      for (const file of beside ?? []) ev.addBeside(file);
      for (const file of files) recordings.push(ev.open(file));
      const given = (name) => (beside?.some((file) => file.name === name) ? '/beside/' + name : null);
      const symbols = ev.symbols({ vmlinux: given('vmlinux'), kallsyms: given('kallsyms') });
      const value = work(ev, recordings, symbols);
      const warnings = recordings.flatMap((one) => one.warnings.map((text) => `${one.name}: ${text}`));
      const problems = symbols.problems;
      symbols.free();
      return { value, warnings, problems };
    } finally {
      for (const one of recordings) if (!ev.ended) one.free();
      for (const file of beside ?? []) ev.removeBeside(file.name);
    }
  };
  return {
    load: async ({ module, tables = [], tablesAt = null }) => {
      const compiled = module instanceof WebAssembly.Module || module === null ? module : await WebAssembly.compile(module);
      loading = () => load({ module: compiled, tables, tablesAt });
      await fresh();
    },
    page: async (files, { beside, ...options } = {}) => {
      const { value, warnings, problems } = await opened(files, beside, (ev, all, symbols) => ev.page(all, { symbols, ...options }));
      return { page: value, warnings, problems };
    },
    export: async (files, format, { beside, ...options } = {}) =>
      (await opened(files, beside, (ev, all, symbols) => ev.export(all, format, { symbols, ...options }))).value,
    report: async (files, keys, { filter } = {}) => (await opened(files, [], (ev, all) => ev.report(all, keys, filter))).value,
    annotate: async (file, options) => (await opened([file], [], (ev, [one]) => one.annotate(options))).value,
    events: async (file) => (await opened([file], [], (ev, [one]) => one.events)).value,
    machine: async (cpu, method, ...args) => {
      if (!MACHINE.includes(method)) throw new TypeError(`there is no method ${method}; there are ${MACHINE.join(', ')}`);
      const machine = (await fresh()).machine(cpu);
      try {
        return machine[method](...args);
      } finally {
        machine.free();
      }
    },
  };
}

/** Makes this worker answer messages. */
export function serve(load) {
  const table = answers(load);
  globalThis.onmessage = async ({ data: { id, name, args } }) => {
    try {
      postMessage({ id, value: await table[name](...args) });
    } catch (error) {
      const { message, kind = 'internal', reason = message, where = '', hint = '', offset = null } = error;
      postMessage({ id, error: { message, kind, reason, where, hint, offset } });
    }
  };
}

if (isWorker && import.meta.url === globalThis.location.href) {
  // The messages that come while index.js is loaded wait in the port.
  serve((options) => import('./index.js').then(({ load }) => load(options)));
}
