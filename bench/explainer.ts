import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { linearModel } from "../src/model/linear.ts";
import { matrix, rowOf, takeRows } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import { type loadExplainer, prepare } from "../src/prepare.ts";
import { answer } from "../src/run/answer.ts";
import type { Setup } from "../src/run/contract.ts";
import { open } from "../src/run/open.ts";
import { questionOf, runOf } from "../src/run/run.ts";
import { setUp } from "../src/run/setup.ts";
import { fitForest } from "../src/train/forest.ts";
import type { Model } from "../src/types.ts";
import { BEFORE, bundledBefore } from "./commit.ts";
import { normalRows } from "./drawn.ts";
import { type BenchRow, cpuMs, median, printTable } from "./table.ts";

const FEATURES = 20;

export async function benchExplainer(): Promise<BenchRow[]> {
  return [await forestRow(), await openedOnce(), ...(await besideBefore())];
}

/** `explainer.row(x)`: one person, a forest of 100 unpruned trees, 20 features, 1,000 references. */
async function forestRow(): Promise<BenchRow> {
  const random = stream(11, "bench explainer");
  const n = 9000;
  const x = normalRows(random, n, FEATURES);
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

/** References, training rows and people of the benches over large tables, and what is asked of them. */
const [REFERENCES, TRAINING, PEOPLE] = [5000, 20_000, 80];
const LARGE = `explainer.row, ${REFERENCES} references, ${TRAINING} training rows`;
const OPTIONS = { goal: { kind: "each", target: { above: 0.8 } } } as const;

function largeTables() {
  const random = stream(12, "bench explainer");
  const table = (rows: number, centre: number) => normalRows(random, rows, FEATURES, centre);
  const weights = table(1, 0);
  const model = linearModel("logistic", ["0", "1"], { weights, intercepts: new Float64Array(1) }, "logistic");
  const parts = { model, references: table(REFERENCES, 0), training: table(TRAINING, 0) };
  return { parts, x: table(PEOPLE, -0.2) };
}

/**
 * A row of an open study against a row of a study that is opened for it (constraints compiled, metric fitted on 20,000
 * rows, 5,000 references made legal and sorted; the digests of both tables are kept), taken in turns.
 */
async function openedOnce(): Promise<BenchRow> {
  const { parts, x } = largeTables();
  const { setup } = open(parts, OPTIONS);
  const { referencesDigest, trainingDigest } = setup;
  const digests = { referencesDigest, trainingDigest };
  const times: Record<"once" | "again", number[]> = { once: [], again: [] };
  for (let i = 0; i < PEOPLE; i++) {
    const row = { x: takeRows(x, [i]) };
    const asked = (to: Setup) => answer(runOf(to, questionOf(to, row)));
    times.once.push(await cpuMs(() => asked(setup)));
    times.again.push(await cpuMs(() => asked({ ...setUp(parts, OPTIONS), ...digests })));
  }
  const [once, again] = [median(times.once.slice(20)), median(times.again.slice(20))];
  return {
    name: `${LARGE}; opened for every row: ${again.toFixed(1)} ms`,
    ours: once,
    unit: "ms CPU",
    bar: "≤ 80 % of that",
    ok: once <= 0.8 * again,
  };
}

/** The same rows, with values of references, by `prepare` as it was at an earlier commit, in turns with ours. */
async function besideBefore(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "cola-bench-"));
  try {
    const file = await bundledBefore("src/prepare.ts", folder);
    if (file === undefined) return [];
    const before = (await import(pathToFileURL(file).href)) as {
      readonly loadExplainer: typeof loadExplainer;
    };
    const { parts, x } = largeTables();
    const ours = prepare({ ...parts, options: { ...OPTIONS, values: "reference" } });
    const theirs = before.loadExplainer({ ...ours.toJSON(), options: OPTIONS });
    const times: Record<"ours" | "theirs", number[]> = { ours: [], theirs: [] };
    for (let i = 0; i < PEOPLE; i++) {
      times.ours.push(await cpuMs(() => ours.row(rowOf(x, i))));
      times.theirs.push(await cpuMs(() => theirs.row(rowOf(x, i))));
    }
    const [now, then] = [median(times.ours.slice(20)), median(times.theirs.slice(20))];
    return [
      {
        name: `${LARGE}, beside commit ${BEFORE}`,
        ours: now,
        peer: then,
        unit: "ms CPU",
        bar: "≤ 80 % of that",
        ok: now <= 0.8 * then,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1]?.endsWith("bench/explainer.ts")) printTable(await benchExplainer());
