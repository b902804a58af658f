import { matrix, rowOf } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import { prepare } from "../src/prepare.ts";
import { fitForest } from "../src/train/forest.ts";
import type { Model } from "../src/types.ts";
import { type BenchRow, cpuMs, median, printTable } from "./table.ts";

const FEATURES = 20;

/** `explainer.row(x)`: one person, a forest of 100 unpruned trees, 20 features, 1,000 references. */
export async function benchExplainer(): Promise<BenchRow[]> {
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
  return [
    {
      name: `explainer.row, ${nodes} nodes, ${FEATURES} features, ${pool.length} references`,
      ours: typical,
      unit: "ms CPU",
      bar: "≤ 50",
      ok: typical <= 50,
    },
  ];
}

if (process.argv[1]?.endsWith("bench/explainer.ts")) printTable(await benchExplainer());
