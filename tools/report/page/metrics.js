// Metrics of the selection, and the top-down tree of the CPU. A tick makes a metric a column of the functions.

// Values from fewer samples are rough guesses; the command folds such rows, too.
const kFewSamples = 10;

// The sums of each event in the whole selection, for metrics.
const countsBy = one => one.file.events.map((_, place) => sumsBy(model.series[one.index - one.place + place]).period);
const valueText = (value, unit) => (value === null ? "-" : Math.abs(value) >= 10000 ? count(value) : value === 0 ? "0" : value.toPrecision(4)) + (value !== null && unit === "%" ? "\u00a0%" : "");

// The metrics that are columns: the chosen ones, else instructions per cycle, or the first metric of several events.
function chosenMetrics(one) {
  const list = one.file.metrics?.list ?? [];
  if (state.metrics) return list.filter(metric => state.metrics.has(metric.name));
  const usual = list.find(metric => metric.name === "ipc") ?? list.find(metric => new Set(metric.events).size > 1);
  return usual ? [usual] : [];
}

// For each function the values of the chosen metrics, as `metric0`, and the samples of the rarest event as `few0`.
function metricsOfFunctions(one) {
  const chosen = chosenMetrics(one);
  if (chosen.length === 0) return () => ({});
  const needed = [...new Set(chosen.flatMap(metric => metric.events))];
  const series = place => model.series[one.index - one.place + place], of = value => new Map(needed.map(place => [place, functionsOf(series(place), selection(), value)]));
  const periods = of(1), samples = of(0), out = new Map();
  return name => {
    if (out.has(name)) return out.get(name);
    const of = (sums, place) => sums.get(place)?.get(name)?.self ?? 0, values = valuesOf(one.file.metrics, place => of(periods, place)), row = {};
    chosen.forEach((metric, i) => {
      row["metric" + i] = values(metric.value);
      row["few" + i] = Math.min(...metric.events.map(place => of(samples, place)));
    });
    out.set(name, row);
    return row;
  };
}
const metricColumns = chosen => chosen.map((metric, i) => ({key: "metric" + i, title: metric.name, text: row => valueText(row["metric" + i], metric.unit),
  hint: row => `${metric.desc} (${metric.unit}): its rarest event has ${count(row["few" + i])} samples here`, soft: row => row["few" + i] < kFewSamples}));

// Returns null if no recording has the events of a metric.
function metricsView() {
  if (!model.files.some(file => file.metrics)) return null;
  return {id: "metrics", title: "Metrics", show(place) {
    const one = sides()[0];
    if (!one.file.metrics) return fill(place, make("p", `The recording of ${one.label} has no metric whose events were all recorded.`, {className: "soft"}));
    if (!this.table) this.build();
    const {metrics} = one.file, counts = countsBy(one), sums = one.file.events.map((_, at) => sumsBy(model.series[one.index - one.place + at]).samples);
    const values = valuesOf(metrics, at => counts[at]), columns = new Set(chosenMetrics(one)), test = searcher(state.search);
    const rows = metrics.list.map(metric => ({...metric, metric, number: values(metric.value), beyond: metric.threshold !== null && values(metric.threshold) > 0,
      samples: Math.min(...metric.events.map(at => sums[at])), isColumn: columns.has(metric) ? 1 : 0}));
    this.drawTree(metrics.tree ?? [], rows);
    this.table.set(rows.filter(row => !test || test(row.name) || test(row.desc)));
    fill(place, ...((metrics.tree ?? []).length ? [this.treeHead, this.tree] : []), this.head, this.place);
  }, build() {
    this.treeHead = make("h2", "Top-down ");
    this.treeHead.append(make("span", "what the cycles of the selection were spent on; \u25cf: beyond its threshold, as are the nodes above it", {className: "soft"}));
    this.tree = make("div", "", {id: "topdown-tree", className: "scroll"});
    this.head = make("h2", "Metrics of the selection ");
    this.head.append(make("span", "a count is the sum of the periods of an event's samples; a tick makes a column of the functions", {className: "soft"}));
    this.place = make("div", "", {id: "metric-table"});
    const toggle = row => {
      const names = new Set(chosenMetrics(sides()[0]).map(metric => metric.name));
      names.delete(row.name) || names.add(row.name);
      change({metrics: names}, true);
    };
    this.table = new Table(this.place, [{key: "isColumn", title: "column", text: row => row.isColumn ? "\u2611" : "\u2610", action: toggle, hint: () => "a column of the functions"}, textColumn("name", "metric"),
      {key: "number", title: "value", text: row => valueText(row.number, row.unit), soft: row => row.samples < kFewSamples},
      textColumn("unit", "unit"), numberColumn("samples", "samples of the rarest event"), textColumn("desc", "description")], "isColumn", {size: "tall"});
  }, drawTree(nodes, rows) {
    const table = make("table", "", {className: "topdown"}), head = table.createTHead().insertRow(), body = table.createTBody(), flagged = [];
    for (const title of ["node", "value", "", "samples"]) head.append(make("th", title, {scope: "col", className: title === "node" ? "left" : ""}));
    nodes.forEach((node, i) => {
      const row = rows[node.metric], line = body.insertRow(), name = make("td", "", {className: "left", title: row.desc}), bar = make("td", "", {className: "share"});
      flagged[i] = row.beyond && (node.level === 1 || Boolean(flagged[node.parent]));
      if (flagged[i]) line.className = "flagged";
      name.style.paddingLeft = `${(node.level - 1) * 1.2 + 0.4}rem`;
      name.append(row.name, flagged[i] ? make("span", " \u25cf", {title: "beyond its threshold"}) : "");
      const meter = make("i");
      meter.style.width = Math.max(0, Math.min(100, row.number ?? 0)) + "%";
      bar.append(meter);
      line.append(name, make("td", row.number === null ? "-" : percent(row.number / 100), {title: node.share && `of ${node.share}`, className: row.samples < kFewSamples ? "soft" : ""}), bar, make("td", count(row.samples)));
    });
    this.tree.replaceChildren(table);
  }};
}
