// Threads and CPUs over time: their numbers of samples, and the stacks of an opened thread. A click selects.
const kLanesShown = 40, kStackLevel = 13, kStackLevels = 24;

// The cells of each thread by time, for its stacks over time.
function cellsByThread(file) {
  if (file.byThread) return file.byThread;
  const lists = new Map(), {track, bin} = file.cells;
  for (let i = 0; i < track.length; ++i) {
    if (bin[i] === 0) continue;
    const {event, thread} = file.tracks[track[i]], key = `${event} ${thread}`;
    if (!lists.has(key)) lists.set(key, []);
    lists.get(key).push(i);
  }
  for (const list of lists.values()) list.sort((a, b) => bin[a] - bin[b]);
  return file.byThread = lists;
}

// The node with most samples for each pixel; -1: none. A cell that is wider than a pixel fills all its pixels.
function heaviestNodes(one, thread, width) {
  const {file} = one, {bin, node, samples, track} = file.cells, [from, to] = spanOf(), out = new Int32Array(width).fill(-1), most = new Float64Array(width);
  for (const i of cellsByThread(file).get(`${one.place} ${thread}`) ?? []) {
    if (state.cpus && !state.cpus.has(file.tracks[track[i]].cpu)) continue;
    const start = file.start + (bin[i] - 1) * file.stack_width, a = Math.floor((start - from) / (to - from) * width);
    const b = Math.max(a, Math.ceil((start + file.stack_width - from) / (to - from) * width) - 1);
    for (let x = Math.max(0, a); x <= Math.min(width - 1, b); ++x)
      if (samples[i] > most[x]) { most[x] = samples[i]; out[x] = node[i]; }
  }
  return out;
}

// Draws the stacks of a thread over time, callers on top; returns the drawn boxes.
function drawStacks(canvas, one, thread) {
  const {nodes, frames} = one.file, wide = Math.max(1, Math.floor(canvas.clientWidth)), at = heaviestNodes(one, thread, wide), boxes = [], open = [];
  let deepest = 1;
  const path = node => {
    const out = [];
    for (; node > 0 && nodes.depth[node] > 1; node = nodes.parent[node]) if (frames[nodes.frame[node]].kind !== kKinds.line) out.unshift(node);
    return out.slice(0, kStackLevels);
  };
  for (let x = 0; x <= wide; ++x) {
    const now = x < wide && at[x] >= 0 ? path(at[x]) : [];
    let same = 0;
    while (same < now.length && same < open.length && open[same].node === now[same]) ++same;
    for (const box of open.splice(same)) boxes.push({...box, w: x - box.x});
    for (let level = same; level < now.length; ++level) open.push({node: now[level], x, level});
    deepest = Math.max(deepest, now.length);
  }
  canvas.style.height = deepest * kStackLevel + "px";
  const [paint] = painter(canvas, deepest * kStackLevel), dark = isDark();
  paint.font = "11px system-ui, sans-serif"; paint.textBaseline = "middle";
  for (const box of boxes) {
    const frame = frames[nodes.frame[box.node]];
    paint.fillStyle = fillOf(frame, dark);
    paint.fillRect(box.x, box.level * kStackLevel, Math.max(0.6, box.w - (box.w > 3 ? 0.5 : 0)), kStackLevel - 1);
    if (box.w > 30) { paint.fillStyle = color("--ink"); paint.fillText(fitted(paint, nameOf(frame), box.w - 6), box.x + 3, (box.level + 0.5) * kStackLevel); }
  }
  return boxes;
}

// Lanes of threads and CPUs, which select samples of an event.
class Lanes {
  constructor(title, field) {
    Object.assign(this, {title, field, limit: kLanesShown, opened: new Set()});
    this.place = make("div", "", {className: "lanes", id: field + "-lanes"});
    this.more = make("button", "", {hidden: true});
    this.more.onclick = () => { this.limit *= 4; show(); };
  }
  rows() {
    const one = sides()[0], others = {...selection(), [this.field]: null}, sums = keep(`${this.field} sums`, [one.index, others], () => sumsOf(one, others))[this.field];
    return [...sums].map(([key, sum]) => ({key, sum, name: this.field === "threads" ? threadName(one.file, key) : key === kNobody ? "CPU unknown" : key === kOthers ? "CPUs" : `CPU ${key}`,
      value: this.field === "threads" ? threadName(one.file, key) : key}))
      .sort((a, b) => this.field === "cpus" ? a.key - b.key : b.sum[unit()] - a.sum[unit()]);
  }
  show(place) {
    const one = sides()[0], rows = this.rows(), test = searcher(state.search), total = rows.reduce((sum, row) => sum + row.sum[unit()], 0) || 1;
    const matching = this.field === "threads" && test && rows.some(row => test(row.name)) ? rows.filter(row => test(row.name)) : rows, shown = matching.slice(0, this.limit);
    const title = make("h2", `${this.title} `);
    title.append(make("span", `${count(rows.length)}; a click on a name selects it, with Ctrl several`, {className: "soft"}));
    place.append(title, this.place, this.more);
    this.place.replaceChildren(...shown.map(row => this.lane(one, row, total)));
    this.more.hidden = matching.length <= shown.length;
    this.more.textContent = `${count(matching.length - shown.length)} more`;
    for (const draw of this.draws) draw();
  }
  lane(one, row, total) {
    const lane = make("div", "", {className: "lane" + (state[this.field]?.has(row.value) ? " chosen" : "")}), name = make("button", row.name, {className: "name", title: row.name});
    name.onclick = event => this.choose(row.value, event.ctrlKey || event.metaKey);
    name.setAttribute("aria-pressed", String(Boolean(state[this.field]?.has(row.value))));
    const box = make("div", "", {className: "drawn"}), canvas = make("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `samples of ${row.name} over time`);
    box.append(canvas);
    const sums = make("span", `${figure(row.sum[unit()])} `, {className: "sum"});
    sums.append(make("span", percent(row.sum[unit()] / total), {className: "soft"}));
    lane.append(this.opener(one, row, box), name, box, sums);
    const wanted = Uint8Array.from(one.file.tracks, track => track.event === one.place && (this.field === "threads" ? track.thread : track.cpu) === row.key ? 1 : 0);
    this.draws.push(() => drawDensity(canvas, kLaneHeight, one, wanted));
    if (this.opened.has(row.key)) this.draws.push(() => this.stacks(one, row, box));
    return lane;
  }
  opener(one, row, box) {
    const button = make("button", this.opened.has(row.key) ? "\u25be" : "\u25b8", {className: "opener", title: "stacks over time"});
    button.style.visibility = this.field === "threads" ? "" : "hidden";
    button.setAttribute("aria-expanded", String(this.opened.has(row.key)));
    button.onclick = () => { this.opened.delete(row.key) || this.opened.add(row.key); show(); };
    return button;
  }
  stacks(one, row, box) {
    const canvas = make("canvas", "", {className: "stacks"});
    box.append(canvas);
    const boxes = drawStacks(canvas, one, row.key);
    const at = event => { const place = canvas.getBoundingClientRect(), x = event.clientX - place.left, level = Math.floor((event.clientY - place.top) / kStackLevel);
      return boxes.find(b => b.level === level && x >= b.x && x < b.x + b.w); };
    canvas.onpointermove = event => { const found = at(event); found ? showTip(event, wholeName(one.file.frames[one.file.nodes.frame[found.node]])) : hideTip(); };
    canvas.onpointerleave = hideTip;
    canvas.ondblclick = event => { const found = at(event), frame = found && one.file.frames[one.file.nodes.frame[found.node]]; if (frame?.kind === kKinds.function) change({view: "callers", func: frame.name}); };
  }
  choose(value, several) {
    const now = state[this.field], next = new Set(several ? now : []);
    if (now?.has(value)) next.delete(value); else next.add(value);
    change({[this.field]: next.size ? next : null});
  }
}
kViews.push({id: "threads", title: "Threads and CPUs", show(place) {
  this.parts ??= [new Lanes("Threads", "threads"), new Lanes("CPUs", "cpus")];
  fill(place);
  for (const part of this.parts) {
    part.draws = [];
    if (part.rows().some(row => row.key !== kNobody)) part.show(place);
  }
  if (!place.firstChild) place.append(make("p", "The selection has no threads and no CPUs.", {className: "soft"}));
}});
