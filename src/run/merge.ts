import { ColaError } from "../errors.ts";
import { divergence } from "../evaluate/divergence.ts";
import { effect } from "../evaluate/effect.ts";
import type { CurvePoint, ExplainedRow, Explanation } from "../explanation.ts";
import { effectOf } from "../refine/curve.ts";
import { deepFreeze, resolvedOptions } from "./assemble.ts";
import { runHash } from "./hash.ts";
import { type ExplainInput, openRun } from "./open.ts";

/** Can the rows of this input be explained apart? Only where one row's plan never depends on the others. */
export function isSeparable({ goal, coupling, policy, budget }: ExplainInput): boolean {
  return (
    (goal === undefined || goal.kind === "each") &&
    (coupling === undefined || coupling === "match") &&
    (policy === undefined || policy === "minimal") &&
    budget?.total === undefined
  );
}

/**
 * The explanations of consecutive rows of an input as one: merge(explain(x₁), explain(x₂), …) = explain(x) for
 * inputs that are separable. Rows are put one after the other; curve, effect and totals are computed over all of
 * them again. The two counts of scored rows are those of the work really done, so parts that asked about the same
 * reference count it once each.
 */
export function merge(parts: readonly Explanation[], input: ExplainInput): Explanation {
  const rows = parts.flatMap((part) => part.rows).map((row, i) => ({ ...row, row: i }));
  const run = openRun(input);
  if (!isSeparable(input) || rows.length !== input.x.rows || parts.length === 0) {
    throw new ColaError(
      "OPTION_INVALID",
      `merge: ${parts.length} parts with ${rows.length} rows are not the ${input.x.rows} rows of a separable input; give the goal each, the coupling match, the policy minimal, no total budget, and the input of exactly these rows.`,
      { parts: parts.length, rows: rows.length, expected: input.x.rows },
    );
  }
  const couplings = parts.flatMap(({ coupling }) => (coupling ? [coupling] : []));
  const attributions = parts.map(({ attribution }) => attribution);
  return deepFreeze({
    ...parts[0]!,
    runHash: runHash(run),
    options: resolvedOptions(run),
    rows,
    curve: parts.some(({ curve }) => curve.length === 0) ? [] : curveOver(rows),
    effect: effectOver(rows),
    coupling: couplings[0]
      ? {
          ...couplings[0],
          gap: Math.max(...couplings.map(({ gap }) => gap)),
          converged: couplings.every(({ converged }) => converged),
          entries: sum(couplings.map(({ entries }) => entries)),
        }
      : null,
    attribution: {
      exact: attributions.every(({ exact }) => exact),
      space: attributions.some(({ space }) => space === "margin") ? "margin" : "score",
      residual: Math.max(...attributions.map(({ residual }) => residual)),
      evaluations: sum(attributions.map(({ evaluations }) => evaluations)),
    },
    totals: {
      rows: rows.length,
      ok: rows.filter((row) => row.status === "ok").length,
      valid: rows.filter((row) => row.valid).length,
      editsProposed: sum(rows.map((row) => row.proposal.length)),
      edits: sum(rows.map((row) => row.edits.length)),
      modelRows: sum(parts.map(({ totals }) => totals.modelRows)),
    },
  });
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** The share of rows short of the target when those that need fewest edits are served first. */
function curveOver(all: readonly ExplainedRow[]): CurvePoint[] {
  const rows = all.filter((row) => row.status !== "invalid_input");
  const counts = rows.map((row) => row.edits.length).sort((a, b) => a - b);
  let missed = rows.filter((row) => row.status !== "ok" || row.edits.length > 0).length;
  const start = missed / rows.length;
  const points: CurvePoint[] = [{ edits: 0, divergence: start, effect: effectOf(start, start) }];
  for (const count of counts) {
    for (let edit = 1; edit <= count; edit++) {
      if (edit === count) missed--;
      const share = missed / rows.length;
      points.push({ edits: points.length, divergence: share, effect: effectOf(share, start) });
    }
  }
  return points;
}

/** W1 of the scores to those of the proposals, before and after. */
function effectOver(rows: readonly ExplainedRow[]): Explanation["effect"] {
  const known = rows.filter((row) => row.before !== null && row.after !== null && row.proposed !== null);
  if (known.length === 0) return { divergence: "w1", on: "score", before: 0, after: 0, share: null };
  const [before, after, proposed] = [
    known.map((row) => row.before!),
    known.map((row) => row.after!),
    known.map((row) => row.proposed!),
  ];
  return {
    divergence: "w1",
    on: "score",
    before: divergence("w1", before, proposed),
    after: divergence("w1", after, proposed),
    share: effect("w1", before, after, proposed),
  };
}
