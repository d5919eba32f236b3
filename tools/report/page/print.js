// The printed page is a report: the current view, drawn for paper, then events, functions and threads.
const kPrintedRows = 40;

function printedTable(title, heads, rows) {
  const table = make("table"), head = table.createTHead().insertRow(), body = table.createTBody();
  heads.forEach((text, i) => head.append(make("th", text, {className: i === 0 ? "left" : ""})));
  for (const row of rows.slice(0, kPrintedRows)) {
    const line = body.insertRow();
    row.forEach((text, i) => line.append(make("td", text, {className: i === 0 ? "left" : ""})));
  }
  const parts = [make("h2", title), table];
  if (rows.length > kPrintedRows) parts.push(make("p", `and ${count(rows.length - kPrintedRows)} more`, {className: "soft"}));
  return rows.length ? parts : [];
}

function showPrinted() {
  const total = functionTotalBy(0) || 1, share = n => percent(n / total), one = sides()[0], sums = sumsBy(one), command = commandOf(one);
  const functions = [...functionsBy(0).values()].filter(row => row.self > 0).sort((a, b) => b.self - a.self);
  const threads = [...sums.threads].map(([key, sum]) => [threadName(one.file, key), sum[unit()]]).filter(row => row[1] > 0).sort((a, b) => b[1] - a[1]);
  $("print").replaceChildren(
    ...printedTable("Events of the selection", ["event", "samples", "period", "lost"], model.series.map(each => { const of = sumsBy(each); return [each.label, count(of.samples), each.ns ? `${seconds(of.period)} s` : count(of.period), count(of.lost)]; })),
    ...printedTable(`Functions of ${one.label}`, ["function", unitText(), "share", "with callees", "share"], functions.map(row => [shownText(row.name), figure(row.self), share(row.self), row.name < 0 ? "-" : figure(row.all), row.name < 0 ? "-" : share(row.all)])),
    ...printedTable("Threads", ["thread", unitText(), "share"], threads.map(([name, n]) => [name, figure(n), share(n)])),
    ...(command ? [make("p", `The same with evname: ${command}`, {className: "soft"})] : []));
}
addEventListener("beforeprint", () => { paper.on = true; if (model?.series.length) { showPrinted(); show(); } });
addEventListener("afterprint", () => { paper.on = false; if (model?.series.length) show(); });
