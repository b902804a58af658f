import { joint } from "../src/match/joint.ts";
import { stream } from "../src/num/random.ts";
import type { WorkOptions } from "../src/types.ts";
import { byOnes, levelsOf, rounded } from "./curves.ts";
import { Proposals } from "./propose.ts";
import { reasonOf } from "./reason.ts";
import { sampleRuns } from "./runs.ts";
import { gridOf } from "./scenario.ts";
import { PRESETS, type Scenario } from "./settings.ts";
import { type RunOptions, setUp } from "./setup.ts";

/** Edits per row that 80 % of MeanD on labels takes, by the paper's sampling and by the joint choice. */
export interface Saving {
  readonly scenario: string;
  /** Why there is none. */
  readonly why?: string;
  readonly n?: number;
  /** CF-p_OT, first-hit, mean over the runs that reach the level, and the share of runs that do. */
  readonly sampling?: number;
  readonly reached?: number;
  /** One-to-one, no row farther than its transport proposal; and what no such coupling can undercut. */
  readonly joint?: number;
  readonly bound?: number;
}

export const LEVEL = 0.8;
/** References looked at for a row where the model is slow to ask: a Gaussian process. */
const FEW = 4;

/** One scenario; the factual rows, references and draws are those of the modification table. */
export async function saving(scenario: Scenario, options: RunOptions, work: WorkOptions): Promise<Saving> {
  try {
    return { scenario: scenario.id, ...(await measured(scenario, options, work)) };
  } catch (error) {
    return { scenario: scenario.id, why: reasonOf(error) };
  }
}

async function measured(
  scenario: Scenario,
  options: RunOptions,
  work: WorkOptions,
): Promise<Omit<Saving, "scenario">> {
  const { preset, seed, runs, split = 0, draw = 0 } = options;
  const switches = PRESETS[preset];
  const signal = work.signal ? { signal: work.signal } : {};
  const setup = await setUp(scenario, options, signal);
  const { model, x, r, fr } = setup;
  const random = stream(seed, "methods", scenario.id, preset, split, draw);
  const proposals = new Proposals(setup, switches, switches.value[scenario.data], random, signal);
  const { q, phi } = await proposals.proposal({ coupling: "transport", shapley: "CF" });
  const counts = await sampleRuns(model, x, q, phi, switches, gridOf(scenario, setup), runs, random);
  const levels = levelsOf(counts, byOnes(x.rows, fr).OT, x.rows, switches.multiplier);
  const { firstHit: sampling, reached } = levels.find(({ level }) => level === LEVEL)!;
  if (sampling === null) return { n: x.rows, why: "the sampling does not reach the level" };
  const found = await joint(model, x, r, {
    goal: { kind: "group", divergence: "mean", on: "label", desired: fr, level: LEVEL },
    ...(scenario.model === "gp" ? { candidates: FEW } : {}),
    ...signal,
  });
  if (!found.reached)
    return { n: x.rows, sampling, reached, why: "the joint choice does not reach the level" };
  const [edits, bound] = [found.value, found.bound].map((sum) => rounded(sum / x.rows));
  return { n: x.rows, sampling, reached, joint: edits!, bound: bound! };
}
