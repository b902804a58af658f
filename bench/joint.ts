import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { prepared } from "../experiments/data.ts";
import { pshap } from "../src/attribute/pshap.ts";
import { mostLikely } from "../src/compose/most-likely.ts";
import { squaredEuclidean } from "../src/couple/cost.ts";
import { transport } from "../src/couple/transport.ts";
import { compileConstraints } from "../src/data/constraints.ts";
import { dataSet } from "../src/data/sets/registry.ts";
import { generate } from "../src/generate/registry.ts";
import { type Joint, type JointOptions, joint } from "../src/match/index.ts";
import { takeRows } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import { refine } from "../src/refine/index.ts";
import { fitForest } from "../src/train/forest.ts";
import type { Matrix, Model } from "../src/types.ts";
import { type BenchRow, cpuMs, printTable } from "./table.ts";

const ROWS = 40;
const TREES = 30;
const RUNS = 20;
const LEVEL = 0.8;

/** Edits per row at 80 % MeanD effect: the paper's sampling beside the joint coupling, with and without the cap. */
export async function benchJoint(): Promise<BenchRow[]> {
  const folder = process.env["COLA_DATA"] ?? fileURLToPath(new URL("../../shared/data", import.meta.url));
  const rows: BenchRow[] = [];
  for (const name of ["german", "heloc"] as const) {
    if (!existsSync(`${folder}/${dataSet(name).info.file}`)) continue;
    const its = await caseOf(name, folder);
    for (const on of ["label", "score"] as const) rows.push(...(await contest(name, its, on)));
  }
  return rows;
}

interface Case {
  readonly model: Model;
  readonly x: Matrix;
  readonly r: Matrix;
}

/** A forest, rows it puts into class 1, and for each its nearest training row of class 0. */
async function caseOf(name: "german" | "heloc", folder: string): Promise<Case> {
  const random = stream(17, "bench joint", name);
  const set = await prepared(name, folder, "paper", 0);
  const model = fitForest(set.train, set.trainLabels, { trees: TREES }, random.split("fit")) as Model;
  const scores = (await model.predict(set.test)) as Float64Array;
  const ones = Array.from(scores.keys()).filter((i) => scores[i]! > 0.5);
  const x = takeRows(set.test, ones.slice(0, ROWS));
  const features = set.names.map((column) => ({ name: column, kind: "numeric" as const }));
  const task = {
    model,
    x,
    references: set.train,
    constraints: compileConstraints({ features }),
    target: { class: 0 },
  };
  const { rows } = await generate("knn", task, {}, random.split("generate"));
  return { model, x, r: rows };
}

async function contest(name: string, { model, x, r }: Case, on: "label" | "score"): Promise<BenchRow[]> {
  const goal = { kind: "group", divergence: "mean", on, level: LEVEL } as const;
  const coupling = await transport(squaredEuclidean(x, r));
  const q = mostLikely(coupling, r);
  const desired = (await model.predict(r)) as Float64Array;
  const attribution = await pshap(model, x, r, coupling, { space: "score" });
  const common = { model, x, q, goal, desired, attribution };
  let sampled = 0;
  for (let seed = 0; seed < RUNS; seed++) {
    const { curve } = await refine({ ...common, policy: "sample", stop: "budget", seed });
    sampled += curve.find(({ effect }) => effect !== null && effect >= LEVEL - 1e-9)!.C / RUNS;
  }
  const least = (await refine({ ...common, policy: "minimal" })).reached.C;
  const lines: BenchRow[] = [row(`${name}, ${on}s: transport + minimal`, least, sampled)];
  for (const [label, options] of WAYS) {
    let found: Joint | undefined;
    const ms = await cpuMs(async () => {
      found = await joint(model, x, r, { goal, ...options });
    });
    const { value, bound, reached, reuse } = found!;
    const details = `bound ${(bound / ROWS).toFixed(3)}, reuse ≤ ${Math.max(...reuse)}, ${ms.toFixed(0)} ms CPU`;
    const line = row(`${name}, ${on}s: joint, ${label} (${details})`, reached ? value : Number.NaN, sampled);
    const judged = on === "label" && label.endsWith(", cap");
    lines.push(judged ? { ...line, bar: "≤ 0.6 × sampling", ok: reached && value <= 0.6 * sampled } : line);
  }
  return lines;
}

const WAYS: readonly (readonly [string, Partial<JointOptions>])[] = [
  ["one-to-one, cap", {}],
  ["free, cap", { mode: "free" }],
  ["one-to-one, no cap", { cap: "none" }],
  ["free, no cap", { mode: "free", cap: "none" }],
];

function row(name: string, edits: number, sampled: number): BenchRow {
  return { name, ours: edits / ROWS, peer: sampled / ROWS, unit: "edits per row" };
}

if (process.argv[1]?.endsWith("bench/joint.ts")) printTable(await benchJoint());
