// The state as an address, for links to views and for the back button; and as a command.
const kViews = [];  // {id, title, show(place)}: each view's file adds its own

// Items of a list may have commas.
const lists = {
  pack: set => set ? [...set].map(item => String(item).replace(/[%,]/g, encodeURIComponent)).join(",") : null,
  unpack: (text, as) => text ? new Set(text.split(",").map(item => as(item.replaceAll("%2C", ",").replaceAll("%25", "%")))) : null,
};
// Numbers of texts are valid in this page only, so links have the names.
function addressOf() {
  const out = new URLSearchParams(), put = (key, value) => { if (value !== null && value !== "" && value !== undefined) out.set(key, value); };
  put("v", state.view);
  put("e", state.event);
  put("o", state.other);
  put("f", state.func === null ? null : model.texts[state.func]);
  put("t", state.time && state.time.map(ns => +(ns / 1e9).toFixed(9)).join(","));
  put("s", state.span && state.span.map(ns => +(ns / 1e9).toFixed(9)).join(","));
  put("th", lists.pack(state.threads));
  put("c", lists.pack(state.cpus));
  put("q", state.search);
  put("z", state.zoom || null);
  put("u", state.value === usualValue() ? null : state.value);
  put("k", state.color === "module" ? null : state.color);
  put("p", state.parameters ? 1 : null);
  put("i", state.icicle ? 1 : null);
  if (state.metrics) out.set("m", lists.pack(state.metrics));
  return "#" + out;
}
function readRange(text) {
  const [from, to] = (text ?? "").split(",").map(part => Math.round(parseFloat(part) * 1e9));
  return from >= 0 && from < model.end && to > from ? snapped(from, to) : null;
}
// Without callers, a flame graph would have one row.
const usualView = one => one.file.hasCallers ? "flame" : "functions";
function readAddress() {
  const from = new URLSearchParams(location.hash.slice(1)), number = (key, end) => { const n = parseInt(from.get(key)); return n >= 0 && n < end ? n : null; };
  const func = from.get("f") === null ? -1 : model.texts.indexOf(from.get("f"));
  state.func = func < 0 ? null : func;
  state.view = kViews.some(view => view.id === from.get("v")) ? from.get("v") : state.func !== null ? "callers" : null;
  state.event = number("e", model.series.length) ?? model.usual.event;
  state.view ??= usualView(model.series[state.event]);
  state.other = from.has("e") ? number("o", model.series.length) : model.usual.other;
  state.time = readRange(from.get("t"));
  state.span = readRange(from.get("s"));
  state.threads = lists.unpack(from.get("th"), String);
  state.cpus = lists.unpack(from.get("c"), Number);
  state.search = from.get("q") ?? "";
  state.zoom = number("z", 1 << 30) ?? 0;
  state.value = number("u", 2) ?? usualValue();
  state.color = Object.hasOwn(groupOf, from.get("k") ?? "") ? from.get("k") : "module";
  state.parameters = from.has("p");
  state.icicle = from.has("i");
  state.metrics = from.has("m") ? lists.unpack(from.get("m"), String) ?? new Set() : null;
}

// Changes the state and shows it. `passing`: the back button skips this state.
function change(parts, passing = false) {
  if ("event" in parts || "other" in parts) parts = {zoom: 0, ...parts};
  Object.assign(state, parts);
  const address = addressOf();
  if (address !== location.hash) passing ? history.replaceState(null, "", address) : history.pushState(null, "", address);
  show();
}

// A range of time, rounded to the ends of bins.
function snapped(a, b) {
  const {step, end} = model, snap = t => Math.min(end, Math.max(0, Math.round(t / step) * step));
  let from = snap(Math.min(a, b)), to = snap(Math.max(a, b));
  if (from === to) to < end ? to = Math.min(end, from + step) : from = Math.max(0, to - step);
  return from <= 0 && to >= end ? null : [from, to];
}
const spanOf = () => state.span ?? [0, model.end || 1];

// The options that select threads by their names and numbers. Returns null if they would select others, too.
function threadWords(file, names) {
  const threads = file.threads.filter(thread => names.has(thread.label)), comms = new Set(threads.map(thread => thread.comm)), tids = new Set(threads.map(thread => thread.tid));
  const labels = new Set(threads.map(thread => thread.label)), named = [...comms].every(comm => comm && !comm.includes(","));
  const others = file.threads.some(thread => !labels.has(thread.label) && tids.has(thread.tid) && (!named || comms.has(thread.comm)));
  const folded = file.folded_threads > 0 && (!named || comms.size > 1);  // folded threads may have the same numbers
  if (threads.length === 0 || names.has(`${file.folded_threads} others`) || names.has("(unknown)") || others || folded) return null;
  return [...(named ? ["--comm", [...comms].join(",")] : []), "--tid", [...tids].join(",")];
}
// The command that prints the selection; null if there is none.
const quoted = word => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
function commandOf(one) {
  const words = ["evname", "report", ...(model.waits ? ["--waiting"] : []), "--sort", "sym", "--children", "--event", one.name.replace(/[*?[\]\\]/g, "?")];
  if (state.time) {
    const [from, to] = binsOf(one.file, functionTime(one.file, selection())), at = bin => one.file.first + BigInt(bin - 1) * BigInt(one.file.width);
    words.push("--time", `${clockTime(at(Math.max(1, from)))},${clockTime(at(to) - 1n)}`);
  }
  const threads = state.threads ? threadWords(one.file, state.threads) : [];
  if (!threads || (state.cpus && [...state.cpus].some(cpu => cpu < 0))) return null;
  words.push(...threads);
  if (state.cpus) words.push("--cpu", [...state.cpus].join(","));
  return [...words, one.file.facts.file].map(quoted).join(" ");
}
