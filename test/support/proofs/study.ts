import type { ExplainInput } from "../../../src/index.ts";
import { type Random, stream } from "../../../src/num/random.ts";
import type { Goal, Matrix, Target } from "../../../src/types.ts";
import { type Column, chance, drawColumns, drawDerived, drawRule, pick, type Rule } from "./columns.ts";
import { completed, isValue } from "./legal.ts";
import { drawModel, MODEL_KINDS, type ModelKind, type Quick, scoresOf } from "./models.ts";

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
  const kind = pick(random, MODEL_KINDS);
  const given = drawColumns(random, playersOf(random, seed), EXPONENTS);
  const derived = chance(random, 0.12) ? drawDerived(random, given) : undefined;
  const columns = derived ? [...given, derived] : given;
  const rules = chance(random, 0.3) ? [1, 2, 3].slice(random.int(3)).map(() => drawRule(random, given)) : [];
  const model = drawModel(random, kind, columns);
  const gaps = kind !== "linear" && chance(random, 0.2) ? 0.08 : 0;
  const x = Array.from({ length: 1 + random.int(3) }, () => drawRow(random, columns, gaps, false));
  const references = Array.from({ length: 1 + random.int(5) }, () => drawRow(random, columns, gaps, true));
  const goal = drawGoal(random, model, x, references);
  const input: ExplainInput = {
    ...{ model, x: matrixOf(x), references: matrixOf(references), goal },
    schema: {
      features: columns.map(({ feature }) => feature),
      ...(rules.length > 0 ? { rules: rules.map(({ text }) => text) } : {}),
    },
    // Attributions are not in question here.
    attribution: { maxEnumeration: 16, maxEvaluations: 66 },
    ...drawMethod(random, goal, x.length, references.length),
    ...drawLimits(random),
  };
  return { seed, kind, model, columns, rules, x, references, goal, input };
}

/** Powers of ten that are the units of numeric columns. */
const EXPONENTS = [-12, -9, -6, -3, -1, 1, 3, 5, 6, 9, 12, 15];

function playersOf(random: Random, seed: number): number {
  if (seed >= PLAIN && chance(random, 0.02)) return 13 + random.int(6);
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

export function matrixOf(rows: readonly Float64Array[]): Matrix {
  const cols = rows[0]?.length ?? 0;
  const data = new Float64Array(rows.length * cols);
  rows.forEach((row, i) => {
    data.set(row, i * cols);
  });
  return { data, rows: rows.length, cols };
}

/** Edges are scores that mixtures have, or lie between such scores and those of x. */
function drawGoal(
  random: Random,
  model: Quick,
  x: readonly Float64Array[],
  references: readonly Float64Array[],
): Goal {
  const output = model.outputs.length === 2 ? 1 : 0;
  const [from, to] = [pick(random, x), pick(random, references)];
  const mixtures = Array.from({ length: pick(random, [1, 12]) }, () =>
    from.map((v, k) => (chance(random, 0.6) ? to[k]! : v)),
  );
  const [a = 0, ...ends] = scoresOf(model, [from, ...mixtures], output).map((v) =>
    Number.isFinite(v) ? v : 0.5,
  );
  // The farthest of several is reached by few of the other mixtures.
  const b = ends.reduce((far, end) => (Math.abs(end - a) > Math.abs(far - a) ? end : far), ends[0]!);
  if (chance(random, 0.12)) return drawGroup(random, b, x.length);
  const margins = [0, 0, 0, 0.1 * Math.abs(b - a), Math.abs(b - a) / 2, 0.05];
  const minMargin = pick(random, margins);
  const target = drawTarget(random, model, a, b);
  return { kind: "each", target, ...(minMargin > 0 ? { minMargin } : {}) };
}

function drawTarget(random: Random, model: Quick, a: number, b: number): Target {
  const { outputs } = model;
  if (outputs.length > 2 && chance(random, 0.8)) {
    const [one, other] = random.sample(outputs.length, 2);
    const named = chance(random, 0.25) ? [outputs[one!]!, outputs[other!]!] : outputs[one!]!;
    return { class: named, ...(chance(random, 0.3) ? { not: true } : {}) };
  }
  if (chance(random, 0.2)) {
    const threshold = chance(random, 0.5) ? { threshold: (a + b) / 2 } : {};
    if (outputs.length === 2) {
      return { class: pick(random, outputs), ...(chance(random, 0.3) ? { not: true } : {}), ...threshold };
    }
    if (outputs.length === 1) return { class: pick(random, [0, 1]), ...threshold };
  }
  const edge = pick(random, [b, b, (a + b) / 2, a + 0.9 * (b - a)]);
  const width = Math.abs(b - a) / 4;
  if (chance(random, 0.15)) return { min: edge - width, max: edge + width };
  if (chance(random, 0.1)) return { above: edge - width, below: edge + width + Math.abs(edge) / 8 + 1e-3 };
  const saturated = chance(random, 0.04);
  if (b >= a) return pick(random, [{ min: saturated ? 1 : edge }, { above: edge }]);
  return pick(random, [{ max: saturated ? 0 : edge }, { below: edge }]);
}

function drawGroup(random: Random, y: number, n: number): Goal {
  return {
    kind: "group",
    divergence: pick(random, ["w1", "transport", "mean", "mean", "median"] as const),
    ...(chance(random, 0.3) ? { on: "label" as const, threshold: y } : {}),
    level: pick(random, [0.3, 0.7, 1]),
    desired: Array.from({ length: n }, () => y),
  };
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
