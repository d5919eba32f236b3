// Branch stacks: the most frequent branches, how often they were mispredicted, and loops by their last branch.

// "f(int)+0x1c" without the parameters of the function.
function shownAddress(text) {
  const name = model.texts[text], plus = name.lastIndexOf("+0x");
  return plus < 0 ? name : shortName(name.slice(0, plus), state.parameters) + name.slice(plus);
}
const lineText = line => model.texts[line] === "-" ? "" : lastPart(model.texts[line]);

// The rows of an event, with what the tables show.
function branchesOf(one) {
  const {branches} = one.file, all = branches.events.get(one.place) ?? 0, read = new Map();
  const sourceText = line => {
    const [path, number] = placeOf(line);
    if (!read.has(path)) read.set(path, sourceOf(path));
    return read.get(path).get(number)?.trim() ?? "";
  };
  return branches.rows.filter(row => row.event === one.place).map(row => ({...row, share: row.count / all, from: shownAddress(row.fromAddress), to: shownAddress(row.toAddress),
    fromPlace: lineText(row.fromLine), toPlace: lineText(row.toLine), text: sourceText(row.fromLine), begin: sourceText(row.toLine),
    missed: row.predicted + row.mispredicted ? row.mispredicted / (row.predicted + row.mispredicted) : null, mean: row.timed ? row.cycles / row.timed : null, least: row.timed ? row.least : null,
    trips: row.left ? 1 + (row.again + row.left) / row.left : null, turn: row.turnTimed ? row.turnCycles / row.turnTimed : null}));
}
const fraction = n => n === null ? "-" : n < 100 ? n.toFixed(1) : count(n);

// Returns null if no recording has branch stacks.
function branchesView() {
  if (!model.files.some(file => file.branches)) return null;
  return {id: "branches", title: "Branches", show(place) {
    const one = sides()[0];
    if (!one.file.branches?.events.has(one.place))
      return fill(place, make("p", `The samples of ${one.label} have no branch stacks; another event has them.`, {className: "soft"}));
    if (!this.table) this.build();
    fill(place, this.head, this.table.at, this.loopHead, this.loops.at);
    const test = searcher(state.search), found = row => !test || [row.fromAddress, row.toAddress, row.fromLine, row.toLine].some(text => test(model.texts[text]));
    const rows = keep("branches", [state.event, state.parameters], () => branchesOf(one)).filter(found), loops = rows.filter(row => row.taken > 0);
    const {branches} = one.file, part = state.time || state.threads || state.cpus;
    this.head.lastChild.textContent = `${count(branches.events.get(one.place))} branches${part ? " of the whole recording, whatever is selected" : ""}` + (branches.more ? `; ${count(branches.more)} rarer rows are left out` : "");
    for (const [key, used] of [["mean", row => row.timed], ["least", row => row.timed], ["inTransaction", row => row.inTransaction], ["aborted", row => row.aborted], ["text", row => row.text],
      ["fromPlace", row => row.fromPlace], ["toPlace", row => row.toPlace]]) this.table.hide(key, !rows.some(used));
    for (const [key, used] of [["turn", row => row.turnTimed], ["begin", row => row.begin], ["toPlace", row => row.toPlace]]) this.loops.hide(key, !loops.some(used));
    this.table.set(rows);
    this.loopHead.hidden = this.loops.at.hidden = loops.length === 0;
    this.loops.set(loops);
  }, build() {
    const at = id => make("div", "", {id}), whole = key => row => model.texts[row[key]];
    const table = (id, columns, order) => { const place = at(id); return Object.assign(new Table(place, columns, order, {size: "half"}), {at: place}); };
    const fractionColumn = (key, title, hint) => ({key, title, hint, text: row => fraction(row[key])}), code = (key, title) => ({key, title, left: true, code: true, text: row => row[key]});
    this.head = make("h2", "Branches ");
    this.head.append(make("span", "", {className: "soft", id: "branch-note"}));
    this.table = table("branch-table", [{...textColumn("from", "from"), whole: whole("fromAddress")}, {...textColumn("fromPlace", "line"), whole: whole("fromLine")}, code("text", "text"),
      {...textColumn("to", "to"), whole: whole("toAddress")}, {...textColumn("toPlace", "line"), whole: whole("toLine")}, numberColumn("count", "branches"), shareColumn("share", "share"),
      numberColumn("mispredicted", "mispredicted"), shareColumn("missed", "share mispredicted"), fractionColumn("mean", "mean cycles"), numberColumn("least", "least cycles"),
      numberColumn("inTransaction", "in transactions"), numberColumn("aborted", "aborted")], "count");
    this.loopHead = make("h2", "Loops ");
    this.loopHead.append(make("span", "by the branch that goes back to their begin; mean trips are of visits that went round", {className: "soft"}));
    this.loops = table("loop-table", [{...textColumn("to", "begin"), whole: whole("toAddress")}, {...textColumn("toPlace", "line"), whole: whole("toLine")}, code("begin", "text"),
      {...textColumn("from", "last branch"), whole: whole("fromAddress")}, numberColumn("taken", "times back"),
      fractionColumn("trips", "mean trips", row => `${count(row.again)} times round again, ${count(row.left)} times left; of the others the stacks do not tell`),
      fractionColumn("turn", "cycles of a turn"), shareColumn("missed", "mispredicted")], "taken");
  }};
}
