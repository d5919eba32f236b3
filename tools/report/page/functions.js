// Functions with their samples, without and with their callees; other events beside them; source lines.
kViews.push({id: "functions", title: "Functions", show(place) {
  const one = sides()[0], metrics = chosenMetrics(one), columns = metrics.map(metric => metric.name).join(",");
  if (this.columns !== columns) {
    this.columns = columns;
    const order = this.table?.order;
    this.tools = make("div", "", {className: "tools"});
    const label = make("label", "beside "), list = make("select", "", {id: "beside"});
    list.append(make("option", "nothing", {value: ""}), ...model.series.map(one => make("option", one.label, {value: one.index})));
    list.onchange = () => show();
    label.append(list);
    this.tools.append(label, make("span", "", {className: "soft grow", id: "function-note"}));
    this.tools.firstChild.hidden = model.series.length < 2;
    this.place = make("div", "", {id: "function-table"});
    const choose = row => { if (row.name >= 0) change({view: "callers", func: row.name}); };
    this.table = new Table(this.place, [
      {...textColumn("shown", "function", choose), whole: row => row.whole}, {key: "module", title: "file", left: true, text: row => row.module},
      amountColumn("self", "itself"), shareColumn("selfShare", "share"), amountColumn("all", "with callees"), shareColumn("allShare", "share"),
      {key: "change", title: "change of itself", text: row => points(row.change)}, numberColumn("beside", "beside, itself"),
      {key: "ratio", title: "per period of it", text: row => row.ratio === null ? "-" : row.ratio.toPrecision(3)}, ...metricColumns(metrics)], "self", {size: "tall"});
    if (order && this.table.columns.some(column => column.key === order.key && !order.key.startsWith("metric"))) this.table.order = order;
  }
  fill(place, this.tools, this.place);
  const beside = $("beside").value, test = searcher(state.search), other = state.other === null ? null : functionsBy(1);
  const mates = beside === "" ? null : keep("beside", [beside, selection()], () => functionsOf(model.series[+beside], selection(), 1));
  const periods = mates && functionsBy(0, 1);
  for (const key of ["beside", "ratio"]) this.table.hide(key, !mates);
  this.table.hide("change", !other);
  const valuesIn = keep("metrics", [one.index, columns, selection()], () => metricsOfFunctions(one));
  const total = functionTotalBy(0), otherTotal = other ? functionTotalBy(1) : 0, rows = [], names = new Set([...functionsBy(0).keys(), ...(other?.keys() ?? [])]);
  for (const name of names) {
    const row = functionsBy(0).get(name) ?? {self: 0, all: 0, frame: null}, mine = row.frame ?? other?.get(name)?.frame;
    if (test && !(name >= 0 && test(model.texts[name]))) continue;
    const mate = mates?.get(name)?.self ?? 0;
    rows.push({name, shown: shownText(name), whole: name < 0 ? hasTimedFunctions(one.file, selection()) ? "less busy functions, which the page has for longer times only" : "functions of cut stacks that have no row" : model.texts[name],
      module: mine && mine.dso >= 0 ? lastPart(model.texts[mine.dso]) : "-", self: row.self, selfShare: total ? row.self / total : 0,
      all: name < 0 ? null : row.all, allShare: name < 0 ? null : total ? row.all / total : 0,
      change: other ? (otherTotal ? (other.get(name)?.self ?? 0) / otherTotal : 0) - (total ? row.self / total : 0) : 0,
      beside: mate, ratio: mates && mate > 0 ? periods.get(name)?.self / mate : null, ...valuesIn(name)});
  }
  const found = rows.reduce((sum, row) => sum + row.self, 0);
  $("function-note").textContent = `${count(rows.length)} functions` + (test ? ` with ${state.search}: ${amount(found)}, ${percent(total ? found / total : 0)}` : "")
    + (hasTimedFunctions(one.file, selection()) ? `, those with most ${model.waits ? "waits" : "samples"}; longer times or threads have all.` : `, of all ${model.waits ? "waits" : "samples"} of the selection.`) + " A name leads to its callers." + (one.file.metrics ? " Metrics has more columns." : "");
  rows.sort((a, b) => b.all - a.all);  // the order of rows that are equal in the sorted column
  this.table.set(rows);
}});
