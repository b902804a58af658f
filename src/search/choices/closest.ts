import { orderOf } from "../../num/order.ts";
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

/** Changes of one row's choice that take equally many edits, by what Σ values gains, equal ones in the order of the rows. */
interface Moves {
  readonly edits: number;
  readonly row: number[];
  readonly choice: number[];
  readonly gain: number[];
}

/** The two rows whose exchange comes nearest: moves sorted by gain for each change of edits, met from both ends. */
function pairExchange(rows: readonly Choices[], pick: Pick, goal: number, C: number): Pick {
  const byEdits = movesOf(rows, pick);
  const wanted = goal - pick.sum;
  let best: readonly (readonly [moves: Moves, at: number])[] = [];
  let distance = Number.POSITIVE_INFINITY;
  for (const rising of byEdits) {
    for (const falling of byEdits) {
      if (falling.edits > rising.edits || pick.edits + rising.edits + falling.edits > C) continue;
      for (let a = 0, b = falling.gain.length - 1; a < rising.gain.length && b >= 0; ) {
        const off = rising.gain[a]! + falling.gain[b]! - wanted;
        if (Math.abs(off) < distance && rising.row[a] !== falling.row[b]) {
          distance = Math.abs(off);
          best = [
            [rising, a],
            [falling, b],
          ];
        }
        if (off > 0) b--;
        else a++;
      }
    }
  }
  const plan = pick.plan.slice();
  for (const [{ row, choice }, at] of best) plan[row[at]!] = choice[at]!;
  return pickOf(rows, plan);
}

function movesOf(rows: readonly Choices[], { plan }: Pick): Moves[] {
  const byEdits = new Map<number, Moves>();
  rows.forEach(({ sizes, values }, i) => {
    const held = plan[i]!;
    for (let t = 0; t < values.length; t++) {
      if (t === held || Number.isNaN(values[t]!)) continue;
      const edits = sizes[t]! - sizes[held]!;
      let moves = byEdits.get(edits);
      if (!moves) {
        moves = { edits, row: [], choice: [], gain: [] };
        byEdits.set(edits, moves);
      }
      moves.row.push(i);
      moves.choice.push(t);
      moves.gain.push(values[t]! - values[held]!);
    }
  });
  return Array.from(byEdits.values(), ({ edits, row, choice, gain }) => {
    const sorted: Moves = { edits, row: [], choice: [], gain: [] };
    for (const t of orderOf(new Float64Array(gain))) {
      sorted.row.push(row[t]!);
      sorted.choice.push(choice[t]!);
      sorted.gain.push(gain[t]!);
    }
    return sorted;
  });
}
