import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PshapOptions, pshap } from "../../src/attribute/index.ts";
import { settleIllegal } from "../../src/attribute/legal.ts";
import { exact, fromDense, uniform } from "../../src/couple/index.ts";
import { applyLink, sigmoid } from "../../src/model/link.ts";
import { treeModel } from "../../src/model/trees/model.ts";
import { predictTrees } from "../../src/model/trees/predict.ts";
import { fromRows, matrix, rowOf, takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type {
  Attribution,
  Coupling,
  Link,
  Matrix,
  Model,
  ModelLike,
  PredictFunction,
} from "../../src/types.ts";
import { gaussian, weights } from "../support/couple.ts";
import { wildForest, wildRows } from "../support/forests.ts";
import { forbiddenDropped, groupsSplit, illegalScored } from "../support/mutants/attribute.ts";
import { refuses } from "../support/refuses.ts";

const COLS = 6;
const seeds = fc.nat(1e6);
const GROUPS = [[0, 4], [2], [5, 3, 1]];

function farthest(a: Matrix, b: Matrix): number {
  return a.data.reduce((most, v, at) => Math.max(most, Math.abs(v - b.data[at]!)), 0);
}

function byRow(f: (z: Float64Array) => number): PredictFunction {
  return (rows) => Float64Array.from({ length: rows.rows }, (_, i) => f(rowOf(rows, i)));
}

/** The same model without its inside. */
function closed(model: Model, output?: number): PredictFunction {
  return (rows) => model.predict(rows, output);
}

function forestModel(seed: number, link: Link): Model {
  const outputs = link === "softmax" ? ["a", "b", "c"] : ["score"];
  const forests = outputs.map((_, o) => wildForest(seed + o, { cols: COLS, link }));
  return treeModel({ name: "forest", outputs, cols: COLS, forests });
}

function linearModel(seed: number, link: Link, scale = 1): Model {
  const random = stream(seed, "weights");
  const w = Float64Array.from({ length: COLS }, () => scale * random.normal());
  const margin = (rows: Matrix): Float64Array =>
    Float64Array.from({ length: rows.rows }, (_, i) =>
      rowOf(rows, i).reduce((sum, v, k) => sum + v * w[k]!, 0.2),
    );
  return {
    outputs: ["score"],
    predict: (rows) => margin(rows).map((m) => applyLink(link, m)),
    structure: () => ({ kind: "linear", intercept: 0.2, weights: w, link }),
  };
}

describe("a model's structure gives what its black box gives", () => {
  test.each(["identity", "logistic", "exp", "softmax"] as const)("trees, link %s", async (link) => {
    await fc.assert(
      fc.asyncProperty(seeds, fc.constantFrom(undefined, GROUPS), async (seed, groups) => {
        const model = forestModel(seed, link);
        const [x, r] = [wildRows(seed, 3, COLS), wildRows(seed + 1, 4, COLS)];
        const coupling = fromDense(matrix(3, 4, weights(12, seed)));
        const options: PshapOptions = { output: 0, ...(groups ? { groups } : {}) };
        const inside = await pshap(model, x, r, coupling, options);
        const outside = await pshap(closed(model, 0), x, r, coupling, options);
        expect(inside).toMatchObject({ exact: true, space: "score" });
        const size = 1 + outside.values.data.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
        expect(farthest(inside.values, outside.values) / size).toBeLessThan(1e-12);
        expect(inside.residual / size).toBeLessThan(1e-12);
        expect(inside.evaluations).toBeLessThan(outside.evaluations);
      }),
      { numRuns: 12 },
    );
  });

  test.each([
    ["identity", 1],
    ["logistic", 1],
    ["logistic", 400],
    ["exp", 0.3],
  ] as const)("linear, link %s, weights × %i", async (link, scale) => {
    const model = linearModel(3, link, scale);
    const [x, r] = [gaussian(4, COLS, 1, "x"), gaussian(4, COLS, 1, "r")];
    const inside = await pshap(model, x, r, uniform(4, 4));
    expect(inside).toMatchObject({ exact: true, space: "score", evaluations: 8 });
    expect(farthest(inside.values, (await pshap(closed(model), x, r, uniform(4, 4))).values)).toBeLessThan(
      1e-12,
    );
  });

  test("margins: the pair walk equals the enumeration of margin()", async () => {
    const trees = wildForest(8, { cols: COLS, link: "logistic" });
    const model = treeModel({ name: "gradboost", outputs: ["a", "b"], cols: COLS, forests: [trees] });
    const [x, r] = [wildRows(1, 3, COLS), wildRows(2, 3, COLS)];
    const walk = await pshap(model, x, r, uniform(3, 3), { space: "margin" });
    const asked: Model = {
      outputs: ["a"],
      predict: closed(model) as Model["predict"],
      margin: (rows) => predictTrees(trees, rows),
    };
    const listed = await pshap(asked, x, r, uniform(3, 3), { space: "margin" });
    expect(listed).toMatchObject({ exact: true, space: "margin" });
    expect(farthest(walk.values, listed.values)).toBeLessThan(1e-12);
    expect(farthest(matrix(1, 3, walk.base), matrix(1, 3, listed.base))).toBeLessThan(1e-12);
  });
});

describe("the space", () => {
  const wide = (k: number): { x: Matrix; r: Matrix } => {
    const x = gaussian(2, 20, 1, "x");
    const r = matrix(
      2,
      20,
      x.data.map((v, at) => (at % 20 < (at < 20 ? k : 3) ? v + 1 : v)),
    );
    return { x, r };
  };
  const model = treeModel({
    name: "gradboost",
    outputs: ["a", "b"],
    cols: 20,
    forests: [wildForest(2, { cols: 20, count: 40, link: "logistic", tame: true })],
  });

  test("auto: the score up to exactPlayers, beyond it the exact margin", async () => {
    const near = wide(14);
    expect(await pshap(model, near.x, near.r, exact(2))).toMatchObject({ exact: true, space: "score" });
    const far = wide(15);
    const found = await pshap(model, far.x, far.r, exact(2));
    expect(found).toMatchObject({ exact: true, space: "margin" });
    expect(found.spaces).toBeUndefined();
    expect(found.residual).toBeLessThan(1e-12);
    expect(await pshap(model, far.x, far.r, exact(2), { exactPlayers: 15 })).toMatchObject({
      space: "score",
    });
  });

  test("each: a row's answer is the one it gets alone", async () => {
    const { x, r } = wide(15);
    const found = await pshap(model, x, r, exact(2), { space: "each" });
    expect(found.spaces).toEqual(["margin", "score"]);
    for (const i of [0, 1]) {
      const alone = await pshap(model, takeRows(x, [i]), takeRows(r, [i]), exact(1));
      expect(alone.space).toBe(found.spaces![i]);
      expect(Array.from(alone.values.data)).toEqual(Array.from(rowOf(found.values, i)));
      expect(alone.base[0]).toBe(found.base[i]);
    }
  });

  test("score: beyond exactPlayers it is sampled and says so", async () => {
    const { x, r } = wide(15);
    const found = await pshap(model, x, r, exact(2), { space: "score", maxEvaluations: 66 });
    expect(found).toMatchObject({ exact: false, space: "score" });
    expect(rowOf(found.stderr!, 1).every((v) => v === 0)).toBe(true);
    expect(found.residual).toBeLessThan(1e-9);
  });

  test("margin of a model that has none is refused", async () => {
    const { x, r } = wide(3);
    await expect(pshap(closed(model), x, r, exact(2), { space: "margin" })).rejects.toMatchObject({
      code: "OPTION_INVALID",
    });
  });
});

describe("players", () => {
  const bumpy = byRow((z) => Math.sin(z[0]! * z[4]!) + z[2]! * z[5]! - Math.abs(z[3]! - z[1]!) * z[0]!);
  const [x, r] = [gaussian(2, COLS, 5, "x"), gaussian(2, COLS, 5, "r")];

  const groupLaw = async (impl: typeof pshap): Promise<void> => {
    const grouped = await impl(bumpy, x, r, uniform(2, 2), { groups: GROUPS });
    // Player u of the substitute chooses between row 0 … 3 of the stacked rows for all columns of group u.
    const stack = [...[0, 1].map((i) => rowOf(x, i)), ...[0, 1].map((j) => rowOf(r, j))];
    const substitute = byRow((choice) => {
      const z = new Float64Array(COLS);
      for (const [u, own] of GROUPS.entries()) for (const c of own) z[c] = stack[choice[u]!]![c]!;
      return (bumpy(matrix(1, COLS, z)) as Float64Array)[0]!;
    });
    const choices = (rows: number[]): Matrix => fromRows(rows.map((row) => [row, row, row]));
    const brute = await pshap(substitute, choices([0, 1]), choices([2, 3]), uniform(2, 2));
    expect(farthest(grouped.values, brute.values)).toBeLessThan(1e-14);
  };
  test("a group is one player: the same as a function of whole groups", () => groupLaw(pshap));
  test("groups played column by column are refused", () => refuses(() => groupLaw(groupsSplit)));

  test("an encoding moves as a whole: one-hot columns of a level", async () => {
    const inner: Model = {
      outputs: ["score"],
      predict: (rows) => bumpy(rows) as Float64Array,
    };
    // Table column 0 becomes encoded columns 0–3 (one-hot), column 1 becomes 4, column 2 becomes 5.
    const encode = (rows: Matrix): Matrix =>
      fromRows(
        Array.from({ length: rows.rows }, (_, i) => {
          const [level, a, b] = rowOf(rows, i);
          return [0, 1, 2, 3].map((l) => Number(l === level)).concat(a!, b!);
        }),
      );
    const encoding = { model: inner, encode, groups: [[0, 1, 2, 3], [4], [5]] };
    const bound: Model = { outputs: ["score"], predict: (rows) => inner.predict(encode(rows)), encoding };
    const [tx, tr] = [
      fromRows([
        [0, 1.5, -1],
        [2, 0.3, 2],
      ]),
      fromRows([
        [3, 1.5, 2],
        [1, -1, 0.7],
      ]),
    ];
    const found = await pshap(bound, tx, tr, uniform(2, 2));
    const plain = await pshap((rows) => bound.predict(rows), tx, tr, uniform(2, 2));
    expect(found.values.cols).toBe(3);
    expect(farthest(found.values, plain.values)).toBeLessThan(1e-14);
  });

  test("a column of no player holds x", async () => {
    const found = await pshap(bumpy, x, r, exact(2), { groups: [[0], [1], [2]] });
    const held = matrix(
      2,
      COLS,
      r.data.map((v, at) => (at % COLS < 3 ? v : x.data[at]!)),
    );
    const wanted = await pshap(bumpy, x, held, exact(2));
    expect(Array.from(found.base)).toEqual(Array.from(wanted.base));
    for (const i of [0, 1])
      expect(Array.from(rowOf(found.values, i))).toEqual(Array.from(rowOf(wanted.values, i).subarray(0, 3)));
  });

  const allowed = Uint8Array.of(1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1, 1);
  /** r as row i may take it. */
  const held = (i: number): Matrix =>
    matrix(
      2,
      COLS,
      r.data.map((v, at) => (allowed[i * COLS + (at % COLS)] ? v : x.data[i * COLS + (at % COLS)]!)),
    );
  const allowedLaw = async (impl: typeof pshap): Promise<void> => {
    for (const model of [
      bumpy,
      forestModel(4, "logistic"),
      linearModel(4, "identity"),
    ] satisfies ModelLike[]) {
      for (const flags of [allowed, matrix(2, COLS, Float64Array.from(allowed))]) {
        const found = await impl(model, x, r, uniform(2, 2), { allowed: flags });
        expect(found.residual).toBeLessThan(1e-12);
        for (const i of [0, 1]) {
          const wanted = await pshap(model, takeRows(x, [i]), held(i), uniform(1, 2));
          expect(farthest(wanted.values, takeRows(found.values, [i]))).toBeLessThan(1e-15);
          expect(Math.abs(wanted.base[0]! - found.base[i]!)).toBeLessThan(1e-15);
        }
      }
    }
  };
  test("a forbidden cell of a reference is x's, and efficiency is against these rows", () =>
    allowedLaw(pshap));
  test("forbidden cells dropped after the game are refused", () =>
    refuses(() => allowedLaw(forbiddenDropped)));
});

type Attributed = (
  model: ModelLike,
  x: Matrix,
  r: Matrix,
  coupling: Coupling,
  options: PshapOptions,
) => Promise<Attribution>;

describe("rules over whole rows", () => {
  const rule = (z: Float64Array): boolean => !(z[0]! > 0 && z[1]! > 0) && z[2]! + z[3]! < 3;
  const legal = (rows: Matrix): boolean[] =>
    Array.from({ length: rows.rows }, (_, i) => rule(rowOf(rows, i)));
  const score = (z: Float64Array): number => sigmoid(z[0]! * z[1]! + z[2]! - z[3]! * z[0]!);
  const x = fromRows([
    [0, 1, 0, 1],
    [-1, -2, 1, 1],
  ]);
  const r = fromRows([
    [1, 0, 2, 2],
    [2, 3, 2, 0],
  ]);

  /** v(T) of the restricted game: the mean over the largest legal subsets of T. */
  const restricted = (i: number, j: number): ((set: number) => number) => {
    const row = (set: number): Float64Array =>
      rowOf(x, i).map((v, k) => ((set >> k) & 1 ? r.data[j * 4 + k]! : v));
    const size = (set: number): number => [0, 1, 2, 3].filter((k) => (set >> k) & 1).length;
    return (set) => {
      const inside = Array.from({ length: 16 }, (_, t) => t).filter(
        (t) => (t & set) === t && (t === 0 || rule(row(t))),
      );
      const most = Math.max(...inside.map(size));
      const largest = inside.filter((t) => size(t) === most);
      return largest.reduce((sum, t) => sum + score(row(t)), 0) / largest.length;
    };
  };

  const law = async (impl: Attributed): Promise<void> => {
    const found = await impl(byRow(score), x, r, uniform(2, 2), { legal });
    for (const i of [0, 1]) {
      const games = [restricted(i, 0), restricted(i, 1)];
      const mean = (set: number): number => (games[0]!(set) + games[1]!(set)) / 2;
      expect(found.base[i]).toBeCloseTo(mean(15), 12);
      const phi = rowOf(found.values, i);
      expect(phi.reduce((sum, v) => sum + v, 0)).toBeCloseTo(mean(0) - mean(15), 12);
      for (const [k, order] of [
        [0, [0, 1, 2, 3]],
        [2, [2, 0, 1, 3]],
      ] as const) {
        let wanted = 0;
        for (let set = 0; set < 16; set++) {
          if ((set >> order[0]!) & 1) continue;
          const size = [0, 1, 2, 3].filter((u) => (set >> u) & 1).length;
          wanted += [1 / 4, 1 / 12, 1 / 12, 1 / 4][size]! * (mean(set) - mean(set | (1 << k)));
        }
        expect(phi[k]).toBeCloseTo(wanted, 12);
      }
    }
  };

  test("any rules: equal to looking through all legal subsets", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }),
        fc.nat(1e6),
        fc.double({ min: 0.05, max: 0.9 }),
        (k, seed, share) => {
          const random = stream(seed, "rules");
          const flags = Uint8Array.from({ length: 2 ** k }, (_, set) =>
            Number(set === 0 || random.next() < share),
          );
          const cube = Float64Array.from(flags, () => random.normal());
          const size = (set: number): number => set.toString(2).replaceAll("0", "").length;
          const wanted = Array.from(cube, (_, set) => {
            const inside = [...flags.keys()].filter((t) => (t & set) === t && flags[t]);
            const most = Math.max(...inside.map(size));
            const largest = inside.filter((t) => size(t) === most);
            return largest.reduce((sum, t) => sum + cube[t]!, 0) / largest.length;
          });
          settleIllegal(cube, flags);
          for (const [set, v] of wanted.entries()) expect(cube[set]).toBeCloseTo(v, 12);
        },
      ),
    );
  });

  test("an illegal hybrid is worth the mean of the largest legal ones within it", () => law(pshap));
  test("scoring illegal hybrids as they are is refused", () => refuses(() => law(illegalScored)));

  test("the model never sees an illegal hybrid", async () => {
    const seen: Float64Array[] = [];
    const watched = byRow((z) => {
      seen.push(z.slice());
      return score(z);
    });
    await pshap(watched, x, r, exact(2), { legal });
    const ends = [...[0, 1].map((i) => rowOf(x, i).join()), ...[0, 1].map((j) => rowOf(r, j).join())];
    expect(seen.filter((z) => !rule(z) && !ends.includes(z.join()))).toEqual([]);
    expect(seen.length).toBeGreaterThan(8);
  });

  test("a structure gives the same restricted game", async () => {
    const model = forestModel(11, "logistic");
    const [a, b] = [wildRows(3, 3, COLS), wildRows(4, 3, COLS)];
    const rules = (rows: Matrix): Uint8Array =>
      Uint8Array.from({ length: rows.rows }, (_, i) =>
        Number(rowOf(rows, i)[0]! > 0 === rowOf(rows, i)[2]! > 0),
      );
    const inside = await pshap(model, a, b, uniform(3, 3), { legal: rules });
    const outside = await pshap(closed(model), a, b, uniform(3, 3), { legal: rules });
    expect(farthest(inside.values, outside.values)).toBeLessThan(1e-12);
    expect(inside.residual).toBeLessThan(1e-12);
    const margin = await pshap(model, a, b, uniform(3, 3), { legal: rules, space: "margin" });
    expect(margin).toMatchObject({ exact: true, space: "margin" });
    expect(margin.residual).toBeLessThan(1e-12);
  });

  test("sampled: illegal hybrids give way to legal ones, efficiency stays exact", async () => {
    const a = gaussian(2, 14, 6, "x");
    const b = gaussian(2, 14, 6, "r");
    for (const at of [0, 1, 14, 15]) {
      a.data[at] = 0;
      b.data[at] = 0.8;
    }
    const some = (rows: Matrix): boolean[] =>
      Array.from({ length: rows.rows }, (_, i) => rowOf(rows, i)[0]! + rowOf(rows, i)[1]! < 1);
    const seen: boolean[] = [];
    const smooth = byRow((z) => {
      seen.push(z[0]! + z[1]! < 1);
      return Math.tanh(z.reduce((sum, v, k) => sum + v / (k + 2), 0));
    });
    const options = { legal: some, seed: 3 };
    const sampled = await pshap(smooth, a, b, exact(2), options);
    expect(sampled.exact).toBe(false);
    expect(sampled.residual).toBeLessThan(1e-9);
    expect(seen.filter((ok) => !ok).length).toBe(2);
    const listed = await pshap(smooth, a, b, exact(2), { ...options, maxEnumeration: 2 ** 14 });
    expect(farthest(sampled.values, listed.values)).toBeLessThan(0.05);
  });
});
