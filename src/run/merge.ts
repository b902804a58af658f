import { ColaError } from "../errors.ts";
import type { CurvePoint, ExplainedRow, Explanation } from "../explanation.ts";
import { effectOf } from "../num/divergence.ts";
import { deepFreeze, effectReached, headOf, totalsOf } from "./assemble.ts";
import type { ExplainInput, Options } from "./input.ts";
import { openRun, type Run } from "./run.ts";
import { unreachedRow } from "./unexplained.ts";

/** What joins the rows of this input, so that they cannot be explained apart; undefined where nothing does. */
export function joinedBy({ goal, coupling, policy, budget }: Options): Joint | undefined {
  if (goal !== undefined && goal.kind !== "each") return "goal";
  if (budget?.total !== undefined) return "budget";
  if (coupling !== undefined && coupling !== "match") return "coupling";
  return policy !== undefined && policy !== "minimal" ? "policy" : undefined;
}

export type Joint = "goal" | "budget" | "coupling" | "policy";

/**
 * The explanations of consecutive rows of an input as one: merge(explain(x₁), explain(x₂), …) = explain(x), to the
 * byte, for inputs whose rows nothing joins. Rows are put one after the other; curve, effect and totals are computed
 * over all of them again. Of a run that was stopped, the rows after those of the parts are told as not reached.
 */
export function merge(
  parts: readonly Explanation[],
  input: ExplainInput,
  options: MergeOptions = {},
): Explanation {
  return mergeKernel(parts, openRun(input), options);
}

export interface MergeOptions {
  /** The run was stopped: rows may be missing at the end. */
  readonly stopped?: boolean;
}

/** `merge` of the parts of a question that is open. */
export function mergeKernel(
  parts: readonly Explanation[],
  run: Run,
  { stopped = false }: MergeOptions,
): Explanation {
  const { input } = run;
  const done = parts.flatMap((part) => part.rows).map((row, i) => ({ ...row, row: i }));
  const left = input.x.rows - done.length;
  if ((parts.length > 0 && joinedBy(input)) || left < 0 || (left > 0 && !stopped)) {
    throw new ColaError(
      "OPTION_INVALID",
      `merge: ${parts.length} parts with ${done.length} rows are not the ${input.x.rows} rows of a separable input; give the goal each, the coupling match, the policy minimal, no total budget, and the input of exactly these rows.`,
      { parts: parts.length, rows: done.length, expected: input.x.rows },
    );
  }
  const rest = Array.from({ length: left }, (_, t) => unreachedRow(run, done.length + t, UNREACHED));
  const rows = [...done, ...rest];
  const attributions = parts.map(({ attribution }) => attribution);
  return deepFreeze({
    ...headOf(run),
    rows,
    curve: parts.every(({ curve }) => curve.length === 0) ? [] : curveOver(rows),
    effect: effectReached(
      run.goal,
      rows.map((row) => ({ before: number(row.before), after: number(row.after) })),
      rows.map((row) => number(row.proposed)),
    ),
    coupling: couplingOver(parts),
    attribution: {
      exact: attributions.every(({ exact }) => exact),
      space: attributions.some(({ space }) => space === "margin") ? "margin" : "score",
      residual: Math.max(0, ...attributions.map(({ residual }) => residual)),
    },
    totals: totalsOf(rows),
  });
}

const UNREACHED = "the run was stopped before it came to this row.";

function couplingOver(parts: readonly Explanation[]): Explanation["coupling"] {
  const couplings = parts.flatMap(({ coupling }) => (coupling ? [coupling] : []));
  const [first] = couplings;
  if (!first) return null;
  return {
    ...first,
    gap: Math.max(...couplings.map(({ gap }) => gap)),
    converged: couplings.every(({ converged }) => converged),
    entries: couplings.reduce((sum, { entries }) => sum + entries, 0),
  };
}

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
      points.push({ edits: points.length, divergence: share, effect: effectOf(start, share) });
    }
  }
  return points;
}

/** Null, the JSON of a number that is none, back to NaN. */
const number = (value: number | null): number => value ?? Number.NaN;
