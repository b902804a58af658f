import type { ColaError } from "../../errors.ts";
import { fromRows } from "../../num/matrix.ts";
import { answerAll, isOutOfBudget } from "../ask.ts";
import { type Bins, costOf } from "../bins.ts";
import { compareRows } from "../distinct.ts";
import type { Run } from "../run.ts";
import type { Row } from "../search.ts";
import { along, type Direction } from "./direction.ts";

/** What a direction does for the rows it was tried on. */
export interface Screened {
  readonly direction: Direction;
  /** Least cost of each row among the scalars tried, and its scalar; Infinity where none reached the target. */
  readonly cost: Float64Array;
  readonly scalar: Float64Array;
  readonly reached: number;
  readonly meanCost: number;
}

/** Rows sent to the model at a time. */
const BATCH = 2048;

/** Tries every direction at the given scalars on the rows. A limit that runs out ends it early. */
export async function screen(
  run: Run,
  bins: readonly Bins[],
  rows: readonly Row[],
  directions: readonly Direction[],
  scalars: readonly number[],
): Promise<{ screened: Screened[]; limit: ColaError | undefined }> {
  const screened: Screened[] = [];
  const at = Math.max(1, Math.floor(BATCH / (rows.length * scalars.length)));
  try {
    for (let from = 0; from < directions.length; from += at) {
      const some = directions.slice(from, from + at);
      screened.push(...(await screenSome(run, bins, rows, some, scalars)));
      if (run.work.due()) await run.work.pause(from, directions.length);
    }
  } catch (error) {
    if (!isOutOfBudget(error) || screened.length === 0) throw error;
    return { screened, limit: error };
  }
  return { screened, limit: undefined };
}

async function screenSome(
  run: Run,
  bins: readonly Bins[],
  rows: readonly Row[],
  directions: readonly Direction[],
  scalars: readonly number[],
): Promise<Screened[]> {
  const moved: Float64Array[] = [];
  const owners: { t: number; i: number; scalar: number }[] = [];
  directions.forEach((direction, t) => {
    rows.forEach((row, i) => {
      let last = row.x;
      for (const scalar of scalars) {
        const z = along(run, direction, row, scalar);
        if (compareRows(z, last) !== 0) {
          moved.push(z);
          owners.push({ t, i, scalar });
        }
        last = z;
      }
    });
  });
  const none = (): Float64Array => new Float64Array(rows.length).fill(Number.POSITIVE_INFINITY);
  const found = directions.map((direction) => ({ direction, cost: none(), scalar: none() }));
  if (moved.length > 0) {
    const [answer] = await answerAll(run, [{ rows: fromRows(moved) }]);
    owners.forEach(({ t, i, scalar }, a) => {
      const cost = costOf(run.constraints, bins, rows[i]!.x, moved[a]!);
      if (!answer!.valid[a] || cost >= found[t]!.cost[i]!) return;
      found[t]!.cost[i] = cost;
      found[t]!.scalar[i] = scalar;
    });
  }
  return found.map((one) => {
    const reached = one.cost.filter(Number.isFinite);
    const sum = reached.reduce((a, b) => a + b, 0);
    return { ...one, reached: reached.length, meanCost: sum / Math.max(1, reached.length) };
  });
}

/**
 * `count` directions by greedy cover: the one that takes most rows to the target that none before it does,
 * ties by what its rows cost. The first n of more are the n of fewer.
 */
export function greedyCover(screened: readonly Screened[], count: number): Screened[] {
  const chosen: Screened[] = [];
  const open = new Set(screened);
  const n = screened[0]?.cost.length ?? 0;
  const least = new Float64Array(n).fill(Number.POSITIVE_INFINITY);
  while (chosen.length < count && open.size > 0) {
    let best: Screened | undefined;
    let top = [0, 0, 0];
    for (const candidate of open) {
      const value = [gainOf(candidate.cost, least), savedBy(candidate.cost, least), candidate.reached];
      const lead = value.map((v, t) => v - top[t]!).find((gap) => Math.abs(gap) > 1e-12) ?? 0;
      if (lead > 0) [best, top] = [candidate, value];
    }
    if (!best) break;
    chosen.push(best);
    open.delete(best);
    best.cost.forEach((cost, i) => {
      least[i] = Math.min(least[i]!, cost);
    });
  }
  return chosen;
}

/** Rows reached for the first time. */
function gainOf(cost: Float64Array, least: Float64Array): number {
  return cost.reduce((sum, c, i) => sum + Number(Number.isFinite(c) && !Number.isFinite(least[i])), 0);
}

/** What the rows reached before save, less what those reached for the first time cost. */
function savedBy(cost: Float64Array, least: Float64Array): number {
  return cost.reduce((sum, c, i) => {
    if (!Number.isFinite(c)) return sum;
    return sum + (Number.isFinite(least[i]) ? Math.max(0, least[i]! - c) : -c);
  }, 0);
}
