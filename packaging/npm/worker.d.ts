/** evname in a Web Worker: pages stay alive, and a File is read piece by piece. */
import type { AnnotateOptions, Content, Filter, ProfileFormat, RecordedEvent, ReportRow } from './index.js';

export interface Beside {
  /** Programs, jitdumps, perf-PID.map, vmlinux and kallsyms, found by their names. */
  beside?: File[];
  filter?: Filter;
}

export interface Worked {
  /** The page of `evname report --html`. `warnings` are about the recordings, `problems` about files without symbols. */
  page(files: Content[], options?: Beside): Promise<{ page: Uint8Array; warnings: string[]; problems: string[] }>;
  export(files: Content[], format: ProfileFormat, options?: Beside & { gzip?: boolean }): Promise<Uint8Array>;
  report(files: Content[], keys?: string, options?: { filter?: Filter }): Promise<ReportRow[]>;
  annotate(file: Content, options?: AnnotateOptions): Promise<string>;
  events(file: Content): Promise<RecordedEvent[]>;
  machine(cpu: string, method: 'resolve' | 'name' | 'names' | 'exactName' | 'list' | 'show' | 'metrics' | 'schedule', ...args: unknown[]): Promise<unknown>;
  end(): void;
}

/** Starts a worker. */
export function start(options?: { module?: WebAssembly.Module | BufferSource | null; worker?: Worker | null; tables?: 'all' | string | string[]; tablesAt?: string | URL | null }): Promise<Worked>;
