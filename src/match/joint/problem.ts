import { takeRows } from "../../num/matrix.ts";
import type { EncodedRows } from "../../search/mixtures.ts";
import type { Matrix } from "../../types.ts";
import type { Context } from "../context.ts";
import { type Rule, type Weighed, weigh, within } from "../option.ts";
import type { SetTable } from "../table.ts";
import type { Aim } from "./aim.ts";
import { type Offers, offersOf } from "./offers.ts";
import { rowTables } from "./tables.ts";

/** What every step of the joint choice works on. */
export interface JointProblem extends Context {
  readonly aim: Aim;
  readonly x: EncodedRows;
  readonly r: EncodedRows;
  /** Reference each row is transported to. */
  readonly transported: Int32Array;
  /** Largest squared distance of each row. */
  readonly caps: Float64Array;
  allowed(row: number): ArrayLike<number> | undefined;
  /** Largest sets looked at for a pair, besides its whole set. */
  readonly maxEdits: number;
  /** Most edits of a row. */
  readonly perRow: number;
}

export function pairOf({ mix, rule, x, r, allowed }: JointProblem, i: number, j: number): Weighed {
  return weigh(mix.pair(x, i, r, j, allowed(i)), mix.groups, rule);
}

export function ruleOfRow({ rule, caps }: JointProblem, i: number): Rule {
  return { ...rule, maxDistance: caps[i]! };
}

function contextOf(problem: JointProblem, i: number): Context {
  return { mix: problem.mix, work: problem.work, progress: problem.progress, rule: ruleOfRow(problem, i) };
}

/** The frontiers of a row with its candidates; none for a row the model failed on. */
export async function offersOfRow(
  problem: JointProblem,
  i: number,
  candidates: readonly number[],
): Promise<Offers[]> {
  const { aim, maxEdits, perRow } = problem;
  if (Number.isNaN(aim.start.slack[i])) return [];
  const context = contextOf(problem, i);
  const pairs = candidates.map((j) => pairOf(problem, i, j));
  const tables = await rowTables(context, pairs, aim, maxEdits, perRow);
  return pairs.map((pair, t) =>
    offersOf(context, pair, candidates[t]!, fromX(tables[t]!, aim, i), aim, perRow),
  );
}

/** Everything row i can become with reference j. */
export async function wholeTable(problem: JointProblem, i: number, j: number): Promise<SetTable> {
  const [table] = await rowTables(
    contextOf(problem, i),
    [pairOf(problem, i, j)],
    problem.aim,
    Number.POSITIVE_INFINITY,
    problem.perRow,
  );
  return fromX(table!, problem.aim, i);
}

/** x itself is what the model said of it. */
function fromX(table: SetTable, { start }: Aim, i: number): SetTable {
  table.slack[0] = start.slack[i]!;
  return table;
}

/**
 * q: each row's reference as far as its cap lets it: the edits of its plan, then the others, nearest values
 * first. Any mixture of x and q is within the cap.
 */
export function proposalOf(
  problem: JointProblem,
  partner: Int32Array,
  members: readonly (readonly number[])[],
): Matrix {
  const rows = takeRows(problem.r.rows, partner);
  partner.forEach((j, i) => {
    if (problem.caps[i] === Number.POSITIVE_INFINITY) return;
    const { pair, gaps } = pairOf(problem, i, j);
    const order = Array.from(gaps, (_, b) => b).sort((a, b) => gaps[a]! - gaps[b]! || a - b);
    const taken: number[] = [];
    let distance = 0;
    for (const b of [...members[i]!, ...order.filter((c) => !members[i]!.includes(c))]) {
      if (!within(distance + gaps[b]!, problem.caps[i]!)) continue;
      distance += gaps[b]!;
      taken.push(b);
    }
    rows.data.set(problem.mix.rows([{ pair, members: taken }]).data, i * rows.cols);
  });
  return rows;
}
