// A function with its callers above it and its callees below it, from all stacks with the function.
kViews.push({id: "callers", title: "Callers and callees", show(place) {
  if (!this.up) {
    this.head = make("p", "", {className: "grow"});
    const part = down => {
      const box = make("div", "", {className: "flame-box half"}), canvas = make("canvas");
      canvas.id = down ? "callees-canvas" : "callers-canvas";
      box.append(canvas);
      const flame = new Flame(canvas, {title: down ? "callees" : "callers", down, turned: !down, choose: name => change({func: name})});
      return {box, flame};
    };
    this.up = part(false); this.down = part(true);
    this.legend = make("div", "", {className: "legend"});
  }
  const rows = keep("functions of stacks", [state.event, state.value, selection()], () => stackFunctionsOf(sides()[0], selection(), state.value));
  let name = state.func;
  if (name === null) for (const row of rows.values()) if (row.name >= 0 && (name === null || row.self > rows.get(name).self)) name = row.name;
  if (name === null) { fill(place, make("p", "The selection has no functions.", {className: "soft"})); return; }
  const row = rows.get(name) ?? {self: 0, all: 0}, total = totalBy(0) || 1;
  this.head.replaceChildren(make("b", shownText(name), {title: model.texts[name], id: "function-name"}),
    make("span", ` ${amount(row.self)} in it (${percent(row.self / total)}), ${figure(row.all)} with what it calls (${percent(row.all / total)}).`
      + " Above: who calls it. Below: what it calls. A double click or C goes to another function.", {className: "soft", id: "function-sums"}));
  fill(place, this.head, this.up.box, this.down.box, this.legend);
  const parts = [state.event, state.other, state.value, selection(), name];
  this.up.flame.set(keep("callers", parts, () => callersOf(theStacks(), name)));
  this.down.flame.set(keep("callees", parts, () => calleesOf(theStacks(), name)));
  showLegend(this.legend);
}});
