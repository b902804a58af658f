import type { ExplainInput } from "../../../src/index.ts";
import { type Random, stream } from "../../../src/num/random.ts";
import type { Goal, Matrix } from "../../../src/types.ts";
import { type Column, chance, drawColumns, drawDerived, drawRule, pick, type Rule } from "./columns.ts";
import { drawGoal } from "./goals.ts";
import { completed, isValue } from "./legal.ts";
import { drawModel, MODEL_KINDS, type ModelKind, type Quick, stumps } from "./models.ts";

/** A question to `explain`, with everything an answer can be checked against. */
export interface Study {
  readonly seed: number;
  readonly kind: ModelKind;
  readonly model: Quick;
  readonly columns: readonly Column[];
  readonly rules: readonly Rule[];
  /** Rows with their derived columns, as `input` has them. */
  readonly x: readonly Float64Array[];
  readonly references: readonly Float64Array[];
  readonly goal: Goal;
  readonly input: ExplainInput;
}

/** Studies of the plain run; only those beyond may have more than twelve players. */
export const PLAIN = 2_000;

/** The study of a seed. */
export function drawStudy(seed: number): Study {
  const random = stream(seed, "study");
  const scene = seed >= PLAIN && chance(random, 0.01) ? drawCrowd(random) : drawScene(random, seed);
  const { model, columns, rules, x, references, goal } = scene;
  const input: ExplainInput = {
    ...{ model, x: matrixOf(x), references: matrixOf(references), goal },
    schema: {
      features: columns.map(({ feature }) => feature),
      ...(rules.length > 0 ? { rules: rules.map(({ text }) => text) } : {}),
    },
    // Attributions are not in question here.
    attribution: { maxEnumeration: 16, maxEvaluations: 66 },
    ...(scene.method ?? drawMethod(random, goal, x.length, references.length)),
    ...drawLimits(random),
  };
  return { seed, ...scene, input };
}

interface Scene extends Omit<Study, "seed" | "input"> {
  readonly method?: Partial<ExplainInput>;
}

function drawScene(random: Random, seed: number): Scene {
  const kind = pick(random, MODEL_KINDS);
  const given = drawColumns(random, playersOf(random, seed), EXPONENTS);
  const derived = chance(random, 0.12) ? drawDerived(random, given) : undefined;
  const columns = derived ? [...given, derived] : given;
  const model = drawModel(random, kind, columns);
  const gaps = kind !== "linear" && chance(random, 0.2) ? 0.08 : 0;
  const x = Array.from({ length: pick(random, [1, 1, 2, 3]) }, () => drawRow(random, columns, gaps, false));
  const references = drawReferences(random, columns, x[0]!, gaps);
  const rules = chance(random, given.length > 12 ? 0.7 : 0.3) ? drawRules(random, given, references) : [];
  const goal = drawGoal(random, { model, columns, rules, x, references });
  return { kind, model, columns, rules, x, references, goal };
}

/**
 * A stump per column, more columns than a table of all sets has: one reference is near but mostly against the rules,
 * the other far and legal, so that a search that believes in the first passes over the second.
 */
function drawCrowd(random: Random): Scene {
  const count = 15 + random.int(4);
  const columns = Array.from({ length: count }, (_, k): Column => {
    return { feature: { name: `f${k}`, kind: "numeric" }, grid: [0, 1, 2], scale: 1 };
  });
  const near = 6 + random.int(7);
  const rules = Array.from({ length: chance(random, 0.7) ? near : near - 2 }, (_, k): Rule => {
    return { text: `f${k} != 1`, holds: (row) => row[k] !== 1 };
  });
  const references = [
    Float64Array.from(columns, (_, k) => (k < near ? 1 : 0)),
    Float64Array.from(columns, () => (chance(random, 0.95) ? 2 : 0)),
  ];
  const model = stumps(random, columns);
  const needed = 4 + random.int(5);
  const goal: Goal = { kind: "each", target: { min: needed - 0.5 } };
  // A unit is as far in every column.
  const training = matrixOf([new Float64Array(count), new Float64Array(count).fill(2)]);
  const method: Method = { training, prefer: pick(random, ["margin", "near"]) };
  return { kind: "forest", model, columns, rules, x: [new Float64Array(count)], references, goal, method };
}

/** Powers of ten that are the units of numeric columns. */
const EXPONENTS = [-12, -9, -6, -3, -1, 1, 3, 5, 6, 9, 12, 15];

function playersOf(random: Random, seed: number): number {
  if (seed >= PLAIN && chance(random, 0.03)) return 13 + random.int(6);
  if (chance(random, 0.1)) return 8 + random.int(5);
  return 2 + random.int(6);
}

/** Cells on the grids of the columns; those of references are values of their features. */
function drawRow(random: Random, columns: readonly Column[], gaps: number, legal: boolean): Float64Array {
  const row = Float64Array.from(columns, ({ feature, grid, derive }) => {
    if (derive || chance(random, gaps)) return Number.NaN;
    const values = legal ? grid.filter((v) => isValue(feature, v)) : grid;
    return values.length > 0 ? pick(random, values) : Number.NaN;
  });
  return completed(columns, row);
}

/** Some are like x in many cells, others in none. */
function drawReferences(
  random: Random,
  columns: readonly Column[],
  x: Float64Array,
  gaps: number,
): Float64Array[] {
  return Array.from({ length: 1 + random.int(5) }, () => {
    const alike = pick(random, [0, 0, 0.3, 0.6]);
    const other = drawRow(random, columns, gaps, true);
    const row = other.map((v, k) =>
      isValue(columns[k]!.feature, x[k]!) && chance(random, alike) ? x[k]! : v,
    );
    return completed(columns, row);
  });
}

/** Up to six rules; what they compare with are mostly values that some reference brings. */
function drawRules(random: Random, columns: readonly Column[], references: readonly Float64Array[]): Rule[] {
  const brought = pick(random, references);
  const met = columns.map((column, k) =>
    chance(random, 0.7) && !Number.isNaN(brought[k]) ? { ...column, grid: [brought[k]!] } : column,
  );
  return Array.from({ length: pick(random, [1, 1, 2, 3, 6]) }, () => drawRule(random, met));
}

export function matrixOf(rows: readonly Float64Array[]): Matrix {
  const cols = rows[0]?.length ?? 0;
  const data = new Float64Array(rows.length * cols);
  rows.forEach((row, i) => {
    data.set(row, i * cols);
  });
  return { data, rows: rows.length, cols };
}

type Method = Partial<ExplainInput>;

function drawMethod(random: Random, goal: Goal, n: number, m: number): Method {
  const some = (share: number, more: () => Method): Method => (chance(random, share) ? more() : {});
  const coupling = pick(random, [
    "match",
    "match",
    "match",
    "match",
    "joint",
    "joint",
    "transport",
    "nearest",
    "random",
    "uniform",
  ]);
  const average = !["match", "joint"].includes(coupling) && chance(random, 0.4);
  const budget = {
    ...(chance(random, 0.12) ? { perRow: 1 + random.int(4) } : {}),
    ...(chance(random, 0.12) ? { total: random.int(6) } : {}),
  };
  return {
    ...some(0.8, () => ({ coupling })),
    ...some(coupling === "joint" ? 0.5 : 0, () => ({
      reuse: pick(random, ["free" as const, n]),
      capped: chance(random, 0.5),
    })),
    ...some(average ? 1 : 0, () => ({ value: "average" })),
    ...some(coupling === "joint" ? 0 : 0.3, () => ({ objective: "cost" })),
    ...some(0.3, () => ({ prefer: pick(random, ["near", "plausible", "margin"] as const) })),
    ...some(0.1, () => ({ policy: pick(random, ["greedy", "top", "sample"]) })),
    ...some(goal.kind === "group" ? 0 : 0.15, () => ({ alternatives: 1 + random.int(2) })),
    ...some(0.15, () => ({ candidates: 1 + random.int(3) })),
    ...some(0.2, () => ({ pairs: Int32Array.from({ length: m }, () => random.int(n + 1) - 1) })),
    ...(Object.keys(budget).length > 0 ? { budget } : {}),
  };
}

/** Efforts and limits after which an answer is partial. */
function drawLimits(random: Random): Method {
  return {
    ...(chance(random, 0.2) ? { effort: pick(random, [1, 3, 10, 40, 200]) } : {}),
    ...(chance(random, 0.04) ? { limits: { modelRows: 5 + random.int(400) } } : {}),
  };
}
