/** PMU event names to codes and back for any CPU, and recordings of perf, as libevname has them. All of it is on this thread and
 * synchronous but load(); `evname/worker` does it in a Web Worker. Codes, addresses, times (ns) and periods are BigInts,
 * numbers of things are numbers. What can't be done throws an EvnameError. */

/** The kinds of errors, as evname.h describes them; "internal": a bug, after which the module has to be loaded again. */
export type ErrorKind = 'invalid argument' | 'not found' | 'out of range' | 'corrupt' | 'io' | 'unsupported' | 'no memory' | 'internal';

export class EvnameError extends Error {
  readonly kind: ErrorKind;
  /** The message without its place and hint. */
  readonly reason: string;
  /** The file, with :LINE or @OFFSET if it is known; may be "". */
  readonly where: string;
  /** A proposal; may be "". */
  readonly hint: string;
  /** Place of the fault in the text or file, in bytes. */
  readonly offset: number | null;
  /** Tables that were needed and are not loaded. */
  readonly tables: string | null;
}

/** A file: its bytes, a File (only in a worker, where slices of it are read), or something that reads it piece by piece. */
export type Content = Uint8Array | ArrayBuffer | Blob | { size: number; read(offset: number, target: Uint8Array): number; name?: string };

/** The words of a code. A missing type stands for the PMU that is asked about. */
export type Code = number | bigint | { config: number | bigint; config1?: number | bigint; config2?: number | bigint; config3?: number | bigint; config4?: number | bigint; type?: number | null };

export interface Attr {
  pmu: string;
  /** null: only the machine itself knows it. */
  type: number | null;
  config: bigint;
  config1: bigint;
  config2: bigint;
  config3: bigint;
  config4: bigint;
  /** Sample period that the event's table suggests; 0: none. */
  period: bigint;
  bpType: number;
  flags: number;
  preciseIp: number;
  /** Index of its group's leader. */
  leader: number;
  auxAction: number;
}

export interface Names {
  /** Best first; empty: no name has this code. */
  names: string[];
  exact: boolean;
  /** To be added to the names: "cmask=0x1". */
  qualifiers: string;
  pmu: string;
  /** The code as terms, always exact. */
  terms: string;
}

export interface EventInfo {
  name: string;
  pmu: string;
  topic: string;
  terms: string;
  desc: string;
  longDesc: string;
  unit: string;
  model: string;
  scale: number;
  errata: string;
  deprecated: boolean;
  /** Bits of enum evname_event_flags. */
  flags: number;
}

export interface Metric {
  name: string;
  desc: string;
  longDesc: string;
  expr: string;
  threshold: string;
  unit: string;
  pmu: string;
  model: string;
  groups: string[];
  constraint: number;
}

export interface MetricEvent {
  text: string;
  /** Why it can't be counted; else "". */
  problem: string;
  encodings: number;
  isTool: boolean;
  forThreshold: boolean;
}

export interface ScheduledGroup {
  pmus: string[];
  /** Indexes of Schedule.events. */
  events: number[];
  /** Of each event: "2", "fixed 1"; "": none is needed, or it is unknown. */
  counters: string[];
  genericCounters: number;
  fixedCounters: number;
  grouped: boolean;
  smallest: boolean;
  why: string;
}

export interface Schedule {
  events: { name: string; attr: Attr }[];
  groups: ScheduledGroup[];
  warnings: string[];
}

export interface Cpu {
  arch: string;
  cpuid: string;
  model: string;
  note: string;
  matchedBy: number;
}

/** free() frees the object. Without a call, it is freed at some time after it became unreachable. */
export interface Held {
  free(): void;
}

export class Machine implements Held {
  free(): void;
  readonly cpu: Cpu;
  readonly warnings: string[];
  readonly pmus: { name: string; cpus: string; type: number | null; core: boolean; uncore: boolean }[];
  /** A list of events in the syntax of `perf -e`: an attr for each event and PMU. */
  resolve(events: string): Attr[];
  /** The best name of a code, with its qualifiers; "cpu/event=0x3/" if it has none. Without a type and a PMU, of the core PMU. */
  name(code: Code, options?: { pmu?: string }): string;
  /** All names of a code. */
  names(code: Code, options?: { pmu?: string }): Names;
  /** The best name with exactly this code; "": there is none. */
  exactName(code: Code, options?: { pmu?: string }): string;
  /** Events whose name matches a glob, ignoring case. */
  list(glob?: string): EventInfo[];
  /** Everything known about an event, on each PMU that has it. */
  show(name: string): (EventInfo & { attrs: Attr[] })[];
  metrics(glob?: string, options?: { group?: string }): Metric[];
  /** Metrics to compute together, by name or group; `expressions` are metrics of your own. */
  metricSet(names?: string[], options?: { facts?: Record<string, number>; expressions?: Record<string, string> }): MetricSet;
  /** The fewest groups that the counters can count the events in. */
  schedule(events: string, options?: { constraint?: number; nmiWatchdog?: boolean; smt?: boolean; genericCounters?: number }): Schedule;
}

export class MetricSet implements Held {
  free(): void;
  readonly metrics: (Metric & { events: number[] })[];
  readonly events: MetricEvent[];
  readonly warnings: string[];
  /** The value of each metric from the counts of `events`; null: not counted. */
  evaluate(counts: (number | null | { value: number; sources?: number })[]): { value: number | null; beyond: boolean | null }[];
}

export interface PassOptions {
  /** In the order of the file, not of time. */
  fileOrder?: boolean;
  /** After damage, continue at the next place that looks like records. */
  salvage?: boolean;
}

/** Samples must match all that is set. */
export interface Filter extends PassOptions {
  event?: string;
  cpus?: number[];
  pids?: number[];
  tids?: number[];
  comms?: string[];
  /** As `perf script --time` has it: "12.5,13", "10%-20%". */
  times?: string;
  sym?: string;
  dso?: string;
}

export interface RecordedEvent {
  name: string;
  recordedName: string;
  modifiers: string;
  pmu: string;
  ids: bigint[];
  type: number;
  config: bigint;
  config1: bigint;
  config2: bigint;
  config3: bigint;
  config4: bigint;
  sampleType: bigint;
  exact: boolean;
  namedBy: 'recording' | 'kernel' | 'tables' | 'code';
  userRegisterMask: bigint;
  interruptRegisterMask: bigint;
}

/** A sample has those members that its event samples. */
export interface Sample {
  /** Index in Recording.events. */
  event: number;
  name: string;
  comm: string;
  misc: number;
  period: bigint;
  pid?: number;
  tid?: number;
  cpu?: number;
  time?: bigint;
  ip?: bigint;
  addr?: bigint;
  id?: bigint;
  dataSrc?: bigint;
  weight?: bigint;
  insLat?: number;
  retireLat?: number;
  transaction?: bigint;
  cgroup?: bigint;
  cgroupPath?: string;
  physAddr?: bigint;
  dataPageSize?: bigint;
  codePageSize?: bigint;
  callchain?: bigint[];
  branches?: bigint[];
  branchCounters?: bigint[];
  userRegisters?: bigint[];
  interruptRegisters?: bigint[];
  raw?: Uint8Array;
}

export interface Frame {
  function: string;
  source: string;
  line: number;
  offset: bigint;
  address: bigint;
  dso: string;
  ip: bigint;
  inlined: boolean;
  kernel: boolean;
}

export interface Tally {
  samples: number;
  unknownIds: number;
  malformed: number;
  lost: number;
  selected: number;
}

export interface Samples extends IterableIterator<Sample>, Held {
  /** The pass counted these so far. */
  readonly tally: Tally;
  /** All are there only at the end of the pass. */
  readonly warnings: string[];
  /** Frames of the stack of the sample that came last. */
  stack(symbols: Symbols): Frame[];
}

export interface ReportRow {
  keys: string[];
  samples: number;
  period: bigint;
  share: number;
  first: bigint;
  last: bigint;
  lost: number;
  throttled: number;
  of: number;
}

// profile_formats.def: type
export type ProfileFormat = 'pprof' | 'firefox' | 'speedscope' | 'perfetto' | 'otlp' | 'otlp-json';
// profile_formats.def: end
export type ProfileOptions = { symbols?: Symbols; gzip?: boolean; filter?: Filter };

export interface AnnotateOptions {
  fields?: string;
  format?: 'text' | 'csv' | 'jsonl' | 'folded';
  limit?: number;
  recordedNames?: boolean;
  countPeriods?: boolean;
  filter?: Filter;
}

export class Recording implements Held {
  free(): void;
  readonly path: string;
  readonly name: string;
  readonly machine: Machine;
  readonly events: RecordedEvent[];
  /** The file's faults. */
  readonly warnings: string[];
  samples(options?: PassOptions): Samples;
  /** The samples as text; `take` gets it piece by piece, and "" is returned. */
  annotate(options?: AnnotateOptions, take?: (text: string) => void): string;
  report(keys?: string, filter?: Filter): ReportRow[];
  export(format: ProfileFormat, options?: ProfileOptions): Uint8Array;
  /** The page of `evname report --html`. */
  page(options?: { symbols?: Symbols; filter?: Filter }): Uint8Array;
}

/** Functions at addresses: from jitdumps and perf-PID.map, and from programs that were added. */
export class Symbols implements Held {
  free(): void;
  /** Files that could not be used, and why. */
  readonly problems: string[];
}

export class Evname {
  readonly version: string;
  /** Bytes of the module's memory, which grows and never shrinks. */
  readonly memory: number;
  readonly ended: string | null;
  /** The tables that are apart from the module, with their sizes in memory: of architectures ("x86", "arm64", …), "libpfm4", and
   * "capstone", which decodes instructions. */
  readonly tables: { name: string; bytes: number; loaded: boolean }[];
  /** Loads tables. Node and workers load those that a call needs by themselves; elsewhere the call throws an error with `tables`. */
  loadTables(names?: 'all' | string | string[]): Promise<void>;
  /** Calls `work`, and again after tables that it needed have been loaded. */
  withTables<T>(work: (evname: Evname) => T | Promise<T>): Promise<T>;
  models(): { arch: string; name: string; events: number }[];
  /** A CPU by CPUID string, model, short name or code name. */
  machine(cpu: string, options?: { sysfs?: string; events?: string }): Machine;
  /** Opens a perf.data: in Node also by its path. Fails only if nothing at all can be read; see Recording.warnings. */
  open(file: string | Content, options?: { name?: string }): Recording;
  /** Makes a file readable under a path, and returns the path. */
  add(path: string, content: Content): string;
  remove(path: string): void;
  /** Makes a file readable under every path that ends with its name. */
  addBeside(file: Content, options?: { name?: string }): void;
  removeBeside(name: string): void;
  symbols(options?: { symfs?: string; vmlinux?: string; kallsyms?: string; cache?: string; lines?: boolean; inlines?: boolean; demangle?: boolean }): Symbols;
  report(recordings: Recording[], keys?: string, filter?: Filter): ReportRow[];
  export(recordings: Recording[], format: ProfileFormat, options?: ProfileOptions): Uint8Array;
  page(recordings: Recording[], options?: { symbols?: Symbols; filter?: Filter }): Uint8Array;
}

/** Loads the module, by default from beside this file, with the tables that are named. In Node, paths lead to files, which are only
 * read; `fs: false`: to none. `tablesAt`: the folder of the tables, by default tables/ beside this file. */
export function load(options?: { module?: WebAssembly.Module | BufferSource | null; fs?: unknown; tables?: 'all' | string | string[]; tablesAt?: string | URL | null }): Promise<Evname>;
