// The tables that are apart from the module, each in a file of a folder: an id, then the bytes of the ranges of addresses that
// the module's section evname.tables has for them (cut_tables.py). A module with all tables inside has no such section.

const SECTION = 'evname.tables';
const ID = 16; // bytes

const isOfNode = (place) => place.protocol === 'file:' && typeof process !== 'undefined' && !!process.versions?.node;

/** The folder beside this file, or the one that is given: a URL, or in Node a path. */
async function folderOf(place) {
  if (place === null) return new URL('./tables/', import.meta.url);
  if (typeof place === 'string' && !/^[a-z]+:\/\//.test(place) && typeof process !== 'undefined' && process.versions?.node) {
    const { pathToFileURL } = await import('node:url');
    place = pathToFileURL(place);
  }
  const folder = new URL(place, globalThis.location?.href);
  if (!folder.pathname.endsWith('/')) folder.pathname += '/';
  return folder;
}

async function bytesOf(place) {
  if (isOfNode(place)) return (await import('node:fs/promises')).readFile(place);
  const answer = await fetch(place);
  if (!answer.ok) throw new Error(`${place.href}: ${answer.status} ${answer.statusText}`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** Returns a function that reads a file at once, in Node and in workers of browsers, or null if files can only be awaited. */
async function readerOf(folder) {
  if (isOfNode(folder)) {
    const { readFileSync } = await import('node:fs');
    return (place) => readFileSync(place);
  }
  if (typeof WorkerGlobalScope === 'undefined' || typeof XMLHttpRequest === 'undefined') return null;
  return (place) => {
    const request = new XMLHttpRequest();
    request.open('GET', place, false);
    request.responseType = 'arraybuffer';
    request.send();
    if (request.status !== 200) throw new Error(`${place.href}: ${request.status} ${request.statusText}`);
    return new Uint8Array(request.response);
  };
}

export class Tables {
  /** Makes the tables of a compiled module, whose files are in a folder. */
  static async of(compiled, place) {
    const tables = new Tables(compiled);
    if (tables.names.length === 0) return tables;
    tables.folder = await folderOf(place);
    tables.readNow = await readerOf(tables.folder);
    return tables;
  }
  constructor(compiled) {
    const [index] = WebAssembly.Module.customSections(compiled, SECTION);
    this.index = index ? JSON.parse(new TextDecoder().decode(index)) : {};
    this.loaded = new Set();
    this.missing = null; // the last that the module asked for and did not get: {name, why}
    this.readNow = null;
    this.memory = null;
  }
  get names() { return Object.keys(this.index); }
  sizeOf(name) { return this.index[name].ranges.reduce((sum, [, size]) => sum + size, 0); }
  has(name) { return this.loaded.has(name) || !Object.hasOwn(this.index, name); }
  #place(name) { return new URL(name + '.bin', this.folder); }
  #put(name, bytes) {
    const { id, ranges } = this.index[name];
    const own = Array.from(bytes.subarray(0, ID), (byte) => byte.toString(16).padStart(2, '0')).join('');
    if (own !== id || bytes.length !== ID + this.sizeOf(name)) throw new Error(`${this.#place(name).href}: is not of this module`);
    const memory = new Uint8Array(this.memory.buffer);
    let at = ID;
    for (const [address, size] of ranges) memory.set(bytes.subarray(at, at += size), address);
    this.loaded.add(name);
  }
  async load(name) {
    if (!this.has(name)) this.#put(name, await bytesOf(this.#place(name)));
  }
  /** Brings tables that the module asks for into its memory. Returns true if it has them now. */
  bring(name) {
    if (this.has(name)) return true;
    let why = '';
    try {
      if (this.readNow) return this.#put(name, this.readNow(this.#place(name))), true;
    } catch (error) {
      why = String(error.message);
    }
    this.missing = { name, why };
    return false;
  }
  takeMissing() {
    const { missing } = this;
    this.missing = null;
    return missing;
  }
}
