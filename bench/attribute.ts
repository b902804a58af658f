import { pshap } from "../src/attribute/index.ts";
import { exact } from "../src/couple/index.ts";
import { linearKernels } from "../src/model/linear-kernels.ts";
import { treeCubeInto } from "../src/model/trees/cube.ts";
import { predictTrees } from "../src/model/trees/predict.ts";
import { treePairShapInto } from "../src/model/trees/shap.ts";
import { treeSmallSubsets } from "../src/model/trees/small.ts";
import { matrix, rowOf, takeRows } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import type { Matrix, Model, Trees } from "../src/types.ts";
import { normalRows, unprunedForest } from "./drawn.ts";
import { kernelShap } from "./kernel-shap.ts";
import { type BenchRow, cpuMs, median, printTable } from "./table.ts";

const COLS = 20;

/** Attribution: tree kernels on an unpruned forest, p-SHAP of a logistic model, the sampler beside KernelSHAP. */
export async function benchAttribute(): Promise<BenchRow[]> {
  const forest = grownForest();
  return [...(await treeRows(forest)), ...(await logisticRows()), ...(await samplerRows(forest))];
}

interface Forest {
  readonly rows: Matrix;
  readonly model: Model;
  readonly trees: Trees;
}

/** 100 unpruned trees on synthetic rows. */
function grownForest(): Forest {
  const random = stream(7, "bench attribute");
  const rows = gaussian(5900, COLS, "rows");
  const model = unprunedForest(random, rows);
  return { rows, model, trees: model.structure!(1) as Trees };
}

const gaussian = (rows: number, cols: number, name: string): Matrix =>
  normalRows(stream(1, "bench attribute", name), rows, cols);

/** Median CPU time of one of `count` calls, in microseconds; the first half of the rounds warms up. */
async function each(count: number, work: (t: number) => unknown, rounds = 12): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    times.push(
      await cpuMs(async () => {
        for (let t = 0; t < count; t++) await work(round * count + t);
      }),
    );
  }
  return (1000 * median(times.slice(rounds / 2))) / count;
}

async function treeRows({ rows, trees }: Forest): Promise<BenchRow[]> {
  const players = Array.from({ length: COLS }, (_, c) => [c]);
  const row = (t: number): Float64Array => rowOf(rows, t % rows.rows);
  const phi = new Float64Array(COLS);
  const far = await each(200, (t) => treePairShapInto(trees, row(7 * t), row(13 * t + 5), players, phi));
  const near = nearest(rows, 200);
  const close = await each(200, (t) =>
    treePairShapInto(trees, row(t % 200), row(near[t % 200]!), players, phi),
  );
  const cube = new Float64Array(2 ** 14);
  const cubes = await each(10, (t) =>
    treeCubeInto(trees, row(7 * t), row(13 * t + 5), players.slice(0, 14), cube),
  );
  const small = await each(20, (t) => treeSmallSubsets(trees, row(7 * t), row(13 * t + 5), players, 3));
  const batch = takeRows(
    rows,
    Int32Array.from({ length: 1000 }, (_, t) => t),
  );
  const predict = (await each(1, () => predictTrees(trees, batch))) / 1000;
  const nodes = trees.feature.length;
  const bar = { bar: "≤ 300 at ≥ 150,000 nodes" };
  return [
    {
      name: `exact tree attribution, 100 trees, ${nodes} nodes, random pairs`,
      ours: far,
      unit: "µs/pair",
      ...bar,
      ok: far <= 300 && nodes >= 150000,
    },
    { name: "exact tree attribution, nearest of 200 rows", ours: close, unit: "µs/pair" },
    { name: "tree cube, 14 players", ours: cubes, unit: "µs/pair" },
    { name: "sets of ≤ 3 of 20 players", ours: small, unit: "µs/pair" },
    { name: "forest prediction, batch of 1,000", ours: predict, unit: "µs/row" },
  ];
}

/** For each of the first `count` rows the nearest other one among them. */
function nearest(rows: Matrix, count: number): number[] {
  const distance = (a: Float64Array, b: Float64Array): number =>
    a.reduce((sum, v, c) => sum + (v - b[c]!) ** 2, 0);
  return Array.from({ length: count }, (_, i) => {
    const others = Array.from({ length: count }, (__, j) => j).filter((j) => j !== i);
    const far = new Map(others.map((j) => [j, distance(rowOf(rows, i), rowOf(rows, j))]));
    return others.reduce((best, j) => (far.get(j)! < far.get(best)! ? j : best));
  });
}

/** d = 9, one reference per row. */
async function logisticRows(): Promise<BenchRow[]> {
  const [n, d] = [2000, 9];
  const [x, r] = [gaussian(n, d, "x"), gaussian(n, d, "r")];
  const weights = gaussian(1, d, "weights").data;
  const predict = ({ data, rows }: Matrix): Float64Array => {
    const scores = new Float64Array(rows);
    for (let i = 0; i < rows; i++) {
      let margin = 0.1;
      for (let k = 0; k < d; k++) margin += weights[k]! * data[i * d + k]!;
      scores[i] = 1 / (1 + Math.exp(-margin));
    }
    return scores;
  };
  const structure = {
    kind: "linear",
    intercept: 0.1,
    weights,
    link: "logistic",
    kernels: linearKernels,
  } as const;
  const model: Model = { outputs: ["score"], predict, structure: () => structure };
  const inside = (await each(1, () => pshap(model, x, r, exact(n)), 40)) / n;
  const outside = (await each(1, () => pshap(predict, x, r, exact(n)), 20)) / n;
  const hybrids = gaussian(512 * 16, d, "hybrids");
  const alone = (await each(20, () => predict(hybrids))) / 16;
  return [
    {
      name: "p-SHAP, logistic, d = 9, one reference per row",
      ours: inside,
      unit: "µs/row",
      bar: "≤ 32",
      ok: inside <= 32,
    },
    { name: "the same as a plain function: 2^9 rows scored", ours: outside, unit: "µs/row" },
    { name: "of which the function itself", ours: alone, unit: "µs/row" },
  ];
}

async function samplerRows({ rows, model }: Forest): Promise<BenchRow[]> {
  const sizes = [
    [12, 514],
    [14, 1026],
    [16, 1026],
    [20, 1026],
  ] as const;
  const out: BenchRow[] = [];
  for (const [k, evaluations] of sizes) {
    out.push(await errorRow(`forest, ${k} players, ${evaluations} evaluations`, k, evaluations, model, rows));
  }
  const smooth: Model = { outputs: ["score"], predict: network() };
  out.push(await errorRow("network, 16 players, 1026 evaluations", 16, 1026, smooth, rows));
  const few = await errorRow("forest, 16 players, 4k² evaluations", 16, 4 * 16 ** 2, model, rows);
  out.push({ ...few, bar: "≤ 1 %", ok: few.ours <= 1 });
  return out;
}

/** σ of 16 random hidden units. */
function network(): (rows: Matrix) => Float64Array {
  const [hidden, out] = [gaussian(16, COLS, "hidden"), gaussian(1, 16, "out").data];
  return ({ data, rows }) =>
    Float64Array.from({ length: rows }, (_, i) => {
      let margin = 0;
      for (let h = 0; h < 16; h++) {
        let sum = 0;
        for (let c = 0; c < COLS; c++) sum += hidden.data[h * COLS + c]! * data[i * COLS + c]!;
        margin += out[h]! * Math.tanh(0.5 * sum);
      }
      return 1 / (1 + Math.exp(-margin));
    });
}

/** Mean relative error of sampled φ over pairs that differ in their first k columns, ours and KernelSHAP's. */
async function errorRow(
  name: string,
  k: number,
  evaluations: number,
  model: Model,
  rows: Matrix,
): Promise<BenchRow> {
  const pairs = 12;
  const score = (asked: Matrix): Float64Array => model.predict(asked) as Float64Array;
  const x = takeRows(
    rows,
    Int32Array.from({ length: pairs }, (_, i) => 11 * i),
  );
  const r = matrix(
    pairs,
    COLS,
    x.data.map((v, at) => (at % COLS < k ? rows.data[at + 3000 * COLS]! : v)),
  );
  const truth = await pshap(model, x, r, exact(pairs), { maxEnumeration: 2 ** k });
  const ours = await pshap(score, x, r, exact(pairs), { tolerance: 0, maxEvaluations: evaluations });
  const peers = matrix(pairs, COLS);
  for (let i = 0; i < pairs; i++) {
    const value = (kept: number): number => {
      const row = rowOf(x, i).map((v, c) => (c < k && !((kept >>> c) & 1) ? rowOf(r, i)[c]! : v));
      return score(matrix(1, COLS, row))[0]!;
    };
    peers.data.set(kernelShap(value, k, evaluations, stream(i, "kernel")), i * COLS);
  }
  const [mine, other] = [meanError(ours.values, truth.values), meanError(peers, truth.values)];
  return {
    name: `sampled φ: ${name}`,
    ours: mine,
    peer: other,
    unit: "% error",
    bar: "< KernelSHAP",
    ok: mine < other,
  };
}

function meanError(found: Matrix, truth: Matrix): number {
  let sum = 0;
  for (let i = 0; i < truth.rows; i++) {
    const [a, b] = [rowOf(found, i), rowOf(truth, i)];
    sum += Math.hypot(...a.map((v, c) => v - b[c]!)) / Math.hypot(...b);
  }
  return (100 * sum) / truth.rows;
}

if (process.argv[1]?.endsWith("attribute.ts")) printTable(await benchAttribute());
