import type { ColaError } from "../errors.ts";
import { takeRows } from "../num/matrix.ts";
import type { Random } from "../num/random.ts";
import type { Generated } from "./contract.ts";
import { compareRows } from "./distinct.ts";
import type { Run } from "./run.ts";
import { type Row, type Search, searchRows } from "./search.ts";

/** What work for the whole group came to. */
export interface GroupPlan {
  /** The counterfactuals of one member. */
  search(row: Row): Search;
  /** What the method reports, once every member has its rows. */
  details(generated: Generated): Readonly<Record<string, unknown>>;
  /** The limit that ended the work early; members without a counterfactual then ran out of budget. */
  readonly limit: ColaError | undefined;
}

/**
 * `searchRows` for methods that first find something all rows share: rules, directions, a distribution.
 * `prepare` is handed the affected rows, those that are not at the target and may change, sorted by content so
 * that their order in x does not matter.
 */
export async function searchGroup(
  run: Run,
  random: Random,
  prepare: (group: readonly Row[]) => Promise<GroupPlan>,
): Promise<Generated> {
  let plan: GroupPlan | undefined;
  const generated = await searchRows(run, random, async (rows) => {
    const made = await prepare(rows.toSorted((a, b) => compareRows(a.x, b.x)));
    plan = made;
    return made.search;
  });
  if (!plan) return generated;
  const { report } = generated;
  const limit = plan.limit?.message;
  const cut = report.reasons.map((reason) => limit !== undefined && reason === limit);
  return {
    ...generated,
    report: {
      ...report,
      status: report.status.map((status, i) => (cut[i] ? "budget" : status)),
      details: { ...report.details, ...plan.details(generated) },
    },
  };
}

/** A member's rows, or why it has none. */
// biome-ignore lint/correctness/useYield: a search that has nothing left to ask
export function* settled(rows: readonly Float64Array[], why: string): Search {
  return rows.length > 0 ? { rows } : { rows, why };
}

/**
 * The run with its target turned round: affected are the rows at the target, and success is to leave it. The
 * authors' programs run AReS and GLOBE-CE in this direction.
 */
export function turnedRound(run: Run): Run {
  const { reach } = run;
  return {
    ...run,
    reach: {
      outputs: reach.outputs,
      primary: reach.primary,
      slack: (scores, i) => -reach.slack(scores, i),
      reached: (slack, minMargin = 0) => !reach.reached(-slack) && slack >= minMargin,
    },
  };
}

/**
 * What a turned-round run returns: the rows made for the affected members, whether or not they left the target;
 * members that were never at the target have none.
 */
export function affectedOnly(generated: Generated): Generated {
  const { rows, pairs, report } = generated;
  const others = new Set(report.details["alreadyAtTarget"] as readonly number[]);
  const kept = Int32Array.from(pairs!, (_, t) => t).filter((t) => !others.has(pairs![t]!));
  const { alreadyAtTarget: _, ...details } = report.details;
  return {
    rows: takeRows(rows, kept),
    pairs: kept.map((t) => pairs![t]!),
    report: {
      ...report,
      status: report.status.map((status, i) => (others.has(i) ? "infeasible" : status)),
      reasons: report.reasons.map((reason, i) =>
        others.has(i) ? "the authors' direction moves only rows that are at the target" : reason,
      ),
      details,
    },
  };
}
