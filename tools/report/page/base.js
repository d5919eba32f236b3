// Functions for all views: elements, numbers as text, colours, the tooltip, the canvas.
const $ = id => document.getElementById(id);
const make = (tag, text, more) => Object.assign(document.createElement(tag), {textContent: text ?? "", ...more});

// Shows parts in a place. Parts that stay keep the focus, and parts that come back keep their scroll position.
function fill(place, ...parts) {
  const now = [...place.childNodes], boxes = () => place.querySelectorAll(".scroll, .flame-box");
  if (now.length === parts.length && now.every((part, i) => part === parts[i])) return;
  for (const box of boxes()) box.scrolledTo = box.scrollTop;
  place.replaceChildren(...parts);
  for (const box of boxes()) if (box.scrolledTo) box.scrollTop = box.scrolledTo;
}

const count = n => n === null ? "-" : Math.round(n).toLocaleString("en").replaceAll(",", "\u2009");
const seconds = ns => (Math.floor(ns / 1000) / 1e6).toFixed(6);  // cut, as the command does
const percent = share => share === null ? "-" : (share * 100).toFixed(share !== 0 && Math.abs(share) < 0.001 ? 3 : 1) + "\u00a0%";
const points = share => (share < 0 ? "\u2212" : "+") + Math.abs(share * 100).toFixed(1) + "\u00a0%";
// Compares texts by the numbers in them, also by addresses.
const collator = new Intl.Collator("en", {numeric: true});
const counted = text => text.includes("0x") ? text.replace(/0x[0-9a-f]{1,16}/g, hex => BigInt(hex)) : text;
const compare = (a, b) => typeof a === "string" && typeof b === "string" ? collator.compare(counted(a), counted(b)) : a < b ? -1 : a > b ? 1 : 0;
// Shift and Caps Lock do not change the meaning of a letter.
const pressed = event => event.key.length === 1 ? event.key.toLowerCase() : event.key;
const lastPart = path => path.slice(path.lastIndexOf("/") + 1);
// Paper is always light, even if the screen is dark.
const paper = {on: false, "--ink": "#1b1f24", "--soft": "#59636e", "--bar": "#2f6fb3", "--dim": "#d8dfe6", "--lost": "#c2410c", "--found": "#7b2fbe"};
const color = name => paper.on ? paper[name] : getComputedStyle(document.body).getPropertyValue(name).trim();
const isDark = () => !paper.on && matchMedia("(prefers-color-scheme: dark)").matches;

// A moment of the recording's clock, as perf writes it.
const clockTime = ns => { const text = ns.toString().padStart(10, "0"); return text.slice(0, -9) + "." + text.slice(-9); };

let model = null;  // the result of unpack()
const state = {view: "flame", event: 0, other: null, value: 0, time: null, span: null, threads: null, cpus: null,
  func: null, zoom: 0, search: "", color: "module", parameters: false, icicle: false, metrics: null};
const selection = () => ({time: state.time, threads: state.threads, cpus: state.cpus});
const sides = () => [model.series[state.event], ...(state.other === null ? [] : [model.series[state.other]])];
const unit = () => state.value ? "period" : "samples";
// Periods of some events are times that threads waited.
const inTime = () => state.value === 1 && sides().every(one => one.ns);
const usualValue = () => model.waits ? 1 : 0;
const unitText = () => inTime() ? "time (s)" : unit();
const figure = n => n !== null && inTime() ? seconds(n) : count(n);
const amount = n => inTime() ? `${seconds(n)} s` : state.value ? `${count(n)} of period` : n === 1 ? "1 sample" : `${count(n)} samples`;

// keep() computes a value once for each state.
const kept = new Map();
function keep(key, parts, compute) {
  const now = JSON.stringify(parts, (_, part) => part instanceof Set ? [...part] : part), known = kept.get(key);
  if (known?.now === now) return known.value;
  const value = compute();
  kept.set(key, {now, value});
  return value;
}
const theStacks = () => keep("stacks", [state.event, state.other, state.value, selection()], () => stacksOf(sides(), selection(), state.value));
const functionsBy = (side, value = state.value) => keep(`functions ${side} ${value}`, [sides()[side].index, value, selection()], () => functionsOf(sides()[side], selection(), value));
const sumsBy = one => keep(`sums ${one.index}`, [one.index, selection()], () => sumsOf(one, selection()));
// The samples of the selection, in the time of its stacks or of its functions.
const sumIn = (one, time) => keep(`sum ${one.index} ${time}`, [selection(), state.value], () => sumsOf(one, {...selection(), time})[unit()]);
const totalBy = side => sumIn(sides()[side], stackTime(sides()[side].file, state.time));
const functionTotalBy = side => sumIn(sides()[side], functionTime(sides()[side].file, selection()));

// Names.
const shownNames = new Map();
function shownText(name) {
  if (name < 0) return "(other functions)";
  const key = name * 2 + (state.parameters ? 1 : 0);
  if (!shownNames.has(key)) {
    const text = model.texts[name];
    shownNames.set(key, text === "0x0" ? "[stack walk failed]" : text === "-" ? "[no address]" : shortName(text, state.parameters));
  }
  return shownNames.get(key);
}
const nameOf = frame => frame.kind === kKinds.cut ? "(smaller stacks)" : frame.name < 0 ? "all" : frame.kind === kKinds.thread ? model.texts[frame.name] : shownText(frame.name);
const wholeName = frame => frame.kind === kKinds.cut ? "(smaller stacks): cut off, as there are too many; the functions count them" : frame.name < 0 ? "all"
  : model.texts[frame.name] === "0x0" ? "Stack walk failed: the callers' addresses were not recorded (0x0)" : model.texts[frame.name];

// A function that tests whether a text matches the search; null without a search.
function searcher(text) {
  if (!text) return null;
  const pattern = text.match(/^\/(.+)\/$/);
  if (pattern) try { const regex = new RegExp(pattern[1]); return name => regex.test(name); } catch { /* a text then */ }
  const wanted = text.toLowerCase();
  return name => name.toLowerCase().includes(wanted);
}
const finder = () => { const test = searcher(state.search); return test && (frame => frame.name >= 0 && test(model.texts[frame.name])); };

// Colours that people with red-green colour blindness can tell apart (after Okabe and Ito); the last one is for all other groups.
const kLight = ["#9ecbec", "#f2c078", "#84cfae", "#f1e48f", "#e0b3d2", "#a9b9e8", "#c7e08a", "#cfd4d9"];
const kDark = ["#2c6791", "#8d6015", "#1f7553", "#75690f", "#7f4a6d", "#45549b", "#56701a", "#4a535c"];
const kKernelLight = "#eda187", kKernelDark = "#944c30";
const isKernel = dso => /^\[(kernel|guest\.kernel)/.test(dso) || /\.ko(\.\w+)?$/.test(dso) || (/^\[\w+\]$/.test(dso) && !/^\[(vdso|vsyscall|heap|stack|unknown|anon)/.test(dso));
const groupOf = {
  module: frame => frame.dso < 0 ? "unknown" : isKernel(model.texts[frame.dso]) ? "kernel" : lastPart(model.texts[frame.dso]),
  file: frame => frame.source < 0 ? "unknown" : lastPart(model.texts[frame.source]),
  mode: frame => frame.dso < 0 ? "unknown" : isKernel(model.texts[frame.dso]) ? "kernel" : "user",
  function: frame => shownText(frame.name),
};
// The groups of functions with most samples in the whole recordings have their own colours, whatever the selection is.
function groupColors() {
  return keep("colors", [state.color, state.event], () => {
    const weights = new Map(), one = sides()[0], {nodes, frames} = one.file, own = ownOf(one, {}, 0);
    const group = frames.map(frame => frame.kind === kKinds.function ? groupOf[state.color](frame) : null);
    for (const name of group) if (name !== null && name !== "kernel" && name !== "unknown") weights.set(name, 0);
    for (let i = 1; i < nodes.size; ++i) {
      if (own[i] === 0) continue;
      const name = group[nodes.frame[i]] ?? group[nodes.frame[nodes.parent[i]]];
      if (weights.has(name)) weights.set(name, weights.get(name) + own[i]);
    }
    return new Map([...weights].sort((a, b) => b[1] - a[1]).slice(0, kLight.length - 1).map(([name], i) => [name, i]));
  });
}
function fillOf(frame, dark) {
  if (frame.kind !== kKinds.function) return dark ? "#39424c" : "#e3e7eb";
  const group = groupOf[state.color](frame);
  if (group === "kernel") return dark ? kKernelDark : kKernelLight;
  return (dark ? kDark : kLight)[groupColors().get(group) ?? kLight.length - 1];
}
// Neighbours of one colour differ by the amount of white over them.
const shadeOf = name => ((name * 2654435761) >>> 24) / 255 * 0.3;
function changeFill(change, dark) {
  const size = Math.min(1, Math.abs(change) * 8 + (change === 0 ? 0 : 0.12));
  const [hue, ground] = [change > 0 ? 28 : 212, dark ? 30 : 91];  // orange: more, blue: less
  return `hsl(${hue} ${Math.round(size * 80)}% ${Math.round(ground + (dark ? 14 : -28) * size)}%)`;
}

// The tooltip is on the side of the screen without the pointer.
function showTip(event, text) {
  const tip = $("tip");
  tip.textContent = text.length > 1500 ? text.slice(0, 1100) + "\u2026" + text.slice(-400) : text;
  tip.hidden = false;
  tip.className = event.clientY > innerHeight / 2 ? "above" : "below";
}
const hideTip = () => { $("tip").hidden = true; };

// A canvas in device pixels; its users draw in CSS pixels.
function painter(canvas, height) {
  const scale = Math.min(devicePixelRatio || 1, 16000 / height), width = Math.max(1, canvas.clientWidth);
  canvas.width = Math.round(width * scale); canvas.height = Math.round(height * scale);
  const paint = canvas.getContext("2d");
  paint.scale(scale, scale);
  return [paint, width];
}
// The text, or the part of it that fits: for a qualified name its last parts.
function fitted(paint, text, width) {
  if (paint.measureText(text).width <= width) return text;
  const parts = text.split(/(?<=::)(?![^<(]*[>)])/);
  for (let i = 1; i < parts.length; ++i) {
    const tail = "\u2026" + parts.slice(i).join("");
    if (paint.measureText(tail).width <= width) return tail;
  }
  const last = parts[parts.length - 1];
  let low = 0, high = last.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    paint.measureText(last.slice(0, middle) + "\u2026").width <= width ? low = middle : high = middle - 1;
  }
  return low > 1 ? last.slice(0, low) + "\u2026" : "";
}
