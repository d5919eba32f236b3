// The tree as a picture, its values over time, and the next nodes to look at.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = id => document.getElementById(id);
const make = (tag, text, more) => Object.assign(document.createElement(tag), {textContent: text ?? "", ...more});
const draw = (tag, attributes, text) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
};
const percent = value => value === null ? "-" : value.toFixed(1) + "\u00a0%";
const seconds = t => t.toFixed(3) + "\u00a0s";

for (const [key, value] of Object.entries(data.facts)) if (value) $("facts").append(make("dt", key), make("dd", value));

// The shown part: a tree at a place, an interval of it (null: all), a node (null: none).
const state = {place: 0, interval: null, node: null};
const place = () => data.places[state.place];
const nodes = () => data.trees[place().tree].nodes;
const values = () => state.interval === null ? place().whole.values : place().values[state.interval];
const flagged = () => new Set(state.interval === null ? place().whole.flagged : place().flagged[state.interval]);
const below = parent => nodes().map((node, i) => i).filter(i => nodes()[i].parent === parent);
const topOf = i => nodes()[i].parent === null ? i : topOf(nodes()[i].parent);

// Each node of level 1 has a hue, and each sibling a lightness.
const kHues = [212, 145, 28, 330, 265, 60];
function colorOf(i, strong) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const hue = kHues[below(null).indexOf(topOf(i)) % kHues.length], step = below(nodes()[i].parent).indexOf(i) % 4;
  return strong ? `hsl(${hue} 62% ${(dark ? 36 : 66) + step * 4}%)` : `hsl(${hue} ${dark ? 14 : 26}% ${(dark ? 24 : 88) + step * 2}%)`;
}

const tip = $("tip");
function showTip(event, text) {
  tip.textContent = text; tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8)) + "px";
  tip.style.top = (event.clientY + 18 + box.height > innerHeight ? event.clientY - box.height - 10 : event.clientY + 18) + "px";
}
const hideTip = () => { tip.hidden = true; };
const shareOf = i => percent(values()[i]) + (nodes()[i].of ? " of " + nodes()[i].of : "");

// The box of each node that has a value: children lie within their parent, and shrink if they overlap.
function boxes(width, height) {
  const out = [], column = width / Math.max(1, ...nodes().map((node, i) => values()[i] === null ? 0 : node.level));
  const add = (parent, y, room, full) => {
    const list = below(parent).filter(i => values()[i] > 0), sum = list.reduce((all, i) => all + values()[i], 0);
    const scale = room / Math.max(full, sum);
    for (const i of list) {
      const box = {i, x: (nodes()[i].level - 1) * column, y, width: column, height: values()[i] * scale};
      out.push(box);
      add(i, y, box.height, values()[i]);
      y += box.height;
    }
  };
  add(null, 0, height, 100);
  return out;
}

function fitted(text, width, strong) {
  const letters = Math.floor((width - 10) / (strong ? 8.1 : 6.9));
  return text.length <= letters ? text : letters < 4 ? "" : text.slice(0, letters - 1) + "…";
}

function drawTree() {
  const picture = $("picture"), width = picture.clientWidth, height = picture.clientHeight, strong = flagged();
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.replaceChildren();
  const all = boxes(width, height);
  for (const box of all) {
    const group = draw("g", {class: (strong.has(box.i) ? "flagged " : "") + (box.i === state.node ? "chosen" : "")});
    group.append(draw("rect", {x: box.x, y: box.y, width: box.width, height: Math.max(0.5, box.height), fill: colorOf(box.i, strong.has(box.i))}));
    const name = nodes()[box.i].name.replace(/^tma_/, "");
    if (box.height > 14)
      group.append(draw("text", {x: box.x + 5, y: box.y + Math.min(box.height / 2 + 4, 16)}, fitted(`${name} ${percent(values()[box.i])}`, box.width, strong.has(box.i))));
    group.onclick = () => { state.node = state.node === box.i ? null : box.i; show(); };
    group.onmousemove = event => showTip(event, `${nodes()[box.i].name}: ${shareOf(box.i)}\n${nodes()[box.i].desc}`);
    group.onmouseleave = hideTip;
    picture.append(group);
  }
  if (all.length === 0) picture.append(draw("text", {x: 16, y: 32}, values().some(value => value !== null) ? "All values are 0." : "No node has a value."));
  const top = below(null), sum = top.reduce((one, i) => one + values()[i], 0);
  $("sum").textContent = top.every(i => values()[i] !== null && nodes()[i].of === "slots") && Math.abs(sum - 100) > 1
    ? `Level 1 adds up to ${percent(sum)}, not to 100 %: its events were not counted at the same time, or something else used the counters.` : "";
}

const commands = node => node.event === undefined ? []
  : [make("pre", `evname record -e '${node.event}' -- ${data.command}\nperf record -e '${node.perf}' -- ${data.command}`)];

function showNode() {
  $("node").replaceChildren();
  if (state.node === null) return;
  const node = nodes()[state.node];
  $("node").append(make("p", `${node.name}: ${shareOf(state.node)}`), make("p", node.desc, {className: "soft"}));
  if (node.threshold) $("node").append(make("p", `Flagged if ${node.threshold}`, {className: "soft"}));
  $("node").append(...commands(node));
}

function showAdvice() {
  const strong = flagged(), now = values();
  const deepest = [...strong].filter(i => !below(i).some(child => strong.has(child))).sort((a, b) => now[b] - now[a]).slice(0, 5);
  $("advice").replaceChildren();
  for (const i of deepest) {
    const article = make("article");
    article.append(make("p", `${nodes()[i].name}: ${shareOf(i)}`), make("p", nodes()[i].desc, {className: "soft"}), ...commands(nodes()[i]));
    $("advice").append(article);
  }
  if (deepest.length === 0) $("advice").append(make("p", "No node is beyond its threshold.", {className: "soft"}));
}

function showTable() {
  const table = $("table"), now = values(), strong = flagged(), whole = place().whole;
  table.replaceChildren();
  const head = table.createTHead().insertRow();
  for (const [title, kind] of [["node", "left"], ["share", ""], ["of", "left"], ["", "left"], ["counted", ""], ["runs", ""], ["why there is no value", "left"]])
    head.append(make("th", title, {scope: "col", className: kind}));
  const body = table.createTBody();
  const add = parent => {
    for (const i of below(parent)) {
      const row = body.insertRow(), name = row.insertCell(), share = row.insertCell(), meter = make("span", "", {className: "meter"});
      const has = now[i] !== null;
      name.className = "left name";
      name.append(make("span", nodes()[i].name, {style: `padding-left: calc(${nodes()[i].level - 1} * var(--step))`, title: nodes()[i].desc}));
      meter.append(make("i", "", {style: `width: ${Math.min(100, Math.max(0, now[i] ?? 0))}%`}));
      share.append(percent(now[i]), meter);
      row.append(make("td", nodes()[i].of, {className: "left"}), make("td", strong.has(i) ? "flagged" : "", {className: "left flag"}),
        make("td", has ? percent(whole.running[i] * 100) : ""), make("td", has ? whole.runs[i] : ""), make("td", has ? "" : whole.why[i], {className: "left"}));
      add(i);
    }
  };
  add(null);
}

// Stacked areas: level 1, or the nodes below the chosen one.
function drawAreas() {
  const one = place();
  $("time").hidden = $("time-link").hidden = one.times.length === 0;
  $("legend").replaceChildren();
  if (one.times.length === 0) return;
  const svg = $("areas"), width = svg.clientWidth, height = svg.clientHeight - 18;
  svg.setAttribute("viewBox", `0 0 ${width} ${height + 18}`);
  svg.replaceChildren();
  const parent = state.node !== null && below(state.node).length > 0 ? state.node : null;
  const list = below(parent), begin = one.times[0] - one.lengths[0], end = one.times.at(-1);
  const x = t => (t - begin) / Math.max(end - begin, 1e-9) * width;
  const sums = one.values.map(row => list.reduce((sum, i) => sum + Math.max(0, row[i] ?? 0), 0));
  // A few wild intervals must not flatten the others.
  const usual = [...sums].sort((a, b) => a - b)[Math.floor(sums.length * 0.98)] ?? 0;
  const most = parent === null ? Math.max(100, usual) : Math.max(1, usual);
  $("below").textContent = (parent === null ? "level 1" : "below " + nodes()[parent].name) + `, up to ${percent(most)}`;
  const floors = one.times.map(() => height);
  for (const i of list) {
    const tops = floors.map((y, t) => Math.max(0, y - Math.max(0, one.values[t][i] ?? 0) / most * height)), up = [], down = [];
    one.times.forEach((time, t) => {
      up.push(`${x(time - one.lengths[t])},${tops[t]}`, `${x(time)},${tops[t]}`);
      down.push(`${x(time - one.lengths[t])},${floors[t]}`, `${x(time)},${floors[t]}`);
    });
    const area = draw("polygon", {points: [...up, ...down.reverse()].join(" "), fill: colorOf(i, true)});
    area.onmousemove = event => {
      const t = momentAt(event);
      showTip(event, `${seconds(one.times[t])}\n${nodes()[i].name}: ${percent(one.values[t][i])}`);
    };
    area.onmouseleave = hideTip;
    svg.append(area);
    tops.forEach((y, t) => { floors[t] = y; });
    const entry = make("span", nodes()[i].name);
    entry.prepend(make("i", "", {style: `background: ${colorOf(i, true)}`}));
    $("legend").append(entry);
  }
  for (let k = 0; k <= 4; ++k)
    svg.append(draw("text", {x: Math.min(width - 3, Math.max(3, k / 4 * width)), y: height + 14, "text-anchor": ["start", "middle", "middle", "middle", "end"][k]},
      seconds(begin + k / 4 * (end - begin))));
  if (state.interval === null) return;
  const from = x(one.times[state.interval] - one.lengths[state.interval]), to = x(one.times[state.interval]);
  svg.append(draw("rect", {x: from, y: 0, width: Math.max(2, to - from), height, fill: "none", stroke: "var(--ink)", "stroke-width": 2}));
}
function momentAt(event) {
  const one = place(), box = $("areas").getBoundingClientRect(), begin = one.times[0] - one.lengths[0];
  const t = begin + (event.clientX - box.left) / box.width * (one.times.at(-1) - begin), at = one.times.findIndex(time => time >= t);
  return at < 0 ? one.times.length - 1 : at;
}

function show() {
  $("what").textContent = state.interval !== null ? `of the interval up to ${seconds(place().times[state.interval])}`
    : place().times.length > 0 ? `of ${place().times.length} intervals` : "";
  $("whole").hidden = state.interval === null;
  drawTree(); showNode(); drawAreas(); showAdvice(); showTable();
}
function go(by) {
  const count = place().times.length;
  if (count === 0) return;
  state.interval = state.interval === null ? (by > 0 ? 0 : count - 1) : Math.min(count - 1, Math.max(0, state.interval + by));
  show();
}

data.places.forEach((one, i) => {
  const parts = [one.name, data.trees.length > 1 ? data.trees[one.tree].pmu : ""].filter(part => part);
  $("place").append(make("option", parts.join(", ") || "everything", {value: i}));
});
$("place-label").hidden = data.places.length < 2;
$("place").onchange = () => {
  Object.assign(state, {place: +$("place").value, node: null});
  if (place().times.length <= state.interval) state.interval = null;
  show();
};
$("whole").onclick = () => { state.interval = null; show(); };
$("areas").onclick = event => { state.interval = momentAt(event); show(); };
$("areas").onkeydown = event => {
  if (event.key === "Escape") { state.interval = null; show(); }
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") { event.preventDefault(); go(event.key === "ArrowLeft" ? -1 : 1); }
};
addEventListener("resize", () => { drawTree(); drawAreas(); });
show();
