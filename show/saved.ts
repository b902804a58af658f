import type { ExplainedRow, Explanation } from "../src/explanation.ts";
import type { RowStatus } from "../src/types.ts";

/** What plans save against the counterfactuals they are made of. */
interface Saved {
  readonly rows: number;
  readonly edits: number;
  readonly proposed: number;
  /** How much the plans change, where they say so. */
  readonly change: number;
}

/** Rows with a plan; in a group that chose any edit, all that could be read. */
export function plannedRows({ rows, goal }: Pick<Explanation, "rows" | "goal">): ExplainedRow[] {
  const begun = goal.kind === "group" && rows.some((row) => row.valid || row.edits.length > 0);
  return rows.filter(({ status }) => (begun ? status !== "invalid_input" : status === "ok"));
}

/** Rows whose scores the effect is made of: those of a run that was stopped have none. */
function scoredRows({ rows }: Pick<Explanation, "rows">): number {
  return rows.filter(({ before, after, proposed }) => before !== null && after !== null && proposed !== null)
    .length;
}

/** Plans proven least (in edits, or in cost where that was asked): for any legal values, and among what was searched. */
export function provenRows({ rows }: Pick<Explanation, "rows">): {
  readonly any: number;
  readonly among: number;
} {
  const least = rows.flatMap((row) => (row.valid && row.proof?.claim === "optimal" ? [row.proof.scope] : []));
  const any = least.filter((scope) => scope === "model").length;
  return { any, among: least.length - any };
}

/** Over the rows with a plan: one that has none, or was not reached, saves nothing. */
export function savedBy(explanation: Pick<Explanation, "rows" | "goal">): Saved {
  const rows = plannedRows(explanation);
  const sum = (list: "edits" | "proposal"): number => rows.reduce((all, row) => all + row[list].length, 0);
  const change = rows.reduce((all, row) => all + (row.change ?? 0), 0);
  return { rows: rows.length, edits: sum("edits"), proposed: sum("proposal"), change };
}

/** What a summary counts over rows, so that rows of which there are too many to be held are counted some at a time. */
export interface Counts {
  readonly saved: Saved;
  /** Rows whose scores the effect is made of. */
  readonly scored: number;
  /** Rows that a run came to. */
  readonly reached: number;
  readonly proven: ReturnType<typeof provenRows>;
  /** Was the least cost asked for anywhere? */
  readonly cheapest: boolean;
  readonly status: ReadonlyMap<RowStatus, number>;
}

export function countsOf(explanation: Pick<Explanation, "rows" | "goal">): Counts {
  const { rows } = explanation;
  const status = new Map<RowStatus, number>();
  for (const row of rows) status.set(row.status, (status.get(row.status) ?? 0) + 1);
  return {
    saved: savedBy(explanation),
    scored: scoredRows(explanation),
    reached: rows.filter((row) => row.status !== "budget" || row.before !== null).length,
    proven: provenRows(explanation),
    cheapest: rows.some((row) => row.proof?.least === "cost"),
    status,
  };
}

/** The counts of both, for goals of each row. */
export function bothCounts(a: Counts, b: Counts): Counts {
  const sum = <T extends object>(x: T, y: T): T =>
    Object.fromEntries(Object.entries(x).map(([name, count]) => [name, count + y[name as keyof T]])) as T;
  const status = new Map(a.status);
  for (const [name, count] of b.status) status.set(name, (status.get(name) ?? 0) + count);
  return {
    saved: sum(a.saved, b.saved),
    scored: a.scored + b.scored,
    reached: a.reached + b.reached,
    proven: sum(a.proven, b.proven),
    cheapest: a.cheapest || b.cheapest,
    status,
  };
}
