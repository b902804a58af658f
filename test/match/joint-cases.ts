import { asModel } from "../../src/model/contract.ts";
import { matrix, toRows } from "../../src/num/matrix.ts";
import type { Goal, GroupGoal, Matrix, ModelLike } from "../../src/types.ts";
import { everyPlan, type Tried } from "../refine/brute-force.ts";

export type Group = GroupGoal & { readonly divergence: "mean"; readonly level: number };

/** |mean f(z) − mean y*| allowed, and as a function of Σ value. */
export interface Level {
  value(score: number): number;
  holds(sum: number): boolean;
}

export async function scoresOf(model: ModelLike, rows: Matrix): Promise<number[]> {
  return Array.from(await asModel(model).predict(rows));
}

export async function levelOf(model: ModelLike, x: Matrix, r: Matrix, goal: Group): Promise<Level> {
  const value = (s: number): number => (goal.on === "label" ? Number(s > (goal.threshold ?? 0.5)) : s);
  const meanOf = (scores: readonly number[]): number =>
    scores.map(value).reduce((a, b) => a + b, 0) / scores.length;
  const wanted = meanOf(await scoresOf(model, r));
  const before = Math.abs(meanOf(await scoresOf(model, x)) - wanted);
  return {
    value,
    holds: (sum) => Math.abs(sum / x.rows - wanted) <= (1 - goal.level) * before + 1e-9,
  };
}

/** All sets of all pairs: table[i][j]. */
export async function allSets(model: ModelLike, x: Matrix, r: Matrix, goal: Goal): Promise<Tried[][][]> {
  const groups = Array.from({ length: x.cols }, (_, c) => [c]);
  const target = goal.kind === "each" ? goal.target : { above: 0 };
  const rows = toRows(x);
  return Promise.all(
    rows.map((row) =>
      Promise.all(
        toRows(r).map(async (other) => {
          const { all } = await everyPlan({ model, x: row, references: [other], groups, target });
          return all;
        }),
      ),
    ),
  );
}

/** Every way to give n rows a reference with none used more than `capacity` times. */
export function* couplings(n: number, m: number, capacity: number): Generator<number[]> {
  const used = new Array<number>(m).fill(0);
  const partner: number[] = [];
  function* place(): Generator<number[]> {
    if (partner.length === n) yield [...partner];
    else
      for (let j = 0; j < m; j++) {
        if (used[j]! >= capacity) continue;
        used[j]!++;
        partner.push(j);
        yield* place();
        partner.pop();
        used[j]!--;
      }
  }
  yield* place();
}

/** The fewest edits of one coupling: all sums of one set per row, by dynamic programming over (edits, sum). */
export function fewestOf(
  choices: readonly (readonly { readonly edits: number; readonly value: number }[])[],
  holds: (sum: number) => boolean,
): number {
  let states = new Map<string, { edits: number; sum: number }>([["0 0", { edits: 0, sum: 0 }]]);
  for (const row of choices) {
    const next = new Map<string, { edits: number; sum: number }>();
    for (const { edits, sum } of states.values()) {
      for (const choice of row) {
        const state = { edits: edits + choice.edits, sum: sum + choice.value };
        next.set(`${state.edits} ${state.sum}`, state);
      }
    }
    states = next;
  }
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...[...states.values()].filter(({ sum }) => holds(sum)).map(({ edits }) => edits),
  );
}

/** Rows x with the players of each plan moved to its reference. */
export function applied(
  x: Matrix,
  r: Matrix,
  plans: readonly { readonly reference: number; readonly players: readonly number[] }[],
): Matrix {
  const z = matrix(x.rows, x.cols, x.data.slice());
  plans.forEach(({ reference, players }, i) => {
    for (const p of players) z.data[i * x.cols + p] = r.data[reference * x.cols + p]!;
  });
  return z;
}
