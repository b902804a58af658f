import { averageRows } from "../compose/average.ts";
import { snap } from "../compose/snap.ts";
import { likeliest } from "../couple/likeliest.ts";
import { type Coupler, couplers } from "../couple/registry.ts";
import { onePartner } from "../couple/rows.ts";
import { evenTransport } from "../couple/transport.ts";
import type { Constraints } from "../data/constraints.ts";
import { embed, metricCost, scaledRows } from "../data/metric.ts";
import { type ColaError, checkOption, isLimit } from "../errors.ts";
import { bestKernel, type Match } from "../match/best.ts";
import { jointKernel } from "../match/joint.ts";
import { sortedCost, sortedTables, unsorted } from "../match/sorted.ts";
import { takeRows } from "../num/matrix.ts";
import { rowKeys, stream } from "../num/random.ts";
import type { Cost, Coupling, Goal, Matrix } from "../types.ts";
import type { Run } from "./contract.ts";
import { given } from "./plain.ts";
import { neededLater, stageOptions } from "./run.ts";

/** p, the references as each row may use them, and q. */
export interface Proposal {
  /** One row per entry of the coupling: the reference as a legal edit of its factual row. */
  readonly references?: Matrix;
  /** The coupling between x and `references`. */
  readonly spread?: Coupling;
  readonly q: Matrix;
  /** Index of the reference q was taken from; −1 for averages. */
  readonly source: Int32Array;
  /** q is not all of that reference: what is proven of mixtures with q is not proven of the reference. */
  readonly partly?: boolean;
  /** What `match` found, or `joint` for the goal `each`, where it was asked. */
  readonly matches?: readonly Match[];
  /** The limit that ran out before there was a coupling: q is x. */
  readonly stopped?: ColaError;
}

/** Lines 2 and 5 of Algorithm 1: couple (or match), then compose. */
export async function propose(run: Run): Promise<Proposal> {
  try {
    return compose(run, await aligned(run));
  } catch (error) {
    if (!isLimit(error) || error.code === "LIMIT_BYTES") throw error;
    return { q: run.x, source: new Int32Array(run.x.rows).fill(-1), stopped: error };
  }
}

/**
 * q_i, from the conditionals p(j|i) = p_ij / Σ_j p_ij. `most-likely`: q_i = s_i(r_τ(i)) with τ(i) = argmax_j p(j|i), ties
 * to the nearest reference. `average`: q_i = s_i(Σ_j p(j|i) s_i(r_j)) for numbers, the level of largest Σ_j p(j|i) for
 * the others. s_i keeps x_i's value wherever the constraints do not let row i take the reference's, so that q_i, and
 * every mixture of x_i and q_i, holds them cell by cell. `match` and `joint` give each row one partner: p(j|i) is 0 or 1.
 */
function compose(run: Run, { coupling, matches, proposed }: Aligned): Proposal {
  const { x, r, constraints } = run;
  const references = snap(constraints, takeRows(x, coupling.rows), takeRows(r, coupling.cols));
  const entries = coupling.rows.length;
  const spread = { ...coupling, m: entries, cols: Int32Array.from({ length: entries }, (_, e) => e) };
  if (run.input.value === "average" && !proposed) {
    const mean = averageRows(spread, references, constraints.schema);
    const source = new Int32Array(x.rows).fill(-1);
    return { references, spread, q: snap(constraints, x, mean), source };
  }
  const source = likeliest(coupling, run.coupling === "match" ? undefined : metricCost(run.metric, x, r));
  const q = snap(constraints, x, proposed ?? takeRows(r, source));
  return { references, spread, q, source, partly: proposed !== undefined, ...(matches ? { matches } : {}) };
}

interface Aligned {
  readonly coupling: Coupling;
  readonly matches?: readonly Match[];
  /** What the coupling itself proposes, where that is not the references as they are. */
  readonly proposed?: Matrix;
}

async function aligned(run: Run): Promise<Aligned> {
  if (run.coupler) return { coupling: await coupled(run, run.coupler) };
  if (run.coupling === "joint") return jointly(run);
  const matches = await matched(run);
  const partners = Int32Array.from(matches, (m) => Math.max(0, m.reference));
  return { coupling: onePartner("match", run.r.rows, partners), matches };
}

/** Reference and edits chosen together; a group goal by MeanD, the divergence the joint coupling knows. */
async function jointly(run: Run): Promise<Aligned> {
  const { goal, input } = run;
  const { reuse, capped } = input;
  const other = goal.kind === "group" && (goal.on !== "label" || goal.divergence === "median");
  const aim: Goal = other ? { ...goal, divergence: "mean" } : goal;
  const { coupling, plans, q } = await jointKernel(run.model, run.x, run.r, run.reach, {
    ...stageOptions(run, neededLater(run)),
    ...run.moves,
    goal: aim,
    cost: metricCost(run.metric, run.x, run.r),
    ...given({
      candidates: input.candidates,
      perRow: input.budget?.perRow,
      mode: typeof reuse === "number" ? { capacity: reuse } : reuse,
      cap: capped === undefined ? undefined : capped ? "transport" : "none",
    }),
  });
  // Mixtures with q are within the cap, those with the whole reference need not be.
  if (goal.kind === "group" || capped) return { coupling, proposed: q };
  return {
    coupling,
    proposed: q,
    matches: plans.map((plan) => ({ ...plan, candidates: [plan.reference] })),
  };
}

async function coupled(run: Run, coupler: Coupler): Promise<Coupling> {
  const { x, r, metric, input, good } = run;
  const cost = metricCost(metric, x, r);
  if (coupler === couplers.transport) return inContentOrder(run, cost);
  const points = embed(metric, [x, r]) ?? [scaledRows(metric, x), scaledRows(metric, r)];
  // Without pairs, reference j is that of row j of the call, whatever the rows before it are.
  const pairs = partnersOf(input.pairs ?? Int32Array.from({ length: r.rows }, (_, j) => j), good);
  const coupling = await coupler.couple({
    ...stageOptions(run),
    x: points[0]!,
    r: points[1]!,
    cost,
    random: stream(run.seed, "couple"),
    keys: keysOf(run),
    pairs,
    ...given({ epsilon: input.epsilon, bins: input.bins }),
  });
  const ok = coupling.n === x.rows && coupling.m === r.rows;
  checkOption(
    ok,
    "explain",
    `coupling ${run.coupling}`,
    `${x.rows} × ${r.rows}`,
    `${coupling.n} × ${coupling.m}`,
  );
  return coupling;
}

/** Transport between the rows in the order of all their cells: rows that the metric holds equal need not be. */
async function inContentOrder(run: Run, cost: Cost): Promise<Coupling> {
  const sorted = sortedTables(run.x, run.r);
  const plan = await evenTransport(sortedCost(cost, sorted), stageOptions(run));
  return unsorted(plan, sorted);
}

/** [row among the good ones, reference] for every known pair. */
function partnersOf(pairs: ArrayLike<number>, good: readonly number[]): [number, number][] {
  const place = new Map(good.map((row, i) => [row, i]));
  return Array.from(pairs, (row, j): [number, number] => [place.get(row) ?? -1, j]).filter(([i]) => i >= 0);
}

/** Keys of the rows' random streams: their ids, else content and occurrence. */
export function keysOf({ input, good, x }: Run): string[] {
  const { ids } = input;
  return ids ? good.map((i) => `id ${String(ids[i])}`) : rowKeys(x);
}

async function matched(run: Run): Promise<readonly Match[]> {
  const among = run.good.map((row) => Array.from(run.own(row)));
  const found = await matchRows(run, run.x, among);
  if (run.input.candidates !== undefined || run.r.rows <= DEFAULT_CANDIDATES) return found;
  const stuck = found.flatMap((match, i) =>
    match.status === "infeasible" && among[i]!.length === 0 ? [i] : [],
  );
  if (stuck.length === 0) return found;
  const wide = await matchRows(
    run,
    takeRows(run.x, stuck),
    stuck.map(() => []),
    { candidates: WIDE_CANDIDATES },
  );
  const again = new Map(stuck.map((i, at) => [i, wide[at]!]));
  return found.map((match, i) => again.get(i) ?? match);
}

/** References searched for a row, and for a row that has no plan among those. */
const DEFAULT_CANDIDATES = 32;
const WIDE_CANDIDATES = 1024;

/** The fewest edits of some rows, from the references named for each, else from its nearest. */
export function matchRows(
  run: Run,
  x: Matrix,
  among: readonly (readonly number[])[],
  extra: {
    readonly allowed?: ArrayLike<number>;
    readonly allows?: Constraints["allows"];
    readonly candidates?: number;
  } = {},
): Promise<Match[]> {
  const { goal, input, r } = run;
  const minMargin = goal.kind === "each" ? goal.minMargin : undefined;
  return bestKernel(run.model, x, r, run.rowReach(), {
    ...stageOptions(run, neededLater(run)),
    ...run.moves,
    among,
    order: run.order,
    cost: metricCost(run.metric, x, r),
    ...given({ candidates: input.candidates, maxEdits: input.budget?.perRow, minMargin }),
    ...extra,
  });
}
