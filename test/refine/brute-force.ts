import { asModel } from "../../src/model/contract.ts";
import { reachOf } from "../../src/model/target.ts";
import { sameValue } from "../../src/num/matrix.ts";
import type { Matrix, ModelLike, Target } from "../../src/types.ts";

/** One mixture of x with a reference, told by its edited players. */
export interface Tried {
  readonly reference: number;
  readonly players: readonly number[];
  readonly slack: number;
  readonly distance: number;
  readonly cost: number;
  readonly row: readonly number[];
}

export interface Question {
  readonly model: ModelLike;
  readonly x: readonly number[];
  readonly references: readonly (readonly number[])[];
  readonly groups: readonly (readonly number[])[];
  readonly target: Target;
  readonly minMargin?: number;
  readonly costs?: readonly number[];
  readonly allowed?: ArrayLike<number>;
  readonly legal?: (rows: Matrix) => ArrayLike<number>;
  readonly maxDistance?: number;
}

/** All mixtures (x first), those that hold, and whether x is at the target already; one model call per mixture. */
export async function everyPlan(
  question: Question,
): Promise<{ atTarget: boolean; all: Tried[]; plans: Tried[] }> {
  const { x, references, groups, costs, allowed, legal, maxDistance = Number.POSITIVE_INFINITY } = question;
  const model = asModel(question.model);
  const reach = reachOf(model, question.target);
  const slackOf = async (row: readonly number[]): Promise<number> => {
    const scores: Float64Array[] = [];
    for (const output of reach.outputs) scores.push(await model.predict(matrixOf(row), output));
    return reach.slack(scores, 0);
  };
  const start = await slackOf(x);
  const all: Tried[] = [{ reference: 0, players: [], slack: start, distance: 0, cost: 0, row: x }];
  const found: Tried[] = [];
  for (const [reference, r] of references.entries()) {
    const movable = groups.flatMap((columns, p) =>
      columns.some((c) => !sameValue(x[c]!, r[c]!)) && (!allowed || allowed[p]) ? [p] : [],
    );
    for (let mask = 1; mask < 2 ** movable.length; mask++) {
      const players = movable.filter((_, b) => (mask >> b) & 1);
      const row = [...x];
      for (const p of players) for (const c of groups[p]!) row[c] = r[c]!;
      const slack = await slackOf(row);
      const distance = Math.sqrt(row.reduce((sum, v, c) => sum + gap(v, x[c]!), 0));
      const cost = players.reduce((sum, p) => sum + (costs?.[p] ?? 1), 0);
      all.push({ reference, players, slack, distance, cost, row });
      if (!reach.reached(slack, question.minMargin ?? 0) || distance > maxDistance + 1e-9) continue;
      if (legal && !legal(matrixOf(row))[0]) continue;
      found.push(all.at(-1)!);
    }
  }
  return { atTarget: reach.reached(start, question.minMargin ?? 0), all, plans: found };
}

function matrixOf(row: readonly number[]): Matrix {
  return { data: Float64Array.from(row), rows: 1, cols: row.length };
}

function gap(a: number, b: number): number {
  if (Number.isNaN(a) !== Number.isNaN(b)) return 1;
  return Number.isNaN(a) ? 0 : (a - b) ** 2;
}

/** The plan the default rule takes: cheapest, then fewest, then best slack within `cap`, then nearest. */
export function preferred(
  plans: readonly Tried[],
  cap: number,
  prefer: "margin" | "near" = "margin",
): Tried | undefined {
  const key = (v: number): number => Math.round(v * 1e9);
  const near = (a: Tried, b: Tried): number => key(a.distance ** 2) - key(b.distance ** 2);
  const wide = (a: Tried, b: Tried): number => key(b.slack) - key(a.slack);
  const inside = (p: Tried): boolean => key(p.distance ** 2) <= key(cap ** 2);
  return [...plans].sort((a, b) => {
    const first = key(a.cost) - key(b.cost) || a.players.length - b.players.length;
    if (first !== 0) return first;
    if (prefer === "near") return near(a, b) || wide(a, b) || order(a, b);
    if (inside(a) !== inside(b)) return inside(a) ? -1 : 1;
    return (inside(a) ? wide(a, b) || near(a, b) : near(a, b) || wide(a, b)) || order(a, b);
  })[0];
}

function order(a: Tried, b: Tried): number {
  if (a.reference !== b.reference) return a.reference - b.reference;
  for (let t = 0; t < a.players.length; t++)
    if (a.players[t] !== b.players[t]) return a.players[t]! - b.players[t]!;
  return 0;
}
