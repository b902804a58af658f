import { pshap } from "../../../src/attribute/index.ts";
import { shapleyWeights } from "../../../src/attribute/shapley.ts";
import type { Attribute } from "../../../src/contracts/attribution.ts";
import { treePairShapInto } from "../../../src/model/trees/shap.ts";
import { goesLeft, leafOf, seen } from "../../../src/model/trees/structure.ts";
import { matrix } from "../../../src/num/matrix.ts";
import type { Attribution, Matrix, Trees } from "../../../src/types.ts";

let asked = 0;

/** Small wrong twins of p-SHAP, each with the law that must refuse it. */
export const pshapMutants: Readonly<Record<string, { law: string; attribute: Attribute }>> = {
  "references without their weights": {
    law: "definition",
    attribute: (model, x, r, coupling) =>
      pshap(model, x, r, { ...coupling, mass: coupling.mass.map(() => 1 / coupling.mass.length) }),
  },
  "the last reference only": {
    law: "efficiency",
    attribute: (model, x, r, coupling) => {
      const last = coupling.rows.map((i, e) => (coupling.rows[e + 1] === i ? 0 : 1));
      return pshap(model, x, r, {
        ...coupling,
        mass: Float64Array.from(coupling.mass, (p, e) => p * last[e]!),
      });
    },
  },
  "f(r) − f(x) instead of f(x) − f(r)": {
    law: "efficiency",
    attribute: async (model, x, r, coupling) => mapped(await pshap(model, x, r, coupling), (v) => -v),
  },
  "the difference dealt out evenly": {
    law: "dummy",
    attribute: async (model, x, r, coupling) => {
      const found = await pshap(model, x, r, coupling);
      const sums = rowSums(found.values);
      return mapped(found, (_, i) => sums[i]! / x.cols);
    },
  },
  "players in one fixed order": {
    law: "symmetry",
    attribute: async (model, x, r, coupling) => {
      const found = await pshap(model, x, r, coupling);
      const values = matrix(x.rows, x.cols);
      for (const [e, i] of coupling.rows.entries()) {
        const own = coupling.mass.reduce((sum, p, t) => sum + (coupling.rows[t] === i ? p : 0), 0);
        const row = r.data.slice(coupling.cols[e]! * x.cols, (coupling.cols[e]! + 1) * x.cols);
        let before = (await model(matrix(1, x.cols, row)))[0]!;
        for (let k = 0; k < x.cols; k++) {
          row[k] = x.data[i * x.cols + k]!;
          const after = (await model(matrix(1, x.cols, row)))[0]!;
          values.data[i * x.cols + k]! += (coupling.mass[e]! / own) * (after - before);
          before = after;
        }
      }
      return { ...found, values };
    },
  },
  "φ squared to tell them apart": {
    law: "linearity",
    attribute: async (model, x, r, coupling) =>
      mapped(await pshap(model, x, r, coupling), (v) => Math.sign(v) * v * v),
  },
  "a residual nobody measured": {
    law: "efficiency",
    attribute: async (model, x, r, coupling) => {
      const found = mapped(await pshap(model, x, r, coupling), (v) => v * (1 + 1e-10));
      return { ...found, residual: 0 };
    },
  },
  "one player too few": {
    law: "shape",
    attribute: async (model, x, r, coupling) => {
      const found = await pshap(model, x, r, coupling);
      return { ...found, values: matrix(x.rows, 1) };
    },
  },
  "another answer every time": {
    law: "same answer twice",
    attribute: async (model, x, r, coupling) => {
      asked++;
      return mapped(await pshap(model, x, r, coupling), (v) => v + asked * 1e-13);
    },
  },
  "a row that is overwritten": {
    law: "inputs unwritten",
    attribute: async (model, x, r, coupling) => {
      const found = await pshap(model, x, r, coupling);
      x.data[0]! += 1e-9;
      return found;
    },
  },
  "rows by position": {
    law: "permuted rows",
    attribute: async (model, x, r, coupling) =>
      mapped(await pshap(model, x, r, coupling), (v, i) => v * (1 + i)),
  },
};

function mapped(found: Attribution, change: (v: number, i: number) => number): Attribution {
  const { data, rows, cols } = found.values;
  return {
    ...found,
    values: matrix(
      rows,
      cols,
      data.map((v, at) => change(v, Math.floor(at / cols))),
    ),
  };
}

function rowSums({ data, rows, cols }: Matrix): Float64Array {
  return Float64Array.from({ length: rows }, (_, i) =>
    data.subarray(i * cols, (i + 1) * cols).reduce((sum, v) => sum + v, 0),
  );
}

type PairShap = typeof treePairShapInto;

/** Wrong twins of the pair walk. */
export const pairShapMutants: Readonly<Record<string, PairShap>> = {
  "every column its own player": (trees, x, r, players, out) => {
    const alone = players.flatMap((own) => own.map((c) => [c]));
    const phi = new Float64Array(alone.length);
    treePairShapInto(trees, x, r, alone, phi);
    let at = 0;
    for (const [u, own] of players.entries()) {
      out[u] = own.reduce((sum) => sum + phi[at++]!, 0);
    }
  },
  "leaves weighed by p! q! / (p+q+1)!": (trees, x, r, players, out) =>
    leafByLeaf(
      trees,
      x,
      r,
      players,
      out,
      (own, other) => 1 / ((own + other + 1) * binomial(own + other, own)),
    ),
  "x and r exchanged": (trees, x, r, players, out) => treePairShapInto(trees, r, x, players, out),
  "missing values as zero": (trees, x, r, players, out) =>
    treePairShapInto(trees, filled(x), filled(r), players, out),
};

/** The pair walk leaf by leaf, with the weight of a leaf that needs `own` players beside u on its side. */
function leafByLeaf(
  trees: Trees,
  x: ArrayLike<number>,
  r: ArrayLike<number>,
  players: readonly (readonly number[])[],
  out: Float64Array,
  weight: (own: number, other: number) => number,
): void {
  out.fill(0);
  const visit = (node: number, kept: readonly number[], edited: readonly number[]): void => {
    const c = trees.feature[node]!;
    if (c < 0) {
      for (const u of kept) out[u]! += trees.value[node]! * weight(kept.length, edited.length);
      for (const u of edited) out[u]! -= trees.value[node]! * weight(edited.length, kept.length);
      return;
    }
    const u = players.findIndex((own) => own.includes(c));
    const child = (row: ArrayLike<number>): number =>
      goesLeft(trees, node, seen(trees, row[c]!)) ? trees.left[node]! : trees.right[node]!;
    if (kept.includes(u) || u < 0) visit(child(x), kept, edited);
    else if (edited.includes(u)) visit(child(r), kept, edited);
    else if (child(x) === child(r)) visit(child(x), kept, edited);
    else {
      visit(child(x), [...kept, u], edited);
      visit(child(r), kept, [...edited, u]);
    }
  };
  for (const root of trees.roots) visit(root, [], []);
}

function binomial(n: number, k: number): number {
  return k === 0 ? 1 : (binomial(n - 1, k - 1) * n) / k;
}

function filled(row: ArrayLike<number>): Float64Array {
  return Float64Array.from(row, (v) => (Number.isNaN(v) ? 0 : v));
}

/** Predicts with the node rule turned from ≤ to < (or back). */
export function edgesTurned(trees: Trees, rows: Matrix): Float64Array {
  return straightPredict({ ...trees, inclusive: !trees.inclusive }, rows);
}

/** Predicts without rounding cells to float32. */
export function unrounded(trees: Trees, rows: Matrix): Float64Array {
  return straightPredict({ ...trees, float32: false }, rows);
}

function straightPredict(trees: Trees, rows: Matrix): Float64Array {
  return Float64Array.from({ length: rows.rows }, (_, i) => {
    const row = rows.data.subarray(i * rows.cols, (i + 1) * rows.cols);
    const cells = trees.float32 ? row.map(Math.fround) : row;
    return trees.roots.reduce((sum, root) => sum + trees.value[leafOf(trees, root, cells)]!, 0) + trees.base;
  });
}

/** Shapley values with the kernel off by one: t! (k−t)! / (k+1)!. */
export function offByOne(cube: Float64Array, k: number, out: Float64Array): void {
  const weight = shapleyWeights(k + 1);
  const size = (set: number): number => (set === 0 ? 0 : (set & 1) + size(set >> 1));
  for (let u = 0; u < k; u++) {
    out[u] = cube.reduce(
      (sum, v, set) => ((set >> u) & 1 ? sum : sum + weight[size(set)]! * (v - cube[set | (1 << u)]!)),
      0,
    );
  }
}

/** p-SHAP that scores illegal hybrids as if they were legal. */
export const illegalScored: typeof pshap = (model, x, r, coupling, { legal: _, ...options } = {}) =>
  pshap(model, x, r, coupling, options);

/** p-SHAP whose random numbers depend on the batch. */
export const seededByBatch: typeof pshap = (model, x, r, coupling, options = {}) =>
  pshap(model, x, r, coupling, { ...options, seed: options.batchRows ?? 0 });

/** p-SHAP whose random numbers depend on the company. */
export const seededByCompany: typeof pshap = (model, x, r, coupling, options = {}) =>
  pshap(model, x, r, coupling, { ...options, seed: x.rows });

/** p-SHAP that plays the columns of a group one by one and sums. */
export const groupsSplit: typeof pshap = async (model, x, r, coupling, { groups = [], ...options } = {}) => {
  const found = await pshap(model, x, r, coupling, options);
  const values = matrix(x.rows, groups.length);
  for (let at = 0; at < values.data.length; at++) {
    const i = Math.floor(at / groups.length);
    values.data[at] = groups[at % groups.length]!.reduce(
      (sum, c) => sum + found.values.data[i * x.cols + c]!,
      0,
    );
  }
  return { ...found, values };
};

/** p-SHAP that plays with the reference as it is and drops forbidden cells afterwards. */
export const forbiddenDropped: typeof pshap = async (model, x, r, coupling, { allowed, ...options } = {}) => {
  const found = await pshap(model, x, r, coupling, options);
  const flags = allowed instanceof Uint8Array ? allowed : allowed!.data;
  const { data, rows, cols } = found.values;
  return {
    ...found,
    values: matrix(
      rows,
      cols,
      data.map((v, at) => (flags[at] ? v : 0)),
    ),
  };
};
