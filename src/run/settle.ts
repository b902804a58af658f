import { squaredDistance } from "../data/metric.ts";
import { hasLevels } from "../data/schema.ts";
import { isLimit } from "../errors.ts";
import type { ExactOptions, ExactPlan, ExactSearch } from "../exact/contract.ts";
import { copyOf, rowOf } from "../num/matrix.ts";
import type { Refined } from "../refine/contract.ts";
import { alsoFoundOf, planned, type Searched, score } from "./exact.ts";
import type { Run } from "./run.ts";

/**
 * Plans of a coupling or policy whose edited values move back towards x as far as the target lets them, never farther
 * from x than q: of all rows between x and the plan that reach the target, the one of least change. An edit that moves
 * back to x itself is none.
 */
export async function settledPlans(run: Run, search: ExactSearch, refined: Refined): Promise<Searched> {
  const plans = new Map<number, ExactPlan>();
  const work = run.work.stage("exact");
  try {
    for (const [i, row] of refined.rows.entries()) {
      if (!row.valid || row.edits.length === 0) continue;
      const [x, z] = [rowOf(run.x, i), rowOf(refined.z, i)];
      const plan = await planned(search, x, { ...between(run, x, z), pulse: () => work.check() });
      if (plan) work.charge(plan.modelRows);
      if (plan?.outcome === "found" && plan.change < run.change(x, z)) plans.set(i, plan);
      if (work.due()) await work.pause(i + 1, refined.rows.length);
    }
  } catch (error) {
    if (!isLimit(error)) throw error;
  }
  return settledBy(run, refined, plans);
}

/** Rows between x and z: edited numbers on the way, levels as they are planned, everything else as in x. */
function between({ constraints }: Run, x: Float64Array, z: Float64Array): ExactOptions {
  const { features } = constraints.schema;
  const edited = features.map((_, k) => !constraints.same(k, x[k]!, z[k]!));
  return {
    objective: "change",
    among: features.map((feature, k) => {
      if (!edited[k]) return [];
      return hasLevels(feature) || Number.isNaN(x[k]! + z[k]!) ? [z[k]!] : undefined;
    }),
    within: (row) =>
      features.every((feature, k) => {
        if (feature.derived || Object.is(row[k], x[k]) || Object.is(row[k], z[k])) return true;
        return edited[k]! && (row[k]! - x[k]!) * (z[k]! - row[k]!) >= 0;
      }),
  };
}

async function settledBy(
  run: Run,
  refined: Refined,
  plans: ReadonlyMap<number, ExactPlan>,
): Promise<Searched> {
  const z = copyOf(refined.z);
  for (const [i, plan] of plans) z.data.set(plan.z, i * z.cols);
  const scored = await score(run, z, [...plans.keys()]);
  for (const i of plans.keys()) if (!scored.has(i)) z.data.set(rowOf(refined.z, i), i * z.cols);
  const rows = refined.rows.map((row, i) => {
    const [plan, answer] = [plans.get(i), scored.get(i)];
    if (!plan || !answer) return row;
    const edits = row.edits.filter((p) => plan.features.includes(run.players[p]!));
    const { proof, ...rest } = row;
    return {
      ...rest,
      ...answer,
      edits,
      distance: Math.sqrt(squaredDistance(run.metric, rowOf(run.x, i), plan.z)),
      cost: edits.reduce((sum, p) => sum + (run.moves.costs?.[p] ?? 1), 0),
      // A proof about the number of edits says nothing of one that has fewer.
      ...(proof && edits.length === row.edits.length ? { proof } : {}),
    };
  });
  const alsoFound = [...scored.keys()].map((i) => {
    const { ranges } = alsoFoundOf(run, plans.get(i)!);
    return [i, ranges ? { ranges } : {}] as const;
  });
  return { refined: { ...refined, z, rows }, alsoFound: new Map(alsoFound) };
}
