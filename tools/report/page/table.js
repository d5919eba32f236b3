// Tables that sort by any column, filter by text, and show the first rows of many.
const kRowsShown = 300;

// columns: {key, title, text(row), whole(row), hint(row), left, soft(row), meter, action(row)}. Values to sort by are row[key].
class Table {
  constructor(place, columns, order, more = {}) {
    Object.assign(this, {columns, order: {key: order, up: false}, more, rows: [], limit: kRowsShown, wanted: ""});
    this.table = make("table"); this.body = this.table.createTBody();
    this.head = this.table.createTHead().insertRow();
    for (const column of columns) {
      const cell = make("th", "", {scope: "col", className: column.left ? "left" : ""}), button = make("button", column.title);
      button.onclick = () => this.sort(column);
      cell.append(button); this.head.append(cell);
    }
    const scroll = make("div", "", {className: "scroll " + (more.size ?? "")});
    scroll.append(this.table);
    this.filter = make("input", "", {type: "search", placeholder: "filter", className: "filter"});
    this.filter.setAttribute("aria-label", "show only rows with this text");
    this.filter.oninput = () => { this.wanted = this.filter.value.toLowerCase(); this.limit = kRowsShown; this.draw(); };
    this.rest = make("button", "", {hidden: true});
    this.rest.onclick = () => { this.limit *= 10; this.draw(); };
    place.append(this.filter, scroll, this.rest);
  }
  // The compared events decide which columns there are.
  hide(key, hidden) {
    const at = this.columns.findIndex(column => column.key === key);
    this.columns[at].hidden = hidden;
  }
  sort(column) {
    const up = this.order.key === column.key ? !this.order.up : Boolean(column.left);
    this.order = {key: column.key, up};
    this.draw();
  }
  set(rows) {
    if (rows !== this.rows) this.limit = kRowsShown;
    this.rows = rows;
    this.draw();
  }
  sorted() {
    const {key, up} = this.order, way = up ? 1 : -1;
    const rows = this.wanted ? this.rows.filter(row => this.columns.some(c => c.left && (c.whole ?? c.text)(row).toLowerCase().includes(this.wanted))) : [...this.rows];
    if (key === null) return rows;
    // Unknown values come last in either direction.
    return rows.sort((a, b) => a[key] === null || b[key] === null ? (a[key] === null) - (b[key] === null) : way * compare(a[key], b[key]));
  }
  draw() {
    const rows = this.sorted(), shown = rows.slice(0, this.limit);
    this.filter.hidden = this.rows.length < 12;
    this.body.replaceChildren(...shown.map(row => this.line(row)));
    this.rest.hidden = rows.length <= shown.length;
    this.rest.textContent = `${count(rows.length - shown.length)} more rows`;
    [...this.head.cells].forEach((cell, i) => {
      const chosen = this.columns[i].key === this.order.key;
      cell.hidden = Boolean(this.columns[i].hidden);
      chosen ? cell.setAttribute("aria-sort", this.order.up ? "ascending" : "descending") : cell.removeAttribute("aria-sort");
    });
  }
  line(row) {
    const line = make("tr", "", {className: this.more.chosen?.(row) ? "chosen" : ""});
    for (const column of this.columns) {
      if (column.hidden) { line.append(make("td", "", {hidden: true})); continue; }
      const text = column.text(row), cell = make("td", column.action ? "" : text, {className: (column.left ? "left" : "") + (column.code ? " code" : "") + (column.soft?.(row) ? " soft" : ""),
        title: (column.hint ?? column.whole)?.(row) ?? (column.left ? text : "")});
      if (column.action) {
        const button = make("button", text);
        button.onclick = () => column.action(row);
        cell.append(button);
      }
      if (column.meter) {
        const meter = make("span", "", {className: "meter"}), fill = make("i");
        fill.style.width = Math.min(1, Math.abs(row[column.key])) * 100 + "%";
        meter.append(fill); cell.append(meter);
      }
      line.append(cell);
    }
    return line;
  }
}

const amountColumn = (key, title) => ({key, title, text: row => figure(row[key])});
const numberColumn = (key, title) => ({key, title, text: row => row[key] === null ? "-" : count(row[key])});
const shareColumn = (key, title, meter = true) => ({key, title, meter, text: row => row[key] === null ? "-" : percent(row[key])});
const timeColumn = (key, title) => ({key, title, text: row => row[key] === null ? "-" : seconds(row[key])});
const textColumn = (key, title, action) => ({key, title, left: true, action, text: row => row[key]});
