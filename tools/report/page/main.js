// Puts the parts together: the facts, the selection, the views.

// The event with most samples; with --diff, an event that both recordings have.
function usualChoice() {
  const most = list => list.reduce((best, one) => !best || one.samples > best.samples ? one : best, null);
  const mate = one => model.series.find(other => other.file !== one.file && other.name === one.name);
  if (!model.changes) return {event: most(model.series)?.index ?? 0, other: null};
  const before = model.series.filter(one => one.file.number === 0), common = before.filter(mate), one = most(common.length ? common : before);
  return {event: one?.index ?? 0, other: (one && mate(one)?.index) ?? null};
}

function showFacts() {
  for (const file of model.files) {
    const {facts} = file, line = make("details", "", {className: "facts"}), head = make("summary"), list = make("dl");
    head.append(make("b", lastPart(facts.file)), " " + [facts.host, facts.CPU, facts.kernel && `Linux ${facts.kernel}`, facts.command].filter(Boolean).join(" \u00b7 "));
    for (const [key, value] of Object.entries(facts)) if (value) list.append(make("dt", key), make("dd", value));
    line.append(head, list);
    $("files").append(line);
  }
  for (const text of model.warnings) $("files").append(make("p", "\u26a0 " + text, {className: "soft warning"}));
  document.title = model.files.map(file => lastPart(file.facts.file)).join(", ") + " \u2013 evname report";
}

// Returns what the page has for times that are longer than the selected one, and these times.
function coarseTimes(one) {
  const stacks = stackTime(one.file, state.time), functions = functionTime(one.file, selection()), same = (a, b) => a[0] === b[0] && a[1] === b[1];
  if (!state.time) return [];
  return (same(stacks, functions) ? [["functions and stacks", stacks]] : [["functions", functions], ["stacks", stacks]]).filter(([, time]) => !same(time, state.time));
}

// Shows the selection, and the command that prints the same, if there is one.
function showSelection() {
  const one = sides()[0], sums = sumsBy(one), out = $("selection"), part = state.time || state.threads || state.cpus;
  const chip = (text, parts) => { const button = make("button", `${text} \u2715`, {className: "chip", title: "select all again"}); button.onclick = () => change(parts); return button; };
  const all = sumsOf(one, {time: null, threads: null, cpus: null})[unit()];
  out.replaceChildren(make("b", amount(sums[unit()]), {id: "total"}));
  out.append(part ? ` of ${figure(all)} (${percent(all ? sums[unit()] / all : 0)})` : "");
  if (model.timed && !state.time && sums.samples > 1) out.append(` in ${seconds(model.oneClock ? model.all : one.file.duration)} s`);
  if (state.time) out.append(chip(`${seconds(state.time[0])} s to ${seconds(state.time[1])} s`, {time: null}));
  for (const [what, time] of coarseTimes(one))
    out.append(make("span", `${what}: of ${seconds(time[0])} s to ${seconds(Math.min(time[1], model.end))} s `, {className: "coarse-time", title: "The recording is so large that the page has these for longer times only."}));
  if (state.threads) out.append(chip([...state.threads].slice(0, 3).join(", ") + (state.threads.size > 3 ? ` and ${state.threads.size - 3} more` : ""), {threads: null}));
  if (state.cpus) out.append(chip("CPU " + [...state.cpus].sort((a, b) => a - b).slice(0, 8).join(", ") + (state.cpus.size > 8 ? " \u2026" : ""), {cpus: null}));
  if (sums.lost) out.append(make("span", ` ${count(sums.lost)} lost`, {className: "lost"}));
  if (sums.throttled) out.append(make("span", ` throttled ${count(sums.throttled)} times`, {className: "lost"}));
  out.title = commandOf(one) ?? "";
}

function buildControls() {
  const options = model.series.map(one => [one.index, one.label]);
  for (const [value, text] of options) $("event").append(make("option", text, {value}));
  for (const [value, text] of [["", "nothing"], ...options]) $("other").append(make("option", text, {value}));
  $("other").parentElement.hidden = model.series.length < 2;
  if (model.series.every(one => one.ns)) { $("value").options[0].textContent = "waits"; $("value").options[1].textContent = "time (s)"; }
  $("event").onchange = () => change({event: +$("event").value, ...(model.changes ? {other: usualMate(+$("event").value)} : {})});
  $("other").onchange = () => change({other: $("other").value === "" ? null : +$("other").value});
  $("value").onchange = () => change({value: +$("value").value});
  $("color").onchange = () => change({color: $("color").value}, true);
  $("parameters").onchange = () => change({parameters: $("parameters").checked}, true);
  $("search").oninput = () => change({search: $("search").value}, true);
  for (const [i, view] of kViews.entries()) {
    const tab = make("button", view.title, {id: "tab-" + view.id, title: i < 9 ? `key ${i + 1}` : ""});
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", "view");
    tab.onclick = () => change({view: view.id});
    $("tabs").append(tab);
  }
  $("tabs").onkeydown = event => {
    const way = {ArrowLeft: -1, ArrowRight: 1}[event.key], at = kViews.findIndex(view => view.id === state.view);
    if (!way) return;
    change({view: kViews[(at + way + kViews.length) % kViews.length].id});
    $("tab-" + state.view).focus();
  };
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const view = kViews[+event.key - 1];
    if (view) change({view: view.id});
    if (event.key === "/") { event.preventDefault(); $("search").focus(); }
  });
}
const usualMate = index => { const one = model.series[index]; return model.series.find(other => other.file !== one.file && other.name === one.name)?.index ?? null; };

function show() {
  const place = $("view"), view = kViews.find(one => one.id === state.view);
  $("event").value = state.event; $("other").value = state.other ?? ""; $("value").value = state.value;
  $("color").value = state.color; $("parameters").checked = state.parameters;
  if ($("search").value !== state.search) $("search").value = state.search;
  for (const one of kViews) { $("tab-" + one.id).setAttribute("aria-selected", String(one === view)); $("tab-" + one.id).tabIndex = one === view ? 0 : -1; }
  const tabs = $("tabs"), tab = $("tab-" + view.id);
  if (tab.offsetLeft < tabs.scrollLeft || tab.offsetLeft + tab.offsetWidth > tabs.scrollLeft + tabs.clientWidth) tabs.scrollLeft = tab.offsetLeft - tabs.clientWidth / 3;
  hideTip();
  showSelection();
  strip.show();
  view.show(place);
}

// Shows the data of a page; a viewer may call it with its own data.
function openPage(data) {
  model = unpack(data);
  model.usual = usualChoice();
  showFacts();
  if (model.series.length === 0) return $("view").append(make("p", "The recording has no events.", {className: "soft"}));
  kViews.splice(kViews.findIndex(view => view.id === "lines") + 1, 0, ...[instructionsView()].filter(Boolean));
  kViews.push(...[metricsView(), memoryView(), branchesView(), rowsView()].filter(Boolean));
  buildControls();
  readAddress();
  show();
  addEventListener("popstate", () => { readAddress(); show(); });
  let waiting = 0;
  const redraw = () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(show); };
  addEventListener("resize", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}
openPage(JSON.parse($("data").textContent));
