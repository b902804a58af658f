import { encodeCell } from "../src/data/schema.ts";
import type { Explanation } from "../src/explanation.ts";
import { type GeneratorName, generate } from "../src/generate/registry.ts";
import { exactSearch } from "../src/model/exact-search.ts";
import { reachOf } from "../src/model/target.ts";
import { rowOf, takeRows } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import { type ExplainInput, open } from "../src/run/open.ts";
import type { ExactQuestion, Target, WorkOptions } from "../src/types.ts";
import { WANTED } from "./ground.ts";
import type { Bench } from "./plans-setup.ts";
import { stopIfAborted } from "./queue.ts";

/** A row's plan, what is proven of it, and null for a row without one. */
export type Planned = { readonly z: Float64Array; readonly proven?: boolean } | null;

/** Plans that reach a score; those of the least score are what people get who ask for nothing else. */
type Planner = (bench: Bench, level: number, seed: number, work: WorkOptions) => Promise<Planned[]>;

export const EXACT = "exact";
export const REFERENCE = "reference values";
/** Sturdy plans, of fewest edits: every retrained model puts them at the target, or the mean of all margins does. */
export const STURDY_ALL = "sturdy, all agree";
export const STURDY = "sturdy, in the mean";
/** The sturdiest of these plans, by the same mean, with no more edits than the plan from reference values has. */
export const STURDY_WITHIN = "sturdy, within the edits of reference values";

/** Every method but the last, which is made of the others' plans; sturdy ones for trees alone. */
export const PLANNERS: Readonly<Record<string, Planner>> = {
  [EXACT]: (bench, level, seed, work) => explained(bench, level, seed, work, beyond(level)),
  "near values": (bench, level, seed, work) =>
    explained(bench, level, seed, work, { ...beyond(level), values: "near" }),
  [REFERENCE]: (bench, level, seed, work) =>
    explained(bench, level, seed, work, { ...FEW, values: "reference" }),
  "transport + minimal": (bench, level, seed, work) =>
    explained(ownNeighbours(bench), level, seed, work, {
      ...FEW,
      coupling: "transport",
      policy: "minimal",
      values: "reference",
    }),
  "joint + minimal": (bench, level, seed, work) =>
    explained(ownNeighbours(bench), level, seed, work, {
      ...FEW,
      coupling: "joint",
      values: "reference",
    }),
  NICE: (bench, level, seed, work) => generated("nice", bench, level, seed, work),
  "DiCE, post-hoc sparsity": (bench, level, seed, work) => generated("dice-random", bench, level, seed, work),
  direct: (bench, level, seed, work) => generated("direct", bench, level, seed, work),
  [STURDY_ALL]: (bench, level, _seed, work) => (level === 0.5 ? sturdy(bench, level, work) : nothing(bench)),
  [STURDY]: (bench, level, _seed, work) => inTheMean(bench, level, work),
};

/** The wanted class, or at least so high a score of it. */
const targetAt = (level: number): Target => (level === 0.5 ? WANTED : { output: 1, min: level });

/** Reasons do not change these plans, so that few rows are asked for them. */
const FEW = { attribution: { maxEvaluations: 66, tolerance: 1 } } as const;

/** Past the least score what is searched for one row has a limit, and reasons are left out. */
const beyond = (level: number): Pick<ExplainInput, "only" | "effort"> =>
  level === 0.5 ? {} : { only: "plans", effort: 512 };

/** Rows the model may score for one row of a reference-free search. */
const ROW_LIMIT = 20_000;

/** The plans of `explain` with the options given and all others as they are. */
async function explained(
  { model, x, references, pairs, train, constraints }: Bench,
  level: number,
  seed: number,
  { signal }: WorkOptions,
  options: Pick<ExplainInput, "values" | "coupling" | "policy" | "only" | "effort" | "attribution">,
): Promise<Planned[]> {
  const { schema } = constraints;
  const goal = { kind: "each", target: targetAt(level) } as const;
  const study = open({ model, references, schema, training: train }, { ...options, goal, seed });
  const found = await study.ask({ x, pairs }, signal ? { signal } : {});
  return found.rows.map((row) => (row.valid ? planOf(found, row, rowOf(x, row.row)) : null));
}

function planOf({ schema }: Explanation, row: Explanation["rows"][number], x: Float64Array): Planned {
  const z = x.slice();
  for (const { feature, to } of row.edits) {
    const k = schema.features.findIndex(({ name }) => name === feature);
    z[k] = encodeCell(schema.features[k]!, to, row.row);
  }
  const { proof } = row;
  const proven = proof?.claim === "optimal" && proof.scope === "model" && proof.change === "least";
  return { z, proven };
}

/** One reference for each row that has any, the nearest, as the paper's couplings take them. */
function ownNeighbours(bench: Bench): Bench {
  const { pairs, references } = bench;
  const first = new Map<number, number>();
  Array.from(pairs).forEach((i, j) => {
    if (!first.has(i)) first.set(i, j);
  });
  return {
    ...bench,
    references: takeRows(references, [...first.values()]),
    pairs: [...first.keys()],
  };
}

/** The first counterfactual of a generator for each row. */
async function generated(
  name: GeneratorName,
  { model, x, train, constraints }: Bench,
  level: number,
  seed: number,
  { signal }: WorkOptions,
): Promise<Planned[]> {
  const task = { model, x, references: train, constraints, target: targetAt(level) };
  const limits = { modelRows: ROW_LIMIT * x.rows + train.rows };
  const random = stream(seed, "plans", name);
  const made = await generate(name as string, task, { limits, ...(signal ? { signal } : {}) }, random);
  const plans: Planned[] = Array.from({ length: x.rows }, () => null);
  for (const [j, i] of made.pairs!.entries()) plans[i] ??= { z: rowOf(made.rows, j) };
  return plans;
}

/** Leaves looked at for one sturdy plan, before the search settles for what it has. */
const EFFORT = 2 ** 24;

const nothing = async ({ x }: Bench): Promise<Planned[]> => Array.from({ length: x.rows }, () => null);

/** The plan of fewest edits and least change that the model and its retrainings all put there. */
function sturdy(bench: Bench, level: number, work: WorkOptions): Promise<Planned[]> {
  const others = bench.also.map((model) => ({ model, reach: reachOf(model, targetAt(level)) }));
  return searched(bench, others, work);
}

/** The same of plans that the model puts at the target, and the mean of its and their margins at the level. */
function inTheMean(bench: Bench, level: number, work: WorkOptions): Promise<Planned[]> {
  if (!bench.mean) return nothing(bench);
  return searched(bench, [{ model: bench.mean, reach: reachOf(bench.mean, targetAt(level)) }], work);
}

async function searched(
  bench: Bench,
  also: NonNullable<ExactQuestion["also"]>,
  { signal }: WorkOptions,
): Promise<Planned[]> {
  const { model, constraints, train, x } = bench;
  const reach = reachOf(model, WANTED);
  const search = also.length > 0 && exactSearch({ model, constraints, reach, table: train, also });
  if (!search) return nothing(bench);
  const plans: Planned[] = [];
  for (let i = 0; i < x.rows; i++) {
    stopIfAborted(signal ? { signal } : {});
    const row = rowOf(x, i);
    const found = search.plan(row, { effort: EFFORT });
    const { outcome, z, fewest, least } = search.written?.(found, row) ?? found;
    plans.push(outcome === "found" ? { z, proven: fewest && least } : null);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return plans;
}
