// Stacks as trees: of one event, or of two that are compared.

// Nodes of a file with their own counts of one series; totals include what they call.
function treeOf(one, value) {
  const stacks = one.file.stacks, size = stacks.parents.length;
  if (stacks.parent === undefined) {
    stacks.parent = new Uint32Array(size); stacks.frame = Uint32Array.from(stacks.frames);
    stacks.parents.forEach((back, i) => { stacks.parent[i] = i - back; });
  }
  const own = new Float64Array(size), flat = stacks.counts[one.place] ?? [];
  for (let i = 0, node = 0; i < flat.length; i += 3) own[node += flat[i]] = flat[i + 1 + value];
  return {parent: stacks.parent, frame: stacks.frame, own};
}

// One tree of both sides: a node has what it takes itself and in total of each.
function joinTrees(sides) {
  const root = {name: "all", children: new Map(), own: [0, 0], total: [0, 0], up: null, depth: 0};
  sides.forEach((tree, side) => {
    const nodes = [root];
    root.own[side] += tree.own[0];
    for (let i = 1; i < tree.parent.length; ++i) {
      const up = nodes[tree.parent[i]], frame = tree.frame[i];
      let node = up.children.get(frame);
      if (!node) up.children.set(frame, node = {name: data.frames[frame], frame, children: new Map(), own: [0, 0], total: [0, 0], up, depth: up.depth + 1});
      node.own[side] += tree.own[i];
      nodes.push(node);
    }
  });
  const order = [root];
  for (let i = 0; i < order.length; ++i) for (const child of order[i].children.values()) order.push(child);
  for (let i = order.length; i-- > 0;) {
    const node = order[i];
    node.total[0] += node.own[0]; node.total[1] += node.own[1];
    if (node.up) { node.up.total[0] += node.total[0]; node.up.total[1] += node.total[1]; }
  }
  for (const node of order)
    node.calls = [...node.children.values()].filter(child => child.total[0] + child.total[1] > 0).sort((a, b) => compare(a.name, b.name));
  return root;
}

// Functions of one event, or of two that are compared. They count all samples, also those whose stacks are cut.
function functionsOf(sides, value) {
  const functions = new Map();
  const rowOf = (key, name) => {
    let row = functions.get(key);
    if (!row) functions.set(key, row = {name, own: [0, 0], total: [0, 0]});
    return row;
  };
  sides.forEach((one, side) => {
    const {list, left_out, rest} = one.file.functions[one.place];
    for (let i = 0; i < list.length; i += 5) {
      const row = rowOf(list[i], data.frames[list[i]]);
      row.own[side] = list[i + 1 + value]; row.total[side] = list[i + 3 + value];
    }
    if (left_out > 0) Object.assign(rowOf("rest", "(other functions)"), {total: [null, null]}).own[side] = rest[value];
  });
  return [...functions.values()];
}
