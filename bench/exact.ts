import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readSetTable } from "../node/sets.ts";
import { compileConstraints } from "../src/data/constraints.ts";
import { bind, encodeRows, fitEncoder } from "../src/data/encode.ts";
import { dataSet } from "../src/data/sets/registry.ts";
import type { ExactPlan } from "../src/exact/contract.ts";
import { exactSearch } from "../src/model/exact-search.ts";
import { reachOf } from "../src/model/target.ts";
import { rowOf, takeRows } from "../src/num/matrix.ts";
import { fitForest } from "../src/train/forest.ts";
import { fitLogistic } from "../src/train/logistic.ts";
import { fitMlp } from "../src/train/mlp.ts";
import { fitXgboost } from "../src/train/xgboost.ts";
import type { Matrix, Model, Target } from "../src/types.ts";
import type { BenchRow } from "./table.ts";

const ROWS = 100;
/** Rows kept out of training, and explained. */
const HELD_OUT = 1000;

interface Case {
  readonly name: string;
  fit(x: Matrix, y: Int32Array): Model;
  /** Bars in milliseconds of CPU: floor and goal of the median, and of the 99th of 100 rows. */
  readonly median: readonly [floor: number, goal: number];
  readonly most?: readonly [floor: number, goal: number];
  readonly score?: number;
  readonly maxEdits?: number;
}

const booster = (trees: number) => (x: Matrix, y: Int32Array) => fitXgboost(x, y, { trees, maxDepth: 6 }, 1);

const CASES: readonly Case[] = [
  { name: "XGBoost 100 × d6", fit: booster(100), median: [5, 2], most: [120, 60] },
  { name: "XGBoost 100 × d6, p ≥ 0.8", fit: booster(100), median: [90, 20], score: 0.8 },
  { name: "XGBoost 100 × d6, one edit", fit: booster(100), median: [0.2, 0.2], maxEdits: 1 },
  { name: "XGBoost 500 × d6", fit: booster(500), median: [20, 5], most: [600, 300] },
  {
    name: "forest 100 × d6",
    fit: (x, y) => fitForest(x, y, { trees: 100, maxDepth: 6 }, 1),
    median: [36, 10],
  },
  { name: "forest 100, full depth", fit: (x, y) => fitForest(x, y, { trees: 100 }, 1), median: [950, 300] },
  { name: "logistic", fit: (x, y) => fitLogistic(x, y, {}), median: [0.1, 0.1] },
  {
    name: "MLP 2 × 32",
    fit: (x, y) => fitMlp(x, y, { hidden: [32, 32], epochs: 30 }, 1),
    median: [50, 50],
  },
];

/** Fewest edits and least change, both proven, on refused HELOC rows that the model was not trained on. */
export async function benchExact(): Promise<BenchRow[]> {
  const folder = process.env["COLA_DATA"] ?? fileURLToPath(new URL("../../shared/data", import.meta.url));
  const { info, product } = dataSet("heloc");
  if (!existsSync(`${folder}/${info.file}`)) return [];
  const set = product(await readSetTable(info, folder));
  const only = process.env["COLA_CASE"];
  return CASES.filter((its) => !only || its.name.includes(only)).flatMap((its) => measure(its, set));
}

type Product = ReturnType<ReturnType<typeof dataSet>["product"]>;

function measure(its: Case, { schema, rows, labels }: Product): BenchRow[] {
  const constraints = compileConstraints(schema);
  const train = takeRows(rows, range(HELD_OUT, rows.rows));
  const test = takeRows(rows, range(0, HELD_OUT));
  const smooth = its.name === "logistic" || its.name.startsWith("MLP");
  const encoder = fitEncoder(schema, train, smooth ? {} : { numeric: "raw", missing: "keep" });
  const fitted = its.fit(encodeRows(encoder, train), labels.slice(HELD_OUT));
  const model = bind(fitted, encoder, constraints);
  const target: Target = its.score ? { output: 1, min: its.score } : { class: 1 };
  const reach = reachOf(model, target);
  const search = exactSearch({ model, constraints, reach, table: train });
  if (!search) return [];
  const scores = model.predict(test, 1) as Float64Array;
  const refused = Array.from(scores.keys()).filter((i) => scores[i]! < 0.5);
  const options = its.maxEdits ? { maxEdits: its.maxEdits } : {};
  for (const i of refused.slice(-20)) search.plan(rowOf(test, i), options);
  const times: number[] = [];
  const plans: ExactPlan[] = [];
  for (const i of refused.slice(0, ROWS)) {
    const start = process.cpuUsage();
    plans.push(search.plan(rowOf(test, i), options));
    const used = process.cpuUsage(start);
    times.push((used.user + used.system) / 1000);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (q: number): number => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]!;
  const found = plans.filter((plan) => plan.outcome === "found");
  const sum = (of: (plan: ExactPlan) => number): number => found.reduce((total, plan) => total + of(plan), 0);
  console.log(
    `${its.name}: ${found.length} of ${plans.length} rows have a plan, ${sum((p) => p.features.length)} edits, ${sum((p) => p.change).toFixed(1)} MADs; proven ${found.filter((p) => p.fewest && p.least).length}`,
  );
  return [
    bar(`${its.name}: median`, at(0.5), its.median),
    ...(its.most ? [bar(`${its.name}: 99 %`, at(0.99), its.most)] : []),
  ];
}

function bar(name: string, ours: number, [floor, goal]: readonly [number, number]): BenchRow {
  return { name, ours, unit: "ms CPU/row", bar: `≤ ${floor}, goal ${goal}`, ok: ours <= floor };
}

function range(from: number, to: number): Int32Array {
  return Int32Array.from({ length: to - from }, (_, t) => from + t);
}
