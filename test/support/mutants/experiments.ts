import type { BenchmarkResult } from "../../../experiments/benchmark.ts";
import type { ContestResult } from "../../../experiments/contest.ts";
import { byOnes } from "../../../experiments/curves.ts";
import type { Measures } from "../../../experiments/measure.ts";
import { EXACT, STURDY_WITHIN } from "../../../experiments/planners.ts";
import type { PlanPoint, PlansResult } from "../../../experiments/plans.ts";
import { reasonOf } from "../../../experiments/reason.ts";
import type { Counts } from "../../../experiments/runs.ts";
import type { Saving } from "../../../experiments/savings.ts";
import type { ScenarioResult } from "../../../experiments/scenario.ts";
import { isColaError } from "../../../src/errors.ts";

type Tables = typeof byOnes;

/** Wrong tables of D on labels: each breaks an identity. */
export const labelMutants: Readonly<Record<string, Tables>> = {
  "OT with a root": (n, desired) => {
    const right = byOnes(n, desired);
    return { ...right, OT: right.OT.map(Math.sqrt) };
  },
  "MMD with the kernel of half the width": (n, desired) => {
    const right = byOnes(n, desired);
    return { ...right, MMD: right.MeanD.map((d) => 2 * (1 - Math.exp(-0.5)) * d * d) };
  },
  "a median of three steps": (n, desired) => {
    const right = byOnes(n, desired);
    return { ...right, MedianD: right.MeanD.map((d) => Math.round(3 * d) / 3) };
  },
};

/** Wrong counts of a run: each differs from what the model says of the hybrids. */
export const countMutants: Readonly<Record<string, (right: Counts) => Counts>> = {
  "one edit late": ({ at, counts }) => ({
    at,
    counts: counts.map((run) => Uint16Array.from(run, (_, c) => run[Math.max(0, c - 1)]!)),
  }),
  "the end left out": ({ at, counts }) => ({
    at,
    counts: counts.map((run) => run.map((v, c) => (c === run.length - 1 ? run[0]! : v))),
  }),
};

/** Wrong benchmark tables, from right ones. */
export const benchmarkMutants: Readonly<Record<string, (right: BenchmarkResult) => BenchmarkResult>> = {
  "before and after exchanged": (right) => {
    const other = { "as generated": 1, "own pair + minimal": 0, "transport + minimal": 2 } as const;
    const stages = ["as generated", "own pair + minimal", "transport + minimal"] as const;
    return { ...right, rows: right.rows.map((row) => ({ ...row, stage: stages[other[row.stage]] })) };
  },
  "refined rows measured where they were": (right) =>
    changed(right, (of) => ({ ...of, redundancy: of.redundancy === null ? null : of.redundancy + 1 })),
  "rows without a plan counted as served": (right) =>
    changed(right, (of, stage) =>
      stage === "own pair + minimal" ? { ...of, validity: of.validity + 0.1 } : of,
    ),
  "a failure without its reason": (right) => ({
    ...right,
    rows: right.rows.map(({ why: _, ...row }) => row),
  }),
};

function changed(right: BenchmarkResult, change: (of: Measures, stage: string) => Measures): BenchmarkResult {
  const rows = right.rows.map((row) =>
    row.measures ? { ...row, measures: change(row.measures, row.stage) } : row,
  );
  return { ...right, rows };
}

/** Wrong savings, from right ones. */
export const savingsMutants: Readonly<Record<string, (right: Saving) => Saving>> = {
  "another draw of the sampling": (right) => ({ ...right, sampling: right.sampling! + 0.01 }),
  "edits counted as if references were free": (right) => ({ ...right, joint: right.joint! - 0.02 }),
  "a bound above what was found": (right) => ({ ...right, bound: right.joint! + 0.02 }),
};

/** Wrong sorters of errors: each keeps what must end the work, or ends it for what is a result. */
export const reasonMutants: Readonly<Record<string, typeof reasonOf>> = {
  "every error of ours is a reason": (error) => (isColaError(error) ? error.message : reasonOf(error)),
  "a defect is a reason": (error) => (error instanceof TypeError ? error.message : reasonOf(error)),
  "a model that cannot be fitted ends the work": (error) => {
    if (isColaError(error) && error.code === "FIT_FAILED") throw error;
    return reasonOf(error);
  },
};

type ContestRow = ContestResult["rows"][number];

/** Wrong counts of model rows, from right ones. */
export const modelRowMutants: Readonly<Record<string, (right: ContestResult) => ContestResult>> = {
  "the training rows charged for every target": (right) =>
    recounted(right, (row) =>
      row.name === "nice" && row.goal === "score" ? { ...row, modelRows: right.n * row.modelRows } : row,
    ),
  "what was read inside the model counted as nothing asked": (right) =>
    recounted(right, (row) => ({ ...row, blackBoxRows: row.modelRows })),
  "the first split without black boxes": (right) =>
    recounted(right, ({ blackBoxRows: _, ...row }) => row as ContestRow),
  "another run's number for those that never look": (right) =>
    recounted(right, (row) => (row.name === "nice" ? { ...row, blackBoxRows: row.modelRows + 1 } : row)),
};

function recounted(right: ContestResult, change: (row: ContestRow) => ContestRow): ContestResult {
  return { ...right, rows: right.rows.map(change) };
}

/** Wrong plans, from right ones. */
export const plansMutants: Readonly<Record<string, (right: PlansResult) => PlansResult>> = {
  "a plan of one edit more than the fewest": (right) =>
    moved(right, EXACT, ([edits, ...rest]) => [edits + 1, ...rest]),
  "more change than the least": (right) =>
    moved(right, EXACT, ([edits, change, ...rest]) => [edits, 9 + change, ...rest]),
  "a proof that does not come": (right) => ({
    ...right,
    found: right.found.map((of) => (of.method === EXACT ? { ...of, proven: 0 } : of)),
  }),
  "sturdy plans of any number of edits": (right) =>
    moved(right, STURDY_WITHIN, ([edits, ...rest]) => [edits + 5, ...rest]),
  "plans short of their score": (right) =>
    moved(right, "NICE", ([edits, change, , ...rest]) => [edits, change, -0.1, ...rest]),
};

function moved(right: PlansResult, method: string, change: (of: PlanPoint) => PlanPoint): PlansResult {
  const found = right.found.map((of) =>
    of.method === method ? { ...of, plans: of.plans.map((plan) => plan && change(plan)) } : of,
  );
  return { ...right, found };
}

/** Wrong rows of the table for plans over all values, from right ones. */
export const exactMutants: Readonly<Record<string, (right: ScenarioResult) => ScenarioResult>> = {
  "dearest rows first": (right) => exactRow(right, (edits) => edits + 0.5),
  "a row that flips without an edit": (right) => exactRow(right, (edits) => edits - 0.5),
};

function exactRow(right: ScenarioResult, change: (edits: number) => number): ScenarioResult {
  const methods = right.methods.map((method) =>
    method.method === "exact"
      ? { ...method, levels: method.levels.map((of) => ({ ...of, firstHit: change(of.firstHit!) })) }
      : method,
  );
  return { ...right, methods };
}
