// Puts the parts together.
for (const file of data.files) {
  const list = make("dl");
  for (const [key, value] of Object.entries(file.facts)) if (value) list.append(make("dt", key), make("dd", value));
  $("files").append(list);
}
for (const text of data.warnings) $("warnings").append(make("p", text, {className: "soft"}));

const eventTable = new Table($("event-table"), [
  textColumn("label", "event", row => chooseEvent(row.index)), numberColumn("samples", "samples"), shareColumn("share", "share"),
  numberColumn("period", "period"), timeColumn("first", "first"), timeColumn("last", "last"), numberColumn("lost", "lost"),
  numberColumn("throttled", "throttled")], "samples", {chosen: row => row.index === state.event});
const laneColumns = name => [textColumn("name", name), numberColumn("samples", "samples"), shareColumn("share", "share"),
  numberColumn("period", "period"), timeColumn("first", "first"), timeColumn("last", "last")];
const threadTable = new Table($("thread-table"), laneColumns("thread"), "samples");
const cpuTable = new Table($("cpu-table"), laneColumns("CPU"), "samples");
const timeline = new Timeline($("lanes"), () => { showPick(); showTables(); });

function withShares(rows) {
  const total = rows.reduce((sum, row) => sum + row.samples, 0);
  for (const row of rows) row.share = total ? row.samples / total : 0;
  return rows;
}
// Of a part of the time, throttling is not known: its records are counted by event alone.
function eventRows() {
  return series.map(one => isWhole() ? {...one}
    : {...one, ...sumOf(one.lanes[0][0], one.file), throttled: one.throttled > 0 ? null : 0});
}
const laneRows = of => series[state.event].lanes[of].map(lane => isWhole() ? {...lane} : {...lane, ...sumOf(lane, series[state.event].file)});
function showTables() {
  eventTable.set(withShares(eventRows()));
  threadTable.set(withShares(laneRows(1)));
  cpuTable.set(withShares(laneRows(2)));
}
function showPick() {
  $("from").value = seconds(state.pick[0]); $("to").value = seconds(state.pick[1]);
  $("span").textContent = isWhole() ? `whole recording: ${seconds(whole[1] - whole[0])} s`
    : `${seconds(state.pick[1] - state.pick[0])} s, in steps of ${seconds(step)} s`;
}

// Flame graph and functions.
const flame = new Flame($("flame-canvas"), text => { $("flame-text").textContent = text; });
const functionTable = new Table($("function-table"), [
  textColumn("name", "function", row => search(row.name)), numberColumn("self", "self"), shareColumn("selfShare", "self share"),
  numberColumn("all", "with callees"), shareColumn("allShare", "share"), {key: "change", title: "change of self", text: row => points(row.change)}], "self");
const options = series.map(one => [one.index, one.label]);
for (const [value, text] of options) $("flame-event").append(make("option", text, {value}));
for (const [value, text] of [["", "nothing"], ...options]) $("flame-other").append(make("option", text, {value}));

function showFlame() {
  const value = +$("flame-value").value, other = $("flame-other").value;
  const sides = [series[state.event]];
  if (other !== "") sides.push(series[+other]);
  const root = joinTrees(sides.map(one => treeOf(one, value))), share = (n, side) => root.total[side] ? n / root.total[side] : 0;
  flame.set(root, other !== "");
  $("function-table").classList.toggle("alone", other === "");
  functionTable.set(functionsOf(sides, value).map(row => ({name: row.name, self: row.own[0], selfShare: share(row.own[0], 0),
    all: row.total[0], allShare: row.total[0] === null ? null : share(row.total[0], 0), change: other === "" ? 0 : share(row.own[1], 1) - share(row.own[0], 0)})));
  $("flame-text").textContent = root.total[0] + root.total[1] === 0 ? "This event has no samples with stacks."
    : other === "" ? "Of the whole recording. Click a frame to zoom in; arrow keys go from frame to frame, Enter zooms, Escape resets."
    : "Widths are the mean of both shares; red frames have a larger share in the other, blue ones a smaller.";
  const folded = data.files.reduce((sum, file) => sum + file.stacks.folded, 0);
  $("flame-note").textContent = folded ? `${count(folded)} samples had rare stacks, which are cut short: their ends are in "(smaller stacks)".` : "";
  find();
}
function find() {
  const text = $("search").value, pattern = text.match(/^\/(.+)\/$/);
  let regex = null;
  try { regex = pattern && new RegExp(pattern[1]); } catch { regex = null; }
  flame.find = !text ? null : regex ? name => regex.test(name) : name => name.toLowerCase().includes(text.toLowerCase());
  flame.draw();
  if (flame.find && flame.root) $("flame-text").textContent = `${percent(flame.matched())} of the samples are in or below frames with ${text}`;
}
function search(name) {
  $("search").value = name; find();
  $("flame").scrollIntoView({block: "start"});
}
// With --diff, an event is compared with that of the same name in the other recording.
const sameEvent = one => series.find(other => other.number !== one.number && other.name === one.name)?.index ?? "";
function chooseEvent(index) {
  state.event = index;
  if (data.changes) $("flame-other").value = sameEvent(series[index]);
  $("flame-event").value = index;
  for (const place of document.querySelectorAll(".of-event")) place.textContent = "of " + series[index].label;
  for (const [id, of] of [["threads", 1], ["cpus", 2]]) {
    const none = series[index].lanes[of].length === 0;
    $(id).hidden = $(id + "-link").hidden = $("lanes-of").options[of].disabled = none;
    if (none && timeline.of === of) { timeline.of = 0; $("lanes-of").value = 0; timeline.build(); }
  }
  if (timeline.of > 0) timeline.build();
  showTables(); showFlame();
}

$("flame-event").onchange = () => chooseEvent(+$("flame-event").value);
$("flame-other").onchange = $("flame-value").onchange = showFlame;
$("icicle").onchange = () => { flame.icicle = $("icicle").checked; flame.draw(); flame.turn(); };
$("search").oninput = find;
$("unzoom").onclick = () => flame.zoom(flame.root);
$("lanes-of").onchange = () => { timeline.of = +$("lanes-of").value; timeline.limit = kLanesShown; timeline.build(); };
$("from").onchange = $("to").onchange = () => timeline.choose(+$("from").value, +$("to").value);
$("zoom").onclick = () => { state.view = [...state.pick]; timeline.draw(); };
$("whole").onclick = () => { state.view = [...whole]; timeline.choose(...whole); timeline.draw(); };
const redraw = () => { timeline.draw(); flame.draw(); };
addEventListener("resize", redraw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

// Rows as the command would print them, in its order.
if (data.changes) {
  $("rows").hidden = $("rows-link").hidden = false;
  $("rows-title").textContent = `Changes by ${data.keys.join(", ")}, from the first recording to the second`;
  const columns = data.keys.map((key, i) => ({key: "key" + i, title: key, left: true, text: row => String(row["key" + i] ?? "-")}));
  const changeTable = new Table($("row-table"), [...columns, numberColumn("before", "before"), numberColumn("after", "after"),
    shareColumn("shareBefore", "share before"), shareColumn("shareAfter", "share after"), {key: "change", title: "change", text: row => points(row.change)},
    numberColumn("periodBefore", "period before"), numberColumn("periodAfter", "period after")], null);
  changeTable.set(data.changes.map(([keys, before, after, shareBefore, shareAfter, periodBefore, periodAfter]) =>
    ({...Object.fromEntries(keys.map((key, i) => ["key" + i, key])), before, after, shareBefore, shareAfter, change: shareAfter - shareBefore, periodBefore, periodAfter})));
  if (data.more_changes) $("row-table").append(make("p", `${count(data.more_changes)} more rows are left out`, {className: "soft"}));
}
if (data.files.some(file => file.rows)) {
  $("rows").hidden = $("rows-link").hidden = false;
  $("rows-title").textContent = "By " + data.keys.join(", ");
  const columns = data.keys.map((key, i) => ({key: "key" + i, title: key, left: true, text: row => String(row["key" + i] ?? "-")}));
  const rowTable = new Table($("row-table"), [...(several ? [textColumn("file", "recording")] : []), ...columns, numberColumn("samples", "samples"),
    shareColumn("share", "share"), numberColumn("period", "period"), timeColumn("first", "first"), timeColumn("last", "last")], null);
  rowTable.set(data.files.flatMap((file, number) => (file.rows ?? []).map(([keys, samples, share, period, first, last]) =>
    ({file: `${number + 1}: ${shortName(file.facts.file)}`, ...Object.fromEntries(keys.map((key, i) => ["key" + i, key])), samples, share, period, first, last}))));
}

const found = {recording: "named when recorded", kernel: "generic event of the kernel",
  tables: "event table of the model", code: "no name has this code"};
new Table($("name-table"), [textColumn("label", "event"), textColumn("recorded", "recorded as"), textColumn("pmu", "PMU"), textColumn("code", "code"),
  {key: "named_by", title: "found by", left: true, text: row => found[row.named_by]}], null).set(series);

if (data.changes) {
  const before = series.filter(one => one.number === 0), common = before.filter(one => sameEvent(one) !== "");
  const most = (common.length ? common : before).reduce((most, one) => !most || one.samples > most.samples ? one : most, null);
  if (most) state.event = most.index;
}
if (series.length) { timeline.build(); showPick(); chooseEvent(state.event); }
