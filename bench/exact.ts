import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readSetTable } from "../node/sets.ts";
import { compileConstraints } from "../src/data/constraints.ts";
import { bind, encodeRows, fitEncoder } from "../src/data/encode.ts";
import { dataSet } from "../src/data/sets/registry.ts";
import type { ExactOptions, ExactPlan } from "../src/exact/plan.ts";
import { exactSearch } from "../src/model/exact-search.ts";
import { reachOf } from "../src/model/target.ts";
import { rowOf, takeRows } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import { fitForest } from "../src/train/forest.ts";
import { fitLogistic } from "../src/train/logistic.ts";
import { fitMlp } from "../src/train/mlp.ts";
import { fitXgboost } from "../src/train/xgboost.ts";
import type { Matrix, Model, Target } from "../src/types.ts";
import type { BenchRow } from "./table.ts";

const ROWS = 100;
/** Rows kept out of training, and explained. */
const HELD_OUT = 1000;
/** Milliseconds for which other rows are explained first, until the engine has compiled what it runs. */
const WARM = 2000;

/** Bars in milliseconds of CPU a row: floor and goal. */
type Bars = readonly [floor: number, goal: number];

interface Case {
  readonly name: string;
  fit(x: Matrix, y: Int32Array): Model;
  readonly median?: Bars;
  /** Of the 99th of 100 rows, or the worst of fewer. */
  readonly most?: Bars;
  readonly score?: number;
  /** How many times the median of the case before this one's may be. */
  readonly times?: Bars;
  readonly options?: ExactOptions;
  /** Only the first so many features of HELOC; `wide`: a drawn table of 50 features. */
  readonly features?: number | "wide";
  readonly rows?: number;
  /** Rows may have no plan, as with one edit alone. */
  readonly some?: boolean;
}

const booster =
  (trees: number, maxDepth = 6) =>
  (x: Matrix, y: Int32Array) =>
    fitXgboost(x, y, { trees, maxDepth }, 1);

const CASES: readonly Case[] = [
  { name: "XGBoost 100 × d6", fit: booster(100), median: [5, 2], most: [120, 60] },
  { name: "XGBoost 100 × d6, p ≥ 0.8", fit: booster(100), times: [18, 10], score: 0.8 },
  {
    name: "XGBoost 100 × d6, one edit",
    fit: booster(100),
    median: [0.2, 0.2],
    options: { maxEdits: 1 },
    some: true,
  },
  { name: "XGBoost 500 × d6", fit: booster(500), median: [20, 5], most: [600, 300] },
  {
    name: "forest 100 × d6",
    fit: (x, y) => fitForest(x, y, { trees: 100, maxDepth: 6 }, 1),
    median: [36, 10],
  },
  { name: "forest 100, full depth", fit: (x, y) => fitForest(x, y, { trees: 100 }, 1), median: [950, 300] },
  { name: "XGBoost 300 × d6, 50 features", fit: booster(300), median: [600, 200], features: "wide" },
  { name: "logistic", fit: (x, y) => fitLogistic(x, y, {}), median: [0.1, 0.1] },
  {
    name: "MLP 2 × 32",
    fit: (x, y) => fitMlp(x, y, { hidden: [32, 32], epochs: 30 }, 1),
    median: [50, 50],
  },
  ...(
    [
      [50, 5],
      [200, 3],
      [100, 5],
    ] as const
  ).map(
    ([trees, depth]): Case => ({
      name: `least change alone, XGBoost ${trees} × d${depth}, 12 features`,
      fit: booster(trees, depth),
      most: [10_000, 10_000],
      options: { objective: "change" },
      features: 12,
      rows: 30,
    }),
  ),
];

/** Fewest edits and least change, both proven, on refused rows that the model was not trained on. */
export async function benchExact(): Promise<BenchRow[]> {
  const folder = process.env["COLA_DATA"] ?? fileURLToPath(new URL("../../shared/data", import.meta.url));
  const { info, product } = dataSet("heloc");
  if (!existsSync(`${folder}/${info.file}`)) return [];
  const set = product(await readSetTable(info, folder));
  const only = process.env["COLA_CASE"];
  let before = Number.NaN;
  return CASES.filter((its) => !only || its.name.includes(only)).flatMap((its) => {
    const { rows, median } = measure(its, tableOf(its.features, set), before);
    before = median;
    return rows;
  });
}

type Table = Pick<ReturnType<ReturnType<typeof dataSet>["product"]>, "schema" | "rows" | "labels">;

function tableOf(features: Case["features"], set: Table): Table {
  if (features === undefined) return set;
  if (features === "wide") return wide();
  const { rows, schema } = set;
  const kept = Float64Array.from({ length: rows.rows * features }, (_, at) => {
    return rows.data[Math.floor(at / features) * rows.cols + (at % features)]!;
  });
  return {
    schema: { ...schema, features: schema.features.slice(0, features) },
    rows: { data: kept, rows: rows.rows, cols: features },
    labels: set.labels,
  };
}

/** Fifty whole numbers from 0 to 99; a label of many of them, pairs and noise. */
function wide(): Table {
  const random = stream(1, "wide");
  const [rows, cols] = [8000, 50];
  const data = Float64Array.from({ length: rows * cols }, () => random.int(100));
  const labels = Int32Array.from({ length: rows }, (_, i) => {
    const at = (k: number): number => (data[i * cols + k]! - 50) / 29;
    let sum = random.normal();
    for (let k = 0; k < 20; k++) sum += at(k) / 2 + at(k) * at(k + 20) * 0.3;
    return sum > 2 ? 1 : 0;
  });
  const features = Array.from({ length: cols }, (_, k) => ({ name: `f${k}`, kind: "integer" as const }));
  return { schema: { features }, rows: { data, rows, cols }, labels };
}

function measure(
  its: Case,
  { schema, rows, labels }: Table,
  before: number,
): { readonly rows: BenchRow[]; readonly median: number } {
  const constraints = compileConstraints(schema);
  const train = takeRows(rows, range(HELD_OUT, rows.rows));
  const test = takeRows(rows, range(0, HELD_OUT));
  const smooth = its.name === "logistic" || its.name.startsWith("MLP");
  const encoder = fitEncoder(schema, train, smooth ? {} : { numeric: "raw", missing: "keep" });
  const fitted = its.fit(encodeRows(encoder, train), labels.slice(HELD_OUT));
  const model = bind(fitted, encoder, constraints);
  const target: Target = its.score ? { output: 1, min: its.score } : { class: 1 };
  const search = exactSearch({ model, constraints, reach: reachOf(model, target), table: train });
  if (!search) throw new Error(`${its.name}: there is no search`);
  const scores = model.predict(test, 1) as Float64Array;
  const refused = Array.from(scores.keys()).filter((i) => scores[i]! < 0.5);
  const count = its.rows ?? ROWS;
  const others = refused.slice(count);
  for (let t = 0, start = cpu(); cpu() - start < WARM; t++)
    search.plan(rowOf(test, others[t % others.length]!), its.options);
  const times: number[] = [];
  const plans: ExactPlan[] = [];
  for (const i of refused.slice(0, count)) {
    const start = cpu();
    plans.push(search.plan(rowOf(test, i), its.options));
    times.push(cpu() - start);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (q: number): number => sorted[Math.ceil(q * sorted.length) - 1]!;
  const found = plans.filter((plan) => plan.outcome === "found");
  const proven = found.filter((plan) => plan.least && (plan.fewest || its.options?.objective === "change"));
  const sum = (of: (plan: ExactPlan) => number): number => found.reduce((total, plan) => total + of(plan), 0);
  console.log(
    `${its.name}: ${found.length} of ${plans.length} rows have a plan, ${sum((p) => p.features.length)} edits, ${sum((p) => p.change).toFixed(1)} MADs; proven ${proven.length}`,
  );
  // That no legal values reach the target is a proof, too.
  const open = plans.filter((plan) => plan.outcome === "open");
  const whole = proven.length === found.length && (its.some || open.length === 0);
  const named = (what: string, ours: number, bars: Bars | undefined, unit = "ms CPU/row"): BenchRow[] =>
    bars ? [bar(`${its.name}: ${what}`, ours, bars, unit, whole)] : [];
  return {
    median: at(0.5),
    rows: [
      ...named("median", at(0.5), its.median),
      ...named(count < 100 ? "worst" : "99 %", at(0.99), its.most),
      ...named(
        "median against p ≥ 0.5",
        at(0.5) / before,
        Number.isNaN(before) ? undefined : its.times,
        "times",
      ),
    ],
  };
}

/** Milliseconds of CPU this process has used. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function bar(name: string, ours: number, [floor, goal]: Bars, unit: string, whole: boolean): BenchRow {
  const met = (most: number): string => `≤ ${most} ${ours <= most ? "met" : "missed"}`;
  const said = `floor ${met(floor)}, goal ${met(goal)}${whole ? "" : ", not all proven"}`;
  return { name, ours, unit, bar: said, ok: whole && ours <= floor };
}

function range(from: number, to: number): Int32Array {
  return Int32Array.from({ length: to - from }, (_, t) => from + t);
}
