import { squaredDistance } from "../data/metric.ts";
import { decodeCell } from "../data/schema.ts";
import { isLimit } from "../errors.ts";
import type { ExactPlan } from "../exact/contract.ts";
import type { SafeValues } from "../explanation.ts";
import { scorerKernel } from "../model/scorer.ts";
import { shownScores } from "../model/target.ts";
import { effectOf } from "../num/divergence.ts";
import { copyOf, rowOf, takeRows } from "../num/matrix.ts";
import type { CurvePoint, Refined, RefinedRow } from "../refine/contract.ts";
import type { Matrix } from "../types.ts";
import type { Others } from "./alternatives.ts";
import type { Run } from "./run.ts";

/** Plans over all legal values in the place of those that borrow from references. */
export interface Least {
  readonly refined: Refined;
  /** Other plans, where they were asked for and the row has an exact one. */
  readonly others: ReadonlyMap<number, Others>;
  readonly ranges: ReadonlyMap<number, readonly SafeValues[]>;
}

/**
 * With `values: "least"` and a model that has bounds, each row gets the plan of fewest edits and least change over all
 * legal values, unless the plan it has is of fewer. Attributions are those of the coupling and do not follow the plan.
 * Where a limit runs out, the remaining rows keep the plans they have.
 */
export async function leastPlans(run: Run, refined: Refined): Promise<Least> {
  const plans = await exactPlans(run, refined);
  const z = copyOf(refined.z);
  for (const [i, plan] of plans) z.data.set(plan.z, i * z.cols);
  const scored = await score(run, z, [...plans.keys()]);
  const rows = refined.rows.map((row, i) => {
    const answer = scored.get(i);
    return answer ? told(run, row, plans.get(i)!, answer, i) : row;
  });
  const kept = [...plans].filter(([i]) => scored.has(i));
  for (const [i] of plans) if (!scored.has(i)) z.data.set(rowOf(refined.z, i), i * z.cols);
  return {
    refined: { ...refined, z, rows, curve: curveOf(rows) },
    others: new Map(kept.flatMap(([i, plan]) => (plan.menu ? [[i, othersOf(run, plan)]] : []))),
    ranges: new Map(kept.map(([i, plan]) => [i, rangesOf(run, plan)])),
  };
}

/** The plans that take the place of those there are. */
async function exactPlans(run: Run, { rows }: Refined): Promise<Map<number, ExactPlan>> {
  const plans = new Map<number, ExactPlan>();
  const search = run.exact();
  if (!search) return plans;
  const work = run.work.stage("exact");
  const menu = (run.input.alternatives ?? 0) > 0;
  const { effort } = run.input;
  try {
    for (const [i, row] of rows.entries()) {
      if (row.status === "model_error") continue;
      const plan = search.plan(rowOf(run.x, i), {
        menu,
        pulse: () => work.check(),
        ...(effort === undefined ? {} : { effort }),
      });
      work.charge(plan.modelRows);
      const edits = plan.features.length;
      const better = plan.outcome === "found" && edits > 0 && (!row.valid || edits <= row.edits.length);
      if (better) plans.set(i, plan);
      if (work.due()) await work.pause(i + 1, rows.length);
    }
  } catch (error) {
    if (!isLimit(error)) throw error;
  }
  return plans;
}

interface Answer {
  readonly after: number;
  readonly slack: number;
}

/** The model's answer for exactly the rows returned; those it fails on are left out. */
async function score(run: Run, z: Matrix, rows: readonly number[]): Promise<Map<number, Answer>> {
  const answers = new Map<number, Answer>();
  if (rows.length === 0) return answers;
  const asked = takeRows(z, rows);
  const ask = scorerKernel(run.model, run.work.stage("exact"));
  const scores: Float64Array[] = [];
  try {
    for (const output of run.reach.outputs) scores.push((await ask.scoreEach(asked, output)).scores);
  } catch (error) {
    if (!isLimit(error)) throw error;
    return answers;
  }
  const shown = shownScores(run.reach, scores);
  rows.forEach((i, t) => {
    const slack = run.reach.slack(scores, t);
    if (run.reach.reached(slack, minMargin(run))) answers.set(i, { after: shown[t]!, slack });
  });
  return answers;
}

const minMargin = ({ goal }: Run): number => (goal.kind === "each" ? (goal.minMargin ?? 0) : 0);

/** What is said of a row with an exact plan. */
function told(run: Run, row: RefinedRow, plan: ExactPlan, { after, slack }: Answer, i: number): RefinedRow {
  const { players, metric, moves } = run;
  const edits = plan.features.map((k) => players.indexOf(k));
  const { fewest, least } = plan;
  return {
    status: "ok",
    edits,
    before: row.before,
    after,
    slack,
    valid: true,
    distance: Math.sqrt(squaredDistance(metric, rowOf(run.x, i), plan.z)),
    cost: edits.reduce((sum, p) => sum + (moves.costs?.[p] ?? 1), 0),
    reference: -1,
    ...(fewest
      ? {
          proof: {
            claim: "optimal",
            edits: edits.length,
            scope: "model",
            ...(least ? { change: "least" } : {}),
          },
        }
      : {}),
  };
}

/** The share of rows short of the target after the plans of the first rows, smallest plans first. */
function curveOf(rows: readonly RefinedRow[]): CurvePoint[] {
  const sizes = rows
    .filter((row) => row.valid)
    .map((row) => row.edits.length)
    .sort((a, b) => a - b);
  const short = (edits: number): number => {
    let [left, done] = [edits, 0];
    for (const size of sizes) {
      if (size > left) break;
      left -= size;
      done++;
    }
    return (rows.length - done) / rows.length;
  };
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const start = short(0);
  return Array.from({ length: total + 1 }, (_, C) => ({ C, D: short(C), effect: effectOf(start, short(C)) }));
}

/** The other smallest sets of features with their plans of least change. */
function othersOf({ players, input }: Run, { menu = [], features }: ExactPlan): Others {
  const count = input.alternatives ?? 0;
  const own = features.join();
  const plans = menu
    .filter((way) => way.features.join() !== own)
    .slice(0, count)
    .map((way) => ({
      players: way.features.map((k) => players.indexOf(k)),
      reference: -1,
      slack: 0,
      z: way.z,
    }));
  return { plans, ...(plans.length < count ? { fewer: "not searched" } : {}) };
}

function rangesOf({ constraints }: Run, { ranges }: ExactPlan): SafeValues[] {
  return ranges.map(({ feature: k, from, to, open }) => {
    const feature = constraints.schema.features[k]!;
    return {
      feature: feature.name,
      from: decodeCell(feature, from),
      to: open ? null : decodeCell(feature, to),
    };
  });
}
