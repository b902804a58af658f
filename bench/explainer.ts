import { linearModel } from "../src/model/linear.ts";
import { matrix, rowOf, takeRows } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import { prepare } from "../src/prepare.ts";
import { answer } from "../src/run/answer.ts";
import type { Setup } from "../src/run/contract.ts";
import { open } from "../src/run/open.ts";
import { questionOf, runOf } from "../src/run/run.ts";
import { setUp } from "../src/run/setup.ts";
import { fitForest } from "../src/train/forest.ts";
import type { Matrix, Model } from "../src/types.ts";
import { type BenchRow, cpuMs, median, printTable } from "./table.ts";

const FEATURES = 20;

export async function benchExplainer(): Promise<BenchRow[]> {
  return [await forestRow(), await openedOnce()];
}

/** `explainer.row(x)`: one person, a forest of 100 unpruned trees, 20 features, 1,000 references. */
async function forestRow(): Promise<BenchRow> {
  const random = stream(11, "bench explainer");
  const n = 9000;
  const x = matrix(
    n,
    FEATURES,
    Float64Array.from({ length: n * FEATURES }, () => random.normal()),
  );
  const y = Int32Array.from({ length: n }, (_, i) => {
    const row = rowOf(x, i);
    return row[0]! * row[1]! + row[2]! - row[3]! ** 2 + 1 + 1.2 * random.normal() > 0 ? 1 : 0;
  });
  const forest = fitForest(x, y, {}, random) as Model;
  const nodes = (forest.structure!(1) as { feature: Int32Array }).feature.length;
  const scores = forest.predict(x, 1) as Float64Array;
  const pick = (test: (s: number) => boolean, count: number): number[] =>
    Array.from(scores.keys())
      .filter((i) => test(scores[i]!))
      .slice(0, count);
  const pool = pick((s) => s > 0.5, 1000);
  const references = matrix(pool.length, FEATURES, Float64Array.from(pool.flatMap((i) => [...rowOf(x, i)])));
  const explainer = prepare({
    model: forest,
    references,
    options: { goal: { kind: "each", target: { class: 1 } } },
  });
  const people = pick((s) => s < 0.45, 60);
  const times: number[] = [];
  for (const i of people) times.push(await cpuMs(() => explainer.row(rowOf(x, i))));
  const typical = median(times.slice(10));
  return {
    name: `explainer.row, ${nodes} nodes, ${FEATURES} features, ${pool.length} references`,
    ours: typical,
    unit: "ms CPU",
    bar: "≤ 50",
    ok: typical <= 50,
  };
}

/**
 * A row of an open study against a row of a study that is opened for it (constraints compiled, metric fitted on 20,000
 * rows, 5,000 references made legal and sorted; their digest is kept for both), taken in turns.
 */
async function openedOnce(): Promise<BenchRow> {
  const random = stream(12, "bench explainer");
  const [m, n, people] = [5000, 20_000, 80];
  const table = (rows: number, shift: number): Matrix =>
    matrix(
      rows,
      FEATURES,
      Float64Array.from({ length: rows * FEATURES }, () => random.normal() + shift),
    );
  const weights = table(1, 0);
  const model = linearModel("logistic", ["0", "1"], { weights, intercepts: new Float64Array(1) }, "logistic");
  const parts = { model, references: table(m, 0), training: table(n, 0) };
  const options = { goal: { kind: "each", target: { above: 0.8 } } } as const;
  const { setup } = open(parts, options);
  const x = table(people, -0.2);
  const times: Record<"once" | "again", number[]> = { once: [], again: [] };
  for (let i = 0; i < people; i++) {
    const row = { x: takeRows(x, [i]) };
    const asked = (to: Setup) => answer(runOf(to, questionOf(to, row)));
    times.once.push(await cpuMs(() => asked(setup)));
    times.again.push(
      await cpuMs(() => asked({ ...setUp(parts, options), referencesDigest: setup.referencesDigest })),
    );
  }
  const [once, again] = [median(times.once.slice(20)), median(times.again.slice(20))];
  return {
    name: `explainer.row, ${m} references, ${n} training rows; opened for every row: ${again.toFixed(1)} ms`,
    ours: once,
    unit: "ms CPU",
    bar: "≤ 80 % of that",
    ok: once <= 0.8 * again,
  };
}

if (process.argv[1]?.endsWith("bench/explainer.ts")) printTable(await benchExplainer());
