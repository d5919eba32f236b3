// Unpacks the data of the page. This file does not depend on the page: a viewer may pass its own data.

const kKinds = {thread: 0, function: 1, line: 2, cut: 3};
const kNobody = -1, kOthers = -2;  // no thread or CPU was sampled; the other threads, which share a track

// Numbers as letters: five bits in each, the lowest first; the sixth bit says that more follow.
const kLetters = new Uint8Array(128);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"].forEach((letter, i) => { kLetters[letter.charCodeAt(0)] = i; });

class Numbers {
  constructor(text) { this.text = text; this.at = 0; }
  get more() { return this.at < this.text.length; }
  next() {
    let number = 0, place = 1;
    for (;;) {
      const part = kLetters[this.text.charCodeAt(this.at++)];
      number += (part & 31) * place;
      if (part < 32) return number;
      place *= 32;
    }
  }
  // The same of a number that may be too large for a Number.
  nextBig() {
    for (let number = 0n, place = 0n; ; place += 5n) {
      const part = kLetters[this.text.charCodeAt(this.at++)];
      number += BigInt(part & 31) << place;
      if (part < 32) return number;
    }
  }
}

// Each text is stored as its difference from the previous one.
function unpackTexts(data) {
  const common = new Numbers(data.common);
  let before = "";
  return data.texts.map(rest => before = before.slice(0, common.next()) + rest);
}

function unpackFrames(packed) {
  const from = new Numbers(packed), frames = [];
  while (from.more) frames.push({kind: from.next(), name: from.next() - 1, dso: from.next() - 1, source: from.next() - 1});
  return frames;
}

// The nodes below a node follow it; `end` is the first node that is not below it.
function unpackNodes(packed) {
  const from = new Numbers(packed), parent = [0], frame = [from.next()], depth = [0], open = [0];
  while (from.more) {
    const node = parent.length;
    open.length -= from.next();
    parent.push(open[open.length - 1]);
    frame.push(from.next());
    depth.push(open.length);
    open.push(node);
  }
  return finishNodes(parent, frame, depth);
}
function finishNodes(parent, frame, depth) {
  const size = parent.length, end = new Uint32Array(size).fill(1);
  for (let i = size; --i > 0;) end[parent[i]] += end[i];
  for (let i = 0; i < size; ++i) end[i] += i;
  return {size, parent: Uint32Array.from(parent), frame: Uint32Array.from(frame), depth: Uint16Array.from(depth), end};
}

// For each track the number of its items, then the items.
function unpackItems(packed, tracks, each, fields, read) {
  const from = new Numbers(packed), out = {track: []};
  for (const field of fields) out[field] = [];
  tracks.forEach((track, number) => {
    const before = {};
    for (let left = from.next(); left > 0; --left) {
      read(from, out, before, each[track.event]);
      out.track.push(number);
    }
  });
  return out;
}
function unpackCells(from, out, before, each) {
  const step = from.next(), node = (before.node ?? 0) + step;
  if (step > 0) before.bin = 0;
  const flagged = from.next(), bin = (before.bin ?? 0) + (flagged - flagged % 2) / 2, samples = flagged % 2 ? from.next() : 1;
  out.node.push(node); out.bin.push(bin); out.samples.push(samples);
  out.period.push(each === null ? from.next() : each * samples);
  Object.assign(before, {node, bin});
}
function unpackHidden(from, out, before, each) {
  const step = from.next(), name = (before.name ?? 0) + step;
  if (step > 0) before.bin = 0;
  const bin = (before.bin ?? 0) + from.next(), samples = from.next(), all = from.next();
  out.name.push(name - 1); out.bin.push(bin); out.samples.push(samples); out.allSamples.push(all);
  out.period.push(each === null ? from.next() : each * samples);
  out.allPeriod.push(each === null ? from.next() : each * all);
  Object.assign(before, {name, bin});
}

function unpackTracks(packed) {
  const from = new Numbers(packed), tracks = [];
  const which = number => number === 0 ? kNobody : number === 1 ? kOthers : number - 2;
  while (from.more) tracks.push({event: from.next(), thread: which(from.next()), cpu: which(from.next())});
  return tracks;
}

// Similar memory accesses: with the same event, bin (these bins have their own width), cache line (-1: others), data source
// and number of bits of the latency.
const kAccessFields = ["event", "bin", "line", "source", "latency", "samples", "weight"];
const kLineCounts = ["loads", "stores", "localHitm", "remoteHitm", "localPeer", "remotePeer"];
const countsOf = list => Object.fromEntries(kLineCounts.map((name, i) => [name, list[i]]));
function unpackMemory(memory) {
  if (!memory) return null;
  const from = new Numbers(memory.cells), lists = kAccessFields.map(() => []);
  let event = 0, bin = 0, bins = 0;
  while (from.more) {
    const step = from.next();
    if (step > 0) bin = 0;
    event += step; bin += from.next(); bins = Math.max(bins, bin);
    [event, bin, from.next() - 1, from.next(), from.next(), from.next(), from.next()].forEach((value, i) => lists[i].push(value));
  }
  const sources = memory.sources.map(([op, mem, snoop, tlb, locked, blocked, ...counts]) => ({op, mem, snoop, tlb, locked, blocked, ...countsOf(counts)}));
  const lines = memory.lines.map((line, index) => ({...line, index, counts: countsOf(line.counts),
    accesses: line.accesses.map(([offset, comm, tid, sym, place, ...counts]) => ({offset, comm, tid, sym, place, ...countsOf(counts)}))}));
  return {...memory, sources, lines, bins, cells: Object.fromEntries(kAccessFields.map((field, i) => [field, Float64Array.from(lists[i])]))};
}

// Branches with the same ends, the numbers of all branches by event, and what follows the last branch of a loop: it goes
// round again, or is left.
const kBranchFields = ["event", "fromAddress", "fromLine", "toAddress", "toLine", "count", "predicted", "mispredicted", "inTransaction", "aborted", "timed", "cycles", "least", "taken", "again", "left",
  "turnTimed", "turnCycles"];
function unpackBranches(branches) {
  if (!branches) return null;
  return {...branches, events: new Map(branches.events), rows: branches.rows.map(row => Object.fromEntries(kBranchFields.map((field, i) => [field, row[i]])))};
}

// The code of functions: rows are instructions, whose targets are rows, too; a place or inlined calls that are as in the
// row before are 0, unknown ones 1. Cells are samples of a track by row and bin; row -1: outside of the instructions.
const kRunFields = ["executed", "predicted", "mispredicted", "timed", "cycles", "ipc"];  // of branch stacks; hundredths of instructions per cycle
function unpackInstructions(instructions, tracks, each) {
  if (!instructions) return null;
  const functions = instructions.functions.map((one, number) => {
    const from = new Numbers(one.rows), items = new Numbers(one.cells), runs = new Numbers(one.runs ?? ""), rows = [], cells = {track: [], row: [], bin: [], samples: [], period: []};
    let address = BigInt("0x" + one.start), place = -1, inlined = -1;
    const textAfter = before => { const number = from.next(); return number === 0 ? before : number - 2; };
    for (const text of one.text) {
      address += from.nextBig();
      const folded = from.next(), target = from.next() - 1;
      place = textAfter(place); inlined = textAfter(inlined);
      const run = runs.more ? Object.fromEntries(kRunFields.map(field => [field, runs.next()])) : null;
      rows.push({address: address.toString(16), folded, target, place, inlined, text, run});
    }
    for (let track = 0, row = 0, bin = 0; items.more;) {
      const step = items.next();
      if (step > 0) row = bin = 0;
      track += step;
      const down = items.next();
      if (down > 0) bin = 0;
      row += down; bin += items.next();
      const samples = items.next(), period = each[tracks[track].event] === null ? items.next() : each[tracks[track].event] * samples;
      for (const [field, value] of Object.entries({track, row: row - 1, bin, samples, period})) cells[field].push(value);
    }
    return {...one, number, rows, cells};
  });
  return {...instructions, functions};
}

// Cells have stacks; counts are the same samples without stacks, in bins that are narrower in large recordings. Functions
// are then the busiest ones, in narrow bins, too, of all threads and CPUs.
function unpackFile(file, number, texts) {
  const tracks = unpackTracks(file.tracks), losses = [], from = new Numbers(file.losses);
  while (from.more) losses.push({event: from.next(), bin: from.next(), lost: from.next(), throttled: from.next(), switches: from.next()});
  const cells = unpackItems(file.cells, tracks, file.each, ["node", "bin", "samples", "period"], unpackCells);
  const narrow = file.counts ? unpackItems(file.counts, tracks, file.each, ["node", "bin", "samples", "period"], unpackCells) : cells;
  const [hidden, functions] = [file.hidden, file.functions].map(packed => packed ? unpackItems(packed, tracks, file.each, ["name", "bin", "samples", "period", "allSamples", "allPeriod"], unpackHidden) : null);
  const lists = new Set([cells, narrow, hidden, functions ?? hidden]);
  for (const items of lists) for (const field of ["track", "bin", "node", "name"]) if (items[field]) items[field] = Int32Array.from(items[field]);
  for (const items of lists) for (const field of ["samples", "period", "allSamples", "allPeriod"]) if (items[field]) items[field] = Float64Array.from(items[field]);
  let bins = 0;
  for (const bin of narrow.bin) if (bin > bins) bins = bin;
  for (const loss of losses) if (loss.bin > bins) bins = loss.bin;
  const threads = file.threads.map(([comm, pid, tid]) => ({comm, pid, tid, label: `${comm} ${tid}`}));
  const first = BigInt(file.first), frames = unpackFrames(file.frames), nodes = unpackNodes(file.nodes);
  return {...file, memory: unpackMemory(file.memory), branches: unpackBranches(file.branches), instructions: unpackInstructions(file.instructions, tracks, file.each), number, texts, tracks, cells, counts: narrow, hidden, functions, losses, bins, threads, first, start: 0, stack_width: file.stack_width ?? file.width,
    duration: durationOf(file.events), frames, nodes, hasCallers: nodes.frame.some((at, node) => isCall(frames[at]) && isCall(frames[nodes.frame[nodes.parent[node]]]))};
}
const isCall = frame => frame.kind === kKinds.function || frame.kind === kKinds.cut;
// The time from the first sample to the last one, in ns; bins may end later.
function durationOf(events) {
  const times = events.filter(event => event.first !== null);
  return times.length ? Math.max(...times.map(event => event.last)) - Math.min(...times.map(event => event.first)) : 0;
}

// Returns the recordings, and the events of all of them as `series`. Times of the page are in ns. Recordings with
// one clock share its start; every other recording starts at 0.
function unpack(data) {
  const texts = unpackTexts(data), files = data.files.map((file, number) => unpackFile(file, number, texts));
  const timed = files.filter(file => file.bins > 0);
  const ends = timed.map(file => [file.first, file.first + BigInt(file.width) * BigInt(file.bins)]);
  const oneClock = ends.every(([from], i) => ends.every(([, to], j) => i === j || from <= to));
  const origin = ends.reduce((least, [from]) => from < least ? from : least, ends[0]?.[0] ?? 0n);
  if (oneClock) for (const file of timed) file.start = Number(file.first - origin);
  const series = [], several = files.length > 1;
  for (const file of files)
    file.events.forEach((event, place) => series.push({...event, file, place, index: series.length,
      label: several ? `${event.name} (${file.number + 1}: ${file.facts.file.slice(file.facts.file.lastIndexOf("/") + 1)})` : event.name}));
  const end = Math.max(0, ...timed.map(file => file.start + file.bins * file.width));
  const step = Math.max(1, ...timed.map(file => file.width));
  const all = durationOf(timed.flatMap(file => file.events));
  return {...data, texts, files, series, several, oneClock, end, step, all, timed: timed.length > 0};
}
