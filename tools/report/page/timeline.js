// Samples over time: lanes of all events, or of the threads or CPUs of one; an axis; a part to choose.
const kLanesShown = 24, kLaneHeight = 30;

class Timeline {
  constructor(place, changed) {
    Object.assign(this, {place, changed, of: 0, limit: kLanesShown, lanes: [], start: null});
    this.more = make("button", "", {hidden: true});
    this.more.onclick = () => { this.limit *= 4; this.build(); };
    place.after(this.more);
  }
  wanted() {
    if (this.of > 0) {
      const one = series[state.event];
      return one.lanes[this.of].map(lane => ({lane, file: one.file, name: this.of === 2 ? (lane.folded ? lane.name : "CPU " + lane.name) : lane.name}));
    }
    return [...series].sort((a, b) => b.samples - a.samples).map(one => ({lane: one.lanes[0][0], file: one.file, name: one.label}));
  }
  build() {
    const all = this.wanted();
    this.lanes = all.slice(0, this.limit);
    this.more.hidden = all.length <= this.limit;
    this.more.textContent = `${count(all.length - this.lanes.length)} more lanes`;
    this.place.replaceChildren();
    for (const lane of this.lanes) {
      const row = make("div", "", {className: "lane"});
      lane.canvas = make("canvas");
      lane.canvas.setAttribute("role", "img");
      lane.canvas.setAttribute("aria-label", `samples of ${lane.name} over time`);
      row.append(make("div", lane.name, {className: "name", title: lane.name}), lane.canvas);
      this.place.append(row);
    }
    const row = make("div", "", {className: "lane axis"});
    this.axis = make("canvas");
    row.append(make("div", overlap ? "time (s)" : "since the start (s)", {className: "name soft"}), this.axis);
    this.place.append(row);
    this.addBrush();
    this.draw();
  }
  addBrush() {
    this.brush = make("div", "", {id: "brush", tabIndex: 0});
    this.brush.setAttribute("role", "slider");
    this.brush.setAttribute("aria-label", "chosen part of the time");
    this.mark = make("div", "", {id: "pick"}); this.cursor = make("div", "", {id: "cursor", hidden: true});
    this.brush.append(this.mark, this.cursor);
    this.place.append(this.brush);
    this.brush.onpointerdown = event => { this.start = this.timeAt(event); this.brush.setPointerCapture(event.pointerId); };
    this.brush.onpointermove = event => {
      if (this.start !== null) this.choose(this.start, this.timeAt(event));
      this.tell(event);
    };
    this.brush.onpointerup = this.brush.onpointercancel = () => { this.start = null; };
    this.brush.onpointerleave = () => { hideTip(); this.cursor.hidden = true; };
    this.brush.onkeydown = event => this.key(event);
  }
  key(event) {
    const ways = {ArrowLeft: -1, ArrowRight: 1};
    if (event.key === "Escape") return this.choose(...whole);
    if (!(event.key in ways)) return;
    event.preventDefault();
    const by = ways[event.key] * Math.max(step, (state.view[1] - state.view[0]) / 50);
    if (isWhole()) return this.choose(state.view[0], state.view[0] + Math.max(step, (state.view[1] - state.view[0]) / 10));
    const [from, to] = state.pick;
    event.shiftKey ? this.choose(from, Math.max(from + step, to + by)) : this.choose(from + by, to + by);
  }
  timeAt(event) {
    const box = this.brush.getBoundingClientRect(), share = (event.clientX - box.left) / box.width;
    return state.view[0] + Math.min(1, Math.max(0, share)) * (state.view[1] - state.view[0]);
  }
  // Bins can't be cut: the ends are those of bins.
  choose(a, b) {
    const snap = t => Math.min(whole[1], Math.max(whole[0], whole[0] + Math.round((t - whole[0]) / step) * step));
    state.pick = [snap(Math.min(a, b)), snap(Math.max(a, b))];
    if (state.pick[0] === state.pick[1]) state.pick = state.pick[1] < whole[1] ? [state.pick[0], snap(state.pick[0] + step)] : [snap(whole[1] - step), whole[1]];
    this.mark_pick();
    this.changed();
  }
  tell(event) {
    const at = this.timeAt(event), row = Math.floor((event.clientY - this.place.getBoundingClientRect().top) / (kLaneHeight + 1));
    this.cursor.hidden = false;
    this.cursor.style.left = (at - state.view[0]) / (state.view[1] - state.view[0]) * 100 + "%";
    const shown = this.lanes[row];
    if (!shown) return hideTip();
    // What one pixel stands for.
    const half = Math.max((state.view[1] - state.view[0]) / this.brush.clientWidth, shown.file.width / 1e9) / 2;
    const sum = {samples: 0, period: 0, lost: 0};
    for (const cell of shown.lane?.cells ?? [])
      if (cell.to > at - half && cell.from < at + half) { sum.samples += cell.samples; sum.period += cell.period; sum.lost += cell.lost; }
    showTip(event, `${shown.name}\n${seconds(at)} s\n${count(sum.samples)} samples, period ${count(sum.period)}`
      + (sum.lost ? `\n${count(sum.lost)} lost` : ""));
  }
  // Each column of pixels has the samples per time of what lies in it, so that bins which meet in one don't tower.
  heights(shown, width) {
    const out = new Float64Array(width), lost = new Uint8Array(width), perPixel = (state.view[1] - state.view[0]) / width;
    for (const cell of shown.lane?.cells ?? []) {
      const a = (cell.from - state.view[0]) / perPixel, b = (cell.to - state.view[0]) / perPixel;
      const density = cell.samples / (b - a);
      for (let x = Math.max(0, Math.floor(a)); x < Math.min(width, b); ++x) {
        out[x] += density * (Math.min(b, x + 1) - Math.max(a, x));
        if (cell.lost) lost[x] = 1;
      }
    }
    return [out, lost];
  }
  draw() {
    const bar = color("--bar"), red = color("--lost");
    for (const shown of this.lanes) {
      const [paint, width] = painter(shown.canvas, kLaneHeight), [heights, lost] = this.heights(shown, Math.ceil(width));
      const top = heights.reduce((a, b) => Math.max(a, b), 0);
      for (let x = 0; x < heights.length; ++x) {
        paint.fillStyle = bar;
        const tall = heights[x] > 0 ? Math.max(1, heights[x] / top * (kLaneHeight - 3)) : 0;
        paint.fillRect(x, kLaneHeight - tall, 1, tall);
        if (lost[x]) { paint.fillStyle = red; paint.fillRect(x, 0, 1, 3); }
      }
    }
    this.drawAxis();
    this.mark_pick();
  }
  drawAxis() {
    const [paint, width] = painter(this.axis, 20), span = state.view[1] - state.view[0];
    const rough = span / Math.max(2, width / 110), power = 10 ** Math.floor(Math.log10(rough));
    const tick = [1, 2, 5, 10].map(f => f * power).find(t => t >= rough), digits = Math.max(0, -Math.floor(Math.log10(tick)));
    paint.fillStyle = color("--soft"); paint.font = "12px system-ui, sans-serif"; paint.textBaseline = "top";
    for (let t = Math.ceil(state.view[0] / tick) * tick; t <= state.view[1] + tick * 1e-9; t += tick) {
      const x = (t - state.view[0]) / span * width, text = t.toFixed(digits), wide = paint.measureText(text).width;
      paint.fillRect(x, 0, 1, 4);
      paint.fillText(text, Math.min(width - wide, Math.max(0, x - wide / 2)), 6);
    }
  }
  mark_pick() {
    const part = t => Math.min(1, Math.max(0, (t - state.view[0]) / (state.view[1] - state.view[0]))) * 100;
    this.mark.style.left = part(state.pick[0]) + "%";
    this.mark.style.width = part(state.pick[1]) - part(state.pick[0]) + "%";
    this.mark.hidden = isWhole();
    this.brush.setAttribute("aria-valuetext", `${seconds(state.pick[0])} to ${seconds(state.pick[1])} seconds`);
    this.brush.setAttribute("aria-valuenow", state.pick[0]);
  }
}
