// The instructions of the functions with most samples, with the samples of each.

// Returns null if no recording has addresses of functions.
function instructionsView() {
  if (!model.files.some(file => file.instructions)) return null;
  return {id: "instructions", title: "Instructions", show(place) {
    const one = sides()[0], {instructions} = one.file;
    if (!instructions) return fill(place, make("p", `${one.label} has no samples with addresses.`, {className: "soft"}));
    if (!this.table) this.build();
    const total = sumIn(one, this.time(one)), test = searcher(state.search);
    const rows = keep("instructions", [state.event, state.value, state.parameters, selection()], () => instructions.functions.map(func => ({func, ...instructionsOf(one, func, selection(), state.value)}))
      .filter(row => row.sum > 0).map(row => ({...row, self: row.sum, share: total ? row.sum / total : 0, shown: shownText(row.func.name), module: lastPart(model.texts[row.func.dso])})))
      .filter(row => !test || test(model.texts[row.func.name]));
    if (rows.length === 0) return fill(place, make("p", "No function that the page has the instructions of has samples in this selection.", {className: "soft"}));
    this.chosen = this.rowFor(rows).func;
    this.note(one, total, rows);
    fill(place, this.head, this.place, this.listing);
    this.table.set(rows);
    this.list(one, this.chosen);
  }, build() {
    this.head = make("div", "", {id: "instructions-note", className: "soft"});
    this.place = make("div", "", {id: "instruction-functions"});
    const choose = row => { this.chosen = row.func; change({func: row.func.name}); };
    this.table = new Table(this.place, [{...textColumn("shown", "function", choose), whole: row => model.texts[row.func.name]}, {...textColumn("module", "file"), whole: row => model.texts[row.func.dso]},
      amountColumn("self", "itself"), shareColumn("share", "share")], "self", {size: "third", chosen: row => row.func === this.chosen});
    this.listing = make("div", "", {className: "listing", id: "instruction-list"});
  }, time: one => stackTime(one.file, state.time, one.file.instructions.width),
  // The function that was chosen here, or the chosen one of other views, or the one with most samples.
  rowFor(rows) {
    return rows.find(row => row.func === this.chosen && (state.func === null || row.func.name === state.func)) ?? rows.find(row => row.func.name === state.func)
      ?? rows.reduce((most, row) => row.self > most.self ? row : most);
  }, note(one, total, rows) {
    const {instructions} = one.file, time = this.time(one), left = total - rows.reduce((sum, row) => sum + row.self, 0);
    const lines = instructions.precision.filter(line => line.startsWith(one.name + ": "));
    if (state.time && (time[0] !== state.time[0] || time[1] !== state.time[1])) lines.push(`Instructions are of ${seconds(time[0])} s to ${seconds(Math.min(time[1], model.end))} s.`);
    if (instructions.more && left > 0 && !state.search) lines.push(`The page has the instructions of the functions with most samples; ${amount(left)} are in ${count(instructions.more)} others.`);
    fill(this.head, ...lines.map(line => make("p", line)));
  }, list(one, func) {
    const others = sides().slice(1).map(other => { const same = other.file === one.file ? func : sameFunction(other.file, func); return {one: other, same, by: same && instructionsOf(other, same, selection(), state.value)}; });
    const counts = [instructionsOf(one, func, selection(), state.value), ...others.map(other => other.by)], table = make("table", "", {className: "source instructions"}), body = table.createTBody();
    const indexes = others.map(other => new Map(other.same?.rows.map((row, index) => [row.address, index]) ?? []));
    const amounts = (row, index) => counts.map((side, i) => side?.rows.get(i === 0 || index < 0 ? index : indexes[i - 1].get(row.address)) ?? 0);
    const ran = Boolean(func.runs), blank = () => [...counts.flatMap(() => [make("td"), make("td")]), ...(ran ? this.runs(null) : [])];
    const folded = number => { if (number) body.insertRow().append(...blank(), make("td"), make("td", `\u22ee ${count(number)} ${number === 1 ? "instruction" : "instructions"}`, {className: "left soft"})); };
    this.columns(table, sides(), ran);
    const labels = this.labels(func.rows), names = new Map();
    let place = -1, inlined = -1, hottest = null, most = 0;
    func.rows.forEach((row, index) => {
      folded(row.folded);
      if (row.place >= 0 && (row.place !== place || row.inlined !== inlined)) body.insertRow().append(...blank(), make("td"), this.source(row));
      ({place, inlined} = row);
      const line = body.insertRow(), own = amounts(row, index);
      line.append(...this.counts(own, counts), ...(ran ? this.runs(row.run) : []), make("td", row.address, {className: "soft code"}), this.instruction(row, index, labels, names));
      names.set(index, line);
      if (own[0] > most) [hottest, most] = [line, own[0]];
    });
    folded(func.folded);
    const outside = amounts(null, -1);
    if (outside.some(Boolean)) body.insertRow().append(...this.counts(outside, counts), ...(ran ? this.runs(null) : []), make("td"), make("td", "outside of these instructions", {className: "left soft"}));
    const head = make("h2", shownText(func.name), {title: model.texts[func.name]}), box = make("div", "", {className: "scroll rest"}), parts = [head];
    if (ran) parts.push(make("p", "Branch stacks are of the whole recording and of all events.", {className: "soft"}));
    if (func.problem) parts.push(make("p", func.problem, {className: "soft"}));
    for (const other of others) if (!other.same) parts.push(make("p", `The recording of ${other.one.label} has no such function of the same file.`, {className: "soft"}));
    box.append(table);
    const scrolled = this.box?.scrollTop;
    fill(this.listing, ...parts, box);
    const shown = [state.event, func.number, one.file.number].join();
    if (hottest && this.shown !== shown) box.scrollTop = hottest.offsetTop - box.clientHeight / 2;
    else if (scrolled) box.scrollTop = scrolled;
    Object.assign(this, {box, shown});
  }, runs(run) {
    const judged = run ? run.predicted + run.mispredicted : 0;
    return [run?.executed ? count(run.executed) : "", judged ? percent(run.mispredicted / judged) : "", run?.timed ? fraction(run.cycles / run.timed) : "", run?.ipc ? (run.ipc / 100).toFixed(2) : ""].map(text => make("td", text));
  }, columns(table, all, ran) {
    const head = table.createTHead().insertRow();
    for (const side of all) head.append(make("th", side.label, {colSpan: 2, scope: "colgroup"}));
    if (ran) head.append(...[["executed", "how often it ran between two branches of a stack"], ["mispredicted", "share of the branches that begin here"], ["cycles", "mean, since the branch before"],
      ["IPC", "instructions per cycle of the longest block that ends here"]].map(([text, title]) => make("th", text, {title})));
    head.append(make("th", "address"), make("th", "instruction", {className: "left"}));
  }, counts(own, sums) {
    return own.flatMap((self, i) => {
      const share = sums[i]?.sum ? self / sums[i].sum : 0, cell = make("td", self ? percent(share) : "");
      cell.style.background = self ? `color-mix(in srgb, var(--hot) ${Math.min(90, 12 + share * 250)}%, transparent)` : "";
      return [make("td", self ? figure(self) : ""), cell];
    });
  }, source(row) {
    const [path, number] = placeOf(row.place), cell = make("td", `${lastPart(path)}:${number}`, {className: "left soft", title: model.texts[row.place]});
    cell.append(" ", make("span", sourceOf(path).get(number)?.trim() ?? "", {className: "code"}));
    if (row.inlined >= 0) {
      const calls = model.texts[row.inlined].split("\n");
      cell.append(make("span", ` [${calls.map(name => shortName(name, state.parameters)).join(" < ")}]`, {title: calls.join(" < ")}));
    }
    return cell;
  }, labels(rows) {
    return new Map([...new Set(rows.map(row => row.target).filter(target => target >= 0))].sort((a, b) => a - b).map((target, i) => [target, `L${i + 1}`]));
  }, instruction(row, index, labels, lines) {
    const cell = make("td", "", {className: "left code"}), label = labels.get(index);
    cell.append(make("b", label ? `${label}:`.padEnd(6) : "      "), row.text);
    if (row.target < 0) return cell;
    const link = make("button", `${row.target > index ? "\u2193" : "\u2191"} ${labels.get(row.target)}`, {className: "jump", title: "show the target"});
    link.onclick = () => { const line = lines.get(row.target); line.scrollIntoView({block: "center"}); for (const other of lines.values()) other.className = other === line ? "chosen" : ""; };
    cell.append(" ", link);
    return cell;
  }};
}
