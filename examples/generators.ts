import { mkdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { compileConstraints } from "../src/data/constraints.ts";
import { bind, encodeRows, fitEncoder } from "../src/data/encode.ts";
import type { Generated, Task } from "../src/generate/contract.ts";
import { type GeneratorMethod, generators } from "../src/generate/registry.ts";
import { fromRows, rowOf, takeRows } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import { fitMlp } from "../src/train/mlp.ts";
import type { Matrix, Model, Schema } from "../src/types.ts";
import { type Axis, draw, type Point } from "./picture.ts";

/**
 * One picture per generator: refused applicants over income and debt, the model's decision, and where the
 * generator would have them go. `npx tsx examples/generators.ts` writes them into docs/images/generators.
 */
const SCHEMA: Schema = {
  features: [
    { name: "income", kind: "numeric", min: 10, max: 90 },
    { name: "debt", kind: "numeric", min: 0, max: 60 },
  ],
};
const INCOME: Axis = { name: "income (k per year)", low: 10, high: 90, ticks: [10, 30, 50, 70, 90] };
const DEBT: Axis = { name: "debt (k)", low: 0, high: 60, ticks: [0, 20, 40, 60] };

/** Made-up applicants: granted inside a bent border, with some noise. */
function applicants(count: number): { rows: Matrix; granted: Int32Array } {
  const random = stream(3, "example", "applicants");
  const rows = fromRows(Array.from({ length: count }, () => [10 + 80 * random.next(), 60 * random.next()]));
  const granted = Int32Array.from({ length: count }, (_, i) => {
    const [income, debt] = rowOf(rows, i) as unknown as [number, number];
    const border = 8 + 34 / (1 + Math.exp(-(income - 46) / 7)) - 8 * Math.sin(income / 9);
    return Number(debt + 9 * random.normal() < border);
  });
  return { rows, granted };
}

function task(): Task & { readonly model: Model } {
  const { rows, granted } = applicants(600);
  const encoder = fitEncoder(SCHEMA, rows);
  const constraints = compileConstraints(SCHEMA);
  const inner = fitMlp(encodeRows(encoder, rows), granted, { hidden: [16, 8], epochs: 60, rate: 0.005 }, 4);
  const model = bind(inner, encoder, constraints);
  const scores = model.predict(rows, 1) as Float64Array;
  const refused = [...scores.keys()].filter((i) => scores[i]! < 0.35);
  const x = takeRows(rows, refused.slice(0, 14));
  return {
    model,
    x,
    references: takeRows(rows, [...scores.keys()].slice(0, 300)),
    constraints,
    target: { class: 1 },
  };
}

/** What to look at in each picture. */
const CAPTIONS: Readonly<Record<string, string>> = {
  "dice-random": "random changes, of those that reach the target the nearest",
  "dice-genetic": "a bred population: close to x, few changes",
  "dice-kdtree": "a near reference row (dots) that is granted",
  "dice-gradient": "down the slope of the model, small changes undone",
  knn: "the nearest granted reference row (dots), by ranks",
  nice: "feature by feature to the nearest granted reference (dots)",
  direct: "one edit if one will do, the smallest that does",
  ares: "a few rules for all, each from bin to bin",
  "globe-ce": "a few directions for all, each as far as it must",
  discount: "the group as a whole: scores matched, its spread kept",
};

/** Rules and directions are few in two dimensions, and the group is small and far away. */
const OPTIONS: Readonly<Record<string, object>> = {
  ares: { bins: 6, support: 0.07, rules: 6 },
  "globe-ce": { directions: 2 },
  discount: { inputLimit: 2 },
};

const withDots = ["dice-kdtree", "knn", "nice"];

/** SVG text by generator. */
export async function generatorPictures(): Promise<Record<string, string>> {
  const { model, ...given } = task();
  const score = (income: number, debt: number): number =>
    (model.predict(fromRows([[income, debt]]), 1) as Float64Array)[0]!;
  const granted = model.predict(given.references, 1) as Float64Array;
  const pictures: Record<string, string> = {};
  for (const [name, method] of Object.entries<GeneratorMethod>(generators)) {
    const made = await method.generate({ model, ...given }, OPTIONS[name] ?? {}, stream(1, "example", name));
    pictures[name] = draw({
      title: method.title,
      note: `${found(made)} of ${given.x.rows} at the target`,
      caption: CAPTIONS[name] ?? method.summary,
      axes: [INCOME, DEBT],
      score,
      dots: withDots.includes(name) ? points(given.references).filter((_, j) => granted[j]! > 0.5) : [],
      moves: points(given.x).map((from, i) => ({ from, to: goalOf(made, i) })),
    });
  }
  return pictures;
}

const found = ({ report }: Generated): number => report.status.filter((status) => status === "ok").length;

const points = (m: Matrix): Point[] =>
  Array.from({ length: m.rows }, (_, i) => [m.data[2 * i]!, m.data[2 * i + 1]!]);

function goalOf({ rows, pairs }: Generated, i: number): Point | undefined {
  const t = pairs!.indexOf(i);
  return t < 0 ? undefined : points(rows)[t]!;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const folder = new URL("../docs/images/generators/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  for (const [name, svg] of Object.entries(await generatorPictures())) {
    writeFileSync(new URL(`${name}.svg`, folder), svg);
    console.log(`docs/images/generators/${name}.svg`);
  }
}
