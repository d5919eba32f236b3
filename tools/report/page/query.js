// Sums of the samples of a selection. A selection is {time: null or [from, to) in ns of the page, threads, cpus:
// null or sets}; threads are "comm tid", so that they are the same in several recordings.

// The first bin of the time, and the bin after the last one. Samples without a time are in bin 0 and always count.
function binsOf(file, time) {
  if (!time) return [0, Infinity];
  const bin = t => Math.round((t - file.start) / file.width) + 1;
  return [bin(time[0]), bin(time[1])];
}
// The same of cells and hidden functions: all bins that a time meets.
function stackBinsOf(file, time, width = file.stack_width) {
  if (!time || width === file.width) return binsOf(file, time);
  const [from, to] = time.map(t => (t - file.start) / width);
  return [Math.floor(from + 1e-9) + 1, Math.ceil(to - 1e-9) + 1];
}
// The time of the stacks of a selection.
function stackTime(file, time, width = file.stack_width) {
  if (!time || width <= file.width) return time;
  return stackBinsOf(file, time, width).map(bin => Math.max(0, file.start + (bin - 1) * width));
}
// The busiest functions have narrower bins than stacks, if no thread or CPU is selected.
const hasTimedFunctions = (file, {time, threads, cpus}) => Boolean(file.functions && time && !threads && !cpus);
// The time of the functions of a selection.
const functionTime = (file, selection) => stackTime(file, selection.time, hasTimedFunctions(file, selection) ? file.function_width : file.stack_width);

// For each track of a file, whether it is selected.
function selectedTracks(file, event, {threads, cpus}) {
  return Uint8Array.from(file.tracks, track => track.event === event
    && (!threads || threads.has(threadName(file, track.thread))) && (!cpus || cpus.has(track.cpu)) ? 1 : 0);
}
const threadName = (file, thread) => thread >= 0 ? file.threads[thread].label : thread === kOthers ? `${file.folded_threads} others` : "(unknown)";

function eachItem(items, wanted, [from, to], use) {
  const {track, bin} = items;
  for (let i = 0; i < track.length; ++i)
    if (wanted[track[i]] && (bin[i] === 0 || (bin[i] >= from && bin[i] < to))) use(i);
}

// The samples (or periods) of each node itself.
function ownOf(one, selection, value) {
  const {cells, nodes} = one.file, own = new Float64Array(nodes.size), amount = value ? cells.period : cells.samples;
  eachItem(cells, selectedTracks(one.file, one.place, selection), stackBinsOf(one.file, selection.time), i => { own[cells.node[i]] += amount[i]; });
  return own;
}
function totalOf(nodes, own) {
  const total = Float64Array.from(own);
  for (let i = nodes.size; --i > 0;) total[nodes.parent[i]] += total[i];
  return total;
}

// Samples and periods of an event by thread, by CPU, and in total.
function sumsOf(one, selection) {
  const {counts: cells, tracks} = one.file, sum = () => ({samples: 0, period: 0, first: Infinity, last: 0});
  const all = sum(), threads = new Map(), cpus = new Map();
  const of = (map, key) => map.get(key) ?? map.set(key, sum()).get(key);
  const sides = tracks.map(track => track.event === one.place ? [all, of(threads, track.thread), of(cpus, track.cpu)] : []);
  eachItem(cells, selectedTracks(one.file, one.place, selection), binsOf(one.file, selection.time), i => {
    for (const side of sides[cells.track[i]]) {
      side.samples += cells.samples[i]; side.period += cells.period[i];
      if (cells.bin[i] > 0) { side.first = Math.min(side.first, cells.bin[i]); side.last = Math.max(side.last, cells.bin[i]); }
    }
  });
  const [from, to] = binsOf(one.file, selection.time);
  for (const field of ["lost", "throttled"])
    all[field] = one.file.losses.reduce((n, loss) => loss.event === one.place && loss.bin >= from && loss.bin < to ? n + loss[field] : n, 0);
  return {...all, threads, cpus};
}

// The nodes whose function is not among their callers: their samples, with the nodes below, count once for the function.
function outermost(file) {
  if (file.outermost) return file.outermost;
  const {nodes, frames} = file, out = new Uint8Array(nodes.size), open = new Map(), path = [];
  for (let i = 0; i < nodes.size; ++i) {
    while (path.length > nodes.depth[i]) {
      const frame = frames[nodes.frame[path.pop()]];
      if (frame.kind === kKinds.function) open.set(frame.name, open.get(frame.name) - 1);
    }
    path.push(i);
    const frame = frames[nodes.frame[i]];
    if (frame.kind !== kKinds.function) continue;
    const inside = open.get(frame.name) ?? 0;
    out[i] = inside === 0 ? 1 : 0;
    open.set(frame.name, inside + 1);
  }
  return file.outermost = out;
}

// The function of the samples of a node; a line belongs to the function above it. -1: none, as in cut stacks.
function functionOf(file, node) {
  let frame = file.frames[file.nodes.frame[node]];
  if (frame.kind === kKinds.line) frame = file.frames[file.nodes.frame[file.nodes.parent[node]]];
  return frame.kind === kKinds.function ? frame.name : -1;
}

// Functions by name: {self, all}, of functionTime(). -1: functions without a row.
function functionsOf(one, selection, value) {
  const {file} = one, {functions, frames} = file, rows = new Map();
  if (!hasTimedFunctions(file, selection)) return stackFunctionsOf(one, selection, value);
  file.frameOf ??= new Map(frames.filter(frame => frame.kind === kKinds.function).map(frame => [frame.name, frame]));
  const [self, all] = value ? [functions.period, functions.allPeriod] : [functions.samples, functions.allSamples];
  let rest = sumsOf(one, {...selection, time: functionTime(file, selection)})[value ? "period" : "samples"];
  eachItem(functions, selectedTracks(file, one.place, selection), stackBinsOf(file, selection.time, file.function_width), i => {
    const name = functions.name[i], row = rows.get(name) ?? {name, frame: file.frameOf.get(name) ?? null, self: 0, all: 0};
    rows.set(name, row);
    row.self += self[i]; row.all += all[i]; rest -= self[i];
  });
  return rest > 0 ? rows.set(-1, {name: -1, frame: null, self: rest, all: 0}) : rows;
}
// The same of stackTime(), from all samples, also with cut stacks.
function stackFunctionsOf(one, selection, value) {
  const {file} = one, {nodes, frames, hidden} = file, own = ownOf(one, selection, value), total = totalOf(nodes, own), outer = outermost(file);
  const rows = new Map(), of = name => rows.get(name) ?? rows.set(name, {name, frame: null, self: 0, all: 0}).get(name);
  for (let i = 1; i < nodes.size; ++i) {
    if (own[i] > 0) { const name = functionOf(file, i); if (name >= 0) of(name).self += own[i]; }
    if (!outer[i] || total[i] === 0) continue;
    const frame = frames[nodes.frame[i]], row = of(frame.name);
    row.all += total[i];
    row.frame ??= frame;
  }
  const [self, all] = value ? [hidden.period, hidden.allPeriod] : [hidden.samples, hidden.allSamples];
  eachItem(hidden, selectedTracks(file, one.place, selection), stackBinsOf(file, selection.time), i => {
    const row = of(hidden.name[i]);
    row.self += self[i]; row.all += all[i];
  });
  return rows;
}

// Source lines by frame, with their samples and their function.
function linesOf(one, selection, value) {
  const {nodes, frames} = one.file, own = ownOf(one, selection, value), rows = new Map();
  for (let i = 1; i < nodes.size; ++i) {
    const frame = frames[nodes.frame[i]];
    if (own[i] === 0 || frame.kind !== kKinds.line) continue;
    const name = functionOf(one.file, i), key = frame.name * 2 ** 26 + name, row = rows.get(key) ?? {line: frame.name, name, self: 0};
    row.self += own[i];
    rows.set(key, row);
  }
  return [...rows.values()];
}

// The samples (or periods) of a function by row, and their sum; row -1: outside of the instructions.
function instructionsOf(one, func, selection, value) {
  const amount = value ? func.cells.period : func.cells.samples, rows = new Map();
  let sum = 0;
  eachItem(func.cells, selectedTracks(one.file, one.place, selection), stackBinsOf(one.file, selection.time, one.file.instructions.width), i => {
    const row = func.cells.row[i];
    rows.set(row, (rows.get(row) ?? 0) + amount[i]);
    sum += amount[i];
  });
  return {rows, sum};
}
// The same function in another recording, of the same file.
const sameFunction = (file, func) => file.instructions?.functions.find(other => other.name === func.name && other.dso === func.dso && other.build_id === func.build_id && other.start === func.start) ?? null;

// Calls use(i) for each memory access of an event in a part of the time, rounded to whole bins; returns that part.
function eachAccess(one, time, use) {
  const {memory, start} = one.file, {event, bin} = memory.cells, {width} = memory;
  const from = time ? Math.floor((time[0] - start) / width) + 1 : 0, to = time ? Math.ceil((time[1] - start) / width) + 1 : Infinity;
  for (let i = 0; i < bin.length; ++i)
    if (event[i] === one.place && (bin[i] === 0 || (bin[i] >= from && bin[i] < to))) use(i);
  return time && [start + (from - 1) * width, start + (to - 1) * width];
}

// Memory accesses by a part of the data source: {samples, weight, cost}. A sample without a weight costs 1, as in perf mem report.
function accessesBy(one, time, key) {
  const {cells, sources} = one.file.memory, rows = new Map();
  eachAccess(one, time, i => {
    const value = key === "latency" ? cells.latency[i] : sources[cells.source[i]][key];
    const row = rows.get(value) ?? rows.set(value, {value, samples: 0, weighted: 0, weight: 0, cost: 0}).get(value);
    row.samples += cells.samples[i]; row.weight += cells.weight[i];
    if (cells.latency[i] > 0) row.weighted += cells.samples[i];
    row.cost += cells.latency[i] > 0 ? cells.weight[i] : cells.samples[i];
  });
  return [...rows.values()];
}

// Cache lines with the answers of caches.
function contentionOf(one, time) {
  const {cells, sources, lines} = one.file.memory;
  const rows = lines.map(line => ({line, samples: 0, weight: 0, weighted: 0, ...Object.fromEntries(kLineCounts.map(name => [name, 0]))}));
  eachAccess(one, time, i => {
    const row = rows[cells.line[i]], source = sources[cells.source[i]];
    if (!row) return;
    row.samples += cells.samples[i]; row.weight += cells.weight[i];
    if (cells.latency[i] > 0) row.weighted += cells.samples[i];
    for (const name of kLineCounts) row[name] += source[name] * cells.samples[i];
  });
  return rows.filter(row => row.samples > 0);
}

// Metrics are steps in postfix order: numbers, eN for the count of event N, rN for the result of step N, and operators.
// A finite side of | and & may decide alone. NaN: there is no value.
const both = (x, y, value) => isNaN(x) || isNaN(y) ? NaN : value;
const kOperators = {
  "|": [2, (x, y) => (isFinite(x) && x !== 0) || (isFinite(y) && y !== 0) ? 1 : !isFinite(x) ? isFinite(y) ? x : NaN : isFinite(y) ? 0 : y],
  "&": [2, (x, y) => (isFinite(x) && x === 0) || (isFinite(y) && y === 0) ? 0 : !isFinite(x) ? isFinite(y) ? x : NaN : isFinite(y) ? 1 : y],
  "^": [2, (x, y) => isFinite(x) && isFinite(y) ? +((x === 0) !== (y === 0)) : NaN],
  "<": [2, (x, y) => both(x, y, +(x < y))], ">": [2, (x, y) => both(x, y, +(x > y))],
  "+": [2, (x, y) => x + y], "-": [2, (x, y) => x - y], "*": [2, (x, y) => x * y], "/": [2, (x, y) => y === 0 ? NaN : x / y],
  "%": [2, (x, y) => Math.trunc(x) % Math.trunc(y)], min: [2, (x, y) => x < y ? x : y], max: [2, (x, y) => x > y ? x : y],
  d_ratio: [2, (x, y) => y === 0 ? 0 : x / y], neg: [1, x => -x], if: [3, (yes, condition, no) => condition !== 0 ? yes : no],
};

// Returns a function that computes a step for the counts of events, or null if it has no value.
function valuesOf(metrics, countOf) {
  const known = new Map();
  metrics.words ??= metrics.steps.map(step => step.split(" "));
  const result = step => {
    if (!known.has(step)) {
      const stack = [];
      for (const word of metrics.words[step]) {
        const operator = kOperators[word];
        if (operator) stack.push(operator[1](...stack.splice(-operator[0])));
        else stack.push(word[0] === "e" ? countOf(+word.slice(1)) : word[0] === "r" ? result(+word.slice(1)) : Number(word));
      }
      known.set(step, stack[0]);
    }
    return known.get(step);
  };
  return step => Number.isFinite(result(step)) ? result(step) : null;
}
