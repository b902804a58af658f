import { pshap } from "../attribute/pshap.ts";
import { exact } from "../couple/exact.ts";
import { isColaError } from "../errors.ts";
import { reachOf } from "../model/target.ts";
import { takeRows } from "../num/matrix.ts";
import type { Attribution, Matrix } from "../types.ts";
import { type Run, stageOptions } from "./open.ts";
import type { Proposal } from "./propose.ts";

/** φ with, for rows the model failed on, what it said instead. */
export interface Attributed {
  readonly attribution: Attribution;
  readonly failures: ReadonlyMap<number, string>;
}

/** Line 3 of Algorithm 1. When the model fails on some row, every row is asked alone, so only that one is lost. */
export async function attribute(run: Run, proposal: Proposal): Promise<Attributed> {
  const { model, x, constraints, goal } = run;
  const output = goal.kind === "each" ? reachOf(model, goal.target).primary : goal.output;
  const options = {
    seed: run.seed,
    groups: run.groups,
    space: goal.kind === "each" ? ("each" as const) : ("auto" as const),
    ...run.input.attribution,
    ...(constraints.hasRules
      ? { legal: (rows: Matrix) => constraints.legal(constraints.complete(rows)) }
      : {}),
    ...(output === undefined ? {} : { output }),
  };
  try {
    const attribution = await pshap(model, x, proposal.references, proposal.spread, {
      ...stageOptions(run),
      ...options,
    });
    return { attribution, failures: new Map() };
  } catch (error) {
    if (!recoverable(error)) throw error;
  }
  const values = new Float64Array(x.rows * run.players.length);
  const base = new Float64Array(x.rows).fill(Number.NaN);
  const failures = new Map<number, string>();
  let [residual, evaluations, exactly] = [0, 0, true];
  let space: Attribution["space"] = "score";
  for (let i = 0; i < x.rows; i++) {
    const entries = entriesOf(proposal, i);
    try {
      const own = takeRows(proposal.references, entries);
      const weights = {
        ...exact(
          [...entries].map((_, e): [number, number] => [0, e]),
          entries.length,
        ),
      };
      const mass = Float64Array.from(entries, (e) => proposal.spread.mass[e]!);
      const one = await pshap(
        model,
        takeRows(x, [i]),
        own,
        { ...weights, mass },
        { ...stageOptions(run), ...options },
      );
      values.set(one.values.data, i * run.players.length);
      base[i] = one.base[0]!;
      residual = Math.max(residual, one.residual);
      evaluations += one.evaluations;
      exactly &&= one.exact;
      space = one.space;
    } catch (error) {
      if (!recoverable(error)) throw error;
      failures.set(i, error.message);
    }
  }
  return {
    attribution: {
      values: { data: values, rows: x.rows, cols: run.players.length },
      base,
      residual,
      evaluations,
      exact: exactly,
      space,
    },
    failures,
  };
}

function entriesOf({ spread }: Proposal, i: number): Int32Array {
  return spread.cols.filter((_, e) => spread.rows[e] === i);
}

/** The model failing, or a limit running out, costs a row; anything else is everybody's business. */
function recoverable(error: unknown): error is Error {
  return isColaError(error) && (error.code.startsWith("PREDICT_") || error.code.startsWith("LIMIT_"));
}
