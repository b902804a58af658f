import { takeRows } from "../../num/matrix.ts";
import type { Side } from "../../search/mixtures.ts";
import type { Matrix } from "../../types.ts";
import type { Context } from "../context.ts";
import { type Rule, type Weighed, weigh, within } from "../option.ts";
import type { SetTable } from "../table.ts";
import type { Aim } from "./aim.ts";
import { type Offers, offersOf } from "./offers.ts";
import { rowTables } from "./tables.ts";

/** What every step of the joint choice works on. */
export interface Desk extends Context {
  readonly aim: Aim;
  readonly x: Side;
  readonly r: Side;
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

export function pairOf({ mix, rule, x, r, allowed }: Desk, i: number, j: number): Weighed {
  return weigh(mix.pair(x, i, r, j, allowed(i)), mix.groups, rule);
}

export function ruleOfRow({ rule, caps }: Desk, i: number): Rule {
  return { ...rule, maxDistance: caps[i]! };
}

function contextOf(desk: Desk, i: number): Context {
  return { mix: desk.mix, work: desk.work, progress: desk.progress, rule: ruleOfRow(desk, i) };
}

/** The frontiers of a row with its candidates; none for a row the model failed on. */
export async function offersOfRow(desk: Desk, i: number, candidates: readonly number[]): Promise<Offers[]> {
  const { aim, maxEdits, perRow } = desk;
  if (Number.isNaN(aim.start.slack[i])) return [];
  const context = contextOf(desk, i);
  const pairs = candidates.map((j) => pairOf(desk, i, j));
  const tables = await rowTables(context, pairs, aim, maxEdits, perRow);
  return pairs.map((pair, t) =>
    offersOf(context, pair, candidates[t]!, fromX(tables[t]!, aim, i), aim, perRow),
  );
}

/** Everything row i can become with reference j. */
export async function wholeTable(desk: Desk, i: number, j: number): Promise<SetTable> {
  const [table] = await rowTables(
    contextOf(desk, i),
    [pairOf(desk, i, j)],
    desk.aim,
    Number.POSITIVE_INFINITY,
    desk.perRow,
  );
  return fromX(table!, desk.aim, i);
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
export function proposalOf(desk: Desk, partner: Int32Array, members: readonly (readonly number[])[]): Matrix {
  const rows = takeRows(desk.r.rows, partner);
  partner.forEach((j, i) => {
    if (desk.caps[i] === Number.POSITIVE_INFINITY) return;
    const { pair, gaps } = pairOf(desk, i, j);
    const order = Array.from(gaps, (_, b) => b).sort((a, b) => gaps[a]! - gaps[b]! || a - b);
    const taken: number[] = [];
    let distance = 0;
    for (const b of [...members[i]!, ...order.filter((c) => !members[i]!.includes(c))]) {
      if (!within(distance + gaps[b]!, desk.caps[i]!)) continue;
      distance += gaps[b]!;
      taken.push(b);
    }
    rows.data.set(desk.mix.rows([{ pair, members: taken }]).data, i * rows.cols);
  });
  return rows;
}
