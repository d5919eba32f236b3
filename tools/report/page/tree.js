// The stacks as a tree of rows that open: from the outermost callers inwards, or from the sampled functions outwards.
const kCallsShown = 500;
const indentOf = deep => `${Math.min(deep, 60) * 0.9 + 0.4}rem`;

kViews.push({id: "tree", title: "Tree", show(place) {
  if (!this.body) {
    const label = make("label"), box = make("input", "", {type: "checkbox", id: "inverted"});
    label.append(box, " from where samples were taken, outwards");
    box.onchange = () => { this.inverted = box.checked; show(); };
    this.tools = make("div", "", {className: "tools"});
    this.tools.append(label, make("span", "Arrow keys open, close and move; C shows callers and callees.", {className: "soft"}));
    const table = make("table", "", {className: "tree"});
    table.setAttribute("role", "treegrid");
    const head = table.createTHead().insertRow();
    for (const title of ["with callees", "share", "itself", "function"]) head.append(make("th", title, {scope: "col", className: title === "function" ? "left" : ""}));
    this.body = table.createTBody();
    this.body.onkeydown = event => this.key(event);
    this.scroll = make("div", "", {className: "scroll tall"});
    this.scroll.append(table);
  }
  fill(place, this.tools, this.scroll);
  const forest = this.inverted ? keep("inverted", [state.event, state.other, state.value, selection()], () => invertedOf(theStacks())) : theStacks();
  const drawn = [forest, state.parameters, state.search];
  if (this.drawn?.every((part, i) => part === drawn[i])) return;
  this.drawn = drawn;
  this.forest = forest;
  this.body.replaceChildren();
  if (forest.total[0][0] > 0) {
    const top = this.line(0, 0);
    this.body.append(top);
    // The tree opens along the path with most samples.
    for (let line = top, opened = 0; line && opened < 25; ++opened) {
      this.open(line);
      const first = line.nextElementSibling;
      line = first && first.deep > line.deep && forest.total[0][first.node] > forest.total[0][line.node] / 2 ? first : null;
    }
  }
}, line(node, deep) {
  const {frames, nodes, total} = this.forest, frame = frames[nodes.frame[node]], all = total[0][0], find = finder();
  const line = make("tr", "", {tabIndex: -1, className: find && !find(frame) ? "dimmed" : ""});
  Object.assign(line, {node, deep});
  line.setAttribute("aria-level", deep + 1);
  const has = callsOf(this.forest, node).length > 0, button = make("button", has ? "\u25b8" : "\u00a0", {className: "opener", tabIndex: -1});
  button.onclick = () => this.toggle(line);
  if (has) line.setAttribute("aria-expanded", "false");
  const name = make("td", "", {className: "left", title: wholeName(frame)}), text = make("span", nameOf(frame), {className: "name"});
  name.style.paddingLeft = indentOf(deep);
  const swatch = make("i", "", {className: "swatch"});
  swatch.style.background = fillOf(frame, isDark());
  text.onclick = () => this.focus(line);
  text.ondblclick = () => { if (frame.kind === kKinds.function) change({view: "callers", func: frame.name}); };
  name.append(button, swatch, text);
  line.append(make("td", figure(total[0][node])), make("td", percent(total[0][node] / all)), make("td", this.inverted ? "" : figure(selfAt(this.forest, node, 0))), name);
  if (deep === 0) line.tabIndex = 0;
  return line;
}, lines(calls, deep) {
  const lines = calls.slice(0, kCallsShown).map(node => this.line(node, deep)), rest = calls.slice(kCallsShown);
  return rest.length ? [...lines, this.rest(rest, deep)] : lines;
}, rest(calls, deep) {
  // The line for the hidden rows: a click replaces it by some of them.
  const line = make("tr", "", {tabIndex: -1}), name = make("td", "", {className: "left"}), {total} = this.forest;
  const samples = calls.reduce((sum, node) => sum + total[0][node], 0), button = make("button", `${count(calls.length)} more, ${amount(samples)}`, {tabIndex: -1});
  const more = () => { const lines = this.lines(calls, deep); line.replaceWith(...lines); this.focus(lines[0]); };
  Object.assign(line, {deep, more});
  line.setAttribute("aria-level", deep + 1);
  button.onclick = more;
  name.style.paddingLeft = indentOf(deep);
  name.append(button);
  line.append(make("td", figure(samples)), make("td", percent(samples / total[0][0])), make("td"), name);
  return line;
}, open(line) {
  if (line.getAttribute("aria-expanded") !== "false") return;
  const {total} = this.forest, calls = callsOf(this.forest, line.node).sort((a, b) => total[0][b] - total[0][a]);
  line.after(...this.lines(calls, line.deep + 1));
  line.setAttribute("aria-expanded", "true");
  line.querySelector(".opener").textContent = "\u25be";
}, close(line) {
  while (line.nextElementSibling?.deep > line.deep) line.nextElementSibling.remove();
  line.setAttribute("aria-expanded", "false");
  line.querySelector(".opener").textContent = "\u25b8";
}, toggle(line) {
  if (line.more) return line.more();
  const now = line.getAttribute("aria-expanded");
  if (now) now === "true" ? this.close(line) : this.open(line);
  this.focus(line);
}, focus(line) {
  if (!line) return;
  for (const other of this.body.querySelectorAll('tr[tabindex="0"]')) other.tabIndex = -1;
  line.tabIndex = 0;
  line.focus();
}, key(event) {
  const line = event.target.closest("tr"), now = line.getAttribute("aria-expanded");
  const outer = () => { let up = line; while (up && up.deep >= line.deep) up = up.previousElementSibling; return up; };
  const act = {ArrowDown: () => this.focus(line.nextElementSibling), ArrowUp: () => this.focus(line.previousElementSibling),
    ArrowRight: () => now === "false" ? this.open(line) : this.focus(line.nextElementSibling), ArrowLeft: () => now === "true" ? this.close(line) : this.focus(outer()),
    Enter: () => this.toggle(line), c: () => line.querySelector(".name")?.ondblclick()}[pressed(event)];
  if (!act || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  act();
}});
