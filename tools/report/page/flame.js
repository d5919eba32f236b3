// The flame graph: drawn on a canvas, as wide as its samples; click or Enter zooms in, Escape out.
const kFrameHeight = 18;

class Flame {
  constructor(canvas, tell) {
    Object.assign(this, {canvas, tell, root: null, top: null, at: null, boxes: [], icicle: false, find: null, both: false});
    canvas.onclick = event => { const node = this.nodeAt(event); if (node) { this.at = node; this.zoom(node); } };
    canvas.onpointermove = event => {
      const node = this.nodeAt(event);
      node ? showTip(event, this.describe(node)) : hideTip();
    };
    canvas.onpointerleave = hideTip;
    canvas.onkeydown = event => this.key(event);
    canvas.onfocus = () => { this.at ??= this.top; this.draw(); };
    canvas.onblur = () => this.draw();
  }
  set(root, both) {
    Object.assign(this, {root, both, top: root, at: null});
    this.draw();
    this.turn();
  }
  // The root is what is seen first.
  turn() { this.canvas.parentElement.scrollTop = this.icicle ? 0 : this.canvas.offsetHeight; }
  // Two recordings or events compare by shares; a node is as wide as the mean of both.
  share(node, side) { return this.root.total[side] ? node.total[side] / this.root.total[side] : 0; }
  weight(node) { return this.both ? (this.share(node, 0) + this.share(node, 1)) / 2 : this.share(node, 0); }
  change(node) { return this.share(node, 1) - this.share(node, 0); }
  describe(node) {
    const unit = $("flame-value").value === "0" ? "samples" : "period";
    const side = n => `${count(node.total[n])} ${unit}, ${percent(this.share(node, n))}; itself ${count(node.own[n])}`;
    return this.both ? `${node.name}\nthis: ${side(0)}\nother: ${side(1)}\nchange: ${points(this.change(node))}` : `${node.name}\n${side(0)}`;
  }
  zoom(node) { this.top = node; this.draw(); this.say(node); }
  say(node) { this.tell(this.describe(node).replaceAll("\n", " \u00b7 ")); }
  key(event) {
    const node = this.at ?? this.top, calls = node.calls, siblings = node.up?.calls ?? [node], place = siblings.indexOf(node);
    const largest = () => calls.reduce((a, b) => this.weight(b) > this.weight(a) ? b : a, calls[0]);
    const [out, into] = this.icicle ? ["ArrowUp", "ArrowDown"] : ["ArrowDown", "ArrowUp"];
    const next = {[into]: () => calls.length ? largest() : node, [out]: () => node.up ?? node,
      ArrowLeft: () => siblings[Math.max(0, place - 1)], ArrowRight: () => siblings[Math.min(siblings.length - 1, place + 1)],
      Home: () => this.root, Enter: () => node, " ": () => node, Escape: () => this.root}[event.key];
    if (!next) return;
    event.preventDefault();
    this.at = next();
    if (["Enter", " ", "Escape", "Home"].includes(event.key)) this.top = this.at;
    if (!this.isBelow(this.at, this.top)) this.top = this.at;
    this.draw(); this.say(this.at);
  }
  isBelow(node, top) {
    for (let at = node; at; at = at.up) if (at === top) return true;
    return false;
  }
  // Those of the zoomed node's callers, as wide as all; then what it calls, as far as it can be seen.
  layout(width) {
    this.boxes = [];
    for (let node = this.top.up; node; node = node.up) this.boxes.push({node, x: 0, w: width, faint: true});
    const scale = width / (this.weight(this.top) || 1), walk = [[this.top, 0]];
    while (walk.length) {
      const [node, x] = walk.pop(), w = this.weight(node) * scale;
      if (w < 0.4) continue;
      this.boxes.push({node, x, w});
      let left = x;
      for (const child of node.calls) { walk.push([child, left]); left += this.weight(child) * scale; }
    }
    return 1 + this.boxes.reduce((deep, box) => Math.max(deep, box.node.depth), 0);
  }
  fill(node, dark) {
    if (this.both) {
      const size = Math.min(1, Math.abs(this.change(node)) * 8 + (this.change(node) === 0 ? 0 : 0.12));
      const ground = dark ? 32 : 90, hue = this.change(node) > 0 ? 8 : 215;
      return `hsl(${hue} ${Math.round(size * 75)}% ${Math.round(ground + (dark ? 14 : -25) * size)}%)`;
    }
    let hash = 0;
    for (let i = 0; i < node.name.length; ++i) hash = (hash * 31 + node.name.charCodeAt(i)) >>> 0;
    const hue = node.depth < 2 ? 210 : 14 + hash % 38;
    return dark ? `hsl(${hue} 45% ${30 + (hash >> 8) % 8}%)` : `hsl(${hue} 85% ${72 + (hash >> 8) % 9}%)`;
  }
  draw() {
    if (!this.root) return;
    const deep = this.layout(Math.max(1, this.canvas.clientWidth)), high = deep * kFrameHeight;
    this.canvas.style.height = high + "px";
    const [paint, width] = painter(this.canvas, high), dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const ink = color("--ink"), ground = color("--ground"), found = color("--found");
    paint.font = "12px system-ui, sans-serif"; paint.textBaseline = "middle";
    for (const box of this.boxes) {
      box.y = (this.icicle ? box.node.depth : deep - 1 - box.node.depth) * kFrameHeight;
      const hit = this.find?.(box.node.name);
      paint.globalAlpha = box.faint ? 0.55 : 1;
      paint.fillStyle = hit ? found : this.fill(box.node, dark);
      paint.fillRect(box.x, box.y, Math.max(0.4, box.w - 0.5), kFrameHeight - 1);
      if (box.w > 28) {
        paint.fillStyle = hit ? ground : ink;
        paint.fillText(fitted(paint, box.node.name, box.w - 8), box.x + 4, box.y + kFrameHeight / 2);
      }
      if (box.node === this.at && document.activeElement === this.canvas) {
        paint.globalAlpha = 1; paint.strokeStyle = color("--bar"); paint.lineWidth = 2;
        paint.strokeRect(box.x + 1, box.y + 1, Math.max(2, box.w - 2), kFrameHeight - 3);
      }
    }
    this.canvas.setAttribute("aria-label", `flame graph, ${count(this.boxes.length)} frames shown`);
    return width;
  }
  nodeAt(event) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    return this.boxes.find(one => x >= one.x && x < one.x + one.w && y >= one.y && y < one.y + kFrameHeight)?.node;
  }
  // What of the samples is below a frame that was searched for.
  matched() {
    let sum = 0;
    const walk = [this.root];
    while (walk.length) {
      const node = walk.pop();
      if (this.find(node.name)) sum += this.weight(node);
      else walk.push(...node.calls);
    }
    return sum;
  }
}

// The text, or as much of it as fits.
function fitted(paint, text, width) {
  if (paint.measureText(text).width <= width) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    paint.measureText(text.slice(0, middle) + "\u2026").width <= width ? low = middle : high = middle - 1;
  }
  return low > 1 ? text.slice(0, low) + "\u2026" : "";
}
