// A flame graph on a canvas: callers are below their callees, or above them (an icicle). Click or Enter zooms in, Escape out.
const kFrameHeight = 18, kNarrow = 0.4;

class Flame {
  // how: {down: callers are on top, turned: children call their parents, choose(node), zoom(node)}
  constructor(canvas, how) {
    Object.assign(this, {canvas, how, forest: null, top: 0, at: null, clicked: null, boxes: [], deep: 1});
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.onclick = event => this.click(event);
    canvas.ondblclick = () => { if (this.clicked !== null) this.open(this.clicked); };
    canvas.onpointermove = event => {
      const box = this.boxAt(event);
      if (!box) return hideTip();
      showTip(event, box.many ? `${box.many === 1 ? "A frame" : `${count(box.many)} frames`} too narrow to be drawn; they have ${percent(box.w / this.width * this.weight(this.top))}. A click zooms in to their caller.`
        : this.describe(box.node));
    };
    canvas.onpointerleave = hideTip;
    canvas.onkeydown = event => this.key(event);
    canvas.onfocus = () => { this.at ??= this.top; this.draw(); };
    canvas.onblur = () => this.draw();
  }
  set(forest, top = 0) {
    const same = this.forest === forest && this.top === top;
    if (this.forest !== forest) this.at = null;
    Object.assign(this, {forest, top: top < forest.nodes.size ? top : 0});
    this.draw();
    if (!same) this.turn();
  }
  // Scrolls to the root at first.
  turn() { const box = this.canvas.parentElement; box.scrollTop = this.how.down ? 0 : box.scrollHeight; }
  get both() { return this.forest.total.length > 1; }
  frame(node) { return this.forest.frames[this.forest.nodes.frame[node]]; }
  // Two recordings or events are compared by shares; the width of a node is the mean of both.
  share(node, side) { const all = this.forest.total[side][0]; return all ? this.forest.total[side][node] / all : 0; }
  weight(node) { return this.both ? (this.share(node, 0) + this.share(node, 1)) / 2 : this.share(node, 0); }
  change(node) { return this.share(node, 1) - this.share(node, 0); }
  describe(node) {
    const frame = this.frame(node), of = side => {
      const all = this.forest.total[side][node], itself = this.how.turned ? "" : `; itself ${figure(selfAt(this.forest, node, side))}`;
      return `${amount(all)}, ${percent(this.share(node, side))}${itself}`;
    };
    const place = [frame.dso, frame.source].filter(text => text >= 0).map(text => model.texts[text]).join(" \u00b7 ");
    return [this.both ? `this: ${of(0)}\nother: ${of(1)}\nchange: ${points(this.change(node))}` : of(0), wholeName(frame), place].filter(Boolean).join("\n");
  }
  // At the second click of a double click, the first one has already drawn another graph: the frame of the first click counts.
  click(event) {
    if (event.detail > 1) return;
    const node = this.clicked = this.nodeAt(event);
    if (node === null) return;
    this.at = node;
    this.zoom(node);
    this.reveal(event.clientY - this.canvas.parentElement.getBoundingClientRect().top - kFrameHeight / 2);
  }
  zoom(node) { this.top = node; this.draw(); this.turn(); this.how.zoom?.(node); }
  open(node) { if (this.frame(node).kind === kKinds.function) this.how.choose?.(this.frame(node).name); }
  calls(node) { return callsOf(this.forest, node); }
  key(event) {
    const {parent, end} = this.forest.nodes, node = this.at ?? this.top, calls = this.calls(node);
    const siblings = node === 0 ? [0] : this.calls(parent[node]), place = siblings.indexOf(node);
    const largest = () => calls.reduce((a, b) => this.weight(b) > this.weight(a) ? b : a, calls[0]);
    const [out, into] = this.how.down ? ["ArrowUp", "ArrowDown"] : ["ArrowDown", "ArrowUp"];
    const next = {[into]: () => calls.length ? largest() : node, [out]: () => parent[node],
      ArrowLeft: () => siblings[Math.max(0, place - 1)], ArrowRight: () => siblings[Math.min(siblings.length - 1, place + 1)],
      Home: () => 0, Enter: () => node, " ": () => node, Escape: () => 0, c: () => node}[pressed(event)];
    if (!next || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.at = next();
    if (pressed(event) === "c") return this.open(node);
    const wider = this.at < this.top || this.at >= end[this.top];
    if (["Enter", " ", "Escape", "Home"].includes(event.key) || wider) this.zoom(this.at);
    else this.draw();
    this.how.say?.(this.describe(this.at).replaceAll("\n", " \u00b7 "));
    this.reveal();
  }
  // Scrolls to the chosen frame, which is then `below` pixels under the upper edge, if that is given.
  reveal(below = null) {
    const box = this.boxes.find(one => one.node === this.at && !one.many), place = this.canvas.parentElement;
    if (!box) return;
    if (below !== null) place.scrollTop = box.y - below;
    if (box.y < place.scrollTop) place.scrollTop = box.y;
    if (box.y + kFrameHeight > place.scrollTop + place.clientHeight) place.scrollTop = box.y + kFrameHeight - place.clientHeight;
  }
  // Boxes: the callers of the zoomed node have the whole width; its callees follow. Neighbours that are too narrow to be seen
  // are one box, which leads to their caller.
  layout(width) {
    const {parent, depth} = this.forest.nodes;
    this.boxes = [];
    for (let node = this.top; node !== 0;) { node = parent[node]; this.boxes.push({node, x: 0, w: width, deep: depth[node], faint: true}); }
    this.width = width;
    const scale = width / (this.weight(this.top) || 1), walk = [[this.top, 0]];
    while (walk.length) {
      const [node, x] = walk.pop(), w = this.weight(node) * scale;
      this.boxes.push({node, x, w, deep: depth[node]});
      let left = x, narrow = null;
      for (const child of this.calls(node)) {
        const wide = this.weight(child) * scale;
        if (wide >= kNarrow) { walk.push([child, left]); narrow = null; }
        else if (narrow) { narrow.w += wide; ++narrow.many; }
        else this.boxes.push(narrow = {node, x: left, w: wide, deep: depth[node] + 1, many: 1});
        left += wide;
      }
    }
    this.boxes = this.boxes.filter(box => box.w >= kNarrow);
    this.deep = 1 + this.boxes.reduce((deep, box) => Math.max(deep, box.deep), 0);
  }
  draw() {
    if (!this.forest || this.canvas.clientWidth === 0) return;
    this.layout(this.canvas.clientWidth);
    const high = this.deep * kFrameHeight;
    this.canvas.style.height = high + "px";
    this.canvas.parentElement.classList.toggle("down", Boolean(this.how.down));
    const [paint] = painter(this.canvas, high), dark = isDark(), find = finder(), ink = color("--ink"), dim = color("--dim"), hits = new Map();
    const isHit = node => { const at = this.forest.nodes.frame[node]; if (!hits.has(at)) hits.set(at, find(this.frame(node))); return hits.get(at); };
    paint.font = "12px system-ui, sans-serif"; paint.textBaseline = "middle";
    for (const box of this.boxes) {
      box.y = (this.how.down ? box.deep : this.deep - 1 - box.deep) * kFrameHeight;
      if (box.many) { paint.fillStyle = dim; paint.fillRect(box.x, box.y, box.w, kFrameHeight - 1); continue; }
      const frame = this.frame(box.node), hit = find && isHit(box.node);
      paint.globalAlpha = box.faint ? 0.55 : 1;
      paint.fillStyle = find && !hit ? dim : this.both ? changeFill(this.change(box.node), dark) : fillOf(frame, dark);
      paint.fillRect(box.x, box.y, Math.max(0.4, box.w - 0.5), kFrameHeight - 1);
      if (!find && !this.both && frame.kind === kKinds.function) {
        paint.fillStyle = `rgb(${dark ? "0 0 0" : "255 255 255"} / ${shadeOf(frame.name)})`;
        paint.fillRect(box.x, box.y, Math.max(0.4, box.w - 0.5), kFrameHeight - 1);
      }
      if (hit) { paint.fillStyle = color("--found"); paint.fillRect(box.x, box.y + kFrameHeight - 4, Math.max(0.4, box.w - 0.5), 3); }
      if (box.w > 26) {
        paint.fillStyle = ink;
        paint.globalAlpha = find && !hit ? 0.5 : 1;
        paint.fillText(fitted(paint, nameOf(frame), box.w - 8), box.x + 4, box.y + kFrameHeight / 2);
      }
      paint.globalAlpha = 1;
      if (box.node === this.at && document.activeElement === this.canvas) {
        paint.strokeStyle = color("--ink"); paint.lineWidth = 2;
        paint.strokeRect(box.x + 1, box.y + 1, Math.max(2, box.w - 2), kFrameHeight - 3);
      }
    }
    this.canvas.setAttribute("aria-label", `${this.how.title}, ${count(this.boxes.length)} frames shown`);
  }
  boxAt(event) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    return this.boxes.find(one => x >= one.x && x < one.x + one.w && y >= one.y && y < one.y + kFrameHeight);
  }
  nodeAt(event) { return this.boxAt(event)?.node ?? null; }
}

// The legend of colours; for a comparison, their meaning.
function showLegend(place) {
  place.replaceChildren();
  const entry = (fill, text) => { const one = make("span", "", {className: "key"}), box = make("i"); box.style.background = fill; one.append(box, text); place.append(one); };
  const dark = isDark();
  if (state.other !== null) { entry(changeFill(0.1, dark), "larger share in the other"); entry(changeFill(-0.1, dark), "smaller share"); entry(changeFill(0, dark), "the same"); return; }
  const groups = [...groupColors().keys()], names = new Set(model.series[state.event].file.frames.filter(f => f.kind === kKinds.function).map(groupOf[state.color]));
  groups.forEach((name, i) => entry((dark ? kDark : kLight)[i], name));
  if (names.has("kernel")) entry(dark ? kKernelDark : kKernelLight, "kernel");
  const rest = [...names].filter(name => name !== "kernel" && !groupColors().has(name));
  if (rest.length) entry((dark ? kDark : kLight)[kLight.length - 1], rest.length === 1 ? rest[0] : "others");
}

kViews.push({id: "flame", title: "Flame graph", show(place) {
  if (!this.flame) {
    this.tools = make("div", "", {className: "tools"});
    const label = make("label"), box = make("input", "", {type: "checkbox", id: "icicle"}), unzoom = make("button", "Reset zoom", {id: "unzoom"});
    box.onchange = () => change({icicle: box.checked});
    unzoom.onclick = () => change({zoom: 0});
    label.append(box, " callers on top");
    this.text = make("span", "", {className: "soft grow line", id: "flame-text"});
    this.text.setAttribute("aria-live", "polite");
    this.tools.append(label, unzoom, this.text);
    this.box = make("div", "", {className: "flame-box"});
    const canvas = make("canvas", "", {id: "flame-canvas"});
    this.box.append(canvas);
    this.legend = make("div", "", {className: "legend"});
    this.flame = new Flame(canvas, {title: "flame graph", zoom: node => change({zoom: node}), choose: name => change({view: "callers", func: name}),
      say: text => { this.text.textContent = text; }});
  }
  fill(place, this.tools, this.box, this.legend);
  $("icicle").checked = state.icicle;
  const forest = theStacks(), find = finder(), empty = forest.total.every(side => side[0] === 0);
  const turned = this.flame.how.down !== state.icicle;
  this.flame.how.down = state.icicle;
  this.flame.set(forest, state.zoom);
  if (turned) this.flame.turn();
  $("unzoom").hidden = state.zoom === 0;
  const cut = sides().reduce((sum, one) => sum + one.file.cut, 0);
  this.text.textContent = empty ? "The selection has no samples with stacks." : find
    ? forest.total.map((side, i) => `${amount(foundIn(forest, find, i))}, ${percent(foundIn(forest, find, i) / (side[0] || 1))}`).join(" and ") + ` are in or below frames with ${state.search}`
    : state.zoom ? this.flame.describe(this.flame.top).replaceAll("\n", " \u00b7 ")
    : "Click or Enter zooms in, Escape out; a double click or C shows callers and callees."
      + (cut ? ` ${count(cut)} samples have rare stacks, which end in "(smaller stacks)"; the functions count them.` : "");
  showLegend(this.legend);
}});
