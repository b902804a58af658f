import type { ColaError } from "../errors.ts";
import type { Matrix, Reach } from "../types.ts";
import type { Scorer } from "./scorer.ts";
import { shownScores } from "./target.ts";

/** What a model says of rows as a target sees it. */
interface Slacks {
  /** Scores by output of the target, in the order of `reach.outputs`. */
  readonly scores: readonly Float64Array[];
  /** The score that is shown and explained. */
  readonly shown: Float64Array;
  /** How far past the target's edge each row is; NaN where the model failed. */
  readonly slack: Float64Array;
  readonly failures: ReadonlyMap<number, ColaError>;
}

/** Asks for every output the target needs. A row the model fails on is named in `failures`, or throws if `strict`. */
export async function slackOf(ask: Scorer, rows: Matrix, reach: Reach, strict = false): Promise<Slacks> {
  const scores: Float64Array[] = [];
  const failures = new Map<number, ColaError>();
  for (const output of reach.outputs) {
    if (strict) scores.push(await ask.score(rows, output));
    else {
      const answer = await ask.scoreEach(rows, output);
      scores.push(answer.scores);
      for (const [i, error] of answer.failures) if (!failures.has(i)) failures.set(i, error);
    }
  }
  const shown = shownScores(reach, scores);
  const slack = shown.map((_, i) => (failures.has(i) ? Number.NaN : reach.slack(scores, i)));
  return { scores, shown, slack, failures };
}
