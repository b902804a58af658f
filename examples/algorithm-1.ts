/**
 * Algorithm 1 of the paper, line by line, on the story of its Figures 1 and 2: a shop wants its visitors to
 * register.
 *
 *     npx tsx examples/algorithm-1.ts
 */
import { pathToFileURL } from "node:url";
import { pshap } from "../src/attribute/index.ts";
import { mostLikely } from "../src/compose/index.ts";
import { squaredEuclidean, toDense, transport } from "../src/couple/index.ts";
import { effect, labelsOf } from "../src/evaluate/index.ts";
import { explain } from "../src/explain.ts";
import { fromRows, matrix, rowOf, toRows } from "../src/num/matrix.ts";
import { refine } from "../src/refine/index.ts";
import type { Matrix } from "../src/types.ts";

const FEATURES = ["money", "clicks", "visits"];
const VISITORS = ["Ann", "Bob", "Cem", "Dee"];
const REFERENCES = ["r1", "r2", "r3", "r4"];

/** The chance that a visitor registers: money and clicks help each other, visits hardly matter. */
const f = (rows: Matrix): Float64Array =>
  Float64Array.from({ length: rows.rows }, (_, i) => {
    const [money, clicks, visits] = rowOf(rows, i) as unknown as [number, number, number];
    return 1 / (1 + Math.exp(7 - 0.1 * money - 0.3 * clicks - 0.005 * money * clicks - 0.02 * visits));
  });

/** Nobody here registers. */
const x = fromRows([
  [10, 4, 3],
  [30, 5, 6],
  [20, 12, 2],
  [45, 2, 8],
]);

/** Line 1: rows of any generator that do register, in no particular order. */
const r = fromRows([
  [48, 10, 9],
  [14, 21, 4],
  [36, 11, 4],
  [26, 14, 3],
]);

/** Cells C that may change. */
const C = 2;

/** Runs the algorithm and hands over what it finds, line by line. */
export async function algorithm1(print: (line: string) => void): Promise<void> {
  const show = (title: string, body: string): void => print(`${title}\n${body}\n`);
  show("x: visitors, none registers", scored(x, VISITORS));
  show("line 1, r: counterfactuals, all register", scored(r, REFERENCES));

  const cost = squaredEuclidean(x, r);
  const p = await transport(cost);
  const pairs = text(toDense(p), VISITORS, REFERENCES, 2);
  show(`line 2, p: who goes with whom (cost ${p.cost}, gap ${p.gap})`, pairs);

  const phi = await pshap(f, x, r, p);
  const sum = phi.values.data.reduce((total, v) => total + Math.abs(v), 0);
  const share = matrix(
    x.rows,
    x.cols,
    phi.values.data.map((v) => Math.abs(v) / sum),
  );
  show("line 3, φ: what each cell of x takes away from f(r)", text(phi.values, VISITORS, FEATURES, 3));
  show("line 4, φ̂ = |φ| / Σ|φ|", text(share, VISITORS, FEATURES, 3));

  const q = mostLikely(p, r, cost);
  show("line 5, q: the most likely counterfactual of each", scored(q, VISITORS));

  const goal = { kind: "group", on: "label", desired: labelsOf(f(r)) } as const;
  const draw = { policy: "sample", attribution: phi, budget: { total: C }, stop: "budget", seed: 1 } as const;
  const { plan: cells, z } = await refine({ model: f, x, q, goal, ...draw });
  const c = matrix(x.rows, x.cols, Float64Array.from(cells));
  show(`lines 6–7, c: C = ${C} cells drawn by φ̂`, text(c, VISITORS, FEATURES));
  show("lines 8–16, z: x with these cells of q", scored(z, VISITORS));

  const whole = fromRows([...toRows(q).slice(0, 2), ...toRows(x).slice(2)]);
  print(`z′, Ann and Bob wholly like their counterfactuals: 6 edits, ${effectOf(whole)} of the effect`);
  print(`z″, the plan above: ${C} edits, ${effectOf(z)} of the effect`);

  const schema = { features: FEATURES.map((name) => ({ name, kind: "numeric" as const })) };
  const half = { kind: "group", on: "label", level: 0.5 } as const;
  const plan = await explain({ model: f, x, references: r, schema, goal: half, ids: VISITORS });
  const edits = plan.rows.flatMap(({ id, edits }) =>
    edits.map((e) => `${id} ${e.feature} ${e.from} → ${e.to}`),
  );
  print(`explain() in one call: ${edits.join(", ")}`);
}

/** How much of the way from nobody to everybody registered the rows are. */
function effectOf(rows: Matrix): string {
  const share = effect("w1", labelsOf(f(x)), labelsOf(f(rows)), labelsOf(f(r)))!;
  return `${Math.round(100 * share)} %`;
}

/** Rows with their score in the last column. */
function scored(rows: Matrix, names: readonly string[]): string {
  const scores = ["f", ...Array.from(f(rows), (v) => v.toFixed(2))];
  const lines = text(rows, names, FEATURES).split("\n");
  return lines.map((line, i) => line + scores[i]!.padStart(8)).join("\n");
}

function text(rows: Matrix, names: readonly string[], columns: readonly string[], digits = 0): string {
  const line = (name: string, cells: readonly string[]): string =>
    `  ${name.padEnd(4)}${cells.map((cell) => cell.padStart(8)).join("")}`;
  const body = toRows(rows).map((row, i) =>
    line(
      names[i]!,
      row.map((v) => v.toFixed(digits)),
    ),
  );
  return [line("", columns), ...body].join("\n");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await algorithm1((line) => process.stdout.write(`${line}\n`));
}
