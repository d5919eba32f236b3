// Events with their sums in the selection; losses over time; the requested rows; the sources of names.
kViews.push({id: "events", title: "Events", show(place) {
  if (!this.table) {
    this.place = make("div", "", {id: "event-table"});
    this.table = new Table(this.place, [
      textColumn("label", "event", row => change({event: row.index, view: usualView(row)})), numberColumn("samples", "samples"), shareColumn("share", "share"),
      {...numberColumn("period", "period"), text: row => row.ns ? `${seconds(row.period)} s` : count(row.period)},
      timeColumn("first", "first (s)"), timeColumn("last", "last (s)"), numberColumn("lost", "lost"),
      numberColumn("throttled", "throttled")], "samples", {chosen: row => row.index === state.event});
    this.names = make("div", "", {id: "name-table"});
    const found = {recording: "named when recorded", kernel: "generic event of the kernel", tables: "event table of the model", code: "no name has this code"};
    new Table(this.names, [textColumn("label", "event"), textColumn("recorded", "recorded as"), textColumn("pmu", "PMU"), textColumn("code", "code"),
      {key: "named_by", title: "found by", left: true, text: row => found[row.named_by]}], null).set(model.series);
  }
  const whole = !state.time && !state.threads && !state.cpus;
  const rows = model.series.map(one => {
    const sums = sumsBy(one), {file} = one, from = file.start - Number(0), begin = bin => Number(file.first) + (bin - 1) * file.width;
    return {...one, samples: sums.samples, period: sums.period, lost: whole ? one.lost : sums.lost, throttled: whole ? one.throttled : sums.throttled,
      first: whole ? one.first : sums.samples && sums.last ? Math.max(one.first, begin(sums.first)) : null,
      last: whole ? one.last : sums.samples && sums.last ? Math.min(one.last, begin(sums.last + 1)) : null};
  });
  const total = rows.reduce((sum, row) => sum + row.samples, 0);
  for (const row of rows) row.share = total ? row.samples / total : 0;
  this.table.set(rows);
  fill(place, make("h2", "Events of the selection"), this.place, make("h2", "How each name was found"), this.names);
}});

kViews.push({id: "markers", title: "Markers", show(place) {
  if (!this.table) {
    this.place = make("div", "", {id: "marker-table"});
    this.table = new Table(this.place, [timeColumn("at", "time (s)"), textColumn("label", "event"), textColumn("kind", "what", row => change({time: snapped(row.from, row.to), view: "flame"})),
      numberColumn("number", "number")], "at", {size: "tall"});
    this.table.order.up = true;
  }
  const rows = [];
  for (const one of model.series) {
    const {file} = one, [from, to] = binsOf(file, state.time);
    for (const loss of file.losses) {
      if (loss.event !== one.place || loss.bin < from || loss.bin >= to) continue;
      const start = file.start + (loss.bin - 1) * file.width, base = {label: one.label, at: Number(file.first) + (loss.bin - 1) * file.width, from: start, to: start + file.width};
      if (loss.lost) rows.push({...base, kind: "samples lost", number: loss.lost});
      if (loss.throttled) rows.push({...base, kind: "throttled", number: loss.throttled});
      if (loss.switches) rows.push({...base, kind: "threads switched out", number: loss.switches});
    }
  }
  if (rows.length === 0) return fill(place, make("p", "The time that is selected has no records of lost samples, throttled events or threads that were switched out.", {className: "soft"}));
  fill(place, this.place);
  this.table.set(rows);
}});

// The rows that the command would print, in its order, for the whole recordings.
function rowsView() {
  const keys = model.keys.map((key, i) => ({key: "key" + i, title: key, left: true, text: row => String(row["key" + i] ?? "-")}));
  const periods = (key, when = "") => model.waits ? timeColumn(key, `waited${when} (s)`) : numberColumn(key, `period${when}`);
  const named = texts => Object.fromEntries(texts.map((text, i) => ["key" + i, text]));
  const view = (title, columns, rows, more = 0) => ({id: "rows", title: "Rows", show(place) {
    if (!this.place) {
      this.place = make("div", "", {id: "row-table"});
      new Table(this.place, columns, null, {size: "tall"}).set(rows);
      if (more) this.place.append(make("p", `${count(more)} more rows are left out`, {className: "soft"}));
    }
    fill(place, make("h2", title, {id: "rows-title"}), this.place);
  }});
  if (model.changes) {
    return view(`Changes by ${model.keys.join(", ")}, from the first recording to the second`, [...keys, numberColumn("before", "before"), numberColumn("after", "after"),
      shareColumn("shareBefore", "share before"), shareColumn("shareAfter", "share after"), {key: "change", title: "change", text: row => points(row.change)},
      periods("periodBefore", " before"), periods("periodAfter", " after")],
      model.changes.map(([texts, before, after, shareBefore, shareAfter, periodBefore, periodAfter]) =>
        ({...named(texts), before, after, shareBefore, shareAfter, change: shareAfter - shareBefore, periodBefore, periodAfter})), model.more_changes);
  }
  if (!model.files.some(file => file.rows)) return null;
  return view("By " + model.keys.join(", "), [...(model.several ? [textColumn("file", "recording")] : []), ...keys, numberColumn("samples", "samples"),
    shareColumn("share", "share"), periods("period"), timeColumn("first", "first (s)"), timeColumn("last", "last (s)")],
    model.files.flatMap(file => (file.rows ?? []).map(([texts, samples, share, period, first, last]) =>
      ({file: `${file.number + 1}: ${lastPart(file.facts.file)}`, ...named(texts), samples, share, period, first, last}))));
}
