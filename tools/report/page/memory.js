// Memory accesses: their latencies over time, the sources of their data, and contended cache lines.
const kHeatRow = 14;
const kMemoryKeys = [["mem", "level"], ["snoop", "snoop"], ["tlb", "TLB"], ["op", "operation"], ["locked", "locked"], ["blocked", "blocked"], ["latency", "latency"]];
const latencyText = bits => bits === 0 ? "none" : bits === 1 ? "1" : `${2 ** (bits - 1)}\u2013${2 ** bits - 1}`;

// The samples for each pixel and number of bits, in the shown part of the time.
function heatOf(one, width, rows) {
  const {memory, start} = one.file, {bin, latency, samples} = memory.cells, [from, to] = spanOf(), heat = Array.from({length: rows}, () => new Float64Array(width));
  eachAccess(one, null, i => {
    if (bin[i] === 0) return;
    const begin = start + (bin[i] - 1) * memory.width, a = (begin - from) / (to - from) * width, b = (begin + memory.width - from) / (to - from) * width;
    if (b <= 0 || a >= width) return;
    const first = Math.max(0, Math.floor(a)), last = Math.max(first, Math.min(width, Math.ceil(b)) - 1), row = heat[latency[i]];
    for (let x = first; x <= last; ++x) row[x] += samples[i] / Math.max(1, b - a);
  });
  return heat;
}
function drawHeat(canvas, one) {
  const {latency} = one.file.memory.cells;
  let rows = 1;
  eachAccess(one, null, i => { rows = Math.max(rows, latency[i] + 1); });
  const height = rows * kHeatRow;
  canvas.style.height = height + "px";
  const [paint, wide] = painter(canvas, height), width = Math.ceil(wide), heat = heatOf(one, width, rows), dark = isDark();
  let most = 0;
  for (const row of heat) for (const value of row) most = Math.max(most, value);
  heat.forEach((row, bits) => {
    const y = height - (bits + 1) * kHeatRow;
    row.forEach((value, x) => {
      if (value === 0) return;
      const part = Math.log1p(value) / Math.log1p(most);  // shows few samples beside many
      paint.fillStyle = `hsl(${212 - 8 * part} 70% ${dark ? 22 + 56 * part : 90 - 62 * part}%)`;
      paint.fillRect(x, y, 1, kHeatRow - 1);
    });
  });
  paint.font = "11px system-ui, sans-serif"; paint.textBaseline = "middle";
  for (let bits = 0; bits < rows; bits += 2) {
    const text = latencyText(bits), y = height - (bits + 0.5) * kHeatRow, wideText = paint.measureText(text).width;
    paint.fillStyle = dark ? "#14181dcc" : "#ffffffcc"; paint.fillRect(0, y - 6, wideText + 6, 12);
    paint.fillStyle = color("--ink"); paint.fillText(text, 3, y);
  }
  return {heat, rows};
}

// The accesses of threads to the places of a line.
function accessTable(place) {
  return new Table(place, [{key: "offset", title: "offset", text: row => "0x" + row.offset.toString(16)}, textColumn("thread", "thread"), textColumn("sym", "function"),
    textColumn("place", "place"), numberColumn("stores", "stores"), numberColumn("hitm", "HITM loads"), numberColumn("peer", "peer loads"), numberColumn("loads", "loads")], null, {size: "half"});
}

// Returns null if no recording has memory accesses.
function memoryView() {
  if (!model.files.some(file => file.memory)) return null;
  return {id: "memory", title: "Memory", show(place) {
    const one = sides()[0];
    if (!one.file.memory || !one.file.memory.cells.event.includes(one.place))
      return fill(place, make("p", `${one.label} has no memory accesses; another event has.`, {className: "soft"}));
    if (!this.table) this.build();
    this.one = one;
    const parts = [this.head, this.heat, this.tools, this.table.at, this.lineHead, this.lines.at, this.accessHead, this.accesses.at];
    fill(place, ...parts);
    this.drawn = drawHeat(this.canvas, one);
    this.brush.draw();
    const counted = eachAccess(one, state.time, () => {}), all = state.threads || state.cpus ? "; of all threads and CPUs" : "";
    this.head.lastChild.textContent = counted ? `${seconds(counted[0])} s to ${seconds(counted[1])} s${all}` : `the whole time${all}`;
    this.showParts(one);
    this.showLines(one);
  }, build() {
    this.head = make("h2", "Latency over time, in cycles ");
    this.head.append(make("span", "", {className: "soft", id: "memory-time"}));
    this.canvas = make("canvas", "", {id: "heat-canvas"});
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "samples by latency and time");
    this.heat = make("div", "", {className: "heat"});
    this.heat.append(this.canvas);
    this.brush = new Brush(this.heat);
    this.brush.tell = event => {
      const box = this.canvas.getBoundingClientRect(), bits = Math.floor((box.bottom - event.clientY) / kHeatRow), x = Math.floor(event.clientX - box.left);
      const number = this.drawn.heat[bits]?.[x] ?? 0;
      showTip(event, `${seconds(this.brush.timeAt(event))} s after the start\nlatency ${latencyText(Math.max(0, bits))}: ${number === 0 ? "no samples" : number < 1.5 ? "about 1 sample" : `${count(number)} samples`}`);
    };
    this.tools = make("div", "", {className: "tools"});
    this.key = make("select", "", {id: "memory-key"});
    this.key.append(...kMemoryKeys.map(([value, title]) => make("option", title, {value})));
    this.key.onchange = () => show();
    const label = make("label", "by ");
    label.append(this.key);
    this.tools.append(label, make("span", "cost is the sum of the latencies, with 1 for a sample without one", {className: "soft"}));
    const table = (id, of) => { const at = make("div", "", {id}), made = of(at); made.at = at; return made; };
    this.table = table("memory-table", at => new Table(at, [textColumn("shown", "value"), numberColumn("samples", "samples"), shareColumn("share", "share"), numberColumn("cost", "cost"),
      shareColumn("costShare", "share of cost"), numberColumn("mean", "mean latency")], "cost"));
    this.lineHead = make("h2", "Cache lines with most contention ");
    this.lineHead.append(make("span", "", {className: "soft", id: "line-note"}));
    this.lines = table("line-table", at => new Table(at, [textColumn("place", "line", row => { this.chosen = row.line; show(); }), numberColumn("remoteHitm", "remote HITM"),
      numberColumn("localHitm", "local HITM"), numberColumn("remotePeer", "remote peer"), numberColumn("localPeer", "local peer"), numberColumn("stores", "stores"), numberColumn("loads", "loads"),
      numberColumn("mean", "mean latency"), numberColumn("threads", "threads")], null, {size: "half", chosen: row => row.line === this.chosen}));
    this.accessHead = make("h2", "", {id: "access-title"});
    this.accesses = table("access-table", accessTable);
  }, showParts(one) {
    const rows = accessesBy(one, state.time, this.key.value), samples = rows.reduce((sum, row) => sum + row.samples, 0), cost = rows.reduce((sum, row) => sum + row.cost, 0);
    this.table.set(rows.map(row => ({...row, shown: this.key.value === "latency" ? latencyText(row.value) : row.value, share: samples ? row.samples / samples : 0, costShare: cost ? row.cost / cost : 0,
      mean: row.weighted ? row.weight / row.weighted : null})));
  }, showLines(one) {
    const {memory} = one.file, rows = contentionOf(one, state.time).map(row => ({...row, place: row.line.place, threads: row.line.threads, mean: row.weighted ? row.weight / row.weighted : null}));
    const order = {hitm: row => row.localHitm + row.remoteHitm, peer: row => row.localPeer + row.remotePeer, threads: row => row.loads + row.stores}[memory.by];
    rows.sort((a, b) => order(b) - order(a));
    for (const [key, used] of [["remoteHitm", memory.by === "hitm"], ["localHitm", memory.by === "hitm"], ["remotePeer", memory.by === "peer"], ["localPeer", memory.by === "peer"]])
      this.lines.hide(key, !used && !rows.some(row => row[key] > 0));
    this.lines.set(rows);
    const what = {hitm: "by loads of what another cache had modified", peer: "by loads that other caches answered",
      threads: "by accesses: a thread stores there and others access it; the CPU does not report more"}[memory.by];
    $("line-note").textContent = (rows.length ? what : "none") + (memory.more_lines ? `; ${count(memory.more_lines)} more lines of the recording are left out` : "");
    if (!rows.some(row => row.line === this.chosen)) this.chosen = rows[0]?.line ?? null;
    this.accessHead.hidden = this.accesses.at.hidden = !this.chosen;
    if (!this.chosen) return;
    this.lines.draw();
    this.accessHead.replaceChildren(`Who accesses ${this.chosen.place} `, make("span", "in the whole recording: stores write, HITM and peer loads wait"
      + (this.chosen.more ? `; ${count(this.chosen.more)} more places and threads` : ""), {className: "soft"}));
    this.accesses.set(this.chosen.accesses.map(row => ({...row, thread: `${row.comm} ${row.tid}`, hitm: row.localHitm + row.remoteHitm, peer: row.localPeer + row.remotePeer})));
  }};
}
