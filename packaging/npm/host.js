// The system that the module runs on: WASI's calls, answered from files in memory, from sources that are read piece by piece
// (a File of a browser, a descriptor of Node), and in Node from the file system, which is only read. Nothing else of the
// machine can be reached from the module: no network, no process, no clock but the time.

const ERRNO = { BADF: 8, EXIST: 20, INVAL: 28, IO: 29, ISDIR: 31, NOENT: 44, NOSYS: 52, NOTDIR: 54, NOTEMPTY: 55, NOTSUP: 58, SPIPE: 70 };
const DIRECTORY = 3, REGULAR = 4, SYMLINK = 7, CHARACTER = 2;
const RIGHT_TO_WRITE = 1n << 6n;
const CREATE = 1, MUST_BE_DIRECTORY = 2, EXCLUSIVE = 4, TRUNCATE = 8;
const PIECE = 8 << 20; // bytes that are read of a source at once

class SystemError extends Error {
  constructor(errno) {
    super('errno ' + errno);
    this.errno = errno;
  }
}

const refuse = (name) => { throw new SystemError(ERRNO[name]); };

/** Thrown through the module if it ends. */
export class Ended extends Error {}

/** A file in memory that grows as it is written. */
class MemoryFile {
  constructor(bytes = new Uint8Array(0)) {
    this.bytes = bytes;
    this.size = bytes.length;
  }
  read(offset, target) {
    const part = this.bytes.subarray(Math.min(offset, this.size), Math.min(offset + target.length, this.size));
    target.set(part);
    return part.length;
  }
  write(offset, data) {
    const end = offset + data.length;
    if (end > this.bytes.length) {
      const grown = new Uint8Array(Math.max(end, 2 * this.bytes.length, 1 << 16));
      grown.set(this.bytes.subarray(0, this.size));
      this.bytes = grown;
    }
    this.bytes.set(data, offset);
    this.size = Math.max(this.size, end);
  }
  content() { return this.bytes.subarray(0, this.size); }
}

/** A Blob or File, read in slices: only a worker of a browser can do that. */
class BlobSource {
  constructor(blob) {
    if (typeof FileReaderSync === 'undefined')
      throw new TypeError('a Blob can be read only in a worker; pass its bytes (await blob.arrayBuffer()), or use evname/worker');
    this.blob = blob;
    this.size = blob.size;
    this.reader = new FileReaderSync();
  }
  read(offset, target) {
    const slice = this.blob.slice(offset, Math.min(offset + target.length, this.size));
    const bytes = new Uint8Array(this.reader.readAsArrayBuffer(slice));
    target.set(bytes);
    return bytes.length;
  }
}

/** A file of Node. */
class NodeSource {
  constructor(fs, path) {
    this.fs = fs;
    this.fd = fs.openSync(path, 'r');
    this.size = fs.fstatSync(this.fd).size;
  }
  read(offset, target) { return this.fs.readSync(this.fd, target, 0, target.length, offset); }
  close() { this.fs.closeSync(this.fd); }
}

/** Bytes, a Blob, or an object with `size` and `read(offset, target)` as something with these two. */
function sourceOf(content) {
  if (content instanceof Uint8Array) return new MemoryFile(content);
  if (content instanceof ArrayBuffer) return new MemoryFile(new Uint8Array(content));
  if (typeof Blob !== 'undefined' && content instanceof Blob) return new BlobSource(content);
  if (content && typeof content.read === 'function' && Number.isSafeInteger(content.size)) return content;
  throw new TypeError('a file is a Uint8Array, an ArrayBuffer, a Blob, or an object with size and read(offset, target)');
}

const absolute = (path) => {
  const parts = [];
  for (const part of path.split('/'))
    if (part === '..') parts.pop();
    else if (part && part !== '.') parts.push(part);
  return '/' + parts.join('/');
};
const parentOf = (path) => path.slice(0, path.lastIndexOf('/')) || '/';

export class Host {
  /** `fs` is Node's module of that name, whose files are read where none in memory has the path; null: there are none. */
  constructor(fs = null, tables = null) {
    this.fs = fs;
    this.tables = tables;
    this.files = new Map(); // by absolute path
    this.beside = new Map(); // by name: for any path that ends with it and leads to nothing else
    this.directories = new Set(['/', '/tmp', '/in', '/out']);
    this.open = new Map([[3, { path: '/', directory: true }]]);
    this.memory = null;
    this.stderr = '';
  }

  // What the package does with files.

  add(path, content) {
    const place = absolute(path);
    for (let up = parentOf(place); !this.directories.has(up); up = parentOf(up)) this.directories.add(up);
    this.files.set(place, sourceOf(content));
    return place;
  }
  addBeside(name, content) { this.beside.set(name, sourceOf(content)); }
  take(path) {
    const file = this.files.get(path);
    this.files.delete(path);
    return file ? file.content() : new Uint8Array(0);
  }
  remove(path) { this.files.delete(path); }
  /** A descriptor whose bytes are handed to `take`; what that throws is kept for the caller. */
  output(take) {
    return this.#number({ output: take, error: null });
  }
  closeOutput(fd) {
    const { error } = this.open.get(fd);
    this.open.delete(fd);
    if (error) throw error;
  }

  // Helpers of the calls.

  get bytes() { return new Uint8Array(this.memory.buffer); }
  get view() { return new DataView(this.memory.buffer); }
  #text(at, size) { return new TextDecoder().decode(this.bytes.slice(at, at + size)); }
  #number(entry) {
    let fd = 4;
    while (this.open.has(fd)) ++fd;
    this.open.set(fd, entry);
    return fd;
  }
  #entry(fd) { return this.open.get(fd) ?? refuse('BADF'); }
  #path(fd, at, size) { return absolute(this.#entry(fd).path + '/' + this.#text(at, size)); }

  /** What a path leads to: {type, size, number, file}. */
  #find(path, follow = true) {
    const file = this.files.get(path) ?? this.beside.get(path.slice(path.lastIndexOf('/') + 1));
    if (file) return { type: REGULAR, size: file.size, file };
    if (this.directories.has(path)) return { type: DIRECTORY, size: 0 };
    if (!this.#isReal(path)) refuse('NOENT');
    const found = this.#real(() => (follow ? this.fs.statSync(path) : this.fs.lstatSync(path)));
    const type = found.isDirectory() ? DIRECTORY : found.isFile() ? REGULAR : found.isSymbolicLink() ? SYMLINK : CHARACTER;
    return { type, size: found.size, number: BigInt(found.ino), times: found.mtimeMs };
  }
  /** Reads nothing of the live machine: a module has neither this process' descriptors nor a recording's kernel. */
  #isReal(path) { return this.fs !== null && !/^\/(proc|sys|dev)(\/|$)/.test(path); }
  #real(call) {
    try {
      return call();
    } catch (error) {
      const known = { ENOENT: 'NOENT', ENOTDIR: 'NOTDIR', EINVAL: 'INVAL', EISDIR: 'ISDIR' };
      return refuse(known[error.code] ?? 'IO');
    }
  }
  #numberOf(path) { // an inode's, the same for the same path
    let hash = 5381;
    for (let i = 0; i < path.length; ++i) hash = (hash * 33 + path.charCodeAt(i)) >>> 0;
    return BigInt(hash) + (1n << 40n);
  }
  #writeStat(at, path, found) {
    const view = this.view;
    for (let i = 0; i < 64; i += 8) view.setBigUint64(at + i, 0n, true);
    view.setBigUint64(at + 8, found.number ?? this.#numberOf(path), true);
    view.setUint8(at + 16, found.type);
    view.setBigUint64(at + 24, 1n, true);
    view.setBigUint64(at + 32, BigInt(found.size), true);
    view.setBigUint64(at + 48, BigInt(Math.trunc((found.times ?? 0) * 1e6)), true);
  }
  /** Reads into the buffers of a list; `offset` null: at the place of the descriptor. */
  #read(fd, list, count, offset, told) {
    const entry = this.#entry(fd);
    if (entry.directory) refuse('ISDIR');
    const file = entry.file ?? { read: () => 0 };
    let at = offset ?? entry.at, done = 0;
    for (let i = 0; i < count; ++i) {
      const start = this.view.getUint32(list + 8 * i, true), size = this.view.getUint32(list + 8 * i + 4, true);
      for (let got = 0; got < size;) {
        const piece = this.bytes.subarray(start + got, start + Math.min(size, got + PIECE));
        const read = file.read(at, piece);
        if (read === 0) break;
        got += read, at += read, done += read;
      }
    }
    if (offset === null) entry.at = at;
    this.view.setUint32(told, done, true);
  }
  #write(fd, list, count, told) {
    const entry = fd > 2 ? this.#entry(fd) : { output: (bytes) => { this.stderr += new TextDecoder().decode(bytes); } };
    let done = 0;
    for (let i = 0; i < count; ++i) {
      const start = this.view.getUint32(list + 8 * i, true), size = this.view.getUint32(list + 8 * i + 4, true);
      const piece = this.bytes.slice(start, start + size);
      if (entry.output) {
        try {
          entry.output(piece);
        } catch (error) {
          entry.error = error;
          refuse('IO');
        }
      } else {
        if (!(entry.file instanceof MemoryFile)) refuse('BADF');
        entry.file.write(entry.at, piece);
        entry.at += size;
      }
      done += size;
    }
    this.view.setUint32(told, done, true);
  }
  #openPath(path, oflags, writes) {
    let found = null;
    try {
      found = this.#find(path);
    } catch (error) {
      if (!(oflags & CREATE)) throw error;
      if (this.#find(parentOf(path)).type !== DIRECTORY) refuse('NOTDIR');
      if (!this.directories.has(parentOf(path))) refuse('NOENT'); // the file system is only read
      found = { type: REGULAR, size: 0, file: new MemoryFile() };
      this.files.set(path, found.file);
      return { path, file: found.file, at: 0 };
    }
    if (oflags & EXCLUSIVE) refuse('EXIST');
    if (found.type === DIRECTORY) {
      if (writes) refuse('ISDIR');
      return { path, directory: true };
    }
    if (oflags & MUST_BE_DIRECTORY) refuse('NOTDIR');
    if (found.type !== REGULAR) refuse('NOTSUP');
    if (writes && !(found.file instanceof MemoryFile)) refuse('IO');
    if (oflags & TRUNCATE) found.file.size = 0;
    return { path, at: 0, file: found.file ?? this.#real(() => new NodeSource(this.fs, path)) };
  }
  #namesIn(path) {
    const names = new Map();
    const prefix = path === '/' ? '/' : path + '/';
    const add = (places, type) => {
      for (const place of places)
        if (place !== path && place.startsWith(prefix) && !place.slice(prefix.length).includes('/'))
          names.set(place.slice(prefix.length), type);
    };
    add(this.directories, DIRECTORY);
    add(this.files.keys(), REGULAR);
    if (this.#isReal(path) && !(this.directories.has(path) && path !== '/')) {
      const all = this.#real(() => this.fs.readdirSync(path, { withFileTypes: true }));
      for (const one of all) if (!names.has(one.name)) names.set(one.name, one.isDirectory() ? DIRECTORY : one.isSymbolicLink() ? SYMLINK : REGULAR);
    }
    return [...names].sort(([a], [b]) => (a < b ? -1 : 1));
  }
  #readDirectory(fd, at, size, from, told) {
    const entry = this.#entry(fd);
    if (!entry.directory) refuse('NOTDIR');
    entry.names ??= this.#namesIn(entry.path).map(([name, type]) => [new TextEncoder().encode(name), type]);
    const room = this.bytes.subarray(at, at + size);
    let used = 0;
    for (let i = Number(from); i < entry.names.length && used < size; ++i) {
      const [name, type] = entry.names[i];
      const one = new Uint8Array(24 + name.length), view = new DataView(one.buffer);
      view.setBigUint64(0, BigInt(i + 1), true);
      view.setBigUint64(8, 1n, true);
      view.setUint32(16, name.length, true);
      view.setUint8(20, type);
      one.set(name, 24);
      const part = one.subarray(0, size - used);
      room.set(part, used);
      used += part.length;
    }
    this.view.setUint32(told, used, true);
  }

  /** The imports of the module. */
  imports() {
    const call = (work) => (...args) => {
      try {
        work(...args);
        return 0;
      } catch (error) {
        if (error instanceof SystemError) return error.errno;
        if (error instanceof RangeError || error instanceof Ended) throw error;
        this.stderr += String(error) + '\n';
        return ERRNO.IO; // of a source: the file was changed or taken away
      }
    };
    const number = (at, value) => this.view.setUint32(at, value, true);
    const calls = {
      args_get: () => {},
      args_sizes_get: (count, size) => { number(count, 0); number(size, 0); },
      environ_get: (list, at) => {
        const text = new TextEncoder().encode(ENVIRONMENT.join('\0') + '\0');
        this.bytes.set(text, at);
        let from = at;
        ENVIRONMENT.forEach((one, i) => { number(list + 4 * i, from); from += one.length + 1; });
      },
      environ_sizes_get: (count, size) => { number(count, ENVIRONMENT.length); number(size, ENVIRONMENT.join('\0').length + 1); },
      clock_res_get: (id, at) => this.view.setBigUint64(at, 1000000n, true),
      clock_time_get: (id, precision, at) =>
        this.view.setBigUint64(at, BigInt(Math.trunc((id === 0 ? Date.now() : performance.now()) * 1e6)), true),
      random_get: (at, size) => { crypto.getRandomValues(this.bytes.subarray(at, at + size)); },
      sched_yield: () => {},
      proc_exit: (code) => { throw new Ended('it ended with ' + code); },
      poll_oneoff: () => refuse('NOSYS'),
      fd_advise: () => {},
      fd_allocate: () => {},
      fd_close: (fd) => {
        this.#entry(fd).file?.close?.();
        this.open.delete(fd);
      },
      fd_datasync: () => {},
      fd_sync: () => {},
      fd_fdstat_get: (fd, at) => {
        const entry = fd <= 2 ? { output: true } : this.#entry(fd), view = this.view;
        view.setBigUint64(at, 0n, true);
        view.setUint8(at, entry.directory ? DIRECTORY : entry.output ? CHARACTER : REGULAR);
        view.setBigUint64(at + 8, 0xffffffffffffffffn, true);
        view.setBigUint64(at + 16, 0xffffffffffffffffn, true);
      },
      fd_fdstat_set_flags: () => {},
      fd_filestat_get: (fd, at) => {
        const entry = fd <= 2 ? { output: true } : this.#entry(fd);
        const type = entry.directory ? DIRECTORY : entry.output ? CHARACTER : REGULAR;
        const path = entry.path ?? '';
        let number;
        if (entry.file instanceof NodeSource) number = this.#find(path).number;
        this.#writeStat(at, path, { type, size: entry.file?.size ?? 0, number });
      },
      fd_filestat_set_size: (fd, size) => { this.#entry(fd).file.size = Number(size); },
      fd_filestat_set_times: () => {},
      fd_pread: (fd, list, count, offset, told) => this.#read(fd, list, count, Number(offset), told),
      fd_read: (fd, list, count, told) => (fd === 0 ? number(told, 0) : this.#read(fd, list, count, null, told)),
      fd_write: (fd, list, count, told) => this.#write(fd, list, count, told),
      fd_pwrite: () => refuse('NOTSUP'),
      fd_prestat_get: (fd, at) => {
        if (fd !== 3) refuse('BADF');
        this.view.setUint8(at, 0);
        number(at + 4, 1);
      },
      fd_prestat_dir_name: (fd, at) => { this.bytes[at] = 0x2f; },
      fd_readdir: (fd, at, size, from, told) => this.#readDirectory(fd, at, size, from, told),
      fd_renumber: () => refuse('NOTSUP'),
      fd_seek: (fd, offset, whence, told) => {
        if (fd <= 2) refuse('SPIPE');
        const entry = this.#entry(fd);
        if (entry.directory || entry.output) refuse('SPIPE');
        entry.at = Number(offset) + ([0, entry.at, entry.file.size][whence] ?? refuse('INVAL'));
        this.view.setBigUint64(told, BigInt(entry.at), true);
      },
      fd_tell: (fd, told) => this.view.setBigUint64(told, BigInt(this.#entry(fd).at), true),
      path_create_directory: (fd, at, size) => {
        const path = this.#path(fd, at, size);
        if (this.directories.has(path) || this.files.has(path)) refuse('EXIST');
        if (!this.directories.has(parentOf(path))) refuse('NOENT');
        this.directories.add(path);
      },
      path_filestat_get: (fd, flags, at, size, to) => {
        const path = this.#path(fd, at, size);
        this.#writeStat(to, path, this.#find(path, (flags & 1) !== 0));
      },
      path_filestat_set_times: () => {},
      path_link: () => refuse('NOTSUP'),
      path_symlink: () => refuse('NOTSUP'),
      path_open: (fd, dirflags, at, size, oflags, rights, inheriting, flags, told) => {
        const entry = this.#openPath(this.#path(fd, at, size), oflags, (BigInt(rights) & RIGHT_TO_WRITE) !== 0n);
        number(told, this.#number(entry));
      },
      path_readlink: (fd, at, size, to, room, told) => {
        const path = this.#path(fd, at, size);
        if (this.files.has(path) || this.directories.has(path) || !this.#isReal(path)) refuse('INVAL');
        const target = new TextEncoder().encode(this.#real(() => this.fs.readlinkSync(path))).subarray(0, room);
        this.bytes.set(target, to);
        number(told, target.length);
      },
      path_remove_directory: (fd, at, size) => {
        const path = this.#path(fd, at, size);
        if (this.#namesIn(path).length > 0) refuse('NOTEMPTY');
        this.directories.delete(path);
      },
      path_rename: (fd, at, size, to, toAt, toSize) => {
        const from = this.#path(fd, at, size), file = this.files.get(from) ?? refuse('NOENT');
        this.files.delete(from);
        this.files.set(this.#path(to, toAt, toSize), file);
      },
      path_unlink_file: (fd, at, size) => {
        if (!this.files.delete(this.#path(fd, at, size))) refuse('NOENT');
      },
    };
    const answers = {};
    for (const [name, work] of Object.entries(calls)) answers[name] = call(work);
    answers.proc_exit = calls.proc_exit;
    const thrown = (at) => {
      const bytes = this.bytes;
      let end = at;
      while (bytes[end] !== 0) ++end;
      throw new Ended('it threw ' + this.#text(at, end - at));
    };
    const duplicated = (fd) => (this.open.has(fd) ? this.#number(this.open.get(fd)) : -1);
    const tables = (at, size) => (this.tables.bring(this.#text(at, size)) ? 1 : 0);
    return { wasi_snapshot_preview1: answers, evname: { thrown, duplicated, tables } };
  }
}

/** Event files of the user are for the command: answers depend on what a program passes alone. */
const ENVIRONMENT = ['EVNAME_EVENTS=', 'HOME=/nonexistent', 'TMPDIR=/tmp'];
