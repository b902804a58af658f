import { ColaError } from "../errors.ts";
import {
  type CurvePoint,
  type ExplainedRow,
  type Explanation,
  type Realism,
  totalsOf,
} from "../explanation.ts";
import { effectOf } from "../num/divergence.ts";
import type { Goal } from "../types.ts";
import { deepFreeze, effectReached, headOf } from "./assemble.ts";
import type { ExplainInput, Run } from "./contract.ts";
import type { Options } from "./options.ts";
import { openRun } from "./run.ts";
import { unreachedRow } from "./unexplained.ts";

/** What joins the rows of this input, so that they cannot be explained apart; undefined where nothing does. */
export function joinedBy({ goal, coupling, policy, budget }: Options): Joint | undefined {
  if (goal !== undefined && goal.kind !== "each") return "goal";
  if (budget?.total !== undefined) return "budget";
  if (coupling !== undefined && coupling !== "match") return "coupling";
  return policy !== undefined && policy !== "minimal" ? "policy" : undefined;
}

type Joint = "goal" | "budget" | "coupling" | "policy";

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
  return mergeKernel(parts.map(partOf), openRun(input), options);
}

/** Explained rows, and what of them goes into what all rows give together. */
export interface Part {
  readonly tally: Tally;
  readonly rows: readonly ExplainedRow[];
}

export const partOf = (made: Explanation): Part => ({ tally: tallyOf(made), rows: made.rows });

interface MergeOptions {
  /** The run was stopped: rows may be missing at the end. */
  readonly stopped?: boolean;
}

/** `merge` of the parts of a question that is open. */
export function mergeKernel(
  parts: readonly Part[],
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
  const rest = left > 0 ? [unreached(run, done.length, input.x.rows)] : [];
  const tallies = [...parts, ...rest].map(({ tally }) => tally);
  const rows = [...done, ...rest.flatMap((part) => part.rows)];
  return deepFreeze({ ...headOf(run), rows, ...together(tallies, run.goal) });
}

/** Rows from … to − 1 of a run that was stopped before it came to them. */
export function unreached(run: Run, from: number, to: number): Part {
  const rows = Array.from({ length: to - from }, (_, t) => unreachedRow(run, from + t, UNREACHED));
  return { tally: tallyOfRows(rows), rows };
}

const UNREACHED = "the run was stopped before it came to this row.";

/**
 * What of a part goes into what all rows give together: plain data, a column of each, to be kept where the rows
 * themselves are too many to be held.
 */
export interface Tally {
  readonly status: readonly ExplainedRow["status"][];
  readonly valid: number;
  readonly before: readonly (number | null)[];
  readonly after: readonly (number | null)[];
  readonly proposed: readonly (number | null)[];
  /** Edits of each plan, and those of all proposals. */
  readonly edits: readonly number[];
  readonly editsProposed: number;
  /** Absent: a part in which nothing was reached. */
  readonly of?: Pick<Explanation, "coupling" | "attribution" | "realism"> & { readonly curve: boolean };
}

export function tallyOf(part: Explanation): Tally {
  const { curve, coupling, attribution, realism } = part;
  return {
    ...tallyOfRows(part.rows),
    of: { curve: curve.length > 0, coupling, attribution, ...(realism ? { realism } : {}) },
  };
}

function tallyOfRows(rows: readonly ExplainedRow[]): Tally {
  const { valid, editsProposed } = totalsOf(rows);
  return {
    status: rows.map(({ status }) => status),
    before: rows.map(({ before }) => before),
    after: rows.map(({ after }) => after),
    proposed: rows.map(({ proposed }) => proposed),
    edits: rows.map(({ edits }) => edits.length),
    ...{ valid, editsProposed },
  };
}

type Together = Pick<Explanation, "curve" | "effect" | "coupling" | "attribution" | "totals" | "realism">;

/** What the rows of all parts give together, in the order of a result. */
export function together(tallies: readonly Tally[], goal: Goal): Together {
  const told = tallies.flatMap(({ of }) => of ?? []);
  const attributions = told.map(({ attribution }) => attribution);
  const status = tallies.flatMap((tally) => tally.status);
  const edits = tallies.flatMap((tally) => tally.edits);
  const column = (name: "before" | "after" | "proposed"): number[] =>
    tallies.flatMap((tally) => tally[name].map(number));
  const realism = realismOver(told);
  return {
    curve: told.every(({ curve }) => !curve) ? [] : curveOver(status, edits),
    effect: effectReached(goal, {
      before: column("before"),
      after: column("after"),
      proposed: column("proposed"),
    }),
    coupling: couplingOver(told),
    attribution: {
      exact: attributions.every(({ exact }) => exact),
      space: attributions.some(({ space }) => space === "margin") ? "margin" : "score",
      residual: Math.max(0, ...attributions.map(({ residual }) => residual)),
    },
    totals: {
      rows: status.length,
      ok: status.filter((one) => one === "ok").length,
      valid: tallies.reduce((sum, { valid }) => sum + valid, 0),
      editsProposed: tallies.reduce((sum, tally) => sum + tally.editsProposed, 0),
      edits: edits.reduce((sum, count) => sum + count, 0),
    },
    ...(realism ? { realism } : {}),
  };
}

function couplingOver(parts: readonly Pick<Explanation, "coupling">[]): Explanation["coupling"] {
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

/** The counts of each kind of plan, in the order in which the kinds come first. */
function realismOver(parts: readonly Pick<Explanation, "realism">[]): Explanation["realism"] {
  if (parts.every(({ realism }) => realism === undefined)) return undefined;
  const sums = new Map<Realism["kind"], Realism>();
  for (const own of parts.flatMap(({ realism }) => realism ?? [])) {
    const sum = sums.get(own.kind);
    sums.set(own.kind, {
      kind: own.kind,
      plans: (sum?.plans ?? 0) + own.plans,
      values: (sum?.values ?? 0) + own.values,
      unusual: (sum?.unusual ?? 0) + own.unusual,
      rulesBroken: (sum?.rulesBroken ?? 0) + own.rulesBroken,
    });
  }
  return [...sums.values()];
}

/** The share of rows short of the target when those that need fewest edits are served first. */
function curveOver(status: readonly ExplainedRow["status"][], edits: readonly number[]): CurvePoint[] {
  const rows = status.flatMap((one, i) => (one === "invalid_input" ? [] : [i]));
  const counts = rows.map((i) => edits[i]!).sort((a, b) => a - b);
  let missed = rows.filter((i) => status[i] !== "ok" || edits[i]! > 0).length;
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

/** Null, which is how JSON writes NaN, back to NaN. */
const number = (value: number | null): number => value ?? Number.NaN;
