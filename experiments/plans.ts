import { fitMetric, scaledRows } from "../src/data/metric.ts";
import { hasLevels } from "../src/data/schema.ts";
import { validity } from "../src/evaluate/validity.ts";
import { yNN } from "../src/evaluate/ynn.ts";
import { rowOf, takeRows } from "../src/num/matrix.ts";
import type { Matrix, Model, WorkOptions } from "../src/types.ts";
import { rounded } from "./curves.ts";
import { WANTED } from "./ground.ts";
import { surroundings, withoutGaps } from "./judge.ts";
import { EXACT, PLANNERS, type Planned, REFERENCE, STURDY, STURDY_ALL, STURDY_WITHIN } from "./planners.ts";
import { type Bench, openBench, type PlansOptions, type Retraining } from "./plans-setup.ts";
import type { Scenario } from "./settings.ts";

/** The axes, named before anybody runs. */
export const AXES = ["edits", "change", "margin", "yNN", "LOF", "survival"] as const;

/** A plan on these axes, in their order. */
export type PlanPoint = readonly [number, number, number, number, number, number];

/** The plans of one method that reach one score, row by row; null: without one at any score. */
export interface PlansOf {
  readonly method: string;
  readonly level: number;
  readonly plans: readonly (PlanPoint | null)[];
  /** Rows that have no plan at this score, and keep that of the highest below. */
  readonly kept: number;
  /** Rows whose plan is proven to have the fewest edits, and of those the least change. */
  readonly proven?: number;
}

/** Numbers that plans change, and those of them that need less than half of their move. */
interface Moves {
  readonly method: string;
  readonly numbers: number;
  readonly half: number;
}

export interface PlansResult {
  readonly scenario: string;
  readonly retraining: Retraining;
  readonly n: number;
  readonly also: number;
  readonly judges: number;
  readonly levels: readonly number[];
  /** Share of the models that put the rows themselves at the target. */
  readonly unplanned: number;
  readonly found: readonly PlansOf[];
  readonly moves: readonly Moves[];
}

/** Methods whose numbers are moved back to see how much of a move is needed. */
const MOVED = [EXACT, REFERENCE];

/** Every method at every score on one data set and model. */
export async function plans(
  scenario: Scenario,
  options: PlansOptions,
  work: WorkOptions = {},
): Promise<PlansResult> {
  const bench = await openBench(scenario, options, work);
  const { seed, levels, retraining, judges } = options;
  const made = new Map<string, Planned[][]>();
  const names = Object.keys(PLANNERS);
  for (const [t, name] of names.entries()) {
    const sturdy = name === STURDY || name === STURDY_ALL;
    if (sturdy && !bench.mean) continue;
    const own: Planned[][] = [];
    for (const [l, level] of levels.entries()) {
      work.onProgress?.({
        stage: scenario.id,
        done: t * levels.length + l,
        total: names.length * levels.length,
      });
      own.push(await PLANNERS[name]!(bench, level, seed, work));
    }
    made.set(name, own);
  }
  if (bench.mean) made.set(STURDY_WITHIN, await within(bench, bench.mean, made));
  const measure = await measurer(bench);
  const found: PlansOf[] = [];
  for (const [method, own] of made) {
    let held: Planned[] = own[0]!.map(() => null);
    for (const [l, level] of levels.entries()) {
      const now = own[l]!;
      const kept = now.filter((plan, i) => !plan && held[i]).length;
      held = now.map((plan, i) => plan ?? held[i]!);
      const proven = now.filter((plan) => plan?.proven).length;
      const told = method === EXACT || method === STURDY || method === STURDY_ALL ? { proven } : {};
      found.push({ method, level, plans: await measure(held), kept, ...told });
    }
  }
  const moves: Moves[] = [];
  for (const method of MOVED) moves.push({ method, ...(await moved(bench, made.get(method)![0]!)) });
  const unplanned = (await survivals(bench, bench.x)).reduce((sum, s) => sum + s, 0) / bench.x.rows;
  return {
    scenario: scenario.id,
    retraining,
    n: bench.x.rows,
    also: bench.also.length,
    judges,
    levels,
    unplanned: rounded(unplanned),
    found,
    moves,
  };
}

/** How many of a row's features a plan edits. */
function size({ constraints }: Bench, x: Float64Array, z: Float64Array): number {
  return constraints.schema.features.filter(
    ({ derived }, k) => !derived && !constraints.same(k, x[k]!, z[k]!),
  ).length;
}

/**
 * For every score that plans from reference values reach: among all plans of the exact searches the one that the model and
 * its retrainings like most in the mean, with at most as many edits.
 */
async function within(
  bench: Bench,
  mean: Model,
  made: ReadonlyMap<string, readonly Planned[][]>,
): Promise<Planned[][]> {
  const rows = Array.from({ length: bench.x.rows }, (_, i) => i);
  const offered = [EXACT, "near values", STURDY, STURDY_ALL].flatMap((name) => made.get(name)!);
  const liked: Float64Array[] = [];
  for (const plans of offered) {
    const z = stacked(bench, plans);
    liked.push(Float64Array.from(await mean.predict(z, 1)));
  }
  return made.get(REFERENCE)!.map((reference) =>
    rows.map((i): Planned => {
      const most = reference[i] ? size(bench, rowOf(bench.x, i), reference[i]!.z) : 0;
      let best: Planned = null;
      let score = Number.NEGATIVE_INFINITY;
      offered.forEach((plans, t) => {
        const plan = plans[i];
        if (!plan || !(liked[t]![i]! > score) || size(bench, rowOf(bench.x, i), plan.z) > most) return;
        best = { z: plan.z };
        score = liked[t]![i]!;
      });
      return best;
    }),
  );
}

/** The plans as rows; a row without one as it is. */
function stacked({ x }: Bench, plans: readonly Planned[]): Matrix {
  const z = { ...x, data: x.data.slice() };
  for (const [i, plan] of plans.entries()) if (plan) z.data.set(plan.z, i * x.cols);
  return z;
}

/** The share of the judges for which each row is at the target. */
async function survivals({ judges }: Bench, z: Matrix): Promise<Float64Array> {
  const shares = new Float64Array(z.rows);
  for (const judge of judges) {
    const { valid } = await validity(judge, z, WANTED);
    for (let i = 0; i < z.rows; i++) shares[i]! += valid[i]! / judges.length;
  }
  return shares;
}

/** Places plans on the axes; what all of them are measured against is made once. */
async function measurer(bench: Bench): Promise<(plans: readonly Planned[]) => Promise<(PlanPoint | null)[]>> {
  const { model, train, x, constraints } = bench;
  const metric = fitMetric(constraints.schema, train);
  const around = await surroundings({ model, metric, target: WANTED, train });
  return async (plans) => {
    const good = plans.flatMap((plan, i) => (plan ? [i] : []));
    if (good.length === 0) return plans.map(() => null);
    const z = takeRows(stacked(bench, plans), good);
    const placed = withoutGaps(scaledRows(metric, z));
    const { valid, margins } = await validity(model, z, WANTED);
    const near = (await yNN(placed, around.rows, around.valid)).rows;
    const odd = await around.lof(placed);
    const kept = await survivals(bench, z);
    const points: (PlanPoint | null)[] = plans.map(() => null);
    good.forEach((i, t) => {
      const [from, to] = [rowOf(x, i), rowOf(z, t)];
      if (!valid[t]) return;
      const own = [size(bench, from, to), bench.change(from, to), margins[t]!, near[t]!, odd[t]!, kept[t]!];
      points[i] = own.map(rounded) as unknown as PlanPoint;
    });
    return points;
  };
}

/** Values looked at along half of a move of a number without steps. */
const STOPS = 64;

/** Numbers that the plans change, and those that could stay nearer than halfway with the target still reached. */
async function moved(bench: Bench, plans: readonly Planned[]): Promise<Omit<Moves, "method">> {
  const { constraints, model, x } = bench;
  const { features } = constraints.schema;
  let [numbers, half] = [0, 0];
  for (const [i, plan] of plans.entries()) {
    if (!plan) continue;
    const from = rowOf(x, i);
    for (const [k, feature] of features.entries()) {
      const [a, b] = [from[k]!, plan.z[k]!];
      if (feature.derived || hasLevels(feature) || constraints.same(k, a, b)) continue;
      if (Number.isNaN(a) || Number.isNaN(b)) continue;
      numbers++;
      const stops = stopsOf(feature.kind === "integer", a, b).filter((v) => constraints.allows(k, a, v));
      if (stops.length === 0) continue;
      const tried = { data: new Float64Array(stops.length * x.cols), rows: stops.length, cols: x.cols };
      stops.forEach((v, t) => {
        tried.data.set(plan.z.with(k, v), t * x.cols);
      });
      const all = constraints.complete(tried);
      const legal = constraints.legal(all);
      const { valid } = await validity(model, all, WANTED);
      if (valid.some((yes, t) => yes === 1 && legal[t] === 1)) half++;
    }
  }
  return { numbers, half };
}

/** Values from a on, up to but without the middle between a and b; a itself too. */
function stopsOf(whole: boolean, a: number, b: number): number[] {
  const steps = whole ? Math.ceil(Math.abs(b - a) / 2) : STOPS;
  const by = whole ? Math.sign(b - a) : (b - a) / (2 * STOPS);
  return Array.from({ length: steps }, (_, t) => a + t * by).filter(
    (v) => Math.abs(v - a) < Math.abs(b - a) / 2,
  );
}
