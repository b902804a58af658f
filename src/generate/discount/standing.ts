import { fromRows } from "../../num/matrix.ts";
import { sorted } from "../../num/stats.ts";
import type { Matrix } from "../../types.ts";
import { scoreOutputs } from "../ask.ts";
import type { Run } from "../run.ts";
import type { Row } from "../search.ts";
import type { GroupScore } from "./group-score.ts";
import { bootstrapUpper, dkwUpper, type Resamples } from "./limits.ts";
import { project, type Slices } from "./slices.ts";
import { trimmedSorted } from "./transport.ts";

/** Everything that stays the same while the group moves. */
export interface Group {
  readonly run: Run;
  readonly members: readonly Row[];
  readonly score: GroupScore;
  /** y*. */
  readonly desired: Float64Array;
  readonly slices: Slices;
  /** Projections of the factual rows, one per direction. */
  readonly origin: readonly Float64Array[];
  readonly trim: number;
  readonly alpha: number;
  readonly bound: "bootstrap" | "dkw";
}

/** Rows as the model sees them: y, and whether each is at the target. NaN where the model failed. */
export interface Seen {
  readonly rows: readonly Float64Array[];
  readonly y: Float64Array;
  readonly valid: Uint8Array;
}

/** Scores legal rows of the group, or other rows one wants to know about. */
export async function look({ run, score }: Group, rows: readonly Float64Array[]): Promise<Seen> {
  const asked = fromRows(rows);
  const { scores, failures } = await scoreOutputs(run, run.scorer, asked);
  const y = new Float64Array(rows.length);
  const valid = new Uint8Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    y[i] = failures.has(i) ? Number.NaN : score.value(scores, i);
    valid[i] = Number(!failures.has(i) && run.reach.reached(run.reach.slack(scores, i)));
  }
  return { rows, y, valid };
}

/** Distances of a group from where it was and from where it should be, with their upper limits. */
export interface Standing {
  /** Sliced W2 between the rows and x; W2 between y and y*; both trimmed, no square. */
  readonly input: number;
  readonly output: number;
  readonly inputUpper: number;
  readonly outputUpper: number;
}

/** Measures a group; `resamples` are used by the bootstrap. */
export async function standing(group: Group, seen: Seen, resamples: Resamples): Promise<Standing> {
  const { run, slices, origin, desired, trim, alpha, score } = group;
  const points = slices.place(fromRows(seen.rows));
  const upper = (a: Float64Array, b: Float64Array, level: number, bounds?: readonly [number, number]): number =>
    group.bound === "bootstrap"
      ? bootstrapUpper(a, b, trim, level, resamples)
      : dkwUpper(a, b, trim, level, bounds);
  const count = origin.length;
  let [squares, uppers] = [0, 0];
  for (let t = 0; t < count; t++) {
    const now = project(points, slices.directions, t);
    squares += trimmedSorted(sorted(now), sorted(origin[t]!), trim) / count;
    uppers += upper(now, origin[t]!, alpha / count) ** 2 / count;
    if (run.work.due()) await run.work.pause(t, count);
  }
  const y = seen.y.filter((v) => !Number.isNaN(v));
  const known = y.length === seen.y.length ? resamples : undefined;
  const outputUpper =
    y.length === 0 || (group.bound === "bootstrap" && !known)
      ? Number.POSITIVE_INFINITY
      : upper(y, desired, alpha, score.bounds);
  return {
    input: Math.sqrt(squares),
    output: y.length > 0 ? Math.sqrt(trimmedSorted(sorted(y), sorted(desired), trim)) : Number.POSITIVE_INFINITY,
    inputUpper: Math.sqrt(uppers),
    outputUpper,
  };
}

/** Points of table rows in the space of the slices. */
export const pointsOf = ({ slices }: Group, rows: readonly Float64Array[]): Matrix => slices.place(fromRows(rows));
