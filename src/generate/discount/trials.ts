import { fromRows, rowOf } from "../../num/matrix.ts";
import { mean } from "../../num/stats.ts";
import { Distinct } from "../distinct.ts";
import { draw, legalise, moveTo } from "../moves.ts";
import type { Row } from "../search.ts";
import type { Mover } from "./descend.ts";
import { project } from "./slices.ts";
import { type Group, look, type Seen } from "./standing.ts";
import { goals } from "./transport.ts";

export interface TrialSettings {
  /** How candidates are made. */
  readonly search: "monte-carlo" | "genetic";
  /** Candidates per member and step. */
  readonly trials: number;
  /** Features changed in a candidate, at most. */
  readonly spread: number;
}

/**
 * The same descent for models without a gradient: with the plans held fixed, Q is at most the sum over members
 * of (1 − η)·mean_t (θ_t·z − goal_it)² + η (y(z) − goal_i)², so that each member may take the best of its
 * candidates on its own. Monte Carlo candidates change a few features, at random, a little, or back along
 * −∇SWD; genetic ones cross a member with another.
 */
export function trials(group: Group, settings: TrialSettings, current: () => Seen): Mover {
  const { members, run } = group;
  return async (eta) => {
    const now = current();
    const aims = aimsOf(group, now);
    const made: { i: number; z: Float64Array }[] = [];
    members.forEach((row, i) => {
      const seen = new Distinct();
      seen.add(now.rows[i]!);
      const back = aims.back[i]!;
      for (let t = 0; t < settings.trials; t++) {
        const z = settings.search === "genetic" ? crossed(group, row, now, i) : now.rows[i]!.slice();
        if (settings.search === "monte-carlo" || row.random.next() < MUTATION) {
          change(group, row, z, back, settings.spread);
        }
        if (seen.add(z)) made.push({ i, z });
      }
    });
    const best = worths(
      group,
      now,
      members.map((_, i) => i),
      aims,
      eta,
    );
    const q = mean(best);
    const chosen = [...now.rows];
    if (made.length === 0) return { rows: chosen, q };
    const rows = run.constraints.complete(fromRows(made.map(({ z }) => z)));
    const legal = run.constraints.legal(rows);
    const tried = await look(
      group,
      made.map((_, t) => rowOf(rows, t)),
    );
    const worth = worths(
      group,
      tried,
      made.map(({ i }) => i),
      aims,
      eta,
    );
    made.forEach(({ i }, t) => {
      if (!legal[t] || !(worth[t]! < best[i]! - 1e-12)) return;
      best[i] = worth[t]!;
      chosen[i] = tried.rows[t]!;
    });
    return { rows: chosen, q };
  };
}

/** Share of the children that change as well. */
const MUTATION = 0.3;

/** Where the plans send each member: by direction, in y, and as a step back in the units of each feature. */
interface Aims {
  readonly slices: readonly Float64Array[];
  readonly y: Float64Array;
  readonly back: readonly Float64Array[];
}

function aimsOf({ run, slices, origin, desired }: Group, now: Seen): Aims {
  const points = slices.place(fromRows(now.rows));
  const { directions, players } = slices;
  const back = now.rows.map(() => new Float64Array(players.length));
  const aims = origin.map((before, t) => {
    const at = project(points, directions, t);
    const goal = goals(at, before);
    goal.forEach((g, i) => {
      for (let k = 0; k < players.length; k++) {
        const column = directions.data[t * directions.cols + players[k]![0]!]!;
        back[i]![k]! += ((g - at[i]!) * column * run.metric.scale[k]!) / origin.length;
      }
    });
    return goal;
  });
  return { slices: aims, y: goals(now.y, desired), back };
}

/** Each row's share of the bound on Q as the next row of member owners[t]. */
function worths(
  { slices }: Group,
  seen: Seen,
  owners: readonly number[],
  aims: Aims,
  eta: number,
): Float64Array {
  const points = slices.place(fromRows(seen.rows));
  const out = Float64Array.from(seen.y, (y, t) => eta * (y - aims.y[owners[t]!]!) ** 2);
  aims.slices.forEach((goal, s) => {
    project(points, slices.directions, s).forEach((at, t) => {
      out[t]! += ((1 - eta) / aims.slices.length) * (at - goal[owners[t]!]!) ** 2;
    });
  });
  return out;
}

/** Changes up to `spread` features of z: to any value, to one nearby, or back along −∇SWD. */
function change({ run }: Group, row: Row, z: Float64Array, back: Float64Array, spread: number): void {
  const { moves, random, x } = row;
  const count = 1 + random.int(Math.min(spread, moves.length));
  for (const m of random.sample(moves.length, count)) {
    const move = moves[m]!;
    const { k } = move;
    const kind = random.int(3);
    if (kind === 0 || Number.isNaN(z[k]!) || Number.isNaN(x[k]!))
      z[k] = draw(run.constraints, move, x[k]!, random);
    else if (move.values) z[k] = kind === 2 ? x[k]! : draw(run.constraints, move, x[k]!, random);
    else {
      const by = kind === 1 ? 0.5 * run.metric.scale[k]! * random.normal() : 2 * random.next() * back[k]!;
      z[k] = legalise(run.constraints, k, Math.min(move.high, Math.max(move.low, z[k]! + by)), x[k]!);
    }
  }
}

/** A child of a member and another one, as an edit of the member's factual row. */
function crossed({ run, members }: Group, row: Row, now: Seen, i: number): Float64Array {
  const { random } = row;
  const mate = now.rows[random.int(members.length)]!;
  const mixed = now.rows[i]!.map((v, k) => (random.next() < 0.5 ? v : mate[k]!));
  return moveTo(run, row.x, mixed);
}
