// What the page is given, unpacked, and how numbers are written.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const make = (tag, text, more) => Object.assign(document.createElement(tag), {textContent: text ?? "", ...more});

const count = n => n.toLocaleString("en").replaceAll(",", "\u2009");
const seconds = t => t.toFixed(6);
const moment = ns => ns === null ? "-" : seconds(Math.floor(ns / 1000) / 1e6);  // cut off, as perf does
const percent = share => (share * 100).toFixed(1) + "\u00a0%";
const points = share => (share < 0 ? "\u2212" : "+") + Math.abs(share * 100).toFixed(1) + "\u00a0%";
const color = name => getComputedStyle(document.body).getPropertyValue(name);
const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;

const several = data.files.length > 1;
const shortName = path => path.slice(path.lastIndexOf("/") + 1);

// Recordings whose times do not overlap have clocks of their own, or nothing to do with each other: then each
// starts at 0.
const spans = data.files.filter(f => f.first !== null).map(f => [f.first, f.first + f.width * f.used]);
const overlap = spans.every(([from], i) => spans.every(([, to], j) => i === j || from <= to));
const origin = file => overlap ? 0 : file.first ?? 0;

// A cell: where it begins and ends in seconds of the page, samples, periods, lost.
function cellsOf(file, flat) {
  const cells = [];
  for (let i = 0, bin = 0; i < flat.length; i += 4) {
    bin += flat[i];
    const from = file.first - origin(file) + bin * file.width;
    cells.push({from: from / 1e9, to: (from + file.width) / 1e9, samples: flat[i + 1], period: flat[i + 2], lost: flat[i + 3]});
  }
  return cells;
}

// One series: an event in a file.
const series = [];
data.files.forEach((file, number) => {
  const own = file.events.map((event, place) => ({...event, file, number, place, index: 0, lanes: [[], [], []],
    label: several ? `${event.name} (${number + 1}: ${shortName(file.facts.file)})` : event.name}));
  for (const lane of file.lanes) {
    const name = lane.folded ? `${lane.folded} others` : lane.name;
    own[lane.event].lanes[lane.of].push({...lane, name, cells: cellsOf(file, lane.cells)});
  }
  series.push(...own);
});
series.forEach((one, i) => { one.index = i; });

const timed = data.files.filter(file => file.first !== null && file.used > 0);
const whole = timed.length === 0 ? [0, 1]
  : [Math.min(...timed.map(f => (f.first - origin(f)) / 1e9)),
     Math.max(...timed.map(f => (f.first - origin(f) + f.used * f.width) / 1e9))];
const step = timed.length === 0 ? 1 : Math.max(...timed.map(f => f.width)) / 1e9;

// What is chosen: one event, a part of the time, and what is shown of it.
const state = {event: series.reduce((most, one) => one.samples > series[most].samples ? one.index : most, 0),
  pick: [...whole], view: [...whole]};
const isWhole = () => state.pick[0] <= whole[0] && state.pick[1] >= whole[1];

// Sums over the cells that a time range touches; times are those of the cells then.
function sumOf(lane, file) {
  const sum = {samples: 0, period: 0, lost: 0, first: null, last: null};
  const slack = file.width / 1e9 / 2;
  for (const cell of lane?.cells ?? []) {
    if (cell.from + slack < state.pick[0] || cell.to - slack > state.pick[1]) continue;
    sum.samples += cell.samples; sum.period += cell.period; sum.lost += cell.lost;
    if (cell.samples === 0) continue;
    sum.first ??= Math.max(cell.from * 1e9 + origin(file), lane.first ?? 0);
    sum.last = Math.min(cell.to * 1e9 + origin(file), lane.last ?? Infinity);
  }
  return sum;
}

const tip = $("tip");
function showTip(event, text) {
  tip.textContent = text; tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + "px";
  tip.style.top = (event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 18) + "px";
}
const hideTip = () => { tip.hidden = true; };

// A canvas in device pixels, drawn in those of CSS.
function painter(canvas, height) {
  const scale = devicePixelRatio || 1, width = Math.max(1, canvas.clientWidth);
  canvas.width = Math.round(width * scale); canvas.height = Math.round(height * scale);
  const paint = canvas.getContext("2d");
  paint.scale(scale, scale);
  return [paint, width];
}
