// Trees of stacks with the samples of one event, or of two compared events; and the trees around a function.
// A forest has nodes as a file does, and for each side their own samples and their samples with all nodes below.

const forestOf = (nodes, frames, own) => ({nodes, frames, own, total: own.map(side => totalOf(nodes, side))});
const keyOf = frame => frame.name * 4 + frame.kind;

// Merges a sequence of stacks.
class ForestBuilder {
  constructor(sides, frame) { this.sides = sides; this.root = this.node(frame); }
  node(frame) { return {frame, own: new Array(this.sides).fill(0), calls: new Map()}; }
  child(parent, frame) {
    const key = keyOf(frame);
    let child = parent.calls.get(key);
    if (!child) parent.calls.set(key, child = this.node(frame));
    return child;
  }
  finish() {
    const parent = [], frame = [], depth = [], frames = [], known = new Map(), own = Array.from({length: this.sides}, () => []);
    const open = [[this.root, 0, 0]];
    while (open.length) {
      const [node, up, deep] = open.pop(), at = parent.length, key = keyOf(node.frame);
      if (!known.has(key)) known.set(key, frames.push(node.frame) - 1);
      parent.push(up); frame.push(known.get(key)); depth.push(deep);
      own.forEach((side, i) => side.push(node.own[i]));
      for (const child of node.calls.values()) open.push([child, at, deep + 1]);
    }
    return forestOf(finishNodes(parent, frame, depth), frames, own.map(side => Float64Array.from(side)));
  }
}

// Returns the forest of one or two events.
function stacksOf(sides, selection, value) {
  const own = sides.map(one => ownOf(one, selection, value));
  const {nodes, frames} = sides[0].file;
  if (sides.every(one => one.file === sides[0].file)) return forestOf(nodes, frames, own);
  const builder = new ForestBuilder(sides.length, frames[nodes.frame[0]]);
  sides.forEach((one, side) => {
    const {nodes, frames} = one.file, at = [builder.root];
    for (let i = 0; i < nodes.size; ++i) {
      if (i > 0) at.push(builder.child(at[nodes.parent[i]], frames[nodes.frame[i]]));
      at[i].own[side] += own[side][i];
    }
  });
  return builder.finish();
}

const weightAt = (forest, node) => forest.total.reduce((sum, side) => sum + side[node], 0);

// The outermost nodes of a function: no other node of the function is above them.
function nodesOf(forest, name) {
  const {nodes, frames} = forest, out = [];
  for (let i = 1; i < nodes.size;) {
    const frame = frames[nodes.frame[i]];
    const found = frame.kind === kKinds.function && frame.name === name;
    if (found && weightAt(forest, i) > 0) out.push(i);
    i = found ? nodes.end[i] : i + 1;
  }
  return out;
}
const functionFrame = name => ({kind: kKinds.function, name, dso: -1, source: -1});

// The callees of a function: its stacks from all places of calls.
function calleesOf(forest, name) {
  const {nodes, frames, own} = forest, roots = nodesOf(forest, name);
  const builder = new ForestBuilder(own.length, roots.length ? frames[nodes.frame[roots[0]]] : functionFrame(name));
  for (const root of roots) {
    const at = [builder.root], base = nodes.depth[root];
    for (let i = root; i < nodes.end[root]; ++i) {
      if (weightAt(forest, i) === 0) { i = nodes.end[i] - 1; continue; }
      if (i > root) at[nodes.depth[i] - base] = builder.child(at[nodes.depth[i] - base - 1], frames[nodes.frame[i]]);
      own.forEach((side, k) => { at[nodes.depth[i] - base].own[k] += side[i]; });
    }
  }
  return builder.finish();
}

// The callers of a function: the stacks above it, from the function outwards, with the samples in and below the function.
function callersOf(forest, name) {
  const {nodes, frames, total} = forest, roots = nodesOf(forest, name);
  const builder = new ForestBuilder(total.length, roots.length ? frames[nodes.frame[roots[0]]] : functionFrame(name));
  for (const root of roots) {
    let at = builder.root;
    for (let node = nodes.parent[root]; node !== 0; node = nodes.parent[node]) at = builder.child(at, frames[nodes.frame[node]]);
    total.forEach((side, k) => { at.own[k] += side[root]; });
  }
  return builder.finish();
}

// All stacks, from the sampled function outwards.
function invertedOf(forest) {
  const {nodes, frames, own} = forest, builder = new ForestBuilder(own.length, frames[nodes.frame[0]]);
  for (let i = 1; i < nodes.size; ++i) {
    if (own.every(side => side[i] === 0)) continue;
    let at = builder.root;
    for (let node = i; node !== 0; node = nodes.parent[node])
      if (frames[nodes.frame[node]].kind !== kKinds.line) at = builder.child(at, frames[nodes.frame[node]]);
    own.forEach((side, k) => { at.own[k] += side[i]; });
  }
  return builder.finish();
}

// The children of a node that have samples, without lines, by name.
function callsOf(forest, node) {
  const {nodes, frames} = forest, out = [];
  for (let i = node + 1; i < nodes.end[node]; i = nodes.end[i])
    if (frames[nodes.frame[i]].kind !== kKinds.line && weightAt(forest, i) > 0) out.push(i);
  return out.sort((a, b) => frames[nodes.frame[a]].name - frames[nodes.frame[b]].name);
}
// The samples of a node itself and of its lines.
function selfAt(forest, node, side) {
  const {nodes, frames, own} = forest;
  let sum = own[side][node];
  for (let i = node + 1; i < nodes.end[node]; i = nodes.end[i]) if (frames[nodes.frame[i]].kind === kKinds.line) sum += own[side][i];
  return sum;
}

// Sums the samples in or below frames that `find` accepts, each once.
function foundIn(forest, find, side) {
  const {nodes, frames, total} = forest, hits = frames.map(find);
  let sum = 0;
  for (let i = 1; i < nodes.size;) {
    if (hits[nodes.frame[i]]) { sum += total[side][i]; i = nodes.end[i]; } else ++i;
  }
  return sum;
}
