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

// Totals of functions, which are below the names of threads: one that calls itself counts once for each sample.
function functionsOf(root) {
  const functions = new Map();
  const walk = [[root, false]], above = new Map();
  while (walk.length) {
    const [node, done] = walk.pop();
    if (node.depth > 1) {
      const seen = above.get(node.frame) ?? 0;
      if (done) { above.set(node.frame, seen - 1); continue; }
      let row = functions.get(node.frame);
      if (!row) functions.set(node.frame, row = {name: node.name, own: [0, 0], total: [0, 0]});
      for (const side of [0, 1]) {
        row.own[side] += node.own[side];
        if (seen === 0) row.total[side] += node.total[side];
      }
      above.set(node.frame, seen + 1);
      walk.push([node, true]);
    }
    for (const child of node.calls) walk.push([child, false]);
  }
  return [...functions.values()];
}
