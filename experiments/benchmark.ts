import { ColaError } from "../src/errors.ts";
import { type GeneratorName, generate, generators } from "../src/generate/registry.ts";
import { rowOf, takeRows } from "../src/num/matrix.ts";
import { stream } from "../src/num/random.ts";
import { refine } from "../src/refine/refine.ts";
import { openRun } from "../src/run/open.ts";
import { propose } from "../src/run/propose.ts";
import type { Matrix, WorkOptions } from "../src/types.ts";
import { type Arena, openArena } from "./contest-setup.ts";
import { type Measures, measurer } from "./measure.ts";
import { reasonOf } from "./reason.ts";
import type { Scenario } from "./settings.ts";

/** The generator's own rows, and refined to the fewest edits from the row's own counterfactual or its transport partner. */
export const STAGES = ["as generated", "own pair + minimal", "transport + minimal"] as const;
export type Stage = (typeof STAGES)[number];

/** Every generator of the registry. */
export const BENCHMARKED = Object.keys(generators) as GeneratorName[];

/** Rows the model may score for one factual row, what a method asks for the whole group included. */
const ROW_LIMIT = 20_000;

export interface BenchmarkRow {
  readonly generator: GeneratorName;
  readonly stage: Stage;
  readonly measures?: Measures;
  /** Why there are none. */
  readonly why?: string;
}

export interface BenchmarkResult {
  readonly scenario: string;
  readonly data: string;
  readonly model: string;
  readonly n: number;
  readonly rows: readonly BenchmarkRow[];
}

/** CPU seconds per factual row, one per row of the result; for refined rows, of the refinement alone. */
export type Times = readonly (number | null)[];

interface BenchmarkOptions {
  readonly folder: string;
  readonly seed: number;
  /** Factual rows. */
  readonly rows: number;
}

/** Every generator on one data set and model, before and after refinement; times are kept apart. */
export async function benchmark(
  scenario: Scenario,
  options: BenchmarkOptions,
  work: WorkOptions = {},
): Promise<{ result: BenchmarkResult; times: Times }> {
  const arena = await openArena(scenario, { ...options, split: 0, direction: "wanted", retrains: 0 }, work);
  const measure = await measurer(arena);
  const rows: BenchmarkRow[] = [];
  const times: (number | null)[] = [];
  for (const [done, generator] of BENCHMARKED.entries()) {
    work.onProgress?.({ stage: scenario.id, done, total: BENCHMARKED.length });
    for (const { stage, why, made } of await ofGenerator(generator, arena, options.seed, work)) {
      const measures = made && (await measure(made.value.z, made.value.evaluations));
      rows.push({ generator, stage, ...(measures ? { measures } : { why: why! }) });
      times.push(made ? made.seconds / arena.x.rows : null);
    }
  }
  const { id, data, model } = scenario;
  return { result: { scenario: id, data, model, n: arena.x.rows, rows }, times };
}

/** A stage's rows, or why there are none. */
interface Attempt {
  readonly stage: Stage;
  readonly made?: Clocked;
  readonly why?: string;
}

async function ofGenerator(
  generator: GeneratorName,
  arena: Arena,
  seed: number,
  work: WorkOptions,
): Promise<Attempt[]> {
  try {
    const made = await timed(() => generated(generator, arena, seed, work));
    const towards = (coupling: "exact" | "transport") =>
      timed(() => refined(coupling, arena, made.value, seed, work));
    return [
      { stage: "as generated", made },
      { stage: "own pair + minimal", made: await towards("exact") },
      { stage: "transport + minimal", made: await towards("transport") },
    ];
  } catch (error) {
    // A generator that needs a gradient refuses models without one.
    const why = reasonOf(error, ["OPTION_INVALID"]);
    return STAGES.map((stage) => ({ stage, why }));
  }
}

/** One row for every row of x, itself where there is none. */
interface Rows {
  readonly z: Matrix;
  readonly served: readonly number[];
  readonly evaluations: number;
}

interface Clocked {
  readonly value: Rows;
  readonly seconds: number;
}

async function timed(make: () => Promise<Rows>): Promise<Clocked> {
  const start = process.cpuUsage();
  const value = await make();
  const { user, system } = process.cpuUsage(start);
  return { value, seconds: (user + system) / 1e6 };
}

/** The first counterfactual of every row that has one. */
async function generated(
  name: GeneratorName,
  arena: Arena,
  seed: number,
  { signal }: WorkOptions,
): Promise<Rows> {
  const { model, x, train, constraints, target } = arena;
  const task = { model, x, references: train, constraints, target };
  const limits = { modelRows: ROW_LIMIT * x.rows + train.rows };
  const random = stream(seed, "benchmark", name);
  const made = await generate(name as string, task, { limits, ...(signal ? { signal } : {}) }, random);
  const first = new Map<number, number>();
  for (const [j, i] of (made.pairs ?? []).entries()) if (!first.has(i)) first.set(i, j);
  if (first.size === 0) {
    const why = made.report.reasons.find((reason) => reason !== "");
    throw new ColaError("INPUT_EMPTY", why ?? "it made no counterfactual");
  }
  const z = { ...x, data: x.data.slice() };
  for (const [i, j] of first) z.data.set(rowOf(made.rows, j), i * z.cols);
  return { z, served: [...first.keys()].sort((a, b) => a - b), evaluations: made.report.evaluations };
}

/** Fewest edits from x towards the generator's rows: each its own, or by transport among them. */
async function refined(
  coupling: "exact" | "transport",
  { model, x, train, constraints, target }: Arena,
  { z: made, served }: Rows,
  seed: number,
  { signal }: WorkOptions,
): Promise<Rows> {
  const run = openRun({
    model,
    x: takeRows(x, served),
    references: takeRows(made, served),
    pairs: served.map((_, t) => t),
    training: train,
    schema: constraints.schema,
    goal: { kind: "each", target },
    coupling,
    seed,
    ...(signal ? { signal } : {}),
  });
  const { q } = await propose(run);
  const { goal, policy } = run;
  const better = await refine({
    ...run.moves,
    model,
    x: run.x,
    q,
    goal,
    policy,
    prune: true,
    seed,
  });
  const z = { ...x, data: x.data.slice() };
  for (const [t, i] of served.entries()) z.data.set(rowOf(better.z, t), i * z.cols);
  return { z, served, evaluations: better.evaluations };
}
