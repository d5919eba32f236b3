// Runs the parts of a page that compute, without a browser, and prints what they make of its data as JSON.
// Arguments: the folder of the page's sources, then the page; or the words "names", "sorted" or "seconds",
// then texts, one an argument; or "link", a page and an address.
"use strict";
const fs = require("fs"), path = require("path"), vm = require("vm");

const [, , folder, what, ...names] = process.argv;
const parts = ["data.js", "query.js", "stacks.js", "names.js", "base.js", "links.js"].map(name => fs.readFileSync(path.join(folder, name), "utf8")).join("\n");
const page = vm.runInThisContext(`(() => { ${parts}
  return {unpack, functionsOf, stackFunctionsOf, hasTimedFunctions, functionTime, linesOf, instructionsOf, sumsOf, binsOf, stackTime, stacksOf, callersOf, calleesOf, invertedOf, shortName, accessesBy, contentionOf, valuesOf, compare, seconds,
    linked(data, address) { globalThis.location = {hash: address}; model = {...unpack(data), usual: {event: 0, other: null}}; readAddress(); return {address: addressOf(), state, duration: model.files[0].duration, all: model.all, command: commandOf(model.series[0]), samples: sumsBy(model.series[0]).samples}; }}; })()`);
const dataOf = file => JSON.parse(/id="data">(.*?)<\/script>/s.exec(fs.readFileSync(file, "utf8"))[1]);

const clock = ns => { const text = ns.toString().padStart(10, "0"); return text.slice(0, -9) + "." + text.slice(-9); };

// The whole, the second quarter of the time, the last two thirds of a thread, one CPU.
function selectionsOf(file) {
  const at = part => Math.floor(file.bins * part), out = [{}];
  if (file.bins > 3) out.push({bins: [at(0.25), at(0.5)]});
  if (file.threads.length > 1) out.push({bins: file.bins > 3 ? [at(0.33), file.bins] : undefined, thread: file.threads[1]});
  const cpu = file.tracks.find(track => track.cpu >= 0)?.cpu;
  if (cpu !== undefined) out.push({cpu});
  return out;
}

// What a selection makes of an event: {functions: {name: [self, all, period of self, period of all]}, lines, samples}; and
// whether the sums of the trees around the largest function agree with it.
function resultsOf(model, one, selection) {
  const [samples, periods] = [0, 1].map(value => page.stackFunctionsOf(one, selection, value)), functions = {};
  for (const [name, row] of samples) functions[name < 0 ? "" : model.texts[name]] = [row.self, row.all, periods.get(name).self, periods.get(name).all];
  const lines = {};
  for (const line of page.linesOf(one, selection, 0)) lines[model.texts[line.line]] = (lines[model.texts[line.line]] ?? 0) + line.self;
  const sums = page.sumsOf(one, selection), forest = page.stacksOf([one], selection, 0);
  const largest = [...samples.values()].filter(row => row.frame).sort((a, b) => b.all - a.all)[0];
  const hidden = one.file.cut > 0 || !largest ? null
    : [page.callersOf(forest, largest.name).total[0][0], page.calleesOf(forest, largest.name).total[0][0], largest.all];
  return {functions, lines, samples: sums.samples, period: sums.period, tree: forest.total[0][0], inverted: page.invertedOf(forest).total[0][0], around: hidden};
}

// Samples of an event by function and address ("": outside of its instructions); null: the page has them for longer times only.
function instructionsOf(model, one, selection) {
  const {instructions} = one.file, functions = {};
  if (!instructions || instructions.width > one.file.stack_width) return null;
  for (const func of instructions.functions) {
    const {rows, sum} = page.instructionsOf(one, func, selection, 0), of = functions[[func.name, func.dso].map(text => model.texts[text]).join(" in ")] ??= {};
    for (const [row, samples] of rows) of[row < 0 ? "" : func.rows[row].address] = samples;
    if ([...rows.values()].reduce((all, samples) => all + samples, 0) !== sum) throw new Error(`the rows of ${model.texts[func.name]} are not its samples`);
  }
  return {functions, more: instructions.more};
}

// Memory accesses by level and latency, and by cache line; null: the event has none.
function memoryOf(one, {time, threads, cpus}) {
  if (!one.file.memory || threads || cpus) return null;
  const by = key => Object.fromEntries(page.accessesBy(one, time, key).map(row => [row.value, [row.samples, row.cost, row.weight, row.weighted]]));
  const lines = page.contentionOf(one, time).map(row => [row.line.place, [row.samples, row.localHitm, row.remoteHitm, row.localPeer, row.remotePeer, row.loads, row.stores]]);
  return {by: Object.fromEntries(["op", "mem", "snoop", "tlb", "locked", "blocked", "latency"].map(key => [key, by(key)])), lines: Object.fromEntries(lines)};
}

// Of each metric its values for functions and the nodes of the top-down tree, with the fewest samples of its events.
function metricsOf(series, selection) {
  const {metrics} = series[0].file;
  if (!metrics) return null;
  const [samples, periods] = [0, 1].map(value => series.map(one => page.functionsOf(one, selection, value))), out = {};
  const names = new Set(samples.flatMap(of => [...of.keys()])), self = (of, place, name) => of[place].get(name)?.self ?? 0;
  for (const metric of metrics.list) out[metric.name] = {};
  for (const name of names) {
    const values = page.valuesOf(metrics, place => self(periods, place, name));
    for (const metric of metrics.list)
      out[metric.name][series[0].file.texts[name]] = [values(metric.value), Math.min(...metric.events.map(place => self(samples, place, name)))];
  }
  return {values: out, tree: (metrics.tree ?? []).map(node => [metrics.list[node.metric].name, node.level])};
}

// The functions that a page has for times that are shorter than the times of stacks; null: none.
function timedOf(model, file) {
  const selection = {time: [0.3, 0.4].map(part => file.start + Math.floor(file.bins * part) * file.width), threads: null, cpus: null};
  if (!page.hasTimedFunctions(file, selection)) return null;
  const [from, to] = page.functionTime(file, selection).map(ns => file.first + BigInt(ns - file.start)), functions = {};
  for (const [name, row] of page.functionsOf(model.series.find(one => one.file === file), selection, 0)) functions[name < 0 ? "" : model.texts[name]] = [row.self, row.all];
  return {words: ["--time", `${clock(from)},${clock(to - 1n)}`], functions};
}

// What a page makes of an address.
function linkOf(file, address) {
  const {address: again, state, command, samples, duration, all} = page.linked(dataOf(file), address), list = set => set && [...set];
  return {address: again, view: state.view, command, samples, duration, all, time: state.time, threads: list(state.threads), cpus: list(state.cpus), metrics: list(state.metrics)};
}

function main() {
  if (what === "names") return names.map(name => [page.shortName(name), page.shortName(name, true)]);
  if (what === "sorted") return names.sort(page.compare);
  if (what === "seconds") return names.map(ns => page.seconds(+ns));
  if (what === "link") return linkOf(...names);
  const model = page.unpack(dataOf(what));
  return model.files.map(file => ({
    bins: file.bins, width: file.width, stackWidth: file.stack_width, cut: file.cut, timed: timedOf(model, file),
    selections: selectionsOf(file).map(({bins, thread, cpu}) => {
      const time = page.stackTime(file, bins ? bins.map(bin => file.start + bin * file.width) : null), words = [], at = ns => file.first + BigInt(ns - file.start);
      if (time) words.push("--time", `${clock(at(time[0]))},${clock(at(time[1]) - 1n)}`);
      if (thread) words.push("--comm", thread.comm, "--tid", String(thread.tid));
      if (cpu !== undefined) words.push("--cpu", String(cpu));
      const selection = {time, threads: thread ? new Set([thread.label]) : null, cpus: cpu === undefined ? null : new Set([cpu])};
      return {words, metrics: metricsOf(model.series.filter(one => one.file === file), selection), events: model.series.filter(one => one.file === file).map(one => ({name: one.name, memory: memoryOf(one, selection), instructions: instructionsOf(model, one, selection), ...resultsOf(model, one, selection)}))};
    }),
  }));
}
console.log(JSON.stringify(main()));
