import { axisOf, type ColumnTest } from "../../exact/axis.ts";
import type { Axis, Demand, ExactStudy, Leaves, Way } from "../../exact/contract.ts";
import type { Trees } from "../../types.ts";
import { goesLeft, NODE, seen } from "./structure.ts";

/** Values within this of 0 are missing to nodes that say so. */
const ZERO_BAND = 1e-35;

/** The forests of a way to the target as leaves over cells of the table's features. */
export function leavesOf(study: ExactStudy, way: Way): Leaves {
  const forests = way.flatMap((demand) => demand.parts.map((part) => part.structure as Trees));
  const shapes = [...new Map(forests.map((trees) => [trees.feature, trees])).values()];
  const owner: Owner = new Map(
    study.groups.flatMap((columns, k) => columns.map((c, place) => [c, [k, place]] as const)),
  );
  const axes = study.groups.map((columns, k) => {
    const { tests, odd } = testsOf(shapes, new Set(columns));
    return axisOf(study, k, tests, odd);
  });
  const flat = new Flat(axes);
  for (const trees of shapes) {
    const values = way.map((demand) => valuesOf(demand, trees));
    for (const root of trees.roots) {
      flat.plant(trees, root, values, owner);
    }
  }
  const base = Float64Array.from(way, ({ parts }) =>
    parts.reduce((sum, { structure, sign }) => sum + sign * (structure as Trees).base, 0),
  );
  return flat.leaves(way.length, base);
}

/** Feature of each encoded column, and its place among the feature's columns. */
type Owner = ReadonlyMap<number, readonly [feature: number, place: number]>;

/** What the leaves of one shape add to a demand. */
function valuesOf({ parts }: Demand, shape: Trees): Float64Array {
  const out = new Float64Array(shape.value.length);
  for (const { structure, sign } of parts) {
    const trees = structure as Trees;
    if (trees.feature !== shape.feature) continue;
    for (let v = 0; v < out.length; v++) out[v]! += sign * trees.value[v]!;
  }
  return out;
}

/** Every different test of these columns; `odd` where a node takes more than one side of a point. */
function testsOf(
  shapes: readonly Trees[],
  columns: ReadonlySet<number>,
): { readonly tests: readonly ColumnTest[]; readonly odd: boolean } {
  const tests = new Map<string, ColumnTest>();
  let odd = false;
  for (const trees of shapes) {
    const add = (column: number, at: number, inclusive: boolean): void => {
      const low = (z: number): boolean => (inclusive ? seen(trees, z) <= at : seen(trees, z) < at);
      tests.set(`${column} ${at} ${inclusive} ${trees.float32}`, { column, low });
    };
    for (let v = 0; v < trees.feature.length; v++) {
      const column = trees.feature[v]!;
      if (column < 0 || !columns.has(column)) continue;
      const flags = trees.flags[v]!;
      if ((flags & NODE.zeroIsMissing) !== 0) {
        add(column, -ZERO_BAND, false);
        add(column, ZERO_BAND, true);
        odd = true;
      }
      if ((flags & NODE.categorical) === 0) add(column, trees.threshold[v]!, trees.inclusive);
      else {
        // A category is a whole number cut off towards 0: −1 < z < 1 is category 0.
        const most = 32 * (trees.categoryStart![v + 1]! - trees.categoryStart![v]!);
        add(column, -1, true);
        for (let c = 1; c <= most; c++) add(column, c, false);
        odd = true;
      }
    }
  }
  return { tests: [...tests.values()], odd };
}

const LEAF = { test: -1, below: -1, above: -1, gap: 0 };

/** Leaves in the making; `low`, `high`, `missing` and `mask` say what the path so far leaves of each feature. */
class Flat {
  trees = 0;
  readonly #axes: readonly Axis[];
  readonly #words: readonly number[];
  readonly #low: Int32Array;
  readonly #high: Int32Array;
  readonly #missing: Uint8Array;
  readonly #mask: Uint32Array[];
  /** How many tests of each feature lie above, and the features so tested. */
  readonly #tested: Int32Array;
  readonly #path: number[] = [];
  readonly #tree: number[] = [];
  readonly #node: { readonly values: readonly Float64Array[]; readonly node: number }[] = [];
  readonly #start: number[] = [0];
  readonly #entries: [feature: number, low: number, high: number, missing: number][] = [];
  readonly #masks: number[] = [];
  readonly #roots: number[] = [];
  readonly #nodes: { test: number; cut: number; below: number; above: number; gap: number }[] = [];
  readonly #tests: number[] = [];

  constructor(axes: readonly Axis[]) {
    this.#axes = axes;
    this.#words = axes.map((axis) => (axis.cells >> 5) + 1);
    this.#low = new Int32Array(axes.length);
    this.#high = Int32Array.from(axes, (axis) => axis.cells - 1);
    this.#missing = new Uint8Array(axes.length).fill(1);
    this.#mask = axes.map((axis, k) =>
      axis.masked ? new Uint32Array(this.#words[k]!).fill(~0) : new Uint32Array(0),
    );
    this.#tested = new Int32Array(axes.length);
  }

  plant(trees: Trees, root: number, values: readonly Float64Array[], owner: Owner): void {
    this.#roots.push(this.#descend(trees, root, values, owner));
    this.trees++;
  }

  /** The node in the making of what is below one of the model's. */
  #descend(trees: Trees, node: number, values: readonly Float64Array[], owner: Owner): number {
    const column = trees.feature[node]!;
    const at = this.#nodes.length;
    if (column < 0) {
      this.#nodes.push({ ...LEAF, cut: this.#tree.length });
      this.#leaf(values, node);
      return at;
    }
    const [k, place] = owner.get(column)!;
    if (this.#tested[k]!++ === 0) this.#path.push(k);
    const axis = this.#axes[k]!;
    const left = (cell: number): boolean =>
      goesLeft(trees, node, seen(trees, axis.encoded.data[cell * axis.encoded.cols + place]!));
    const made = { test: k, cut: 0, below: -1, above: -1, gap: 0 };
    this.#nodes.push(made);
    if (axis.masked) {
      made.cut = this.#tests.length;
      this.#tests.push(...maskOf(axis.cells, left));
    } else {
      made.cut = turnOf(axis.cells, left);
      made.gap = left(axis.cells) === left(0) ? 1 : 0;
    }
    for (const side of [true, false]) {
      const child = side ? trees.left[node]! : trees.right[node]!;
      const below = axis.masked ? side : side === left(0);
      const go = (): void => {
        made[below ? "below" : "above"] = this.#descend(trees, child, values, owner);
      };
      if (axis.masked) this.#onMask(k, (cell) => left(cell) === side, go);
      else this.#onInterval(k, made.cut, below, (made.gap === 1) === below, go);
    }
    if (--this.#tested[k]! === 0) this.#path.pop();
    return at;
  }

  #onMask(k: number, takes: (cell: number) => boolean, go: () => void): void {
    const mask = this.#mask[k]!;
    const before = mask.slice();
    let some = 0;
    for (let w = 0; w < mask.length; w++) {
      let word = 0;
      for (let b = 0; b < 32 && 32 * w + b <= this.#axes[k]!.cells; b++) {
        if ((before[w]! >>> b) & 1 && takes(32 * w + b)) word |= 1 << b;
      }
      mask[w] = word;
      some |= word;
    }
    if (some !== 0) go();
    mask.set(before);
  }

  #onInterval(k: number, cut: number, below: boolean, gap: boolean, go: () => void): void {
    const [low, high, missing] = [this.#low[k]!, this.#high[k]!, this.#missing[k]!];
    if (below) this.#high[k] = Math.min(high, cut - 1);
    else this.#low[k] = Math.max(low, cut);
    if (!gap) this.#missing[k] = 0;
    if (this.#low[k]! <= this.#high[k]! || this.#missing[k]) go();
    this.#low[k] = low;
    this.#high[k] = high;
    this.#missing[k] = missing;
  }

  #leaf(values: readonly Float64Array[], node: number): void {
    this.#tree.push(this.trees);
    this.#node.push({ values, node });
    for (const k of this.#path) {
      if (this.#axes[k]!.masked) {
        this.#entries.push([k, this.#masks.length, 0, 0]);
        this.#masks.push(...this.#mask[k]!);
      } else this.#entries.push([k, this.#low[k]!, this.#high[k]!, this.#missing[k]!]);
    }
    this.#start.push(this.#entries.length);
  }

  leaves(demands: number, base: Float64Array): Leaves {
    const part = (at: 0 | 1 | 2 | 3): Int32Array => Int32Array.from(this.#entries, (entry) => entry[at]);
    return {
      axes: this.#axes,
      tree: Int32Array.from(this.#tree),
      trees: this.trees,
      values: Array.from({ length: demands }, (_, c) =>
        Float64Array.from(this.#node, ({ values, node }) => values[c]![node]!),
      ),
      base,
      start: Int32Array.from(this.#start),
      feature: part(0),
      low: part(1),
      high: part(2),
      missing: Uint8Array.from(part(3)),
      masks: Uint32Array.from(this.#masks),
      nodes: {
        roots: Int32Array.from(this.#roots),
        test: Int32Array.from(this.#nodes, (node) => node.test),
        cut: Int32Array.from(this.#nodes, (node) => node.cut),
        below: Int32Array.from(this.#nodes, (node) => node.below),
        above: Int32Array.from(this.#nodes, (node) => node.above),
        gap: Uint8Array.from(this.#nodes, (node) => node.gap),
        masks: Uint32Array.from(this.#tests),
      },
    };
  }
}

/** Cells 0 … turn − 1 answer as cell 0 does, the others not. */
function turnOf(cells: number, left: (cell: number) => boolean): number {
  const first = left(0);
  let [turn, end] = [1, cells];
  while (turn < end) {
    const middle = (turn + end) >> 1;
    if (left(middle) === first) turn = middle + 1;
    else end = middle;
  }
  return turn;
}

/** A bit for each cell, missing last, that goes left. */
function maskOf(cells: number, left: (cell: number) => boolean): Uint32Array {
  const mask = new Uint32Array((cells >> 5) + 1);
  for (let cell = 0; cell <= cells; cell++) if (left(cell)) mask[cell >> 5]! |= 1 << (cell & 31);
  return mask;
}
