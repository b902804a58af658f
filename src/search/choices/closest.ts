import type { Choices } from "./knapsack.ts";

/** One choice per row with the sum of their values and edits. */
export interface Pick {
  readonly plan: Int32Array;
  readonly sum: number;
  readonly edits: number;
}

export function pickOf(rows: readonly Choices[], plan: Int32Array): Pick {
  let [sum, edits] = [0, 0];
  for (let i = 0; i < plan.length; i++) {
    sum += rows[i]!.values[plan[i]!]!;
    edits += rows[i]!.sizes[plan[i]!]!;
  }
  return { plan, sum, edits };
}

/**
 * Brings Σ values near `goal` with at most C edits: sweeps over the rows, each exchanging its choice for the one
 * that comes nearest; when a sweep is stuck, two rows exchange at once. Goes on as long as |Σ − goal| falls and
 * is above `wanted`.
 */
export function approach(
  rows: readonly Choices[],
  start: Pick,
  goal: number,
  C: number,
  wanted: number,
): Pick {
  let pick = start;
  for (let round = 0; round < 64 && Math.abs(pick.sum - goal) > wanted; round++) {
    const swept = sweep(rows, pick, goal, C);
    const next = nearer(swept, pick, goal) ? swept : pairExchange(rows, pick, goal, C);
    if (!nearer(next, pick, goal)) return pick;
    pick = next;
  }
  return pick;
}

function nearer(a: Pick, b: Pick, goal: number): boolean {
  return Math.abs(a.sum - goal) < Math.abs(b.sum - goal);
}

function sweep(rows: readonly Choices[], pick: Pick, goal: number, C: number): Pick {
  const plan = pick.plan.slice();
  let { sum, edits } = pick;
  rows.forEach(({ sizes, values }, i) => {
    const [value, size] = [values[plan[i]!]!, sizes[plan[i]!]!];
    const [wanted, spare] = [goal - sum + value, C - edits + size];
    let best = plan[i]!;
    for (let t = 0; t < values.length; t++) {
      if (sizes[t]! <= spare && Math.abs(values[t]! - wanted) < Math.abs(values[best]! - wanted)) best = t;
    }
    plan[i] = best;
    sum += values[best]! - value;
    edits += sizes[best]! - size;
  });
  return pickOf(rows, plan);
}

/** A change of one row's choice and what Σ values gains by it. */
interface Move {
  readonly row: number;
  readonly choice: number;
  readonly gain: number;
}

/** The two rows whose exchange comes nearest: moves sorted by gain for each change of edits, met from both ends. */
function pairExchange(rows: readonly Choices[], pick: Pick, goal: number, C: number): Pick {
  const byEdits = movesOf(rows, pick);
  const wanted = goal - pick.sum;
  let best: readonly Move[] = [];
  let distance = Number.POSITIVE_INFINITY;
  for (const [more, rising] of byEdits) {
    for (const [less, falling] of byEdits) {
      if (less > more || pick.edits + more + less > C) continue;
      for (let a = 0, b = falling.length - 1; a < rising.length && b >= 0; ) {
        const [up, down] = [rising[a]!, falling[b]!];
        const off = up.gain + down.gain - wanted;
        if (up.row !== down.row && Math.abs(off) < distance) {
          distance = Math.abs(off);
          best = [up, down];
        }
        if (off > 0) b--;
        else a++;
      }
    }
  }
  const plan = pick.plan.slice();
  for (const move of best) plan[move.row] = move.choice;
  return pickOf(rows, plan);
}

function movesOf(rows: readonly Choices[], pick: Pick): Map<number, Move[]> {
  const byEdits = new Map<number, Move[]>();
  rows.forEach(({ sizes, values }, row) => {
    const held = pick.plan[row]!;
    for (let t = 0; t < values.length; t++) {
      if (t === held || Number.isNaN(values[t])) continue;
      const edits = sizes[t]! - sizes[held]!;
      const move = { row, choice: t, gain: values[t]! - values[held]! };
      if (byEdits.has(edits)) byEdits.get(edits)!.push(move);
      else byEdits.set(edits, [move]);
    }
  });
  for (const moves of byEdits.values()) moves.sort((a, b) => a.gain - b.gain);
  return byEdits;
}
