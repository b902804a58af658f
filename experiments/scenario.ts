import { joint } from "../src/match/joint.ts";
import { stream } from "../src/num/random.ts";
import { mean } from "../src/num/stats.ts";
import { refine } from "../src/refine/refine.ts";
import type { WorkOptions } from "../src/types.ts";
import { byOnes, type Curve, curveOf, type LevelResult, levelsOf, rounded } from "./curves.ts";
import { exactCounts } from "./exact-counts.ts";
import { LEVELS, OWN_METHODS, type OwnMethod, PAPER_METHODS, type PaperMethod } from "./methods.ts";
import { Proposals } from "./propose.ts";
import { reasonOf } from "./reason.ts";
import { type Counts, sampleRuns } from "./runs.ts";
import { DATA, PRESETS, type PresetName, type Scenario, type Switches } from "./settings.ts";
import { differences, type RunOptions, type Setup, setUp } from "./setup.ts";

export interface MethodResult {
  readonly method: string;
  readonly ours: boolean;
  /** Why there is no result. */
  readonly why?: string;
  readonly curve?: Curve;
  readonly levels: readonly LevelResult[];
}

/** Everything one scenario came to; the same bytes for the same options, whoever computes it. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly data: string;
  readonly model: string;
  readonly generator: string;
  readonly preset: PresetName;
  readonly seed: number;
  readonly runs: number;
  readonly split: number;
  readonly draw: number;
  /** Why the scenario makes no sense or cannot be run; there are no methods then. */
  readonly why?: string;
  readonly n: number;
  readonly m: number;
  readonly d: number;
  readonly accuracy: number;
  /** D at C = 0 (OT on labels), and columns that differ between x and r, by any pair and by transport. */
  readonly start: number;
  readonly unaligned: number;
  readonly aligned: number;
  readonly notes: readonly string[];
  readonly methods: readonly MethodResult[];
}

/** One scenario: model, factuals, counterfactuals, couplings, attributions, runs, curves. */
export async function runScenario(
  scenario: Scenario,
  options: RunOptions,
  work: WorkOptions = {},
): Promise<ScenarioResult> {
  const { preset, seed, runs, split = 0, draw = 0 } = options;
  const { data, model, generator } = scenario;
  const head = { scenario: scenario.id, data, model, generator, preset, seed, runs, split, draw };
  try {
    const setup = await setUp(scenario, options, work);
    return { ...head, ...(await measured(scenario, setup, options, work)) };
  } catch (error) {
    const none = {
      n: 0,
      m: 0,
      d: 0,
      accuracy: 0,
      start: 0,
      unaligned: 0,
      aligned: 0,
      notes: [],
      methods: [],
    };
    return { ...head, why: reasonOf(error), ...none };
  }
}

async function measured(scenario: Scenario, setup: Setup, options: RunOptions, work: WorkOptions) {
  const { preset, seed, runs, split = 0, draw = 0 } = options;
  const switches = PRESETS[preset];
  const random = stream(seed, "methods", scenario.id, preset, split, draw);
  const proposals = new Proposals(setup, switches, switches.value[scenario.data], random, work);
  const table = byOnes(setup.x.rows, setup.fr);
  const grid = gridOf(scenario, setup);
  const methods: MethodResult[] = [];
  const total = PAPER_METHODS.length + OWN_METHODS.length;
  const add = async (name: string, ours: boolean, make: () => Promise<Measured>) => {
    work.onProgress?.({ stage: scenario.id, done: methods.length, total });
    const missing = (error: unknown) => ({ why: reasonOf(error), levels: [] });
    methods.push({ method: name, ours, ...(await make().catch(missing)) });
  };
  for (const method of PAPER_METHODS) {
    await add(method.name, false, async () => {
      const { q, phi } = await proposals.proposal(method);
      const counts = await sampleRuns(setup.model, setup.x, q, phi, switches, grid, runs, random);
      return summary(counts, table, setup, switches);
    });
  }
  for (const method of OWN_METHODS) {
    await add(method.name, true, async () => {
      if (method.coupling === "joint") return jointly(method.policy, setup, switches, work);
      const counts =
        method.coupling === "none"
          ? await exactCounts(setup, work)
          : await chosen(method.policy, setup, proposals, work);
      return summary(counts, table, setup, switches);
    });
  }
  const ones = setup.fx.reduce((sum, label) => sum + label, 0);
  const { x, r } = setup;
  return {
    n: x.rows,
    m: r.rows,
    d: x.cols,
    accuracy: rounded(setup.accuracy),
    start: rounded(table.OT[ones]!),
    unaligned: rounded(setup.unaligned),
    aligned: rounded(await alignedDifferences(setup, proposals)),
    notes: setup.notes,
    methods,
  };
}

type Policy = Exclude<OwnMethod, { coupling: "none" }>["policy"];
type Measured = Required<Pick<MethodResult, "curve" | "levels">>;

function summary(
  counts: Counts,
  table: ReturnType<typeof byOnes>,
  { x }: Setup,
  { multiplier }: Switches,
): Measured {
  return {
    curve: curveOf(counts, table, multiplier),
    levels: levelsOf(counts, table.OT, x.rows, multiplier),
  };
}

/** 0, step, 2·step, … to the last cell. */
export function gridOf({ data }: Scenario, { x }: Setup): Int32Array {
  const { step } = DATA[data];
  const last = x.rows * x.cols;
  const count = Math.ceil(last / step);
  return Int32Array.from({ length: count + 1 }, (_, t) => Math.min(last, t * step));
}

/** The curve of one of our policies on the proposal of CF-p_OT, as counts of a single run. */
async function chosen(
  policy: Policy,
  { model, x, fr, fx }: Setup,
  proposals: Proposals,
  work: WorkOptions,
): Promise<Counts> {
  const { q, phi } = await proposals.proposal({ coupling: "transport", shapley: "CF" } satisfies Omit<
    PaperMethod,
    "name"
  >);
  const goal = { kind: "group", divergence: "mean", on: "label", level: 1 } as const;
  const signal = work.signal ? { signal: work.signal } : {};
  const { curve } = await refine({
    model,
    x,
    q,
    attribution: phi,
    goal,
    desired: fr,
    policy,
    stop: "budget",
    prune: false,
    ...signal,
  });
  return {
    at: Int32Array.from(curve, ({ C }) => C),
    counts: [Uint16Array.from(curve, ({ D }) => onesAt(D, fx, fr))],
  };
}

/**
 * Reference and edits chosen together, one to one, no row farther from x than its transport proposal: the edits
 * each level needs, and the curve of the optimum over the references chosen for the whole effect.
 */
async function jointly(
  policy: Policy,
  setup: Setup,
  switches: Switches,
  work: WorkOptions,
): Promise<Measured> {
  const { model, x, r, fx, fr } = setup;
  const signal = work.signal ? { signal: work.signal } : {};
  const goal = { kind: "group", divergence: "mean", on: "label", desired: fr } as const;
  const levels: LevelResult[] = [];
  let q = r;
  for (const level of LEVELS) {
    const found = await joint(model, x, r, { goal: { ...goal, level }, ...signal });
    const edits = found.reached ? rounded(found.value / x.rows) : null;
    const half = found.reached ? 0 : null;
    levels.push({ level, firstHit: edits, half, reached: Number(found.reached), meanCurve: edits });
    q = found.q;
  }
  const { curve } = await refine({ model, x, q, goal, desired: fr, policy, stop: "budget", ...signal });
  const counts = {
    at: Int32Array.from(curve, ({ C }) => C),
    counts: [Uint16Array.from(curve, ({ D }) => onesAt(D, fx, fr))],
  };
  return { curve: curveOf(counts, byOnes(x.rows, fr), switches.multiplier), levels };
}

/** The number of ones whose mean is D from that of y*: of the two, the whole one; on the side of x if both are. */
function onesAt(D: number, fx: Float64Array, fr: Float64Array): number {
  const n = fx.length;
  const target = mean(fr);
  const side = mean(fx) >= target ? 1 : -1;
  const [near, far] = [n * (target + side * D), n * (target - side * D)];
  const off = (v: number): number => Math.abs(v - Math.round(v));
  return Math.round(off(near) <= off(far) + 1e-6 && near >= -1e-6 && near <= n + 1e-6 ? near : far);
}

/** Mean number of columns in which a row and its transport partner differ, weighed by the plan. */
async function alignedDifferences({ x, r }: Setup, proposals: Proposals): Promise<number> {
  const { rows, cols, mass } = await proposals.coupling("transport");
  let sum = 0;
  for (let e = 0; e < mass.length; e++) {
    const [i, j] = [rows[e]!, cols[e]!];
    sum +=
      mass[e]! *
      differences(
        x.data.subarray(i * x.cols, (i + 1) * x.cols),
        r.data.subarray(j * r.cols, (j + 1) * r.cols),
      );
  }
  return sum;
}
