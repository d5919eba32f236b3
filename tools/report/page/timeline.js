// Samples over time: the strip above all views, where users choose a part of the time, and lanes.
const kStripHeight = 46, kLaneHeight = 26;

// The samples of items for each pixel, in several groups: {of(i): group or -1}. A bin that covers several
// pixels is spread over them, so that a pixel where two bins meet is not too high.
function densityOf(file, cells, wanted, width, groups, groupAt) {
  const [from, to] = spanOf(), perPixel = (to - from) / width, out = Array.from({length: groups}, () => new Float64Array(width));
  const {track, bin, node, samples} = cells;
  for (let i = 0; i < track.length; ++i) {
    if (!wanted[track[i]] || bin[i] === 0) continue;
    const start = file.start + (bin[i] - 1) * file.width, a = (start - from) / perPixel, b = (start + file.width - from) / perPixel;
    if (b <= 0 || a >= width) continue;
    const group = out[groupAt(node[i])], first = Math.max(0, Math.floor(a));
    if (b <= first + 1) { group[first] += samples[i]; continue; }
    const each = samples[i] / (b - a);
    for (let x = first; x < Math.min(width, b); ++x) group[x] += each * (Math.min(b, x + 1) - Math.max(a, x));
  }
  return out;
}
// The group of each node: 0 user space, 1 the kernel.
function modesOf(file) {
  return file.modes ??= Uint8Array.from(file.nodes.frame, (at, node) => {
    let frame = file.frames[at];
    if (frame.kind === kKinds.line) frame = file.frames[file.nodes.frame[file.nodes.parent[node]]];
    return frame.kind === kKinds.function && frame.dso >= 0 && isKernel(model.texts[frame.dso]) ? 1 : 0;
  });
}
function drawDensity(canvas, height, one, wanted) {
  const [paint, wide] = painter(canvas, height), width = Math.ceil(wide), modes = modesOf(one.file), dark = isDark();
  const groups = densityOf(one.file, one.file.counts, wanted, width, 2, node => modes[node]);
  let top = 0;
  for (let x = 0; x < width; ++x) top = Math.max(top, groups[0][x] + groups[1][x]);
  for (let x = 0; x < width; ++x) {
    let base = height;
    groups.forEach((group, i) => {
      if (group[x] === 0) return;
      const tall = Math.max(1, group[x] / top * (height - 3));
      paint.fillStyle = i === 1 ? (dark ? "#d98a68" : "#d0643c") : color("--bar");
      paint.fillRect(x, base - tall, 1, tall);
      base -= tall;
    });
  }
  return paint;
}
const pixelAt = (ns, width) => { const [from, to] = spanOf(); return (ns - from) / (to - from) * width; };

class Brush {
  // Lets users choose a part of the time on an element.
  constructor(place) {
    this.place = place;
    Object.assign(place, {tabIndex: 0});
    place.setAttribute("role", "slider");
    place.setAttribute("aria-label", "chosen part of the time");
    this.mark = make("div", "", {className: "pick"}); this.cursor = make("div", "", {className: "cursor", hidden: true});
    place.append(this.mark, this.cursor);
    this.start = null;
    place.onpointerdown = event => { if (event.button === 0) { this.start = this.timeAt(event); this.moved = false; place.setPointerCapture(event.pointerId); } };
    place.onpointermove = event => {
      this.cursor.hidden = false;
      this.cursor.style.left = pixelAt(this.timeAt(event), 100) + "%";
      if (this.start === null) return this.tell?.(event);
      this.moved = true;
      change({time: snapped(this.start, this.timeAt(event))}, true);
    };
    place.onpointerup = event => {
      if (this.start !== null && this.moved) { const time = state.time; history.replaceState(null, "", this.before ?? location.hash); change({time}); }
      this.start = null;
    };
    place.addEventListener("pointerdown", () => { this.before = location.hash; });
    place.onpointercancel = () => { this.start = null; };
    place.onpointerleave = () => { this.cursor.hidden = true; hideTip(); };
    place.ondblclick = () => change({time: null});
    place.onkeydown = event => this.key(event);
  }
  timeAt(event) {
    const box = this.place.getBoundingClientRect(), [from, to] = spanOf();
    return from + Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * (to - from);
  }
  key(event) {
    const ways = {ArrowLeft: -1, ArrowRight: 1}, [begin, end] = spanOf(), {step} = model;
    if (event.key === "Escape") return change({time: null, span: null});
    if (event.key === "Enter" && state.time) return change({span: state.time});
    if (!(event.key in ways)) return;
    event.preventDefault();
    const by = ways[event.key] * Math.max(step, (end - begin) / 50);
    if (!state.time) return change({time: snapped(begin, begin + Math.max(step, (end - begin) / 10))}, true);
    const [from, to] = state.time;
    change({time: event.shiftKey ? snapped(from, Math.max(from + step, to + by)) : snapped(Math.max(0, from + by), Math.min(model.end, to + by))}, true);
  }
  draw() {
    const part = ns => Math.min(100, Math.max(0, pixelAt(ns, 100)));
    this.mark.hidden = !state.time;
    if (!state.time) return;
    this.mark.style.left = part(state.time[0]) + "%";
    this.mark.style.width = part(state.time[1]) - part(state.time[0]) + "%";
    this.place.setAttribute("aria-valuenow", state.time[0] / 1e9);
    this.place.setAttribute("aria-valuetext", `${seconds(state.time[0])} to ${seconds(state.time[1])} seconds`);
  }
}

function drawAxis(canvas) {
  const [paint, width] = painter(canvas, 18), [from, to] = spanOf(), span = to - from;
  const [scale, unit] = span < 1000 ? [1, "ns"] : span < 1e6 ? [1000, "\u00b5s"] : [1e9, "s"];
  const rough = Math.max(1, span / Math.max(2, width / 110)), power = 10 ** Math.floor(Math.log10(rough));
  const tick = [1, 2, 5, 10].map(f => f * power).find(t => t >= rough), digits = Math.max(0, -Math.floor(Math.log10(tick / scale) + 1e-9));
  paint.fillStyle = color("--soft"); paint.font = "11px system-ui, sans-serif"; paint.textBaseline = "top";
  for (let t = Math.ceil(from / tick) * tick; t <= to + tick * 1e-9; t += tick) {
    const x = (t - from) / span * width, text = (t / scale).toFixed(digits) + "\u2009" + unit, wide = paint.measureText(text).width;
    paint.fillRect(x, 0, 1, 4);
    paint.fillText(text, Math.min(width - wide, Math.max(0, x - wide / 2)), 5);
  }
}

const strip = {
  show() {
    $("strip").hidden = !model.timed;
    if (!model.timed) return;
    this.brush ??= this.build();
    const [from, to] = spanOf(), one = sides()[0];
    const wanted = selectedTracks(one.file, one.place, selection());
    const drawn = JSON.stringify([one.index, from, to, [...wanted].join(""), $("strip-canvas").clientWidth, isDark()]);
    if (drawn !== this.drawn) {
      const paint = drawDensity($("strip-canvas"), kStripHeight, one, wanted), width = $("strip-canvas").clientWidth;
      paint.fillStyle = color("--lost");
      for (const loss of one.file.losses) if (loss.event === one.place && loss.bin > 0)
        paint.fillRect(pixelAt(one.file.start + (loss.bin - 1) * one.file.width, width), 0, Math.max(2, one.file.width / (to - from) * width), 4);
      drawAxis($("axis"));
      this.drawn = drawn;
    }
    this.brush.draw();
    $("zoom-time").hidden = !state.time || (state.time[0] === from && state.time[1] === to);
    $("whole-time").hidden = !state.time && !state.span;
  },
  build() {
    const brush = new Brush($("brush"));
    brush.tell = event => {
      const one = sides()[0], {file} = one, at = brush.timeAt(event), [from, to] = spanOf(), half = Math.max((to - from) / $("brush").clientWidth, file.width) / 2;
      const sums = sumsOf(one, {...selection(), time: [Math.max(0, at - half), at + half]});
      showTip(event, `${seconds(at)} s after the start\n${count(sums.samples)} samples here` + (sums.lost ? `\n${count(sums.lost)} lost` : "") + (sums.throttled ? `\nthrottled ${count(sums.throttled)} times` : ""));
    };
    $("zoom-time").onclick = () => change({span: state.time});
    $("whole-time").onclick = () => change({time: null, span: null});
    return brush;
  },
};
