import { slackOf } from "../../model/slack.ts";
import { fromRows } from "../../num/matrix.ts";
import { sorted } from "../../num/stats.ts";
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

/** Rows as the model sees them: y, and whether each is at the target. */
export interface Seen {
  readonly rows: readonly Float64Array[];
  readonly y: Float64Array;
  readonly valid: Uint8Array;
}

/** Scores rows; y is NaN where the model failed. */
export async function look({ run, score }: Group, rows: readonly Float64Array[]): Promise<Seen> {
  const { scores, slack, failures } = await slackOf(run.scorer, fromRows(rows), run.reach);
  const y = new Float64Array(rows.length);
  const valid = new Uint8Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    y[i] = failures.has(i) ? Number.NaN : score.value(scores, i);
    valid[i] = Number(run.reach.reached(slack[i]!));
  }
  return { rows, y, valid };
}

/** Distances of a group from where it was and from where it should be, with their upper limits. */
export interface Standing {
  /** Sliced W2 between the rows and x; W2 between y and y*: trimmed, roots taken. */
  readonly input: number;
  readonly output: number;
  readonly inputUpper: number;
  readonly outputUpper: number;
}

/** Measures a group; the bootstrap uses `resamples`. */
export async function standing(group: Group, seen: Seen, resamples: Resamples): Promise<Standing> {
  const { slices, origin, desired, trim, alpha, score } = group;
  const points = slices.place(fromRows(seen.rows));
  const count = origin.length;
  let [squares, uppers] = [0, 0];
  for (let t = 0; t < count; t++) {
    const now = project(points, slices.directions, t);
    squares += trimmedSorted(sorted(now), sorted(origin[t]!), trim) / count;
    uppers += (await upper(group, now, origin[t]!, alpha / count, resamples)) ** 2 / count;
  }
  return {
    input: Math.sqrt(squares),
    output: Math.sqrt(trimmedSorted(sorted(seen.y), sorted(desired), trim)),
    inputUpper: Math.sqrt(uppers),
    outputUpper: await upper(group, seen.y, desired, alpha, resamples, score.bounds),
  };
}

async function upper(
  { run, bound, trim }: Group,
  a: Float64Array,
  b: Float64Array,
  level: number,
  resamples: Resamples,
  bounds?: readonly [number, number],
): Promise<number> {
  if (bound === "dkw") return dkwUpper(a, b, trim, level, bounds);
  return bootstrapUpper(a, b, trim, level, resamples, run.work);
}
