// Source lines with their samples, and the text of a file with the samples beside it.

// "/src/a.cpp:12" as ["/src/a.cpp", 12].
const placeOf = line => { const text = model.texts[line], colon = text.lastIndexOf(":"); return [text.slice(0, colon), +text.slice(colon + 1)]; };
const sourceOf = path => {
  const flat = model.sources?.[path], lines = new Map();
  for (let i = 0; flat && i < flat.length; i += 2) lines.set(flat[i], flat[i + 1]);
  return lines;
};

kViews.push({id: "lines", title: "Lines", show(place) {
  if (!this.table) {
    this.place = make("div", "", {id: "line-table"});
    const choose = row => change({view: "callers", func: row.name});
    this.table = new Table(this.place, [{...textColumn("place", "source line", row => { this.chosen = placeOf(row.line); show(); }), whole: row => model.texts[row.line]},
      {key: "text", title: "text", left: true, code: true, text: row => row.text}, {...textColumn("shown", "function", choose), whole: row => model.texts[row.name]},
      amountColumn("self", "itself"), shareColumn("share", "share")], "self", {size: "half"});
    this.listing = make("div", "", {className: "listing"});
  }
  const lines = keep("lines", [state.event, state.value, selection()], () => linesOf(sides()[0], selection(), state.value));
  if (lines.length === 0) { fill(place, make("p", "No samples have source lines: the files that they are in have no debug information, or it is not on this machine.", {className: "soft"})); return; }
  fill(place, this.place, this.listing);
  const total = totalBy(0) || 1, test = searcher(state.search), read = new Map();
  const rows = lines.filter(row => !test || test(model.texts[row.line]) || test(model.texts[row.name])).map(row => {
    const [path, number] = placeOf(row.line);
    if (!read.has(path)) read.set(path, sourceOf(path));
    return {...row, place: `${lastPart(path)}:${number}`, text: read.get(path).get(number)?.trim() ?? "", shown: shownText(row.name), share: row.self / total};
  });
  this.table.set(rows);
  this.list(lines, total, this.chosen ?? placeOf(rows.reduce((most, row) => row.self > most.self ? row : most, rows[0] ?? lines[0]).line));
}, list(lines, total, [path, chosen]) {
  const text = sourceOf(path), sums = new Map();
  for (const row of lines) { const [of, number] = placeOf(row.line); if (of === path) sums.set(number, (sums.get(number) ?? 0) + row.self); }
  const head = make("h2", path), body = make("table", "", {className: "source"});
  let before = 0, target = null;
  for (const number of [...new Set([...text.keys(), ...sums.keys()])].sort((a, b) => a - b)) {
    if (before && number > before + 1) body.insertRow().append(make("td", "\u22ee"), make("td"), make("td"));
    const row = body.insertRow(), self = sums.get(number), share = (self ?? 0) / total, cell = make("td", self ? percent(share) : "");
    cell.style.background = self ? `color-mix(in srgb, var(--hot) ${Math.min(90, 12 + share * 250)}%, transparent)` : "";
    row.append(cell, make("td", String(number), {className: "soft"}), make("td", text.get(number) ?? "(the text is not on the machine that wrote this page)", {className: "left code" + (text.has(number) ? "" : " soft")}));
    if (number === chosen) { row.className = "chosen"; target = row; }
    before = number;
  }
  const box = make("div", "", {className: "scroll half"});
  box.append(body);
  fill(this.listing, head, box);
  if (target) box.scrollTop = target.offsetTop - box.clientHeight / 2;
}});
