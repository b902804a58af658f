/**
 * Eight rows at a time down the trees of a forest, cells of type T (f32 or f64). A node is twice as wide as a cell: its
 * threshold; its column, with the top bit set where missing goes right; and the number of its left child in its tree,
 * the right child being the next one. A leaf has the threshold +∞ and leads to itself, so that every walk of a tree takes
 * as many steps as the tree is deep.
 */

/** Right iff z > cell, or z is missing and the mark says so: z ≤ cell is false for a missing z. */
// @ts-ignore: a decorator of the compiler
@inline
function step<T>(tree: usize, node: u32, row: usize): u32 {
  const at = tree + (<usize>node) * (2 * sizeof<T>());
  const wide = sizeof<T>() == 8;
  const word = wide ? load<u32>(at, 8) : <u32>load<u16>(at, 4);
  const left = wide ? load<u32>(at, 12) : <u32>load<u16>(at, 6);
  const column = <usize>(word & (wide ? 0x7fffffff : 0x7fff));
  const z = load<T>(row + column * sizeof<T>());
  const cell = load<T>(at);
  return left + (<u32>(z > cell) | (<u32>!(z <= cell) & (word >> (wide ? 31 : 15))));
}

// @ts-ignore: a decorator of the compiler
@inline
function two<T>(tree: usize, node: u32, row: usize): u32 {
  return step<T>(tree, step<T>(tree, node, row), row);
}

// @ts-ignore: a decorator of the compiler
@inline
function add(out: usize, leaves: usize, node: u32): void {
  store<f64>(out, load<f64>(out) + load<f64>(leaves + ((<usize>node) << 3)));
}

/** out[i] += value[leaf of row i] for rows 0 … count − 1, count a multiple of 8; sums in the order of the trees. */
// @ts-ignore: a decorator of the compiler
@inline
function walk<T>(
  nodes: usize,
  roots: usize,
  depths: usize,
  trees: u32,
  values: usize,
  rows: usize,
  cols: u32,
  count: u32,
  out: usize,
): void {
  const width = <usize>cols * sizeof<T>();
  for (let t: u32 = 0; t < trees; t++) {
    const root = <usize>load<u32>(roots + ((<usize>t) << 2));
    const depth = load<u32>(depths + ((<usize>t) << 2));
    const tree = nodes + root * (2 * sizeof<T>());
    const leaves = values + (root << 3);
    for (let i: u32 = 0; i < count; i += 8) {
      const row = rows + <usize>i * width;
      let a = two<T>(tree, 0, row);
      let b = two<T>(tree, 0, row + width);
      let c = two<T>(tree, 0, row + 2 * width);
      let d = two<T>(tree, 0, row + 3 * width);
      let e = two<T>(tree, 0, row + 4 * width);
      let f = two<T>(tree, 0, row + 5 * width);
      let g = two<T>(tree, 0, row + 6 * width);
      let h = two<T>(tree, 0, row + 7 * width);
      for (let k: u32 = 2; k < depth; k += 2) {
        const from = a + b + c + d + e + f + g + h;
        a = two<T>(tree, a, row);
        b = two<T>(tree, b, row + width);
        c = two<T>(tree, c, row + 2 * width);
        d = two<T>(tree, d, row + 3 * width);
        e = two<T>(tree, e, row + 4 * width);
        f = two<T>(tree, f, row + 5 * width);
        g = two<T>(tree, g, row + 6 * width);
        h = two<T>(tree, h, row + 7 * width);
        // Children have higher numbers than their parents: the sum stays where all eight rows are at their leaves.
        if (a + b + c + d + e + f + g + h == from) break;
      }
      const o = out + ((<usize>i) << 3);
      add(o, leaves, a);
      add(o + 8, leaves, b);
      add(o + 16, leaves, c);
      add(o + 24, leaves, d);
      add(o + 32, leaves, e);
      add(o + 40, leaves, f);
      add(o + 48, leaves, g);
      add(o + 56, leaves, h);
    }
  }
}

export function walk32(
  nodes: usize,
  roots: usize,
  depths: usize,
  trees: u32,
  values: usize,
  rows: usize,
  cols: u32,
  count: u32,
  out: usize,
): void {
  walk<f32>(nodes, roots, depths, trees, values, rows, cols, count, out);
}

export function walk64(
  nodes: usize,
  roots: usize,
  depths: usize,
  trees: u32,
  values: usize,
  rows: usize,
  cols: u32,
  count: u32,
  out: usize,
): void {
  walk<f64>(nodes, roots, depths, trees, values, rows, cols, count, out);
}
